"""Cross-validation scores of feature subsets, with a cache and an optional checkpoint file."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import RawTable, read_table
from vitalfew.data.tables.matrix import read_numbers
from vitalfew.exceptions import CheckpointWarning
from vitalfew.families.bayes.evidence import default_strength, normalize
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.linear.standardize import column_scale
from vitalfew.families.ridge.ridge import Ridge
from vitalfew.rules.registry import rule_name
from vitalfew.rules.scoring import ClassifierPoint
from vitalfew.summaries.fold_summaries import Summaries, summarize_folds
from vitalfew.summaries.moments import Moments
from vitalfew.support.atomic_write import written_aside
from vitalfew.support.deadline import Inheriting, check_deadline
from vitalfew.support.fingerprint import FingerprintError, fingerprint

Subset = tuple[int, ...]
FORMAT = "vitalfew.search/2"


class OutOfTime(Exception):
    """Exception raised when the time budget is exhausted."""


class RefittingEvaluator:
    """Scores subsets by fitting an estimator on the training rows of each fold; greater scores are better."""

    def __init__(
        self, estimator: Any, X: Any, y: Any, weight: NDArray[np.float64] | None, splits: Any, scorer: Any, n_jobs: Any
    ):
        self.estimator, self.X, self.y, self.weight = estimator, X, y, weight
        self.splits, self.scorer, self.n_jobs = splits, scorer, n_jobs

    def each(self, subsets: Sequence[Subset]) -> Iterator[NDArray[np.float64]]:
        """Score subsets in parallel with `n_jobs` workers; yield results in order as they become available."""
        run = Parallel(n_jobs=self.n_jobs, return_as="generator")
        yield from run(delayed(Inheriting(self.score))(subset) for subset in subsets)

    def score(self, subset: Subset) -> NDArray[np.float64]:
        """Return the scores of one subset on all folds; the empty subset predicts the class frequencies or the mean."""
        model, X = self.model_and_columns(subset)
        found = []
        for train, test in self.splits:
            check_deadline()
            weights = {} if self.weight is None else {"sample_weight": np.asarray(self.weight)[train]}
            fitted = clone(model).fit(_safe_indexing(X, train), _safe_indexing(self.y, train), **weights)
            found.append(self._score(fitted, _safe_indexing(X, test), _safe_indexing(self.y, test), subset))
        return np.array(found, dtype=float)

    def _score(self, fitted: Any, X: Any, y: Any, subset: Subset) -> float:
        """Return the score of a fitted model; NaN if the scorer needs a method that a constant model lacks."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # such scores are not finite, and never selected
                return float(self.scorer(fitted, X, y))
        except AttributeError:
            if subset:
                raise
            return float("nan")

    def model_and_columns(self, subset: Subset) -> tuple[Any, Any]:
        """Return the unfitted model of a subset and its columns; the empty subset predicts a constant."""
        if subset:
            return self.estimator, _safe_indexing(self.X, list(subset), axis=1)
        model = DummyClassifier(strategy="prior") if is_classifier(self.estimator) else DummyRegressor()
        return model, np.zeros((len(np.asarray(self.y)), 1))

    def fingerprint(self) -> str:
        return fingerprint(type(self), clone(self.estimator), self.X, self.y, self.weight, self.splits, self.scorer)


