"""Descriptions of the classes in a model file: their fields, the kind of each, and consistency checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from vitalfew.data.coding.number_coder import NumberCoder
from vitalfew.exceptions import ModelFileError
from vitalfew.rules.point_criteria import PointCriteria

# Maximum number of processes or threads that a file may request for predictions.
MOST_THREADS = 256
# Remedy for learners of other libraries that cannot be stored or written as a formula.
OTHER_MODELS = (
    "Keep it with joblib or skops; of a report, choose a model of another learner from report.frontier and fit it with "
    "report.model_of(n_features)."
)


@dataclass(frozen=True)
class Kind:
    """Type of a field, as text and as a test."""

    text: str
    test: Callable[[Any], bool]


real = Kind("a number", lambda v: isinstance(v, int | float | np.number) and not isinstance(v, bool))
whole = Kind("an integer", lambda v: isinstance(v, int | np.integer) and not isinstance(v, bool))
threads = Kind(f"a number of threads up to {MOST_THREADS}", lambda v: whole.test(v) and abs(v) <= MOST_THREADS)
flag = Kind("true or false", lambda v: isinstance(v, bool | np.bool_))
text = Kind("text", lambda v: isinstance(v, str))
anything = Kind("anything", lambda _: True)


def array(kinds: str, ndim: int, *, finite: bool = False) -> Kind:
    """Return the kind of arrays with a dtype of one of these kinds."""

    def test(v) -> bool:
        fits = isinstance(v, np.ndarray) and v.dtype.kind in kinds and v.ndim == ndim
        return fits and (not finite or bool(np.isfinite(v).all()))

    return Kind(f"an array of {ndim} dimension(s) and kind {kinds!r}" + (", finite" if finite else ""), test)


def is_a(*classes: type) -> Kind:
    return Kind(" or ".join(c.__name__ for c in classes), lambda v: isinstance(v, classes))


def maybe(kind: Kind) -> Kind:
    return Kind(f"{kind.text} or None", lambda v: v is None or kind.test(v))


def each(kind: Kind, *containers: type) -> Kind:
    """Return the kind of lists (or other containers) of such items."""
    kept: Any = containers or list
    return Kind(
        f"a list with each item {kind.text}", lambda v: isinstance(v, kept) and all(kind.test(item) for item in v)
    )


def keyed(key: Kind, value: Kind) -> Kind:
    """Return the kind of dictionaries with such keys and values."""
    return Kind(
        f"a dictionary with each value {value.text}",
        lambda v: isinstance(v, dict) and all(map(key.test, v)) and all(map(value.test, v.values())),
    )


# Set by scikit-learn, for models with a path, or for models that code tables; not every estimator has them.
COMMON = {
    "n_features_in_": whole,
    "feature_names_in_": array("OUT", 1),
    "_sklearn_output_config": keyed(text, text),
    "_criteria": maybe(is_a(PointCriteria)),
    "_coder": maybe(is_a(NumberCoder)),
}


@dataclass(frozen=True)
class Record:
    """Description of a class in a model file.

    Attributes
    ----------
    cls : type
    fields : dict of Kind, or None
        Fields saved besides the parameters of an estimator; None for all attributes (scikit-learn's classes).
    optional : tuple of str
        Fields that an object may lack.
    left : tuple of str
        Attributes that are not saved: accessing them on a loaded object is an AttributeError that says so.
    blank : dict
        Values that a loaded object gets for fields that the file does not hold.
    earlier : dict
        Values of parameters that earlier versions did not have, as they fitted the model.
    check : callable, optional
        Function that raises if the fields of an object are inconsistent.
    read, make : callable, optional
        Conversion of an object to fields and back, if these are not its attributes.
    """

    cls: type
    fields: Mapping[str, Kind] | None
    optional: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    blank: Mapping[str, Any] = field(default_factory=dict)
    earlier: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Any], None] | None = None
    read: Callable[[Any], dict[str, Any]] | None = None
    make: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def is_estimator(self) -> bool:
        return self.make is None and issubclass(self.cls, BaseEstimator)

    def pack(self, value: Any) -> dict[str, Any]:
        """Return the fields of an object."""
        if self.read is not None:
            return self.read(value)
        state = value.__getstate__() if hasattr(value, "__getstate__") else vars(value)
        state = {} if state is None else state
        if self.fields is None:
            given = value.get_params(deep=False) if self.is_estimator else {}
            return {k: v for k, v in state.items() if k not in given and k not in _UNUSED}
        return {k: state[k] for k in (*(COMMON if self.is_estimator else ()), *self.fields) if k in state}

    def build(self, params: dict[str, Any], fields: dict[str, Any]) -> Any:
        """Build an object from parameters and fields; raise an error that says what is wrong."""
        self._check_names(fields)
        if not maybe(threads).test(params.get("n_jobs")):
            raise ModelFileError(f"n_jobs of {self.name} is not {threads.text}")
        if self.make is not None:
            return self.make(**fields)
        value: Any = self.cls(**{**self.earlier, **params}) if self.is_estimator else object.__new__(self.cls)
        is_fitted = bool(fields) or not self.is_estimator
        for name, kept in {**(self.blank if is_fitted else {}), **fields}.items():
            object.__setattr__(value, name, kept)
        if self.check is not None and is_fitted:
            self.check(value)
        return value

    def _check_names(self, fields: dict[str, Any]) -> None:
        if self.fields is None:
            strange = [name for name in fields if not name.isidentifier() or name.startswith("__")]
        else:
            known = {**(COMMON if self.is_estimator else {}), **self.fields}
            strange = [name for name in fields if name not in known]
            needed = [name for name in self.fields if name not in self.optional]
            missing = [name for name in needed if name not in fields]
            if missing and (fields or not self.is_estimator):
                raise ModelFileError(f"{self.name} has no {missing[0]!r}")
            for name, value in fields.items():
                if name in known and not known[name].test(value):
                    raise ModelFileError(f"{name!r} of {self.name} is not {known[name].text}")
        if strange:
            raise ModelFileError(f"{self.name} has an unknown field {strange[0]!r}")


# State of scikit-learn's estimators that only training or display uses.
_UNUSED = {"_sklearn_version", "_metadata_request", "_doc_link_url_param_generator"}


class LeftBehind:
    """Descriptor for an attribute that `fit` sets and a model file does not keep: access without a value says so."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        raise AttributeError(
            f"{owner.__name__} has no {self.name}: it is set by fit and not stored in a model file. Fit the model to "
            "get it."
        )


def require(holds: Any, reason: str) -> None:
    """Raise a ModelFileError with this reason unless the condition holds."""
    if not holds:
        raise ModelFileError(reason)
