"""Documents as rows of word presence."""
