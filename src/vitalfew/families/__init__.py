"""The model families: one room for each kind of path."""
