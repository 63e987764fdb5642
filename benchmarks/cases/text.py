"""Text to a binary document-term matrix: `WordPresence` compared with common libraries and hand-written code.

`compare` gives, for each corpus and peer, the ratio of the best times of interleaved runs in one process,
whether the matrices are the same, and the peak memory of a fresh process that loads the corpus and makes the
matrix once.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

CORPORA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "text"
CASES = ("newsgroups", "synthetic")
SEED = 20240


def load(name: str) -> list[str]:
    """Load the documents of a case: `newsgroups` (18,846 real posts) or `synthetic` (100,000 short documents)."""
    cache = Path(tempfile.gettempdir()) / f"vitalfew-text-{name}.json"
    if not cache.exists():
        documents = _newsgroups() if name == "newsgroups" else _synthetic()
        cache.write_text(json.dumps(documents))
    return json.loads(cache.read_text())


def _newsgroups() -> list[str]:
    import pandas as pd

    return pd.read_csv(CORPORA / "newsgroups20.csv.gz")["text"].fillna("").tolist()


def _synthetic(n_documents: int = 100_000, n_words: int = 100_000) -> list[str]:
    """Return documents of about 60 pseudo-words with Zipf frequencies, in sentences of 12."""
    rng = np.random.default_rng(SEED)
    words = _pseudo_words(rng, n_words)
    cumulative = np.cumsum(1 / (np.arange(n_words) + 2.7) ** 1.05)
    cumulative /= cumulative[-1]
    documents = []
    for _ in range(n_documents):
        length = max(8, int(rng.normal(60, 20)))
        chosen = words[np.minimum(np.searchsorted(cumulative, rng.random(length)), n_words - 1)].tolist()
        for j in range(0, length, 12):
            chosen[j] = chosen[j].capitalize()
            if j:
                chosen[j - 1] += "."
        documents.append(" ".join(chosen) + ".")
    return documents


def _pseudo_words(rng: np.random.Generator, n_words: int) -> np.ndarray:
    consonants, vowels = list("bcdfghjklmnprstvwz"), list("aeiou")
    words: dict[str, None] = {}
    while len(words) < n_words:
        syllables = 1 + min(int(np.log2(len(words) + 2) / 4 + rng.random() * 1.5), 5)
        word = "".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(syllables))
        if rng.random() < 0.5:
            word += rng.choice(consonants)
        words.setdefault(word)
    return np.array(list(words))


def ours(documents):
    from vitalfew.data.text.word_presence import WordPresence

    return WordPresence().fit_transform(documents)


def count_vectorizer(documents):
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(binary=True).fit_transform(documents)


def python_loop(documents):
    """Run the obvious Python loop: lower, findall, dict and set."""
    vocabulary: dict[str, int] = {}
    indices: list[int] = []
    indptr = [0]
    find = re.compile(r"(?u)\b\w\w+\b").findall
    for document in documents:
        indices.extend({vocabulary.setdefault(w, len(vocabulary)) for w in find(document.lower())})
        indptr.append(len(indices))
    data = np.ones(len(indices), np.int8)
    return sparse.csr_matrix((data, np.array(indices, np.int32), indptr), shape=(len(documents), len(vocabulary)))


def pyarrow_split(documents):
    """Use Arrow's compute functions: lower, split, dictionary; words are ASCII and columns unsorted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pieces = pc.split_pattern_regex(pc.utf8_lower(pa.array(documents)), r"[^\w]+")
    encoded = pieces.flatten().dictionary_encode()
    code = encoded.indices.to_numpy()
    keep = pc.greater(pc.utf8_length(encoded.dictionary), 1).to_numpy(zero_copy_only=False)
    column = np.cumsum(keep) - 1
    row = np.repeat(np.arange(len(documents)), np.diff(pieces.offsets.to_numpy()))
    used = keep[code]
    data = np.ones(int(used.sum()), np.int32)
    shape = (len(documents), int(keep.sum()))
    matrix = sparse.csr_matrix((data, (row[used], column[code[used]])), shape=shape)
    matrix.data[:] = 1
    return matrix


def polars_explode(documents):
    import polars as pl

    words = pl.col("t").str.to_lowercase().str.extract_all(r"\b\w\w+\b").alias("w")
    pairs = (
        pl.DataFrame({"t": documents})
        .with_row_index("i")
        .select("i", words)
        .explode("w")
        .drop_nulls()
        .with_columns(pl.col("w").rank("dense").alias("j") - 1)
        .select("i", "j")
        .unique()
    )
    row, column = pairs["i"].to_numpy(), pairs["j"].to_numpy()
    data = np.ones(len(row), np.int8)
    return sparse.csr_matrix((data, (row, column)), shape=(len(documents), int(column.max()) + 1))


PEERS = {f.__name__: f for f in (count_vectorizer, pyarrow_split, python_loop, polars_explode)}


def compare(cases=CASES, peers=tuple(PEERS), repetitions: int = 5) -> list[dict]:
    """Return one row per case and peer; times are the best of interleaved repetitions."""
    rows = []
    for case in cases:
        documents = load(case)
        matrix = ours(documents)
        ours_peak = peak_mb(case, "ours")
        for peer in peers:
            other = PEERS[peer](documents)
            ours_s, peer_s = _best_times(documents, PEERS[peer], repetitions)
            is_same = _same(matrix, other)
            note = "memory of the whole process"
            if not is_same:
                note += f"; it finds {other.shape[1]:,} words, CountVectorizer and ours {matrix.shape[1]:,}"
            rows.append(
                {
                    "case": case,
                    "peer": peer,
                    "ours_s": ours_s,
                    "peer_s": peer_s,
                    "ratio": peer_s / ours_s,
                    "equal": is_same,
                    "note": note,
                    "ours_peak_mb": ours_peak,
                    "peer_peak_mb": peak_mb(case, peer),
                }
            )
    return rows


def _best_times(documents, peer, repetitions: int) -> tuple[float, float]:
    best = {ours: np.inf, peer: np.inf}
    for _ in range(repetitions):
        for function in (ours, peer):
            start = time.perf_counter()
            function(documents)
            best[function] = min(best[function], time.perf_counter() - start)
    return best[ours], best[peer]


def _same(ours_matrix, other) -> bool:
    """Return True if two matrices are equal up to the order of columns, which some peers do not sort."""
    if ours_matrix.shape != other.shape or ours_matrix.nnz != other.nnz:
        return False
    return np.array_equal(_column_codes(ours_matrix), _column_codes(other))


def _column_codes(matrix) -> np.ndarray:
    """Return a hash of the rows of each column, in increasing order."""
    code = np.random.default_rng(0).integers(2**63, size=matrix.shape[0], dtype=np.uint64)
    column = sparse.csc_matrix(matrix)
    sums = np.add.reduceat(code[column.indices], column.indptr[:-1])
    return np.sort(sums)


def peak_mb(case: str, name: str) -> float:
    """Return the peak resident memory of loading the corpus and building the matrix once, in a separate process."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import text; "
        f"f = text.ours if {name!r} == 'ours' else text.PEERS[{name!r}]; f(text.load({case!r})); "
        "print(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    return int(out) / 1024


if __name__ == "__main__":
    for line in compare():
        print(
            "{case:12} {peer:18} ours {ours_s:.3f} s, peer {peer_s:.3f} s: {ratio:5.1f} times; same {equal}; "
            "peak {ours_peak_mb:.0f} against {peer_peak_mb:.0f} MB".format(**line)
        )
