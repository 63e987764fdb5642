"""One table of documents in each kind of database."""

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from corpus import make_documents, put


@pytest.fixture(params=["duckdb", "sqlite", "postgres"])
def database(request, tmp_path):
    """Return the address of a database without tables of other tests."""
    if request.param == "postgres":
        return _emptied(request.getfixturevalue("postgres"))
    if request.param == "sqlite":
        pytest.importorskip("adbc_driver_sqlite")
    return str(tmp_path / f"news.{request.param}")


@pytest.fixture
def documents(database):
    """The address, and the true topics."""
    table, truth = make_documents()
    put(database, "documents", table)
    return database, truth


def _emptied(address):
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("drop database if exists labeling with (force)")
        cursor.execute("create database labeling")
    return address.rpartition("/")[0] + "/labeling"
