"""Best subset selection: the subset of least loss for each size, with a proof of optimality or a bound on the gap."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import squared_loss_folds
from vitalfew.families.solve import call, solve
from vitalfew.families.subsets.finalists import (
    MOST_FINALISTS,
    NEARLY_PERFECT,
    ROUNDING,
    exact_errors,
    exact_fit,
    is_affordable,
    null_error,
)
from vitalfew.families.subsets.near_ties import FOR_PROOFS, ExactRanking, certificate, check_ties
from vitalfew.families.subsets.subset_model import SubsetRegressor, check_time_budget, largest_size
from vitalfew.families.subsets.subset_path import SubsetPath
from vitalfew.rules.path import ALONE, Run
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_threads
from vitalfew.support.deadline import time_left
from vitalfew.support.progress import kernel_progress

# Beyond this many columns, or if columns outnumber rows, subsets come from exchanges on the rows, without a proof.
MOST_COLUMNS = 1500
# Number of variables of the largest model a rule may select if `max_features` is None.
MOST_VARIABLES = 12


@dataclass(frozen=True, kw_only=True)
class BestSubsetPath(SubsetPath):
    """Path of the best subset found for each size.

    Attributes
    ----------
    gap : ndarray of shape (n_points,)
        Upper bound on how far the mean squared error is above the least possible, as a fraction of it; 0 proves
        optimality.
    """

    gap: NDArray[np.float64]

    measure, unit = "mean_squared_error", 2.0  # of the loss that the kernel minimizes

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "gap": self.gap}


@dataclass(frozen=True)
class BestSettings:
    """Settings of best subset search, for both losses."""

    k: int | str
    max_features: int | None
    fit_intercept: bool
    seconds: float
    threads: int
    verbose: bool | None = False

    @classmethod
    def of(cls, model: Any) -> Any:
        """Return the settings of an estimator."""
        threads = check_threads(model.n_jobs)
        seconds, has_intercept = float(model.time_budget), bool(model.fit_intercept)
        return cls(model.k, model.max_features, has_intercept, seconds, threads, model.verbose)

    def most(self, data: NumericData | Moments, grid: NDArray | None) -> int:
        """Return the size of the largest model: that of the grid, or the largest that rows and columns allow."""
        if grid is not None:
            return int(grid[-1])
        limit = MOST_VARIABLES if self.max_features is None else self.max_features
        return largest_size(self.k, limit, data.n_features, data.n_rows, self.fit_intercept)

    def request(self, most: int, progress: Any) -> _core.BestRequest:
        """Return the request for the kernel."""
        return _core.BestRequest(
            most=most,
            seconds=min(self.seconds, FOR_PROOFS * time_left()),
            largest_first=not isinstance(self.k, str),
            threads=self.threads,
            intercept=self.fit_intercept,
            progress=progress,
        )


def with_gap(path_type: type, path: Any, gap: NDArray, null_loss: float, loss: NDArray) -> Any:
    """Return the path with gaps relative to the loss of each point; the kernel gives them relative to the null loss."""
    share = gap[np.minimum(path.grid, len(gap) - 1)] * null_loss
    gap = np.divide(share, loss, out=np.zeros_like(share), where=loss > 0)
    return path_type(**{field.name: getattr(path, field.name) for field in fields(path)}, gap=gap)


@dataclass(frozen=True)
class BestFamily(BestSettings):
    """Settings and solver of best subset paths, from second moments with a proof, or by exchanges on the rows."""

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, *, run: Run = ALONE) -> BestSubsetPath:
        """Return the path up to the largest requested size, or over the sizes of a grid."""
        most = self.most(data, grid)
        if isinstance(data, NumericData) and self.uses_moments(data):
            data = replace(data, moments=Moments.of(data))  # the certificate needs them again
        seen = data.moments if isinstance(data, NumericData) and data.moments is not None else data
        with kernel_progress(most, "best subsets", self.verbose) as show:
            found, gap = self._solve(seen, most, run.cancel or show)
        path = SubsetPath.from_kernel(found, data, seen, self.fit_intercept, grid)
        if isinstance(data, NumericData) and isinstance(seen, Moments):
            path = self._rank_exactly(path, data, seen)
        return with_gap(BestSubsetPath, path, gap, 2.0 * found.null_loss, path.mean_squared_error)

    def _solve(self, data: NumericData | Moments, most: int, progress: Any) -> tuple[_core.PathPoints, NDArray]:
        """Return the best subsets found and their gaps, relative to the null loss."""
        if isinstance(data, Moments):
            found = solve(_core.best_subsets, data, self.request(most, progress), self.fit_intercept)
            return found, found.gap
        exchange = _core.SubsetRequest(
            most=most,
            direction=_core.Direction.exchange,
            intercept=self.fit_intercept,
            threads=self.threads,
            progress=progress,
        )
        found = solve(_core.greedy_path, data, exchange)
        return found, np.where(found.grid > 0, found.loss / max(found.null_loss, 1e-300), 0.0)

    def _rank_exactly(self, path: SubsetPath, data: NumericData, moments: Moments) -> SubsetPath:
        """Return the path with nearly perfect fits chosen among finalists, by their losses computed from the rows."""
        null, error = null_error(moments, self.fit_intercept), path.mean_squared_error.copy()
        points = np.flatnonzero((path.n_features > 0) & (error < NEARLY_PERFECT * null))
        if not len(points):
            return path
        coef, intercept = path.coef_sparse.tolil(), path.intercept.copy()
        for p in points.tolist():
            request = _core.NearRequest(
                k=int(path.n_features[p]),
                loss=0.5 * error[p] + ROUNDING * null,
                most=MOST_FINALISTS,
                seconds=min(self.seconds, FOR_PROOFS * time_left()),
                threads=self.threads,
                intercept=self.fit_intercept,
            )
            found = call(_core.near_subsets, moments, request, self.fit_intercept)
            subsets: list[NDArray] = [
                path.subset(p),
                *(np.split(found.index, found.start[1:-1]) if len(found.loss) else []),
            ]
            if not is_affordable(data, subsets):
                continue
            errors = exact_errors(data, subsets, self.fit_intercept)
            ties = np.flatnonzero(errors <= errors.min() * (1 + 1e-9)).tolist()
            best = np.array(min(sorted(subsets[e].tolist()) for e in ties))
            values, intercept[p], error[p] = exact_fit(data, best, self.fit_intercept)
            coef[p] = 0
            coef[p, best] = values
        return replace(path, coef_sparse=coef.tocsr(), intercept=intercept, mean_squared_error=error)

    def uses_moments(self, data: NumericData) -> bool:
        """Return True if the search uses second moments, with which a bound or proof is possible."""
        return data.n_features <= MOST_COLUMNS and data.n_rows > data.n_features

    def fold_paths(
        self, data: NumericData | Summaries[Moments], splits: Any, path: BestSubsetPath, options: Any
    ) -> Any:
        """Return the fold paths; the folds share the time budget and need no proof."""
        return squared_loss_folds(replace(self, seconds=self.seconds / len(splits)), data, splits, path, options)


class BestSubsetRegressor(SubsetRegressor):
    r"""Least squares on the best subset of the features, the one with the least loss among all subsets of size k.

    .. math:: \min_{b, \beta} \; \tfrac12 \sum_i w_i (y_i - b - x_i^T \beta)^2 \quad \text{with at most k coefficients
       that are not zero}

    Exchanges of single features find a good subset. Branch and bound then proves that no subset is better, or finds a
    better one. Bounds come from splitting the second moments G = Q + D with a diagonal D as large as possible (the
    perspective relaxation). They rule out most features at once, which allows a tighter split of the remaining ones,
    and so on. If time runs out, `gap_` bounds how much better another subset may be.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. Coded columns enter singly: `k`
    and `near_ties_` count coded columns, `subset_` the columns of the table that they come from. The coding is learned
    from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    k : int or rule, default "bic"
        Number of features: a number, or ``"bic"``, ``"aic"``, ``"ebic"``, ``"loo"`` (with the subset fixed), ``"cv"``,
        ``"1se"`` or ``"holdout"``. The last three repeat the search in each fold.
    max_features : int, default 12
        Number of features of the largest model a rule may select; fewer if the shape of X does not allow that many.
    time_budget : float, default 60
        Time limit of the search in seconds, after which the best subset so far is used.
    near_ties : float, default 0.01
        Subsets of the same size are listed in `near_ties_` if their mean squared error exceeds the best by at most this
        fraction; 0 lists only the best and skips the search for others.
    max_ties : int, default 100
        Maximum number of near ties to list.
    fit_intercept : bool, default True
    cv, scoring, random_state
        As in scikit-learn, for rules that resample.
    n_jobs : int, optional
        Number of threads; all available by default. Certified results do not depend on it.
    verbose : bool, optional
        Whether to show a progress bar; by default, for long fits on a terminal.

    Attributes
    ----------
    coef_ : ndarray of shape (n_columns,)
        Zero outside the subset. One entry per feature, or per coded column.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `coef_` refers to.
    intercept_ : float
    k_ : int
    subset_ : ndarray of int
        Indices of the selected features.
    certified_ : bool
        True if it is proven that no subset of this size has a smaller loss.
    gap_ : float
        Upper bound on how far the mean squared error is above the least possible, as a fraction of it; 0 if certified.
    near_ties_ : data frame, or dict of columns if no data frame library is installed
        Subsets of this size that do nearly as well: features, mean squared error, and how far it is above the best.
    near_ties_complete_ : bool
        True if all near ties are listed.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : BestSubsetPath
        Best subset found for each size, with its gap.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    Notes
    -----
    A proof is attempted if samples outnumber features and there are at most 600 features; up to 1,500, the gap is
    relative to the fit on all features. With more features or too few samples, only exchanges are made, from the
    samples: `certified_` is False and `gap_` is 1, since there is no bound on the least possible loss. Certificates
    hold up to rounding, 1e-10 of the variance of the target, and for subsets of linearly independent features. Where
    this is too coarse, as for nearly perfect fits, up to 100 finalists are compared by orthogonal factorization of the
    samples. Exact ties are broken by column order.

    References
    ----------
    Furnival & Wilson (1974), Regressions by leaps and bounds, Technometrics 16(4), 499-511. Günlük & Linderoth (2010),
    doi:10.1007/s10107-010-0360-z. Dong, Chen & Linderoth (2015), arXiv:1510.06083. Zhu et al. (2020),
    doi:10.1073/pnas.2014241117, for exchanges. Honorio, CS 578 Statistical Machine Learning, lecture 7.

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
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
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

    def _family(self, _data: Any) -> BestFamily:
        return BestFamily.of(self)

    def _point(self, path: BestSubsetPath, index: int) -> dict[str, Any]:
        rows: Any = path.data
        moments: Moments | None = rows
        if isinstance(rows, NumericData):
            moments = Moments.of(rows) if self._family(rows).uses_moments(rows) else None
        ranking = ExactRanking.where_needed(self, rows, moments, float(path.mean_squared_error[index]))
        return {**super()._point(path, index), **certificate(self, _core.near_subsets, moments, path, index, ranking)}
