"""Naive Bayes for discrete data, with features and prior chosen by rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.coding.table_coder import Cuts, TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.tables.feature_names import check_features
from vitalfew.data.tables.frames import RawTable, read_table
from vitalfew.data.tables.partitions import is_partitioned
from vitalfew.families.bayes.counts_fit import CountsFit
from vitalfew.families.bayes.evidence import (
    Evidence,
    PriorMean,
    log_of,
    normalize,
    used_table,
)
from vitalfew.families.bayes.evidence_tables import describe_features, describe_theta, linear_form
from vitalfew.families.bayes.joint_classifier import JointClassifier
from vitalfew.families.bayes.naive_bayes_path import (
    counts_of,
    events_of,
    is_given,
    loo_probabilities,
    loo_scores,
)
from vitalfew.families.description import FeatureLine
from vitalfew.families.left_out import APPROXIMATE, EXACT, LeftOut, chosen_anew
from vitalfew.families.path_estimator import Chosen
from vitalfew.rules.path import Likelihood
from vitalfew.rules.point_criteria import PointCriteria, describe
from vitalfew.support.checks import check_threads, check_weight, count_weight, encode_labels
from vitalfew.support.optional import make_frame


class NaiveBayes(JointClassifier, CountsFit):
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
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
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

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        X_unlabeled: Any = None,
        validation: tuple[Any, Any] | None = None,
    ) -> Self:
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

    def predict_joint_log_proba(self, X: Any, *, marginals: bool = False) -> NDArray[np.float64]:
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

    def loo_predict_proba(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
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

    def summary(self, feature_names: Sequence[str] | None = None) -> Any:
        """Return the features in J as a data frame, most informative first.

        Columns: feature, information in bits, the class it favors most when present (``speaks_for``; 0/1 features), and
        its weight, the log-odds of that class against the others in bits. Pass `feature_names` if X had none, for
        instance ``words.get_feature_names_out()``.
        """
        return make_frame(describe_features(self._evidence(), self.support_, self._names(feature_names)))

    def theta(self, feature_names: Sequence[str] | None = None) -> Any:
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

    def _names(self, feature_names: Sequence[str] | None) -> Sequence[str]:
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

    def _training_rows(self, table: RawTable, y: Any, sample_weight: ArrayLike | None) -> DiscreteData:
        """Return the training samples, coded as they were for fitting."""
        classes, label = encode_labels(y)
        if not np.isin(classes, self.classes_).all() or len(label) != table.n_rows:
            raise ValueError("y does not match the fitted counts; pass the rows and labels the model was fitted on.")
        label = np.searchsorted(self.classes_, classes).astype(np.int32)[label]
        weight = count_weight(check_weight(sample_weight, table.n_rows))
        return DiscreteData(self.coder_.transform(table), label, self.classes_, weight, self.coder_, table)

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

    def choose_features(self, data: DiscreteData) -> NDArray[np.bool_]:
        """Return the features that the rule selects, for data that is already coded."""
        self._check_parameters()
        return self._attributes(self._choose(data), data)["support_"]

    def _of_evidence(
        self, evidence: Evidence, support: NDArray[np.bool_], coder: TableCoder, data: DiscreteData | None
    ) -> dict[str, Any]:
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

    def _criteria_of(self, _chosen: Chosen, _data: Any) -> None:
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

    def __getstate__(self) -> dict[str, Any]:
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

    def _leave_out(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LeftOut | str:
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
