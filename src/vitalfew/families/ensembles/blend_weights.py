"""Weights of the models of a blend, by greedy selection with replacement on predictions of unseen rows."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vitalfew.support.checks import check_known, check_weight, is_count

# Smallest probability that the log loss distinguishes from zero.
SMALLEST = 1e-15
# Number of probabilities that are multiplied before one logarithm is taken: 1e-15 to this power does not underflow.
TOGETHER = 16
# Losses this close are equal up to rounding, relative to the loss of the best single model.
TIE = 1e-12


class BlendLoss(Protocol):
    """Loss of a mean of predictions that grows by one model at a time."""

    rounding: float  # absolute, in units of TIE

    def add(self, model: int) -> None:
        """Add one model to the sum."""

    def losses(self) -> NDArray[np.float64]:
        """Return, for each model, the loss of the mean after this model has been added."""


def blend_weights(
    predictions: NDArray[np.float64],
    target: NDArray,
    *,
    is_classification: bool,
    sample_weight: NDArray[np.float64] | None = None,
    n_steps: int = 50,
) -> NDArray[np.float64]:
    r"""Choose the weights of an average of models by greedy selection with replacement.

    The first step takes the model with the smallest loss. Each further step adds the model, possibly again, whose
    addition gives the average the smallest loss. Of the averages after 1, ..., `n_steps` steps the one with the
    smallest loss is returned, so its loss never exceeds that of the best model. The search does not stop at the first
    step that fails to improve, because later steps change the weights less. Ties go to the first model.

    Parameters
    ----------
    predictions : ndarray of shape (n_models, n_rows) or (n_models, n_rows, n_classes)
        Predicted numbers, or class probabilities. The rows must not have been used to fit the models.
    target : ndarray of shape (n_rows,)
        Values, or class codes.
    is_classification : bool
        Minimize the log loss of the averaged probabilities, each at least 1e-15, instead of the squared error of the
        averaged numbers.
    sample_weight : ndarray of shape (n_rows,), optional
    n_steps : int, default 50
        Number of steps. Weights are multiples of one over the number of steps taken.

    Returns
    -------
    ndarray of shape (n_models,)
        Nonnegative weights with sum 1.

    References
    ----------
    Caruana, Niculescu-Mizil, Crew & Ksikes (2004), Ensemble selection from libraries of models, ICML,
    doi:10.1145/1015330.1015432.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew.families.ensembles.blend_weights import blend_weights
    >>> target = np.array([0.0, 1.0, 2.0, 3.0])
    >>> blend_weights(np.stack([target + 1, target - 1, target + 5]), target, is_classification=False)
    array([0.5, 0.5, 0. ])
    """
    weight = _check(predictions, target, is_classification, sample_weight, n_steps)
    problem: BlendLoss = (
        _LogLoss(predictions, target, weight) if is_classification else _SquaredError(predictions, target, weight)
    )
    counts = np.zeros(len(predictions))
    best_loss, best, tolerance = np.inf, counts, 0.0
    for step in range(n_steps):
        losses = problem.losses()
        smallest = losses.min()
        if step == 0:
            tolerance = TIE * (smallest + problem.rounding)
        chosen = int(np.argmax(losses <= smallest + tolerance))
        problem.add(chosen)
        counts[chosen] += 1
        if losses[chosen] < best_loss - tolerance:
            best_loss, best = float(losses[chosen]), counts / counts.sum()
    return best


def blend_loss(
    weights: NDArray[np.float64],
    predictions: NDArray[np.float64],
    target: NDArray,
    *,
    is_classification: bool,
    sample_weight: NDArray[np.float64] | None = None,
) -> float:
    """Return the loss of an average with the given weights, which :func:`blend_weights` minimizes."""
    of_row = _check(predictions, target, is_classification, sample_weight, 1)
    if is_classification:
        return float(-(of_row @ np.log(weights @ _of_truth(predictions, target))))
    with np.errstate(over="ignore"):
        return float(of_row @ (weights @ predictions - target) ** 2)


class _SquaredError:
    """Mean squared error, from the weighted products of the residuals of all pairs of models.

    O(n·m²) once for n rows and m models, O(m) per step.
    """

    rounding = 0.0

    def __init__(self, predictions: NDArray[np.float64], target: NDArray, weight: NDArray[np.float64]):
        residuals = predictions / 2 - target / 2  # the difference and the squares of large numbers overflow
        residuals /= np.abs(residuals).max() or 1.0
        self.products = (residuals * weight) @ residuals.T
        self.with_sum = np.zeros(len(predictions))
        self.of_sum, self.count = 0.0, 0

    def losses(self) -> NDArray[np.float64]:
        return (self.of_sum + 2 * self.with_sum + self.products.diagonal()) / (self.count + 1) ** 2

    def add(self, model: int) -> None:
        self.of_sum += 2 * self.with_sum[model] + self.products[model, model]
        self.with_sum += self.products[model]
        self.count += 1


class _LogLoss:
    """Mean log loss, which depends only on the probabilities of the true classes. O(n·m) per step."""

    rounding = 1.0  # of the logarithms of probabilities near 1

    def __init__(self, predictions: NDArray[np.float64], target: NDArray, weight: NDArray[np.float64]):
        self.of_truth = _of_truth(predictions, target)
        self.weight, self.is_even = weight, bool((weight == weight[0]).all())
        self.total, self.count = np.zeros(len(target)), 0

    def losses(self) -> NDArray[np.float64]:
        mean_log = self._mean_log if self.is_even else self._weighted_mean_log
        return np.log(self.count + 1) - np.array([mean_log(self.total + own) for own in self.of_truth])

    def add(self, model: int) -> None:
        self.total += self.of_truth[model]
        self.count += 1

    def _weighted_mean_log(self, value: NDArray[np.float64]) -> float:
        return float(self.weight @ np.log(value))

    def _mean_log(self, value: NDArray[np.float64]) -> float:
        n = len(value) - len(value) % TOGETHER
        products = np.multiply.reduce(value[:n].reshape(TOGETHER, -1), axis=0)
        return float(np.log(products).sum() + np.log(value[n:]).sum()) / len(value)


def _of_truth(predictions: NDArray[np.float64], target: NDArray) -> NDArray[np.float64]:
    """Return the probability that each model gives to the true class of each row."""
    return np.maximum(predictions[:, np.arange(len(target)), target], SMALLEST)


def _check(
    predictions: Any, target: Any, is_classification: bool, sample_weight: ArrayLike | None, n_steps: Any
) -> NDArray[np.float64]:
    """Check the arguments and return row weights with sum 1."""
    n_axes = 3 if is_classification else 2
    if predictions.ndim != n_axes or predictions.shape[1] != len(target) or 0 in predictions.shape:
        wanted = "(n_models, n_rows, n_classes)" if is_classification else "(n_models, n_rows)"
        raise ValueError(
            f"predictions must have shape {wanted} with n_rows = {len(target)}, got {predictions.shape}; at least one "
            "model and one row are required."
        )
    if not (is_count(n_steps) and n_steps >= 1):
        raise ValueError(f"n_steps must be an integer number of steps >= 1, got {n_steps!r}.")
    is_finite = np.isfinite(predictions).reshape(len(predictions), -1).all(axis=1)
    if not is_finite.all():
        raise ValueError(f"the predictions of model {int(np.argmin(is_finite))} contain NaN or infinity; leave it out.")
    if not is_classification:
        check_known(target)
    weight = check_weight(sample_weight, len(target))
    weight = np.ones(len(target)) if weight is None else weight
    return weight / weight.sum()
