"""Model families, one subpackage for each kind of path."""
