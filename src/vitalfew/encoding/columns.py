"""Selection of the columns of a table that a model uses, in the types it expects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.tables.column_kinds import USED, is_absent, table_frame
from vitalfew.data.tables.number_blocks import number_blocks
from vitalfew.data.text.word_presence import WordPresence
from vitalfew.support.suggest import check_names, not_one_of

# Words that occur in fewer rows than this do not generalize.
MIN_ROWS = 2
# Words of tables with many rows take one byte per row: at most this many cells in total, but at least this many words.
MOST_CELLS, LEAST_WORDS = 200_000_000, 50


class TableColumns(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Transformer that selects columns by name and converts their types: the first step of a model on tables.

    Numbers become floats, categories strings, and text strings without missing values. Other columns of the table are
    dropped and the order does not matter, so tables to predict may have more columns than the training table.

    Parameters
    ----------
    kinds : mapping of column to "numeric", "category" or "text"
        The columns, in this order; see :func:`~vitalfew.data.tables.column_kinds.recognize`.
    max_words : int or None, default None
        None: text is kept as text. A number: each text column becomes 0/1 columns that indicate the presence of its
        most frequent words, at most this many; a word must occur in at least two rows. Tables of more than 200,000 rows
        get fewer words, so that they fit into memory.

    Attributes
    ----------
    words_ : dict of str to WordPresence
        The words of each text column that has any; only with `max_words`.

    Examples
    --------
    >>> import pandas as pd
    >>> from vitalfew.encoding.columns import TableColumns
    >>> table = pd.DataFrame({"id": [7, 8, 9], "size": ["1", "2", None], "said": ["no way", None, "no, no!"]})
    >>> TableColumns({"size": "numeric", "said": "text"}, max_words=100).fit_transform(table)
       size  said: no
    0   1.0         1
    1   2.0         0
    2   NaN         1
    """

    def __init__(self, kinds: Mapping[str, str], *, max_words: int | None = None):
        self.kinds = kinds
        self.max_words = max_words

    def fit(self, X, y=None) -> Self:  # noqa: ARG002
        """Learn the words of text columns, if `max_words` is given."""
        wrong = [k for k in self.kinds.values() if k not in USED]
        if wrong:
            raise ValueError(not_one_of("the kind of a feature column", wrong[0], USED))
        frame = self._typed(X)
        self.feature_names_in_ = np.array(list(self.kinds), dtype=object)
        self.n_features_in_ = len(self.kinds)
        self.words_ = {}
        if self.max_words is None:
            return self
        most = min(self.max_words, max(MOST_CELLS // max(len(frame), 1), LEAST_WORDS))
        for name in self._text:
            words = WordPresence(min_df=MIN_ROWS, max_features=most, dtype=np.uint8)
            try:
                self.words_[name] = words.fit(frame[name].to_list())
            except ValueError:  # no word occurs in two rows
                continue
        return self

    def transform(self, X):
        """Return the columns as a frame of the same library as X."""
        check_is_fitted(self)
        frame = self._typed(X)
        if self.max_words is None:
            return frame.to_native()
        rest = nw.maybe_reset_index(frame.drop(self._text))
        parts = [rest] if rest.columns else []
        taken = set(rest.columns)
        for name, words in self.words_.items():
            matrix = words.transform(frame[name].to_list()).toarray()
            names = self._word_names(name, taken)
            taken.update(names)
            columns = {n: matrix[:, j] for j, n in enumerate(names)}
            parts.append(nw.from_dict(columns, backend=frame.implementation))
        if not parts:
            raise ValueError(f"no word occurs in at least {MIN_ROWS} rows of {self._text}, so there are no features.")
        return nw.concat(parts, how="horizontal").to_native() if len(parts) > 1 else parts[0].to_native()

    def get_feature_names_out(self, input_features=None):  # noqa: ARG002
        """Return the names of the output columns; those of words are ``column: word``."""
        check_is_fitted(self)
        if self.max_words is None:
            return self.feature_names_in_
        names = [n for n in self.kinds if n not in self._text]
        for name in self.words_:
            names += self._word_names(name, set(names))
        return np.array(names, dtype=object)

    @property
    def _text(self) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind == "text"]

    def _word_names(self, name: str, taken: set[str]) -> list[str]:
        names = [f"{name}: {word}" for word in self.words_[name].get_feature_names_out()]
        return [n if n not in taken else f"{n} (word)" for n in names]

    def _typed(self, X) -> nw.DataFrame:
        frame = table_frame(X)
        check_names(self.kinds, frame.columns)
        frame = frame.select(list(self.kinds))
        names = np.array(list(self.kinds), dtype=object)
        is_numeric = np.array([kind == "numeric" for kind in self.kinds.values()], dtype=bool)
        done: set[str] = set()
        other: list[str] = []
        flags: list[str] = []
        for at, matrix in number_blocks(frame):
            own = names[at[is_numeric[at]]].tolist()
            done.update(own)
            other += own if matrix.dtype != np.float64 else []
            if matrix.dtype == bool and frame.implementation.is_pandas():
                flags += names[at[~is_numeric[at]]].tolist()
        done.update(flags)
        given = {name: frame.get_column(name) for name in self.kinds if name not in done}
        rest = [new for name, old in given.items() if (new := _of_kind(old, self.kinds[name])) is not old]
        frame = _replaced(frame, other, lambda part: part.astype(np.float64))
        frame = _replaced(frame, flags, _flag_names)
        return frame.with_columns(*rest) if rest else frame

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def _replaced(frame: nw.DataFrame, names: list[str], convert: Callable[[Any], Any]) -> nw.DataFrame:
    """Convert columns, all at once for pandas, which would otherwise convert them one by one."""
    if not names:
        return frame
    if not frame.implementation.is_pandas():
        return frame.with_columns(nw.col(names).cast(nw.Float64))
    found = nw.from_native(convert(frame.select(names).to_native()), eager_only=True)
    if len(names) == len(frame.columns):
        return found
    return nw.concat([frame.drop(names), found], how="horizontal").select(frame.columns)


def _flag_names(part):
    """Return booleans as strings that share one block of objects: thousands of string columns take minutes."""
    named = np.array(["False", "True"], dtype=object)[part.to_numpy(dtype=bool).view(np.uint8)]
    return type(part)(named, index=part.index, columns=part.columns, dtype=object)


def _of_kind(series: nw.Series, kind: str) -> nw.Series:
    if kind == "numeric":
        return _numbers(series)
    if isinstance(series.dtype, nw.String):
        return series if kind == "category" else series.fill_null("")
    absent = is_absent(series).to_numpy()
    blank = None if kind == "category" else ""
    values = [blank if a else _text_of(v) for v, a in zip(series.to_list(), absent)]
    return nw.new_series(series.name, values, nw.String, backend=series.implementation).alias(series.name)


def _text_of(value) -> str:
    """Return a value as text; drop the ``.0`` that some libraries add to integers in columns with missing values."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numbers(series: nw.Series) -> nw.Series:
    if series.dtype.is_numeric() or isinstance(series.dtype, nw.Boolean):
        return series.cast(nw.Float64)
    numbers = np.full(len(series), np.nan)
    for row, value in enumerate(series.to_list()):
        try:
            numbers[row] = np.nan if value is None else float(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"column {series.name!r} is treated as numeric, but row {row} contains {str(value)!r}; "
                "treat it as a category, or leave it out."
            ) from None
    return nw.new_series(series.name, numbers, nw.Float64, backend=series.implementation)
