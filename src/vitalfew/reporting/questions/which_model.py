"""Model that suits the features: combinations of selectors and predictors on the same folds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from vitalfew.encoding.encoding import make_encoded, number_steps, reads_tables, standardized_once
from vitalfew.evaluation.compare import Outer, add_baseline
from vitalfew.evaluation.comparison import Comparison
from vitalfew.evaluation.indexing import as_rows, read_y
from vitalfew.evaluation.metrics import Metric
from vitalfew.families.bayes.information_ranking import InformationRanking
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.ensembles.adaboost import AdaBoost
from vitalfew.families.linear.lasso import Lasso
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.families.ridge.kernel_ridge import KernelRidge
from vitalfew.families.ridge.ridge import Ridge
from vitalfew.families.subsets.greedy import GreedySubsetRegressor
from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.reporting.affordable import affordable, first_fold
from vitalfew.reporting.phrases import plural
from vitalfew.reporting.study import FOR_THE_CARD, Study
from vitalfew.support.deadline import deadline

MOST_ROWS = 4000
MOST_KERNEL_ROWS = 1500
# Maximum number of cells for trees and boosting of all columns without a selector.
MOST_CELLS = 4e7
FOLDS = 5
LEVEL = 0.05


@dataclass(frozen=True)
class ModelCandidate:
    """A selector and a predictor: as an estimator for tables, and for the matrix used in the comparison."""

    selector: str
    model: str
    estimator: BaseEstimator
    of_matrix: BaseEstimator

    @property
    def name(self) -> str:
        return self.model if self.selector == "none" else f"{self.model}, features by {self.selector}"


@dataclass(frozen=True)
class ModelChoice:
    """Facts of the comparison, the chosen model, and the time to fit it to a number of rows."""

    facts: dict
    chosen: ModelCandidate | None
    is_complete: bool = True  # False if models could not be compared for lack of time
    seconds: float = 0.0
    n_rows: int = 0


def candidates(study: Study, n_rows: int) -> list[ModelCandidate]:
    """Return all combinations to compare."""
    made = _regressors(study, n_rows) if study.is_numeric else _classifiers(study, n_rows)
    found = []
    for selector, name, model, is_outside in made:
        chooser = _selector(selector, study) if is_outside else None
        found.append(ModelCandidate(selector, name, _piped(study, model, chooser), _on_matrix(study, model, chooser)))
    return found


def _classifiers(study: Study, n_rows: int):
    """Yield the candidate classifiers; the slowest come last, since time may run out."""
    seed = study.seed
    fits = n_rows * study.d <= MOST_CELLS and not study.features.is_sparse
    bayes, tree = NaiveBayes(verbose=False), DecisionTree(mdl_weight=0.5, verbose=False)
    logistic = LogisticRegression("1se", penalty="l2", grid=12, random_state=seed, verbose=False)
    sparse_logistic = LogisticRegression("1se", random_state=seed, verbose=False)
    boosted = AdaBoost("1se", votes="confidence", max_rounds=200, random_state=seed, verbose=False)
    yield "mdl", "Naive Bayes", NaiveBayes(features="mdl", verbose=False), False
    yield "none", "Naive Bayes", bayes, False
    yield "l1", "logistic regression", sparse_logistic, False
    if fits:
        yield "none", "decision tree", tree, False
    yield "mdl", "decision tree", tree, True
    yield "mdl", "logistic regression", logistic, True
    yield "information", "Naive Bayes", bayes, True
    yield "mdl", "boosted stumps", boosted, True
    yield "information", "logistic regression", logistic, True
    if not study.features.is_sparse:
        yield "none", "logistic regression", logistic, False
    if fits:
        yield "none", "boosted stumps", boosted, False
        deep = DecisionTree(mdl_weight=None, criterion="gain", max_depth=6, min_leaf=5)
        yield "none", "boosted trees", AdaBoost(50, estimator=deep, random_state=seed, verbose=False), False
        yield "information", "boosted stumps", boosted, True


def _regressors(study: Study, n_rows: int):
    seed = study.seed
    yield "l1", "linear regression", Lasso("1se", random_state=seed, verbose=False), False
    yield "none", "ridge regression", Ridge("loo", verbose=False), False
    yield "greedy", "linear regression", GreedySubsetRegressor("1se", random_state=seed, verbose=False), False
    if n_rows <= MOST_KERNEL_ROWS and not study.features.is_sparse:
        yield "none", "kernel regression", KernelRidge("loo", verbose=False), False
    if n_rows * study.d <= MOST_CELLS and not study.features.is_sparse:
        forest = RandomForestRegressor(100, min_samples_leaf=3, random_state=seed)
        yield "none", "random forest (scikit-learn)", forest, False


def _selector(name: str, study: Study) -> BaseEstimator:
    if name == "mdl":
        return NaiveBayes(features="mdl", verbose=False)
    return InformationRanking("fdr", random_state=study.seed, verbose=False)


def _piped(study: Study, model: BaseEstimator, selector: BaseEstimator | None) -> BaseEstimator:
    """Return the estimator that takes the table itself."""
    if sparse.issparse(study.table.frame):
        return _with_selector([("model", model)], selector)
    return _with_selector(make_encoded(model, study.table.used).steps, selector)


def _on_matrix(study: Study, model: BaseEstimator, selector: BaseEstimator | None) -> BaseEstimator:
    """Return the estimator for a numeric matrix, which is faster with many columns."""
    if reads_tables(model) or sparse.issparse(study.table.frame):
        return _with_selector([("model", model)], selector)
    steps = [] if study.features.is_sparse else number_steps()
    return _with_selector([*steps, ("model", standardized_once(model))], selector)


def _with_selector(steps: list[tuple[str, Any]], selector: BaseEstimator | None) -> BaseEstimator:
    chosen = steps if selector is None else [*steps[:-1], ("select", selector), steps[-1]]
    return Pipeline(chosen) if len(chosen) > 1 else chosen[0][1]


def which_model(study: Study, n_jobs: int | None) -> ModelChoice:
    """Return the facts of the fourth question, and the model to fit on all training rows."""
    rows = study.sample(MOST_ROWS, 9)
    smallest = np.bincount(study.coded.label[rows]).min() if not study.is_numeric else len(rows)
    folds = int(min(FOLDS, smallest))
    if folds < 2:
        reason = "There are too few rows for cross-validation."
        return ModelChoice({"answer": reason, "skipped": reason}, None)
    listed = candidates(study, len(rows))
    is_matrix = isinstance(study.features.X, np.ndarray) and "text" not in study.table.used.values()
    X = study.features.take(rows).X if is_matrix else study.table.take(rows).frame
    models = {c.name: c.of_matrix if is_matrix else c.estimator for c in listed}
    y = study.y[rows]
    kind = KFold if study.is_numeric else StratifiedKFold
    splits = list(kind(folds, shuffle=True, random_state=study.seed).split(np.zeros(len(y)), y))
    limit = study.clock.share(0.6, keep=FOR_THE_CARD)
    end = study.clock.spent + limit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A first fold shows which models there is time for: a reliable comparison needs all folds.
        baseline = add_baseline(models, not study.is_numeric)
        metric = Metric.of(None, not study.is_numeric)
        seed = int(np.random.RandomState(study.seed).randint(np.iinfo(np.int32).max))  # as in `compare`
        outer = Outer(models, as_rows(X), read_y(y, not study.is_numeric), splits, metric, seed, None, None)
        known, left_out = first_fold(study, outer, (0.4 * limit, limit / folds))
        left = max(end - study.clock.spent, 0.5 * limit)
        kept, too_slow = affordable(known, folds - 1, 0.9 * left)
        left_out |= too_slow
        left_out.pop(baseline, None)
        if set(kept) <= {baseline}:
            return _nothing_compared(study, left_out, end - limit)
        outer = outer.without(left_out)
        with deadline(left):
            outer.run(n_jobs, False)
    return _chosen(outer.comparison(baseline), {c.name: c for c in listed}, left_out, len(rows), folds)


def _nothing_compared(study: Study, left_out: dict[str, str], began: float) -> ModelChoice:
    reason = f"Not answered: no model could be compared, {study.clock.stopped(began)}."
    if all(why.startswith("failed") for why in left_out.values()):
        reason = f"No model could be fitted: {next(iter(left_out.values()))}."
    return ModelChoice({"answer": reason, "skipped": reason}, None, is_complete=False)


def _chosen(
    found: Comparison, by_name: dict[str, ModelCandidate], left_out: dict[str, str], n_rows: int, folds: int
) -> ModelChoice:
    best, simplest = found.best, found.simplest
    baseline = next((line for line in found.rows if line["name"] == found.baseline), None)
    is_useful = _beats(found, best)
    if not is_useful:
        simplest = found.baseline
    late = [n for n, why in left_out.items() if not why.startswith("failed")]
    late += [str(line["name"]) for line in found.rows if "time budget" in str(line["status"])]
    rows = [_line(line, found, by_name, simplest) for line in found.rows]
    rows += [_absent(by_name[name], why) for name, why in left_out.items()]
    metric = found.metric
    if best is None or simplest is None or (not is_useful and late):
        answer = reason = (
            f"Not decided: {len(late)} of {plural(len(by_name), 'model')} could not be compared within the time "
            f"budget, and none of the others has a clearly lower {metric} than {found.baseline}; rerun with a larger "
            "time budget."
        )
    elif not is_useful:
        reason = (
            f"No model has a clearly lower {metric} than {found.baseline} "
            f"({_shown(baseline['error'], metric) if baseline else ''}): the features do not help."
        )
        answer = f"None: {reason[0].lower()}{reason[1:]}"
    else:
        reason = _reason(found, best, simplest)
        answer = f"{simplest}: {reason}"
    facts = {
        "answer": answer,
        "metric": metric,
        "folds": f"{folds} folds, with selection inside each fold",
        "n_rows": n_rows,
        "rows": rows,
        "frontier": [
            {"name": f["name"], "n_features": _number(f["n_features"]), "error": _number(f["error"])}
            for f in found.frontier()
        ],
        "reason": reason,
    }
    own = next((line for line in found.rows if line["name"] == simplest), {"seconds": 0.0})
    fitted = round(n_rows * (folds - 1) / folds)
    return ModelChoice(
        facts, by_name.get(simplest or "") if is_useful else None, not late, float(own["seconds"]), fitted
    )


def _beats(found: Comparison, best: str | None) -> bool:
    """Return True if the best model beats the baseline, corrected for the number of models tried.

    For error rates on n rows: a paired test that counts all errors of both as rows on which they differ, which is the
    maximum possible. For other errors: the corrected test over folds.
    """
    if best is None or found.baseline is None or best == found.baseline:
        return False
    difference = found.difference(best, found.baseline)
    tried = max(sum(line["within_one_se"] is not None for line in found.rows) - 1, 1)
    if difference.value >= 0:
        return False
    if found.metric != "error rate":
        return not difference.p_value * tried > LEVEL
    by_name = {line["name"]: line["error"] for line in found.rows}
    both = by_name[best] + by_name[found.baseline]
    n = found.n_test[: difference.n_folds].sum()
    z = -difference.value / np.sqrt((both - difference.value**2) / n)
    return float(norm.sf(z)) * tried < LEVEL / 2


def _line(line: dict, found: Comparison, by_name: dict[str, ModelCandidate], chosen: str | None) -> dict:
    own = by_name.get(line["name"])
    return {
        "selector": own.selector if own else "none",
        "model": own.model if own else line["name"],
        "name": line["name"],
        "error": _number(line["error"]),
        "se": _number(line["se"]),
        "n_features": _number(line["n_features"]),
        "seconds": _number(line["seconds"]),
        "difference": _number(line["difference"]),
        "difference_se": _number(line["difference_se"]),
        "within_one_se": bool(line["within_one_se"]),
        "is_baseline": line["name"] == found.baseline,
        "is_chosen": line["name"] == chosen,
        "note": _note(str(line["status"])),
    }


def _absent(own: ModelCandidate, why: str) -> dict:
    numbers = ("error", "se", "n_features", "seconds", "difference", "difference_se")
    return {
        "selector": own.selector,
        "model": own.model,
        "name": own.name,
        **dict.fromkeys(numbers),
        "within_one_se": False,
        "is_baseline": False,
        "is_chosen": False,
        "note": _note(why),
    }


def _note(status: str) -> str | None:
    if status == "ok":
        return None
    return "no feature was selected in a fold, so no model was fitted" if "0 feature(s)" in status else status


def _reason(found: Comparison, best: str, simplest: str) -> str:
    by_name = {line["name"]: line for line in found.rows}
    own, top = by_name[simplest], by_name[best]
    k = own["n_features"]
    uses = f" with {plural(round(k), 'feature')}" if k == k else ""
    shown = f"{found.metric} {_shown(own['error'], found.metric)}{uses}"
    if simplest == best:
        return f"{shown}, the lowest of all; no simpler model is within one standard error."
    return (
        f"{shown}, within one standard error of the best ({best}, {_shown(top['error'], found.metric)}), "
        "and the simplest such model."
    )


def _shown(error: float, metric: str) -> str:
    return f"{error:.1%}" if metric == "error rate" else f"{error:.4g}"


def _number(value) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
