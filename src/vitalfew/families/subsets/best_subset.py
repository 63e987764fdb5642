"""Best subset selection: for every size the subset of least loss, with a proof or the gap that is left."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import squared_loss_folds
from vitalfew.families.solve import solve
from vitalfew.families.subsets.subset_model import SubsetRegressor, check_time_budget, largest_size
from vitalfew.families.subsets.subset_path import SubsetPath
from vitalfew.rules.selection import frame_or_columns
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_threads
from vitalfew.support.deadline import time_left
from vitalfew.support.progress import kernel_progress

# Beyond so many columns, and where columns outnumber rows, exchanges are made from the rows and nothing is proven.
MOST_COLUMNS = 1500
# Share of the time to a deadline after which the best so far stands, unproven.
FOR_PROOFS = 0.9
# Variables of the largest model where a rule chooses and `max_features` does not say.
MOST_VARIABLES = 12


@dataclass(frozen=True, kw_only=True)
class BestSubsetPath(SubsetPath):
    """The best subset found of each size.

    Attributes
    ----------
    gap : ndarray of shape (n_points,)
        How far the mean squared error may be above the least possible, as a share of it; 0 is a proof that it is not.
    """

    gap: NDArray[np.float64]

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "gap": self.gap}


@dataclass(frozen=True)
class BestSettings:
    """What searches for best subsets of both losses are told."""

    k: int | str
    max_features: int | None
    fit_intercept: bool
    seconds: float
    threads: int
    verbose: bool | None = False

    @classmethod
    def of(cls, model):
        """As the model has them."""
        threads = check_threads(model.n_jobs)
        seconds, has_intercept = float(model.time_budget), bool(model.fit_intercept)
        return cls(model.k, model.max_features, has_intercept, seconds, threads, model.verbose)

    def most(self, data: NumericData | Moments, grid: NDArray | None) -> int:
        """Features of the largest model: of the grid, or as many as rows and columns allow."""
        if grid is not None:
            return int(grid[-1])
        limit = MOST_VARIABLES if self.max_features is None else self.max_features
        return largest_size(self.k, limit, data.n_features, data.n_rows, self.fit_intercept)

    def request(self, most: int, progress) -> _core.BestRequest:
        """For the kernel."""
        return _core.BestRequest(
            most=most,
            seconds=min(self.seconds, FOR_PROOFS * time_left()),
            largest_first=not isinstance(self.k, str),
            threads=self.threads,
            intercept=self.fit_intercept,
            progress=progress,
        )


def with_gap(path_type: type, path, found: dict[str, Any], loss: NDArray, of_loss: float = 1.0):
    """The path with its gaps, which the kernel gives as shares of the null loss, as shares of each point's own."""
    share = found["gap"][np.minimum(path.grid, len(found["gap"]) - 1)] * of_loss * found["null_loss"]
    gap = np.divide(share, loss, out=np.zeros_like(share), where=loss > 0)
    return path_type(**{field.name: getattr(path, field.name) for field in fields(path)}, gap=gap)


@dataclass(frozen=True)
class BestFamily(BestSettings):
    """How best subsets are searched for: from second moments with a proof, or by exchanges."""

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, heed=None) -> BestSubsetPath:
        """The path up to the largest size wanted, or over the sizes of a grid."""
        most = self.most(data, grid)
        seen = Moments.of(data) if isinstance(data, NumericData) and self.uses_moments(data) else data
        with kernel_progress(most, "best subsets", self.verbose) as show:
            found = self._solve(seen, most, heed or show)
        path = SubsetPath.from_kernel(found, data, seen, self.fit_intercept, grid)
        return with_gap(BestSubsetPath, path, found, path.mean_squared_error, of_loss=2.0)

    def _solve(self, data: NumericData | Moments, most: int, progress) -> dict[str, Any]:
        if isinstance(data, Moments):
            return solve("best", data, self.request(most, progress), self.fit_intercept)
        exchange = _core.SubsetRequest(
            most=most,
            direction=_core.Direction.exchange,
            intercept=self.fit_intercept,
            threads=self.threads,
            progress=progress,
        )
        found = solve("greedy", data, exchange)
        found["gap"] = np.where(found["grid"] > 0, found["loss"] / max(found["null_loss"], 1e-300), 0.0)
        return found

    def uses_moments(self, data: NumericData) -> bool:
        """Whether a proof is tried."""
        return data.n_features <= MOST_COLUMNS and data.n_rows > data.n_features

    def fold_paths(self, data: NumericData, splits, path: BestSubsetPath, options):
        """Folds share the time: what they find need not be proven."""
        return squared_loss_folds(replace(self, seconds=self.seconds / len(splits)), data, splits, path, options)


