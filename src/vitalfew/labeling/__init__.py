"""Labels for the documents of a database of which a few are labeled."""
