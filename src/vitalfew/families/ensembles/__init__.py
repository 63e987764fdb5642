"""AdaBoost and bagging."""
