"""Names and number of the columns that an estimator was fitted on, read from data frames of any library."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from vitalfew.data.tables.frames import as_frame
from vitalfew.support.suggest import did_you_mean, plain

# Names in a message.
MOST_SHOWN = 5


def check_features(estimator: Any, X: Any, *, reset: bool = True) -> None:
    """Set `n_features_in_` and `feature_names_in_` of an estimator, or check `X` against them.

    Versions of scikit-learn before 1.9 read the names of pandas frames, and of other libraries only through an
    interchange protocol that polars has abandoned. Without names, reordered columns would go unnoticed.

    Parameters
    ----------
    estimator : estimator
    X : array, sparse matrix or data frame
    reset : bool, default True
        True when the estimator is fitted. Otherwise, columns that differ in name or order raise a ValueError.
    """
    frame = None if nw.dependencies.is_pandas_dataframe(X) else as_frame(X)
    if frame is None:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    names = np.asarray(frame.columns, dtype=object)
    if reset:
        estimator.feature_names_in_, estimator.n_features_in_ = names, len(names)
        return
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is not None:
        _check_equal(list(fitted), list(names))
    elif len(names) != estimator.n_features_in_:
        raise ValueError(
            f"X has {len(names)} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} "
            "features as input."
        )
    else:
        warnings.warn(
            f"X has feature names, but {type(estimator).__name__} was fitted without feature names", stacklevel=2
        )


def validate_array(estimator: Any, X: Any, *, reset: bool = True, **options: Any) -> Any:
    """Return `X` as an array, by scikit-learn's `check_array`, after the checks of :func:`check_features`."""
    array = check_array(X, estimator=estimator, input_name="X", **options)
    check_features(estimator, X, reset=reset)
    return array


def column_mask(given: Any, names: Sequence[str], what: str) -> NDArray[np.bool_]:
    """Return a mask of columns that are given by name, by number, or as a mask; `what` is the parameter's name."""
    if isinstance(given, str):
        raise ValueError(f"{what} must be a list of columns, got {given!r}; use [{given!r}].")
    listed, mask = [plain(key) for key in given], np.zeros(len(names), dtype=bool)
    if listed and all(isinstance(key, bool) for key in listed):
        if len(listed) != len(names):
            raise ValueError(f"the mask {what} must have {len(names)} entries, one per feature, got {len(listed)}.")
        return np.array(listed, dtype=bool)
    place = {name: j for j, name in enumerate(names)} if any(isinstance(key, str) for key in listed) else {}
    for key in listed:
        j = place.get(key, -1) if isinstance(key, str) else int(key) if isinstance(key, Integral) else -1
        if not 0 <= j < len(names):
            hint = did_you_mean(key, names)
            raise ValueError(f"{what} contains {key!r}, which is not a column of X" + (f"; {hint}" if hint else "."))
        mask[j] = True
    return mask


def _check_equal(fitted: list[str], names: list[str]) -> None:
    """Raise an error in the words of scikit-learn if the names or their order differ."""
    if fitted == names:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message + "Select the columns in feature_names_in_ of the model, in this order.")


def _listed(names: list[str]) -> str:
    more = "- ...\n" if len(names) > MOST_SHOWN else ""
    return "".join(f"- {name}\n" for name in names[:MOST_SHOWN]) + more
