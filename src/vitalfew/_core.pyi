"""
Compiled kernels of vitalfew. Private: the public names are in the package itself.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def thread_count(requested: int = 0) -> int:
    """
    Number of threads that a kernel uses for the given request; 0 means all.
    """

def helper_threads() -> tuple[int, int]:
    """
    Number of helper threads that kernels have started in this process, and the largest number at one time.
    """

def steady_time() -> float:
    """Current time in seconds of the clock used for deadlines."""

def deadline() -> float:
    """
    Time by which kernels called by this thread must end; inf for no deadline.
    """

def set_deadline(at: float) -> float:
    """Set the deadline of this thread and return the previous one."""

class PatternReport:
    """Properties of a sparse pattern and its values."""

    @property
    def is_sorted(self) -> bool: ...

    @property
    def has_zero(self) -> bool: ...

    @property
    def has_nan(self) -> bool: ...

def count_binary(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, threads: int = 0) -> NDArray[numpy.float64]:
    """
    Weighted counts of each present feature with each class: (features, classes).
    """

@overload
def count_codes(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, threads: int = 0) -> NDArray[numpy.float64]: ...

@overload
def count_codes(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, threads: int = 0) -> NDArray[numpy.float64]:
    """
    Weighted counts of each value of each column with each class: (slots, classes).
    """

@overload
def copy_indices(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int = 0) -> int: ...

@overload
def copy_indices(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int = 0) -> int:
    """
    Copies indices and returns the largest as an unsigned number: 2^32 - 1 if one of them does not fit.
    """

@overload
def inspect_pattern(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, width: int, threads: int = 0) -> PatternReport: ...

@overload
def inspect_pattern(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, width: int, threads: int = 0) -> PatternReport: ...

@overload
def inspect_pattern(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, width: int, threads: int = 0) -> PatternReport: ...

@overload
def inspect_pattern(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, width: int, threads: int = 0) -> PatternReport: ...

@overload
def inspect_pattern(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, width: int, threads: int = 0) -> PatternReport:
    """Inspects a sparse pattern and its values."""

class ColumnReport:
    """Flags for the values of each column, and its largest code + 1."""

    @property
    def flag(self) -> NDArray[numpy.uint8]: ...

    @property
    def top(self) -> NDArray[numpy.int32]: ...

@overload
def code_small(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport: ...

@overload
def code_small(table: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport: ...

@overload
def code_small(table: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport: ...

@overload
def code_small(table: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport: ...

@overload
def code_small(table: Annotated[NDArray[numpy.int16], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport: ...

@overload
def code_small(table: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport: ...

@overload
def code_small(table: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')] | None, threads: int = 0) -> ColumnReport:
    """Codes of columns of small integers."""

HAS_INFINITE: int = 2

NEEDS_CODING: int = 4

def score_binary(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], events: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], int] | None, threads: int = 0) -> NDArray[numpy.float64]:
    """
    Sum of table lines of the features present in each row, at each point of a path: (rows, points, classes).
    """

@overload
def score_codes(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], events: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], int] | None, threads: int = 0) -> NDArray[numpy.float64]: ...

@overload
def score_codes(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], events: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], int] | None, threads: int = 0) -> NDArray[numpy.float64]:
    """
    Sum of table lines of the values of each row, at each point of a path: (rows, points, classes).
    """

class WordTable:
    """Words for fast lookup; their numbers are their positions."""

    def __init__(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

class WordRows:
    """
    Word presence by document: add documents, merge, then request words and rows.
    """

    def __init__(self, lowercase: bool, min_n: int, max_n: int, keep_rows: bool, stop_words: WordTable, vocabulary: WordTable | None, threads: int = 0) -> None: ...

    def add_strings(self, strings: object, progress: object | None = None) -> int:
        """
        Adds a list or tuple of str; returns the position of the first item that is not a str, having added none, or -1.
        """

    def add_utf8(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], progress: object | None = None) -> None:
        """Adds documents bytes[start[i]:start[i + 1]] in UTF-8."""

    def merge(self) -> None:
        """Assigns columns to the words of all documents, in code point order."""

    @property
    def n_documents(self) -> int: ...

    def counts(self) -> NDArray[numpy.int64]:
        """Number of documents that contain each word."""

    def words(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]:
        """
        The words of these columns: their UTF-8 bytes, and the start of each word.
        """

    def rows(self, column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]:
        """
        Compressed sparse rows (indptr, indices), with column j renumbered to column[j], or dropped if that is negative.
        """

def unit_rows(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> NDArray[numpy.float64]:
    """Values weight[indices], each row divided by its Euclidean norm."""

class Cuts:
    """Cuts of columns: those of column j are value[start[j]:start[j + 1]]."""

    @property
    def value(self) -> NDArray[numpy.float64]: ...

    @property
    def start(self) -> NDArray[numpy.int64]: ...

@overload
def mdl_cuts(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, threads: int = 0) -> Cuts:
    """
    Cuts of each numeric column by recursive entropy minimization with the MDL rule.
    """

@overload
def mdl_cuts(table: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, threads: int = 0) -> Cuts:
    """The same for one column."""

class MdlTrace:
    """
    Features that enter (sign 1) and leave (-1), and the data part of the length.
    """

    @property
    def feature(self) -> NDArray[numpy.int32]: ...

    @property
    def sign(self) -> NDArray[numpy.int8]: ...

    @property
    def data(self) -> NDArray[numpy.float64]: ...

    @property
    def in_time(self) -> bool: ...

class MdlSearch:
    """Inputs of an MDL search other than the features."""

    def __init__(self, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], feature_cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size_cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, patience: int, patience_on_data: bool, backward: bool, threads: int, progress: object | None) -> None: ...

def mdl_binary(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, search: MdlSearch) -> MdlTrace:
    """Greedy MDL search over sparse 0/1 features."""

@overload
def mdl_codes(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], search: MdlSearch) -> MdlTrace: ...

@overload
def mdl_codes(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], search: MdlSearch) -> MdlTrace:
    """Greedy MDL search over dense codes."""

class PathPoints:
    """
    Models at the points of a path: those of point p have the coefficients value[start[p]:start[p + 1]] of the columns index[...].
    """

    @property
    def grid(self) -> NDArray[numpy.float64]: ...

    @property
    def start(self) -> NDArray[numpy.int64]: ...

    @property
    def index(self) -> NDArray[numpy.int32]: ...

    @property
    def value(self) -> NDArray[numpy.float64]: ...

    @property
    def intercept(self) -> NDArray[numpy.float64]: ...

    @property
    def gap(self) -> NDArray[numpy.float64]: ...

    @property
    def loss(self) -> NDArray[numpy.float64]: ...

    @property
    def null_loss(self) -> float: ...

    @property
    def in_time(self) -> bool: ...

class PathRequest:
    """Penalties, penalty factors and tolerance of a path."""

    def __init__(self, grid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_points: int = 100, ratio: float = 0.001, l1_ratio: float = 1.0, factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, positive: bool = False, intercept: bool = True, tol: float = 1e-06, threads: int = 0, progress: object | None = None) -> None: ...

@overload
def find_not_finite(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> int:
    """Position of the first NaN or infinity, or -1."""

@overload
def find_not_finite(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> int:
    """The same for single precision."""

@overload
def lasso_path(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints: ...

@overload
def lasso_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints: ...

@overload
def lasso_path(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints:
    """From dense columns."""

@overload
def lasso_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints:
    """From sparse columns."""

@overload
def lasso_path(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], square: float, request: PathRequest) -> PathPoints:
    """From second moments."""

@overload
def logistic_path(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints: ...

@overload
def logistic_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints: ...

@overload
def logistic_path(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints:
    """From dense columns."""

@overload
def logistic_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints:
    """From sparse columns."""

@overload
def multinomial_path(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints: ...

@overload
def multinomial_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints: ...

@overload
def multinomial_path(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints:
    """From dense columns."""

@overload
def multinomial_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: PathRequest) -> PathPoints:
    """From sparse columns."""

class NearSubsets:
    """
    Subsets index[start[i]:start[i + 1]] with nearly the least loss, the best first.
    """

    @property
    def start(self) -> NDArray[numpy.int64]: ...

    @property
    def index(self) -> NDArray[numpy.int32]: ...

    @property
    def loss(self) -> NDArray[numpy.float64]: ...

    @property
    def is_complete(self) -> bool: ...

class FittingSteps:
    """
    Steps of forward fitting: the column of each, its change, the loss after it.
    """

    @property
    def column(self) -> NDArray[numpy.int32]: ...

    @property
    def change(self) -> NDArray[numpy.float64]: ...

    @property
    def loss(self) -> NDArray[numpy.float64]: ...

    @property
    def null_loss(self) -> float: ...

    @property
    def in_time(self) -> bool: ...

class ClassSteps:
    """
    Steps of forward fitting for classes, with the intercepts before and after each.
    """

    @property
    def column(self) -> NDArray[numpy.int32]: ...

    @property
    def change(self) -> NDArray[numpy.float64]: ...

    @property
    def loss(self) -> NDArray[numpy.float64]: ...

    @property
    def intercept(self) -> NDArray[numpy.float64]: ...

    @property
    def null_loss(self) -> float: ...

    @property
    def in_time(self) -> bool: ...

class Direction(enum.Enum):
    """Direction of a greedy search."""

    forward = 0

    backward = 1

    both = 2

    exchange = 3

class SubsetRequest:
    """Size and direction of a search for subsets."""

    def __init__(self, most: int, direction: Direction = Direction.forward, group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, intercept: bool = True, threads: int = 0, progress: object | None = None) -> None: ...

class BestRequest:
    """Largest size and time of a search for the best subsets."""

    def __init__(self, most: int, seconds: float = 60.0, largest_first: bool = False, threads: int = 0, intercept: bool = True, progress: object | None = None) -> None: ...

class NearRequest:
    """Size and largest loss of the subsets to find."""

    def __init__(self, k: int, loss: float, most: int = 100, seconds: float = 60.0, threads: int = 0, intercept: bool = True, progress: object | None = None) -> None: ...

class FittingRequest:
    """Steps of forward-fitting."""

    def __init__(self, steps: int, myopic: bool = False, rate: float = 1.0, intercept: bool = True, threads: int = 0, progress: object | None = None) -> None: ...

@overload
def greedy_path(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints: ...

@overload
def greedy_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints: ...

@overload
def greedy_path(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints:
    """From dense columns."""

@overload
def greedy_path(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints:
    """From sparse columns."""

@overload
def greedy_path(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], square: float, request: SubsetRequest) -> PathPoints:
    """From second moments."""

@overload
def greedy_classes(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints: ...

@overload
def greedy_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints: ...

@overload
def greedy_classes(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints:
    """From dense columns."""

@overload
def greedy_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: SubsetRequest) -> PathPoints:
    """From sparse columns."""

def best_subsets(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], square: float, request: BestRequest) -> PathPoints:
    """From second moments."""

@overload
def best_classes(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BestRequest) -> PathPoints: ...

@overload
def best_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BestRequest) -> PathPoints: ...

@overload
def best_classes(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BestRequest) -> PathPoints:
    """From dense columns."""

@overload
def best_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BestRequest) -> PathPoints:
    """From sparse columns."""

def near_subsets(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], square: float, request: NearRequest) -> NearSubsets:
    """From second moments."""

@overload
def near_classes(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: NearRequest) -> NearSubsets: ...

@overload
def near_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: NearRequest) -> NearSubsets: ...

@overload
def near_classes(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: NearRequest) -> NearSubsets:
    """From dense columns."""

@overload
def near_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: NearRequest) -> NearSubsets:
    """From sparse columns."""

@overload
def forward_fitting(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> FittingSteps: ...

@overload
def forward_fitting(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> FittingSteps: ...

@overload
def forward_fitting(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> FittingSteps:
    """From dense columns."""

@overload
def forward_fitting(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> FittingSteps:
    """From sparse columns."""

@overload
def forward_fitting(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], square: float, request: FittingRequest) -> FittingSteps:
    """From second moments."""

@overload
def forward_fitting_classes(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> ClassSteps: ...

@overload
def forward_fitting_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> ClassSteps: ...

@overload
def forward_fitting_classes(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='F', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> ClassSteps:
    """From dense columns."""

@overload
def forward_fitting_classes(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: FittingRequest) -> ClassSteps:
    """From sparse columns."""

@overload
def bin_cuts(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], most: int, threads: int = 0) -> Cuts: ...

@overload
def bin_cuts(table: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], most: int, threads: int = 0) -> Cuts:
    """Cuts between all values of each numeric column, or at quantiles."""

@overload
def code_bins(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], threads: int = 0) -> NDArray[numpy.uint8]: ...

@overload
def code_bins(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], threads: int = 0) -> NDArray[numpy.uint8]: ...

@overload
def code_bins(table: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], threads: int = 0) -> NDArray[numpy.uint8]: ...

@overload
def code_bins(table: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], threads: int = 0) -> NDArray[numpy.uint8]:
    """
    Codes of numeric columns by their cuts; returns flags for the values of each column.
    """

class Stumps:
    """Stumps in the order in which they were found."""

    @property
    def feature(self) -> NDArray[numpy.int32]: ...

    @property
    def cut(self) -> NDArray[numpy.int32]: ...

    @property
    def missing_right(self) -> NDArray[numpy.uint8]: ...

    @property
    def side(self) -> NDArray[numpy.uint8]: ...

    @property
    def start(self) -> NDArray[numpy.int64]: ...

    @property
    def left(self) -> NDArray[numpy.float64]: ...

    @property
    def right(self) -> NDArray[numpy.float64]: ...

class BoostRounds:
    """Rounds of boosting."""

    @property
    def error(self) -> NDArray[numpy.float64]: ...

    @property
    def alpha(self) -> NDArray[numpy.float64]: ...

    @property
    def z(self) -> NDArray[numpy.float64]: ...

    @property
    def trained(self) -> NDArray[numpy.float64]: ...

    @property
    def margins(self) -> NDArray[numpy.float64]: ...

    @property
    def stumps(self) -> Stumps: ...

    @property
    def drift(self) -> float: ...

    @property
    def stop(self) -> int: ...

class Votes(enum.Enum):
    sign = 0

    confidence = 1

    classes = 2

class BoostLoss(enum.Enum):
    exponential = 0

    logistic = 1

class BoostRequest:
    """Settings of boosting."""

    def __init__(self, *, rounds: int, n_classes: int = 2, votes: Votes = Votes.sign, loss: BoostLoss = BoostLoss.exponential, threads: int = 0, progress: object | None = None) -> None: ...

@overload
def boost(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, before: float, request: BoostRequest) -> BoostRounds: ...

@overload
def boost(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, before: float, request: BoostRequest) -> BoostRounds:
    """Rounds of AdaBoost with stumps on dense bins."""

@overload
def boost(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slot: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, before: float, request: BoostRequest) -> BoostRounds:
    """Rounds of AdaBoost with stumps on sparse bins."""

@overload
def best_stumps(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BoostRequest) -> BoostRounds: ...

@overload
def best_stumps(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BoostRequest) -> BoostRounds:
    """The best stumps of different features on dense bins."""

@overload
def best_stumps(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slot: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: BoostRequest) -> BoostRounds:
    """The best stumps of different features on sparse bins."""

class GrownTree:
    """Nodes of a tree in the order in which they were created."""

    @property
    def feature(self) -> NDArray[numpy.int32]: ...

    @property
    def cut(self) -> NDArray[numpy.int32]: ...

    @property
    def parent(self) -> NDArray[numpy.int32]: ...

    @property
    def first_child(self) -> NDArray[numpy.int32]: ...

    @property
    def n_children(self) -> NDArray[numpy.int32]: ...

    @property
    def depth(self) -> NDArray[numpy.int32]: ...

    @property
    def branch(self) -> NDArray[numpy.int32]: ...

    @property
    def choices(self) -> NDArray[numpy.int32]: ...

    @property
    def weight(self) -> NDArray[numpy.float64]: ...

    @property
    def gain(self) -> NDArray[numpy.float64]: ...

class PathErrors:
    """
    Sums of the weights, and of their squares, of misclassified rows at each point.
    """

    @property
    def weight(self) -> NDArray[numpy.float64]: ...

    @property
    def square(self) -> NDArray[numpy.float64]: ...

class SplitCriterion(enum.Enum):
    gain_ratio = 0

    gain = 1

class TreeRequest:
    """Settings for growing a tree."""

    def __init__(self, *, n_classes: int, min_leaf: float = 2.0, max_leaves: int = 0, max_depth: int = 0, criterion: SplitCriterion = SplitCriterion.gain_ratio, threads: int = 0, progress: object | None = None) -> None: ...

class TreeArrays:
    """
    A tree for prediction; `opened` is the first point of a path at which each node is split.
    """

    def __init__(self, feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cut: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], opened: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def grow_tree(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: TreeRequest) -> GrownTree: ...

@overload
def grow_tree(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, request: TreeRequest) -> GrownTree:
    """A whole classification tree on dense bins."""

@overload
def tree_probabilities(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: TreeArrays, point: int, threads: int = 0) -> NDArray[numpy.float64]: ...

@overload
def tree_probabilities(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: TreeArrays, point: int, threads: int = 0) -> NDArray[numpy.float64]:
    """Class probabilities of rows by the tree at one point of its path."""

@overload
def tree_path_errors(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: TreeArrays, n_points: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int = 0) -> PathErrors: ...

@overload
def tree_path_errors(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: TreeArrays, n_points: int, label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int = 0) -> PathErrors:
    """
    Sums of the weights, and of their squares, of the rows that the tree misclassifies at each point of its path.
    """

def weakest_links(parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], complexity: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], split: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    Smallest weight of the complexity at which the split of each node is pruned.
    """

