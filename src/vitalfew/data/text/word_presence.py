"""Sparse word-presence matrices of text."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.utils import check_array

from vitalfew import _core
from vitalfew.data.tables.partitions import is_partitioned
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.data.text.document_batches import add_documents
from vitalfew.data.text.partition_words import count_words, word_rows
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.progress import kernel_progress

WEIGHTINGS = (None, "idf")


class WordPresence(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Transformer of text documents into a sparse matrix of word presence.

    Entry (i, j) is 1 if document i contains word j, and 0 otherwise. With ``weighting="idf"``, the 1 becomes

    ``idf_j / sqrt(sum of idf² over the words of document i)``, ``idf_j = log((1 + n) / (1 + df_j)) + 1``,

    where n is the number of documents seen in ``fit``, and df_j the number of those with word j. A word is a run of at
    least two letters, digits or underscores, in any script. Tokens, vocabulary and matrix equal those of scikit-learn's
    ``CountVectorizer(binary=True)`` (with weights, ``TfidfVectorizer(binary=True)``) with the same parameters; compiled
    code computes them on all processors.

    Documents are a list or array of str, a pandas or polars Series, a pyarrow Array or ChunkedArray of strings, any
    iterable of str, or an iterable of such lists, Series or arrays (*batches*), which need not fit in memory together.
    Consequently, a list of lists of words is read as batches of one-word documents: join the words first. Workers read
    the documents of a Dask Series, Bag or list of delayed batches; the matrix is then a Dask array of sparse blocks,
    one per partition.

    Parameters
    ----------
    lowercase : bool, default=True
        Whether to convert the documents to lowercase first, as ``str.lower`` does.
    stop_words : {"english"}, iterable of str or None, default=None
        Words to remove before n-grams are formed; "english" is scikit-learn's list.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Minimum and maximum number of words in an n-gram. (1, 2) means words and pairs of adjacent words.
    max_df : float in [0, 1] or int, default=1.0
        Ignore words that occur in more documents than this: a fraction (float) or a number (int).
    min_df : float in [0, 1] or int, default=1
        Ignore words that occur in fewer documents than this: a fraction (float) or a number (int).
    max_features : int or None, default=None
        Keep only this many words, those that occur in the most documents.
    vocabulary : mapping of str to column, iterable of str, or None, default=None
        Columns to use instead of learning them; `max_df`, `min_df` and `max_features` are then ignored.
    weighting : {None, "idf"}, default=None
        With None, presence is 0 or 1. With "idf", rarer words weigh more and rows have unit length.
    dtype : dtype, default=np.int64
        Type of the matrix. With weights it is float64, unless a floating-point type is given.
    n_jobs : int or None, default=None
        Number of threads; None and -1 mean all. The result does not depend on it.
    verbose : bool, optional
        Whether to show a progress bar; by default on a terminal, for long work.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each word.
    idf_ : ndarray of shape (n_features,)
        Weight of each word; only with ``weighting="idf"``.
    n_documents_ : int
        Number of documents seen in ``fit``.

    Examples
    --------
    >>> from vitalfew.data.text.word_presence import WordPresence
    >>> documents = ["The cat sat.", "The cat saw the DOG!", ""]
    >>> presence = WordPresence()
    >>> presence.fit_transform(documents).toarray()
    array([[1, 0, 1, 0, 1],
           [1, 1, 0, 1, 1],
           [0, 0, 0, 0, 0]])
    >>> presence.get_feature_names_out()
    array(['cat', 'dog', 'sat', 'saw', 'the'], dtype=object)
    >>> presence.transform(["a dog, an owl"]).toarray()
    array([[0, 1, 0, 0, 0]])

    Batches from a generator, pairs of words, and higher weights for rarer words:

    >>> batches = (documents[i : i + 2] for i in (0, 2))
    >>> weighted = WordPresence(ngram_range=(1, 2), stop_words=["the"], weighting="idf")
    >>> weighted.fit_transform(batches).toarray().round(2)
    array([[0.47, 0.62, 0.  , 0.  , 0.62, 0.  , 0.  ],
           [0.36, 0.  , 0.47, 0.47, 0.  , 0.47, 0.47],
           [0.  , 0.  , 0.  , 0.  , 0.  , 0.  , 0.  ]])
    """

    def __init__(
        self,
        *,
        lowercase=True,
        stop_words=None,
        ngram_range=(1, 1),
        max_df=1.0,
        min_df=1,
        max_features=None,
        vocabulary=None,
        weighting=None,
        dtype=np.int64,
        n_jobs=None,
        verbose=None,
    ) -> None:
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.weighting = weighting
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None) -> Self:  # noqa: ARG002
        """Learn the vocabulary, and the weights of its words if used.

        Parameters
        ----------
        X : documents
            See the class docstring.
        y : None
            Ignored.

        Returns
        -------
        self : WordPresence
        """
        self._learn(X, keep_rows=False)
        return self

    def fit_transform(self, X, y=None) -> Any:  # noqa: ARG002
        """Learn the vocabulary and return the matrix of the same documents, which are read once.

        Parameters
        ----------
        X : documents
            See the class docstring.
        y : None
            Ignored.

        Returns
        -------
        csr_matrix of shape (n_documents, n_features)
        """
        if is_partitioned(X):
            return self.fit(X).transform(X)
        rows, column = self._learn(X, keep_rows=True)
        return self._matrix(rows, column)

    def transform(self, X) -> Any:
        """Return the matrix of the documents; words that are not in the vocabulary are ignored.

        Parameters
        ----------
        X : documents
            See the class docstring.

        Returns
        -------
        csr_matrix of shape (n_documents, n_features), or a Dask array of such blocks
        """
        terms = self._fitted_terms()
        if self.weighting is not None and not hasattr(self, "idf_"):
            raise NotFittedError("the word weights are not available yet; call fit first.")
        if is_partitioned(X):
            return word_rows(self, X)
        rows = self._read(X, terms, keep_rows=True)
        return self._matrix(rows, np.arange(len(terms), dtype=np.int32))

    def inverse_transform(self, X) -> Any:
        """Return the words of each row of a matrix.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        list of ndarray of str
        """
        names = np.array(self._fitted_terms().strings())
        if sparse.issparse(X):
            X = check_sparse(X)
        X = sparse.csr_matrix(check_array(X, accept_sparse="csr"))
        return [names[np.sort(row.indices[row.data != 0])] for row in X]

    def get_feature_names_out(self, input_features=None) -> Any:  # noqa: ARG002
        """Return the words in column order, as an array of str objects."""
        return np.asarray(self._fitted_terms().strings(), dtype=object)

    @property
    def vocabulary_(self):
        if not hasattr(self, "_terms"):
            raise AttributeError("vocabulary_ is only available after fit.")
        return self._terms.columns()

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_terms")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _learn(self, X, keep_rows):
        fixed = self._given_terms()
        rows = self._read(X, fixed, keep_rows)
        counts = rows.counts()
        if fixed is None:
            column, counts = self._choose_columns(counts, rows.n_documents)
            kept = np.flatnonzero(column >= 0).astype(np.int32)
            self._terms = Terms(*rows.words(kept))
        else:
            column = np.arange(len(fixed), dtype=np.int32)
            self._terms = fixed
        self.n_documents_ = rows.n_documents
        if self.weighting is not None:
            self.idf_ = np.log((1.0 + rows.n_documents) / (1.0 + counts)) + 1.0
        return rows, column

    def _choose_columns(self, counts, n_documents):
        """Return the new column of each word, -1 if it is dropped, and the counts of the words kept."""
        if len(counts) == 0:
            raise ValueError(
                "empty vocabulary: no document has a word of two characters or more that is not a stop word; "
                "check the documents and stop_words."
            )
        highest = _as_number(self.max_df, n_documents)
        lowest = _as_number(self.min_df, n_documents)
        if highest < lowest:
            raise ValueError(
                f"max_df={self.max_df!r} corresponds to fewer documents than min_df={self.min_df!r}; "
                "raise max_df or lower min_df."
            )
        keep = (counts <= highest) & (counts >= lowest)
        if self.max_features is not None and keep.sum() > self.max_features:
            # Break ties as scikit-learn does, by the same sort of the same array.
            total = counts.astype(np.zeros(1, dtype=self._value_dtype()).sum().dtype)
            most = np.flatnonzero(keep)[(-total[keep]).argsort()[: self.max_features]]
            keep = np.zeros(len(counts), dtype=bool)
            keep[most] = True
        if not keep.any():
            raise ValueError("after pruning, no words remain; lower min_df or raise max_df.")
        column = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
        return column, counts[keep]

    def _read(self, X, vocabulary, keep_rows):
        """Pass documents to the kernel; `vocabulary` is None if it is to be learned."""
        self._check_parameters()
        if is_partitioned(X):
            return count_words(self, X, vocabulary)
        stop = Terms.of(sorted(self._stop_words()))
        given = None if vocabulary is None else vocabulary.table()
        low, high = self.ngram_range
        threads = check_threads(self.n_jobs)
        rows = _core.WordRows(bool(self.lowercase), low, high, keep_rows, stop.table(), given, threads)
        with kernel_progress(None, "documents", self.verbose) as show:
            add_documents(rows, X, show)
        rows.merge()
        return rows

    def _matrix(self, rows, column):
        width = len(self._fitted_terms())
        indptr, indices = rows.rows(column, width)
        if self.weighting is None:
            data = np.ones(len(indices), dtype=self.dtype)
        else:
            data = _core.unit_rows(indptr, indices, self.idf_, check_threads(self.n_jobs)).astype(
                self._value_dtype(), copy=False
            )
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        X = sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width))
        X.has_canonical_format = True
        return X

    def _value_dtype(self):
        dtype = np.dtype(self.dtype)
        return dtype if self.weighting is None or dtype.kind == "f" else np.dtype(np.float64)

    def _fitted_terms(self):
        """Return the vocabulary, learned or given; a given one needs no fit."""
        if hasattr(self, "_terms"):
            return self._terms
        terms = self._given_terms()
        if terms is None:
            raise NotFittedError("this WordPresence has no vocabulary yet; call fit, or pass `vocabulary`.")
        self._terms = terms
        return terms

    def _given_terms(self):
        if self.vocabulary is None:
            return None
        check_given(self.vocabulary, "vocabulary")
        terms = _checked_vocabulary(self.vocabulary)
        if self.lowercase and any(any(map(str.isupper, term)) for term in terms):
            warnings.warn(
                "vocabulary has uppercase characters, which match no document while lowercase=True; "
                "lowercase the vocabulary or set lowercase=False.",
                stacklevel=3,
            )
        return Terms.of(terms)

    def _stop_words(self):
        if self.stop_words is None:
            return frozenset()
        if isinstance(self.stop_words, str):
            if self.stop_words != "english":
                raise ValueError(
                    f"stop_words must be 'english', an iterable of words or None, got {self.stop_words!r}; "
                    "for a single stop word pass a list."
                )
            return ENGLISH_STOP_WORDS
        check_given(self.stop_words, "stop_words")
        return frozenset(word for word in self.stop_words if isinstance(word, str))

    def _check_parameters(self):
        low, high = self.ngram_range
        if not 1 <= low <= high:
            raise ValueError(f"ngram_range must be (min_n, max_n) with 1 <= min_n <= max_n, got {self.ngram_range!r}.")
        check_choice("weighting", self.weighting, WEIGHTINGS)
        if self.max_features is not None and not (
            isinstance(self.max_features, Integral) and int(self.max_features) > 0
        ):
            raise ValueError(f"max_features must be a positive int or None, got {self.max_features!r}.")
        for name in ("max_df", "min_df"):
            value = getattr(self, name)
            is_number = isinstance(value, Integral) and int(value) >= 1
            is_share = isinstance(value, Real) and not isinstance(value, Integral) and 0 <= float(value) <= 1
            if not (is_number or is_share):
                raise ValueError(
                    f"{name} must be a fraction of the documents (float between 0 and 1) or a number of documents "
                    f"(int >= 1), got {value!r}."
                )


