"""The four questions: how many, redundant, together, which model."""
