"""`Summaries`: a summary of all rows, and one of each fold, for cross-validation without the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.moments import Moments
from vitalfew.summaries.row_folds import RowFolds

Summary = TypeVar("Summary", Counts, Moments)
Other = TypeVar("Other", Counts, Moments)


@dataclass(frozen=True)
class Drawn:
    """Folds, target and weight that `summarize` used, so that a second pass over the source finds the same folds."""

    rows: RowFolds
    target: str
    weight: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Summaries(Generic[Summary]):
    """Summary of all rows and of each fold, the input of ``fit_moments`` and ``fit_counts`` for ``"cv"`` and ``"1se"``.

    :func:`~vitalfew.summarize` returns them with ``folds=``. The training summary of a fold is the total minus the
    fold. Unlabeled rows are in the total only: they test nothing, so every training summary has them. Summaries of
    disjoint rows are merged fold by fold (``a + b``).

    Attributes
    ----------
    total : Counts or Moments
    folds : tuple of Counts or of Moments
        Summary of each fold. ``len(summaries)`` is their number, and iteration yields them.
    drawn : Drawn or None
        Assignment of rows to folds by `summarize`; None if summaries were merged or built from a list.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import Lasso, Moments, Summaries
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> y = 2 * X[:, 3] + rng.normal(size=100)
    >>> summaries = Summaries.from_folds(Moments.from_data(X[i::5], y[i::5]) for i in range(5))
    >>> summaries
    Summaries(n_folds=5, total=Moments(n_rows=100, n_features=5, weight_sum=100))
    >>> summaries.train(0)
    Moments(n_rows=80, n_features=5, weight_sum=80)
    >>> Lasso(alpha="1se").fit_moments(summaries).get_support(indices=True)
    array([3])
    """

    total: Summary
    folds: tuple[Summary, ...]
    drawn: Drawn | None = None

    @classmethod
    def from_folds(cls, folds: Iterable[Summary]) -> Summaries[Summary]:
        """Return the summaries of given folds; their sum is the total."""
        parts = tuple(folds)
        kind = next((k for k in (Counts, Moments) if all(isinstance(p, k) for p in parts)), None)
        if not parts or kind is None:
            what = sorted({type(p).__name__ for p in parts})
            raise ValueError(
                "expected at least one Moments, or at least one Counts, a summary of each fold; got "
                f"{' and '.join(what) or 'an empty list'}."
            )
        return cls(cast(Summary, sum(parts[1:], start=parts[0])), parts)

    @classmethod
    def of(cls, summary: Summary | Sequence[Summary] | Summaries[Summary]) -> Summaries[Summary]:
        """Return summaries unchanged, a list of summaries as folds, and a single summary as the total of no folds."""
        if isinstance(summary, Summaries):
            return summary
        if isinstance(summary, Counts | Moments):
            return cls(summary, ())
        return cls.from_folds(summary)

    def __len__(self) -> int:
        return len(self.folds)

    def __iter__(self) -> Iterator[Summary]:
        return iter(self.folds)

    def train(self, fold: int) -> Summary:
        """Return the summary of all rows outside a fold."""
        return _rest(self.total, self.folds[fold])

    def splits(self) -> Iterator[tuple[Summary, Summary]]:
        """Yield the training summary and the test summary of each fold."""
        return ((_rest(self.total, fold), fold) for fold in self.folds)

    def map(self, change: Callable[[Summary], Other]) -> Summaries[Other]:
        """Return the summaries changed by a function, such as a change of units."""
        return Summaries(change(self.total), tuple(change(fold) for fold in self.folds))

    def __add__(self, other: Summaries[Summary]) -> Summaries[Summary]:
        if not isinstance(other, Summaries):
            return NotImplemented
        if len(self) != len(other):
            raise ValueError(f"cannot merge Summaries of {len(self)} and {len(other)} folds; use the same number.")
        return Summaries(self.total + other.total, tuple(a + b for a, b in zip(self, other)))

    def __radd__(self, other: Any) -> Any:
        # So that sum() works.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"Summaries(n_folds={len(self)}, total={self.total!r})"


def summarize_folds(data: NumericData, splits: Sequence[tuple[NDArray, NDArray]]) -> Summaries[Moments] | None:
    """Return the moments of each test fold of samples; None if the folds do not partition the samples.

    Only in a partition is each training set the total minus its test fold.
    """
    tested = np.zeros(data.n_rows, dtype=np.int64)
    for train, test in splits:
        if len(train) == 0 or len(test) == 0:
            return None
        tested[test] += 1
        if (np.bincount(np.concatenate([train, test]), minlength=data.n_rows) != 1).any():
            return None
    if (tested != 1).any():
        return None
    return Summaries.from_folds(Moments.of(data.take(test)) for _, test in splits)


def empty_fold(fold: int, n_folds: int, target: str) -> ValueError:
    """Return the error for a fold without rows that have a target."""
    return ValueError(
        f"fold {fold} of {n_folds} has no row with a value of the target {target!r}; use fewer folds, or another "
        "random_state."
    )


def _rest(total: Any, fold: Any) -> Any:
    """Return the summary of the rows outside a fold.

    Counts of the same form keep it, with the values that only the fold has; those of a list of parts are aligned first.
    """
    return total.without(fold) if isinstance(total, Counts) and total.has_form_of(fold) else total - fold
