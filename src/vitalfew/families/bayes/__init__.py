"""Naive Bayes, its feature rankings and its semi-supervised mixture."""
