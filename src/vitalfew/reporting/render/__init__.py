"""Reports as HTML and Markdown."""
