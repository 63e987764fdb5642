"""Models by their short names, and parsing of their parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.ensembles.adaboost import AdaBoost
from vitalfew.families.linear.lasso import Lasso
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.families.ridge.ridge import Ridge
from vitalfew.families.subsets.best_classes import BestSubsetClassifier
from vitalfew.families.subsets.best_subset import BestSubsetRegressor
from vitalfew.families.subsets.greedy import GreedySubsetRegressor
from vitalfew.families.subsets.greedy_classes import GreedySubsetClassifier
from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump
from vitalfew.support.suggest import suggestion

Maker = Callable[[], Any]


@dataclass(frozen=True)
class Entry:
    """Title and constructors of a model with a short name; None for a task that it does not support."""

    title: str
    classes: Maker | None
    numeric: Maker | None = None


MODELS = {
    "nb": Entry("Naive Bayes, features by mdl", lambda: NaiveBayes(features="mdl")),
    "logistic": Entry("logistic regression, L1 penalty by 1se", lambda: LogisticRegression(alpha="1se")),
    "lasso": Entry("L1 penalty by 1se", lambda: LogisticRegression(alpha="1se"), lambda: Lasso(alpha="1se")),
    "ridge": Entry(
        "L2 penalty by loo", lambda: LogisticRegression(alpha="loo", penalty="l2"), lambda: Ridge(alpha="loo")
    ),
    "tree": Entry("decision tree, pruned by mdl", DecisionTree),
    "adaboost": Entry("100 boosted stumps", AdaBoost),
    "stump": Entry("one decision stump", Stump),
    "greedy": Entry(
        "greedy subset by bic", lambda: GreedySubsetClassifier(k="bic"), lambda: GreedySubsetRegressor(k="bic")
    ),
    "best": Entry("best subset by bic", lambda: BestSubsetClassifier(k="bic"), lambda: BestSubsetRegressor(k="bic")),
}
NAMES = ", ".join(MODELS)


def make_model(name: str, task: str, *, seed: int = 0, settings: Sequence[str] | None = None) -> Any:
    """Create the model with a short name, for classes or for numbers, with settings such as ``alpha=0.1``."""
    if name not in MODELS:
        raise ValueError(f"unknown model {name!r}; {suggestion(name, list(MODELS), 'the models are')}")
    maker = getattr(MODELS[name], task)
    if maker is None:
        able = ", ".join(n for n, e in MODELS.items() if getattr(e, task) is not None)
        what = "a number" if task == "numeric" else "classes"
        raise ValueError(f"model {name!r} cannot predict {what}; use one of {able} (see also --task).")
    return configured(maker(), seed, settings)


def configured(model: Any, seed: int, settings: Sequence[str] | None = None) -> Any:
    """Return the model with its seed and the settings given as name=value."""
    known = model.get_params(deep=False)
    given = {"random_state": seed} if "random_state" in known else {}
    for text in settings or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--set must be NAME=VALUE, got {text!r}.")
        if name not in known:
            raise ValueError(
                f"{type(model).__name__} has no parameter {name!r}; {suggestion(name, list(known), 'it has')}"
            )
        given[name] = parse_value(value)
    return model.set_params(**given)


def parse_value(text: str) -> Any:
    """Parse a number, True, False, None, or a tuple or list of these; anything else is text, such as a rule name."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
