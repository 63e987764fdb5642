"""Leave-one-out predictions of any model: by a formula where one exists, by refitting otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from vitalfew import _core
from vitalfew.evaluation.indexing import as_rows, looks_like_classes, read_y, take_parts
from vitalfew.evaluation.metrics import task_of
from vitalfew.families.ensembles.learners import fit_learner, weight_arguments
from vitalfew.families.left_out import LeftOut
from vitalfew.families.loo_formulas import leave_out
from vitalfew.rules.prefitted import warn_if_prefitted
from vitalfew.rules.scoring import mean_loss
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_consistent_length, check_weight
from vitalfew.support.deadline import Inheriting, check_deadline
from vitalfew.support.progress import as_verbose
from vitalfew.support.progress import progress as progress_bar
from vitalfew.support.threads import limit_threads

METHODS = ("predict", "predict_proba", "decision_function")


@dataclass(frozen=True)
class LooResult:
    """Predictions for each sample by the model fitted to all other samples.

    Attributes
    ----------
    prediction : ndarray of shape (n_samples,) or (n_samples, n_classes)
    error : float
        Mean loss: the error rate, the mean squared error, or for probabilities the log loss, see `metric`.
    standard_error : float
        Standard error of `error`, over the samples.
    kind : {"exact", "approximate", "refit"}
        How the predictions were computed: by a formula that gives the result of refitting, by a formula that
        approximates it, or by refitting.
    note : str
        The formula used and what it holds fixed, or the reason why there is none.
    per_row_loss : ndarray of shape (n_samples,)
    metric : str
    classes : ndarray or None
        The classes of the columns of `prediction`.
    """

    prediction: NDArray
    error: float
    standard_error: float
    kind: str
    note: str
    per_row_loss: NDArray[np.float64]
    metric: str
    classes: NDArray | None = None

    def __repr__(self) -> str:
        return f"LooResult({self.metric} {self.error:.4g} ± {self.standard_error:.2g}, {self.kind}: {self.note})"


def loo_predict(
    model,
    X,
    y,
    *,
    method: str = "predict",
    sample_weight=None,
    n_jobs: int | None = None,
    progress="auto",
) -> LooResult:
    r"""Predict each sample with the model fitted to all other samples.

    The mean of the losses is the leave-one-out cross-validation estimate,

    .. math:: \frac{1}{m} \sum_i L(y_i, f_{-i}(x_i)),

    whose expectation over training sets of m samples is the true error of training sets of m - 1 samples. This holds
    only if *everything* that used sample i is redone without it. A formula is therefore used only where every
    hyperparameter of the model is a number. A model that chooses by a rule (``Ridge(alpha="loo")``,
    ``NaiveBayes(features="mdl")``) is refitted, choice included.

    ================================================  ===========  ==============================================
    model                                             result       held fixed
    ================================================  ===========  ==============================================
    ``KernelRidge``, ``Ridge(standardize=False)``,    exact        nothing
    scikit-learn's ``LinearRegression`` and
    ``Ridge``
    ``NaiveBayes`` with all features                  exact        nothing
    ``NaiveBayes`` with ``numeric="quantile"``, …     approximate  cuts of numeric columns
    ``KernelRidge`` with landmarks                    approximate  landmarks
    ``Ridge``                                         approximate  scales of columns
    ``Lasso``                                         approximate  active set and scales of columns
    ``LogisticRegression``                            approximate  the same; one Newton step
    anything else                                     refit        nothing
    ================================================  ===========  ==============================================

    ``NaiveBayes`` is refitted where the labels determine the cuts of numeric columns (``numeric="mdl"``).

    Parameters
    ----------
    model : classifier or regressor
        The model is cloned and left unchanged.
    X : array, sparse matrix, data frame or list of texts
    y : array-like of shape (n_samples,)
    method : {"predict", "predict_proba", "decision_function"}, default "predict"
        Columns of probabilities follow the classes in ascending order.
    sample_weight : array-like of shape (n_samples,), optional
        Weights for fitting and for the mean loss.
    n_jobs : int, optional
        Number of parallel refits, as in scikit-learn.
    progress : bool or "auto", default "auto"
        Whether to show a progress bar for refits; by default, on a terminal and for long runs.

    Returns
    -------
    LooResult
        ``prediction``, ``error``, ``standard_error``, ``kind``, ``note``, ``per_row_loss``.

    Warns
    -----
    PrefittedWarning
        If a component of the model is prefitted and is not refitted, as in scikit-learn's ``FrozenEstimator``.

    References
    ----------
    Luntz & Brailovsky (1969), On estimation of characters obtained in statistical procedure of recognition,
    Technicheskaya Kibernetica 3. Allen (1974), doi:10.1080/00401706.1974.10489157. Rad & Maleki (2020),
    doi:10.1111/rssb.12374. Guestrin, 10-701 Machine Learning, February 8, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from vitalfew import Ridge, loo_predict
    >>> X, y = load_diabetes(return_X_y=True)
    >>> loo_predict(Ridge(alpha=0.1, standardize=False), X, y)
    LooResult(mean squared error 3005 ± 1.8e+02, exact: residuals divided by one minus leverage)
    >>> loo_predict(Ridge(alpha="loo", grid=20), X[:50], y[:50])
    LooResult(mean squared error 3139 ± 6.8e+02, refit: alpha='loo' is selected again without each row)
    """
    check_choice("method", method, METHODS)
    warn_if_prefitted(model, "the model")
    X = as_rows(X)
    is_classification = task_of([model])
    if is_classification is None:
        check_given(y, "y")
        is_classification = looks_like_classes(np.asarray(y))
    if not hasattr(model, method) or (not is_classification and method != "predict"):
        raise ValueError(f"{type(model).__name__} has no method {method!r}.")
    y = read_y(y, is_classification)
    check_consistent_length(X, y)
    if len(y) < 2:
        raise ValueError("leave-one-out requires at least two rows, got n_samples = 1.")
    weight = check_weight(sample_weight, len(y))
    classes = np.unique(y) if is_classification else None
    found = _by_formula(model, X, y, weight, method, classes)
    if isinstance(found, str):
        prediction = _refit(model, X, y, weight, method, classes, n_jobs, as_verbose(progress))
        kind, note = "refit", found
    else:
        prediction, kind, note = found
    metric, loss = _losses(prediction, y, method, classes)
    scores = mean_loss(loss[:, None], weight)
    error, spread = float(scores.value[0]), float(scores.standard_error[0])
    return LooResult(prediction, error, spread, kind, note, loss, metric, classes)


def _by_formula(model, X, y, weight, method: str, classes) -> tuple[NDArray, str, str] | str:
    """Return predictions, kind and note, or the reason why no formula applies."""
    # A sample of weight zero does not affect the fit: leaving it out changes nothing.
    kept = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
    if len(kept) < 2 or (classes is not None and len(np.unique(y[kept])) < 2):
        return "too few rows have a positive weight"
    rows, heavy = (X, weight) if len(kept) == len(y) else (take_parts(model, X, kept, kept)[0], weight[kept])
    found = leave_out(clone(model), rows, y[kept], heavy)
    if isinstance(found, str):
        return found
    own = _answer(found, method, classes)
    if len(kept) == len(y):
        return own, found.kind, found.note
    prediction = np.empty((len(y), *own.shape[1:]), dtype=own.dtype)
    prediction[kept] = own
    rest = np.setdiff1d(np.arange(len(y)), kept)
    fitted = clone(model).fit(rows, y[kept], sample_weight=heavy)
    prediction[rest] = _aligned(fitted, take_parts(model, X, kept, rest)[1], method, classes)
    return prediction, found.kind, found.note


def _answer(found: LeftOut, method: str, classes) -> NDArray:
    """Return the output of a method of the model."""
    if found.value is not None:
        return found.value
    assert found.probability is not None
    assert found.classes is not None
    if method == "decision_function":
        assert found.decision is not None
        return found.decision
    if method == "predict":
        return found.classes[found.probability.argmax(axis=1)]
    out = np.zeros((len(found.probability), len(classes)))
    out[:, np.searchsorted(classes, found.classes)] = found.probability
    return out


def _refit(model, X, y, weight, method: str, classes, n_jobs, verbose: bool | None) -> NDArray:
    """Fit the model n times and predict, each time, the sample left out."""
    jobs = (delayed(Inheriting(_without))(i, model, X, y, weight, method, classes) for i in range(len(y)))
    team = joblib.effective_n_jobs(n_jobs)
    threads = 0 if team == 1 else max(1, _core.thread_count(0) // team)
    found: list[Any] = []
    with progress_bar(len(y), "leave-one-out", verbose) as bar, limit_threads(threads):
        for one in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            found.append(one)
            bar.update()
    return np.concatenate(found)


def _without(i: int, model, X, y, weight, method: str, classes) -> NDArray:
    check_deadline()
    others = np.delete(np.arange(len(y)), i)
    rows, row = take_parts(model, X, others, np.array([i]))
    weights = {} if weight is None else weight_arguments(model, weight[others])
    if classes is None:
        fitted = clone(model).fit(rows, y[others], **weights)
    else:
        fitted = fit_learner(model, rows, y[others], **weights)
    return _aligned(fitted, row, method, classes)


def _aligned(fitted, rows, method: str, classes) -> NDArray:
    """Return predictions with a column for each class, including classes absent from the training samples."""
    if classes is not None and method == "decision_function":
        if len(getattr(fitted, "classes_", classes)) < len(classes) or not hasattr(fitted, method):
            raise ValueError(
                "a class has only one row, so it has no decision value without that row; use 'predict_proba', or "
                "drop the row."
            )
        return np.asarray(fitted.decision_function(rows))
    predicted = np.asarray(getattr(fitted, method)(rows))
    if method == "predict":
        return predicted.ravel()
    out = np.zeros((len(predicted), len(classes)))
    out[:, np.searchsorted(classes, fitted.classes_)] = predicted
    return out


def _losses(prediction: NDArray, y: NDArray, method: str, classes) -> tuple[str, NDArray[np.float64]]:
    """Return the name of the loss, and the loss of each sample."""
    if classes is None:
        with np.errstate(over="ignore"):
            return "mean squared error", (prediction.astype(float) - y) ** 2
    code = np.searchsorted(classes, y)
    if method == "predict_proba":
        own = prediction[np.arange(len(y)), code]
        return "log loss", -np.log(np.maximum(own, np.finfo(float).tiny))
    if method == "decision_function":
        best = (prediction > 0).astype(np.intp) if prediction.ndim == 1 else prediction.argmax(axis=1)
        return "error rate", (best != code).astype(float)
    return "error rate", (prediction != y).astype(float)
