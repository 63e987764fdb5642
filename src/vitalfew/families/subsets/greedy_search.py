"""Greedy feature selection for any estimator: adds or removes one feature at a time by scores on held-out samples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from vitalfew.data.samples.numeric_data import check_squares
from vitalfew.data.tables.feature_names import check_features, column_mask
from vitalfew.data.tables.frames import NumberedNames, as_frame, check_shape
from vitalfew.data.tables.sparse_checks import sparse_rows
from vitalfew.exceptions import UnfinishedWarning
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.fitted_criteria import FittedCriteria
from vitalfew.families.linear.feature_groups import check_groups
from vitalfew.families.path_estimator import check_validation
from vitalfew.families.selector import Selector
from vitalfew.families.subsets.greedy import DIRECTIONS
from vitalfew.families.subsets.leave_one_out_scores import LeaveOneOutEvaluator
from vitalfew.families.subsets.search_walk import SearchPath, Walk
from vitalfew.families.subsets.subset_model import check_enough
from vitalfew.families.subsets.subset_scores import (
    OutOfTime,
    RefittingEvaluator,
    ScoreBook,
    ValidationEvaluator,
    make_evaluator,
)
from vitalfew.rules.criteria import BITS, Bits, log_binomial, log_star
from vitalfew.rules.point_criteria import PointCriteria
from vitalfew.rules.prefitted import warn_if_prefitted
from vitalfew.rules.registry import check_rule_name, rule_name
from vitalfew.rules.resampling import holdout_split, make_splitter, select_from_folds
from vitalfew.rules.selection import Selection, frame_or_columns
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_discrete, is_count
from vitalfew.support.deadline import time_left
from vitalfew.support.progress import progress

RULES = ("cv", "1se", "holdout", "loo")
SELECT_BY = ("training", "cv", "loo")
# Fraction of the time to a deadline that the search may use; the rest is for the final fit.
FOR_THE_SEARCH = 0.9


def read_rows(X: Any) -> Any:
    """Return a table whose rows and columns can be indexed; sparse matrices become CSR or CSC."""
    if sparse.issparse(X):
        check_shape(X.shape, 1)
        return sparse_rows(X)
    if as_frame(X) is None:
        X = X if hasattr(X, "shape") else np.asarray(X)
        check_shape(X.shape, 1)
    return X


def check_range(y: Any, is_classification: bool) -> None:
    """Check that numeric targets are not so large that scikit-learn overflows; the estimator checks other targets."""
    check_given(y, "y")
    target = np.asarray(y)
    if target.dtype.kind == "O" and all(isinstance(v, float) for v in target.ravel().tolist()):
        target = target.astype(float)
    if target.dtype.kind == "f" and np.isfinite(target).all():
        if is_classification:
            check_discrete(target)
        else:
            check_squares(target.ravel().astype(float))


def _estimator_has(name: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "best_estimator_", self.estimator), name))


class GreedySearch(MetaEstimatorMixin, Selector, FittedCriteria, BaseEstimator):
    """Greedy feature selection for any scikit-learn estimator.

    A forward step adds each remaining feature in turn to the selected ones, fits the estimator, scores it on held-out
    samples (or as `select_by` says), and keeps the feature with the best score. A backward step removes the feature
    without which the score is best. With ``direction="both"``, after each forward step, features are removed as long as
    the smaller set improves on the best of its size. The number of features is selected by a rule.

    Scores are cached: no set is fitted twice, however the search reaches it. With a `checkpoint`, they are written to a
    file as they are computed, and a search that was stopped or killed resumes where it was. If the estimator is
    :class:`~vitalfew.Ridge` with a fixed penalty, nothing is refitted: the scores are computed from the second moments
    of the folds and equal those of refitting. If it is :class:`~vitalfew.NaiveBayes`, one fit per fold serves all sets
    of features, by adding up the evidence of each feature.

    Parameters
    ----------
    estimator : estimator
    k : int or {"cv", "1se", "holdout", "loo"}, default "cv"
        Number of variables: a number; the one with the best cross-validation score; the smallest within one standard
        error of that; the one with the best score on held-out samples (the split that `cv` gives, or a quarter); or the
        one whose leave-one-out predictions have the best score, by the formula of the estimator if there is one, see
        :func:`~vitalfew.loo_predict`.
    direction : {"forward", "backward", "both"}, default "forward"
    select_by : {"training", "cv", "loo"}, optional
        Score that decides which variable enters or leaves: on the training samples, over folds, or by leave-one-out
        predictions. By default the score that `k` uses. ``GreedySearch(model, "loo", select_by="training")`` is the
        algorithm of the lecture: add the feature with the lowest training error, and stop by leave-one-out.
    start : list of column names or indices, optional
        Variables to start with. A forward search never removes them; a backward search starts with them instead of
        all variables.
    feature_groups : array-like of shape (n_features,) or list of lists, optional
        Columns that form one variable and enter or leave together; `k` counts variables.
    max_features : int, optional
        Number of variables of the largest set that a rule may select; all by default. A backward search still starts
        with all variables.
    patience : int or None, default 3
        If `k` is a rule, a forward search stops after this many consecutive steps without a better score.
    scoring : str or callable, optional
        As in scikit-learn; the estimator's own score by default.
    cv : int, splitter or iterable, default 5
    time_budget : float, optional
        Time limit in seconds, after which the best subset so far is used, with a warning.
    checkpoint : path, optional
        File that stores the scores. It belongs to one search: it is rejected if the data, folds, scoring or estimator
        differ, or the versions of vitalfew, NumPy, SciPy or scikit-learn. An estimator is identified by its class, the
        code of the class, and its parameters; functions are identified together with everything they refer to. A
        checkpoint is also rejected if any of these parts cannot be identified, such as an open file.
    random_state : int, optional
        Seed of the split of ``"holdout"``, and of the folds if `cv` is their number; 0 by default.
    n_jobs : int, optional
        Number of candidates fitted in parallel, as in scikit-learn.
    verbose : bool, optional
        Whether to show a progress bar with the best score so far; by default, for long searches on a terminal.

    Attributes
    ----------
    best_estimator_ : estimator
        Estimator fitted on all samples with the selected features.
    subset_ : ndarray of int
        Indices of the selected columns.
    k_ : int
        Selected number of variables.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : SearchPath
        Best set found for each size (``to_frame()``).
    history_ : data frame, or dict of columns if no data frame library is installed
        One row per step: the feature added or removed, the score, and the number of candidates tried.
    n_fits_, n_cached_ : int
        Number of sets scored, and number of sets found in the cache or the checkpoint.
    is_complete_ : bool
        False if the time ran out.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    Notes
    -----
    The scores guide the search, so the best of them is optimistic: it does not estimate the error of the final model.
    Score the final model on samples that took no part in the search.

    References
    ----------
    Guestrin, 10-701 Machine Learning, February 8, 2006. Pudil, Novovičová & Kittler (1994),
    doi:10.1016/0167-8655(94)90127-9.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from vitalfew import GreedySearch
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(150, 6))
    >>> y = X[:, 1] - 2 * X[:, 4] + 0.1 * rng.normal(size=150)
    >>> GreedySearch(KNeighborsRegressor(), k="cv").fit(X, y).subset_
    array([1, 4])
    """

    def __init__(
        self,
        estimator: Any,
        k: int | str = "cv",
        *,
        direction: str = "forward",
        select_by: str | None = None,
        start: Sequence[str | int] | None = None,
        feature_groups: Any = None,
        max_features: int | None = None,
        patience: int | None = 3,
        scoring: Any = None,
        cv: Any = 5,
        time_budget: float | None = None,
        checkpoint: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.estimator = estimator
        self.k = k
        self.direction = direction
        self.select_by = select_by
        self.start = start
        self.feature_groups = feature_groups
        self.max_features = max_features
        self.patience = patience
        self.scoring = scoring
        self.cv = cv
        self.time_budget = time_budget
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, validation: Any = None) -> Self:
        """Search, select the number of features by the rule, and refit with these features on all samples.

        ``k="holdout"`` scores on the samples `validation`, a tuple (X, y), if they are given.
        """
        self._check_parameters()
        warn_if_prefitted(self.estimator, "estimator")
        X = read_rows(X)
        check_features(self, X)
        check_range(y, is_classifier(self.estimator))
        names = list(getattr(self, "feature_names_in_", NumberedNames(self.n_features_in_)))
        variables = self._variables(names)
        most = self._most(len(variables))
        held = None if validation is None else self._check_validation(validation)
        judge, guide = self._evaluators(X, y, sample_weight, held)
        seconds = min(np.inf if self.time_budget is None else float(self.time_budget), FOR_THE_SEARCH * time_left())
        deadline = time.perf_counter() + seconds
        start = self._start(variables, names)
        with (
            progress(None, "greedy search", self.verbose) as bar,
            ScoreBook(guide, self.checkpoint, deadline, bar) as book,
            ScoreBook(judge, None, deadline, bar) as other,
        ):
            patience = self.patience if isinstance(self.k, str) else None
            walk = Walk(book, book if judge is guide else other, variables, names, most, patience, start)
            try:
                walk.run(self.direction, 0 if isinstance(self.k, str) else int(self.k))
                is_complete = True
            except OutOfTime:
                is_complete = False
        if max(walk.best, default=0) == 0 and most > 0:
            raise ValueError(f"time_budget={seconds:g} s ran out before the first step was completed; increase it.")
        if not is_complete:
            warnings.warn(
                f"time_budget={seconds:g} s ran out after {len(walk.history)} steps; the best subset so far "
                "is used. Increase time_budget, or pass a checkpoint to continue from.",
                UnfinishedWarning,
                stacklevel=2,
            )
        if isinstance(self.k, str):
            walk.best = {size: found for size, found in walk.best.items() if size <= most}
        if not walk.best:
            raise ValueError(
                f"time_budget={seconds:g} s ran out while all sets still had more than max_features={most} features; "
                "increase time_budget, or use direction='forward'."
            )
        walk.judge.deadline = None  # the sets found so far are still compared
        path = walk.path()
        selection = self._select(path)
        if isinstance(judge, LeaveOneOutEvaluator) and isinstance(self.k, str):
            selection = replace(selection, note=judge.how(path.at(selection.index)))
        return self._keep(path, selection, walk, is_complete, X, y, sample_weight)

    @_estimator_has("predict")
    def predict(self, X: Any) -> Any:
        """Return the predictions of the fitted estimator on the selected features."""
        return self.best_estimator_.predict(self._chosen(X))

    @_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of the fitted estimator on the selected features."""
        return self.best_estimator_.predict_proba(self._chosen(X))

    @_estimator_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Return the decision function of the fitted estimator on the selected features."""
        return self.best_estimator_.decision_function(self._chosen(X))

    @_estimator_has("score")
    def score(self, X: Any, y: Any) -> Any:
        """Score the fitted estimator on the selected features."""
        check_given(y, "y")
        return self.best_estimator_.score(self._chosen(X), y)

    @property
    def classes_(self) -> NDArray:
        """Classes of the fitted estimator."""
        check_is_fitted(self)
        return self.best_estimator_.classes_

    @property
    def support_(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.subset_] = True
        return mask

    def _fitted_criteria(self) -> PointCriteria:
        """Return the criteria of the estimator on the selected features."""
        return self._with_likelihood()._fitted_criteria()

    @property
    def description_length_(self) -> Bits:
        """Bits of the target given the model, and of the model, with those of the selected set."""
        inner, k = self._with_likelihood(), len(self.subset_)
        found = inner.description_length_
        of_size = 0.0 if isinstance(inner, NaiveBayes) else float(log_star(k))  # its code has this term
        return Bits(found.data, found.model + BITS * (of_size + float(log_binomial(self.n_features_in_, k))))

    def _with_likelihood(self) -> FittedCriteria:
        check_is_fitted(self)
        if not isinstance(self.best_estimator_, FittedCriteria):
            raise AttributeError(f"the likelihood of {type(self.best_estimator_).__name__} is not known.")
        return self.best_estimator_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type, tags.classifier_tags, tags.regressor_tags = (
            inner.estimator_type,
            inner.classifier_tags,
            inner.regressor_tags,
        )
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def _check_parameters(self) -> None:
        check_choice("direction", self.direction, DIRECTIONS)
        if self.select_by is not None:
            check_choice("select_by", rule_name(self.select_by), SELECT_BY)
        if isinstance(self.k, str):
            check_rule_name("k", self.k, RULES, "a number", "GreedySearch")
        elif not is_count(self.k):
            raise ValueError(f"k must be an integer number of features or a rule, got {self.k!r}.")
        if self.time_budget is not None and not self.time_budget > 0:
            raise ValueError(f"time_budget must be None or a positive number of seconds, got {self.time_budget!r}.")

    def _variables(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        group = check_groups(self.feature_groups, self.n_features_in_, names)
        if group is None:
            return [(j,) for j in range(self.n_features_in_)]
        return [tuple(np.flatnonzero(group == g).tolist()) for g in range(int(group.max()) + 1)]

    def _most(self, n_variables: int) -> int:
        if not isinstance(self.k, str):
            check_enough(self.k, n_variables)
            return int(self.k)
        return n_variables if self.max_features is None else min(int(self.max_features), n_variables)

    def _check_validation(self, validation: Any) -> tuple[Any, Any]:
        if rule_name(self.k) != "holdout":
            raise ValueError(f"validation has an effect only on k='holdout', got k={self.k!r}.")
        X, y = check_validation(self, validation)
        return read_rows(X), y

    def _evaluators(
        self, X: Any, y: Any, sample_weight: Any, held: Any
    ) -> tuple[RefittingEvaluator, RefittingEvaluator]:
        """Return what scores the sets for `k`, and what decides which variable enters or leaves."""
        scorer = check_scoring(self.estimator, self.scoring)
        by_k = rule_name(self.k) if rule_name(self.k) in ("loo", "holdout") else "cv"
        by_step = rule_name(self.select_by) or by_k
        made: dict[str, RefittingEvaluator] = {}
        for kind in {by_k, by_step} if isinstance(self.k, str) else {by_step}:
            if kind == "loo":
                made[kind] = LeaveOneOutEvaluator(self.estimator, X, y, sample_weight, scorer, self.n_jobs)
            elif kind == "holdout" and held is not None:
                made[kind] = ValidationEvaluator(self.estimator, X, y, sample_weight, held, scorer, self.n_jobs)
            else:
                splits = self._splits(kind, y)
                made[kind] = make_evaluator(self.estimator, X, y, sample_weight, splits, scorer, self.n_jobs)
        return made.get(by_k, made[by_step]), made[by_step]

    def _splits(self, kind: str, y: Any) -> list[tuple[NDArray, NDArray]]:
        rows = np.arange(_num_samples(y))
        if kind == "training":
            return [(rows, rows)]
        is_classified = is_classifier(self.estimator)
        if kind == "holdout":
            return [holdout_split(self.cv, self.random_state, y, is_classified)]
        return list(make_splitter(self.cv, self.random_state, y, is_classified).split(rows, y))

    def _start(self, variables: Any, names: Sequence[str]) -> tuple[int, ...] | None:
        """Return the variables to start with."""
        if self.start is None:
            return None
        columns = set(np.flatnonzero(column_mask(self.start, names, "start")).tolist())
        chosen = tuple(v for v, own in enumerate(variables) if columns.intersection(own))
        partly = [v for v in chosen if not columns.issuperset(variables[v])]
        if partly:
            raise ValueError(f"start must hold whole groups, but holds only a part of group {partly[0]}.")
        self._check_reach(len(chosen))
        return chosen

    def _check_reach(self, n_first: int) -> None:
        """Check that a search from a start of this many variables can end at the size that `k` asks for."""
        least = 1 if isinstance(self.k, str) else int(self.k)
        if self.direction == "backward":
            if n_first < least:
                raise ValueError(
                    f"a backward search cannot reach k={least} variables from the {n_first} of start; pass a larger "
                    "start, or use direction='forward'."
                )
            return
        name, most = ("max_features", self.max_features) if isinstance(self.k, str) else ("k", self.k)
        if most is not None and most < n_first:
            raise ValueError(f"{name}={most} is less than the {n_first} variables of start.")

    def _select(self, path: SearchPath) -> Selection:
        scoring = self.scoring if isinstance(self.scoring, str) else "score"
        if isinstance(self.k, str):
            return select_from_folds(rule_name(self.k), path, path.scores.T, scoring)
        index = int(np.argmin(np.abs(path.grid - int(self.k))))
        curve = select_from_folds("cv", path, path.scores.T, scoring)
        return replace(curve, rule="fixed", index=index)

    def _keep(self, path: Any, selection: Any, walk: Any, is_complete: Any, X: Any, y: Any, sample_weight: Any) -> Any:
        subset = np.array(path.at(selection.index), dtype=np.intp)
        if len(subset) == 0:
            raise ValueError(
                "no feature improves on the model without features, so none was selected. Set k to a number to select "
                "some anyway."
            )
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        fitted = clone(self.estimator).fit(_safe_indexing(X, subset, axis=1), y, **weights)
        self.best_estimator_, self.subset_ = fitted, subset
        self.k_ = int(path.grid[selection.index])
        self.path_, self.selection_, self.is_complete_ = path, selection, is_complete
        self.n_fits_, self.n_cached_ = walk.guide.n_fits, walk.guide.n_cached
        columns = ("step", "move", "feature", "k", "score", "candidates")
        self.history_ = frame_or_columns({c: np.array([line[c] for line in walk.history]) for c in columns})
        return self

    def _chosen(self, X: Any) -> Any:
        check_is_fitted(self)
        X = read_rows(X)
        check_features(self, X, reset=False)
        return _safe_indexing(X, self.subset_, axis=1)
