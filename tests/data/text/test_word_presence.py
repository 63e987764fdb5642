"""Words of documents: the tokens, vocabulary and matrix of scikit-learn's CountVectorizer(binary=True)."""

import os
import pickle
import re
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils import get_tags

from vitalfew.data.text.word_presence import WordPresence

CORPORA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "text"
NAMES = (
    "ag_news_test",
    "customer_reviews",
    "imdb_subset",
    "movie_review_polarity",
    "newsgroups20",
    "reuters_r8",
    "rt_polarity",
    "sms_spam",
    "sst2",
    "trec",
    "webkb",
)
LARGE = ("imdb_subset", "newsgroups20")

DOCUMENTS = [
    "The cat sat on the mat; the CAT slept.",
    "Ein Bär läuft über die Straße, 3 Bären laufen über die STRASSE.",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. İstanbul ISPARTA ıI İİ",
    "",
    "a b c _ __ x1 1x 42",
    "zero\0width a\u200db👩\u200d👩\u200d👧 e\u0301te\u0301 \ud800ab\udfffcd",
    "日本語の テキスト 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐐀𐐁 K ﬁ ²³ ½½ ๑๒ नमस्ते",
]
# What breaks tokenizers: case that depends on neighbors, combining marks, joiners, lone surrogates.
TRICKY = "ΣσςİıIiKÅßẞǅfiﬁ\u0301\u0307\u200d\u0345👩𐐀𐐨𝔘ªº²½๑\ud800\udfff\0_-. \n\tabAB01"
texts = st.one_of(
    st.text(alphabet=TRICKY, max_size=40),
    st.text(alphabet=st.characters(codec=None), max_size=20),
    st.lists(st.sampled_from(["the", "cat", "Cat", "dog", "a", "ΣΑΣ", "on"]), max_size=8).map(" ".join),
)
corpora = st.lists(texts, min_size=1, max_size=8)

PARAMETERS = [
    {},
    {"lowercase": False},
    {"min_df": 2},
    {"min_df": 0.3},
    {"max_df": 2},
    {"max_df": 0.5},
    {"max_df": 0.9, "min_df": 2, "max_features": 3},
    {"max_features": 1},
    {"max_features": 4},
    {"stop_words": "english"},
    {"stop_words": ["cat", "ab", "the", "σας", "not a token", ""]},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 2)},
    {"ngram_range": (2, 4), "stop_words": ["the", "ab"]},
    {"ngram_range": (1, 3), "max_features": 5, "lowercase": False},
    {"vocabulary": ["the", "cat", "σας", "ab", "absent", "on the", "x\0"]},
    {"vocabulary": {"cat": 2, "the": 0, "the cat": 1}, "ngram_range": (1, 2)},
    {"vocabulary": {"cat", "ab", "bär"}, "stop_words": ["ab"]},
    {"dtype": np.float32, "max_features": 3},
]


def names_of(parameters):
    return "-".join(parameters) if isinstance(parameters, dict) else None


def words_of(document, lowercase=True):
    return set(re.findall(r"(?u)\b\w\w+\b", document.lower() if lowercase else document))


