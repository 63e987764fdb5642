"""Number of features that a fitted model uses, as far as the model exposes it."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse
from sklearn.dummy import DummyClassifier, DummyRegressor


def count_features(model, n_columns: int | None) -> float:
    """Count the features that a fitted model uses.

    Among the features passed to its last step, these are the selected ones (`support_`), those with a nonzero
    coefficient (`coef_`) or those with an importance (`feature_importances_`). Otherwise all columns count; NaN for
    texts about which nothing else is known.
    """
    if isinstance(model, DummyClassifier | DummyRegressor):
        return 0.0
    inner = inner_model(model)
    if inner is not None:
        return count_features(inner, getattr(inner, "n_features_in_", n_columns))
    n_given = getattr(model, "n_features_in_", n_columns)
    for count in (_selected, _weighted, _important):
        with suppress(Exception):  # these attributes may hold anything, or raise
            found = count(model)
            if found is not None:
                return float(found)
    return np.nan if n_given is None else float(n_given)


def inner_model(model):
    """Return the fitted model inside a pipeline, a search or a target transformer."""
    steps = getattr(model, "steps", None)
    if steps and hasattr(model, "named_steps"):
        predictors = [step for _, step in steps if step is not None and step != "passthrough"]
        return predictors[-1] if predictors else None
    if _selected_or_none(model) is not None:
        return None
    for name in ("best_estimator_", "regressor_"):
        if hasattr(model, name):
            return getattr(model, name)
    return None


def _selected_or_none(model):
    with suppress(Exception):
        return _selected(model)
    return None


def _selected(model):
    support = np.asarray(model.support_)
    # Support vector machines store row indices under this name.
    return support.sum() if support.dtype == bool and support.ndim == 1 else None


def _weighted(model):
    coef = model.coef_
    dense = coef.toarray() if sparse.issparse(coef) else np.asarray(coef)
    if dense.ndim == 0 or dense.shape[-1] != getattr(model, "n_features_in_", dense.shape[-1]):
        return None
    return (dense.reshape(-1, dense.shape[-1]) != 0).any(axis=0).sum()


def _important(model):
    return np.count_nonzero(model.feature_importances_)
