"""Reading, checking and splitting of the data and target of a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from vitalfew.cli.command_runner import note
from vitalfew.cli.progress_bars import working
from vitalfew.data.files import read_file
from vitalfew.data.source import open_source
from vitalfew.data.sources.csv_file import NA
from vitalfew.data.sources.protocol import Source
from vitalfew.data.tables.column_kinds import KINDS, ColumnKind, recognize, recognize_task
from vitalfew.support.checks import check_choice
from vitalfew.support.suggest import check_names

if TYPE_CHECKING:
    import pyarrow as pa

# Fewer rows cannot be split into training and test rows.
MIN_ROWS = 5
TASKS = ("classes", "numeric")


@dataclass(frozen=True)
class TableInput:
    """Location and format of a table."""

    data: str
    table: str | None = None
    query: str | None = None
    format: str | None = None
    na: Sequence[str] | None = None
    encoding: str = "utf-8"

    @property
    def name(self) -> str:
        return "standard input" if self.data == "-" else self.data

    def open(self) -> Source:
        """Open the table for reading in batches."""
        na = NA if self.na is None else tuple(self.na)
        return open_source(
            self.data, table=self.table, query=self.query, format=self.format, na=na, encoding=self.encoding
        )

    def read(self) -> pa.Table:
        with working(f"reading {self.name}"):
            return read_file(
                self.data,
                table=self.table,
                query=self.query,
                format=self.format,
                na=NA if self.na is None else tuple(self.na),
                encoding=self.encoding,
            )


@dataclass(frozen=True)
class Problem:
    """A table without its target, the kinds of its columns, and the target of every row."""

    table: pa.Table
    kinds: list[ColumnKind]
    y: np.ndarray
    target: str
    task: str
    targets: Any

    @property
    def frame(self) -> Any:
        """The table as a data frame for models."""
        return as_frame(self.table)


def as_frame(table: pa.Table) -> Any:
    """Return a pandas data frame if pandas is installed: older versions of scikit-learn need one."""
    # An index stored by pandas would take its column out of the table.
    return table.to_pandas(ignore_metadata=True) if find_spec("pandas") else table


def parse_kinds(kind: Sequence[str] | None) -> dict[str, str]:
    """Parse the kinds of columns given as COLUMN=KIND."""
    found = {}
    for text in kind or ():
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise ValueError(f"--kind must be COLUMN=KIND, got {text!r}; the kinds are {', '.join(KINDS)}.")
        found[name] = value
    return found


def read_problem(
    source: TableInput,
    target: str,
    *,
    kind: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    task: str | None = None,
) -> Problem:
    """Read a table and split off its target. Rows without a target are left out, with a note."""
    if task is not None:
        check_choice("--task", task, TASKS)
    table = source.read()
    check_names([target], table.column_names)
    check_names(drop or (), table.column_names)
    if target in (drop or ()):
        raise ValueError(f"column {target!r} is the target and cannot be dropped.")
    table, targets = _with_target(table, target, source.name)
    features = table.drop_columns([target, *dict.fromkeys(drop or ())])
    if features.num_columns == 0:
        raise ValueError(f"{source.name!r} has no columns other than the target.")
    overrides = parse_kinds(kind)
    if target in overrides:
        raise ValueError(f"column {target!r} is the target; set its kind with --task classes or --task numeric.")
    with working("inspecting columns"):
        kinds = recognize(features, overrides)
    for column in kinds:
        if not column.is_used and column.name not in overrides:
            note(f"column {column.name!r} is not used: it {column.why}.")
    found = recognize_task(targets, task)
    return Problem(features, kinds, _as_y(targets, found, target), target, found, targets)


def _with_target(table: pa.Table, target: str, name: str) -> tuple[pa.Table, Any]:
    compute = import_module("pyarrow.compute")
    absent = compute.is_null(table[target], nan_is_null=True)
    n_absent = compute.sum(absent).as_py() or 0
    if n_absent:
        table = table.filter(compute.invert(absent))
        if table.num_rows >= MIN_ROWS:
            note(f"{n_absent:,} rows without a value of the target {target!r} are ignored.")
    if table.num_rows < MIN_ROWS:
        rows = f"{table.num_rows} row{'s' * (table.num_rows != 1)}" + (" with a target" if n_absent else "")
        raise ValueError(f"{name!r} has {rows}; at least {MIN_ROWS} are required.")
    return table, table[target]


def _as_y(targets, task: str, name: str) -> np.ndarray:
    pa = import_module("pyarrow")
    if task == "numeric":
        try:
            y = targets.cast(pa.float64()).to_numpy()
        except pa.ArrowException:
            raise ValueError(f"the target {name!r} is not numeric; omit --task numeric.") from None
        if not np.isfinite(y).all():
            row = int(np.argmax(~np.isfinite(y)))
            raise ValueError(f"the target {name!r} is infinite in row {row + 1}; replace it by a finite number.")
        if y.min() == y.max():
            raise ValueError(
                f"the target {name!r} is {y[0]:g} in every row; at least two distinct values are required."
            )
        return y
    values = targets.to_pylist()
    distinct = set(values)
    if len(distinct) == 1:
        raise ValueError(f"the target {name!r} has only one class, {values[0]!r}; at least two are required.")
    if len(distinct) > max(len(values) / 2, 2):
        raise ValueError(
            f"the target {name!r} has {len(distinct):,} classes in {len(values):,} rows, which is too many; "
            "choose another column, or use --task numeric for a number."
        )
    is_whole = all(isinstance(v, int) and not isinstance(v, bool) for v in distinct)
    return np.array(values) if is_whole else np.array([str(v) for v in values], dtype=object)
