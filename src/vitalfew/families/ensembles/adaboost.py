"""AdaBoost in its textbook form, with stumps, trees or any classifier, and with its theoretical bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.coding.bins import BinCoder, to_dense
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.data.samples.labeled import LabeledRows, read_rows
from vitalfew.data.tables.feature_names import check_features
from vitalfew.exceptions import GuessingWarning
from vitalfew.families.ensembles.boost_learners import check_learner
from vitalfew.families.ensembles.boost_likelihood import boost_likelihood
from vitalfew.families.ensembles.boost_path import BoostFamily, BoostPath, Data
from vitalfew.families.path_estimator import Chosen, PathEstimator, check_validation, unchanged_on_failure
from vitalfew.families.selector import CheckedScore, Selector
from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.rules.path import Run
from vitalfew.rules.point_criteria import PointCriteria, describe, two_part_code
from vitalfew.support.arrow import check_given
from vitalfew.support.caller import warn_caller
from vitalfew.support.checks import check_choice, check_classes, check_threads

FORMS = ("auto", "ova", "samme")
VOTES = ("sign", "confidence")
LOSSES = ("exponential", "logistic")
# Maximum number of boosting rounds listed as text.
MOST_ROUNDS = 20


class AdaBoost(Selector, CheckedScore, ClassifierMixin, PathEstimator):
    r"""AdaBoost: weak classifiers fitted in sequence, each on samples weighted by the errors of the earlier ones.

    With labels :math:`y_i = \pm 1` and equal initial weights, round t finds the base classifier :math:`h_t` with the
    smallest weighted error :math:`\epsilon_t`, gives it the vote :math:`\alpha_t` and updates the weights,

    .. math::

       \alpha_t = \tfrac12 \log \frac{1 - \epsilon_t}{\epsilon_t}, \qquad
       w_i \leftarrow \frac{w_i \exp(-\alpha_t y_i h_t(x_i))}{Z_t}, \qquad
       h(x) = \mathrm{sign} \sum_t \alpha_t h_t(x).

    The training error is at most :math:`\prod_t Z_t \le \exp(-2 \sum_t (\tfrac12 - \epsilon_t)^2)`.

    Parameters
    ----------
    rounds : int or rule, default 100
        Number of rounds, or the rule that chooses it: ``"cv"``, ``"1se"`` or ``"holdout"``.
    estimator : {"stump", "tree"} or classifier, default "stump"
        The base classifier. ``"stump"`` is compiled: the sums of weights in the bins of the features are updated only
        for samples whose weight changes relative to their class. A classifier must accept ``sample_weight`` unless
        `resample` is set.
    votes : {"sign", "confidence"}, default "sign"
        A base classifier votes -1 or 1, or with half the log-odds on the side of a stump (or of its ``predict_proba``);
        in the latter case :math:`\alpha_t` minimizes :math:`Z_t = \sum_i w_i \exp(-\alpha_t y_i h_t(x_i))`.
    loss : {"exponential", "logistic"}, default "exponential"
        With the logistic loss :math:`\sum_i \log(1 + \exp(-y_i h(x_i)))` the weights are
        :math:`1 / (1 + \exp(y_i h(x_i)))`, and each vote minimizes the loss: logistic regression on features that are
        found along the way.
    multiclass : {"auto", "ova", "samme"}, default "auto"
        Strategy for more than two classes. ``"ova"``: each class against all others, the simplest error-correcting
        code; the class with the highest score wins. ``"samme"``: base classifiers vote for classes and must be
        better than :math:`1 / K`; the vote is :math:`\log((1 - \epsilon_t) / \epsilon_t) + \log(K - 1)`. Plain
        AdaBoost.M1 would stop when no stump is right for half the samples. ``"auto"`` is ``"ova"`` for stumps, else
        ``"samme"``.
    resample : bool, default False
        Boosting by resampling: fit each base classifier to n samples drawn with replacement, with the weights as
        probabilities, instead of to weighted samples. Any classifier can be boosted this way, pipelines included;
        errors and votes are those on the weighted samples. A classifier no better than guessing is drawn again, up to
        ten times.
    max_rounds : int, default 500
        Maximum number of rounds that a rule may choose.
    max_bins : int, default 255
        Number of bins of a numeric column, up to 65,535. A column with no more distinct values is searched exactly; in
        others, the first and last bin are if they separate the classes.
    categorical_features : array-like, optional
        Categorical columns by index, name or mask, in addition to text columns; a stump on one chooses a set of values.
    warm_start : bool, default False
        If True, `fit` continues from the rounds of the previous fit, on the same samples.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the error is minimized unless `scoring` is given. `random_state`
        also seeds base classifiers and draws.
    n_jobs : int, optional
        Number of threads for stumps; all by default. Results do not depend on it.
    verbose : bool, optional
        Show a progress bar; by default on a terminal, for long computations.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    rounds_ : int
        Number of rounds in use.
    alpha_ : ndarray
        Votes, divided by their sum; with ``"ova"`` a list of arrays, one for each class.
    support_ : ndarray of bool, shape (`n_features_in_`,)
        Mask of the features in use; all of them for base classifiers that do not report theirs.
    path_ : BoostPath
        All rounds: ``to_frame()`` has :math:`\epsilon_t, \alpha_t, Z_t`, the product of the latter, the bounds,
        training and validation error; ``runs[0].margins`` has the distribution of margins.
    selection_ : Selection
        Scores that the rule compared, and its choice (``plot()``, ``to_frame()``).
    stop_reason_ : str
        Reason why boosting stopped.

    Notes
    -----
    Missing values go to the better side of a stump. If a base classifier makes no mistake, its vote is computed as if
    it were wrong on half a sample, and boosting stops; if none is better than guessing, boosting stops without it.

    References
    ----------
    Freund & Schapire (1997), doi:10.1006/jcss.1997.1504; Schapire & Singer (1999), doi:10.1023/A:1007614523901; Zhu et
    al. (2009), doi:10.4310/SII.2009.v2.n3.a8; Collins, Schapire & Singer (2002), doi:10.1023/A:1013912006537; Jaakkola,
    6.867 Machine Learning (2006), lecture 12; Guestrin, 10-701 Machine Learning, February 8, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import AdaBoost
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = AdaBoost(rounds=20).fit(X[:400], y[:400])
    >>> round(model.score(X[400:], y[400:]), 2)
    0.95
    >>> model.path_.to_frame()["stump"][0]
    'worst perimeter > 105.15: -1, else +1'
    """

    _knob = "rounds"
    path_: BoostPath

    def __init__(
        self,
        rounds: int | str = 100,
        *,
        estimator: Any = "stump",
        votes: str = "sign",
        loss: str = "exponential",
        multiclass: str = "auto",
        resample: bool = False,
        max_rounds: int = 500,
        max_bins: int = 255,
        categorical_features: Any = None,
        warm_start: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.rounds = rounds
        self.estimator = estimator
        self.votes = votes
        self.loss = loss
        self.multiclass = multiclass
        self.resample = resample
        self.max_rounds = max_rounds
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, validation: Any = None) -> Self:
        """Run the boosting rounds, then let the rule choose how many to use.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        validation : tuple (X, y), optional
            Validation set, on which the error is reported after every round. The rule ``"holdout"`` chooses the rounds
            by this error, instead of that of held-out samples of `X`; otherwise it does not influence the fit.
        """
        is_chosen = validation is not None and rules.rule_name(self.rounds) == "holdout"
        with unchanged_on_failure(self):
            self._fit(X, y, sample_weight, validation if is_chosen else None)
            if validation is not None:
                held = check_validation(self, validation)
                self.path_ = replace(self.path_, validation_error=self._validate(self.path_, *held))
        return self

    def _check_parameters(self) -> None:
        rules.check_rule("rounds", self.rounds, BoostPath, "a number of rounds")
        for name in ("rounds", "max_rounds"):
            value = getattr(self, name)
            if not isinstance(value, str) and (not isinstance(value, Integral) or value < 1):
                raise ValueError(f"{name} must be a positive integer, got {value!r}.")
        check_choice("votes", self.votes, VOTES)
        check_choice("loss", self.loss, LOSSES)
        check_choice("multiclass", self.multiclass, FORMS)
        if not isinstance(self.resample, bool | np.bool_):
            raise ValueError(f"resample must be True or False, got {self.resample!r}.")
        if self.warm_start and isinstance(self.rounds, str):
            raise ValueError("warm_start=True requires rounds to be a number, not a rule.")

    def _learner(self) -> Any:
        """Return the base learner: "stump", or a classifier."""
        if self.estimator == "tree":
            return DecisionTree(n_jobs=self.n_jobs, verbose=False)
        if isinstance(self.estimator, str):
            check_choice("estimator", self.estimator, ("stump", "tree"))
            own = {"categorical_features": self.categorical_features, "n_jobs": self.n_jobs}
            return Stump(max_bins=self.max_bins, **own) if self.resample else self.estimator
        check_learner(self.estimator, is_resampled=self.resample)
        return self.estimator

    @property
    def _reads_bins(self) -> bool:
        """True if the base learner is compiled and reads bins, which are made once."""
        return self.estimator == "tree" or (isinstance(self.estimator, str) and not self.resample)

    def _run(self, _data: Any) -> Run:
        return Run(previous=self.path_ if self.warm_start and hasattr(self, "path_") else None)

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Data:
        before = self._run(None).previous
        data: Data
        if self._reads_bins:
            known = None if before is None else before.coder
            coder = known or BinCoder(self.max_bins, self.categorical_features, check_threads(self.n_jobs))
            is_tree = self.estimator == "tree"
            data = BinnedData.read(X, y, sample_weight, coder, is_fitted=known is not None, presence=is_tree)
            if self.estimator == "tree":
                data = replace(data, bins=to_dense(data.bins))
        else:
            data = LabeledRows.read(X, y, sample_weight)
        check_classes(data.classes)
        if before is not None and not np.array_equal(before.classes, data.classes):
            raise ValueError("y has other classes than in the previous fit; set warm_start=False to start again.")
        check_features(self, X)
        return data

    def _family(self, data: Data) -> BoostFamily:
        n_classes = len(data.classes)
        learner = self._learner()
        form = self.multiclass
        if form == "auto":
            form = "ova" if self.estimator == "stump" else "samme"
        if n_classes == 2:
            form = "two"
        elif self.votes == "confidence" or self.loss == "logistic":
            form = "ova"  # both are defined for two classes only
        return BoostFamily(
            learner,
            int(self.max_rounds if isinstance(self.rounds, str) else self.rounds),
            form,
            self.votes == "confidence",
            self.loss,
            check_threads(self.n_jobs),
            self.random_state,
            self.verbose,
            self.resample,
        )

    def _validate(self, path: BoostPath, X: Any, y: Any) -> NDArray[np.float64]:
        """Return the error on held-out samples after each round."""
        check_given(y, "y")
        y = np.asarray(y)
        rows = self._rows(X, path)
        if len(y) != (rows.n_rows if path.coder is not None else rows.shape[0]):
            raise ValueError("validation must be a pair (X, y) with the same number of rows.")
        return np.array([np.mean(path.classes[path.decide(scores)] != y) for scores in path.staged(rows)])

    def _attributes(self, chosen: Chosen, _data: Any) -> dict[str, Any]:
        path, rounds = chosen.path, int(chosen.selection.value)
        if not any(len(run) for run in path.runs):
            warn_caller(
                f"boosting stopped before the first round: {path.stop_reasons[0]}. All rows get the same prediction.",
                GuessingWarning,
            )
        votes = [run.alpha[:rounds] / (run.alpha[:rounds].sum() or 1.0) for run in path.runs]
        return {
            "classes_": path.classes,
            "rounds_": rounds,
            "alpha_": votes if path.form == "ova" else votes[0],
            "stop_reason_": "; ".join(dict.fromkeys(path.stop_reasons)),
            "support_": np.isin(np.arange(path.n_columns), path.features(rounds)),
        }

    def _criteria_of(self, chosen: Chosen, data: Data) -> PointCriteria | None:
        """Return the criteria of the chosen rounds; None if the size of the base classifiers is not known."""
        path, rounds = chosen.path, int(chosen.selection.value)
        found = boost_likelihood(path, rounds, data, self.votes == "confidence")
        return None if found is None else describe(found, two_part_code(found, len(path.features(rounds))))

    # Predictions

    def _rows(self, X: Any, path: BoostPath) -> Any:
        rows = read_rows(X)
        if hasattr(self, "n_features_in_"):
            check_features(self, X, reset=False)
        if path.coder is None:
            return rows
        bins = path.coder.transform(rows)
        return to_dense(bins) if self.estimator == "tree" else bins

    def _scores(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.path_.scores(self._rows(X, self.path_), self.rounds_)

    def _scale(self) -> float:
        """Return the largest sum of votes of any run; scores divided by it are in [-1, 1]."""
        sums = [run.vote_sums[min(self.rounds_, len(run)) - 1] for run in self.path_.runs if len(run)]
        return float(max(sums, default=1.0)) or 1.0

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return votes as a share of all: in [-1, 1] for the second of two classes, or one column for each class."""
        scores = self._scores(X) / self._scale()
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray:
        """Return the class with the most votes for each sample."""
        scores = self._scores(X)
        return self.classes_[self.path_.decide(scores)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        r"""Return P(y | x) by the logistic link :math:`1 / (1 + e^{-2 f(x)})`, where f are the unnormalized votes.

        The exponential loss is smallest where f is half the log-odds; for the logistic loss, f is the log-odds, and the
        link has no factor 2.
        """
        scores = self._scores(X)
        return self.path_.probabilities(scores)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(y | x)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray]:
        """Yield the predicted classes after each round."""
        check_is_fitted(self)
        rows = self._rows(X, self.path_)
        for scores in self.path_.staged(rows):
            yield self.classes_[self.path_.decide(scores)]

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield P(y | x) after each round."""
        check_is_fitted(self)
        rows = self._rows(X, self.path_)
        for scores in self.path_.staged(rows):
            yield self.path_.probabilities(scores)

    def staged_error(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Return the error on the given samples after each round."""
        check_is_fitted(self)
        return self._validate(self.path_, X, y)

    def votes_of(self, X: Any) -> NDArray[np.float64]:
        r"""Return the votes of all base classifiers, :math:`\phi(x) = (h_1(x), \dots, h_m(x))`: (samples, rounds).

        The runs of ``"ova"`` are concatenated.
        """
        check_is_fitted(self)
        rows = self._rows(X, self.path_)
        said = [run.learners.votes(t, rows) for run in self.path_.runs for t in range(min(self.rounds_, len(run)))]
        return np.column_stack(said) if said else np.empty((self.path_.scores(rows, 0).shape[0], 0))

    def margins(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Return the votes for the true class minus those for the best other one, as a share of all: in [-1, 1]."""
        scores = self._scores(X) / self._scale()
        place = {c: k for k, c in enumerate(self.classes_.tolist())}
        check_given(y, "y")
        label = np.array([place.get(c, -1) for c in np.asarray(y).tolist()])
        if (label < 0).any():
            row = int(np.argmax(label < 0))
            stranger = np.asarray(y).tolist()[row]
            raise ValueError(f"y contains the class {stranger!r} (row {row}), which was not seen in training.")
        if scores.shape[1] == 1:
            return np.where(label > 0, 1.0, -1.0) * scores[:, 0]
        every = np.arange(len(label))
        own = scores[every, label]
        scores[every, label] = -np.inf
        return (own - scores.max(axis=1)) / 2

    # Charts

    def plot_error(self) -> Any:
        """Plot training error, its bounds and the validation error over the rounds as an Altair chart."""
        check_is_fitted(self)
        return self.path_.plot()

    def plot_margins(self, rounds: Sequence[int] | None = None) -> Any:
        """Plot the cumulative distribution of the training margins after some rounds as an Altair chart."""
        check_is_fitted(self)
        shown = sorted({1, max(1, self.rounds_ // 10), self.rounds_}) if rounds is None else list(rounds)
        return self.path_.plot_margins(shown)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of all votes that stumps on each feature cast."""
        check_is_fitted(self)
        share = np.zeros(self.n_features_in_)
        for run in self.path_.runs:
            if not isinstance(run.learners, StumpSet):
                raise AttributeError("feature_importances_ is only available for stumps, which use one feature each.")
            n = min(self.rounds_, len(run))
            np.add.at(share, run.learners.feature[:n], np.abs(run.alpha[:n]))
        return share / max(share.sum(), np.finfo(float).tiny)

    def _rules_text(self) -> str:
        """Return the first rounds as text, a line each; the path may have rounds that the model does not use."""
        frame = self.path_.to_frame()
        is_used = [t <= self.rounds_ for t in frame["round"]]
        columns = {name: list(compress(frame[name], is_used)) for name in frame.columns}
        lines = []
        said = columns.get("stump", ["a learner"] * len(columns["round"]))
        for i in range(min(len(said), MOST_ROUNDS)):
            of_class = f"class {columns['class'][i]}: " if "class" in columns else ""
            lines.append(f"round {columns['round'][i]}, vote {columns['alpha'][i]:.3g}: {of_class}{said[i]}")
        more = len(columns["round"]) - len(lines)
        return "\n".join([*lines, f"… and {more:,} more rounds"] if more > 0 else lines)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "path_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        # Compiled learners read tables; others receive the rows unchanged.
        inner = None if isinstance(self.estimator, str) else get_tags(self.estimator).input_tags
        tags.input_tags.categorical = inner is None or inner.categorical
        tags.input_tags.string = inner is None or inner.string
        return tags
