"""Rendering of reports as HTML and Markdown."""