class BestSubsetRegressor(SubsetRegressor):
    r"""Least squares on the best subset of the features: of all subsets of k columns the one with the least loss.

    .. math:: \min_{b, \beta} \; \tfrac12 \sum_i w_i (y_i - b - x_i^T \beta)^2 \quad \text{with at most k coefficients
       that are not zero}

    Exchanges of single columns find a subset that is hard to beat; branch and bound then proves that nothing beats it,
    or finds what does. Bounds come from splitting the second moments G = Q + D with a diagonal D as large as it can be
    (the perspective relaxation). They rule out most columns at once; what is left splits better, and so on. Where time
    runs out, `gap_` says how much better another subset may still be.

    Parameters
    ----------
    k : int or rule, default "bic"
        How many features: a number, or ``"bic"``, ``"aic"``, ``"ebic"``, ``"loo"`` (with the subset held as it is),
        ``"cv"``, ``"1se"`` or ``"holdout"``, which repeat the search in each fold.
    max_features : int, default 12
        Features of the largest model a rule may choose; fewer where rows and columns do not allow so many.
    time_budget : float, default 60
        Seconds for the search; afterwards the best so far stands.
    near_ties : float, default 0.01
        Subsets of the same size are listed in `near_ties_` if their mean squared error is at most this share above the
        best; 0 lists the best alone, and spares the search for others.
    max_ties : int, default 100
        The longest list of them.
    fit_intercept : bool, default True
    cv, scoring, random_state
        As in scikit-learn, for rules that resample.
    n_jobs : int, optional
        Threads; all by default. A result that is certified does not depend on it.
    verbose : bool, optional
        Progress bar: by default on a terminal, for long work.

    Attributes
    ----------
    coef_ : ndarray of shape (`n_features_in_`,)
        Zero outside the subset.
    intercept_ : float
    k_ : int
    subset_ : ndarray of int
        Columns of the model.
    certified_ : bool
        Whether it is proven that no subset of this size has a smaller loss.
    gap_ : float
        How far the mean squared error may be above the least possible, as a share of it: 0 if certified.
    near_ties_ : data frame, or dict of columns where no library of frames is installed
        Subsets of this size that do nearly as well: features, mean squared error, and how far it is above the best.
    near_ties_complete_ : bool
        Whether all of them are listed.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : BestSubsetPath
        The best subset found of every size, with its gap.
    selection_ : Selection
        The curve the rule saw (``plot()``, ``to_frame()``).

    Notes
    -----
    A proof is tried where rows outnumber columns and there are at most 600 of these; up to 1,500 the gap is that to all
    columns together. On more, exchanges alone are made from the rows, `certified_` is False and `gap_` 1: nothing is
    known of what is possible. Certificates hold up to rounding, 1e-10 of the target's variance, and for subsets whose
    columns are independent. Ties are broken by column order where a greedy search meets them.

    References
    ----------
    Furnival & Wilson (1974), Regressions by leaps and bounds, Technometrics 16(4), 499-511. Günlük & Linderoth (2010),
    doi:10.1007/s10107-010-0360-z. Dong, Chen & Linderoth (2015), arXiv:1510.06083. Zhu et al. (2020),
    doi:10.1073/pnas.2014241117, for exchanges.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import BestSubsetRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = 3 * X[:, 2] - 2 * X[:, 11] + rng.normal(size=100)
    >>> model = BestSubsetRegressor(k="bic").fit(X, y)
    >>> model.subset_
    array([ 2, 11])
    >>> model.certified_, model.gap_
    (True, 0.0)
    """

    def __init__(
        self,
        k: int | str = "bic",
        *,
        max_features: int | None = None,
        time_budget: float = 60.0,
        near_ties: float = 0.01,
        max_ties: int = 100,
        fit_intercept: bool = True,
        cv=5,
        scoring=None,
        random_state=None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.k = k
        self.max_features = max_features
        self.time_budget = time_budget
        self.near_ties = near_ties
        self.max_ties = max_ties
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _path_type(self) -> type:
        return BestSubsetPath

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_time_budget(self.time_budget)
        check_ties(self, "mean squared error")

    def _family(self, _n_features: int, _names) -> BestFamily:
        return BestFamily.of(self)

    def _keep_point(self, path: BestSubsetPath, index: int) -> None:
        super()._keep_point(path, index)
        self.gap_ = float(path.gap[index])
        self.certified_ = self.gap_ == 0
        data = path.data
        if isinstance(data, NumericData):
            data = Moments.of(data) if self._family(data.n_features, data.names).uses_moments(data) else None
        loss = 0.5 * float(path.mean_squared_error[index])
        found = find_ties(self, "near", data, path.subset(index), loss)
        self.near_ties_complete_ = found["is_complete"]
        self.near_ties_ = tie_frame(found, "mean_squared_error", 2.0, 2 * loss, path.names)


def check_ties(model, measure: str) -> None:
    """How near ties must be, and how many are listed."""
    if not model.near_ties >= 0:
        raise ValueError(f"near_ties must be a share >= 0 of the {measure}, got {model.near_ties!r}.")
    if not model.max_ties >= 1:
        raise ValueError(f"max_ties must be at least 1, got {model.max_ties!r}.")


def find_ties(model, kernel: str, data: NumericData | Moments | None, columns: NDArray, loss: float) -> dict[str, Any]:
    """Subsets of a size with nearly the loss of the best, as the kernel finds them; the best alone where it cannot."""
    alone = {"start": np.array([0, len(columns)]), "index": columns, "loss": np.array([loss]), "is_complete": False}
    if len(columns) == 0 or data is None or model.near_ties == 0:
        return {**alone, "is_complete": len(columns) == 0 or (model.near_ties == 0 and model.certified_)}
    request = _core.NearRequest(
        k=len(columns),
        loss=loss * (1 + model.near_ties),
        most=int(model.max_ties),
        seconds=min(float(model.time_budget), FOR_PROOFS * time_left()),
        threads=check_threads(model.n_jobs),
        intercept=bool(model.fit_intercept),
    )
    found = solve(kernel, data, request, model.fit_intercept)
    return found if len(found["loss"]) else {**alone, "is_complete": found["is_complete"]}


def tie_frame(found: dict[str, Any], measure: str, unit: float, best: float, names):
    """Near ties for a person: features, loss, and how far it is above the best."""
    subsets = [found["index"][a:b] for a, b in itertools.pairwise(found["start"])]
    loss = unit * found["loss"]
    above = np.divide(loss, best, out=np.ones_like(loss), where=best > 0)
    return frame_or_columns(
        {
            "features": np.array([", ".join(str(names[j]) for j in subset) for subset in subsets], dtype=object),
            "columns": np.array([tuple(int(j) for j in subset) for subset in subsets] + [None], dtype=object)[:-1],
            measure: loss,
            "above_best": np.maximum(above - 1, 0.0),
        }
    )
