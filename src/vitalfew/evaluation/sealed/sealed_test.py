"""A test set that scores finished models, counts how often it was used, and does not expose its labels."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from vitalfew.evaluation.compare import model_name
from vitalfew.evaluation.indexing import column_names, n_columns, n_rows
from vitalfew.evaluation.sealed.opening_log import SealedLog
from vitalfew.evaluation.sealed.sealed_file import read, write
from vitalfew.evaluation.sealed.sealed_score import Judgment, judge

HIDDEN = ("y", "y_test", "labels", "label", "target", "targets", "X", "X_test", "data")
LONGEST = 300


@dataclass(frozen=True)
class SealedScore:
    """Score of a model on a sealed test set.

    Attributes
    ----------
    value : float
        scikit-learn's score: accuracy, R², or the score of `scoring`.
    error : float
        The error: the error rate, the root mean squared error, or that of `scoring`; lower is better.
    low, high : float
        95% confidence interval of the error: Wilson's for error rates, Student's for squared errors, otherwise from
        the bootstrap; with groups, from a bootstrap of whole groups.
    metric : str
    n : int
        Number of test samples.
    opening : int
        Number of this opening of the set, from 1.
    name : str
    classes : list or None
        The classes of a classifier; None for regressors, for functions as `scoring`, and for more than 100 classes.
    confusion : list of lists of int or None
        ``confusion[i][j]`` is the number of samples of class i predicted as class j, ignoring sample weights.
    calls, predictions : int or None
        For a function as `scoring`: how often it was called with sealed samples, and how many predictions it requested
        from any model. None for names of scores.
    """

    value: float
    error: float
    low: float
    high: float
    metric: str
    n: int
    opening: int
    name: str
    classes: list | None = None
    confusion: list[list[int]] | None = None
    calls: int | None = None
    predictions: int | None = None

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.metric} {self.error:.4g} ({self.low:.4g} to {self.high:.4g}) on {self.n} rows, "
            f"opening {self.opening}"
        )
        if self.predictions is None:
            return text
        return f"{text}, {self.predictions} predictions in {self.calls} calls of the scoring function"


class SealedTest:
    """A test set made by :func:`~vitalfew.sealed_split`: it scores finished models and counts how often it did so.

    Each call of :meth:`score` opens the set once, whatever the outcome, and is recorded in `log`. A set that was opened
    many times, with changes to the model in between, is a training set; so every report states the number of openings.

    A set that was saved or loaded has a file, and :meth:`score` records each opening there before it uses a label.
    Concurrent openings by several processes are all counted. If the file cannot be written, nothing is scored.

    Attributes
    ----------
    n : int
        Number of test samples.
    n_openings : int
    log : list of dict
        Model, time and result of each opening; for classifiers also `classes` and `confusion`.
    train_rows : ndarray of int
        Row numbers of the training samples, in the order of the training data.
    train_groups, train_time, train_weight : ndarray or None
        Groups, times and weights of these samples, if they were given to the split.

    Notes
    -----
    Only label counts are exposed. Labels are not attributes, and accessing them is an error that says why; copying and
    pickling, which would create a second counter, are refused. Python cannot keep secrets: anyone who looks for labels
    in the internals of the object, in its file, or in the original data can find them. The seal prevents opening the
    set by mistake.

    A function as `scoring` gets the sealed samples and labels, once for the score and 200 times for its interval. It
    could try any number of models on them, or keep them, in one opening. This cannot be prevented; so the predictions
    it requests are counted, and shown beside the openings: a score needs about one per call. Models not written in
    Python, methods with names other than ``predict``, ``predict_proba``, ``predict_log_proba``, ``decision_function``
    and ``score_samples``, and other threads are not observed.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import LogisticRegression, SealedTest, sealed_split
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "test.sealed"
    >>> sealed.save(path)
    >>> again = SealedTest.load(path)
    >>> again.n, again.n_openings
    (143, 0)
    """

    def __init__(self, X, y: NDArray, weight, groups, train: dict[str, Any], log: SealedLog | None = None):
        self.n = len(y)
        self.train_rows: NDArray[np.intp] = train["rows"]
        self.train_groups, self.train_time, self.train_weight = train["groups"], train["time"], train["weight"]
        self._log = SealedLog() if log is None else log
        self._n_columns, self._names = n_columns(X), column_names(X)
        self._judge, self._write = _lock(X, y, weight, groups)

    @property
    def n_openings(self) -> int:
        return len(self._log.entries)

    @property
    def log(self) -> list[dict[str, Any]]:
        return deepcopy(self._log.entries)

    def score(self, model, *, scoring=None, name: str | None = None) -> SealedScore:
        """Compute the error of a finished model on the sealed samples, with an interval. This counts as one opening.

        Parameters
        ----------
        model : fitted classifier or regressor
            A model fitted on the same columns in the same order.
        scoring : str or callable, optional
            The error rate (score: accuracy) or the root mean squared error (score: R²) by default; any of
            scikit-learn's names. Scores that it negates are converted back to errors, others are subtracted from 1,
            those of functions are negated. Predictions requested by a function are counted, see the notes of the class.
        name : str, optional
            Name in the log; the class of the model by default.

        Returns
        -------
        SealedScore
        """
        self._check_model(model, scoring)
        name = model_name(model) if name is None else str(name)
        entry: dict[str, Any] = {
            "name": name,
            "model": _shortened(repr(model)),
            "scoring": scoring
            if scoring is None or isinstance(scoring, str)
            else getattr(scoring, "__name__", "function"),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        opening = 0

        def opened() -> None:
            nonlocal opening
            opening = self._log.open(entry)

        try:
            found: Judgment = self._judge(model, scoring, opened)
        except Exception as problem:
            if opening:
                self._log.settle(opening, {"failure": _shortened(f"{type(problem).__name__}: {problem}")})
            raise
        told = asdict(found)
        self._log.settle(opening, {key: _finite(value) for key, value in deepcopy(told).items()})
        return SealedScore(**told, n=self.n, opening=opening, name=name)

    def save(self, path) -> None:
        """Write test samples, labels and the log to a file, atomically.

        The format is a zip archive of NumPy arrays and JSON with checksums, documented in
        ``vitalfew/evaluation/sealed/sealed_file.py``; nothing is pickled. The log is part of the file, and later
        openings of this set are recorded there. Openings recorded in its file by other processes meanwhile are kept.
        """
        self._log.save(path, lambda entries: self._write(path, entries, self._train()))

    @classmethod
    def load(cls, path) -> SealedTest:
        """Read a saved set with its log. A truncated or modified file is rejected.

        Raises
        ------
        vitalfew.exceptions.SealedFileError
            If the file is truncated or modified, or its parts are inconsistent; also if it would expand from n bytes
            to more than 32 n + 64 MiB.
        """
        found, sums = read(path)
        train = {key: found[f"train_{key}"] for key in ("rows", "groups", "time", "weight")}
        return cls(
            found["X"],
            found["y"],
            found["weight"],
            found["groups"],
            train,
            SealedLog(found["log"]["entries"], path, sums),
        )

    def _train(self) -> dict[str, Any]:
        return {
            "train_rows": self.train_rows,
            "train_groups": self.train_groups,
            "train_time": self.train_time,
            "train_weight": self.train_weight,
        }

    def _check_model(self, model, scoring) -> None:
        if isinstance(model, type) or not hasattr(model, "predict"):
            raise TypeError(f"expected a fitted model, got {model!r}, which has no predict method.")
        if hasattr(model, "fit"):
            try:
                check_is_fitted(model)
            except NotFittedError:
                raise NotFittedError(
                    f"this {type(model).__name__} is not fitted, but a sealed test set only scores fitted models. "
                    "Fit it on the training rows first."
                ) from None
            except (TypeError, AttributeError):  # not a scikit-learn estimator
                pass
        if scoring is None and not (_is(is_classifier, model) or _is(is_regressor, model)):
            raise ValueError(f"{type(model).__name__} is neither a classifier nor a regressor; pass scoring.")
        self._check_columns(model)

    def _check_columns(self, model) -> None:
        names = getattr(model, "feature_names_in_", None)
        if names is not None and self._names is not None and list(names) != self._names:
            missing = [str(n) for n in names if n not in self._names]
            extra = [n for n in self._names if n not in set(names)]
            if missing or extra:
                raise ValueError(
                    f"the model was fitted on other columns than those of the test set, which has no {extra[:5]} but "
                    f"has {missing[:5]}. Fit the model on the training rows of the same split, or put the column "
                    "selection into a pipeline with it."
                )
            raise ValueError(
                f"the model was fitted on the same columns in another order: {[str(n) for n in names][:5]} …, the test "
                f"set has {self._names[:5]} …. Fit it on the unchanged training rows."
            )
        n_given = getattr(model, "n_features_in_", None)
        if n_given is not None and self._n_columns is not None and int(n_given) != self._n_columns:
            raise ValueError(
                f"the model was fitted on {n_given} features, but the test set has {self._n_columns}; put the column "
                "selection into a pipeline with the model, and fit that on the training rows."
            )

    def __getattr__(self, name: str):
        if name in HIDDEN:
            raise AttributeError(
                f"the test set is sealed and does not expose {name!r}: a model chosen by looking at it would appear "
                "better than it is. Use score(model) on a finished model."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        times = "never opened" if not self.n_openings else f"opened {self.n_openings} time{'s' * (self.n_openings > 1)}"
        asked = sum(entry.get("predictions") or 0 for entry in self._log.entries)
        counted = f", {asked} predictions by scoring functions" if asked else ""
        return f"SealedTest({self.n} rows, {times}{counted})"

    def __len__(self) -> int:
        return self.n

    def __reduce_ex__(self, _protocol):
        raise TypeError(
            "a sealed test set cannot be copied or pickled, because that would create a second counter; use save."
        )


def _lock(X, y: NDArray, weight, groups) -> tuple[Callable[..., Judgment], Callable[..., dict[str, str]]]:
    """Return the functions that score and save the data; only their closures hold a reference to it."""
    assert n_rows(X) == len(y)

    def judged(model, scoring, opened: Callable[[], None]) -> Judgment:
        return judge(model, X, y, weight, groups, scoring, opened)

    def written(path, log: list[dict[str, Any]], train: dict[str, Any]) -> dict[str, str]:
        return write(path, {"X": X, "y": y, "weight": weight, "groups": groups, "log": {"entries": log}, **train})

    return judged, written


def _is(kind: Callable[[Any], bool], model) -> bool:
    return hasattr(model, "__sklearn_tags__") and kind(model)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _finite(value):
    return None if isinstance(value, float) and not np.isfinite(value) else value
