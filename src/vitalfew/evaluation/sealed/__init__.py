"""A test set that records every opening."""
