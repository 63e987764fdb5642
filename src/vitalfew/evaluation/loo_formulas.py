"""Leave-one-out predictions without refitting: the models with a formula, its exactness, and what it holds fixed.

A formula is valid for a model whose every hyperparameter is a number. If a rule, or an order of features, used all
samples, its choice is part of what must be left out, and only a refit gives the correct result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import Ridge as PeerRidge

from vitalfew.data.coding.table_coder import Cuts
from vitalfew.families.bayes.evidence import Evidence
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.bayes.naive_bayes_path import counts_of, loo_probabilities
from vitalfew.families.linear.lasso import Lasso
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.families.linear.logistic_path import MOST_COORDINATES, Design, probabilities
from vitalfew.families.ridge.kernel_ridge import CHOSEN, MOST_ROWS, KernelRidge, is_to_choose
from vitalfew.families.ridge.ridge import Ridge

EXACT, APPROXIMATE = "exact", "approximate"


class LeftOut(NamedTuple):
    """Predictions of each sample by the model fitted without it.

    Probabilities and decisions are set for classifiers: (rows, classes) and (rows,) or (rows, classes).
    """

    kind: str
    note: str
    value: NDArray[np.float64] | None = None
    probability: NDArray[np.float64] | None = None
    decision: NDArray[np.float64] | None = None
    classes: NDArray | None = None


def leave_out(model, X, y, weight) -> LeftOut | str:
    """Apply the formula for models of exactly this class, with nonzero weights, or return why there is none."""
    if type(model) not in FORMULAS:
        return f"there is no formula for {type(model).__name__}"
    return why_not(model) or FORMULAS[type(model)](model, X, y, weight)


def why_not(model) -> str:
    """Return the reason why a model with a formula must be refitted anyway; empty if it need not be."""
    chosen = [name for name in _knobs(model) if is_to_choose(getattr(model, name))]
    if chosen:
        listed = " and ".join(f"{name}={getattr(model, name)!r}" for name in chosen)
        return f"{listed} is selected again without each row"
    if type(model) is NaiveBayes and model.features is not None:
        return "features are selected again without each row"
    return ""


def _knobs(model) -> tuple[str, ...]:
    if type(model) is KernelRidge:
        return ("alpha", *CHOSEN)
    if type(model) is NaiveBayes:
        return () if model.prior_strength == "auto" else ("prior_strength",)
    return ("alpha",) if type(model) in (Ridge, Lasso, LogisticRegression) else ()


def _ridge(model, X, y, weight) -> LeftOut:
    """Divide the residuals by one minus the leverage."""
    model._check_parameters()
    data = model._read(X, y, weight)
    path = model._family(data).path(data, np.array([float(model.alpha)]))
    return LeftOut(EXACT, "residuals divided by one minus leverage", path.loo().prediction[:, 0])


def _peer(model, X, y, weight) -> LeftOut | str:
    """Apply the ridge formula to scikit-learn's least squares and ridge regression (same objective)."""
    alpha = 0.0 if isinstance(model, LinearRegression) else model.alpha
    if model.positive or np.ndim(alpha) > 0 or np.ndim(y) > 1:
        return "there is no formula for nonnegative coefficients or several targets"
    return _ridge(Ridge(float(alpha), fit_intercept=model.fit_intercept), X, y, weight)


def _kernel_ridge(model: KernelRidge, X, y, weight) -> LeftOut:
    """Divide the dual coefficients by the diagonal of the inverse."""
    model._check_parameters()
    data = model._read(X, y, weight)
    found = model._family(data).path(data, np.array([float(model.alpha)])).loo()
    has_landmarks = model.n_components is not None or data.n_rows > MOST_ROWS
    kind = APPROXIMATE if has_landmarks and found.note else EXACT
    return LeftOut(
        kind, found.note or "dual coefficients divided by the diagonal of the inverse", found.prediction[:, 0]
    )


def _without_a_row(alpha: float | str, n: int) -> float:
    """Rescale the penalty of a mean loss for one sample less, on the scale of the sum of losses."""
    return float(alpha) * (n - 1) / n


def _lasso(model: Lasso, X, y, weight) -> LeftOut:
    """Apply the ridge formula to the active set."""
    model._check_parameters()
    data = model._read(X, y, weight)
    penalty = np.array([_without_a_row(model.alpha, data.n_rows)])
    found = model._family(data).path(data, penalty).loo()
    return LeftOut(APPROXIMATE, found.note, found.prediction[:, 0])


def _logistic(model: LogisticRegression, X, y, weight) -> LeftOut | str:
    """Take one Newton step on the active coefficients."""
    model.set_params(alpha=_without_a_row(model.alpha, len(y)), grid=1).fit(X, y, weight)
    if np.count_nonzero(model.coef_) + len(model.coef_) > MOST_COORDINATES:
        return f"more than {MOST_COORDINATES} coefficients are nonzero"
    data, path, point = model._read(X, y, weight), model.path_, model.selection_.index
    decision = Design(path, point, data).without_each(path.decision(data)[:, point])
    note = "one Newton step; the active set is held fixed"
    outer = decision[:, 0] if decision.shape[1] == 1 else decision
    return LeftOut(APPROXIMATE, note, None, probabilities(decision), outer, path.classes)


def _naive_bayes(model: NaiveBayes, X, y, weight) -> LeftOut | str:
    """Subtract each sample from the counts."""
    model._check_parameters()
    data = model._read(X, y, weight)
    counts = counts_of(data)
    cut = any(isinstance(coding, Cuts) and len(coding.cuts) for coding in counts.codings or [])
    if data.coder.is_supervised:
        return "cuts of numeric columns are computed again without each row"
    if model.prior_mean != "pooled" and counts.codings is not None and _has_rare_values(data):
        return "a value that occurs in a single row changes the support of the prior"
    probability = loo_probabilities(Evidence(counts, model._given_strength(counts.n_features), model.prior_mean), data)
    kind = APPROXIMATE if cut else EXACT
    note = "the cuts of numeric columns are held fixed" if cut else "counts without those of the row"
    return LeftOut(kind, note, None, probability[:, 0], None, data.classes)


def _has_rare_values(data) -> bool:
    """Return True if some value of a feature occurs in a single row."""
    block = data.block.to_codes()
    known = block.codes != np.iinfo(block.codes.dtype).max
    return any((np.bincount(c[k].astype(np.int64)) == 1).any() for c, k in zip(block.codes.T, known.T) if k.any())


FORMULAS: dict[type, Callable[..., Any]] = {
    Ridge: _ridge,
    LinearRegression: _peer,
    PeerRidge: _peer,
    KernelRidge: _kernel_ridge,
    NaiveBayes: _naive_bayes,
    Lasso: _lasso,
    LogisticRegression: _logistic,
}
