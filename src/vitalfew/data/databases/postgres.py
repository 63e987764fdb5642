"""PostgreSQL servers through ADBC; reads and writes use binary COPY."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, unquote_plus, urlencode, urlsplit
from uuid import uuid4

from vitalfew.data.databases.adbc import AdbcDatabase
from vitalfew.data.databases.base import dotted, literal, quoted, subquery
from vitalfew.exceptions import DataFileError
from vitalfew.support.outputs import committing

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_NAME = 63  # in bytes; the server truncates longer names
_FREEZE = "set transaction isolation level repeatable read, read only"


class PostgresDatabase(AdbcDatabase):
    """PostgreSQL database; one connection keeps a snapshot that every reader, on a separate connection, uses."""

    has_case = True

    def __init__(self, address: str, read_only: bool):
        name, self.secrets = _without_password(address)
        self.read_only = read_only
        super().__init__(name, "postgresql", address)
        self.keeper = self.connect()
        try:
            self._look()
        except BaseException:
            self.close()
            raise

    def _look(self) -> None:
        """Take a new snapshot for the sources opened and the reads started from now on."""
        ((self.snapshot,),) = self.execute(self.keeper, "rollback", "begin", _FREEZE, "select pg_export_snapshot()")

    def close(self) -> None:
        self.keeper.close()

    def without_password(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "…")
        return text

    def tables(self) -> dict[str, tuple[str, ...]]:
        usual = self.schemas()[0]
        listed = self.execute(
            self.keeper,
            "select n.nspname::text, c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            "where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' "
            "and n.nspname <> 'information_schema' order by 1, 2",
        )
        return {name if schema == usual else f"{schema}.{name}": (schema, name) for schema, name in listed}

    def schemas(self) -> list[str]:
        found = self.execute(
            self.keeper,
            "select nspname::text from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' "
            "order by nspname is distinct from current_schema(), nspname",
        )
        return [schema for (schema,) in found]

    def primary_key(self, place: tuple[str, ...]) -> list[str]:
        found = self.execute(
            self.keeper,
            "select a.attname::text from pg_index i cross join unnest(i.indkey) with ordinality as k(n, at) "
            "join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.n "
            f"where i.indisprimary and i.indrelid = {literal(dotted(place))}::regclass order by k.at",
        )
        return [name for (name,) in found]

    def settle(self, question: str) -> tuple[str, pa.Schema]:
        pa = import_module("pyarrow")
        # Use a separate connection, because it locks the tables against being dropped as long as it is open.
        with closing(self.connect()) as connection, self.errors("rejected the query"), connection.cursor() as cursor:
            found = cursor.adbc_execute_schema(question)  # prepared, not executed
            if not found.names:
                raise DataFileError("the query does not return a table; use a SELECT query.")
            if len(set(found.names)) == len(found.names):  # otherwise duplicate names would be ambiguous
                cursor.adbc_execute_schema(f"select * from {subquery(question)}")
        columns, fields = [], []
        for field in found:
            unknown = (field.metadata or {}).get(b"ADBC:postgresql:typname")
            kind = (unknown or (field.metadata or {}).get(b"POSTGRESQL:type", b"")).decode()
            is_strange = unknown is not None or isinstance(field.type, pa.BaseExtensionType)
            cast, type_ = _CASTS.get(kind, ("text", "string") if is_strange else ("", field.type))
            fields.append((field.name, pa.type_for_alias(type_) if isinstance(type_, str) else type_))
            columns.append(f"{quoted(field.name)}{'::' + cast if cast else ''} as {quoted(field.name)}")
        return f"select {', '.join(columns)} from {subquery(question)}", pa.schema(fields)

    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:  # noqa: ARG002
        with closing(self.connect()) as connection:
            self.execute(connection, "begin", _FREEZE, f"set transaction snapshot '{self.snapshot}'")
            yield from self.read(connection, question, {})

    @contextmanager
    def writing(
        self, place: tuple[str, ...], schema: pa.Schema, replace: bool
    ) -> Iterator[Callable[[pa.RecordBatch], object]]:
        for name in (place[-1], *schema.names):
            if len(name.encode()) > LONGEST_NAME:
                raise DataFileError(
                    f"names in PostgreSQL have at most {LONGEST_NAME} bytes, but {name[:20] + '…'!r} is longer; "
                    "shorten it."
                )
        what = "cannot be written"
        # The old table stays readable until the new one is complete.
        new = f"vitalfew_{uuid4().hex}" if replace else place[-1]
        with closing(self.connect()) as connection, connection.cursor() as cursor:

            def ingest(rows, mode: str) -> None:
                with self.errors(what):
                    cursor.adbc_ingest(new, rows, mode=mode, db_schema_name=place[0])

            self.execute(connection, "begin", "set local lock_timeout = '10s'", what=what)
            # A connection that closes without a commit leaves nothing behind.
            ingest(schema.empty_table(), "create")
            yield lambda batch: ingest(batch, "append")
            if replace:
                renamed = f"alter table {dotted((place[0], new))} rename to {quoted(place[-1])}"
                self.execute(connection, f"drop table {dotted(place)}", renamed, what=what)
            with committing(place[-1]):
                self.execute(connection, "commit", what=what)
        with suppress(DataFileError):  # the table is written, whatever happens now
            self._look()


# Read numbers of arbitrary precision as floating-point; drop the padding blanks of fixed-length text.
_CASTS = {"numeric": ("float8", "double"), "money": ("numeric::float8", "double"), "bpchar": ("text", "string")}


SECRET_OPTIONS = ("password", "sslpassword")


def _without_password(address: str) -> tuple[str, list[str]]:
    """Return an address that is safe to show, and the secrets to hide."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise DataFileError("the address cannot be parsed; expected postgresql://user@host:5432/name.") from None
    _, at, host = parts.netloc.rpartition("@")
    user = parts.username or ""
    options = [(k, v) for k, v in parse_qsl(parts.query) if k not in SECRET_OPTIONS]
    shown = parts._replace(netloc=f"{user}{at}{host}", query=urlencode(options)).geturl()
    raw = (option.partition("=") for option in parts.query.split("&"))
    secrets = [parts.password or "", *(value for key, _, value in raw if unquote(key) in SECRET_OPTIONS)]
    return shown, [s for secret in secrets if secret for s in (secret, unquote_plus(secret), unquote(secret))]
