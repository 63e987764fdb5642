"""Memory of `summarize` against what it promises, with Parquet files of one wide group of rows."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vitalfew.data.source import open_source
from vitalfew.data.sources import parquet_rows

BUDGETS = (2**29, 300 * 10**6)
SCRIPT = """
import sys
import pyarrow.compute, pyarrow.dataset, pyarrow.parquet
import vitalfew.summaries.summarize as summaries

def status(key):
    return 1024 * int(next(line for line in open("/proc/self/status") if line.startswith(key)).split()[1])

before = status("VmRSS")
summaries.summarize(sys.argv[1], "y", kind="moments", memory=int(sys.argv[2]))
print(status("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_one_wide_group_of_rows_stays_within_the_budget(tmp_path):
    rng, n = np.random.default_rng(0), 130_000
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(399)] + [("y", pa.float64())])
    columns = [rng.random(n) for _ in range(20)]
    rows = pa.table([np.roll(columns[j % 20], j) for j in range(400)], schema=schema)
    pq.write_table(rows, tmp_path / "wide.parquet", row_group_size=n)
    del rows, columns
    for budget in BUDGETS:
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "wide.parquet"), str(budget)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) <= 1.25 * budget


def test_small_budgets_read_the_same_rows(tmp_path):
    rng = np.random.default_rng(2)
    rows = pa.table({f"x{j}": rng.random(3000) for j in range(9)} | {"word": [f"w{i % 50}" for i in range(3000)]})
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=2000)
    source = open_source(tmp_path / "rows.parquet")
    for memory in (1, 10**5, 10**6, 2**30, 2**40):
        found = pa.Table.from_batches(source.within(memory).batches(batch_rows=700))
        assert found.equals(rows)
    assert source.share == 1


def test_columns_read_apart_are_the_same_rows(tmp_path, monkeypatch):
    rng, n = np.random.default_rng(1), 5000
    rows = pa.table(
        {
            "number": rng.random(n),
            "words": [f"word {i % 70}" * (i % 3) for i in range(n)],
            "coded": pa.array([f"c{i % 9}" for i in range(n)]).dictionary_encode(),
            "lists": [[i, i + 1] if i % 5 else None for i in range(n)],
            "a.b": pa.array(range(n), pa.int32()),
        }
    )
    path = tmp_path / "rows.parquet"
    pq.write_table(rows, path, row_group_size=1700)
    expected = rows.select(["a.b", "words", "coded", "lists", "number"])
    for most in (parquet_rows.MOST_PAGES, 1):
        monkeypatch.setattr(parquet_rows, "MOST_PAGES", most)
        found = pa.Table.from_batches(open_source(path).batches(expected.column_names, batch_rows=600))
        assert found.to_pydict() == expected.to_pydict()
        counted = [batch.num_rows for batch in open_source(path).batches([], batch_rows=600)]
        assert sum(counted) == n
        assert max(counted) <= 600
