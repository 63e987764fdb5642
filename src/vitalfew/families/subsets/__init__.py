"""Best, greedy and forward-fitted subsets, and greedy search around any estimator."""
