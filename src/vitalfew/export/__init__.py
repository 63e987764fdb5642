"""Export of models to files, SQL and Python source."""
