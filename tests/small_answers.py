"""Small tables for the tests of the answer engine, and lists of recipes that take little time."""

from dataclasses import replace

import numpy as np
import pandas as pd

from vitalfew.answers import learners, selectors
from vitalfew.answers.engine import Answers, answer
from vitalfew.answers.learners import Learner
from vitalfew.reporting.table import read_study_table

PLENTY = 1e6  # seconds; time never decides


def mixed(n=90, seed=0):
    """Numbers with missing values, a constant, categories (one value is rare, one column has missing values)."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    color = rng.choice(["red", "green", "blue"], n).astype(object)
    shape = rng.choice(["round", "square"], n).astype(object)
    score = 2 * size + 1.5 * (color == "red") + rng.normal(size=n)
    color[5], shape[::7] = "mauve", None
    weight = rng.normal(size=n) + size
    weight[::5] = np.nan
    frame = pd.DataFrame({"color": color, "size": size, "shape": shape, "weight": weight, "same": np.ones(n)})
    kinds = {"color": "category", "size": "numeric", "shape": "category", "weight": "numeric", "same": "numeric"}
    return frame, kinds, score


def signal(n=80, d=6, seed=0):
    """Classes that depend on the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(int)


def with_few_learners(monkeypatch, *names: str, sizes=None) -> None:
    """Keep only these learners, at one setting, with small forests."""
    for kind in ("table_classifiers", "table_regressors", "sparse_classifiers", "word_classifiers"):
        real = getattr(learners, kind)

        def kept(*arguments, real=real):
            return [cheap(learner) for learner in real(*arguments) if learner.name in names]

        monkeypatch.setattr(learners, kind, kept)
    monkeypatch.setattr(selectors, "N_TREES", 20)
    if sizes is not None:
        monkeypatch.setattr("vitalfew.answers.recipes.SIZES", sizes)


def cheap(learner: Learner) -> Learner:
    """Return a learner with one setting and few trees."""
    model = learner.settings[len(learner.settings) // 2]
    small = {"n_estimators": 15, "max_iter": 40} if "trees" in (learner.form, learner.name.split()[-1]) else {}
    return replace(learner, settings=(model.set_params(**{k: v for k, v in small.items() if k in model.get_params()}),))


def answers_of(X, y, *, threads=1, seconds=PLENTY, seed=0, **options) -> Answers:
    """Answer for a table of an array or a data frame, or a list of texts."""
    y = np.asarray(y)
    is_numeric = options.pop("is_numeric", y.dtype.kind == "f")
    table = read_study_table(X, options.pop("kinds", None))
    return answer(table, y, is_numeric=is_numeric, seconds=seconds, seed=seed, threads=threads, **options)
