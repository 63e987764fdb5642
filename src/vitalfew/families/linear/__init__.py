"""Lasso, elastic net and logistic regression."""
