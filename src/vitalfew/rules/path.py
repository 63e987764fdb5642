"""Protocol between families and rules: the methods a path implements decide which rules a family supports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class Likelihood(NamedTuple):
    """Log-likelihood and number of parameters at each point, for information criteria.

    Points where `is_candidate` is False, such as perfect fits, are not chosen. `is_corrected` requests the criteria for
    parameters that are many compared with the samples. `is_joint` marks the likelihood of features and target together.
    """

    log_likelihood: NDArray[np.float64]
    n_parameters: NDArray[np.float64]
    n_samples: float
    n_candidates: int
    is_candidate: NDArray[np.bool_] | None = None
    is_corrected: bool = False
    is_joint: bool = False


class LeaveOneOut(NamedTuple):
    """Predictions for each sample by the model fitted without it, at all points: (samples, points[, classes])."""

    prediction: NDArray[np.float64]
    is_exact: bool
    note: str = ""


class OutOfBag(NamedTuple):
    """Out-of-bag scores by the path's own loss, and the predictions from which any other score is computed.

    ``predictions()`` yields, for one point after the other, the samples that some learner has not seen and the
    predictions of those learners for them: (samples[, classes]).
    """

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    share_out: NDArray[np.float64]
    predictions: Callable[[], Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]]


class DescriptionLength(NamedTuple):
    """Nats that encode the labels given the model, and the model, at each point."""

    data: NDArray[np.float64]
    model: NDArray[np.float64]


class Data(Protocol):
    """Samples with their targets, in the form a family reads."""

    @property
    def y(self) -> NDArray: ...
    @property
    def n_rows(self) -> int: ...

    def folds(self, splitter: Any) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]: ...
    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]: ...


class Path(Protocol):
    """Models of increasing complexity, computed together."""

    @property
    def knob(self) -> str: ...
    @property
    def grid(self) -> NDArray:
        """Values of the knob, from simple to complex."""

    @property
    def n_features(self) -> NDArray:
        """Number of features used at each point."""

    def at(self, index: int) -> Any:
        """Return the fitted parameters of one point."""


class Predicting(Path, Protocol):
    """A path that supports "cv", "1se" and "holdout".

    It may name a `loss` from `scoring.LOSSES`, and define ``default_scores(tested)`` if it has a faster way to score
    that loss.
    """

    def predict(self, data: Any) -> NDArray[np.float64]:
        """Return predictions at all points: (samples, points[, classes])."""


class Probabilistic(Path, Protocol):
    """A path that supports "bic", "aic" and "ebic".

    It may define ``log_likelihood_at(index)``, which returns the `Likelihood` of one point as numbers, or None if that
    takes too long, and ``log_evidence_at(index)`` if the integral of likelihood times prior has a closed form.
    """

    def log_likelihood(self) -> Likelihood: ...


class LeavingOneOut(Path, Protocol):
    """A path that supports "loo"."""

    def loo(self) -> LeaveOneOut: ...


class OutOfBagScored(Path, Protocol):
    """A path that supports "oob"."""

    def oob(self) -> OutOfBag: ...


class Described(Path, Protocol):
    """A path that supports "mdl".

    It may define ``model_parts()``, which returns the summands of the model's nats by name.
    """

    def description_length(self) -> DescriptionLength: ...


@dataclass(frozen=True)
class Run:
    """Circumstances in which a path is computed.

    `cancel` replaces the progress callback of kernels; it raises InterruptedError once the work is canceled. `previous`
    is the path that a warm start continues.
    """

    cancel: Callable[[float], None] | None = None
    previous: Any = None


ALONE = Run()

DataT = TypeVar("DataT", contravariant=True)
PathT = TypeVar("PathT", covariant=True)


class Family(Protocol[DataT, PathT]):
    """Procedure that fits a path: on all data, or on a fold over the grid of another path.

    A family is a frozen dataclass of settings. Families that share work between folds also implement `SharingFamily`;
    those that can use second moments instead of samples implement `MomentsFamily`.
    """

    def path(self, data: DataT, grid: NDArray | None = None, *, run: Run = ALONE) -> PathT:
        """Return the path over `grid`, or over the family's own grid."""


class SharingFamily(Family[DataT, PathT], Protocol[DataT, PathT]):
    """A family with a better way than fitting one fold after the other."""

    def fold_paths(self, data: DataT, splits: Any, path: Any, options: Any) -> Iterator[tuple[PathT, Any]]:
        """Yield the path of each fold over the grid of `path`, and the data to test it on.

        A `MomentsFamily` also takes `Summaries` of folds as data; `splits` are then the summaries of the folds.
        """


class MomentsFamily(Family[DataT, PathT], Protocol[DataT, PathT]):
    """A family whose paths can be computed from second moments."""

    def uses_moments(self, data: DataT) -> bool:
        """Return True if moments are the faster way for this data."""
