"""Encoding of tables with text and categories for estimators, and the names of the encoded features."""
