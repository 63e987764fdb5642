"""Labeling of all documents in a database, given a few labeled ones."""