class ValidationEvaluator(RefittingEvaluator):
    """Evaluator on a validation set: a pair of X and y to score on, after fits to all training samples."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        weight: NDArray[np.float64] | None,
        validation: Any,
        scorer: Any,
        n_jobs: Any,
    ):
        super().__init__(estimator, X, y, weight, [validation], scorer, n_jobs)

    def score(self, subset: Subset) -> NDArray[np.float64]:
        """Return the score of one subset on the validation set."""
        check_deadline()
        model, X = self.model_and_columns(subset)
        [(X_held, y_held)] = self.splits
        held = _safe_indexing(X_held, list(subset), axis=1) if subset else np.zeros((len(np.asarray(y_held)), 1))
        weights = {} if self.weight is None else {"sample_weight": self.weight}
        return np.array([self._score(clone(model).fit(X, self.y, **weights), held, y_held, subset)])


class MomentsEvaluator(RefittingEvaluator):
    """Evaluator for ridge regression with a fixed penalty, from the second moments of the folds.

    All subsets of one size are scored at once, with the same scores as refitting.
    """

    def __init__(self, *arguments: Any, summaries: Summaries[Moments], is_r2: bool):
        super().__init__(*arguments)
        self.folds, self.is_r2 = list(summaries.splits()), is_r2

    def each(self, subsets: Sequence[Subset]) -> Iterator[NDArray[np.float64]]:
        """Score all subsets at once."""
        by_size: dict[int, list[int]] = {}
        for at, subset in enumerate(subsets):
            by_size.setdefault(len(subset), []).append(at)
        scores = np.empty((len(subsets), len(self.folds)))
        for size, places in by_size.items():
            index = np.array([subsets[at] for at in places], dtype=np.intp).reshape(len(places), size)
            for f, (rest, fold) in enumerate(self.folds):
                scores[places, f] = self._score_all(index, fold, rest)
        yield from scores

    def _score_all(self, index: NDArray, fold: Moments, rest: Moments) -> NDArray[np.float64]:
        has_intercept, alpha = self.estimator.fit_intercept, float(self.estimator.alpha)
        size = index.shape[1]
        second, cross, _ = rest.second(has_intercept)
        units = column_scale(rest) if self.estimator.standardize else np.ones(rest.n_features)
        ridge = alpha / rest.weight_sum * np.eye(size) * (units[index] ** 2)[:, None, :]
        gram = second[index[:, :, None], index[:, None, :]] + ridge
        coef = np.linalg.solve(gram, cross[index][..., None])[..., 0] if size else np.zeros(index.shape)
        has_mean = has_intercept or size == 0  # the empty subset predicts the mean, see `score`
        intercept = rest.mean[-1] - np.sum(coef * rest.mean[:-1][index], axis=1) if has_mean else 0.0
        tested, tested_cross, tested_square = fold.second(True)
        bias = fold.mean[-1] - np.sum(coef * fold.mean[:-1][index], axis=1) - intercept
        inner = np.einsum("sa,sab,sb->s", coef, tested[index[:, :, None], index[:, None, :]], coef)
        error = tested_square - 2 * np.sum(coef * tested_cross[index], axis=1) + inner + bias**2
        error = np.maximum(error, 0.0)
        if not self.is_r2:
            return -error
        if fold.weight_sum < 2:
            return np.full(len(index), np.nan)
        # The values that scikit-learn returns for a target that is constant on the test rows.
        return 1 - error / tested_square if tested_square > 0 else np.where(error > 0, 0.0, 1.0)


class EvidenceEvaluator(RefittingEvaluator):
    """Evaluator for naive Bayes without feature selection, with one fit per fold and prior strength.

    The evidence of a subset is the sum of the evidence of its features, so the scores equal those of refitting.
    """

    # Maximum number of values that the evidence of all features may hold in memory.
    MOST = 50_000_000

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.by_strength: dict[float, list[tuple[NDArray, NDArray, NDArray]]] = {}
        self.size = evidence_size(self.X, self.y, self.splits)

    def score(self, subset: Subset) -> NDArray[np.float64]:
        if not subset:
            return super().score(subset)
        strength = self.estimator.prior_strength
        strength = default_strength(len(subset)) if isinstance(strength, str) else float(strength)
        found = []
        for (_, test), (evidence, prior, classes) in zip(self.splits, self._evidence_at(strength)):
            point = ClassifierPoint(normalize(prior + evidence[list(subset)].sum(axis=0)), classes)
            found.append(self.scorer(point, np.arange(len(test))[:, None], _safe_indexing(self.y, test)))
        return np.array(found, dtype=float)

    def each(self, subsets: Sequence[Subset]) -> Iterator[NDArray[np.float64]]:
        """Score subsets sequentially, since each takes little work."""
        return (self.score(subset) for subset in subsets)

    def _evidence_at(self, strength: float) -> list[tuple[NDArray, NDArray, NDArray]]:
        """Return the evidence on all folds; the least recently used strengths are dropped to stay within `MOST`."""
        if strength in self.by_strength:
            self.by_strength[strength] = self.by_strength.pop(strength)
            return self.by_strength[strength]
        while (len(self.by_strength) + 1) * self.size > self.MOST and self.by_strength:
            del self.by_strength[next(iter(self.by_strength))]
        self.by_strength[strength] = [self._evidence(strength, *split) for split in self.splits]
        return self.by_strength[strength]

    def _evidence(
        self, strength: float, train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return the evidence of each feature on the test rows (features, rows, classes), class priors and classes."""
        weights = {} if self.weight is None else {"sample_weight": np.asarray(self.weight)[train]}
        model = clone(self.estimator).set_params(prior_strength=strength)
        model.fit(_safe_indexing(self.X, train), _safe_indexing(self.y, train), **weights)
        block = model.coder_.transform(read_table(_safe_indexing(self.X, test))).to_codes()
        # The last row represents missing values, which contribute no evidence.
        table = np.vstack([model.feature_log_prob_, np.zeros((1, len(model.classes_)))])
        is_known = block.codes != np.iinfo(block.codes.dtype).max
        slot = np.where(is_known, block.offsets[:-1] + block.codes.astype(np.int64), len(table) - 1)
        return table[slot.T], model.class_log_prior_, model.classes_


