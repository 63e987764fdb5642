"""`Counts` of Arrow batches: one pass over all columns, and another over numbers with many distinct values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.coding.table_coder import Categories, Coding, Cuts, OwnCodes
from vitalfew.data.sources.prefetch import batches_in_memory, read_ahead, work_ahead
from vitalfew.data.sources.protocol import BATCH_ROWS, Source
from vitalfew.summaries.arrow_columns import counting_rows, kind_of, numbers_of, weights_of
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Drawn, Summaries, empty_fold
from vitalfew.summaries.number_bins import (
    BINS,
    SAMPLE_ROWS,
    SMALLEST_SAMPLE,
    NumberBins,
    RowSample,
    cut_values,
    easy_coding,
    make_bins,
)
from vitalfew.summaries.push_down import can_group, grouped
from vitalfew.summaries.row_folds import RowFolds, add_checksums
from vitalfew.summaries.value_counts import (
    MOST_NUMBERS,
    MOST_WORDS,
    BatchCounts,
    ClassLabels,
    ColumnTally,
    count_batch,
    encode_target,
    table_columns,
)
from vitalfew.support.progress import progress

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes per row of each column that is not numeric: a word and its codes.
WORD_BYTES = 40
LEAST_ROWS = 1024


@dataclass
class CountsStream:
    """Counts of a source, accumulated over its batches.

    `tally` reads the batches, `bin_numbers` reads the columns that need bins again, and `finish` assembles the counts.
    """

    source: Source
    target: str
    names: Sequence[str]
    weight: str | None
    numeric: str
    memory: int
    threads: int
    verbose: bool | None = False
    folds: RowFolds | None = None
    start: int = 0  # number of the first row
    labels: ClassLabels = field(default_factory=ClassLabels)
    label_count: dict[int, NDArray[np.float64]] = field(default_factory=dict)  # weight of each label in each fold

    def __post_init__(self):
        schema = self.source.schema()
        kinds = [kind_of(schema.field(n)) for n in self.names]
        most = {"words": MOST_WORDS, "booleans": 2, "numbers": MOST_NUMBERS}
        if self.numeric == "distinct":
            most["numbers"] = MOST_WORDS
        self.columns = [ColumnTally(n, k, most[k]) for n, k in zip(self.names, kinds)]
        self.numbers = [c for c in self.columns if c.kind == "numbers"] if self.numeric != "distinct" else []
        held = 8 * (len(self.numbers) + 3)
        # Up to twice the sample is held, and then concatenated.
        self.sample = RowSample(int(np.clip(self.memory // 8 // held, SMALLEST_SAMPLE, SAMPLE_ROWS)))
        self.span: dict[str, tuple[float, float]] = {}
        self.bins: dict[str, NumberBins] = {}
        self.binned: dict[str, NDArray[np.float64]] = {}
        self.classes: list = []
        # Checksums of numbers in the first and in the second pass, which must assign each row to the same fold.
        self.sums: dict[str, int] = {}
        self.sums_again: dict[str, int] = {}

    @property
    def n_folds(self) -> int:
        """Number of counts: one, or one for each fold."""
        return 1 if self.folds is None else self.folds.n_folds

    @property
    def batch_rows(self) -> int:
        """Rows per batch, such that the batches held at once take at most half of the allowed memory."""
        row = sum(12 if c.kind == "numbers" else WORD_BYTES for c in self.columns) + WORD_BYTES
        return int(np.clip(self.memory // 2 // (batches_in_memory(self.threads) * row), LEAST_ROWS, BATCH_ROWS))

    def tally(self, in_database: bool = False) -> None:
        """Run the pass over all columns; with `in_database`, the database counts the columns that it can group."""
        columns = list(self.columns)
        if in_database:
            pushed = [c for c in columns if can_group(self.source.schema().field(c.name))]
            self._tally_grouped(pushed)
            columns = [c for c in columns if c not in pushed or c.is_many]
        if columns:
            self._tally_rows(columns, has_labels=bool(self.label_count))
        self.classes = sorted(self.labels.place)
        if not self.classes:
            raise ValueError(f"{self.source.name!r} has no row with a value of the target {self.target!r}.")

    def _tally_grouped(self, columns: list[ColumnTally]) -> None:
        with progress(len(columns), "counting in the database", self.verbose) as bar:
            for column in columns:
                batches, number = grouped(self.source, column, self.target)  # type: ignore[arg-type]
                counts_labels = column is columns[0]
                for batch in batches:
                    found, _ = count_batch(batch, [column], self.target, number)
                    self._add(found, [column], counts_labels)
                bar.update(1)

    def _tally_rows(self, columns: list[ColumnTally], has_labels: bool) -> None:
        asked = [*(c.name for c in columns), self.target, *([] if self.weight is None else [self.weight])]
        self.numbers = [c for c in self.numbers if c in columns]
        names = [c.name for c in self.numbers]

        def work(batch):
            batch = counting_rows(batch, self.weight)
            sums = {} if self.folds is None else self.folds.checksums(batch, names)
            return sums, batch, *count_batch(batch, columns, self.target, self.weight, self.folds)

        with progress(self.source.n_rows(), "counts", self.verbose) as bar:
            for sums, batch, found, label in work_ahead(work, self._batches(asked), self.threads):
                self.sums = add_checksums([self.sums, sums])
                places = self._add(found, columns, not has_labels)
                if self.numbers:
                    self._draw(batch, places[label].astype(np.int32))
                bar.update(found.n_rows)

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Return an iterator over prefetched batches, with the hash of each row if there are folds."""
        batches = self.source.batches(columns, batch_rows=self.batch_rows)
        return read_ahead(batches if self.folds is None else self.folds.hashed(batches, self.start))

    def _add(self, found: BatchCounts, columns: list[ColumnTally], counts_labels: bool) -> NDArray[np.intp]:
        """Add the counts of a batch, and return the number assigned to each of its labels."""
        places = np.concatenate([[0], self.labels.places(found.labels[1:], self.target)]).astype(np.intp)
        if counts_labels:
            for place, count in zip(places.tolist(), found.label_count.reshape(-1, self.n_folds)):
                self.label_count[place] = self.label_count.get(place, 0.0) + count
        cells = table_columns(places, self.n_folds)
        for column, (values, lines) in zip(columns, found.columns):
            column.add(values, lines, cells)
        return places

    def _draw(self, batch: pa.RecordBatch, label: NDArray[np.int32]) -> None:
        """Offer the labeled rows of a batch to the sample."""
        known = np.flatnonzero(label)
        columns = [numbers_of(batch.column(c.name), c.name) for c in self.numbers]
        if self.numeric == "uniform" and len(known):
            for column, values in zip(self.numbers, columns):
                low, high = self.span.get(column.name, (np.nan, np.nan))
                part = values[known].astype(float)
                self.span[column.name] = (
                    float(np.fmin(low, np.fmin.reduce(part))),
                    float(np.fmax(high, np.fmax.reduce(part))),
                )
        weight = None if self.weight is None else weights_of(batch.column(self.weight), self.weight)

        def take(rows):
            at = known[rows]
            own = np.ones(len(at)) if weight is None else weight[at]
            return label[at], own, *(c[at].astype(np.float64) for c in columns)

        self.sample.add(len(known), take)

    def bin_numbers(self) -> None:
        """Run the pass over numbers with many distinct values: bins from the sample, then exact counts per bin."""
        many = [j for j, c in enumerate(self.numbers) if c.is_many]
        if not many:
            return
        order = {self.labels.place[v]: i for i, v in enumerate(self.classes)}
        label, weight, *columns = self.sample.rows()
        label = np.array([order[v] for v in label.tolist()], dtype=np.int32)
        own = None if (weight == 1).all() else weight
        is_complete = self.sample.is_complete
        for j in many:
            span = self.span.get(self.numbers[j].name, (0.0, 0.0))
            known = ~np.isnan(columns[j])
            of_row = None if own is None else own[known]
            self.bins[self.numbers[j].name] = make_bins(
                columns[j][known],
                label[known],
                of_row,
                len(self.classes),
                span,
                self.numeric,
                is_complete,
                self.threads,
            )
        self._count_bins([self.numbers[j].name for j in many])
        if any(self.sums_again[name] != self.sums[name] for name in self.sums_again):
            raise ValueError(
                f"{self.source.name!r} returned other rows, or the same rows in another order, when it was read again, "
                "so that folds cannot be assigned; add ORDER BY to the query, or write the rows to a Parquet file."
            )

    def _count_bins(self, names: list[str]) -> None:
        edges = [self.bins[n].edges for n in names]
        start = np.concatenate([[0], np.cumsum([len(e) for e in edges])]).astype(np.int64)
        flat = np.concatenate(edges)
        offsets = start + 2 * np.arange(len(start))  # one bin more than edges, and one for missing values
        total = np.zeros((offsets[-1], (1 + len(self.classes)) * self.n_folds))
        place = {None: 0, **{v: 1 + i for i, v in enumerate(self.classes)}}

        def work(batch):
            batch = counting_rows(batch, self.weight)
            labels, label = encode_target(batch.column(self.target), self.target)
            cell = np.array([place[v] for v in labels], dtype=np.int32)[label]
            sums: dict[str, int] = {}
            if self.folds is not None:
                cell = cell * np.int32(self.n_folds) + self.folds.of_batch(batch)
                sums = self.folds.checksums(batch, names)
            own = None if self.weight is None else weights_of(batch.column(self.weight), self.weight)
            matrix = np.empty((batch.num_rows, len(names)), order="F")
            for j, name in enumerate(names):
                matrix[:, j] = numbers_of(batch.column(name), name)
            codes = np.empty(matrix.shape, dtype=np.uint16, order="F")
            _core.code_bins(matrix, flat, start, codes, 1)
            found = _core.count_codes(codes.astype(np.uint32), offsets, cell, own, total.shape[1], 1)
            return found, sums, len(cell)

        asked = [*names, self.target, *([] if self.weight is None else [self.weight])]
        with progress(self.source.n_rows(), "counting numeric columns", self.verbose) as bar:
            for found, sums, n in work_ahead(work, self._batches(asked), self.threads):
                total += found
                self.sums_again = add_checksums([self.sums_again, sums])
                bar.update(n)
        cube = total.reshape(len(total), -1, self.n_folds)
        for name, first, last in zip(names, offsets, offsets[1:]):
            self.binned[name] = cube[first : last - 1]

    def finish(self) -> Counts | Summaries[Counts]:
        """Return the counts, with values and classes in increasing order, and those of the folds if there are any."""
        order = [0, *(self.labels.place[v] for v in self.classes)]
        codings: list[Coding] = []
        lines = []
        for column in self.columns:
            coding: Coding
            if column.name in self.bins:
                coding, part = self.bins[column.name].finish(self.binned[column.name], self.numeric, self.threads)
            else:
                values, table = column.counted(len(self.classes), self.n_folds)
                coding, part = self._coded(column, values, table[:, order])
            codings.append(coding)
            lines.append(part)
        offsets = np.concatenate([[0], np.cumsum([c.n_values for c in codings])]).astype(np.int64)
        table = np.vstack(lines)
        approximate = [n for n, b in self.bins.items() if not b.is_final]
        label_count = self._label_counts
        total = Counts(
            np.ascontiguousarray(table[:, 1:].sum(axis=2)),
            offsets,
            label_count[1:].sum(axis=1),
            np.array(self.classes),
            list(self.names),
            codings,
            table[:, 0].sum(axis=1),
            float(label_count[0].sum()),
            _note(approximate),
        )
        return total if self.folds is None else self._with_folds(total, table[:, 1:], label_count[1:])

    def _with_folds(self, total: Counts, table: NDArray, label_count: NDArray) -> Summaries[Counts]:
        """Return the counts with those of the labeled rows of each fold."""
        assert self.folds is not None
        weight = label_count.sum(axis=0)
        if not weight.all():
            raise empty_fold(int(np.argmin(weight)), self.n_folds, self.target)
        empty = {"unlabeled": np.zeros(len(table)), "n_unlabeled": 0.0}
        folds = tuple(
            total._replace(table=np.ascontiguousarray(table[:, :, k]), class_count=label_count[:, k].copy(), **empty)
            for k in range(self.n_folds)
        )
        return Summaries(total, folds, Drawn(self.folds, self.target, self.weight))

    @property
    def _label_counts(self) -> NDArray[np.float64]:
        """Weight of the rows without a label, then of each class in increasing order, in each fold."""
        order = [0, *(self.labels.place[v] for v in self.classes)]
        return np.array([self.label_count.get(place, np.zeros(self.n_folds)) for place in order])

    def _coded(self, column: ColumnTally, values: list, table: NDArray) -> tuple[Coding, NDArray[np.float64]]:
        """Return the coding derived from the values of labeled rows, and the counts of all values in this coding."""
        labeled = table[:, 1:].sum(axis=2)
        seen = np.flatnonzero(labeled.any(axis=1))
        known = [values[i] for i in seen]
        coding: Coding | None
        absent = self._label_counts - table.sum(axis=0)
        if len(seen) == 1 and (absent[1:].sum(axis=1) > 1e-9 * max(self._label_counts.sum(), 1)).any():
            return Categories.of((known[0],), True), np.stack([np.maximum(absent, 0.0), table[seen[0]]])
        if column.kind == "words":
            coding = Categories(tuple(known)) if known else OwnCodes(2)
            code = np.full(len(values), -1)
            code[seen] = np.arange(len(seen))
            return coding, _placed(table, code, coding.n_values)
        numbers = np.array(values, dtype=float)
        coding = easy_coding(numbers[seen], self.numeric)
        if coding is None:
            found = cut_values(numbers[seen], labeled[seen], self.numeric, self.threads)
            coding = Cuts(tuple(found.tolist()))
        code = coding.encode(numbers).astype(np.int64)
        return coding, _placed(table, code, coding.n_values)


def _placed(table: NDArray[np.float64], code: NDArray[np.int64], n_values: int) -> NDArray[np.float64]:
    """Move rows to their codes; drop those without a code, whose values occur in no labeled row."""
    lines = np.zeros((n_values, *table.shape[1:]))
    has_place = (code >= 0) & (code < n_values)
    np.add.at(lines, code[has_place], table[has_place])
    return lines


def _note(approximate: list[str]) -> str:
    if not approximate:
        return ""
    some = ", ".join(map(repr, approximate[:5])) + (f" and {len(approximate) - 5} more" if len(approximate) > 5 else "")
    return (
        f"cuts of {some} are approximate: they are edges of about {BINS:,} quantile bins of a sample. Counts are exact."
    )
