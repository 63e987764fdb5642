"""Consistency checks of scikit-learn's encoders, so that no row is written beyond its columns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vitalfew.export.checks import are_in
from vitalfew.export.record import require


def one_hot(model) -> None:
    """Check that every value is encoded into an existing column: neither scikit-learn nor SciPy checks bounds."""
    known, dropped = model.categories_, model._drop_idx_after_grouping
    require(isinstance(known, list) and all(map(_are_categories, known)), "OneHotEncoder has no sorted categories")
    n_codes = [len(values) for values in known]
    if model._infrequent_enabled:
        grouped, codes = model._infrequent_indices, model._default_to_infrequent_mappings
        require(len(grouped) == len(codes) == len(known), "OneHotEncoder must have groups for each feature")
        for i, (rare, code) in enumerate(zip(grouped, codes)):
            require((rare is None) == (code is None), "OneHotEncoder has a group without codes")
            if rare is not None:
                fits = _are_numbers(rare) and len(rare) > 0 and are_in(rare, n_codes[i])
                fits = fits and _are_numbers(code) and len(code) == n_codes[i]
                n_codes[i] -= len(rare) - 1
                require(fits and are_in(code, n_codes[i]), "OneHotEncoder has an unknown code")
    if dropped is not None:
        require(
            isinstance(dropped, np.ndarray) and dropped.shape == (len(known),),
            "OneHotEncoder has an invalid list of dropped categories",
        )
        for i, j in enumerate(dropped.tolist()):
            require(j is None or (type(j) is int and 0 <= j < n_codes[i]), "OneHotEncoder drops an unknown category")
        n_codes = [n - (j is not None) for n, j in zip(n_codes, dropped.tolist())]
    require(model._n_features_outs == n_codes, "the columns of OneHotEncoder do not match its categories")


def _are_categories(values) -> bool:
    """Return True for sorted numbers, which are found by bisection, or strings; NaN and None come last."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return False
    listed = [v for v in values.tolist() if not (v is None or v != v)]
    if any(isinstance(v, str | bytes) for v in listed):
        return all(isinstance(v, str | bytes) for v in listed)
    is_last = listed == values.tolist()[: len(listed)]
    return is_last and all(a < b for a, b in pairwise(listed))


def _are_numbers(values) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu"
