"""Choice of the prior strength and the features of Naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.coding.table_coder import NUMERIC, TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.tables.feature_names import check_features, column_mask
from vitalfew.families.bayes.evidence import (
    Evidence,
    check_prior,
    check_prior_fits,
    default_strength,
)
from vitalfew.families.bayes.naive_bayes_path import (
    MAX_GREEDY,
    FeatureFamily,
    FeaturePath,
    PriorFamily,
    PriorPath,
    information_path,
    is_given,
    prior_grid,
)
from vitalfew.families.bayes.streamed_folds import BY_FOLDS, FoldScorer
from vitalfew.families.path_estimator import Chosen, PathEstimator, without_rows
from vitalfew.support.checks import check_choice, check_threads, is_count

ORDERS = ("greedy", "information")
# Number of predictions up to which the bits of all sizes are computed although no rule needs them.
FEW_PREDICTIONS = 1_000_000


class KnobChoice(PathEstimator):
    """Naive Bayes before its attributes are set: each knob is given, or a rule chooses a point of its path."""

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
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None,
        *,
        X_unlabeled: Any = None,
        reset: bool = True,
        numeric: str | None = None,
    ) -> DiscreteData:
        coder = TableCoder(numeric or self.numeric, check_threads(self.n_jobs))
        data = DiscreteData.read(X, y, sample_weight, coder, X_unlabeled)
        check_features(self, X, reset=reset)
        if hasattr(self, "feature_names_in_"):
            coder.names = [str(n) for n in self.feature_names_in_]
        check_prior_fits(self.prior_mean, np.diff(data.block.offsets), coder.names)
        return data

    def _choose(self, data: DiscreteData) -> Chosen:
        """Choose the prior strength, then the features."""
        chosen = Chosen()
        self._choose_features(data, self._choose_prior(data, chosen), chosen)
        return chosen

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

    def _path_attributes(self, chosen: Chosen) -> dict[str, Any]:
        paths = {knob: without_rows(path) for knob, path in chosen.paths.items()}
        return {"selections_": chosen.selections, "paths_": paths}

    @property
    def selection_(self) -> Any:
        """Selection of the last rule that was applied."""
        check_is_fitted(self)
        if not self.selections_:
            raise AttributeError("selection_ is only available if `features` or `prior_strength` is a rule.")
        return list(self.selections_.values())[-1]

    @property
    def path_(self) -> Any:
        """Path from which the last knob was chosen."""
        check_is_fitted(self)
        if not self.paths_:
            raise AttributeError(
                "path_ is only available if `features` is a number or a rule, or `prior_strength` is a rule."
            )
        return list(self.paths_.values())[-1]
