"""Base class of estimators that fit a path and let a rule choose a point of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from vitalfew import rules
from vitalfew.data.tables.feature_names import check_features
from vitalfew.families.fitted_criteria import FittedCriteria
from vitalfew.families.rows_path import RowsPath
from vitalfew.rules.path import ALONE, Run
from vitalfew.rules.point_criteria import PointCriteria, criteria_at

# Attributes that scikit-learn sets when it validates the input of a fit.
OF_INPUT = ("n_features_in_", "feature_names_in_")


@dataclass
class Chosen:
    """Path and selection of each knob that was chosen, in the order of choice."""

    paths: dict[str, Any] = field(default_factory=dict)
    selections: dict[str, rules.Selection] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Any, selection: rules.Selection) -> Chosen:
        """Return the choice of a single knob."""
        return cls({selection.knob: path}, {selection.knob: selection})

    def add(self, path: Any, selection: rules.Selection) -> None:
        self.paths[selection.knob], self.selections[selection.knob] = path, selection

    @property
    def path(self) -> Any:
        """Path of the last knob."""
        return list(self.paths.values())[-1]

    @property
    def selection(self) -> rules.Selection:
        """Selection of the last knob."""
        return list(self.selections.values())[-1]

    @property
    def index(self) -> int:
        """Index of the point of the last path."""
        return self.selection.index


class PathEstimator(FittedCriteria, BaseEstimator):
    """Base class of estimators with a complexity knob that takes a number or a rule.

    `fit` validates the input, fits the path, resolves the knob and sets the fitted attributes, all at once or not at
    all. A family implements `_check_parameters`, `_read` (input to samples), `_family` (the procedure that fits paths)
    and `_attributes` (those of the chosen point); it may override `_grid`, `_run` and `_index_of`, or `_choose` if it
    has several knobs.
    """

    _knob = "alpha"

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, validation: tuple[Any, Any] | None = None
    ) -> Self:
        """Fit the whole path, then select a point by the rule.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        validation : tuple (X, y), optional
            Validation set, on which the rule ``"holdout"`` scores the path fitted to all of `X`. Without it, the rule
            holds out samples of `X`.
        """
        return self._fit(X, y, sample_weight, validation)

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None, validation: Any = None, **further: Any) -> Self:
        """Fit to samples; `further` arguments go to `_read`."""
        with unchanged_on_failure(self):
            self._check_parameters()
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
            data = self._read(X, y, sample_weight, **further)
            data = data if validation is None else self._with_validation(data, *self._check_validation(validation))
            chosen = self._choose(data)
            return self._keep(chosen, data)

    def _check_validation(self, validation: Any) -> tuple[Any, Any]:
        """Return the validation set, after checks that it has an effect and the columns of the training set."""
        if not any(rules.rule_name(value) == "holdout" for value in self.get_params(deep=False).values()):
            raise ValueError("validation has an effect only on the rule 'holdout', which no parameter names.")
        return check_validation(self, validation)

    def _with_validation(self, data: Any, X: Any, y: Any) -> Any:
        """Return the samples with those of the validation set."""
        return replace(data, validation=data.like(X, y))

    def _keep(self, chosen: Chosen, data: Any) -> Self:
        """Set the fitted attributes of the chosen point."""
        criteria = {"_criteria": self._criteria_of(chosen, data)}
        return self._set_fitted({**self._path_attributes(chosen), **self._attributes(chosen, data), **criteria})

    def _criteria_of(self, chosen: Chosen, _data: Any) -> PointCriteria | None:
        """Return the likelihood and the criteria of the chosen point; None if the model has no likelihood."""
        return criteria_at(chosen.path, chosen.index) if chosen.paths and hasattr(self, "predict") else None

    def _choose(self, data: Any) -> Chosen:
        """Fit the path and resolve the knob."""
        family = self._family(data)
        data, options = self._prepare(family, data)
        path = family.path(data, self._grid(), run=self._run(data))
        return Chosen.of(path, rules.resolve(self._value, path, family, data, options, at=self._index_of))

    @property
    def _value(self) -> Any:
        """Value of the knob: a rule, or a number set by the user."""
        return rules.rule_name(getattr(self, self._knob))

    def _options(self) -> rules.Options:
        """Return the options of rules that resample."""
        return rules.Options(self.cv, self.scoring, self.random_state, self.verbose)

    def _prepare(self, _family: Any, data: Any) -> tuple[Any, rules.Options]:
        """Return the samples and the options of the rule, with results that the path and the rule share."""
        return data, self._options()

    def _path_attributes(self, chosen: Chosen) -> dict[str, Any]:
        """Return `path_`, without the rows it was fitted to, and `selection_`."""
        return {"path_": without_rows(chosen.path), "selection_": chosen.selection} if chosen.selections else {}

    def _set_fitted(self, attributes: dict[str, Any]) -> Self:
        """Replace all attributes of an earlier fit."""
        parameters = self.get_params(deep=False)
        for name in [n for n in vars(self) if n.endswith("_") and n not in parameters and n not in OF_INPUT]:
            delattr(self, name)
        self.__dict__.update(attributes)
        return self

    # What a family implements

    def _check_parameters(self) -> None:
        """Raise an error that names the first invalid parameter."""
        raise NotImplementedError

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Any:
        """Validate the input and return the samples in the form that the family reads."""
        raise NotImplementedError

    def _family(self, data: Any) -> Any:
        """Return the family with the settings of this estimator."""
        raise NotImplementedError

    def _attributes(self, chosen: Chosen, data: Any) -> dict[str, Any]:
        """Return the fitted attributes besides `path_` and `selection_`."""
        raise NotImplementedError

    # What a family may override

    def _grid(self) -> NDArray | None:
        """Return the values of the knob to compute, or None if the path computes its own."""
        return None

    def _run(self, _data: Any) -> Run:
        """Return the circumstances of the fit: a warm start continues a previous path."""
        return ALONE

    def _index_of(self, path: Any, value: Any) -> int:
        """Return the index of the point that a number set by the user selects."""
        return rules.last_point(path, value)


def check_validation(model: Any, validation: Any) -> tuple[Any, Any]:
    """Return X and y of a validation set, whose columns must be those that the model was fitted on."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise ValueError(f"validation must be a pair (X, y), got {type(validation).__name__}.")
    X, y = validation
    check_features(model, X, reset=False)
    return X, y


def without_rows(path: Any) -> Any:
    """Return the path without the rows it was fitted to."""
    return path.without_data() if isinstance(path, RowsPath) else path


@contextmanager
def unchanged_on_failure(model: Any) -> Iterator[None]:
    """Restore the attributes of `model` if its fit fails or is interrupted."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise
