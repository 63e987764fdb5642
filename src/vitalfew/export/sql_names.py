"""Names that a database cannot distinguish, even if quoted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

# PostgreSQL truncates names to this many bytes, at the end of a character; the others ignore the case of ASCII letters.
POSTGRES_BYTES = 63
REASONS = {
    "duckdb": "DuckDB, whose names are case-insensitive",
    "sqlite": "SQLite, whose names are case-insensitive",
    "postgres": f"PostgreSQL, which truncates names to {POSTGRES_BYTES} bytes",
}


def as_compared(name: str, dialect: str) -> str:
    """Return the form of a name that a database compares."""
    raw = name.encode("utf-8", "surrogatepass")
    if dialect == "postgres":
        return raw[:POSTGRES_BYTES].decode("utf-8", "ignore")
    return raw.lower().decode("utf-8", "surrogatepass")  # lowering bytes changes ASCII letters only


def check_columns(names: Iterable[str], used: Collection[str], dialect: str) -> None:
    """Reject a column that a database cannot distinguish from another one of the same table."""
    seen: dict[str, str] = {}
    for name in dict.fromkeys(names):
        other = seen.setdefault(as_compared(name, dialect), name)
        if other != name and (name in used or other in used):
            raise ValueError(
                f"the columns {other!r} and {name!r} are the same in {REASONS[dialect]}; rename one of them before the "
                "fit."
            )


def check_outputs(names: Iterable[str], dialect: str) -> None:
    """Reject a result in which two columns have the same name."""
    seen: dict[str, str] = {}
    for name in names:
        key = as_compared(name, dialect)
        if key in seen:
            raise ValueError(
                f"the columns {seen[key]!r} and {name!r} of the result are the same in {REASONS[dialect]}; rename the "
                "classes or the columns to keep, or use output='prediction' for a result without probabilities."
            )
        seen[key] = name


def free_prefix(table: str) -> str:
    """Return a prefix for the names of steps that the name of the table does not start with."""
    prefix = "vitalfew_"
    while table.lower().startswith(prefix):
        prefix += "_"
    return prefix
