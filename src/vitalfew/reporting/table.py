"""Tables as the report reads them: columns of a known kind, named features, a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.samples.numeric_data import check_squares
from vitalfew.data.tables.column_kinds import ColumnKind, recognize, recognize_task, used_kinds
from vitalfew.data.tables.frames import NumberedNames
from vitalfew.data.tables.sparse_checks import sparse_rows
from vitalfew.data.text.word_presence import WordPresence
from vitalfew.encoding.columns import TableColumns
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice

# Maximum number of words of a text column beside other columns: the most frequent ones.
MOST_WORDS = 1000
# Classes with fewer rows than this cannot be split into training, folds and test.
LEAST_ROWS = 5


@dataclass(frozen=True)
class Features:
    """Feature values: a numeric matrix, a sparse matrix of words, or a frame of numbers and categories."""

    X: Any
    names: Sequence[str]
    column: NDArray[np.intp]  # the table column of each feature
    is_category: NDArray[np.bool_]

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    def take(self, rows: NDArray[np.intp]) -> Features:
        if np.array_equal(rows, np.arange(self.n)):  # copying a wide table takes seconds
            return self
        return replace(self, X=self.X.iloc[rows].reset_index(drop=True) if hasattr(self.X, "iloc") else self.X[rows])

    def values(self, j: int) -> NDArray:
        """Return one feature as an array."""
        if hasattr(self.X, "iloc"):
            return self.X.iloc[:, j].to_numpy()
        return self.X[:, [j]].toarray()[:, 0] if self.is_sparse else self.X[:, j]


@dataclass(frozen=True)
class StudyTable:
    """The columns to learn from, and the kinds of all columns given."""

    frame: Any  # pandas frame or sparse matrix
    kinds: list[ColumnKind]

    @property
    def n_rows(self) -> int:
        return self.frame.shape[0]

    @property
    def used(self) -> dict[str, str]:
        return used_kinds(self.kinds)

    def take(self, rows: NDArray[np.intp]) -> StudyTable:
        frame = self.frame
        taken = frame.iloc[rows].reset_index(drop=True) if hasattr(frame, "iloc") else frame[rows]
        return replace(self, frame=taken)

    def features(self) -> tuple[Features, list[str]]:
        """Return the features, including words of text, and notes on what was left out."""
        if not hasattr(self.frame, "iloc"):
            names = [c.name for c in self.kinds]
            return Features(self.frame, names, np.arange(len(names)), np.zeros(len(names), dtype=bool)), []
        return _features_of_frame(self)


def read_study_table(X: Any, kinds: Mapping[str, str] | Sequence[ColumnKind] | None = None) -> StudyTable:
    """Read a frame of any library, an array, a sparse matrix, or a list of documents.

    Kinds are detected, except for those of a mapping, or unless all are given as `recognize` returns them.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("a report requires pandas and Altair: pip install 'vitalfew[report]'.") from None

    if sparse.issparse(X):
        X = sparse.csr_array(sparse_rows(X))
        if kinds:
            raise ValueError("kinds requires a table with named columns; a sparse matrix is numeric.")
        return StudyTable(X, [ColumnKind(name, "numeric", 0, 2) for name in NumberedNames(X.shape[1])])
    if isinstance(X, nw.DataFrame):
        X = X.to_native()
    check_given(X)
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        frame = nw.from_native(X, eager_only=True).to_pandas()
    else:
        frame = _frame_of_array(np.asarray(X))
    frame.columns = pd.Index([str(c) for c in frame.columns], dtype=object)
    _refuse_infinite(frame)
    found = recognize(frame, kinds) if kinds is None or isinstance(kinds, Mapping) else list(kinds)
    if [getattr(c, "name", None) for c in found] != list(frame.columns):
        raise ValueError("kinds, if it is a list, must have the kind of each column of X in order, see recognize.")
    if not any(c.is_used for c in found):
        listed = "; ".join(f"{c.name!r} {c.why}" for c in found[:5])
        raise ValueError(
            f"no column is usable as a feature: {listed}. Override the kinds with kinds=, for instance category."
        )
    return StudyTable(TableColumns(used_kinds(found)).fit_transform(frame), found)