class Terms:
    """Words in column order, kept as UTF-8 because creating str objects takes as long as reading the text.

    Lone surrogates are kept as well, as three bytes each.
    """

    def __init__(self, text: np.ndarray, start: np.ndarray):
        self.arrays = text, start

    @classmethod
    def of(cls, strings: list[str]) -> Terms:
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        start = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(e) for e in encoded], out=start[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), start)

    def __len__(self):
        return len(self.arrays[1]) - 1

    def strings(self) -> list[str]:
        text, start = self.arrays
        is_first = (text & 0xC0) != 0x80
        position = np.concatenate([[0], np.cumsum(is_first)])[start].tolist()
        decoded = text.tobytes().decode("utf-8", "surrogatepass")
        return [decoded[a:b] for a, b in pairwise(position)]

    def columns(self) -> dict[str, int]:
        if not hasattr(self, "_columns"):
            self._columns = {term: j for j, term in enumerate(self.strings())}
        return self._columns

    def table(self) -> _core.WordTable:
        if not hasattr(self, "_table"):
            self._table = _core.WordTable(*self.arrays)
        return self._table

    def __getstate__(self):
        return {"arrays": self.arrays}


def _as_number(limit, n_documents):
    return limit if isinstance(limit, Integral) else limit * n_documents


def _checked_vocabulary(vocabulary) -> list[str]:
    """Check the vocabulary and return its words in column order."""
    if isinstance(vocabulary, Mapping):
        columns = set(vocabulary.values())
        if len(columns) != len(vocabulary):
            raise ValueError("vocabulary maps several words to the same column; number the words from 0.")
        missing = next((j for j in range(len(vocabulary)) if j not in columns), None)
        if missing is not None:
            raise ValueError(f"vocabulary of {len(vocabulary)} words has no column {missing}; number the words from 0.")
        terms = sorted(vocabulary, key=vocabulary.__getitem__)
    else:
        terms = sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else list(vocabulary)
    if not terms:
        raise ValueError("vocabulary is empty; pass None to learn it from the documents.")
    seen: set[str] = set()
    for term in terms:
        if not isinstance(term, str):
            raise TypeError(f"vocabulary must contain str, got {term!r} of type {type(term).__name__}.")
        if term in seen:
            raise ValueError(f"vocabulary contains {term!r} twice; remove duplicates, e.g. with dict.fromkeys.")
        seen.add(term)
    return terms
