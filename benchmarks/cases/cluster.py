"""A local Dask cluster compared with one process: EM steps on sparse rows, summaries of a table, words of documents.

Workers have one thread each and hold their partitions in memory, as the process holds the whole. `peer` is the process,
with one thread and with all; more workers than processors gain nothing here, and what they cost is overhead.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse

from judge import THREADS, row, time_calls
from vitalfew import WordPresence, summarize
from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.families.bayes.cluster_rows import ClusterRows
from vitalfew.families.bayes.mixture import Parameters, WeightRows
from vitalfew.families.bayes.mixture_data import _reader

SEED = 7
PARTS = 8
ROWS, WIDTH, WORDS, CLASSES = 240_000, 20_000, 50, 10
TABLE_ROWS, COLUMNS = 600_000, 30
DOCUMENTS = 40_000
WORKERS = (1, 2, 4)


def rows(part: int) -> sparse.csr_matrix:
    """Return documents of 50 weighted words, drawn by frequency."""
    rng = np.random.default_rng([SEED, part])
    n = ROWS // PARTS
    indices = np.sort((WIDTH * rng.random((n, WORDS)) ** 3).astype(np.int32), axis=1)
    X = sparse.csr_matrix((rng.random(n * WORDS), indices.ravel(), np.arange(n + 1) * WORDS), shape=(n, WIDTH))
    X.sum_duplicates()
    return X


def table(part: int) -> pd.DataFrame:
    """Return numbers, and a class that depends on the first few."""
    rng = np.random.default_rng([SEED, part])
    X = rng.standard_normal((TABLE_ROWS // PARTS, COLUMNS)).astype(np.float32)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
    for j in range(0, COLUMNS, 3):
        frame[f"x{j}"] = np.floor(4 * frame[f"x{j}"]).astype(np.int16)
    frame["y"] = np.where(X[:, :3].sum(axis=1) > 0, "yes", "no")
    return frame


def documents(part: int) -> list[str]:
    """Return texts of 60 words from a vocabulary of 50,000."""
    rng = np.random.default_rng([SEED, part])
    return [" ".join(f"w{w}" for w in line) for line in (5e4 * rng.random((DOCUMENTS // PARTS, 60)) ** 3).astype(int)]


def parameters() -> Parameters:
    table = np.random.default_rng(SEED).dirichlet(np.ones(WIDTH), CLASSES).T
    return Parameters(np.ascontiguousarray(np.log(table + 1e-12)), np.full(CLASSES, -np.log(CLASSES)))


@contextmanager
def cluster(n_workers: int):
    """Yield calls on a cluster, and the seconds it took to start it and to load the data."""
    import dask
    from distributed import Client, LocalCluster

    start = time.perf_counter()
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as local,
        Client(local),
    ):
        started = time.perf_counter() - start
        lazy = {make: [dask.delayed(make)(part) for part in range(PARTS)] for make in (rows, table, documents)}
        kept = ClusterRows.read(lazy[rows], _reader(WIDTH, True, TableCoder(numeric="mdl", threads=1)))
        frames, texts = dask.persist(*lazy[table]), dask.persist(*lazy[documents])
        dask.compute([dask.delayed(len)(part) for part in (*frames, *texts)])
        yield calls(kept, list(frames), list(texts)), started


def calls(kept, frame, texts, threads: int | None = None) -> dict:
    """Return the calls to time, for rows, a table and documents that are already in memory."""
    words = WordPresence(n_jobs=threads, verbose=False)
    features = [f"x{j}" for j in range(COLUMNS)]
    summary = partial(summarize, frame, "y", verbose=False, n_jobs=threads)
    return {
        "step of EM": partial(kept.expect, parameters()),
        "Counts": partial(summary, columns=features[::3]),
        "Moments": partial(summarize, frame, "x1", columns=features[3:], kind="moments", verbose=False, n_jobs=threads),
        "vocabulary": partial(words.fit, texts),
    }


def same(ours, theirs) -> bool:
    """Return True if two results are equal up to rounding."""
    if isinstance(ours, WordPresence):
        return ours.vocabulary_ == theirs.vocabulary_
    first, second = (x[0].table if isinstance(x, tuple) else getattr(x, "scatter", getattr(x, "table", None))
                     for x in (ours, theirs))  # fmt: skip
    return bool(np.allclose(first, second, rtol=1e-8))


def compare() -> list[dict]:
    """Compare two workers with one process."""
    X = sparse.vstack([rows(part) for part in range(PARTS)], format="csr")
    frame = pd.concat([table(part) for part in range(PARTS)], ignore_index=True)
    texts = [text for part in range(PARTS) for text in documents(part)]
    found = []
    peers = {
        f"one process, {threads} thread{'s' if threads > 1 else ''}": calls(
            WeightRows(X, threads), frame, texts, threads
        )
        for threads in (1, THREADS)
    }
    with cluster(2) as (ours, _):
        for name, call in ours.items():
            theirs = {peer: those[name] for peer, those in peers.items()}
            seconds = time_calls({"ours": call, **theirs}, repeats=2, await_idle=False)
            for peer, other in theirs.items():
                equal = same(call(), other())
                note = f"load {os.getloadavg()[0]:.1f}"
                line = row(f"{name}, 2 workers", peer, seconds["ours"], seconds[peer], equal, note=note)
                found.append(line | {"processor_ratio": np.nan})  # the workers' share would not be in it
    return found


def tables() -> dict[str, list[dict]]:
    """Return the seconds by number of workers, and the overhead of a task."""
    lines, overhead = [], []
    for n_workers in WORKERS:
        with cluster(n_workers) as (ours, started):
            seconds = time_calls(ours, repeats=1, await_idle=False)
            lines.append({"workers": n_workers, "start (s)": started,
                          **{f"{name} (s)": timing.best for name, timing in seconds.items()}})  # fmt: skip
            if n_workers == 2:
                overhead = [_overhead(n) for n in (2, 8, 32, 128)]
    return {
        "By the number of workers, with one thread each": lines,
        "A step of EM on empty data, two workers": overhead,
    }


def _overhead(n_parts: int) -> dict:
    """Time an EM step on blocks of one row, which is the overhead of sending, scheduling and merging."""
    import dask

    one = sparse.csr_matrix((np.ones(1), [0], [0, 1]), shape=(1, WIDTH))
    reader = _reader(WIDTH, True, TableCoder(numeric="mdl", threads=1))
    kept = ClusterRows.read([dask.delayed(one) for _ in range(n_parts)], reader)
    seconds = time_calls({"step": partial(kept.expect, parameters())}, repeats=3, await_idle=False)["step"].best
    return {"partitions": n_parts, "words × classes": WIDTH * CLASSES, "step (ms)": 1000 * seconds}