def evidence_size(X: Any, y: Any, splits: Any) -> int:
    """Return the number of values that the evidence on all folds holds, for one prior strength."""
    return sum(len(test) for _, test in splits) * X.shape[1] * len(np.unique(np.asarray(y)))


def make_evaluator(
    estimator: Any, X: Any, y: Any, weight: NDArray[np.float64] | None, splits: Any, scorer: Any, n_jobs: Any
) -> RefittingEvaluator:
    """Return the fastest evaluator that gives the same scores as refitting."""
    arguments = (estimator, X, y, weight, splits, scorer, n_jobs)
    if type(estimator) is NaiveBayes and estimator.features is None and _is_number_or_auto(estimator.prior_strength):
        is_small = evidence_size(X, y, splits) <= EvidenceEvaluator.MOST
        return EvidenceEvaluator(*arguments) if is_small else RefittingEvaluator(*arguments)
    is_ridge = type(estimator) is Ridge and not isinstance(estimator.alpha, str)
    if not is_ridge or weight is not None or sparse.issparse(X):
        return RefittingEvaluator(*arguments)
    is_default = type(scorer).__name__ == "_PassthroughScorer"
    is_r2 = is_default or _is_scorer(scorer, "r2")
    if not is_r2 and not _is_scorer(scorer, "neg_mean_squared_error"):
        return RefittingEvaluator(*arguments)
    if isinstance(read_numbers(X)[0], RawTable):  # the coding of a table differs between folds
        return RefittingEvaluator(*arguments)
    data = NumericData.read(X, y, None)
    summaries = summarize_folds(data, splits)
    if summaries is None or float(estimator.alpha) <= 0:
        return RefittingEvaluator(*arguments)
    return MomentsEvaluator(*arguments, summaries=summaries, is_r2=is_r2)


def _is_scorer(scorer: Any, name: str) -> bool:
    """Return True if a scorer equals scikit-learn's scorer of this name, with the same function, sign and options."""
    known = get_scorer(name)
    return type(scorer) is type(known) and vars(scorer) == vars(known)


def _is_number_or_auto(strength: Any) -> bool:
    return rule_name(strength) == "auto" or not isinstance(strength, str)


def _subset(columns: Any) -> Subset:
    if not all(type(j) is int for j in columns):
        raise ValueError("expected each subset to be a list of column indices.")
    return tuple(columns)


