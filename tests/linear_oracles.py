"""Slow twins of the linear families, straight from the formulas.

The objective is the mean loss (weights sum to one) plus ``alpha * sum_j f_j (rho |b_j| + (1 - rho) b_j^2 / 2)``.
`Penalty` holds alpha, rho, the factors f and whether coefficients must not be negative. Unpenalized columns, the
intercept among them, are solved for where a dual needs it: their slope must be zero there.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, logsumexp, softmax, xlogy


def shares(weight, n):
    """Weights that sum to one."""
    w = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    return w / w.sum()


@dataclass(frozen=True)
class Penalty:
    alpha: float
    rho: float = 1.0
    factor: np.ndarray | None = None
    positive: bool = False

    def strength(self, d):
        """alpha f_j."""
        with np.errstate(invalid="ignore"):
            f = self.alpha * (np.ones(d) if self.factor is None else np.asarray(self.factor, dtype=float))
        return np.where(np.isnan(f), np.inf, f)  # 0 * inf: left out all the same

    def value(self, coef):
        """Return the value for coefficients (..., features); excluded ones must be zero."""
        s, b = self.strength(coef.shape[-1]), np.abs(coef)
        if self.positive and (coef < 0).any():
            return np.inf
        return float(
            np.where(b > 0, s, 0.0).reshape(b.shape).ravel() @ (self.rho * b + (1 - self.rho) * b**2 / 2).ravel()
        )

    def conjugate(self, z):
        """max over b of z b - penalty(b), summed; infinite if a slope cannot be held."""
        s = np.broadcast_to(self.strength(z.shape[-1]), z.shape)
        s, z = s[np.isfinite(s)], z[np.isfinite(s)]
        over = np.maximum((z if self.positive else np.abs(z)) - self.rho * s, 0.0)
        if (over[s * (1 - self.rho) == 0] > 0).any():
            return np.inf
        over, s = over[over > 0], s[over > 0]
        return float(np.sum(over**2 / (2 * s * (1 - self.rho))))

    def shrink(self, z, curvature, strength):
        """argmin over b of curvature (b - z / curvature)^2 / 2 + penalty(b), for each coordinate."""
        size = np.maximum((z if self.positive else np.abs(z)) - self.rho * strength, 0.0)
        return np.sign(z) * size / (curvature + np.where(size > 0, strength, 0.0) * (1 - self.rho))

    def violation(self, coef, slope):
        """Largest violation of optimality: `slope` is minus the gradient of the mean loss (eqs. 19 and 20)."""
        s = np.broadcast_to(self.strength(coef.shape[-1]), coef.shape)
        s, coef, slope = (v[np.isfinite(s)] for v in (s, coef, slope))
        held = s * (self.rho * np.sign(coef) + (1 - self.rho) * coef)
        at_zero = np.maximum((slope if self.positive else np.abs(slope)) - self.rho * s, 0.0)
        return float(np.where(coef != 0, np.abs(slope - held), at_zero).max(initial=0.0))


def unpenalized(X, penalty, has_intercept):
    """The columns whose slope must be zero: ones, and those with factor 0."""
    free = X[:, penalty.strength(X.shape[1]) == 0]
    return np.column_stack([np.ones((len(X), int(has_intercept))), free])


# Squared loss


def lasso_objective(X, y, coef, intercept, penalty, weight=None):
    return 0.5 * float(shares(weight, len(y)) @ (y - intercept - X @ coef) ** 2) + penalty.value(coef)


def lasso_violation(X, y, coef, intercept, penalty, weight=None, has_intercept=True):
    pull = shares(weight, len(y)) * (y - intercept - X @ coef)
    return max(penalty.violation(coef, X.T @ pull), abs(pull.sum()) if has_intercept else 0.0)


def lasso_null(y, weight=None, has_intercept=True):
    """The objective without features."""
    w = shares(weight, len(y))
    return 0.5 * float(w @ (y - (w @ y if has_intercept else 0.0)) ** 2)


def lasso_gap(X, y, coef, intercept, penalty, weight=None, has_intercept=True):
    """Primal minus the dual at the residual, scaled into the feasible set: a bound on primal minus minimum."""
    w = shares(weight, len(y))
    root = np.sqrt(w)
    # A free coefficient that must not be negative and stands at zero lets the residual point away from its column.
    is_inside = (coef > 0) | (not penalty.positive)
    free = X[:, is_inside & (penalty.strength(X.shape[1]) == 0)]
    inside = np.column_stack([np.ones((len(X), int(has_intercept))), free])
    basis, size, _ = np.linalg.svd(inside * root[:, None], full_matrices=False)
    basis = basis[:, size > 1e-10 * size.max(initial=0.0)]
    r, target = (y - intercept - X @ coef) * root, (y - (w @ y) * has_intercept) * root
    r, target = (v - basis @ (basis.T @ v) for v in (r, target))
    is_free = penalty.strength(X.shape[1]) == 0
    z = np.where(is_free, 0.0, (X * root[:, None]).T @ r)
    scale = 1.0
    if penalty.rho == 1:
        pull = z if penalty.positive else np.abs(z)
        limit = penalty.strength(X.shape[1])
        ratio = limit[pull > 0] / pull[pull > 0]
        scale = min(1.0, ratio[limit[pull > 0] > 0].min(initial=1.0) * (1 - 1e-15))
    dual = scale * (target @ r) - 0.5 * scale**2 * (r @ r) - penalty.conjugate(scale * z)
    return lasso_objective(X, y, coef, intercept, penalty, weight) - dual


def lasso_solve(X, y, penalty, weight=None, has_intercept=True, sweeps=20000, tol=1e-13):
    """Coordinate descent on centered columns until nothing moves. Returns coefficients and intercept."""
    w = shares(weight, len(y))
    x_mean, y_mean = (w @ X, w @ y) if has_intercept else (np.zeros(X.shape[1]), 0.0)
    Z, r = X - x_mean, y - y_mean
    square = w @ Z**2
    coef, strength = np.zeros(X.shape[1]), penalty.strength(X.shape[1])
    for _ in range(sweeps):
        moved = 0.0
        for j in np.flatnonzero(square > 0):
            new = penalty.shrink((w * r) @ Z[:, j] + square[j] * coef[j], square[j], strength[j])
            r -= (new - coef[j]) * Z[:, j]
            moved, coef[j] = max(moved, abs(new - coef[j]) * np.sqrt(square[j])), new
        if moved <= tol * np.sqrt(w @ (y - y_mean) ** 2):
            break
    return coef, float(y_mean - x_mean @ coef)


# Log loss: coefficients (outputs, features), one output for two classes, one for each class for more


def as_scores(X, coef, intercept):
    """Linear predictors of every class."""
    m = X @ coef.T + intercept
    return np.column_stack([np.zeros(len(X)), m]) if m.shape[1] == 1 else m


def own_class(label, n_classes):
    return np.eye(n_classes)[label]


def logistic_loss(X, label, coef, intercept, weight=None):
    own = log_softmax(as_scores(X, coef, intercept), axis=1)[np.arange(len(label)), label]
    return -float(shares(weight, len(label)) @ own)


def logistic_objective(X, label, coef, intercept, penalty, weight=None):
    return logistic_loss(X, label, coef, intercept, weight) + penalty.value(coef)


def logistic_slope(X, label, coef, intercept, weight=None):
    """Derivatives of the mean log-likelihood: of coefficients, and of intercepts."""
    scores = as_scores(X, coef, intercept)
    pull = (own_class(label, scores.shape[1]) - softmax(scores, axis=1)) * shares(weight, len(label))[:, None]
    pull = pull[:, -len(coef) :]
    return pull.T @ X, pull.sum(axis=0)


def logistic_violation(X, label, coef, intercept, penalty, weight=None, has_intercept=True):
    slope, of_intercept = logistic_slope(X, label, coef, intercept, weight)
    return max(penalty.violation(coef, slope), np.abs(of_intercept).max() if has_intercept else 0.0)


def logistic_null(label, weight=None, has_intercept=True):
    """The log loss without features."""
    n_classes = label.max() + 1
    share = shares(weight, len(label)) @ own_class(label, n_classes)
    return -float(np.sum(xlogy(share, share))) if has_intercept else float(np.log(n_classes))


def logistic_gap(X, label, coef, intercept, penalty, weight=None, has_intercept=True):
    """Primal minus a dual: entropy of q_i less the conjugate of the penalty at X^T (own - q), for any distributions q_i
    at which the slope of unpenalized columns is zero. Here q is own + s (p - own) with p those of the coefficients
    given, the unpenalized ones solved for, and the largest s that is feasible."""
    w, k = shares(weight, len(label)), len(coef)
    free = unpenalized(X, penalty, has_intercept)
    start = as_scores(X, coef, intercept)
    own = own_class(label, start.shape[1])
    p = softmax(start + _newton(free, own, start, w, k), axis=1) if free.shape[1] else softmax(start, axis=1)
    z = ((own - p)[:, -k:] * w[:, None]).T @ X
    limit = np.broadcast_to(penalty.strength(X.shape[1]), z.shape)
    is_rounding = np.abs(z) < 1e-15 * np.abs(X).max()
    z, scale = np.where((limit == 0) | is_rounding, 0.0, z), 1.0
    if penalty.rho == 1:
        ratio = limit[limit > 0] / np.maximum(np.abs(z[limit > 0]), 1e-300)
        scale = min(1.0, ratio.min(initial=1.0) * (1 - 1e-15))
    q = np.clip(own + scale * (p - own), 0, 1)
    dual = -float(w @ xlogy(q, q).sum(axis=1)) - penalty.conjugate(scale * z)
    return logistic_objective(X, label, coef, intercept, penalty, weight) - dual


def _newton(free, own, start, w, k):
    """Return the contribution of unpenalized columns to the scores at the minimum of the log loss."""
    move = np.zeros_like(start)
    for _ in range(50):
        p = softmax(start + move, axis=1)
        slope = free.T @ ((own - p)[:, -k:] * w[:, None])
        curvature = np.zeros((k, free.shape[1], k, free.shape[1]))
        for a in range(k):
            for b in range(k):
                pa, pb = p[:, -k:][:, a], p[:, -k:][:, b]
                curvature[a, :, b] = free.T @ (free * (w * pa * ((a == b) - pb))[:, None])
        size = k * free.shape[1]
        step = np.linalg.lstsq(curvature.reshape(size, size), slope.T.ravel(), rcond=1e-12)[0].reshape(k, -1)
        move[:, -k:] += free @ step.T
        if np.abs(step).max() < 1e-13:
            break
    return move


def logistic_solve(X, label, penalty, weight=None, has_intercept=True, steps=20000, tol=1e-12):
    """Accelerated proximal gradients with restarts, until the optimality conditions hold. Coefficients, intercepts."""
    n_classes = label.max() + 1
    k, d = (1 if n_classes == 2 else n_classes), X.shape[1]
    w = shares(weight, len(label))
    step = 1 / (0.5 * np.linalg.norm(np.column_stack([X, np.ones(len(X))]) * np.sqrt(w)[:, None], 2) ** 2)
    at = ahead = np.zeros((k, d + 1))
    t = 1.0
    for _ in range(steps):
        slope, of_intercept = logistic_slope(X, label, ahead[:, :d], ahead[:, d], weight)
        coef = penalty.shrink(ahead[:, :d] / step + slope, 1 / step, penalty.strength(d))
        new = np.column_stack([coef, ahead[:, d] + step * of_intercept * has_intercept])
        if np.sum((ahead - new) * (new - at)) > 0:
            t, ahead = 1.0, at  # the momentum points uphill
            continue
        t, previous = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        ahead, at = new + (previous - 1) / t * (new - at), new
        if logistic_violation(X, label, at[:, :d], at[:, d], penalty, weight, has_intercept) < tol:
            break
    return at[:, :d], at[:, d]


def log_loss_rows(X, label, coef, intercept):
    scores = as_scores(X, coef, intercept)
    return logsumexp(scores, axis=1) - scores[np.arange(len(label)), label]


# Moments


def moments(X, y, weight=None):
    """Sum of weights, means and scatter of (X, y), in extended precision."""
    z = np.column_stack([np.asarray(X, dtype=np.longdouble), np.asarray(y, dtype=np.longdouble)])
    w = np.ones(len(z), dtype=np.longdouble) if weight is None else np.asarray(weight, dtype=np.longdouble)
    mean = w @ z / w.sum()
    centered = z - mean
    mean = mean + w @ centered / w.sum()
    centered = z - mean
    return float(w.sum()), mean.astype(float), (centered.T @ (centered * w[:, None])).astype(float)
