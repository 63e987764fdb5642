"""Documents in a database, larger than memory: `python benchmarks/documents.py [--documents 5000000] [--folder DIR]`.

Makes documents of words that follow the law of Zipf and Mandelbrot (rank r with frequency proportional to
(r + 2.7)^-1.07, as fitted to English by Mandelbrot, 1953), of four classes, each with its own words that are three
times as frequent, and labels one in a thousand. Then, each in a separate process, `vitalfew label` and a loop of
scikit-learn's HashingVectorizer and BernoulliNB.partial_fit over batches of the same table; both write key, label and
probability back. Writes the section Documents of RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from run import circumstances, table, write_section

N_WORDS, N_OWN, N_CLASSES, LENGTH, CHUNK = 100_000, 2_000, 4, 70, 100_000
LABELED = 0.001


def make(path: Path, n_documents: int) -> None:
    """Create the table `documents` (id, body, topic, mostly null) and the table `truth` with every topic."""
    rng = np.random.default_rng(0)
    words = pa.array([_word(rank) for rank in range(N_WORDS)])
    frequency = (np.arange(1, N_WORDS + 1) + 2.7) ** -1.07
    cumulated = []
    for c in range(N_CLASSES):
        own = frequency.copy()
        own[500 + c : 500 + c + N_CLASSES * N_OWN : N_CLASSES] *= 3
        cumulated.append(np.cumsum(own / own.sum()))
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table documents (id bigint, body varchar, topic varchar)")
        connection.execute("create table truth (id bigint, topic varchar)")
        for start in range(0, n_documents, CHUNK):
            n = min(CHUNK, n_documents - start)
            topic = rng.integers(0, N_CLASSES, n)
            length = rng.poisson(LENGTH, n) + 1
            owner = np.repeat(topic, length)
            draws, drawn = rng.random(len(owner)), np.empty(len(owner), dtype=np.int32)
            for c in range(N_CLASSES):
                drawn[owner == c] = np.searchsorted(cumulated[c], draws[owner == c])
            offsets = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
            rows = pa.ListArray.from_arrays(offsets, words.take(np.minimum(drawn, N_WORDS - 1)))
            ids, name = np.arange(start, start + n), np.char.add("topic ", topic.astype(str)).astype(object)
            known = np.where(rng.random(n) < LABELED, name, None)
            batch = pa.table({"id": ids, "body": pc.binary_join(rows, " "), "topic": pa.array(known, pa.string())})
            truth = pa.table({"id": ids, "topic": pa.array(name, pa.string())})
            connection.register("batch", batch)
            connection.register("answers", truth)
            connection.execute("insert into documents select * from batch")
            connection.execute("insert into truth select * from answers")


def _word(rank: int) -> str:
    """Return the word of a rank; frequent words are short."""
    letters = ""
    rank += 26
    while rank:
        rank, letter = divmod(rank, 26)
        letters += chr(97 + letter)
    return letters + "".join(chr(97 + (rank * 7 + len(letters) * 11 + ord(c)) % 26) for c in letters[:2])


def ours(path: Path, model: str) -> dict:
    from vitalfew import label_documents

    start = time.perf_counter()
    label_documents(path, "documents", "body", "topic", key="id", into="ours", model=model, replace=True, verbose=False)
    return {"seconds": time.perf_counter() - start, "table": "ours"}


def peers(path: Path, n_documents: int) -> dict:
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.naive_bayes import BernoulliNB

    start = time.perf_counter()
    words, model = HashingVectorizer(binary=True, norm=None, alternate_sign=False, n_features=2**18), BernoulliNB()
    with duckdb.connect(str(path)) as connection:
        classes = [
            c for (c,) in connection.execute("select distinct topic from documents where topic is not null").fetchall()
        ]
        connection.execute("drop table if exists peers")
        connection.execute("create table peers (id bigint, topic varchar, probability double)")
        labeled = "select body, topic from documents where topic is not null"
        for batch in connection.cursor().sql(labeled).to_arrow_reader(65_536):
            model.partial_fit(
                words.transform(batch["body"].to_pylist()), batch["topic"].to_pylist(), classes=sorted(classes)
            )
        rest = f"select id, body from documents where topic is null and id < {n_documents}"
        for batch in connection.cursor().sql(rest).to_arrow_reader(65_536):
            share = model.predict_proba(words.transform(batch["body"].to_pylist()))
            found = pa.table(
                {"id": batch["id"], "topic": model.classes_[share.argmax(axis=1)], "probability": share.max(axis=1)}
            )
            connection.register("found", found)
            connection.execute("insert into peers select * from found")
    return {"seconds": time.perf_counter() - start, "table": "peers"}


def measured(*arguments: str) -> dict:
    """Return the report of a run in a separate process, and its peak memory."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def accuracy(path: Path, name: str) -> tuple[float, int]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(
            f"select avg((p.topic = t.topic)::int), count(*) from {name} p join truth t using (id)"
        ).fetchone()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=5_000_000)
    parser.add_argument(
        "--peer-documents", type=int, default=500_000, help="number of documents for the peer; rates are compared"
    )
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--model", default="nb,logistic-l2", help="one or more, with commas")
    parser.add_argument("--run", choices=["ours", "peers"])
    given = parser.parse_args()
    path = given.folder / f"documents_{given.documents}.duckdb"
    if given.run:
        found = ours(path, given.model) if given.run == "ours" else peers(path, given.peer_documents)
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(json.dumps(found))
        return
    if not path.exists():
        make(path, given.documents)
    size = ["--documents", str(given.documents), "--folder", str(given.folder)]
    models = given.model.split(",")
    runs = [(f"vitalfew label --model {model}", "ours", ["--model", model]) for model in models]
    peer = ("HashingVectorizer + BernoulliNB", "peers", ["--peer-documents", str(given.peer_documents)])
    rows = []
    for what, run, more in [*runs, peer]:
        found = measured("--run", run, *size, *more)
        right, n = accuracy(path, found["table"])
        rows.append({"what": what, "n": n, "rate": n / found["seconds"], "accuracy": right, **found})
        print(rows[-1], flush=True)
    columns = {
        "what": "",
        "n": "documents",
        "seconds": "s",
        "rate": "documents/s",
        "peak": "peak GB",
        "accuracy": "accuracy",
    }
    ratios = ", ".join(f"{row['rate'] / rows[-1]['rate']:.1f} (`{model}`)" for row, model in zip(rows, models))
    text = (
        f"{circumstances()}\n\n{given.documents:,} documents of {LENGTH} words ({path.stat().st_size / 2**30:.1f} GB "
        f"as a DuckDB file), {LABELED:.1%} labeled.\n\n{table(rows, columns)}\n\n"
        f"Ratio of documents per second: {ratios}. Both read the table; vitalfew reads it twice, the first time to "
        "collect the words."
    )
    write_section("Documents", text)


if __name__ == "__main__":
    main()
