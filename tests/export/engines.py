"""Engines that run exported models (DuckDB, SQLite, PostgreSQL, plain Python), and differences from `predict`."""

import sqlite3
from contextlib import closing

import numpy as np
from sklearn.base import is_classifier

from vitalfew import Stump, to_python, to_sql

NEAR = 1e-9


def quoted(name):
    return '"' + str(name).replace('"', '""') + '"'


def in_duckdb(query, frame, name="data"):
    import duckdb

    with closing(duckdb.connect()) as connection:
        connection.register("given", frame)
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM given")
        return connection.execute(query).fetchall()


def in_sqlite(query, frame, name="data"):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE {quoted(name)} ({', '.join(map(quoted, frame.columns))})")
        marks = ", ".join("?" * frame.shape[1])
        connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", plain_rows(frame))
        return connection.execute(query).fetchall()


def in_postgres(query, frame, name="data"):
    """On the server whose address is in `POSTGRES`."""
    import adbc_driver_postgresql.dbapi as postgres
    import pyarrow as pa

    frame = frame.astype(dict.fromkeys(frame.select_dtypes(bool), int))  # its truth values are no numbers
    with closing(postgres.connect(POSTGRES["address"])) as connection, closing(connection.cursor()) as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        cursor.adbc_ingest(name, pa.Table.from_pandas(frame, preserve_index=False), mode="create")
        cursor.execute(query)
        return cursor.fetchall()


def plain_rows(frame):
    listed = [frame[c].astype(object).where(frame[c].notna(), None).tolist() for c in frame.columns]
    return list(zip(*listed))


def in_python(model, frame):
    module = {}
    exec(compile(to_python(model), "model", "exec"), module)
    rows = [dict(zip(frame.columns, row)) for row in plain_rows(frame)]
    found = [[module["predict"](row)] for row in rows]
    if "probabilities" in module:
        found = [[*line, *module["probabilities"](row).values()] for line, row in zip(found, rows)]
    return found


def answers(engine, model, rows, name="data"):
    """Predictions and probabilities of an engine, a line for each row; only columns that are read are put into it."""
    if engine == "python":
        return in_python(model, rows)
    query = to_sql(model, table=name, dialect=engine)
    used = [c for c in rows.columns if quoted(c) in query]
    return ENGINES[engine](query, rows[used or rows.columns[:1].tolist()], name)


ENGINES = {"duckdb": in_duckdb, "sqlite": in_sqlite, "postgres": in_postgres}
POSTGRES: dict[str, str] = {}


def difference(model, rows, found):
    """The largest difference of probabilities, or of predicted numbers relative to their size; and wrong classes.

    Of classes that are equally probable up to rounding, either is right.
    """
    expected = model.predict(rows)
    assert len(found) == len(expected)
    prediction = [line[0] for line in found]
    if not is_classifier(model):
        off = np.abs(np.array(prediction, float) - expected) / np.maximum(np.abs(expected), 1)
        return float(off.max()), 0
    shares = model.predict_proba(rows)
    off = np.abs(np.array([line[1:] for line in found], float) - shares)
    top = np.sort(shares, axis=1)[:, -2:]
    is_clear = (top[:, 1] - top[:, 0] > NEAR) | isinstance(model, Stump)
    differs = np.array([p != e for p, e in zip(prediction, expected.tolist())])
    return float(off.max()), int((differs & is_clear).sum())


def check(model, X, rows=None, engines=("duckdb", "sqlite", "python"), name="data"):
    """The same predictions everywhere."""
    rows = X if rows is None else rows
    for engine in engines:
        off, n_wrong = difference(model, rows, answers(engine, model, rows, name))
        assert off <= NEAR, f"{engine}: {off}"  # also where it is not a number
        assert n_wrong == 0, engine
