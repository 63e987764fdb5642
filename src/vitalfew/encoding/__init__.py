"""Estimators that take tables with text and categories, and the names of what they learned."""
