"""Fuzz `WordPresence`: the same matrix and vocabulary as scikit-learn's `CountVectorizer`, or both raise.

Documents are str of any code points, str from bytes by several codecs, or Arrow arrays.
"""

import warnings

import numpy as np
import pyarrow as pa
from inputs import Inputs
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from vitalfew import WordPresence

PIECES = [
    "the ",
    "Cat",
    "ΑΣ",
    "İ",
    "ß",
    "_",
    "\0",
    "a\u0301",
    "日本",
    "\ud800",
    "\udfff",
    "𝔘",
    "x1",
    " ",
    "-",
    "ΣΑΣ Σ",
    "K",
]
STOPS = (None, "english", ["the", "cat", "ab", ""], ["σας"])
GRAMS = ((1, 1), (1, 1), (1, 2), (2, 2), (2, 4))
# Only a fraction of the inputs goes to the slower peer; the rest is read by our code alone.
COMPARED = 4


def document(inputs: Inputs) -> str:
    kind = inputs.below(5)
    if kind == 0:
        return inputs.text()
    if kind == 1:
        return inputs.some(inputs.below(200)).decode("utf-8", inputs.choice(["surrogateescape", "replace"]))
    if kind == 2:
        raw = inputs.some(2 * inputs.below(100))
        return (
            raw.decode("utf-16-le", "surrogatepass") if len(raw) % 2 == 0 and _is_whole(raw) else raw.decode("latin-1")
        )
    if kind == 3:
        return "".join(inputs.choice(PIECES) for _ in range(inputs.below(30)))
    # Now and then beyond the piece of a text that is read at once.
    return inputs.choice(PIECES) * (inputs.whole(2) >> inputs.choice([0, *[8] * 15]))


def _is_whole(raw: bytes) -> bool:
    try:
        raw.decode("utf-16-le", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def options(inputs: Inputs) -> dict:
    made = {
        "lowercase": inputs.below(4) > 0,
        "stop_words": inputs.choice(STOPS),
        "ngram_range": inputs.choice(GRAMS),
        "min_df": inputs.choice([1, 1, 1, 2, 3, 0.5, 1.0, 0]),
        "max_df": inputs.choice([1.0, 1.0, 1.0, 2, 0.5, 0.0, 10**9]),
        "max_features": inputs.choice([None, None, None, 1, 3, 10**6]),
    }
    if inputs.below(8) == 0:
        made["vocabulary"] = [document(inputs) for _ in range(1 + inputs.below(6))]
    return made


def outcome(make, documents):
    """Return the matrix and the words, or the type of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            vectorizer = make()
            matrix = vectorizer.fit_transform(documents)
        except (ValueError, TypeError) as error:
            assert str(error), "an error without a message"
            return "refused"
        except MemoryError:
            return "no memory"
    return matrix, vectorizer.get_feature_names_out()


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    is_compared, is_weighted, is_arrow = inputs.below(COMPARED) == 0, inputs.below(5) == 0, inputs.below(4) == 0
    chosen = options(inputs)
    threads = 1 if inputs.below(50) else 2
    documents = []
    while inputs and len(documents) < 40:
        documents.append(document(inputs))
    given = documents
    if is_arrow:
        documents = [d.encode("utf-8", "replace").decode() for d in documents]
        given = pa.array(documents, type=inputs.choice([pa.string(), pa.large_string()]))
    weighting = "idf" if is_weighted else None
    ours = outcome(lambda: WordPresence(**chosen, weighting=weighting, n_jobs=threads), given)
    if ours != "refused" and ours != "no memory":
        matrix, names = ours
        assert matrix.shape == (len(documents), len(names))
        assert np.isfinite(matrix.data).all()
        assert matrix.has_sorted_indices
    # scikit-learn refuses to weigh the words of no documents, and 0 as a number of documents in another way.
    if not is_compared or not documents or chosen["min_df"] == 0:
        return
    peer = TfidfVectorizer if is_weighted else CountVectorizer
    theirs = outcome(lambda: peer(**chosen, binary=True), documents)
    assert (ours == "refused") == (theirs == "refused"), (chosen, documents)
    if ours != "refused":
        assert ours[1].tolist() == theirs[1].tolist(), (chosen, documents)
        assert ours[0].shape == theirs[0].shape
        difference = abs(ours[0] - theirs[0])
        assert difference.nnz == 0 or difference.max() < 1e-12, (chosen, documents)
