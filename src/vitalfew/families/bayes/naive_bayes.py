"""Naive Bayes for discrete data, with features and prior chosen by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.coding.table_coder import NUMERIC, Cuts, TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.tables.feature_names import check_features, column_mask
from vitalfew.data.tables.frames import read_table
from vitalfew.data.tables.partitions import is_partitioned
from vitalfew.exceptions import RuleError
from vitalfew.families.bayes.evidence import (
    Evidence,
    PriorMean,
    check_prior,
    check_prior_fits,
    default_strength,
    describe_features,
    describe_theta,
    linear_form,
    log_of,
    normalize,
    used_table,
)
from vitalfew.families.bayes.joint_classifier import JointClassifier
from vitalfew.families.bayes.naive_bayes_path import (
    MAX_GREEDY,
    FeatureFamily,
    FeaturePath,
    PriorFamily,
    PriorPath,
    counts_of,
    events_of,
    information_path,
    is_given,
    keep_names,
    loo_probabilities,
    loo_scores,
    prior_grid,
)
from vitalfew.families.bayes.streamed_folds import BY_FOLDS, FoldScorer, check_counts, coder_of, needs_rows
from vitalfew.families.description import FeatureLine
from vitalfew.families.left_out import APPROXIMATE, EXACT, LeftOut, chosen_anew
from vitalfew.families.path_estimator import Chosen, PathEstimator, unchanged_on_failure, without_rows
from vitalfew.rules.path import Likelihood
from vitalfew.rules.point_criteria import PointCriteria, describe
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.partition_rows import count_partitions
from vitalfew.support.checks import check_choice, check_threads, check_weight, count_weight, encode_labels, is_count
from vitalfew.support.optional import make_frame

ORDERS = ("greedy", "information")
# Number of predictions up to which the bits of all sizes are computed although no rule needs them.
FEW_PREDICTIONS = 1_000_000


def _with_classes(counts: Counts, classes) -> Counts:
    """Return the same counts, with a column for each of the classes that may still appear."""
    if classes is None:
        return counts
    classes = np.unique(classes)
    missing = np.setdiff1d(counts.classes, classes)
    if missing.size:
        raise ValueError(f"y contains classes {missing.tolist()} that are not in `classes`.")
    empty = np.zeros((len(counts.table), len(classes)))
    return Counts(empty, counts.offsets, np.zeros(len(classes)), classes, counts.names, counts.codings) + counts


def _can_fit_partially(model: NaiveBayes) -> bool:
    why = needs_rows(model, "partial_fit")
    if why is not None:
        raise AttributeError(why)
    return True


class NaiveBayes(JointClassifier, PathEstimator):
    r"""Naive Bayes for binary and k-ary features, with a Beta or Dirichlet prior and feature selection.

    .. math:: P(x, y) = P(y) \prod_{j \in J} P(x_j \mid y) \prod_{j \notin J} P(x_j), \qquad
       P(x_j = v \mid y) = \frac{N_j(v, y) + n' p_{jv}}{N_j(y) + n'}

    Features outside J keep their marginal and do not influence the label. Sparse input means present or absent (any
    stored value other than 0 is 1). In tables, strings, categories, booleans and integers with at most 32 distinct
    values are categories; other numbers are cut into intervals, see `numeric`. Missing values and categories not seen
    in training carry no evidence.

    Parameters
    ----------
    features : None, int, rule or list, default None
        Features in J: all; the first k; as many as ``"mdl"``, ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"``, ``"bic"``,
        ``"aic"`` or ``"ebic"`` chooses; or a given set, a list of names or numbers of columns or a mask.
    prior_strength : "auto", float or rule, default "auto"
        n', the weight of the prior in samples (the equivalent sample size). ``"auto"``: one sample for every hundred
        features that the model may use, between 0.2 and 100, as benchmarks/PRIOR.md explains. ``"loo"``, ``"cv"``,
        ``"1se"`` and ``"holdout"`` choose it from the data, at a higher cost. It is resolved before `features`, with
        all features in the model, or those of a given set.
    prior_mean : "pooled", "uniform", float or array of shape (n_features,), default "pooled"
        p. ``"pooled"``: the frequency of the value over all samples, including unlabeled ones. ``"uniform"``: 1 over
        the number of values. A number: the prior probability of the second value of every two-valued feature, or of
        each of them. ``prior_strength=2, prior_mean=0.5`` is scikit-learn's ``BernoulliNB``.
    grid : int or array of float, default 21
        Values of n' that a rule for `prior_strength` compares: their number, from 0.01 to 1000, or the values.
    order : {"greedy", "information"}, default "greedy"
        Order in which features enter: greedily, each time the one that shortens the description of the labels most
        given those already selected; or by mutual information with the label, each on its own.
    backward : bool, default False
        Let the greedy search also remove features (floating search).
    max_features : int, optional
        Maximum number of features on the path that a rule considers.
    numeric : {"mdl", "quantile", "uniform", "distinct"}, default "mdl"
        How other numbers are cut, see :class:`~vitalfew.Discretizer`; ``"distinct"`` treats every number as a category.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the error rate is minimized unless `scoring` is given.
    n_jobs : int, optional
        Number of threads; all by default. Results do not depend on it.
    verbose : bool, optional
        Show a progress bar; by default on a terminal, for long computations.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of bool, shape (`n_features_in_`,)
        The set J.
    coef_ : ndarray of shape (1, `n_features_in_`) or (n_classes, `n_features_in_`)
        Linear form for features with two values: P(y | x) is the logistic function (softmax) of
        ``coef_ @ x + intercept_``, whether x is coded as 0 and 1, as -1 and 1, or by any other two numbers. Text,
        intervals, and missing or present, are coded as 0 (first value) and 1 (second value).
    intercept_ : ndarray of shape (1,) or (n_classes,)
    log_likelihood_, null_log_likelihood_ : float
        Joint log-likelihood of features and labels, with J and with no feature that depends on the label. Without a
        prior, their difference is n times the sum of the mutual information over J.
    n_parameters_, bic_, aic_ : float
        Of the same joint likelihood; the lower criterion is the better one.
    log_evidence_ : float
        Log of the joint likelihood integrated over the Beta or Dirichlet prior of the parameters and a uniform prior of
        the class shares, in closed form; -2 times it is what BIC approximates. NaN if `prior_strength` is 0.
    description_length_ : Bits
        Bits of the labels given the features, and of the model. Not available after `partial_fit` or `fit_counts`.
    selection_, path_
        Scores that the rule compared, and the whole path; those of `prior_strength` are in ``selections_`` and
        ``paths_``. With ``"mdl"`` or a number of features, ``selection_.to_frame()`` has the bits of the data, of the
        size (log* k), of the subset (log C(d, k)) and of the parameters at each step.
    counts_ : Counts
    prior_strength_ : float

    Notes
    -----
    The rule ``"loo"`` and :meth:`loo_predict_proba` are exact for a given set of features, given values of each feature
    and given cuts of numeric columns. For the error of the whole procedure, including selection, use
    ``cross_val_score`` on this estimator.

    References
    ----------
    Jaakkola, 6.867 Machine Learning (2006), lecture 12; Machine learning, lecture 9, for the prior. Hand & Yu (2001),
    doi:10.1111/j.1751-5823.2001.tb00465.x.

    Examples
    --------
    >>> from vitalfew import NaiveBayes
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = rng.integers(0, 2, (200, 30))
    >>> X[:, 7] = y ^ (rng.random(200) < 0.1)
    >>> model = NaiveBayes(features="mdl").fit(X, y)
    >>> model.get_support(indices=True)
    array([7])
    >>> round(model.score(X, y), 2)
    0.92
    """

    _data: DiscreteData | None
    _length: rules.Bits | None

    def __init__(
        self,
        features: int | str | Sequence | NDArray | None = None,
        *,
        prior_strength: float | str = "auto",
        prior_mean: PriorMean = "pooled",
        grid: int | Sequence[float] | NDArray[np.float64] = 21,
        order: str = "greedy",
        backward: bool = False,
        max_features: int | None = None,
        numeric: str = "mdl",
        cv=5,
        scoring=None,
        random_state=None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.features = features
        self.prior_strength = prior_strength
        self.prior_mean = prior_mean
        self.grid = grid
        self.order = order
        self.backward = backward
        self.max_features = max_features
        self.numeric = numeric
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, *, X_unlabeled=None, validation=None) -> Self:
        """Fit the model to labeled samples; unlabeled samples only inform the pooled prior.

        The rule ``"holdout"`` scores on the samples of `validation`, a tuple (X, y), if they are given. `X` may be a
        Dask collection whose partitions are sparse matrices, arrays or data frames; `y` and `sample_weight` then have
        the same partitions, and a sample with a missing label is unlabeled. The workers count, and the model is that
        of :meth:`fit_counts`.
        """
        if is_partitioned(X):
            self._check_parameters()
            if validation is not None:
                raise ValueError("validation requires rows in memory, but X is a Dask collection.")
            return self._fit_partitions(X, y, sample_weight, X_unlabeled)
        return self._fit(X, y, sample_weight, validation, X_unlabeled=X_unlabeled)

    def _fit_partitions(self, X, y, sample_weight, X_unlabeled):
        why = needs_rows(self, "fit on a Dask collection")
        if why is not None:
            raise RuleError(why)
        if X_unlabeled is not None:
            raise ValueError(
                "X_unlabeled is not supported when X is a Dask collection; append its rows to X and set their y to "
                "missing."
            )
        return self.fit_counts(count_partitions(X, y, sample_weight, self.numeric))

    def fit_counts(self, counts: Counts | Summaries[Counts], *, source: Any = None) -> Self:
        """Fit the model to counts alone, such as those of :func:`~vitalfew.summarize`; the result equals that of `fit`.

        `features` may be None. With ``order="information"``, it may also be a number, ``"bic"``, ``"aic"`` or
        ``"ebic"``. The rules ``"cv"`` and ``"1se"``, also for `prior_strength`, compare held-out errors. Counts do not
        give these, because P(y | x) depends on all features of a row together. With counts of folds and the `source`
        they were counted from, a second pass over the source classifies each row by the models of its fold. The result
        is that of `fit` on the same folds, except that cuts of numeric columns are those of all rows. Other rules and
        the greedy order need the samples.

        Parameters
        ----------
        counts : Counts, or Summaries of Counts
        source : optional
            Source of the rows of `counts`, see :func:`~vitalfew.data.source.open_source`. It is read once for each knob
            that is ``"cv"`` or ``"1se"``.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            return self._fit_counts(Summaries.of(counts), source)

    def _fit_counts(self, summaries: Summaries[Counts], source) -> Self:
        self._check_parameters()
        counts = check_counts(summaries)
        why = needs_rows(self, "fit_counts", len(summaries) > 1 and source is not None)
        if why is not None:
            raise RuleError(why)
        if is_count(self.features) and int(self.features) > counts.n_features:  # type: ignore[arg-type]
            raise ValueError(f"features={self.features} exceeds the {counts.n_features} feature(s) of the counts.")
        check_prior_fits(self.prior_mean, counts.n_values, counts.names)
        keep_names(self, counts)
        coder = coder_of(counts, self.numeric, check_threads(self.n_jobs))
        knobs = (self.features, self.prior_strength)
        is_scored = any(isinstance(k, str) and rules.rule_name(k) in BY_FOLDS for k in knobs)
        return self._fit_evidence(counts, coder, FoldScorer.make(summaries, source, coder) if is_scored else None)

    def _fit_evidence(self, counts: Counts, coder: TableCoder, scorer: FoldScorer | None = None) -> Self:
        """Fit from counts alone, or with a scorer that reads the rows of folds again."""
        chosen = Chosen()
        if scorer is not None and rules.rule_name(self.prior_strength) in BY_FOLDS:
            support = self._given_support(counts.names)
            family = PriorFamily(self.prior_mean, None if support.all() else support)
            path = family.path(counts, prior_grid(self.grid))
            chosen.add(path, scorer.choose(rules.rule_name(self.prior_strength), path, family))
            strength = float(chosen.selection.value)
        else:
            strength = self._given_strength(counts.names)
        evidence = Evidence(counts, strength, self.prior_mean)
        support = self._support_from_counts(evidence, chosen, scorer)
        return self._set_fitted({**self._path_attributes(chosen), **self._of_evidence(evidence, support, coder, None)})

    @available_if(_can_fit_partially)
    def partial_fit(self, X, y, classes=None, sample_weight=None) -> Self:
        """Add samples to the counts and update the model.

        Pass all `classes` in the first call, as in scikit-learn; by default they are those of its `y`. New categories
        may appear at any time. `features` may be None. With ``order="information"``, it may also be a number,
        ``"bic"``, ``"aic"`` or ``"ebic"``. The greedy search and resampling need all samples at once.
        """
        with unchanged_on_failure(self):
            return self._fit_more(X, y, classes, sample_weight)

    def _fit_more(self, X, y, classes, sample_weight) -> Self:
        self._check_parameters()
        if y is None:
            raise ValueError("NaiveBayes requires y to be passed, but the target y is None.")
        is_first = not hasattr(self, "counts_")
        data = self._read(X, y, sample_weight, reset=is_first, numeric="distinct" if self.numeric == "mdl" else None)
        counts = _with_classes(counts_of(data), classes) if is_first else self.counts_ + counts_of(data)
        if not is_first and len(counts.classes) > len(self.classes_):
            new = sorted(set(counts.classes.tolist()) - set(self.classes_.tolist()))
            raise ValueError(
                f"y contains new classes {new}; pass all classes in `classes` in the first call of partial_fit."
            )
        check_prior_fits(self.prior_mean, counts.n_values, counts.names)
        coder = replace(data.coder, codings=counts.codings or [])
        return self._fit_evidence(counts, coder)

    def predict_joint_log_proba(self, X, *, marginals: bool = False) -> NDArray[np.float64]:
        r"""Return log P(x_J, y) for each sample and class.

        Parameters
        ----------
        X : array, sparse matrix or data frame
        marginals : bool, default False
            Add log P(x_j) of the features outside J, so that the result is log P(x, y) of eq. 1 of lecture 12:
            :math:`\prod_{j \in J} P(x_j \mid y) \prod_{j \notin J} P(x_j) \, P(y)`. The marginals are frequencies in
            the training samples. Missing values and values that never occurred contribute nothing.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        table = read_table(X, threads=check_threads(self.n_jobs))
        check_features(self, X, reset=False)
        lines = self._evidence().joint_table(self.support_) if marginals else self._used_table()
        block = self.coder_.transform(table)
        return block.score(lines, None, check_threads(self.n_jobs))[:, 0] + self.class_log_prior_

    def loo_predict_proba(self, X, y, sample_weight=None) -> NDArray[np.float64]:
        """Return P(y | x) for each training sample by the model of all the others, exact for the set J.

        `X`, `y` and `sample_weight` are the samples the model was fitted on. The cost is a prediction pass, and a table
        for each class and distinct weight.
        """
        check_is_fitted(self)
        table = read_table(X, threads=check_threads(self.n_jobs))
        check_features(self, X, reset=False)
        rows = self._training_rows(table, y, sample_weight)
        if abs(rows.n_rows - self.counts_.n) > 1e-6 * self.counts_.n and rows.weight is None:
            raise ValueError(
                f"expected the training rows, whose total weight is {self.counts_.n:g}, got {rows.n_rows} rows."
            )
        return loo_probabilities(self._evidence(), rows, events_of(self.support_))[:, 0]

    def summary(self, feature_names=None):
        """Return the features in J as a data frame, most informative first.

        Columns: feature, information in bits, the class it favors most when present (``speaks_for``; 0/1 features), and
        its weight, the log-odds of that class against the others in bits. Pass `feature_names` if X had none, for
        instance ``words.get_feature_names_out()``.
        """
        return make_frame(describe_features(self._evidence(), self.support_, self._names(feature_names)))

    def theta(self, feature_names=None):
        """Return the parameters θ as a data frame, with a row for each value of each feature.

        Columns: feature, value, whether the feature is in J (``selected``), the frequency ``P(value)``, and the
        regularized estimate ``P(value | class)`` of each class. Pass `feature_names` if X had none.

        Examples
        --------
        >>> import numpy as np
        >>> from vitalfew import NaiveBayes
        >>> X, y = np.array([[-1], [1], [1], [1]]), np.array(["no", "no", "yes", "yes"])
        >>> NaiveBayes(prior_strength=2, prior_mean=0.5).fit(X, y).theta()
          feature value  selected  P(value)  P(value | no)  P(value | yes)
        0      x0    -1      True      0.25            0.5            0.25
        1      x0     1      True      0.75            0.5            0.75
        """
        return make_frame(describe_theta(self._evidence(), self.support_, self._names(feature_names)))

    def _names(self, feature_names) -> Sequence[str]:
        names = self._evidence().counts.names if feature_names is None else list(feature_names)
        if len(names) != self.n_features_in_:
            raise ValueError(f"feature_names must have {self.n_features_in_} names, one per feature, got {len(names)}.")
        return names

    @property
    def coef_(self) -> NDArray[np.float64]:
        return linear_form(self._evidence(), self.support_)[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return linear_form(self._evidence(), self.support_)[1]

    @property
    def selection_(self):
        """Selection of the last rule that was applied."""
        check_is_fitted(self)
        if not self.selections_:
            raise AttributeError("selection_ is only available if `features` or `prior_strength` is a rule.")
        return list(self.selections_.values())[-1]

    @property
    def path_(self):
        """Path from which the last knob was chosen."""
        check_is_fitted(self)
        if not self.paths_:
            raise AttributeError(
                "path_ is only available if `features` is a number or a rule, or `prior_strength` is a rule."
            )
        return list(self.paths_.values())[-1]

    def _check_parameters(self) -> None:
        check_choice("order", self.order, ORDERS)
        check_choice("numeric", self.numeric, NUMERIC)
        rules.check_rule("features", self.features, FeaturePath, "None, a number of features")
        is_rule = isinstance(self.prior_strength, str) and rules.rule_name(self.prior_strength) != "auto"
        if is_rule:
            rules.check_rule("prior_strength", self.prior_strength, PriorPath, "'auto', a number of rows")
        features = self.features
        if not (features is None or isinstance(features, str) or is_count(features) or is_given(features)):
            raise ValueError(
                f"features must be None, an integer number of features, a rule or a list of features, got {features!r}."
            )
        prior_grid(self.grid)
        if not (self.max_features is None or is_count(self.max_features)):
            raise ValueError(f"max_features must be None or an integer number of features, got {self.max_features!r}.")
        check_prior("auto" if is_rule else self.prior_strength, self.prior_mean)

    def _read(
        self, X, y, sample_weight, *, X_unlabeled=None, reset: bool = True, numeric: str | None = None
    ) -> DiscreteData:
        coder = TableCoder(numeric or self.numeric, check_threads(self.n_jobs))
        data = DiscreteData.read(X, y, sample_weight, coder, X_unlabeled)
        check_features(self, X, reset=reset)
        if hasattr(self, "feature_names_in_"):
            coder.names = [str(n) for n in self.feature_names_in_]
        check_prior_fits(self.prior_mean, np.diff(data.block.offsets), coder.names)
        return data

    def _training_rows(self, table, y, sample_weight) -> DiscreteData:
        """Return the training samples, coded as they were for fitting."""
        classes, label = encode_labels(y)
        if not np.isin(classes, self.classes_).all() or len(label) != table.n_rows:
            raise ValueError("y does not match the fitted counts; pass the rows and labels the model was fitted on.")
        label = np.searchsorted(self.classes_, classes).astype(np.int32)[label]
        weight = count_weight(check_weight(sample_weight, table.n_rows))
        return DiscreteData(self.coder_.transform(table), label, self.classes_, weight, self.coder_, table)

    def _choose(self, data: DiscreteData) -> Chosen:
        """Choose the prior strength, then the features."""
        chosen = Chosen()
        self._choose_features(data, self._choose_prior(data, chosen), chosen)
        return chosen

    def _attributes(self, chosen: Chosen, data: DiscreteData) -> dict[str, Any]:
        selected = chosen.selections.get("prior_strength")
        strength = self._given_strength(data.coder.names) if selected is None else selected.value
        if "features" in chosen.paths:
            path = chosen.paths["features"]
            counts, support = path.evidence.counts, path.at(chosen.selections["features"].index)
        else:
            counts, support = counts_of(data), self._given_support(data.coder.names)
        # The rows are held until the description length is requested.
        return self._of_evidence(Evidence(counts, strength, self.prior_mean), support, data.coder, data)

    def _path_attributes(self, chosen: Chosen) -> dict[str, Any]:
        paths = {knob: without_rows(path) for knob, path in chosen.paths.items()}
        return {"selections_": chosen.selections, "paths_": paths}

    def _choose_prior(self, data: DiscreteData, chosen: Chosen) -> float:
        if not isinstance(self.prior_strength, str) or rules.rule_name(self.prior_strength) == "auto":
            return self._given_strength(data.coder.names)
        support = self._given_support(data.coder.names)
        family = PriorFamily(self.prior_mean, None if support.all() else support)
        path = family.path(data, prior_grid(self.grid))
        selection = rules.choose(self.prior_strength, path, family, data, self._options())
        chosen.add(path, selection)
        return path.at(selection.index)

    def _given_support(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return the set J if it is given, otherwise all features."""
        if is_given(self.features):
            return column_mask(self.features, names, "features")
        return np.ones(len(names), dtype=bool)

    def _given_strength(self, names: Sequence[str]) -> float:
        """Return the prior strength for settings that need no rule."""
        if not isinstance(self.prior_strength, str):
            return float(self.prior_strength)
        n_candidates = len(names)
        if is_given(self.features):
            return default_strength(int(self._given_support(names).sum()))
        if self.features is None or (isinstance(self.features, str) and self.order == "information"):
            return default_strength(n_candidates)
        if rules.rule_name(self.features) == "mdl":  # keeps few features
            return default_strength(0)
        most = self.max_features or MAX_GREEDY if isinstance(self.features, str) else int(self.features)  # type: ignore[arg-type]
        return default_strength(min(most, n_candidates))

    def _choose_features(self, data: DiscreteData, strength: float, chosen: Chosen) -> None:
        """Add the path of the features to the choice, unless all are used or the set is given."""
        d = data.block.n_features
        if self.features is None or is_given(self.features):
            return
        size = None if isinstance(self.features, str) else int(self.features)  # type: ignore[arg-type]
        if size is not None and size > d:
            raise ValueError(
                f"features={self.features} exceeds the {d} feature(s) of X; pass a number up to {d}, a rule such as "
                "'mdl', or None to use all features."
            )
        family = self._feature_family(strength, self.max_features if size is None else size)
        path = family.path(data)
        selection = rules.resolve(self.features, path, family, data, self._options(), at=rules.last_point)
        if size is not None and (path.trace is not None or len(path.grid) * data.n_rows <= FEW_PREDICTIONS):
            selection = rules.with_bits(selection, path)
        chosen.add(path, selection)

    def _feature_family(self, strength: float, most: int | None) -> FeatureFamily:
        stops_by_mdl = rules.rule_name(self.features) == "mdl"
        return FeatureFamily(strength, self.prior_mean, self.order, self.backward, most, stops_by_mdl, self.verbose)

    def choose_features(self, data: DiscreteData) -> NDArray[np.bool_]:
        """Return the features that the rule selects, for data that is already coded."""
        self._check_parameters()
        return self._attributes(self._choose(data), data)["support_"]

    def _support_from_counts(
        self, evidence: Evidence, chosen: Chosen, scorer: FoldScorer | None = None
    ) -> NDArray[np.bool_]:
        """Select features by their own information, for which counts are enough, or by the errors of folds."""
        d = evidence.counts.n_features
        if self.features is None or is_given(self.features):
            return self._given_support(evidence.counts.names)
        if scorer is not None and rules.rule_name(self.features) in BY_FOLDS:
            family = self._feature_family(evidence.prior_strength, self.max_features)
            path = family.path(evidence.counts)
            chosen.add(path, scorer.choose(rules.rule_name(self.features), path, family))
            return path.at(chosen.index)
        path = information_path(evidence, None, np.arange(d + 1))
        selection = rules.resolve(
            self.features, path, None, None, self._options(), at=lambda _, size: min(int(size), d)
        )
        chosen.add(path, selection)
        return path.at(selection.index)

    def _of_evidence(self, evidence: Evidence, support, coder: TableCoder, data: DiscreteData | None) -> dict[str, Any]:
        """Return the fitted attributes other than paths and selections."""
        return {
            "classes_": evidence.counts.classes,
            "coder_": coder,
            "counts_": evidence.counts,
            "prior_strength_": evidence.prior_strength,
            "class_log_prior_": evidence.log_prior,
            "feature_log_prob_": evidence.log_table,
            "_data": data,
            "_length": None,
            "support_": support,
        }

    def _evidence(self) -> Evidence:
        check_is_fitted(self)
        return Evidence(self.counts_, self.prior_strength_, self.prior_mean)

    @property
    def null_log_likelihood_(self) -> float:
        return self._evidence().null_log_likelihood

    def _criteria_of(self, _chosen: Chosen, _data) -> None:
        """Return None: the criteria follow from the counts, which the model keeps."""

    def _fitted_criteria(self) -> PointCriteria:
        evidence = self._evidence()
        counts, used = evidence.counts, self.support_
        values = counts.n_occurring - 1
        n_parameters = counts.n_classes - 1 + values[~used].sum() + counts.n_classes * values[used].sum()
        log_likelihood = evidence.null_log_likelihood + evidence.gain[used].sum()
        found = Likelihood(log_likelihood, n_parameters, counts.n, counts.n_features, is_joint=True)
        return describe(found, rules.Bits(np.nan, np.nan), evidence.log_integral(used))

    @property
    def description_length_(self) -> rules.Bits:
        check_is_fitted(self)
        if self._length is None:
            if self._data is None:
                raise AttributeError(
                    "the description length requires all rows at once; use fit instead of partial_fit or fit_counts."
                )
            self._length, self._data = self._describe(self._data), None
        return self._length

    def __getstate__(self):
        # Rows are not pickled, but the description length computed from them is.
        if getattr(self, "_data", None) is not None:
            _ = self.description_length_
        return super().__getstate__()

    def _describe(self, data: DiscreteData) -> rules.Bits:
        counts = self.counts_
        score = data.block.score(self._used_table(), None, data.coder.threads)[:, 0] + self.class_log_prior_
        own = log_of(np.take_along_axis(normalize(score), data.label[:, None], axis=1)[:, 0])
        log_likelihood = own.sum() if data.weight is None else data.weight @ own
        n_values = (counts.n_occurring + counts.has_missing)[self.support_]
        return rules.description_length(log_likelihood, counts.class_count, counts.n_features, n_values)

    def _used_table(self) -> NDArray[np.float64]:
        return (
            self.feature_log_prob_
            if self.support_.all()
            else used_table(self.feature_log_prob_, self.counts_.n_values, self.support_)
        )

    def _leave_out(self, X, y, sample_weight) -> LeftOut | str:
        """Subtract each sample from the counts."""
        if rules.rule_name(self.prior_strength) != "auto" and (why := chosen_anew(self, "prior_strength")):
            return why
        if self.features is not None and not is_given(self.features):
            return "features are selected again without each row"
        self._check_parameters()
        data = self._read(X, y, sample_weight)
        counts = counts_of(data)
        if data.coder.is_supervised:
            return "cuts of numeric columns are computed again without each row"
        evidence = Evidence(counts, self._given_strength(counts.names), self.prior_mean)
        if not evidence.is_pooled and counts.codings is not None and _has_rare_values(data):
            return "a value that occurs in a single row changes the support of the prior"
        joint = loo_scores(evidence, data, events_of(self._given_support(counts.names)))[:, 0]
        decision = joint[:, 1] - joint[:, 0] if counts.n_classes == 2 else joint
        found = (None, normalize(joint), decision, data.classes)
        if any(isinstance(coding, Cuts) and len(coding.cuts) for coding in counts.codings or []):
            note = "the cuts of numeric columns are held fixed"
            return LeftOut(APPROXIMATE, note, *found)
        return LeftOut(EXACT, "counts without those of the row", *found)

    def _feature_lines(self) -> list[FeatureLine]:
        found = describe_features(self._evidence(), self.support_, list(range(self.n_features_in_)))
        has_weight = "weight" in found
        return [
            FeatureLine(
                int(j),
                float(found["weight"][i]) if has_weight else None,
                str(found["speaks_for"][i]) if has_weight else None,
                float(found["information"][i]),
            )
            for i, j in enumerate(found["feature"])
        ]


def _has_rare_values(data: DiscreteData) -> bool:
    """Return True if some value of a feature occurs in a single row."""
    block = data.block.to_codes()
    known = block.codes != np.iinfo(block.codes.dtype).max
    return any((np.bincount(c[k].astype(np.int64)) == 1).any() for c, k in zip(block.codes.T, known.T) if k.any())
