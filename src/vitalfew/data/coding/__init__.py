"""Encodings of values: categories, cut points and bins."""
