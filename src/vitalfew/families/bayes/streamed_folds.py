"""Cross-validation of Naive Bayes on rows that are not in memory: counts of folds, and a pass that scores the rows.

P(y | x) is a product over all features of a row, so counts of single features do not give the error of the held-out
rows. They do give the models: those of the training rows of each fold. A second pass over the source classifies each
row by the models of its fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.table_coder import Cuts, TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.source import open_source
from vitalfew.data.sources.prefetch import read_ahead
from vitalfew.data.sources.protocol import BATCH_ROWS
from vitalfew.data.tables.frames import read_table
from vitalfew.exceptions import RuleError
from vitalfew.families.bayes.naive_bayes_path import FeatureFamily, FeaturePath, PriorFamily, PriorPath, is_given
from vitalfew.rules.registry import rule_name
from vitalfew.rules.resampling import select_from_folds
from vitalfew.rules.scoring import LOSSES, loss_of
from vitalfew.rules.selection import Selection
from vitalfew.summaries.arrow_columns import counting_rows, labeled_rows, weights_of
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Drawn, Summaries
from vitalfew.summaries.value_counts import encode_target
from vitalfew.support.optional import import_arrow

# Rules that counts of folds and a second pass support.
BY_FOLDS = ("cv", "1se")
# Probabilities (rows, points, classes) that are held at once.
HELD_NUMBERS = 2**22
LEAST_ROWS = 256
FIXED_CUTS = "the cuts of numeric columns are held fixed"


def needs_rows(model: Any, method: str, has_folds: bool = False) -> str | None:
    """Return why counts are not enough for Naive Bayes: the greedy search and resampling need all rows; or None.

    The rules of `BY_FOLDS` are possible with counts of folds and a source to read again (`has_folds`).
    """
    rule, features = rule_name(model.prior_strength), rule_name(model.features)
    if is_given(features):
        features = None
    by_folds = BY_FOLDS if has_folds else ()
    if isinstance(rule, str) and rule not in ("auto", *by_folds):
        return (
            f"{method} requires prior_strength to be a number; the rule {rule!r} requires fit on rows in "
            f"memory{_hint(rule)}."
        )
    is_resampled = features in ("mdl", "loo", "holdout", *BY_FOLDS) and features not in by_folds
    if features is not None and (model.order == "greedy" or is_resampled):
        return (
            f"{method} cannot choose features={features!r} in {model.order!r} order, "
            "which needs all rows at once; use fit on rows in memory, or order='information' with a number, 'bic', "
            f"'aic' or 'ebic'{_hint(features)}."
        )
    if model.scoring is not None and (rule in by_folds or features in by_folds):
        return f"scoring={model.scoring!r} requires fit on rows in memory; omit it to minimize the error rate."
    return None


def _hint(rule: Any) -> str:
    is_possible = rule in BY_FOLDS
    return "; or use fit_counts with summarize(source, target, folds=5) and source=" if is_possible else ""


def coder_of(counts: Counts, numeric: str, threads: int) -> TableCoder:
    """Return the coder with the codings of counts."""
    return TableCoder(numeric, threads, counts.codings or [], counts.names, counts.codings is None)


def check_counts(summaries: Summaries[Counts]) -> Counts:
    """Return the counts of all rows; raise for summaries of another kind."""
    if not isinstance(summaries.total, Counts):
        raise TypeError(f"expected Counts, got {summaries.total!r}; pass summarize(..., kind='counts').")
    return summaries.total


@dataclass(frozen=True)
class FoldScorer:
    """Counts of folds, and the source of their rows."""

    summaries: Summaries[Counts]
    drawn: Drawn
    source: Any
    coder: TableCoder

    @classmethod
    def make(cls, summaries: Summaries[Counts], source: Any, coder: TableCoder) -> FoldScorer:
        """Return the scorer, after checks that a second pass can find the folds."""
        if summaries.drawn is None:
            raise RuleError(
                "a second pass needs to know which row is in which fold, but these summaries were merged or built from "
                "a list; pass the result of summarize(source, target, folds=5)."
            )
        return cls(summaries, summaries.drawn, open_source(source), coder)

    def choose(self, rule: str, path: FeaturePath | PriorPath, family: FeatureFamily | PriorFamily) -> Selection:
        """Select a point of `path`, fitted to all rows, by the error of the paths of the folds."""
        errors = self.errors([family.path(train, path.grid) for train, _ in self.summaries.splits()])
        is_cut = any(isinstance(coding, Cuts) and coding.cuts for coding in self.coder.codings)
        return replace(select_from_folds(rule, path, errors), note=FIXED_CUTS if is_cut else "")

    def errors(self, paths: Sequence[FeaturePath | PriorPath]) -> NDArray[np.float64]:
        """Return the error rate of each fold at each point, in one pass over the source."""
        n_points, n_classes = len(paths[0].grid), self.summaries.total.n_classes
        lost, weight = np.zeros((len(paths), n_points)), np.zeros(len(paths))
        again = [np.zeros_like(fold.table) for fold in self.summaries]
        for fold, rows in self._rows(int(np.clip(HELD_NUMBERS // (n_points * n_classes), LEAST_ROWS, BATCH_ROWS))):
            loss = LOSSES[loss_of(paths[fold])](paths[fold].predict(rows), rows)
            own = np.ones(rows.n_rows) if rows.weight is None else rows.weight
            lost[fold] += own @ loss
            weight[fold] += own.sum()
            again[fold] += rows.block.count(rows.label, rows.weight, n_classes, self.coder.threads)
        for counted, table in zip(self.summaries, again):
            if not np.allclose(table, counted.table, rtol=1e-9, atol=1e-9):
                raise RuleError(
                    f"{self.source.name!r} returned other rows than those that were counted, or in another order; pass "
                    "the same source, add ORDER BY to a query, or write the rows to a Parquet file first."
                )
        return lost / weight[:, None]

    def _rows(self, batch_rows: int) -> Iterator[tuple[int, DiscreteData]]:
        """Yield the labeled rows of each fold in each batch."""
        pa, drawn, names = import_arrow(), self.drawn, list(self.summaries.total.names)
        asked = [*names, drawn.target, *([] if drawn.weight is None else [drawn.weight])]
        classes = self.summaries.total.classes
        place = {value: code for code, value in enumerate(classes.tolist())}
        batches = self.source.batches(asked, batch_rows=batch_rows)
        for batch in read_ahead(drawn.rows.hashed(batches)):
            batch = counting_rows(labeled_rows(batch, drawn.target), drawn.weight)
            if not batch.num_rows:
                continue
            values, code = encode_target(batch.column(drawn.target), drawn.target)
            label = np.array([place.get(v, -1) for v in values], dtype=np.int32)[code]
            if (label < 0).any():
                raise ValueError(f"the target {drawn.target!r} has classes that were not counted; summarize again.")
            weight = None if drawn.weight is None else weights_of(batch.column(drawn.weight), drawn.weight)
            raw = read_table(pa.Table.from_batches([batch.select(names)]), threads=self.coder.threads)
            every = DiscreteData(self.coder.transform(raw), label, classes, weight, self.coder, raw)
            fold_of_row = drawn.rows.of_batch(batch)
            for fold in np.unique(fold_of_row).tolist():
                yield fold, every.take(np.flatnonzero(fold_of_row == fold))
