"""Common base of SQLite and PostgreSQL: ADBC drivers, which return Arrow data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitalfew.data.databases.base import Database, reason
from vitalfew.exceptions import DataFileError
from vitalfew.support.arrow import check_arrow
from vitalfew.support.optional import import_extra

if TYPE_CHECKING:
    import pyarrow as pa


class AdbcDatabase(Database):
    """Database behind an ADBC driver.

    Statements begin and end transactions, so that a failed commit raises an error like any other statement.
    """

    def __init__(self, name: str, driver: str, address: str):
        self.name, self.address = name, address
        self.driver = import_extra(f"adbc_driver_{driver}.dbapi", f"{name!r} requires adbc-driver-{driver}", "db")

    def connect(self) -> Any:
        with self.errors("cannot be opened"):
            return self.driver.connect(self.address, autocommit=True)

    def execute(self, connection: Any, *statements: str, what: str = "rejected the query") -> list[tuple]:
        """Run the statements and return the result of the last one."""
        with self.errors(what), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def read(self, connection: Any, question: str, options: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
        with self.errors("rejected the query"), connection.cursor(adbc_stmt_kwargs=dict(options)) as cursor:
            cursor.execute(question)
            with cursor.fetch_record_batch() as reader:
                for batch in reader:
                    check_arrow(batch, repr(self.name), DataFileError)
                    yield batch

    @contextmanager
    def errors(self, what: str) -> Iterator[None]:
        manager, pa = import_module("adbc_driver_manager"), import_module("pyarrow")
        try:
            yield
        except (manager.Error, pa.ArrowException, OSError) as error:
            raise DataFileError(f"{self.name!r} {what} {self.without_password(reason(error))}") from None

    def without_password(self, text: str) -> str:
        return text

    def __del__(self) -> None:
        with suppress(Exception):  # the process may be ending
            self.close()
