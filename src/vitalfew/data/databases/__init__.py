"""Databases for reading and writing: DuckDB, SQLite and PostgreSQL."""

from vitalfew.data.databases.open import open_database

__all__ = ["open_database"]
