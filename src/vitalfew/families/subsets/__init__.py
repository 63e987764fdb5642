"""Best-subset, greedy and forward-fitting models, and greedy feature search for any estimator."""
