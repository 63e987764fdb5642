"""Codes for values: categories, cut points and bins."""