def outcome(make, documents):
    """Vocabulary and matrix, or the type of the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            X = make.fit_transform(documents)
    except ValueError:
        return ValueError
    return make.vocabulary_, X


def assert_same_matrix(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    assert ours.indices.dtype == np.int32
    theirs = theirs.copy()
    theirs.sort_indices()
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-14)


def assert_same(documents, weighting=None, **parameters):
    ours = WordPresence(weighting=weighting, **parameters)
    peer = TfidfVectorizer if weighting == "idf" else CountVectorizer
    theirs = peer(binary=True, **parameters)
    expected, got = outcome(theirs, documents), outcome(ours, documents)
    if expected is ValueError or got is ValueError:
        assert got is expected
        return
    assert got[0] == expected[0]
    assert_same_matrix(got[1], expected[1])
    assert_same_matrix(ours.transform(documents[::-1]), theirs.transform(documents[::-1]))


def corpus(name):
    path = CORPORA / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip("needs the real corpora, not shipped with the project")
    table = pd.read_csv(path)
    return table["text"].fillna("").tolist()


@given(corpora, st.booleans())
def test_oracle(documents, lowercase):
    sets = [words_of(d, lowercase) for d in documents]
    vocabulary = sorted(set().union(*sets))
    presence = WordPresence(lowercase=lowercase)
    if not vocabulary:
        with pytest.raises(ValueError, match="empty vocabulary"):
            presence.fit(documents)
        return
    X = presence.fit_transform(documents)
    assert presence.get_feature_names_out().tolist() == vocabulary
    assert [{vocabulary[j] for j in row.indices} for row in X] == sets
    assert X.has_canonical_format


@pytest.mark.parametrize("parameters", PARAMETERS, ids=names_of)
@given(corpora)
@settings(max_examples=30)
def test_same_as_count_vectorizer(parameters, documents):
    assert_same(documents, **parameters)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=names_of)
@pytest.mark.parametrize("weighting", [None, "idf"])
def test_same_on_many_scripts(parameters, weighting):
    if weighting == "idf":
        parameters = {name: value for name, value in parameters.items() if name != "dtype"}
    assert_same(DOCUMENTS, weighting=weighting, **parameters)


@given(corpora)
@settings(max_examples=50)
def test_same_as_tfidf_vectorizer(documents):
    assert_same(documents, weighting="idf")


def test_every_character_is_lower_cased_and_classified_as_python_does():
    characters = [chr(c) for c in range(0x110000)]
    documents = ["".join(f"x{c}x{c}{c} " for c in characters[i : i + 4096]) for i in range(0, 0x110000, 4096)]
    assert_same(documents)
    assert_same(documents, lowercase=False)


@pytest.mark.parametrize("name", NAMES)
def test_same_on_real_corpora(name):
    documents = corpus(name)
    assert_same(documents)
    if name not in LARGE:
        assert_same(documents, stop_words="english", min_df=2, max_df=0.5, max_features=1000)
        assert_same(documents[:1000], ngram_range=(1, 2), min_df=2)
        assert_same(documents[:1000], weighting="idf", lowercase=False, max_features=500)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"ngram_range": (1, 2), "min_df": 2}, {"vocabulary": ["w1", "w2 w3", "é0"]}],
    ids=names_of,
)
def test_number_of_threads_changes_nothing(parameters):
    rng = np.random.default_rng(0)
    documents = [" ".join(f"{'wé'[k % 2]}{k}" for k in rng.zipf(1.3, size=60) % 5000) for _ in range(20_000)]
    one, two = (WordPresence(n_jobs=n, **parameters) for n in (1, 2))
    X, Y = one.fit_transform(documents), two.fit_transform(documents)
    np.testing.assert_array_equal(one.get_feature_names_out(), two.get_feature_names_out())
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(X, part), getattr(Y, part))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 32_767, 32_768, 32_769, 3_000_000])
@pytest.mark.parametrize("letter", ["x", "é", "語", "𝔘"])
def test_long_words(length, letter):
    documents = [f"{letter * length}y, {letter * length}z", f" {letter * length}y", f"{letter * length}"]
    assert_same(documents, ngram_range=(1, 2))


@pytest.mark.parametrize("letter", ["x", "é", "語", "𝔘"])
def test_long_documents_are_read_in_pieces(letter):
    documents = [" ".join(f"{letter}{k % 20_000}" for k in range(100_000)) for _ in range(2)] + ["x1"]
    assert_same(documents)
    assert_same(documents, ngram_range=(2, 2), stop_words=[f"{letter}{k}" for k in range(0, 20_000, 3)])


VALID = ["The cat", "", "Straße ΣΑΣ", "cat 日本語"]


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        lambda d: (t for t in d),
        dict.fromkeys,
        lambda d: np.array(d, dtype=object),
        np.array,
        pd.Series,
        lambda d: pd.Series(d, dtype=object, index=[5, 5, 1, 0]),
        lambda d: pd.Series(d, dtype="category"),
        lambda d: pd.Series(d, dtype=pd.StringDtype("python")),
        lambda d: pd.Series(d, dtype=pd.ArrowDtype(pa.large_string())),
        lambda d: pd.Index(d),
        pl.Series,
        lambda d: pl.Series(d, dtype=pl.Categorical),
        lambda d: pa.array(d, pa.string()),
        lambda d: pa.array(d, pa.large_string()),
        lambda d: pa.array(d, pa.string_view()),
        lambda d: pa.array(["no", *d, "no"]).slice(1, len(d)),
        lambda d: pa.array(d).dictionary_encode(),
        lambda d: pa.chunked_array([d[:1], [], d[1:]]),
        lambda d: iter([d[:1], [], d[1:]]),
        lambda d: [tuple(d[:1]), pd.Series(d[1:2]), pl.Series(d[2:3]), pa.array(d[3:])],
        lambda d: iter([d[0], d[1:3], d[3]]),
    ],
)
def test_kinds_of_input(make):
    expected = WordPresence().fit_transform(VALID)
    presence = WordPresence()
    assert_same_matrix(presence.fit_transform(make(VALID)), expected)
    assert_same_matrix(WordPresence().fit(make(VALID)).transform(make(VALID)), expected)
    assert_same_matrix(presence.transform(make(VALID)), expected)


def test_iterator_longer_than_a_batch():
    documents = [f"w{k % 100} all" for k in range(20_000)]
    assert_same_matrix(WordPresence().fit_transform(iter(documents)), WordPresence().fit_transform(documents))


def test_subclass_of_str():
    class Shouting(str):
        def lower(self):
            return "never called"

    assert_same_matrix(WordPresence().fit_transform([Shouting("ab Σ")]), WordPresence().fit_transform(["ab Σ"]))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_documents_are_named(missing):
    with pytest.raises(ValueError, match=r"document 2 is missing .*fill missing"):
        WordPresence().fit(["ab", "cd", missing])
    with pytest.raises(ValueError, match=r"document 3 is missing"):
        WordPresence().fit(iter([["ab", "cd"], ["ef", missing]]))


@pytest.mark.parametrize("make", [pd.Series, pl.Series, pa.array])
def test_missing_documents_in_arrow(make):
    with pytest.raises(ValueError, match=r"document 1 is missing"):
        WordPresence().fit(make(["ab", None]))


@pytest.mark.parametrize(
    ("documents", "error", "match"),
    [
        ("one string", ValueError, r"pass a list, \[document\]"),
        (b"one string", ValueError, "pass a list"),
        (5, TypeError, "must be an iterable of str, got int"),
        (["ab", 3], TypeError, "document 1 is of type int.*astype"),
        (["ab", b"cd"], TypeError, r"document 1 is bytes.*decode"),
        (np.array([1.5, 2.0]), TypeError, "document 0 is of type float"),
        (np.array([["ab"]]), ValueError, r"one column of text, got ndarray of shape \(1, 1\)"),
        (pd.DataFrame({"t": ["ab"]}), ValueError, "select a column"),
        (pl.DataFrame({"t": ["ab"]}), ValueError, "select a column"),
        (pa.table({"t": ["ab"]}), ValueError, "select a column"),
        (pa.array([1, 2]), TypeError, "Arrow array of type int64"),
        (pa.array([b"ab"]), TypeError, "Arrow array of type binary"),
        ([], ValueError, "empty vocabulary"),
        (["", "a b"], ValueError, "empty vocabulary"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_wrong_documents(documents, error, match):
    with pytest.raises(error, match=match):
        WordPresence().fit(documents)


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"ngram_range": (2, 1)}, "1 <= min_n <= max_n"),
        ({"ngram_range": (0, 1)}, "1 <= min_n <= max_n"),
        ({"min_df": 3, "max_df": 2}, "raise max_df or lower min_df"),
        ({"min_df": 4}, "raise max_df or lower min_df"),
        ({"min_df": 3}, "no words remain"),
        ({"max_df": 1.5}, "max_df must be a fraction"),
        ({"min_df": 0}, "min_df must be a fraction"),
        ({"max_features": 0}, "max_features must be a positive int"),
        ({"stop_words": "french"}, "stop_words must be 'english'"),
        ({"stop_words": ["ab", "cd", "ef"]}, "empty vocabulary"),
        ({"weighting": "bm25"}, "weighting must be one of"),
        ({"vocabulary": []}, "vocabulary is empty"),
        ({"vocabulary": ["ab", "cd", "ab"]}, "'ab' twice"),
        ({"vocabulary": {"ab": 0, "cd": 0}}, "several words to the same column"),
        ({"vocabulary": {"ab": 0, "cd": 2}}, "no column 1"),
    ],
    ids=names_of,
)
def test_wrong_parameters(parameters, match):
    documents = ["ab", "ab cd", "ef"]
    with pytest.raises(ValueError, match=match):
        WordPresence(**parameters).fit(documents)


def test_vocabulary_must_be_lower_case_and_of_str():
    with pytest.warns(UserWarning, match="uppercase"):
        WordPresence(vocabulary=["Ab"]).fit(["ab"])
    with pytest.raises(TypeError, match="vocabulary must contain str, got 3"):
        WordPresence(vocabulary=["ab", 3]).fit(["ab"])


def test_not_fitted():
    presence = WordPresence()
    assert not hasattr(presence, "vocabulary_")
    for call in (lambda: presence.transform(["ab"]), presence.get_feature_names_out):
        with pytest.raises(NotFittedError, match="call fit"):
            call()
    with pytest.raises(NotFittedError, match="call fit"):
        WordPresence(vocabulary=["ab"], weighting="idf").transform(["ab"])


def test_given_vocabulary_needs_no_fit():
    presence = WordPresence(vocabulary=["dog", "cat"])
    assert presence.transform(["cat", "owl"]).toarray().tolist() == [[0, 1], [0, 0]]
    assert presence.vocabulary_ == {"dog": 0, "cat": 1}
    assert presence.transform([]).shape == (0, 2)


def test_pickle_and_clone():
    presence = WordPresence(ngram_range=(1, 2), weighting="idf").fit(DOCUMENTS)
    again = pickle.loads(pickle.dumps(presence))
    assert again.vocabulary_ == presence.vocabulary_
    assert_same_matrix(again.transform(DOCUMENTS), presence.transform(DOCUMENTS))
    assert not hasattr(clone(presence), "vocabulary_")
    assert clone(presence).get_params() == presence.get_params()


def test_inverse_transform():
    presence = WordPresence()
    X = presence.fit_transform(DOCUMENTS)
    expected = [sorted(words_of(d)) for d in DOCUMENTS]
    assert [row.tolist() for row in presence.inverse_transform(X)] == expected
    assert [row.tolist() for row in presence.inverse_transform(X.toarray())] == expected


def test_types():
    assert WordPresence(dtype=bool).fit_transform(["ab"]).dtype == bool
    assert WordPresence(weighting="idf").fit_transform(["ab"]).dtype == np.float64
    assert WordPresence(weighting="idf", dtype=np.float32).fit_transform(["ab"]).dtype == np.float32
    assert sparse.issparse(WordPresence().fit_transform(["ab"]))


def test_tags():
    tags = get_tags(WordPresence())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array


@pytest.mark.parametrize(
    "documents", [["some words " * 10_000] * 20_000, ["a few other words " * 500_000]], ids=["many", "one"]
)
@pytest.mark.skipif(signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="Ctrl-C is ignored in this process")
def test_interrupt_is_heard_at_once(documents):
    sent, stopped = [], threading.Event()

    def interrupt():
        # Again if the first was lost: Python ignores what is raised while it collects garbage.
        wait = 0.1
        while not stopped.wait(wait):
            sent[:] = [time.perf_counter()]
            os.kill(os.getpid(), signal.SIGINT)
            wait = 30

    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            WordPresence(ngram_range=(1, 40)).fit(documents)
    finally:
        stopped.set()
        sender.join()
    # Heard within 0.1 s on an idle machine.
    assert time.perf_counter() - sent[0] < 1
