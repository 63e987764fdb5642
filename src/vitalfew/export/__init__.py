"""Models as files, SQL and Python source."""
