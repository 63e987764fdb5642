"""Validated samples: features with their target and weights, as the families fit them."""
