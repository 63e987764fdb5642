"""Second moments of a Parquet file, compared with a plain read of the same file that only decodes all columns.

The file is written once for a number of rows, 2,000,000 unless the variable MOMENTS_ROWS says otherwise (20,000,000
rows of 100 doubles are 16 GB). Memory is that of one call in a separate process, on all rows and on a tenth of them.
"""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from judge import CACHE, peak_mb, row, time_calls
from linear_judge import OURS
from vitalfew import summarize
from vitalfew.data.source import open_source

ROWS = int(os.environ.get("MOMENTS_ROWS", 2_000_000))
N_COLUMNS, GROUP = 100, 125_000
DATA = ("float64", "float32")


def make_file(kind: str, n_rows: int) -> str:
    """Write normally distributed numbers, and a target that depends on two columns."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"moments-{kind}-{n_rows}.parquet"
    if path.exists():
        return str(path)
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(N_COLUMNS)]
    schema = pa.schema([(name, getattr(pa, kind)()) for name in [*names, "y"]])
    with parquet.ParquetWriter(path.with_suffix(".part"), schema) as writer:
        for start in range(0, n_rows, GROUP):
            block = rng.standard_normal((N_COLUMNS + 1, min(GROUP, n_rows - start)), dtype=kind)
            block[-1] += block[0] - 2 * block[5]
            writer.write_table(pa.table(dict(zip(schema.names, block)), schema=schema))
    path.with_suffix(".part").rename(path)
    return str(path)


def load(data: str) -> tuple[str]:
    """The file of a kind and number of rows, such as ``float64:2000000``."""
    kind, n_rows = data.split(":")
    return (make_file(kind, int(n_rows)),)


def ours(path: str):
    return summarize(path, "y", kind="moments", n_jobs=2, verbose=False)


def bare_read(path: str) -> int:
    return sum(batch.num_rows for batch in open_source(path).batches())


def is_right(path: str) -> bool:
    """Check two columns against the result in memory."""
    x, y = (parquet.read_table(path, columns=[name])[name].to_numpy().astype(float) for name in ("x5", "y"))
    found = ours(path)
    exact = [x.mean(), y.mean(), (x - x.mean()) @ (y - y.mean())]
    return bool(np.allclose([found.mean[5], found.mean[-1], found.scatter[5, -1]], exact, rtol=1e-9))


def compare(kind: str) -> list[dict]:
    """Compare times and memory; CPU time depends little on other work on the machine."""
    (path,), _ = load(f"{kind}:{ROWS}"), load(f"{kind}:{ROWS // 10}")
    times = time_calls({OURS: partial(ours, path), "read": partial(bare_read, path)}, repeats=3)
    memory = tuple(peak_mb("moments_parquet", f"{kind}:{ROWS}", name) for name in ("ours", "bare_read"))
    tenth = peak_mb("moments_parquet", f"{kind}:{ROWS // 10}", "ours")
    note = f"{os.path.getsize(path) / 1e9:.2g} GB; our peak on a tenth of the rows {tenth:.0f} MB"
    title = f"{ROWS:,} x {N_COLUMNS} {kind}"
    return [row(title, "bare read", times[OURS], times["read"], is_right(path), memory=memory, note=note)]
