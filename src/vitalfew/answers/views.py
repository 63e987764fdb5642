"""Views of a training table: the matrices that learners read, for any fold and any set of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, OrdinalEncoder

from vitalfew.answers.category_codes import MOST_LEVELS, alphabetical_codes, indicators, ordinals
from vitalfew.encoding.columns import TableColumns
from vitalfew.encoding.encoding import make_encoded
from vitalfew.encoding.matrix_columns import MatrixColumns

# Words of text columns beside other columns.
MOST_WORDS = 1000
Part = tuple[Any, Any]  # training and test matrix


class View(Protocol):
    """Training table as learners read it; features are numbered from 0."""

    @property
    def names(self) -> Sequence[str]: ...

    def fold(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> FoldView:
        """Return the matrices of one fold."""

    def adapted(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> BaseEstimator:
        """Return an unfitted copy of a learner that knows which columns of the form are categories."""

    def pipeline(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> Pipeline:
        """Return the estimator for tables that fits `learner` to the features (None: all) in the form `kind`."""


class FoldView(Protocol):
    """Matrices of one fold."""

    def parts(self, kind: str, features: NDArray[np.intp] | None = None) -> Part:
        """Return the training and test matrices of these features in the form `kind`."""


@dataclass(frozen=True)
class TableView:
    """Numbers and categories of a data frame, coded once.

    The form ``"linear"`` has numbers whose missing values are replaced by the training median, standardized on the
    training samples, and one column per level of a category. The form ``"trees"`` has one column per feature: numbers
    with NaN, and codes of categories in alphabetical order. In both, the levels of a category that are rare among the
    training samples are one level if there are too many. The form ``"frame"`` is the data frame itself.
    """

    frame: Any
    kinds: Mapping[str, str]
    coded: NDArray[np.float64] = field(repr=False)  # numbers, and alphabetical codes of categories
    is_category: NDArray[np.bool_] = field(repr=False)
    words: WordColumns | None = None  # first step of pipelines, if the table has text

    @classmethod
    def of(cls, frame, kinds: Mapping[str, str]) -> TableView:
        """Code a frame of numbers and strings, such as :class:`TableColumns` returns."""
        texts = [name for name, kind in kinds.items() if kind == "text"]
        if texts:
            words = WordColumns(kinds, TableColumns(kinds, max_words=MOST_WORDS).fit(frame))
            found = {name: kinds.get(name, "numeric") for name in words.source}
            return replace(cls.of(words.fitted.transform(frame), found), words=words)
        is_category = np.array([kind == "category" for kind in kinds.values()], dtype=bool)
        if not is_category.any():
            return cls(frame, kinds, frame.to_numpy(dtype=np.float64), is_category)
        coded = np.empty(frame.shape, order="F")
        for j, name in enumerate(kinds):
            coded[:, j] = alphabetical_codes(frame[name]) if is_category[j] else frame[name].to_numpy(dtype=np.float64)
        return cls(frame, kinds, coded, is_category)

    @property
    def names(self) -> list[str]:
        return list(self.kinds)

    def fold(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> TableFold:
        return TableFold(self, train, test)

    def kinds_of(self, features: NDArray[np.intp] | None) -> dict[str, str]:
        names = self.names
        return dict(self.kinds) if features is None else {names[j]: self.kinds[names[j]] for j in np.sort(features)}

    def adapted(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> BaseEstimator:
        learner = clone(learner)
        if kind != "trees" or "categorical_features" not in learner.get_params():
            return learner
        is_category = self.is_category if features is None else self.is_category[features]
        places = np.arange(len(is_category))[len(is_category) - int(is_category.sum()) :]
        return learner.set_params(categorical_features=places.tolist() or None)

    def pipeline(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> Pipeline:
        kinds = self.kinds_of(features)
        found = self._pipeline(self.adapted(learner, features, kind), kinds, kind)
        return found if self.words is None else Pipeline([("words", self.words.step(kinds)), *found.steps])

    def _pipeline(self, learner: BaseEstimator, kinds: dict[str, str], kind: str) -> Pipeline:
        if kind == "linear":
            return make_encoded(learner, kinds, max_categories=MOST_LEVELS)
        if kind == "frame":
            return Pipeline([("columns", TableColumns(kinds)), ("model", learner)])
        categories = [name for name, own in kinds.items() if own == "category"]
        numbers = [name for name, own in kinds.items() if own != "category"]
        code = OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=np.nan,
            encoded_missing_value=np.nan,
            max_categories=MOST_LEVELS,
        )
        parts = [("numbers", "passthrough", numbers), ("categories", code, categories)]
        encode = ColumnTransformer([part for part in parts if part[2]])
        return Pipeline([("columns", TableColumns(kinds)), ("encode", encode), ("model", learner)])


@dataclass(frozen=True)
class WordColumns:
    """Columns of words that take the place of the text columns of a table."""

    kinds: Mapping[str, str]  # of the table
    fitted: TableColumns

    @cached_property
    def source(self) -> dict[str, str]:
        """Feature and the column of the table that it comes from."""
        owners = [name for name, kind in self.kinds.items() if kind != "text"]
        for name, words in self.fitted.words_.items():
            owners += [name] * len(words.get_feature_names_out())
        return dict(zip(map(str, self.fitted.get_feature_names_out()), owners, strict=True))

    def step(self, features: Iterable[str]) -> TableColumns:
        """Return the transformer that makes these features."""
        features = set(features)
        used = {self.source[name] for name in features}
        # A word is renamed if a column has its name, so this column must be there.
        used |= {name for name in self.kinds if f"{name} (word)" in features}
        kinds = {name: kind for name, kind in self.kinds.items() if name in used}
        return TableColumns(kinds, max_words=MOST_WORDS)


@dataclass(frozen=True)
class TableFold:
    """Forms of one fold of a table."""

    table: TableView
    train: NDArray[np.intp]
    test: NDArray[np.intp]

    def parts(self, kind: str, features: NDArray[np.intp] | None = None) -> Part:
        if kind == "frame":
            frame = self.table.frame if features is None else self.table.frame.iloc[:, np.sort(features)]
            return frame.iloc[self.train], frame.iloc[self.test]
        if kind == "trees":
            # As in the pipeline, numbers come before categories.
            order = np.arange(self.table.coded.shape[1]) if features is None else np.sort(features)
            order = order[np.argsort(self.table.is_category[order], kind="stable")]
            values = self.coded[:, order]
            return values[self.train], values[self.test]
        matrix, owner = self.linear
        if features is not None:
            matrix = matrix[:, np.isin(owner, features)]
        return matrix[self.train], matrix[self.test]

    @cached_property
    def linear(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """All rows in the form "linear", and the feature of each column."""
        at = np.flatnonzero(~self.table.is_category)
        numbers = self.table.coded[:, at]
        absent = np.isnan(numbers)
        own = numbers[self.train]
        if absent.any():
            known = np.isfinite(own).any(axis=0)
            median = np.zeros(len(at))
            median[known] = np.nanmedian(own[:, known], axis=0)
            numbers = np.where(absent, median, numbers)
            own = numbers[self.train]
        spread = own.std(axis=0)
        numbers = (numbers - own.mean(axis=0)) / np.where(
            spread > 1e-12 * np.abs(own).max(axis=0, initial=0), spread, 1
        )
        categories = np.flatnonzero(self.table.is_category)
        blocks = [indicators(self.table.coded[:, j], self.train) for j in categories]
        owner = np.repeat(categories, [block.shape[1] for block in blocks])
        return np.asfortranarray(np.hstack([numbers, *blocks])), np.concatenate([at, owner])

    @cached_property
    def coded(self) -> NDArray[np.float64]:
        """All rows in the form "trees": categories are numbered among those of the training rows."""
        if not self.table.is_category.any():
            return self.table.coded
        coded = self.table.coded.copy(order="F")
        for j in np.flatnonzero(self.table.is_category):
            coded[:, j] = ordinals(coded[:, j], self.train)
        return coded


@dataclass(frozen=True)
class WordView:
    """Texts as counts of words and pairs of neighboring words that occur in at least two texts.

    The form ``"tf-idf"`` weights the logarithm of counts by the inverse document frequency of the training texts and
    normalizes each text over the features in use; the form ``"counts"`` has the counts.
    """

    column: str
    counts: sparse.csr_matrix = field(repr=False)
    terms: NDArray[np.object_] = field(repr=False)

    @classmethod
    def of(cls, documents: Sequence[str], column: str) -> WordView:
        vectorizer = _vectorizer(min_df=2, dtype=np.float64)
        counts = vectorizer.fit_transform(documents)
        return cls(column, sparse.csr_matrix(counts), vectorizer.get_feature_names_out())

    @property
    def names(self) -> list[str]:
        return self.terms.tolist()

    @cached_property
    def words(self) -> NDArray[np.intp]:
        """Features that are single words."""
        return np.flatnonzero([" " not in term for term in self.terms])

    def fold(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> WordFold:
        return WordFold(self.counts[train], self.counts[test])

    def adapted(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> BaseEstimator:  # noqa: ARG002
        return clone(learner)

    def pipeline(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> Pipeline:
        terms = self.terms if features is None else self.terms[np.sort(features)]
        words = ColumnTransformer([("words", _vectorizer(vocabulary=terms.tolist(), dtype=np.float64), self.column)])
        steps: list[tuple[str, BaseEstimator]] = [("columns", TableColumns({self.column: "text"})), ("encode", words)]
        if kind == "tf-idf":
            steps.append(("weight", TfidfTransformer(sublinear_tf=True)))
        return Pipeline([*steps, ("model", clone(learner))])


@dataclass(frozen=True)
class WordFold:
    """Forms of one fold of texts."""

    train: sparse.csr_matrix
    test: sparse.csr_matrix

    def parts(self, kind: str, features: NDArray[np.intp] | None = None) -> Part:
        at = slice(None) if features is None else np.sort(features)
        train, test = self.train[:, at], self.test[:, at]
        if kind == "counts":
            return train, test
        weight = TfidfTransformer(sublinear_tf=True)
        return weight.fit_transform(train), weight.transform(test)


@dataclass(frozen=True)
class SparseView:
    """Sparse matrix of numbers, whose only form divides each column by its largest absolute training value."""

    matrix: sparse.csr_array = field(repr=False)
    names: Sequence[str] = field(repr=False)

    def fold(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> SparseFold:
        return SparseFold(self.matrix[train], self.matrix[test])

    def adapted(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> BaseEstimator:  # noqa: ARG002
        return clone(learner)

    def pipeline(self, learner: BaseEstimator, features: NDArray[np.intp] | None, kind: str) -> Pipeline:
        steps: list[tuple[str, Any]] = (
            [] if features is None else [("select", MatrixColumns(np.sort(features).tolist()))]
        )
        if kind != "counts":
            steps.append(("scale", MaxAbsScaler()))
        return Pipeline([*steps, ("model", clone(learner))])


@dataclass(frozen=True)
class SparseFold:
    """Forms of one fold of a sparse matrix."""

    train: sparse.csr_array
    test: sparse.csr_array

    def parts(self, kind: str, features: NDArray[np.intp] | None = None) -> Part:
        at = slice(None) if features is None else np.sort(features)
        train, test = self.train[:, at], self.test[:, at]
        if kind == "counts":
            return train, test
        scale = MaxAbsScaler()
        return scale.fit_transform(train), scale.transform(test)


def _vectorizer(**options) -> CountVectorizer:
    return CountVectorizer(ngram_range=(1, 2), **options)
