"""Feature selection by mutual information with the label."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control
from sklearn.utils import Tags

from vitalfew import rules
from vitalfew.data.coding.table_coder import NUMERIC, TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.tables.feature_names import check_features
from vitalfew.data.tables.frames import tag_tables
from vitalfew.exceptions import RuleError
from vitalfew.families.bayes.evidence import Evidence, PriorMean, check_prior, check_prior_fits, default_strength
from vitalfew.families.bayes.naive_bayes_path import FeatureFamily, FeaturePath, counts_of, keep_names
from vitalfew.families.bayes.streamed_folds import BY_FOLDS, FoldScorer, check_counts, coder_of
from vitalfew.families.path_estimator import Chosen, PathEstimator, unchanged_on_failure
from vitalfew.families.selector import Selector
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.information import information
from vitalfew.support.checks import check_choice, check_threads

# Values of `k`, besides a number, for which counts are enough.
WITHOUT_ROWS = ("fdr", "gain", "bic", "aic", "ebic")


class Ranked(NamedTuple):
    """Counts to rank features by, and the samples, or a scorer that reads those of folds, if there is any."""

    counts: Counts
    rows: DiscreteData | None = None
    scorer: FoldScorer | None = None


class InformationRanking(Selector, PathEstimator):
    r"""Select the features that are most informative about the label, each on its own.

    Features are ranked by :math:`I(X_j; Y)`. `k` is the number to keep, or a rule that scores Naive Bayes with the
    first k features, or ``"fdr"``: all features whose G-test is significant at false discovery rate `alpha` (Benjamini
    and Hochberg), or ``"gain"``: all features that, each alone, shorten the description of the labels by more than they
    cost.

    Parameters
    ----------
    k : int, rule, "fdr" or "gain", default "fdr"
        The rules are ``"mdl"``, ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"``, ``"bic"``, ``"aic"`` and ``"ebic"``.
    alpha : float, default 0.05
    correction : {None, "miller-madow"}, default None
        Rank by the bias-corrected information instead, which is fair if features differ in their number of values.
    prior_strength : "auto" or float, default "auto"
        ``"auto"``: rank by frequencies; only the gains and the models of a rule have a prior, that of
        :class:`~vitalfew.NaiveBayes`. A number n': rank by the information of the regularized estimates
        :math:`\hat P(v, y) = \theta_{v \mid y} \hat P(y)` with
        :math:`\theta_{v \mid y} = (N(v, y) + n' p_v) / (N(y) + n')`, which are less easily misled by rare values.
    prior_mean, numeric, cv, scoring, random_state, n_jobs, verbose
        See :class:`~vitalfew.NaiveBayes`.

    Attributes
    ----------
    scores_ : ndarray of shape (`n_features_in_`,)
        Mutual information in bits: of the frequencies, or of the regularized estimates if `prior_strength` is a number.
    p_values_ : ndarray of shape (`n_features_in_`,)
        p-values of the G-test of independence, which is based on frequencies.
    gains_ : ndarray of shape (`n_features_in_`,)
        Bits by which each feature alone shortens the description of the labels, net of its own cost: the first step of
        ``NaiveBayes(features="mdl")``.
    ranking_ : ndarray of shape (`n_features_in_`,)
        Rank of each feature, 1 for the most informative one.
    support_ : ndarray of bool, shape (`n_features_in_`,)
        Mask of the selected features.
    selection_, path_
        Scores that the rule compared, and the path, if `k` is a rule.

    References
    ----------
    Benjamini & Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x. Honorio, CS 578 Statistical Machine Learning,
    lecture 7. Jaakkola, Machine learning, lecture 9. 427, lecture 11, on the likelihood of Naive Bayes.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import InformationRanking
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = rng.integers(0, 3, (300, 20))
    >>> X[:, 4] += y
    >>> InformationRanking(k="fdr").fit(X, y).get_support(indices=True)
    array([4])
    """

    _knob = "k"

    def __init__(
        self,
        k: int | str = "fdr",
        *,
        alpha: float = 0.05,
        correction: str | None = None,
        prior_strength: float | str = "auto",
        prior_mean: PriorMean = "pooled",
        numeric: str = "mdl",
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.k = k
        self.alpha = alpha
        self.correction = correction
        self.prior_strength = prior_strength
        self.prior_mean = prior_mean
        self.numeric = numeric
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit_counts(self, counts: Counts | Summaries[Counts], *, source: Any = None) -> Self:
        """Rank from counts alone, such as those of :func:`~vitalfew.summarize`; the result equals that of `fit`.

        `k` may be a number, ``"fdr"``, ``"gain"``, ``"bic"``, ``"aic"`` or ``"ebic"``. With counts of folds and the
        `source` they were counted from, it may also be ``"cv"`` or ``"1se"``, see
        :meth:`NaiveBayes.fit_counts <vitalfew.NaiveBayes.fit_counts>`. Other rules need the samples.

        Parameters
        ----------
        counts : Counts, or Summaries of Counts
        source : optional
            Source of the rows of `counts`, which is read once more for ``"cv"`` and ``"1se"``.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            return self._fit_counts(Summaries.of(counts), source)

    def _fit_counts(self, summaries: Summaries[Counts], source: Any) -> Self:
        self._check_parameters()
        counts = check_counts(summaries)
        scorer = None
        if isinstance(self.k, str) and self._value not in WITHOUT_ROWS:
            if self._value not in BY_FOLDS or self.scoring is not None or source is None or len(summaries) < 2:
                listed = ", ".join(map(repr, WITHOUT_ROWS))
                raise RuleError(
                    f"k={self.k!r} requires the rows: call fit, or set k to a number or one of {listed}; 'cv' and "
                    "'1se', with the default scoring, need summarize(source, target, folds=5) and source=."
                )
            coder = coder_of(counts, self.numeric, check_threads(self.n_jobs))
            scorer = FoldScorer.make(summaries, source, coder)
        keep_names(self, counts)
        ranked = Ranked(counts, None, scorer)
        chosen = self._choose(ranked)
        return self._set_fitted({**self._path_attributes(chosen), **self._attributes(chosen, ranked)})

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Ranked:
        data = DiscreteData.read(X, y, sample_weight, TableCoder(self.numeric, check_threads(self.n_jobs)))
        check_features(self, X)
        return Ranked(counts_of(data), data)

    def _with_validation(self, data: Ranked, X: Any, y: Any) -> Ranked:
        return data._replace(rows=super()._with_validation(data.rows, X, y))

    def _attributes(self, chosen: Chosen, data: Ranked) -> dict[str, Any]:
        counts = data.counts
        found = information(counts.table, counts.offsets)
        evidence = self._evidence(counts, default_strength(0))
        empirical = (found.corrected() if self.correction else found).mutual
        scores = (evidence.information if self._is_regularized else empirical) / np.log(2)
        gains = evidence.own_gain / np.log(2)
        order = np.argsort(-scores, kind="stable")
        ranking = np.empty(len(order), dtype=np.int64)
        ranking[order] = np.arange(1, len(order) + 1)
        if self._value == "fdr":
            support = false_discovery_control(found.p_value) <= self.alpha
        elif self._value == "gain":
            support = gains > 0
        else:
            support = chosen.path.at(chosen.index) if isinstance(self.k, str) else ranking <= self.k
        measures = {"p_values_": found.p_value, "scores_": scores, "gains_": gains, "ranking_": ranking}
        return {**measures, "support_": support}

    def _evidence(self, counts: Counts, strength: float) -> Evidence:
        fits = isinstance(self.prior_mean, str) or counts.is_binary
        given = float(self.prior_strength) if self._is_regularized else strength
        return Evidence(counts, given, self.prior_mean if fits else "pooled")

    def _choose(self, data: Ranked) -> Chosen:
        """Fit the path and apply the rule, if it needs one."""
        counts = data.counts
        d = counts.n_features
        if not isinstance(self.k, str) and self.k > d:
            raise ValueError(
                f"k={self.k} exceeds the {d} feature(s) of X; pass a smaller k, or 'fdr' or a rule to choose it from "
                "the data."
            )
        if self._value in ("fdr", "gain") or not isinstance(self.k, str):
            return Chosen()
        check_prior_fits(self.prior_mean, counts.n_values, counts.names)
        strength = float(self.prior_strength) if self._is_regularized else default_strength(d)
        family = FeatureFamily(
            strength,
            self.prior_mean,
            "information",
            verbose=self.verbose,
            correction=self.correction,
            is_regularized=self._is_regularized,
        )
        path = family.path(counts if data.rows is None else data.rows)
        if data.scorer is not None:
            return Chosen.of(path, data.scorer.choose(self.k, path, family))
        return Chosen.of(path, rules.choose(self.k, path, family, data.rows, self._options()))

    def _check_parameters(self) -> None:
        check_choice("numeric", self.numeric, NUMERIC)
        check_choice("correction", self.correction, (None, "miller-madow"))
        if isinstance(self.k, str):
            known = ["fdr", "gain", *rules.supported_rules(FeaturePath)]
            rules.check_rule_name("k", self.k, known, "a number", "this selector")
        elif not isinstance(self.k, Integral) or self.k < 0:
            raise ValueError(f"k must be an integer number of features, 'fdr', 'gain' or a rule, got {self.k!r}.")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must be between 0 and 1, got {self.alpha!r}.")
        check_prior(self.prior_strength, self.prior_mean)
        if self.correction is not None and self._is_regularized:
            raise ValueError(
                f"correction={self.correction!r} corrects the bias of frequencies, but prior_strength="
                f"{self.prior_strength!r} replaces them by regularized estimates; omit one of them."
            )

    @property
    def _is_regularized(self) -> bool:
        """True if features are ranked by regularized estimates, that is, if the prior strength is a number."""
        return not isinstance(self.prior_strength, str)

    def __sklearn_tags__(self) -> Tags:
        tags = tag_tables(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags
