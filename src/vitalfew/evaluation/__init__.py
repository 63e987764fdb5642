"""What to expect of a model on rows it has not seen, and where its error comes from."""
