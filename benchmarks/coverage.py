"""Coverage of the interval of `few`: python benchmarks/coverage.py [draws]

Tables with a known truth are drawn, the report's choice is made among quick recipes, and the error of the chosen model
is measured on 20,000 new rows. A line of the output: how often the 90 % interval covers that error, its mean width, and
the mean of the estimate beside the mean of the truth.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd

from vitalfew.answers import choice as choices
from vitalfew.answers.choice import Choice
from vitalfew.answers.engine import ModelMaker
from vitalfew.answers.out_of_fold_table import Problem, Race
from vitalfew.answers.recipes import Recipes
from vitalfew.answers.views import TableView
from vitalfew.evaluation.plan import make_plan

N_NEW = 20_000
LEVEL = 0.9
# Rows, columns, informative columns, strength, share of categories.
SETTINGS = {
    "lasso type, 90 x 1000": (90, 1000, 4, 1.2, 0.0),
    "mixed, 60 x 20": (60, 20, 5, 1.0, 0.3),
    "mixed, 200 x 20": (200, 20, 5, 0.7, 0.3),
    "mixed, 1000 x 20": (1000, 20, 5, 0.5, 0.3),
    "pure noise, 100 x 30": (100, 30, 0, 0.0, 0.3),
}


def drawn(n: int, setting, rng: np.random.Generator):
    """Draw a table of numbers and categories, and its classes by a logistic model."""
    _, d, k, strength, share = setting
    X = rng.normal(size=(n, d))
    n_categories = int(share * d)
    X[:, d - n_categories :] = rng.integers(0, 3, size=(n, n_categories))
    weights = np.zeros(d)
    weights[:k] = strength
    if n_categories and k:
        weights[-1] = strength
    linear = (X - (np.arange(d) >= d - n_categories)) @ weights
    y = (rng.random(n) < 1 / (1 + np.exp(-linear))).astype(int)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    for j in range(d - n_categories, d):
        frame[f"x{j}"] = np.array(["a", "b", "c"], dtype=object)[frame[f"x{j}"].astype(int)]
    kinds = {f"x{j}": "category" if j >= d - n_categories else "numeric" for j in range(d)}
    return frame, kinds, y


def one(setting, seed: int):
    """Return the estimate and the true error of the chosen model."""
    rng = np.random.default_rng([seed, 17])
    frame, kinds, y = drawn(setting[0], setting, rng)
    view = TableView.of(frame, kinds)
    problem = Problem(view, y, 2, seed)
    found = Recipes.of(view, y, 2, seed)
    quick = [learner for learner in found.learners if learner.is_quick]
    selectors = {name: found.selectors[name] for name in ("information", "L1 path")}
    recipes = Recipes(selectors, quick, found.sizes, found.n_features, found.n_rows, "information")
    made = Choice(Race(problem, recipes, make_plan(y, is_numeric=False, seed=seed).splits, 3600.0).run(), seed=seed)
    model = ModelMaker(problem, recipes, frame, y, np.arange(len(y))).fitted(made, made.few)
    new, _, truth = drawn(N_NEW, setting, rng)
    return made.few_error, float(np.mean(model.predict(new) != truth))


def main() -> None:
    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    choices.LEVEL = LEVEL
    warnings.simplefilter("ignore")
    for name, setting in SETTINGS.items():
        pairs = [one(setting, seed) for seed in range(n_draws)]
        covered = np.mean([e.low <= truth <= e.high for e, truth in pairs])
        width = np.mean([e.high - e.low for e, _ in pairs])
        estimate, truth = (np.mean([getattr(e, "error", e) for e in each]) for each in zip(*pairs))
        said = f"covered {covered:.3f}, width {width:.3f}, estimate {estimate:.3f}, truth {truth:.3f}"
        print(f"{name:24s} {said}, draws {n_draws}", flush=True)


if __name__ == "__main__":
    main()