class PairSearch:
    """The best pairs of features, and the best partner of each feature."""

    @property
    def most(self) -> NDArray[numpy.float64]: ...

    @property
    def partner(self) -> NDArray[numpy.int32]: ...

    @property
    def pair(self) -> NDArray[numpy.int32]: ...

    @property
    def synergy(self) -> NDArray[numpy.float64]: ...

def best_pairs(bits: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keep: int, threads: int = 0) -> PairSearch:
    """
    Pairs of 0/1 features with the largest interaction information about the class, in nats; and each feature's largest, with its partner.
    """

class Expectation:
    """
    Expected counts (features, classes), expected rows of each class, log-likelihood.
    """

    @property
    def count(self) -> NDArray[numpy.float64]: ...

    @property
    def total(self) -> NDArray[numpy.float64]: ...

    @property
    def log_likelihood(self) -> float: ...

class Classified:
    """
    The most probable class of each row, its probability, and the reasons for it.
    """

    @property
    def label(self) -> NDArray[numpy.int32]: ...

    @property
    def probability(self) -> NDArray[numpy.float64]: ...

    @property
    def reason(self) -> NDArray[numpy.int32]: ...

def expect_rows(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int = 0) -> Expectation:
    """
    One E-step over sparse rows: expected counts (features, classes), expected rows of each class, log-likelihood.
    """

def classify_rows(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_reasons: int = 0, threads: int = 0) -> Classified:
    """
    The most probable class of sparse rows, its probability, and the features that favor it most.
    """

class Products:
    """
    Sums of columns minus their shifts (d,), and of the products of these (d, d).
    """

    @property
    def first(self) -> NDArray[numpy.float64]: ...

    @property
    def second(self) -> NDArray[numpy.float64]: ...

def column_products(columns: Sequence[Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int = 0) -> Products:
    """
    Sums of columns minus their shifts, and of their products, weighted: (d,) and (d, d).
    """
