"""Databases to read from and to write to: DuckDB, SQLite and PostgreSQL."""

from vitalfew.data.databases.open import open_database

__all__ = ["open_database"]
