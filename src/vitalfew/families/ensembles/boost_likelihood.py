"""Likelihood of the training labels under boosted votes, and the number of parameters of the ensemble."""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit, log_softmax

from vitalfew.families.ensembles.boost_path import BoostPath, Data, rows_of
from vitalfew.families.ensembles.boost_run import BoostRun
from vitalfew.families.trees.binned_tree import BinnedTree
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.rules.path import Likelihood


def boost_likelihood(path: BoostPath, n_rounds: int, data: Data, is_confident: bool) -> Likelihood | None:
    """Return the likelihood of the labels after some rounds, by the logistic link of `predict_proba`.

    A stump has a cut and a vote, or two votes if it is confidence-rated; a tree has the parameters that
    :class:`~vitalfew.DecisionTree` counts, and a vote. None if the size of the base classifiers is not known.
    """
    sizes = [_n_parameters(run, n_rounds, is_confident) for run in path.runs]
    if any(size is None for size in sizes):
        return None
    scores, label = path.scores(rows_of(data), n_rounds), data.label
    if path.form == "two":
        scale = 1.0 if path.loss_name == "logistic" else 2.0
        own = log_expit(scale * np.where(label > 0, 1.0, -1.0) * scores[:, 0])
    elif path.form == "samme":
        own = log_softmax(scores / (len(path.classes) - 1), axis=1)[np.arange(len(label)), label]
    else:
        own = np.log(path.probabilities(scores)[np.arange(len(label)), label])
    n_parameters = float(sum(size for size in sizes if size is not None))
    return Likelihood(data.weights @ own, n_parameters, path.n_rows, path.n_columns)  # type: ignore[arg-type]


def _n_parameters(run: BoostRun, n_rounds: int, is_confident: bool) -> int | None:
    if isinstance(run.learners, StumpSet):
        return min(n_rounds, len(run)) * (3 if is_confident else 2)
    models = run.learners.models[:n_rounds]
    if not all(isinstance(model, BinnedTree) for model in models):
        return None
    trees = [model.tree_ for model in models]
    return sum(t.n_leaves * (t.weight.shape[1] - 1) + int(t.is_split.sum()) + 1 for t in trees)