def read_target(y: Any, task: str | None) -> tuple[NDArray, str, NDArray[np.bool_]]:
    """Return the target without missing values, the task (``"classes"`` or ``"numeric"``), and the known rows."""
    import pandas as pd

    check_given(y, "y")
    values = pd.Series(np.asarray(y, dtype=object) if isinstance(y, list | tuple) else y).reset_index(drop=True)
    if values.ndim != 1:
        raise ValueError("the target must be a single column.")
    known = ~values.isna().to_numpy()
    values = values[known]
    if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype == bool:
        values = values.astype(str)
    values = values.infer_objects()
    is_number = pd.api.types.is_numeric_dtype(values.dtype)
    task = recognize_task(values, task)
    check_choice("task", task, ("classes", "numeric"))
    if task == "numeric":
        if not is_number:
            raise ValueError(
                f"task='numeric' requires a numeric target, got {values.iloc[0]!r}; convert it, or use task='classes'."
            )
        numbers = values.to_numpy(dtype=float)
        if not np.isfinite(numbers).all():
            raise ValueError("the target contains infinity; drop these rows.")
        check_squares(numbers)
        return numbers, task, known
    return (values.to_numpy() if is_number else values.astype(str).to_numpy(dtype=object)), task, known


def _frame_of_array(X: NDArray):
    import pandas as pd

    if X.ndim == 1 and X.dtype.kind in "OUT":
        return pd.DataFrame({"text": X.astype(object)})
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional, got an array of shape {X.shape}.")
    return pd.DataFrame(X, columns=list(NumberedNames(X.shape[1]))).infer_objects()


def _refuse_infinite(frame) -> None:
    numbers = frame.select_dtypes("number")
    found = np.argwhere(np.isinf(numbers.to_numpy(dtype=float, na_value=np.nan)))
    if len(found):
        row, j = found[0]
        raise ValueError(
            f"column {numbers.columns[j]!r}, row {row} contains infinity; replace it by a finite number, or by NaN "
            "if it means missing."
        )


def _features_of_frame(table: StudyTable) -> tuple[Features, list[str]]:
    used = [(at, c) for at, c in enumerate(table.kinds) if c.is_used]
    texts = [(at, c) for at, c in used if c.kind == "text"]
    plain = [(at, c) for at, c in used if c.kind != "text"]
    notes: list[str] = []
    words = []
    for at, column in texts:
        presence = WordPresence(min_df=2 if table.n_rows < 2000 else 3)
        documents = table.frame[column.name].tolist()
        try:
            found = presence.fit_transform(documents)
        except ValueError:
            notes.append(f"Column {column.name!r} has no word that occurs in more than one row.")
            continue
        names = [str(w) for w in presence.get_feature_names_out()]
        if plain and found.shape[1] > MOST_WORDS:
            often = np.sort(np.argsort(-np.asarray(found.sum(axis=0)).ravel(), kind="stable")[:MOST_WORDS])
            notes.append(
                f"Column {column.name!r} has {found.shape[1]:,} words; the {MOST_WORDS:,} most frequent ones are "
                "used as single features."
            )
            found, names = sparse.csc_array(found)[:, often], [names[k] for k in often]
        prefix = f"{column.name}: " if len(texts) > 1 or plain else ""
        taken = {c.name for _, c in plain}
        names = [prefix + w for w in names]
        words.append((at, found, [f"{n} (word)" if n in taken else n for n in names]))
    if not plain:
        if not words:
            raise ValueError("the text has no word that occurs in more than one row.")
        X = sparse.csr_array(sparse.hstack([found for _, found, _ in words]))
        names = [n for _, _, own in words for n in own]
        owner = np.concatenate([np.full(len(own), at) for at, _, own in words])
        return Features(X, names, owner, np.zeros(len(names), dtype=bool)), notes
    return _joined(table, plain, words), notes


def _joined(table: StudyTable, plain, words) -> Features:
    import pandas as pd

    names = [c.name for _, c in plain] + [n for _, _, own in words for n in own]
    column = np.concatenate([[at for at, _ in plain], *[np.full(len(own), at) for at, _, own in words]]).astype(np.intp)
    is_category = np.array([c.kind == "category" for _, c in plain] + [False] * (len(names) - len(plain)))
    dense = [np.asarray(found.todense(), dtype=float) for _, found, _ in words]
    frame = table.frame[[c.name for _, c in plain]]
    if not is_category.any():
        return Features(np.hstack([frame.to_numpy(dtype=float), *dense]), names, column, is_category)
    for (_, _, own), block in zip(words, dense):
        frame = pd.concat([frame.reset_index(drop=True), pd.DataFrame(block, columns=own)], axis=1)
    return Features(frame.reset_index(drop=True), names, column, is_category)
