"""Documents of three topics, few of them labeled, in any database."""

import numpy as np
import pyarrow as pa

from vitalfew.data.databases.open import open_database

TOPICS = ("film", "food", "sport")


def make_documents(n=400, n_labeled=30, seed=0):
    """A table of id, body and topic, and the true topics. Some bodies are null or empty."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    truth[:6] = [0, 1, 2, 0, 1, 2]
    bodies = []
    for t in truth:
        own = [f"{TOPICS[t]}{w}" for w in rng.integers(0, 25, rng.integers(2, 6))]
        shared = [f"word{w}" for w in rng.geometric(0.03, rng.integers(4, 12))]
        bodies.append(" ".join(rng.permutation(own + shared)))
    bodies[-1], bodies[-2] = None, ""
    labels = [TOPICS[t] if i < n_labeled else None for i, t in enumerate(truth)]
    keys = [f"k{i}" for i in range(n)]
    table = pa.table({"id": pa.array(keys), "body": pa.array(bodies, pa.string()), "topic": pa.array(labels)})
    return table, {k: TOPICS[t] for k, t in zip(keys, truth)}


def put(database, name, table):
    """The table into a database, which is given as for open_database."""
    with open_database(database) as opened, opened.sink(name, table.schema, replace=True) as sink:
        for batch in table.to_batches():
            sink.write(batch)


def get(database, name):
    """Its rows, in the order of the first column."""
    with open_database(database, read_only=True) as opened:
        return opened.source(name).read().sort_by(opened.source(name).schema().names[0])


def names(database):
    with open_database(database, read_only=True) as opened:
        return list(opened.tables())


def right(found, truth):
    """The share of right labels."""
    return np.mean([truth[k] == t for k, t in zip(found["id"].to_pylist(), found["topic"].to_pylist())])
