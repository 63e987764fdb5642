"""Answers from one table of out-of-fold predictions: recipes, the table, and the choice of a model."""
