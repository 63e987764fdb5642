"""The report: facts first, pages second."""
