"""Decomposition of the error of a learner into bias, variance and label noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from vitalfew.data.samples.numeric_data import read_target
from vitalfew.evaluation.indexing import as_rows, take
from vitalfew.families.ensembles.learners import fit_learner
from vitalfew.rules.prefitted import warn_if_prefitted
from vitalfew.support.checks import check_choice, check_consistent_length, encode_labels, is_count
from vitalfew.support.deadline import Inheriting, check_deadline
from vitalfew.support.optional import make_frame
from vitalfew.support.progress import progress

LOSSES = ("zero_one", "squared")
SETS = ("bootstrap", "halves", "disjoint")


@dataclass(frozen=True)
class BiasVariance:
    """Decomposition error = noise + bias + net variance, per test sample and on average.

    Unknown noise is counted as bias.

    Attributes
    ----------
    loss : {"zero_one", "squared"}
    n_sets : int
        Number of training sets.
    main_prediction : ndarray of shape (n_test,)
        Most frequent prediction of the models, or for squared loss their mean.
    error_by_row, bias_by_row, variance_by_row, net_variance_by_row : ndarray of shape (n_test,)
    noise_by_row : ndarray of shape (n_test,) or None
    error, bias, variance, net_variance : float
        Means over the test samples.
    noise : float or None
    standard_error : dict of float
        Standard error of each of these means, over the test samples.
    unbiased_variance, biased_variance : float
        How much the variance adds to the error where the main prediction is right, and how much it subtracts where it
        is wrong: the net variance is their difference. For squared loss the second is zero.
    """

    loss: str
    n_sets: int
    main_prediction: NDArray
    error_by_row: NDArray[np.float64]
    bias_by_row: NDArray[np.float64]
    variance_by_row: NDArray[np.float64]
    net_variance_by_row: NDArray[np.float64]
    noise_by_row: NDArray[np.float64] | None = None

    @property
    def error(self) -> float:
        return float(self.error_by_row.mean())

    @property
    def bias(self) -> float:
        return float(self.bias_by_row.mean())

    @property
    def variance(self) -> float:
        return float(self.variance_by_row.mean())

    @property
    def net_variance(self) -> float:
        return float(self.net_variance_by_row.mean())

    @property
    def unbiased_variance(self) -> float:
        return float(np.maximum(self.net_variance_by_row, 0).mean())

    @property
    def biased_variance(self) -> float:
        return float(np.maximum(-self.net_variance_by_row, 0).mean())

    @property
    def noise(self) -> float | None:
        return None if self.noise_by_row is None else float(self.noise_by_row.mean())

    @property
    def standard_error(self) -> dict[str, float]:
        """Standard error of the mean of each part, over the test samples."""
        n = len(self.error_by_row)
        return {name: float(part.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan for name, part in self._parts().items()}

    def to_frame(self):
        """Return a data frame with the mean of each part over the test samples, and its standard error."""
        parts = self._parts()
        return make_frame(
            {
                "part": np.array(list(parts), dtype=object),
                "mean": np.array([part.mean() for part in parts.values()]),
                "standard_error": np.array(list(self.standard_error.values())),
            }
        )

    def _parts(self) -> dict[str, NDArray[np.float64]]:
        parts = {
            "error": self.error_by_row,
            "bias": self.bias_by_row,
            "variance": self.variance_by_row,
            "unbiased_variance": np.maximum(self.net_variance_by_row, 0),
            "biased_variance": np.maximum(-self.net_variance_by_row, 0),
            "net_variance": self.net_variance_by_row,
        }
        return parts if self.noise_by_row is None else {**parts, "noise": self.noise_by_row}


def bias_variance(
    estimator,
    X,
    y,
    *,
    n_sets: int = 50,
    test=None,
    loss: str | None = None,
    sets: str = "bootstrap",
    optimal=None,
    random_state=None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> BiasVariance:
    r"""Estimate the bias and variance of a learner from models fitted to many training sets.

    Let :math:`y_D` be the prediction of the model fitted to training set D for a test sample with label t. The main
    prediction :math:`y_m` is the most frequent :math:`y_D` (in case of ties, the first class). For the zero-one loss

    .. math::

       P_D(y_D \ne t) = B + c V, \qquad B = [y_m \ne t], \quad V = P_D(y_D \ne y_m), \quad
       c = \begin{cases} 1 & y_m = t \\ -P_D(y_D = t \mid y_D \ne y_m) & y_m \ne t \end{cases}

    so with two classes :math:`c = \pm 1`: where the main prediction is wrong, variance *lowers* the error. The mean of
    cV over the samples is the net variance. For squared loss :math:`y_m` is the mean, :math:`B = (y_m - t)^2`,
    :math:`V = E_D (y_D - y_m)^2` and c = 1. Both sums are exact for every sample.

    Where the best possible predictions :math:`y_*` are known, as in a simulation, they replace t in B and c, and what
    the label adds to the error is noise: for the zero-one loss :math:`P_D(y_D = y_*) - P_D(y_D = t)`, for
    squared loss :math:`(t - y_m)^2 - (y_* - y_m)^2`. Otherwise noise counts as bias.

    Parameters
    ----------
    estimator : classifier or regressor
        If it is randomized and has ``random_state=None``, each copy gets its own seed, so that its randomness is part
        of the variance.
    X, y
        Samples to draw training sets from, and test samples unless `test` is given.
    n_sets : int, default 50
        Number of training sets.
    test : float or pair (X, y), optional
        Test samples, or the share of samples held out for testing (a quarter by default, stratified by class).
    loss : {"zero_one", "squared"}, optional
        Zero-one for classifiers and squared for regressors by default.
    sets : {"bootstrap", "halves", "disjoint"}, default "bootstrap"
        Bootstrap samples of full size; pairs of complementary halves; or disjoint parts, which requires many samples.
    optimal : array-like of shape (n_test,), optional
        Best possible predictions for the test samples; `test` must be a pair.
    random_state : int, RandomState or None
        With the same seed, two learners see the same training sets and test samples, so that their parts can be
        compared sample by sample.
    n_jobs : int, optional
        Number of models fitted in parallel, as in scikit-learn.
    verbose : bool, optional
        Whether to show a progress bar; by default, on a terminal and for long runs.

    Returns
    -------
    BiasVariance
        Parts per sample and on average. The standard errors in ``to_frame()`` describe variation over test samples,
        for the given training sets.

    Warns
    -----
    PrefittedWarning
        If a component of the estimator is prefitted and is not refitted, as in scikit-learn's ``FrozenEstimator``.

    Notes
    -----
    Overlapping training sets make models more similar than independent sets would, so that they underestimate the
    variance. Disjoint sets do not, but are small. Compare learners on the same sets. A model fitted to a set with a
    single class predicts that class.

    References
    ----------
    Domingos (2000), A unified bias-variance decomposition for zero-one and squared loss, AAAI, 564-569.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from vitalfew import Bagging, DecisionTree, bias_variance
    >>> X, y = make_circles(4000, noise=0.2, factor=0.5, random_state=0)
    >>> options = {"n_sets": 20, "sets": "disjoint", "random_state": 0}
    >>> learner = DecisionTree(mdl_weight=None)
    >>> tree = bias_variance(learner, X, y, **options)
    >>> bagged = bias_variance(Bagging(learner, rounds=20), X, y, **options)
    >>> round(tree.bias, 3), round(bagged.bias, 3)
    (0.117, 0.116)
    >>> round(tree.net_variance, 3), round(bagged.net_variance, 3)
    (0.046, 0.02)
    >>> round(bagged.error, 3) == round(bagged.bias + bagged.net_variance, 3)
    True
    """
    loss = _check(estimator, n_sets, loss, sets, test, optimal)
    warn_if_prefitted(estimator, "estimator")
    rng = check_random_state(random_state)
    X, y, X_test, y_test = _split(X, y, test, loss, rng)
    draws = [(rows, rng.randint(np.iinfo(np.int32).max)) for rows in _draw(_num_samples(X), n_sets, sets, rng)]
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    jobs = run(delayed(Inheriting(_predictions))(estimator, X, y, X_test, rows, seed, loss) for rows, seed in draws)
    predicted = []
    with progress(n_sets, "bias and variance", verbose) as bar:
        for one in jobs:
            predicted.append(one)
            bar.update()
    decompose = _zero_one if loss == "zero_one" else _squared
    if optimal is not None:
        check_consistent_length(y_test, optimal)
    return decompose(np.array(predicted), y_test, optimal)


def _check(estimator, n_sets, loss, sets, test, optimal) -> str:
    kind = "squared" if is_regressor(estimator) else "zero_one" if is_classifier(estimator) else None
    if kind is None:
        raise ValueError(f"estimator must be a classifier or a regressor, got {estimator!r}.")
    check_choice("loss", kind if loss is None else loss, LOSSES)
    if loss not in (None, kind):
        wanted = "classifier" if loss == "zero_one" else "regressor"
        raise ValueError(f"loss={loss!r} requires a {wanted}, got {estimator!r}; use loss={kind!r}.")
    check_choice("sets", sets, SETS)
    if not is_count(n_sets) or n_sets < 2:
        raise ValueError(f"n_sets must be an integer number of training sets >= 2, got {n_sets!r}.")
    if optimal is not None and not isinstance(test, tuple | list):
        raise ValueError("optimal predictions require known test rows; pass them as test=(X_test, y_test).")
    return kind


def _split(X, y, test, loss: str, rng) -> tuple[Any, NDArray, Any, NDArray]:
    """Return the samples to draw from and the test samples, with targets."""
    read = _labels if loss == "zero_one" else read_target
    X, target = as_rows(X), read(y)
    check_consistent_length(X, target)
    if isinstance(test, tuple | list):
        X_test, y_test = as_rows(test[0]), read(test[1])
        check_consistent_length(X_test, y_test)
        return X, target, X_test, y_test
    share = 0.25 if test is None else test
    strata = target if loss == "zero_one" and np.unique(target, return_counts=True)[1].min() > 1 else None
    train, held = train_test_split(np.arange(len(target)), test_size=share, random_state=rng, stratify=strata)
    return take(X, train), target[train], take(X, held), target[held]


def _labels(y) -> NDArray:
    classes, codes = encode_labels(y)
    return classes[codes]


def _draw(n_rows: int, n_sets: int, sets: str, rng) -> Iterator[NDArray[np.intp]]:
    """Yield the row indices of each training set."""
    if sets == "bootstrap":
        for _ in range(n_sets):
            yield rng.randint(0, n_rows, n_rows)
        return
    if sets == "disjoint":
        size = n_rows // n_sets
        if size < 2:
            raise ValueError(
                f"{n_rows} training rows cannot be split into n_sets={n_sets} sets of at least two rows; use fewer "
                "sets."
            )
        yield from rng.permutation(n_rows)[: size * n_sets].reshape(n_sets, size)
        return
    for left in range(n_sets, 0, -2):
        mixed = rng.permutation(n_rows)
        yield from (mixed[: n_rows // 2], mixed[n_rows // 2 : 2 * (n_rows // 2)])[:left]


def _predictions(estimator, X, y, X_test, rows, seed: int, loss: str) -> NDArray:
    """Return the test predictions of the model fitted to one training set."""
    check_deadline()
    seeds = {k: seed for k, v in estimator.get_params().items() if k.split("__")[-1] == "random_state" and v is None}
    fresh = clone(estimator).set_params(**seeds)
    X_set, y_set = take(X, rows), y[rows]
    model = fit_learner(fresh, X_set, y_set) if loss == "zero_one" else fresh.fit(X_set, y_set)
    return np.asarray(model.predict(X_test))


def _zero_one(predicted: NDArray, y: NDArray, optimal) -> BiasVariance:
    """Compute Domingos' decomposition from predictions (sets, rows)."""
    best = y if optimal is None else _labels(optimal)
    classes = np.unique(np.concatenate([predicted.ravel(), y, best]))
    share = np.array([(predicted == c).mean(axis=0) for c in classes])  # share of models that predict each class
    rows, top = np.arange(len(y)), share.argmax(axis=0)
    main = classes[top]
    is_biased = main != best
    of_best, of_label = (share[np.searchsorted(classes, labels), rows] for labels in (best, y))
    variance = 1 - share[top, rows]
    return BiasVariance(
        loss="zero_one",
        n_sets=len(predicted),
        main_prediction=main,
        error_by_row=1 - of_label,
        bias_by_row=is_biased.astype(float),
        variance_by_row=variance,
        net_variance_by_row=np.where(is_biased, -of_best, variance),
        noise_by_row=None if optimal is None else of_best - of_label,
    )


@np.errstate(over="ignore", invalid="ignore")
def _squared(predicted: NDArray, y: NDArray, optimal) -> BiasVariance:
    """Compute the classic decomposition from predictions (sets, rows)."""
    best = y if optimal is None else read_target(optimal)
    predicted = predicted.astype(float)
    main = predicted.mean(axis=0)
    variance = predicted.var(axis=0)
    return BiasVariance(
        loss="squared",
        n_sets=len(predicted),
        main_prediction=main,
        error_by_row=((predicted - y) ** 2).mean(axis=0),
        bias_by_row=(main - best) ** 2,
        variance_by_row=variance,
        net_variance_by_row=variance,
        noise_by_row=None if optimal is None else (y - main) ** 2 - (best - main) ** 2,
    )
