"""Reading and writing documents in PostgreSQL, compared with COPY: `python benchmarks/postgres.py [--documents N]`.

Starts its own server, as the tests do. Reading is what `vitalfew label` does, all batches of Arrow; writing is a
table of labels in one transaction. COPY is psql's, in PostgreSQL's binary form, from and to a file in memory.
Writes the section PostgreSQL of RESULTS.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from postgres import _new_server
from run import circumstances, table, write_section
from vitalfew import label_documents
from vitalfew.data.databases.open import open_database

BATCH = 65_536
TOPICS = pa.array(["sports", "politics", "science", "music"])


def documents(n: int):
    """Yield batches of documents with 40 words, some specific to a topic; one document in a thousand is labeled."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i:05d}" for i in range(20_000)])
    for start in range(0, n, BATCH):
        rows = min(BATCH, n - start)
        topic = rng.integers(0, 4, rows)
        drawn = (20_000 * rng.random((rows, 40)) ** 3).astype(int)
        drawn[:, :8] = 15_000 + 1_000 * topic[:, None] + drawn[:, :8] // 20
        bodies = [" ".join(line) for line in words[drawn]]
        label = TOPICS.take(pa.array(topic, mask=rng.random(rows) > 0.001))
        yield pa.record_batch({"id": np.arange(start, start + rows), "body": bodies, "topic": label})


def psql(address: str, command: str) -> float:
    start = time.perf_counter()
    subprocess.run(["psql", "-q", "-d", address, "-c", command], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1_000_000)
    n = parser.parse_args().documents
    server = _new_server()
    try:
        rows = measured(server.address, n)
    finally:
        server.remove()
    columns = {"what": "", "ours": "ours, documents/s", "copy": "COPY, documents/s", "ratio": "ratio"}
    write_section("PostgreSQL", f"{circumstances()}\n\n{n:,} documents of 40 words.\n\n{table(rows, columns)}")
    print(table(rows, columns))


def measured(address: str, n: int) -> list[dict]:
    memory = Path("/dev/shm") if Path("/dev/shm").exists() else None
    with open_database(address) as database, tempfile.TemporaryDirectory(dir=memory) as folder:
        file = Path(folder) / "rows.bin"
        batches = list(documents(n))
        start = time.perf_counter()
        with database.sink("documents", batches[0].schema) as sink:
            for batch in batches:
                sink.write(batch)
        wrote = time.perf_counter() - start
        start = time.perf_counter()
        found = sum(batch.num_rows for batch in database.source("documents").batches())
        read = time.perf_counter() - start
        assert found == n
        copied_out = psql(address, rf"\copy documents to '{file}' (format binary)")
        psql(address, "create table copied (like documents)")
        copied_in = psql(address, rf"\copy copied from '{file}' (format binary)")
    start = time.perf_counter()
    label_documents(address, "documents", "body", "topic", key="id", model="nb", verbose=False)
    labeled = time.perf_counter() - start
    return [
        {"what": "read", "ours": n / read, "copy": n / copied_out, "ratio": copied_out / read},
        {"what": "write", "ours": n / wrote, "copy": n / copied_in, "ratio": copied_in / wrote},
        {"what": "label (two reads, a model, a write)", "ours": n / labeled, "copy": "", "ratio": ""},
    ]


if __name__ == "__main__":
    main()
