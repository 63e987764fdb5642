"""Validated samples: features with target and weights, ready for fitting."""
