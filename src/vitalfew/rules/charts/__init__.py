"""Charts of selection curves."""