class ScoreBook:
    """Cache of scores by subset, optionally backed by a checkpoint file.

    No score is computed twice. The file receives one line per score as it is computed, and is read on opening.
    """

    def __init__(self, evaluator: RefittingEvaluator, path: Any, deadline: float | None, bar: Any):
        self.evaluator, self.deadline, self.bar = evaluator, deadline, bar
        self.known: dict[Subset, NDArray] = {}
        self.n_fits = self.n_cached = 0
        self.best = -np.inf
        self.path = None if path is None else Path(path)
        self.file: Any = None

    def __enter__(self) -> ScoreBook:
        if self.path is not None:
            self._open(self.path)
        return self

    def __exit__(self, *_failure: Any) -> None:
        if self.file is not None:
            self.file.close()

    def scores(self, subsets: Sequence[Subset]) -> NDArray[np.float64]:
        """Return the scores of subsets, of shape (subsets, folds), computing only those not in the cache."""
        missing = [s for s in dict.fromkeys(subsets) if s not in self.known]
        self.n_cached += len(subsets) - len(missing)
        self._check_time()
        found = self.evaluator.each(missing)
        for subset, scores in zip(missing, found):
            self.known[subset] = scores
            self.n_fits += 1
            self.best = max(self.best, float(np.mean(scores)))
            self._write({"subset": [int(j) for j in subset], "scores": scores.tolist()})
            self.bar.update()
            self.bar.set_postfix_str(f"best score {self.best:.5g}, subset size {len(subset)}", refresh=False)
            self._check_time()
        return np.array([self.known[s] for s in subsets])

    def _check_time(self) -> None:
        if self.deadline is not None and time.perf_counter() > self.deadline:
            raise OutOfTime

    def _open(self, path: Path) -> None:
        try:
            found = self.evaluator.fingerprint()
        except FingerprintError as problem:
            raise ValueError(
                f"checkpoint {str(path)!r} cannot be used: {problem} Its scores could be confused with those of "
                "another search. Use an estimator and a scoring without such parts, or no checkpoint."
            ) from None
        if path.exists() and path.stat().st_size:
            self._read(path, found)
            self.file = path.open("a")
        else:
            self.file = path.open("w")
            self._write({"vitalfew": FORMAT, "fingerprint": found})

    def _read(self, path: Path, expected: str) -> None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            head, *entries = [json.loads(line) for line in lines if line.endswith("\n")]
            kind = head["vitalfew"]
            if kind == FORMAT:
                found = head["fingerprint"]
                if found == expected:
                    self.known = {_subset(entry["subset"]): self._scores(entry["scores"]) for entry in entries}
        except (ValueError, TypeError, KeyError):
            kind = None
        if kind not in (FORMAT, "greedy search"):
            raise ValueError(f"checkpoint {str(path)!r} is not a file written by a greedy search; use another path.")
        if kind != FORMAT:
            raise ValueError(
                f"checkpoint {str(path)!r} was written by an earlier version of vitalfew, which could confuse "
                "estimators, so its scores are not used. Delete it or use another path."
            )
        if found != expected:
            raise ValueError(
                f"checkpoint {str(path)!r} belongs to another search: the data, estimator, folds, scoring or the "
                "versions of vitalfew, NumPy, SciPy or scikit-learn differ. Delete it or use another path."
            )
        if not lines[-1].endswith("\n"):  # drop the partial last line of a killed search
            with written_aside(path, "w") as file:
                file.writelines(lines[:-1])

    def _scores(self, values: Any) -> NDArray[np.float64]:
        scores = np.array(values, dtype=float)
        if scores.shape != (len(self.evaluator.splits),):
            raise ValueError(f"expected {len(self.evaluator.splits)} scores, one per fold.")
        return scores

    def _write(self, entry: dict) -> None:
        if self.file is None:
            return
        try:
            self.file.write(json.dumps(entry) + "\n")
            self.file.flush()
        except OSError as problem:
            with suppress(OSError):  # closing flushes, so it may fail as well
                self.file.close()
            self.file = None
            warnings.warn(
                f"checkpoint {str(self.path)!r} cannot be written ({problem}); the search continues without it.",
                CheckpointWarning,
                stacklevel=2,
            )
