"""Databases to read from and write to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vitalfew.data.database import Database


def connect(database: Any, kind: str, *, read_only: bool) -> Database:
    from vitalfew.data.duckdb_database import DuckDatabase

    if kind == "duckdb":
        return DuckDatabase(database, read_only)
    raise NotImplementedError


@contextmanager
def open_database(database: Any, kind: str | None = None, *, read_only: bool = False) -> Iterator[Database]:
    opened = connect(database, kind or "duckdb", read_only=read_only)
    try:
        yield opened
    finally:
        opened.close()
