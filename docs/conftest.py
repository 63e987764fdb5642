"""Doctests of the pages alone: what builds the site, and what it builds here, hold none."""

collect_ignore = ["conf.py", "conftest.py", "_ext", "gallery"]
