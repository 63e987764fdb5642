"""Naive Bayes for a few labeled and many unlabeled samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from vitalfew import _core, rules
from vitalfew.data.coding.table_coder import NUMERIC, TableCoder
from vitalfew.data.samples.labeled import read_rows as read_any
from vitalfew.data.samples.partly_labeled import split_labels
from vitalfew.data.tables.blocks import BinaryBlock
from vitalfew.data.tables.feature_names import check_features
from vitalfew.data.tables.partitions import is_partitioned, partitions_of
from vitalfew.exceptions import UnlabeledDataWarning
from vitalfew.families.bayes.cluster_rows import gather_labeled
from vitalfew.families.bayes.evidence import check_prior, normalize
from vitalfew.families.bayes.evidence_tables import describe_lines
from vitalfew.families.bayes.joint_classifier import JointClassifier
from vitalfew.families.bayes.knob_choice import ORDERS
from vitalfew.families.bayes.label_next import label_next
from vitalfew.families.bayes.mixture import Parameters, PresenceRows, Run, Sums, WeightRows, run_em
from vitalfew.families.bayes.mixture_data import EVENTS, MixtureData, WeightData, read_mixture, read_rows
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.bayes.naive_bayes_path import FeaturePath
from vitalfew.families.bayes.unlabeled_weight import GRID, USUAL, WeightScores, score_weights
from vitalfew.rules.paired import held_out
from vitalfew.support.checks import check_choice, check_consistent_length, check_threads, check_weight
from vitalfew.support.optional import make_frame
from vitalfew.support.suggest import did_you_mean


class PredictedLabels(NamedTuple):
    """Predicted labels, their probabilities, and the features that decided, best first (-1 if there are fewer)."""

    label: NDArray
    probability: NDArray[np.float64]
    reasons: NDArray[np.int32]


@dataclass(frozen=True)
class _Fit:
    run: Run
    support: NDArray[np.bool_]


class SemiSupervisedNaiveBayes(JointClassifier):
    r"""Naive Bayes fitted by EM to labeled samples (L) and unlabeled samples (U).

    .. math:: \max_\theta \; \sum_{i \in L} \log P(x_i, y_i) + \lambda \sum_{i \in U} \log \sum_c P(x_i, c)
       + \log P(\theta)

    The model of the labeled samples predicts the labels of the others; these predictions, weighted by their probability
    and by :math:`\lambda`, determine the next model, and so on. The objective increases with every step. It is not the
    error, though: if the classes are not the strongest pattern in the data, unlabeled samples do harm. The weight is
    therefore chosen on held-out labeled samples, and if the supervised model does better there, it is used instead.

    Parameters
    ----------
    events : {"auto", "presence", "weights"}, default "auto"
        ``"presence"``: each value of each feature is present or absent, as in :class:`~vitalfew.NaiveBayes`; for tables
        and 0/1 data. ``"weights"``: a class is a distribution over words, and a sample has an amount of each word:
        :math:`\log P(x, c) = \log P(c) + \sum_j x_j \log \theta_{j|c}`. With the unit-length rows of
        ``WordPresence(weighting="idf")`` predictions for long documents are not overconfident, and EM gains most.
        ``"auto"``: weights for sparse data with values other than 0 and 1.
    unlabeled_weight : float from 0 to 1, "cv" or "loo", default "cv"
        :math:`\lambda`, the weight of an unlabeled sample. ``"cv"`` tries 1, 0.3 and 0.1 by cross-validation on the
        labeled samples (with all unlabeled ones in each fold) and takes the one nearest to 0.3 within one standard
        error of the best; ``"loo"`` leaves out one sample at a time: as many fits as labeled samples. If no class has
        two labeled samples, there is nothing to validate on, and the weight is 0.3.
    guard : bool, default True
        Use the supervised model if its error on held-out labeled samples is lower by more than one standard error of
        the difference.
    prior_strength, prior_mean
        As in :class:`~vitalfew.NaiveBayes`; the pooled mean is over all samples, labeled and unlabeled.
    features : None, int or rule, default None
        Features that depend on the class: all; or chosen as in :class:`~vitalfew.NaiveBayes` after a first EM run with
        all of them, on all samples with their predicted labels. EM then continues with these alone.
    order, max_features, numeric
        As in :class:`~vitalfew.NaiveBayes`.
    n_folds : int, default 5
        Number of folds for ``"cv"`` and for the guard.
    max_iter : int, default 50
        Maximum number of EM steps.
    tol : float, default 0.01
        EM stops after a step that gains less than this, in nats per sample. Labels hardly change by then.
    random_state : int or None, default 0
        Seed for the folds and for :meth:`label_next`.
    n_jobs : int, optional
        Number of threads; all by default. Results do not depend on it.
    verbose : bool, optional
        Show a progress bar; by default on a terminal, for long computations.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    unlabeled_weight_ : float
        Chosen weight; 0 is the supervised model.
    weight_scores_ : WeightScores or None
        Error and log loss on held-out labeled samples for each weight; ``to_frame()`` makes a table of it.
    fell_back_ : bool
        True if the guard chose the supervised model.
    verdict_ : str
        Effect of the unlabeled samples, in one sentence.
    objective_ : ndarray
        Objective after each step of the last EM run. It never decreases.
    n_iter_ : int
    support_ : ndarray of bool, shape (`n_features_in_`,)
    feature_log_prob_ : ndarray of shape (n_values, n_classes)
        log P(value | class), a row for each value of each feature (for 0/1 data absent, then present); with
        ``events="weights"`` one for each word. Features outside the support have zeros.
    class_log_prior_ : ndarray of shape (n_classes,)
    amount_ : ndarray of shape (n_values,)
        Amount of each value in all samples, with unlabeled ones counted by their weight.

    References
    ----------
    Nigam, McCallum, Thrun & Mitchell (2000), doi:10.1023/A:1007692713085. Jaakkola, Machine learning, lecture 9.
    Rennie, Shih, Teevan & Karger (2003), Tackling the poor assumptions of Naive Bayes text classifiers.

    Examples
    --------
    Two labeled samples, and 400 unlabeled ones that show which features go together:

    >>> import numpy as np
    >>> from vitalfew import NaiveBayes, SemiSupervisedNaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 402)
    >>> X = (rng.random((402, 40)) < np.where(truth[:, None] == 1, 0.6, 0.3)).astype(int)
    >>> y = truth.copy()
    >>> labeled = [int(np.argmax(truth == 0)), int(np.argmax(truth == 1))]
    >>> y[np.setdiff1d(np.arange(402), labeled)] = -1
    >>> model = SemiSupervisedNaiveBayes(unlabeled_weight=1.0, guard=False).fit(X, y)
    >>> round(float((model.predict(X) == truth).mean()), 2)
    0.98
    >>> supervised = NaiveBayes(prior_strength=2).fit(X[labeled], truth[labeled])
    >>> round(float((supervised.predict(X) == truth).mean()), 2)
    0.77
    """

    def __init__(
        self,
        *,
        events: str = "auto",
        unlabeled_weight: float | str = "cv",
        guard: bool = True,
        prior_strength: float | str = "auto",
        prior_mean: float | str = "pooled",
        features: int | str | None = None,
        order: str = "greedy",
        max_features: int | None = None,
        numeric: str = "mdl",
        n_folds: int = 5,
        max_iter: int = 50,
        tol: float = 1e-2,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.events = events
        self.unlabeled_weight = unlabeled_weight
        self.guard = guard
        self.prior_strength = prior_strength
        self.prior_mean = prior_mean
        self.features = features
        self.order = order
        self.max_features = max_features
        self.numeric = numeric
        self.n_folds = n_folds
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, X_unlabeled: Any = None) -> Self:
        """Fit the model to samples of which some are labeled.

        Parameters
        ----------
        X : sparse matrix, array or data frame of shape (n_samples, n_features)
            Or a Dask collection with such partitions; `y` and `sample_weight` are then collections with the same
            partitions. Labeled samples are collected in local memory, and the others stay on the workers; `features`
            are then chosen on the labeled samples.
        y : array-like of shape (n_samples,)
            Labels; an unlabeled sample has None, NaN or null, or -1 among integers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of labeled samples; unlabeled ones have weight `unlabeled_weight` each.
        X_unlabeled : like X, optional
            More unlabeled samples, if `y` marks none: in memory, a Dask collection, or rows stored elsewhere that can
            be summed (``vitalfew.families.bayes.mixture.Rows``).
        """
        self._check_parameters()
        data = self._read(X, y, sample_weight, X_unlabeled)
        scores = self._score_weights(data)
        weight, verdict = self._choose_weight(data, scores)
        fit = self._fit_once(data, weight, self.verbose)
        self.classes_ = data.classes
        self.coder_ = data.coder
        self.is_weighted_ = isinstance(data, WeightData)
        self.weight_scores_, self.unlabeled_weight_ = scores, weight
        self.fell_back_ = scores is not None and weight == 0
        self.verdict_ = verdict
        self.feature_log_prob_, self.class_log_prior_ = fit.run.parameters
        self.amount_ = fit.run.sums.table.sum(axis=1)
        self.objective_, self.n_iter_ = np.array(fit.run.objective), len(fit.run.objective)
        self._pool = data.unlabeled if isinstance(data.unlabeled, PresenceRows | WeightRows) else None
        self.support_ = fit.support
        if self.fell_back_:
            warnings.warn(verdict, UnlabeledDataWarning, stacklevel=2)
        return self

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(x, y) for each sample and class, up to a term that all classes share."""
        check_is_fitted(self)
        return self._rows(X).score(self._parameters())

    def classify(self, X: Any, n_reasons: int = 3) -> PredictedLabels:
        """Return labels of sparse samples, their probabilities, and the words that favor them most, in one pass."""
        rows = self._rows(X)
        indptr, indices, value = _sparse_parts(rows)
        table, base = self.linear_form()
        found = _core.classify_rows(
            indptr, indices, value, np.ascontiguousarray(table), base, n_reasons, check_threads(self.n_jobs)
        )
        return PredictedLabels(self.classes_[found.label], found.probability, found.reason)

    def label_next(self, n: int = 20, X: Any = None) -> NDArray[np.intp]:
        """Return the samples whose labels would help most: uncertain ones that represent the others.

        Samples are drawn with probabilities that grow with the squared entropy of their classes; the most uncertain
        come first. The result holds row indices of `X`, or of the unlabeled samples of ``fit`` in the order in which
        they were passed.
        """
        check_is_fitted(self)
        rows = self._rows(X) if X is not None else self._pool
        if rows is None or rows.n_rows == 0:
            raise ValueError("the model was fitted without unlabeled rows; pass the rows to choose from as X.")
        return label_next(normalize(rows.score(self._parameters())), n, self.random_state)

    def linear_form(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the evidence of each word for each class, and the base; summed over a row they give log P(x, y).

        It exists for words that are 0/1 or have weights.
        """
        check_is_fitted(self)
        table, base = self._parameters()
        if self.is_weighted_:
            return table, base
        if not self.coder_.is_sparse:
            raise AttributeError(
                "the linear form is only available for word features, but the model was fitted on the columns of a "
                "table."
            )
        return table[1::2] - table[0::2], base + table[0::2].sum(axis=0)

    def summary(self, feature_names: Sequence[str] | None = None) -> Any:
        """Return the features in the model, most informative first: the class each favors, and its weight in bits."""
        check_is_fitted(self)
        table, _ = self.linear_form()
        names = list(self.coder_.names) if feature_names is None else list(feature_names)
        if len(names) != len(table):
            raise ValueError(f"feature_names must have {len(table)} names, one per feature, got {len(names)}.")
        amount = self.amount_ if self.is_weighted_ else self.amount_[1::2]
        return make_frame(describe_lines(table, amount, self.support_, names, self.classes_))

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in super().__getstate__().items() if k != "_pool"} | {"_pool": None}

    def _check_parameters(self) -> None:
        check_choice("events", self.events, EVENTS)
        check_choice("order", self.order, ORDERS)
        check_choice("numeric", self.numeric, NUMERIC)
        check_prior(self.prior_strength, self.prior_mean)
        rules.check_rule("features", self.features, FeaturePath, "None, a number of features")
        weight = rules.rule_name(self.unlabeled_weight)
        is_number = isinstance(weight, Real) and not isinstance(weight, bool) and 0 <= float(weight) <= 1
        if not (is_number or weight in ("cv", "loo")):
            hint = did_you_mean(weight, ("cv", "loo"))
            raise ValueError(
                f"unlabeled_weight must be a number between 0 and 1, 'cv' or 'loo', got {weight!r}"
                + (f"; {hint}" if hint else ".")
            )
        for name, least in (("n_folds", 2), ("max_iter", 1)):
            value = getattr(self, name)
            if not (isinstance(value, int | np.integer) and value >= least):
                raise ValueError(f"{name} must be an integer >= {least}, got {value!r}.")

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None, X_unlabeled: Any) -> MixtureData:
        if y is None:
            raise ValueError("SemiSupervisedNaiveBayes requires y to be passed, but the target y is None.")
        if is_partitioned(X):
            X, y, sample_weight, rest = gather_labeled(X, y, sample_weight)
            X_unlabeled = rest if X_unlabeled is None else [*rest, *partitions_of(X_unlabeled)]
        X = read_any(X)
        has_label, classes, label = split_labels(y)
        check_consistent_length(np.empty(X.shape[0]), has_label)
        weight = check_weight(sample_weight, X.shape[0])
        counts = has_label if weight is None else has_label & (weight > 0)
        if not counts.any():
            raise ValueError("sample_weight must be positive for at least one labeled row.")
        if not has_label.all():
            if X_unlabeled is not None:
                raise ValueError(
                    "pass unlabeled rows either in X (with a missing label in y) or in X_unlabeled, not both."
                )
            X_unlabeled = _safe_indexing(X, np.flatnonzero(~has_label))
        check_features(self, X)
        if not counts.all():
            present, code = np.unique(label[counts[has_label]], return_inverse=True)
            X, classes, label = _safe_indexing(X, np.flatnonzero(counts)), classes[present], code.astype(np.int32)
            weight = None if weight is None else weight[counts]
        coder = TableCoder(self.numeric, check_threads(self.n_jobs))
        data = read_mixture(X, (label, classes), weight, X_unlabeled, self.events, coder)
        if hasattr(self, "feature_names_in_"):
            coder.names = [str(n) for n in self.feature_names_in_]
        return data

    def _score_weights(self, data: MixtureData) -> WeightScores | None:
        """Return held-out errors of the candidate weights; None if there is nothing to choose or to hold out."""
        given = rules.rule_name(self.unlabeled_weight)
        is_number = isinstance(given, Real)
        if data.unlabeled is None or data.unlabeled.n_rows == 0 or given == 0 or (is_number and not self.guard):
            return None
        folds = held_out(data.label, 0 if given == "loo" else int(self.n_folds), self.random_state)
        if not folds:
            return None
        weights = [*([float(given)] if is_number else GRID), *([0.0] if self.guard else [])]

        def learn(train: NDArray[np.intp], test: NDArray[np.intp]) -> Callable[[float], NDArray[np.float64]]:
            rest, rows = data.split(train, test)

            def predict(weight: float) -> NDArray[np.float64]:
                fit = self._fit_once(rest, weight, False)
                held = rows.restricted(fit.support) if isinstance(rows, WeightRows) else rows
                return normalize(held.score(fit.run.parameters))

            return predict

        return score_weights(learn, data.label, weights, folds, self.verbose)

    def _choose_weight(self, data: MixtureData, scores: WeightScores | None) -> tuple[float, str]:
        """Return the weight, and the reason for it."""
        given = self.unlabeled_weight
        if data.unlabeled is None or data.unlabeled.n_rows == 0:
            return 0.0, "There are no unlabeled rows: the model is supervised."
        if scores is None:
            if isinstance(given, Real):
                return float(given), f"Unlabeled rows have the given weight {float(given):g}; it was not validated."
            return (
                USUAL,
                f"Unlabeled rows have the default weight {USUAL:g}: no class has two labeled rows to validate it.",
            )
        best = scores.best()
        with_them = scores.error_at(best)
        if not self.guard:
            return best, f"Unlabeled rows have weight {best:g}: error {with_them:.1%} on {scores.n_rows} held-out rows."
        without = scores.error_at(0.0)
        told = f"held-out error on {scores.n_rows} labeled rows: {without:.1%} without unlabeled rows, {with_them:.1%}"
        if scores.does_harm(best):
            return (
                0.0,
                f"Unlabeled rows increase the error ({told} with weight {best:g}): the supervised model is used.",
            )
        return best, f"Unlabeled rows have weight {best:g} ({told} with them)."

    def _fit_once(self, data: MixtureData, weight: float, verbose: bool | None) -> _Fit:
        everything = np.ones(data.n_features, dtype=bool)

        def climb(held: MixtureData, support: NDArray[np.bool_], start: Sums | None) -> Run:
            model = held.model(self.prior_strength, self.prior_mean, support)
            most, least = int(self.max_iter), float(self.tol)
            rows = held.unlabeled
            return run_em(model, held.sums(), rows, weight, start=start, max_iter=most, tol=least, verbose=verbose)

        first = climb(data, everything, None)
        if self.features is None:
            return _Fit(first, everything)
        support = self._choose_features(data, first.parameters, weight)
        held = data.restricted(support)
        return _Fit(climb(held, support, held.start(data, first, weight)), support)

    def _choose_features(self, data: MixtureData, parameters: Parameters, weight: float) -> NDArray[np.bool_]:
        """Select features by rule on all samples in memory, with their given or most probable labels."""
        rows = data.unlabeled
        share = normalize(rows.score(parameters)) if isinstance(rows, PresenceRows | WeightRows) else None
        chooser = NaiveBayes(
            prior_strength=self.prior_strength,
            prior_mean=self.prior_mean,
            features=self.features,
            order=self.order,
            max_features=self.max_features,
            cv=self.n_folds,
            random_state=self.random_state,
            verbose=False,
        )
        return chooser.choose_features(data.discrete(share, weight))

    def _parameters(self) -> Parameters:
        return Parameters(self.feature_log_prob_, self.class_log_prior_)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        X = read_any(X)
        check_features(self, X, reset=False)
        rows = read_rows(X, self.is_weighted_, self.coder_, check_threads(self.n_jobs))
        return rows.restricted(self.support_) if isinstance(rows, WeightRows) else rows


def _sparse_parts(rows: Any) -> Any:
    if isinstance(rows, WeightRows):
        return rows.sparse_parts()
    if not isinstance(rows.block, BinaryBlock):
        raise TypeError("reasons are words: X must be a sparse matrix of word presence (rows are documents).")
    return rows.block.indptr, rows.block.indices, None
