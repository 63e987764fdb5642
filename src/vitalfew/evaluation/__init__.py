"""Evaluation of models on unseen samples, and decomposition of their error."""
