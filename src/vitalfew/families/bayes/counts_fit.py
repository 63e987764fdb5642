"""Fits of Naive Bayes to counts, which may be merged, streamed or extended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from vitalfew import rules
from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.exceptions import RuleError
from vitalfew.families.bayes.evidence import Evidence, check_prior_fits
from vitalfew.families.bayes.knob_choice import KnobChoice
from vitalfew.families.bayes.naive_bayes_path import PriorFamily, counts_of, keep_names, prior_grid
from vitalfew.families.bayes.streamed_folds import BY_FOLDS, FoldScorer, check_counts, coder_of, needs_rows
from vitalfew.families.path_estimator import Chosen, unchanged_on_failure
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.partition_rows import count_partitions
from vitalfew.support.checks import check_threads, is_count


def _with_classes(counts: Counts, classes: ArrayLike | None) -> Counts:
    """Return the same counts, with a column for each of the classes that may still appear."""
    if classes is None:
        return counts
    classes = np.unique(classes)
    missing = np.setdiff1d(counts.classes, classes)
    if missing.size:
        raise ValueError(f"y contains classes {missing.tolist()} that are not in `classes`.")
    empty = np.zeros((len(counts.table), len(classes)))
    return Counts(empty, counts.offsets, np.zeros(len(classes)), classes, counts.names, counts.codings) + counts


def _can_fit_partially(model: CountsFit) -> bool:
    why = needs_rows(model, "partial_fit")
    if why is not None:
        raise AttributeError(why)
    return True


class CountsFit(KnobChoice):
    """Naive Bayes that is fitted to counts alone, with rules that need no rows or read them again."""

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

    def _fit_counts(self, summaries: Summaries[Counts], source: Any) -> Self:
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

    def _fit_partitions(self, X: Any, y: Any, sample_weight: ArrayLike | None, X_unlabeled: Any) -> Self:
        why = needs_rows(self, "fit on a Dask collection")
        if why is not None:
            raise RuleError(why)
        if X_unlabeled is not None:
            raise ValueError(
                "X_unlabeled is not supported when X is a Dask collection; append its rows to X and set their y to "
                "missing."
            )
        return self.fit_counts(count_partitions(X, y, sample_weight, self.numeric))

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
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add samples to the counts and update the model.

        Pass all `classes` in the first call, as in scikit-learn; by default they are those of its `y`. New categories
        may appear at any time. `features` may be None. With ``order="information"``, it may also be a number,
        ``"bic"``, ``"aic"`` or ``"ebic"``. The greedy search and resampling need all samples at once.
        """
        with unchanged_on_failure(self):
            return self._fit_more(X, y, classes, sample_weight)

    def _fit_more(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None) -> Self:
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
