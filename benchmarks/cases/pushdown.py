"""Counting in the database (`GROUP BY` for each column), compared with counting a stream of rows; the counts are equal.

"times faster" above 1 says that the database should count: this is where the rule of `push_down="auto"` comes from.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from judge import CACHE, row, time_calls
from vitalfew import summarize
from vitalfew.data.databases.open import open_database

DATA = ("duckdb", "sqlite")
# rows, columns, values of each
SHAPES = {
    "duckdb": ((1_000_000, 5, 8), (1_000_000, 5, 1000), (1_000_000, 20, 8), (1_000_000, 20, 1000), (1_000_000, 100, 8)),
    "sqlite": ((200_000, 5, 8), (200_000, 5, 1000), (200_000, 20, 8)),
}


def make_table(n_rows: int, n_columns: int, n_values: int) -> pa.Table:
    rng = np.random.default_rng(0)
    words = pa.array([f"value {i}" for i in range(n_values)])
    columns = {f"c{j}": words.take(pa.array(rng.integers(0, n_values, n_rows))) for j in range(n_columns)}
    return pa.table({**columns, "y": pa.array(["a", "b", "c"]).take(pa.array(rng.integers(0, 3, n_rows)))})


def compare(engine: str) -> list[dict]:
    """Compare on each shape, as a table of one file."""
    CACHE.mkdir(exist_ok=True)
    rows = []
    for shape in SHAPES[engine]:
        path = CACHE / f"pushdown.{engine}"
        path.unlink(missing_ok=True)
        table = make_table(*shape)
        with open_database(str(path)) as opened, opened.sink("t", table.schema) as sink:
            for batch in table.to_batches(65_536):
                sink.write(batch)
        count = partial(summarize, str(path), "y", n_jobs=2, verbose=False)
        calls = {"pushed": partial(count, push_down=True), "streamed": partial(count, push_down=False)}
        times = time_calls(calls, repeats=3)
        found = [call() for call in calls.values()]
        equal = np.array_equal(found[0].table, found[1].table) and found[0].codings == found[1].codings
        title = "{}: {:,} x {}, {:,} values each".format(engine, *shape)
        rows.append(row(title, "stream", times["pushed"], times["streamed"], equal))
    return rows
