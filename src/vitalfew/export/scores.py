"""Conversion of models to formulas, one function for each family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.coding.table_coder import Categories, Coding, Cuts
from vitalfew.evaluation.calibration import LEAST
from vitalfew.evaluation.table_model import TableModel
from vitalfew.export.formula import (
    Best,
    Binary,
    Codes,
    Exponential,
    Expression,
    Formula,
    Known,
    Largest,
    Lookup,
    Number,
    Pick,
    Power,
    Product,
    Sigmoid,
    Sign,
    Step,
    Variable,
    by_cuts,
    by_keys,
    plain_labels,
    total,
)
from vitalfew.export.prepare import Feature, coded, input_names, raw_features, through
from vitalfew.export.record import OTHER_MODELS
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.bayes.semi_supervised import SemiSupervisedNaiveBayes
from vitalfew.families.ensembles.adaboost import AdaBoost
from vitalfew.families.linear.classifier import LinearClassifier
from vitalfew.families.linear.regressor import LinearRegressor
from vitalfew.families.subsets.greedy_search import GreedySearch
from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.families.trees.tree_nodes import Tree

TINY = float(np.finfo(float).tiny)
# Levels of a tree in one product: some databases are slow with long products.
LEVELS_TOGETHER = 8


@dataclass(frozen=True)
class ScoreExpressions:
    """Scores of a model for a row, before the decision.

    `link` turns scores into probabilities: ``"none"`` for regression, ``"logit"`` for one score of two classes,
    ``"softmax"``, ``"sigmoids"`` for one-vs-rest scores, ``"shares"`` for scores that are probabilities, where the
    largest wins, or the sign of `side` decides. `codes` and then `parts` are computed before the scores. With an
    `exponent`, probabilities are raised to it and normalized, as ``TableModel`` does.
    """

    scores: Sequence[Expression]
    labels: tuple[Any, ...] = ()
    link: str = "none"
    scale: float = 1.0
    side: tuple[Expression, tuple[Any, Any]] | None = None
    codes: Codes = field(default_factory=Codes)
    parts: Sequence[dict[str, Expression]] = ()
    exponent: float | None = None


def formula_of(model) -> Formula:
    """Return the formula of a fitted model."""
    check_is_fitted(model)
    return finish(scores(model, raw_features(input_names(model))))


@singledispatch
def scores(model, features: list[Feature]) -> ScoreExpressions:  # noqa: ARG001
    """Return the scores of a model with the given features."""
    raise _refusal(model)


def _refusal(model, why: str = "") -> ValueError:
    is_ours = type(model).__module__.startswith("vitalfew.")
    remedy = "Use vitalfew.save for the others." if is_ours else OTHER_MODELS
    return ValueError(
        f"{type(model).__name__} cannot be exported as SQL or Python source{why}; supported are Lasso, Ridge, "
        "LogisticRegression, the subset and forward-fitting models, NaiveBayes, Stump, AdaBoost of stumps, "
        f"DecisionTree, GreedySearch with one of them, and pipelines that end in one. {remedy}"
    )


@scores.register
def _(model: Pipeline, features):
    *steps, last = (step for _, step in model.steps)
    if scores.dispatch(type(last)) is scores.dispatch(object):
        raise _refusal(last)
    return scores(last, through(steps, features))


@scores.register
def _(model: TableModel, features):
    return replace(scores(model.pipeline_, features), side=None, exponent=float(model.exponent))


@scores.register
def _(model: GreedySearch, features):
    return scores(model.best_estimator_, [features[j] for j in model.subset_])


@scores.register
def _(model: LinearRegressor, features):
    return ScoreExpressions([_linear(model.coef_, float(model.intercept_), coded(model._coder, features))])


@scores.register
def _(model: LinearClassifier, features):
    features = coded(model._coder, features)
    found = [_linear(coef, float(b), features) for coef, b in zip(model.coef_, model.intercept_)]
    return ScoreExpressions(found, plain_labels(model.classes_), "logit" if len(found) == 1 else "softmax")


def _linear(coef, intercept: float, features: list[Feature]) -> Expression:
    used = np.flatnonzero(coef).tolist()
    terms: list[Expression] = [Binary(features[j]("needed"), "*", Number(float(coef[j]))) for j in used]
    return Known(Binary(total(terms), "+", Number(intercept))) if terms else Number(intercept)


@scores.register
def _(model: NaiveBayes, features):
    return _of_values(model, model.counts_.n_values, features)


@scores.register
def _(model: SemiSupervisedNaiveBayes, features):
    coder = model.coder_
    if not model.is_weighted_:
        return _of_values(
            model, [2] * len(features) if coder.is_sparse else [c.n_values for c in coder.codings], features
        )
    lines = zip(model.feature_log_prob_.T, model.class_log_prior_.tolist())
    found = [_linear(coef, base, features) for coef, base in lines]
    return ScoreExpressions(found, plain_labels(model.classes_), "softmax")


def _of_values(model, n_values, features):
    """Return the scores from the evidence of each feature value for each class."""
    table, coder, codes = model.feature_log_prob_, model.coder_, Codes()
    start = np.concatenate([[0], np.cumsum(n_values)])
    terms = []
    for j in np.flatnonzero(model.support_).tolist():
        lines = table[start[j] : start[j + 1]]
        if coder.is_sparse:  # stored nonzero values are present
            terms.append(by_keys(features[j]("loose"), (0.0,), lines[:1], lines[0], lines[1], codes))
        else:
            terms.append(_coded(features[j], coder.codings[j], lines, codes))
    priors = map(Number, model.class_log_prior_.tolist())
    found = [Binary(total([term[c] for term in terms]), "+", prior) for c, prior in enumerate(priors)]
    return ScoreExpressions(found, plain_labels(model.classes_), "softmax", codes=codes)


def _coded(feature: Feature, coding: Coding, lines, codes: Codes) -> list[Expression]:
    """Return the line of each code; missing and unseen values contribute nothing."""
    nothing = np.zeros(lines.shape[1])
    if isinstance(coding, Cuts):
        return by_cuts(feature("loose"), coding.cuts, lines, nothing, codes)
    if isinstance(coding, Categories):
        return _of_categories(feature, coding, lines, nothing, codes)
    return by_keys(feature("loose"), tuple(map(float, range(coding.n_values))), lines, nothing, nothing, codes)


def _of_categories(feature: Feature, coding: Categories, lines, missing, codes: Codes) -> list[Expression]:
    other, values = missing, coding.values
    if coding.is_presence:
        missing, lines, values = lines[0], lines[1:], values[1:]
    keys = values if coding.is_text else tuple(map(float, values))
    return by_keys(feature("text" if coding.is_text or not keys else "loose"), keys, lines, missing, other, codes)


def _binned(feature: Feature, coder: BinCoder, j: int, lines, codes: Codes) -> list[Expression]:
    """Return the line of each bin; the last one is for missing values."""
    if j in coder.categories:
        return _of_categories(feature, coder.categories[j], lines[:-1], lines[-1], codes)
    return by_cuts(feature("number"), coder.cuts[j], lines[:-1], lines[-1], codes)


@scores.register
def _(model: Stump, features):
    j, coder, stumps, codes = int(model.feature_), model.coder_, model.stumps_, Codes()
    right = stumps.goes_right(0, coder.n_bins(j) + 1)
    lines = np.column_stack([right.astype(float), model.shares_[right.astype(np.intp)]])
    side, *shares = _binned(features[j], coder, j, lines, codes)
    labels = plain_labels(model.classes_)
    sides = (labels[model._vote(stumps.left[0])], labels[model._vote(stumps.right[0])])
    return ScoreExpressions(shares, labels, "shares", side=(side, sides), codes=codes)


@scores.register
def _(model: AdaBoost, features):
    path, codes = model.path_, Codes()
    coder, n_outputs = path.coder, sum(run.n_outputs for run in path.runs)
    if coder is None or not all(isinstance(run.learners, StumpSet) for run in path.runs):
        raise _refusal(model, " unless its learners are stumps")
    votes = [run.learners.table(run.alpha[: model.rounds_], coder.offsets, run.n_outputs) for run in path.runs]
    table, start, terms = np.hstack(votes), coder.offsets, []
    for j in range(len(features)):
        lines = table[start[j] : start[j + 1]]
        if lines.any():
            terms.append(_binned(features[j], coder, j, lines, codes))
    found = [total([term[k] for term in terms]) for k in range(n_outputs)]
    links = {"two": "logit", "samme": "softmax", "ova": "sigmoids"}
    scale = 1 / (len(model.classes_) - 1) if path.form == "samme" else 1.0 if path.loss_name == "logistic" else 2.0
    return ScoreExpressions(found, plain_labels(model.classes_), links[path.form], scale, codes=codes)


@scores.register
def _(model: DecisionTree, features):
    tree, codes = model.tree_, Codes()
    parts: list[dict[str, Expression]] = [{} for _ in range(tree.depth // LEVELS_TOGETHER + 2)]
    ways: list[tuple[Expression, ...]] = [(Number(1.0),)] * tree.n_nodes
    for v in range(tree.n_nodes):
        level = int(tree.level[v])
        if tree.feature[v] < 0 or level % LEVELS_TOGETHER == 0:
            parts[-(-level // LEVELS_TOGETHER)][f"w{v}"] = Product(ways[v])
            ways[v] = (Variable(f"w{v}"),)
        if tree.feature[v] < 0:
            continue
        first, count = int(tree.first_child[v]), int(tree.n_children[v])
        code = codes.add(_branch(tree, v, features[tree.feature[v]]))
        for at in range(count):  # the whole row, its share if the value is missing, or nothing
            part = (float(tree.share[first + at]), *(float(c == at) for c in range(count)))
            ways[first + at] = (*ways[v], Pick(code, part))
    leaves = _leaves(tree)
    shares = [
        total([Binary(Variable(f"w{v}"), "*", Number(float(tree.value[v, k]))) for v in leaves])
        for k in range(len(model.classes_))
    ]
    return ScoreExpressions(shares, plain_labels(model.classes_), "shares", codes=codes, parts=parts)


def _branch(tree: Tree, v: int, feature: Feature) -> Expression:
    """Return the number of the child a row goes to: 1, 2, …, or 0 if its value is missing or matches no child."""
    j, first, count = int(tree.feature[v]), int(tree.first_child[v]), int(tree.n_children[v])
    if j not in tree.meaning.categories:
        return Step(feature("number"), (tree.threshold(v),), (1, 2), 0)
    child = {tree.meaning.categories[j][b]: at for at, b in enumerate(tree.branch[first : first + count], start=1)}
    missing = child.pop(None, 0)
    kind = "text" if isinstance(next(iter(child)), str) else "loose"
    return Lookup(feature(kind), tuple(child), tuple(child.values()), missing, 0)


def _leaves(tree: Tree) -> list[int]:
    """Return the leaves from left to right, the order in which predictions add them up."""
    found, stack = [], [0]
    while stack:
        v = stack.pop()
        if tree.feature[v] < 0:
            found.append(v)
        stack.extend(reversed(range(tree.first_child[v], tree.first_child[v] + tree.n_children[v])))
    return found


def finish(found: ScoreExpressions) -> Formula:
    """Convert scores to a prediction and probabilities."""
    formula = _decided(found)
    if found.exponent is None or not formula.probabilities:
        return formula
    least = LEAST / len(formula.probabilities)
    powers: dict[str, Expression] = {
        f"q{k}": Power(share, found.exponent, least) for k, share in enumerate(formula.probabilities.values())
    }
    parts = [Variable(name) for name in powers]
    shares = (Binary(part, "/", Variable("mass")) for part in parts)
    stages = [*formula.stages, powers, {"mass": total(list(parts))}]
    return Formula(stages, formula.prediction, dict(zip(formula.probabilities, shares)))


def _decided(found: ScoreExpressions) -> Formula:
    stages = [found.codes.stage, *found.parts, {f"s{k}": score for k, score in enumerate(found.scores)}]
    s = tuple(Variable(name) for name in stages[-1])
    if found.link == "none":
        return Formula(stages, s[0], {})
    if found.link == "logit":
        score = s[0] if found.scale == 1 else Binary(s[0], "*", Number(found.scale))
        of_class = (Sigmoid(Binary(Number(0.0), "-", score)), Sigmoid(score))
        return Formula(stages, Sign(s[0], (found.labels[0], found.labels[1])), dict(zip(found.labels, of_class)))
    top = Variable("top")
    prediction: Expression = Best(s, top, found.labels)
    if found.side is not None:
        stages[-1]["side"], sides = found.side
        prediction = Sign(Variable("side"), sides)
    if found.link == "shares":
        stages.append({"top": Largest(s)})
        return Formula(stages, prediction, dict(zip(found.labels, s)))
    if found.link == "softmax":
        below = (Binary(Binary(score, "-", top), "*", Number(found.scale)) for score in s)
        stages += [{"top": Largest(s)}, {f"p{k}": Exponential(power) for k, power in enumerate(below)}]
    else:
        against = (Sigmoid(Binary(score, "*", Number(found.scale))) for score in s)
        stages.append({f"p{k}": Largest((own, Number(TINY))) for k, own in enumerate(against)})
        stages[-1]["top"] = Largest(s)
    parts = [Variable(f"p{k}") for k in range(len(s))]
    stages.append({"whole": total(list(parts))})
    shares = (Binary(part, "/", Variable("whole")) for part in parts)
    return Formula(stages, prediction, dict(zip(found.labels, shares)))
