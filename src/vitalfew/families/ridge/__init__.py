"""Ridge and kernel ridge regression."""
