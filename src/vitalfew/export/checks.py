"""Consistency checks of loaded models, so that no prediction reads beyond an array or loops forever."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_regressor

from vitalfew.data.coding.bins import MOST_BINS, BinCoder
from vitalfew.data.coding.number_coder import MOST_LEVELS, NumberCoder
from vitalfew.data.coding.table_coder import NUMERIC, Categories, TableCoder
from vitalfew.data.tables.frames import NumberedNames
from vitalfew.exceptions import ModelFileError
from vitalfew.export.record import require
from vitalfew.families.ensembles.blend_members import named_members
from vitalfew.families.ensembles.boost_run import STOPS, BoostRun, FittedLearners
from vitalfew.families.ridge.kernels import check_kernel
from vitalfew.families.trees.binned_tree import BinnedTree
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.families.trees.tree_nodes import Tree
from vitalfew.support.limits import check_hashed

MOST_VALUES = 2**31


def are_in(indices, n: int) -> bool:
    """Return True if all indices are between 0 and n - 1."""
    values = np.asarray(indices)
    return values.size == 0 or (values.min() >= 0 and values.max() < n)


def are_rising(values) -> bool:
    """Return True if the values are finite and strictly increasing."""
    numbers = np.asarray(values, dtype=float)
    return bool(np.isfinite(numbers).all() and (np.diff(numbers) > 0).all())


def features(model) -> None:
    """Check the feature names and the arrays with an entry for each feature."""
    require(model.n_features_in_ > 0, "the number of features is not positive")
    names = getattr(model, "feature_names_in_", None)
    require(names is None or len(names) == model.n_features_in_, "there must be one name per feature")
    support = getattr(model, "support_", None)
    require(support is None or len(support) == model.n_features_in_, "support_ must have one entry per feature")


def coded_width(model) -> int:
    """Return the number of columns that a model on numbers computes with."""
    coder = model._coder
    if coder is None:
        return model.n_features_in_
    require(coder.n_features == model.n_features_in_, "the coding must have one entry per feature")
    return len(coder.owner)


def number_coder(coder: NumberCoder) -> None:
    d = len(coder.names)
    require(d == len(coder.mean) == len(coder.flagged) > 0, "there must be one coding per column")
    require(are_in(list(coder.levels), d), "a category belongs to an unknown column")
    for j, levels in coder.levels.items():
        known = levels.values[1:] if levels.is_presence else levels.values
        require(not coder.flagged[j] and 0 < len(levels.values) <= MOST_LEVELS + 1, "a category has too many values")
        require(all(isinstance(v, str) for v in known), "a category is not text")


def regressor(model) -> None:
    require(len(model.coef_) == coded_width(model), "coef_ must have one entry per feature")
    features(model)
    require(are_in(getattr(model, "subset_", ()), model.n_features_in_), "subset_ contains an unknown feature")


def classifier(model) -> None:
    classes(model)
    outputs = len(model.classes_) if len(model.classes_) > 2 else 1
    require(model.coef_.shape == (outputs, coded_width(model)), "coef_ must have one entry per class and feature")
    features(model)
    require(model.intercept_.shape == (outputs,), "intercept_ must have one entry per class")
    require(are_in(getattr(model, "subset_", ()), model.n_features_in_), "subset_ contains an unknown feature")


def classes(model) -> None:
    require(len(model.classes_) > 1, "there are fewer than two classes")
    check_hashed(model.classes_.tolist(), "a class")
    require(len(set(model.classes_.tolist())) == len(model.classes_), "a class occurs twice")


def selection(found) -> None:
    n = len(found.grid)
    sizes = {len(v) for v in (found.score, found.standard_error, found.n_features, *found.parts.values())}
    require(sizes == {n} and 0 <= found.index < n, "the curve of a rule has no such point")


def kernel(found) -> None:
    check_kernel(found.kind)
    require(set(found.parameters) <= {"gamma", "degree", "coef0"}, "the kernel has an unknown parameter")


def kernel_ridge(model) -> None:
    features(model)
    basis = model.X_fit_
    if model.path_.kernel.is_precomputed:
        require(isinstance(basis, np.ndarray) and basis.ndim == 1 and basis.dtype.kind in "iu", "X_fit_ is not numeric")
        require(are_in(basis, model.n_features_in_), "X_fit_ contains an unknown row")
    else:
        is_matrix = sparse.issparse(basis) or isinstance(basis, np.ndarray)
        require(is_matrix and basis.ndim == 2 and basis.dtype.kind == "f", "X_fit_ is not a matrix of numbers")
        require(basis.shape[1] == coded_width(model), "X_fit_ must have one column per feature")
    require(basis.shape[0] == len(model.dual_coef_), "dual_coef_ must have one entry per row of X_fit_")


def search(model) -> None:
    features(model)
    require(are_in(model.subset_, model.n_features_in_), "subset_ contains an unknown feature")
    known = getattr(model.best_estimator_, "n_features_in_", len(model.subset_))
    require(known == len(model.subset_), "best_estimator_ has other features than subset_")


def discretizer(model) -> None:
    features(model)
    require(len(model.cuts_) == len(model.n_bins_) == model.n_features_in_, "there must be cuts for each feature")
    require(all(map(are_rising, model.cuts_)), "the cuts of a feature do not increase")
    require([len(c) + 1 for c in model.cuts_] == model.n_bins_.tolist(), "n_bins_ does not match the cuts")


def words(model) -> None:
    idf = getattr(model, "idf_", None)
    require((idf is not None) == (model.weighting is not None), "the word weights are missing")
    require(idf is None or len(idf) == len(model._terms), "idf_ must have one entry per word")


def ranking(model) -> None:
    features(model)
    sizes = {len(getattr(model, name)) for name in ("scores_", "p_values_", "gains_", "ranking_")}
    require(sizes == {model.n_features_in_}, "there must be one score per feature")


# Codes


def categories(found: Categories) -> None:
    known = found.values[1:] if found.is_presence else found.values
    require(len({isinstance(v, str) for v in known}) < 2, "categories mix text and numbers")
    require(all(isinstance(v, str | int | float) for v in known), "a category is neither text nor a number")
    check_hashed(found.values, "a category")
    require(len(set(found.values)) == len(found.values) < MOST_VALUES, "a category occurs twice")


def presences(found: Sequence[Categories]) -> None:
    """Check that codes for missing values are beside those of a single other value."""
    are_single = all(len(c.values) == 2 for c in found if c.is_presence)
    require(are_single, "a missing value is a category beside several others")


def numbered_names(found: NumberedNames) -> None:
    require(0 <= found.n < MOST_VALUES, "the number of columns is out of range")


def own_codes(found) -> None:
    require(2 <= found.n_values < MOST_VALUES, "a feature has no values")


def cuts(found) -> None:
    require(
        all(isinstance(v, float) for v in found.cuts) and are_rising(found.cuts),
        "the cuts of a feature do not increase",
    )


def table_coder(coder: TableCoder) -> None:
    require(coder.numeric in NUMERIC, "the coding of numbers is unknown")
    require(len(coder.codings) == (0 if coder.is_sparse else len(coder.names)), "there must be one coding per column")
    presences([c for c in coder.codings if isinstance(c, Categories)])


def bin_coder(coder: BinCoder) -> None:
    d = len(coder.cuts)
    require(len(coder.names) == d, "there must be one name per column of bins")
    require(all(len(c) < MOST_BINS and are_rising(c) for c in coder.cuts), "the cuts of a feature do not increase")
    require(are_in(list(coder.categories), d), "a category belongs to an unknown column")
    presences(list(coder.categories.values()))
    for j, known in coder.categories.items():
        require(len(coder.cuts[j]) == 0 and len(known.values) < MOST_BINS, "a category has cuts")
    require(not (coder.is_sparse and coder.categories), "a sparse matrix has categories")


def naive_bayes(model) -> None:
    features(model)
    classes(model)
    counts, coder, d = model.counts_, model.coder_, model.n_features_in_
    require(len(coder.names) == d == counts.n_features, "there must be one coding per feature")
    n_values = [2] * d if coder.is_sparse else [c.n_values for c in coder.codings]
    require(np.array_equal(counts.n_values, n_values) and counts.offsets[0] == 0, "the counts do not match the codings")
    counts._check_consistent()
    require(
        counts.table.shape == model.feature_log_prob_.shape, "feature_log_prob_ does not have the shape of the counts"
    )
    require(model.feature_log_prob_.shape[1] == len(model.classes_), "there must be counts for each class")
    require(len(model.class_log_prior_) == len(model.classes_), "class_log_prior_ must have one entry per class")


def semi_supervised(model) -> None:
    features(model)
    classes(model)
    coder, d, table = model.coder_, model.n_features_in_, model.feature_log_prob_
    require(len(coder.names) == d == len(model.support_), "there must be one name per feature")
    n_lines = d if model.is_weighted_ else 2 * d if coder.is_sparse else sum(c.n_values for c in coder.codings)
    require(table.shape == (n_lines, len(model.classes_)), "feature_log_prob_ must have one row per value")
    require(len(model.amount_) == n_lines, "amount_ must have one entry per value")
    require(len(model.class_log_prior_) == len(model.classes_), "class_log_prior_ must have one entry per class")


def weight_scores(scores) -> None:
    n = len(scores.weight)
    require(len(scores.loss) == n == len(scores.log_loss), "there must be one score per weight")


# Stumps and trees


def stumps(found: StumpSet, coder: BinCoder, n_classes: int) -> None:
    """Check that stumps use columns and cuts of `coder` and, with more than two classes, vote for existing ones."""
    n = len(found.feature)
    sizes = {len(v) for v in (found.cut, found.missing_right, found.left, found.right)}
    require(sizes == {n} and len(found.start) == n + 1, "parts of a stump are missing")
    require(found.start[0] == 0 and (np.diff(found.start) >= 0).all(), "the sides of stumps overlap")
    require(found.start[-1] == len(found.side), "sides of stumps are missing")
    require(are_in(found.feature, len(coder.cuts)), "a stump splits on an unknown feature")
    for t, j in enumerate(found.feature.tolist()):
        n_sides = int(found.start[t + 1] - found.start[t])
        require(n_sides in (0, coder.n_bins(j)) and found.cut[t] >= 0, "a stump has an unknown cut")
        is_cut = j not in coder.categories
        require(not is_cut or found.cut[t] <= len(coder.cuts[j]), "a stump has an unknown cut")
    if n_classes > 2:
        votes = np.concatenate([found.left, found.right])
        require((votes == np.floor(votes)).all() and are_in(votes, n_classes), "a stump votes for an unknown class")


def stump(model) -> None:
    features(model)
    classes(model)
    require(len(model.stumps_) > 0 and len(model.coder_.cuts) == model.n_features_in_, "there is no stump")
    stumps(model.stumps_, model.coder_, len(model.classes_))
    require(len(model.errors_) == len(model.stumps_), "there must be one error per stump")
    require(model.shares_.shape == (2, len(model.classes_)), "shares_ must have one entry per class")


def tree(found: Tree) -> None:
    """Check that siblings are consecutive, after their parent, and that each node has one parent: there is no cycle."""
    n, d = len(found.feature), len(found.meaning.names)
    names = ("cut", "parent", "first_child", "n_children", "level", "branch", "choices", "gain", "weight")
    require(n > 0 and {len(getattr(found, name)) for name in names} == {n}, "parts of a tree are missing")
    require(found.weight.shape[1] == len(found.meaning.classes), "a tree must have one weight per class")
    require((found.weight >= 0).all() and (found.weight.sum(axis=1) > 0).all(), "a node of a tree has weight zero")
    require(len(found.meaning.cuts) == d and are_in(found.feature + 1, d + 1), "a node splits on an unknown feature")
    is_split = found.feature >= 0
    of_child, above = np.arange(1, n), found.parent[1:]
    require(found.parent[0] == -1 and are_in(above, n) and (above < of_child).all(), "a tree has a cycle")
    counted = np.bincount(above, minlength=n)
    require(np.array_equal(counted, found.n_children), "n_children of a node does not match its children")
    require(
        ((counted >= 2) == is_split).all() and ((counted == 0) == ~is_split).all(),
        "a split node of a tree has no children",
    )
    first = found.first_child[above]
    require(
        ((of_child >= first) & (of_child < first + counted[above])).all(), "the children of a node are not contiguous"
    )
    require(found.level[0] == 0 and (found.level[1:] == found.level[above] + 1).all(), "a tree has wrong levels")
    for v in np.flatnonzero(is_split):
        _split(found, int(v))


def _split(found: Tree, v: int) -> None:
    j, begin = int(found.feature[v]), int(found.first_child[v])
    branches = found.branch[begin : begin + int(found.n_children[v])]
    if j in found.meaning.categories:
        fits = are_in(branches, len(found.meaning.categories[j])) and (np.diff(branches) > 0).all()
        require(fits, "a tree has a branch for an unknown category")
    else:
        require(branches.tolist() == [0, 1], "a cut of a tree must have two sides")
        require(1 <= found.cut[v] <= len(found.meaning.cuts[j]), "a tree has an unknown cut")


def tree_on(found: Tree, coder: BinCoder) -> None:
    """Check that a tree uses the bins of a coder."""
    known = found.meaning
    fits = [len(c) for c in known.cuts] == [len(c) for c in coder.cuts]
    same = {j: tuple(c.values) for j, c in coder.categories.items()} == {
        j: tuple(v) for j, v in known.categories.items()
    }
    require(fits and same, "the bins of a tree do not match its table")


def decision_tree(model) -> None:
    features(model)
    classes(model)
    require(len(model.coder_.cuts) == model.n_features_in_, "there must be bins for each feature")
    require(model.tree_.weight.shape[1] == len(model.classes_), "the classes of the tree do not match")
    tree_on(model.tree_, model.coder_)


def binned_tree(model: BinnedTree) -> None:
    require(isinstance(model.coder, BinCoder) and model.tree_.weight.shape[1] == model.n_classes, "a tree has no bins")
    tree_on(model.tree_, model.coder)


# Ensembles


def boost(model) -> None:
    features(model)
    classes(model)
    path, n_classes = model.path_, len(model.classes_)
    require(
        path.form in ("two", "samme", "ova") and path.loss_name in ("exponential", "logistic"),
        "the votes or the loss are unknown",
    )
    require((path.form == "two") == (n_classes == 2) and len(path.classes) == n_classes, "the classes do not match")
    require(len(path.runs) == (n_classes if path.form == "ova" else 1), "there must be one run per class")
    require(path.n_columns == model.n_features_in_, "the features do not match")
    require(path.coder is None or len(path.coder.cuts) == path.n_columns, "there must be bins for each feature")
    require(1 <= model.rounds_ <= len(path.grid), "rounds_ is out of range")
    for run in path.runs:
        _run(run, path.coder, n_classes if path.form == "samme" else 2)


def _run(run: BoostRun, coder: BinCoder | None, n_classes: int) -> None:
    n = len(run.learners)
    require({len(v) for v in (run.alpha, run.error, run.z, run.trained)} == {n}, "rounds of boosting are incomplete")
    require(
        run.n_outputs == (n_classes if n_classes > 2 else 1) and are_in([run.stop], len(STOPS)),
        "a run of boosting is invalid",
    )
    if isinstance(run.learners, StumpSet):
        if coder is None:
            raise ModelFileError("stumps have no bins")
        stumps(run.learners, coder, n_classes)
    else:
        _learners(run.learners, coder, n_classes)


def _learners(found: FittedLearners, coder: BinCoder | None, n_classes: int) -> None:
    require(found.n_classes == n_classes, "the classes of the learners do not match")
    for model in found.models:
        require(isinstance(model, BinnedTree) == (coder is not None), "a learner expects another kind of rows")
        require(are_in(model.classes_, n_classes), "the classes of a learner do not match")
        if isinstance(model, BinnedTree):
            tree_on(model.tree_, coder)  # type: ignore[arg-type]


def bagging(model) -> None:
    features(model)
    classes(model)
    path = model.path_
    learners, codes = path.learners, path.ensemble.classes_
    require(len(learners) == len(path.grid) and 1 <= model.rounds_ <= len(learners), "learners are missing")
    require(are_in(codes, len(model.classes_)) and len(path.classes) == len(model.classes_), "the classes do not match")
    require(model.selection_.index == model.rounds_ - 1, "rounds_ does not match selection_")
    require(all(are_in(learner.classes_, len(codes)) for learner in learners), "the classes of a learner do not match")


def blend(model) -> None:
    n, fitted = len(model.weights_), list(zip(model.weights_, model.estimators_))
    require(n == len(model.names_) == len(model.estimators_) > 0, "there must be one weight per estimator")
    require([name for name, _ in named_members(model.estimators)] == model.names_, "names_ do not match the estimators")
    require((model.weights_ >= 0).all() and abs(model.weights_.sum() - 1) < 1e-9, "weights_ must sum to 1")
    require(all((weight > 0) == (member is not None) for weight, member in fitted), "an estimator is missing")
    require(is_classifier(model) == hasattr(model, "classes_"), "classes_ does not match the estimators")
    if hasattr(model, "n_features_in_"):
        features(model)
    if not is_classifier(model):
        require(all(m is None or is_regressor(m) for m in model.estimators_), "an estimator is not a regressor")
        return
    classes(model)
    for member in model.estimators_:
        known = set(model.classes_.tolist() if member is None else member.classes_.tolist())
        require(known <= set(model.classes_.tolist()), "the classes of an estimator do not match")


def sequence_of_text(names) -> bool:
    if isinstance(names, NumberedNames):  # always text, of a length bounded by the file
        return True
    return isinstance(names, Sequence | np.ndarray) and not isinstance(names, str) and all(map(_is_text, names))


def _is_text(name) -> bool:
    return isinstance(name, str)
