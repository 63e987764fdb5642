"""The protocol between families and rules. What a path can answer decides which rules a family supports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Likelihood(NamedTuple):
    """What information criteria need, per point."""

    log_likelihood: NDArray[np.float64]
    n_parameters: NDArray[np.float64]
    n_samples: float
    n_candidates: int


class LeaveOneOut(NamedTuple):
    """Predictions for each row by the model fitted without it, at all points: (rows, points[, classes])."""

    prediction: NDArray[np.float64]
    is_exact: bool
    note: str = ""


class OutOfBag(NamedTuple):
    """Scores by the path's own loss on the rows that were out of a bag, and what any other score is computed from.

    ``predictions()`` gives, for one point after the other, the rows that some learner has not seen and what those
    learners predict for them: (rows[, classes]).
    """

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    share_out: NDArray[np.float64]
    predictions: Callable[[], Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]]


class DescriptionLength(NamedTuple):
    """Nats for the labels given the model and for the model, per point."""

    data: NDArray[np.float64]
    model: NDArray[np.float64]


class Data(Protocol):
    """Rows with their targets, as a family takes them."""

    @property
    def y(self) -> NDArray: ...
    @property
    def n_rows(self) -> int: ...

    def folds(self, splitter) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]: ...
    def split(self, train, test) -> tuple[Any, Any]: ...


class Path(Protocol):
    """Models of growing complexity, computed together."""

    @property
    def knob(self) -> str: ...
    @property
    def grid(self) -> NDArray:
        """The knob's values, from simple to complex."""

    @property
    def n_features(self) -> NDArray:
        """Features used at each point."""

    def at(self, index: int) -> Any:
        """The fitted parameters of one point."""


class Predicting(Path, Protocol):
    """A path that supports "cv", "1se" and "holdout".

    It may name a `loss` of `scoring.LOSSES`, and have ``default_scores(tested)`` where it knows a shorter way to it.
    """

    def predict(self, data) -> NDArray[np.float64]:
        """Predictions at all points: (rows, points[, classes])."""


class Probabilistic(Path, Protocol):
    """A path that supports "bic", "aic" and "ebic"."""

    def log_likelihood(self) -> Likelihood: ...


class LeavingOneOut(Path, Protocol):
    """A path that supports "loo"."""

    def loo(self) -> LeaveOneOut: ...


class OutOfBagScored(Path, Protocol):
    """A path that supports "oob"."""

    def oob(self) -> OutOfBag: ...


class Described(Path, Protocol):
    """A path that supports "mdl"."""

    def description_length(self) -> DescriptionLength: ...


class Family(Protocol):
    """How to fit a path: on all data, or on a fold over the points of another path.

    A family may also have ``fold_paths(data, splits, path, options)``, which yields the path of each fold and what to
    test it on, if it knows a better way than to fit one fold after the other.
    """

    def path(self, data, grid: NDArray | None = None) -> Any: ...
