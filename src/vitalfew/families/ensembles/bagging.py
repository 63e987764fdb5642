"""`Bagging`: uniform votes of learners fitted to bags of samples."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.feature_names import check_features, validate_array
from vitalfew.data.tables.frames import NumberedNames, check_shape, is_frame
from vitalfew.data.tables.sparse_checks import sparse_rows
from vitalfew.families.ensembles.bagging_path import BaggingFamily, BaggingPath, bag_size
from vitalfew.families.ensembles.learners import make_learner
from vitalfew.families.path_estimator import Chosen, PathEstimator
from vitalfew.families.selector import CheckedScore
from vitalfew.rules.path import ALONE, Run
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_classes, is_count

VOTES = ("label", "probability")


class Bagging(MetaEstimatorMixin, CheckedScore, ClassifierMixin, PathEstimator):
    r"""Uniform votes of learners, each fitted to a bag: samples drawn at random from the training samples.

    The ensemble of learners :math:`h_1, \dots, h_m` gives class c the share

    .. math:: \hat p_c(x) = \sum_{t=1}^{m} \alpha_t \, [h_t(x) = c], \qquad \alpha_t = \frac{1}{m},

    and predicts the class with the largest share; ties go to the first in `classes_`. Averaging reduces the variance of
    the learner, not its bias (see :func:`~vitalfew.bias_variance`): learners that follow their samples closely, such as
    deep trees, gain most.

    A bootstrap sample leaves out about 37% of the samples. Predicting each sample with only the learners that have not
    seen it gives the out-of-bag error, which estimates the error on new samples without further fits.

    scikit-learn's ``BaggingClassifier`` draws the bags and fits the learners: with the same `random_state` the bags are
    the same. Here, however, a learner receives only the samples of its bag. There, a learner that accepts weights also
    receives the others with weight zero and may look at them, as ``SVC`` does for its default `gamma`.

    Parameters
    ----------
    estimator : classifier, {"tree", "stump"} or None, default None
        The base learner: any scikit-learn classifier. By default a deep tree.
    rounds : int or rule, default 100
        Number of learners, or the rule that chooses it: ``"oob"`` (smallest out-of-bag error), ``"cv"``, ``"1se"`` or
        ``"holdout"``. More learners cost only time; a rule finds how few are enough.
    max_rounds : int, default 200
        Maximum number of learners that a rule may choose.
    max_samples : float in (0, 1] or int, default 1.0
        Number of samples in a bag, or their share of all samples.
    bootstrap : bool, default True
        Draw with replacement. Without replacement, a bag is a random subset, which is useful only if it is smaller than
        the whole.
    votes : {"label", "probability"}, default "label"
        A learner gives one vote to the class it predicts, or votes with its probabilities.
    warm_start : bool, default False
        If True, `fit` adds learners to the existing ones, up to `rounds` (or `max_rounds`). The result is the same as
        that of a single fit; the samples must be the same.
    cv, scoring
        As in scikit-learn, for rules; the error is minimized unless `scoring` is given.
    random_state : int, RandomState or None
        Seed for bags, for learners that have a random state themselves, and for folds.
    n_jobs : int, optional
        Number of learners fitted in parallel, as in scikit-learn.
    verbose : bool, optional
        Show a progress bar; by default on a terminal, for long computations.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    rounds_ : int
        Chosen number of learners.
    estimators_ : list of classifiers
        The learners; their classes are indices into `classes_`. For a bag with a single class no learner is fitted: a
        ``DummyClassifier`` votes for that class.
    estimators_samples_ : list of ndarray
        Indices of the samples in the bag of each learner, repeated as often as they were drawn.
    oob_error_ : float
        Out-of-bag error on the samples that some learner has not seen. NaN if there are none.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Vote shares of the learners that have not seen the sample; NaN if all have, or if its weight is zero.
    path_ : BaggingPath
        Out-of-bag error after each round, its standard error, and the share of samples it covers (``to_frame()``,
        ``plot()``).
    selection_ : Selection
        Scores that the rule compared, and its choice (``plot()``, ``to_frame()``).

    Notes
    -----
    With `sample_weight`, samples are drawn in proportion to their weights, so learners need not support weights, and
    errors are weighted means. Weights do not change the size of a bag: it is a share of the number of samples with
    nonzero weight, whatever the weights add up to. (scikit-learn before 1.8 draws samples uniformly and passes the
    weights to the learners, which must accept them.)

    Learners check the contents of `X` themselves: missing values are passed on to them, and so are data frames,
    unchanged, with the names and types of their columns.

    References
    ----------
    Breiman (1996), doi:10.1007/BF00058655. Jaakkola, 6.867 Machine Learning (2006), lecture 12.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import Bagging
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Bagging(rounds=50, random_state=0).fit(X, y)
    >>> model.path_.to_frame().iloc[[0, 9, 49]].round(3)
        round  oob_error  standard_error  share_out
    0       1      0.090           0.020      0.371
    9      10      0.075           0.011      0.988
    49     50      0.042           0.008      1.000
    >>> round(model.oob_error_, 3)
    0.042
    """

    _knob = "rounds"

    def __init__(
        self,
        estimator: Any = None,
        rounds: int | str = 100,
        *,
        max_rounds: int = 200,
        max_samples: float = 1.0,
        bootstrap: bool = True,
        votes: str = "label",
        warm_start: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.estimator = estimator
        self.rounds = rounds
        self.max_rounds = max_rounds
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.votes = votes
        self.warm_start = warm_start
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def predict(self, X: Any) -> NDArray:
        """Return the class with the most votes for each sample."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the votes for each class."""
        return deque(self.staged_predict_proba(X), maxlen=1).pop()

    def staged_predict(self, X: Any) -> Iterator[NDArray]:
        """Yield the class with the most votes after each round."""
        for shares in self.staged_predict_proba(X):
            yield self.classes_[shares.argmax(axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the share of the votes for each class after each round."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        return self.path_.staged(table, self.rounds_, self.n_jobs)

    def plot_error(self) -> Any:
        """Plot the out-of-bag error over rounds, one standard error either way, and the chosen round with Altair."""
        check_is_fitted(self)
        return self.path_.selection(self.selection_.rule, self.selection_.index).plot()

    @property
    def estimators_(self) -> list:
        check_is_fitted(self)
        return self.path_.at(self.selection_.index)

    @property
    def estimators_samples_(self) -> list[NDArray]:
        check_is_fitted(self)
        bags = self.path_.bags[: self.rounds_]
        return [bag.astype(np.intp) if self._in_use is None else self._in_use[bag] for bag in bags]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(make_learner(self.estimator))
        for name in ("sparse", "allow_nan", "categorical", "string"):
            setattr(tags.input_tags, name, getattr(inner.input_tags, name))
        if inner.classifier_tags is not None:  # the votes of poor learners may be poor as well
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "path_")

    def _check_parameters(self) -> None:
        rules.check_rule("rounds", self.rounds, BaggingPath, "a number of learners")
        for name in ("rounds", "max_rounds"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (is_count(value) and value >= 1):
                raise ValueError(f"{name} must be an integer number of learners >= 1, got {value!r}.")
        check_choice("votes", self.votes, VOTES)
        learner = make_learner(self.estimator)
        if self.votes == "probability" and not hasattr(learner, "predict_proba"):
            raise ValueError(
                f"votes='probability' requires predict_proba, which {learner!r} does not have; use votes='label'."
            )

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> NumericData:
        table = self._table(X, reset=True)
        names = getattr(self, "feature_names_in_", NumberedNames(table.shape[1]))
        data = NumericData.of_matrix(table, names, y, sample_weight, is_classification=True)
        check_classes(data.classes)
        if data.weight is not None and (data.weight == data.weight[0]).all():
            data = replace(data, weight=None)  # bags depend on the ratios of weights only
        if data.weight is not None and not self.bootstrap:
            raise ValueError(
                "bootstrap=False draws each row at most once, so it cannot follow sample_weight; use bootstrap=True."
            )
        self._check_bag(data.n_rows)
        return data

    def _with_validation(self, data: NumericData, X: Any, y: Any) -> NumericData:
        return replace(data, validation=data.of_held_out(self._table(X, reset=False), y))

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Return the samples in the form that learners receive; learners check the contents. A data frame stays one."""
        check_given(X)
        if is_frame(X):
            check_shape(X.shape, 1)
            check_features(self, X, reset=reset)
            return X
        if sparse.issparse(X):
            X = sparse_rows(X)
        return validate_array(self, X, reset=reset, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False)

    def _check_bag(self, n_rows: int) -> None:
        size = self.max_samples
        is_number = isinstance(size, Integral) and not isinstance(size, bool) and size >= 1
        is_share = isinstance(size, Real) and not isinstance(size, Integral) and 0 < size <= 1
        if not (is_number or is_share):
            raise ValueError(f"max_samples must be a fraction in (0, 1] or a number of rows, got {size!r}.")
        if not self.bootstrap and bag_size(size, n_rows) > n_rows:
            raise ValueError(
                f"max_samples={size} exceeds the {n_rows} rows to draw from without replacement; draw fewer."
            )

    @property
    def _most(self) -> int:
        return int(self.max_rounds if isinstance(self.rounds, str) else self.rounds)

    def _family(self, _data: Any) -> BaggingFamily:
        return BaggingFamily.of(self, make_learner(self.estimator), self._most)

    def _run(self, data: NumericData) -> Run:
        if not self.warm_start or not hasattr(self, "path_"):
            return ALONE
        before: BaggingPath = self.path_
        now = (data.n_rows, data.n_features, np.asarray(data.classes).tolist(), self.votes)
        then = (len(before.curve.tally.times), before.n_columns, before.classes.tolist(), before.votes)
        for name, first, got in zip(("rows", "features", "classes", "votes"), then, now):
            if first != got:
                raise ValueError(
                    f"warm_start=True adds rounds to the previous fit and requires the same data and settings: it had "
                    f"{name}={first!r}, got {got!r}. Use warm_start=False to start again."
                )
        if self._most < len(before.grid):
            raise ValueError(
                f"warm_start=True cannot remove rounds: {len(before.grid)} are fitted, got rounds={self._most}. Use "
                "warm_start=False to start again."
            )
        return Run(previous=before)

    def _attributes(self, chosen: Chosen, data: NumericData) -> dict[str, Any]:
        path, rounds = chosen.path, int(chosen.path.grid[chosen.index])
        in_use = None if data.given is None else data.given.kept
        rows, shares = path.oob_shares(rounds)
        n_given = data.n_rows if data.given is None else len(data.given.y)
        out_of_bag = np.full((n_given, len(path.classes)), np.nan)
        out_of_bag[rows if in_use is None else in_use[rows]] = shares
        return {
            "classes_": path.classes,
            "rounds_": rounds,
            "oob_decision_function_": out_of_bag,
            "oob_error_": float(path.curve.error[rounds - 1]),
            "_in_use": in_use,
        }
