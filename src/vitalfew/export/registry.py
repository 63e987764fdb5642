"""Classes allowed in a model file, and the fields saved for each. Other classes are rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import compose, dummy, impute, model_selection, pipeline, preprocessing
from sklearn.ensemble import BaggingClassifier

from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.coding.discretize import Discretizer
from vitalfew.data.coding.number_coder import NumberCoder
from vitalfew.data.coding.table_coder import Categories, Cuts, OwnCodes, TableCoder
from vitalfew.data.tables.frames import NumberedNames
from vitalfew.data.text.word_presence import Terms, WordPresence, _checked_vocabulary
from vitalfew.encoding.columns import TableColumns
from vitalfew.encoding.matrix_columns import MatrixColumns
from vitalfew.evaluation.table_model import TableModel
from vitalfew.export import checks, table_checks
from vitalfew.export.record import (
    Kind,
    LeftBehind,
    Record,
    anything,
    array,
    each,
    flag,
    is_a,
    keyed,
    maybe,
    real,
    text,
    threads,
    whole,
)
from vitalfew.export.sklearn_checks import one_hot
from vitalfew.families.bayes.information_ranking import InformationRanking
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.bayes.semi_supervised import SemiSupervisedNaiveBayes
from vitalfew.families.bayes.unlabeled_weight import WeightScores
from vitalfew.families.ensembles.adaboost import AdaBoost
from vitalfew.families.ensembles.bagging import Bagging
from vitalfew.families.ensembles.bagging_path import BaggingPath
from vitalfew.families.ensembles.blend import Blend
from vitalfew.families.ensembles.boost_path import BoostPath
from vitalfew.families.ensembles.boost_run import BoostRun, FittedLearners
from vitalfew.families.ensembles.learners import RowsVoter
from vitalfew.families.ensembles.out_of_bag import OutOfBagCurve
from vitalfew.families.linear.lasso import Lasso
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.families.ridge.kernel_path import KernelPath
from vitalfew.families.ridge.kernel_ridge import KernelRidge
from vitalfew.families.ridge.kernels import Kernel
from vitalfew.families.ridge.ridge import Ridge
from vitalfew.families.subsets.best_classes import BestSubsetClassifier
from vitalfew.families.subsets.best_subset import BestSubsetRegressor
from vitalfew.families.subsets.forward_fitting import ForwardFittingRegressor
from vitalfew.families.subsets.forward_fitting_classes import ForwardFittingClassifier
from vitalfew.families.subsets.greedy import GreedySubsetRegressor
from vitalfew.families.subsets.greedy_classes import GreedySubsetClassifier
from vitalfew.families.subsets.greedy_search import GreedySearch
from vitalfew.families.trees.binned_tree import BinnedTree
from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.families.trees.tree_nodes import Meaning, Tree
from vitalfew.rules.criteria import Bits
from vitalfew.rules.point_criteria import PointCriteria
from vitalfew.rules.selection import Selection
from vitalfew.summaries.counts import Counts

numbers, whole_numbers = array("f", 1), array("iu", 1)
finite, finite_table = array("f", 1, finite=True), array("f", 2, finite=True)
mask, labels = array("b", 1), array("biufUOST", 1)
names = Kind("a list of names", checks.sequence_of_text)
chosen = {"selection_": is_a(Selection)}
linear = {"coef_": finite, "intercept_": real, **chosen}
linear_classes = {"classes_": labels, "coef_": finite_table, "intercept_": finite, **chosen}
certificate = {"gap_": real, "certified_": flag, "near_ties_complete_": flag}
penalized = {"alpha_": real, "dual_gap_": real}
raw_units = {"standardize": False}
subset = {"k_": whole, "subset_": whole_numbers}
codings = each(is_a(OwnCodes, Categories, Cuts))
matrix = Kind("a matrix", lambda v: isinstance(v, np.ndarray) or sparse.issparse(v))
learner = is_a(object)

ESTIMATORS = [
    Record(Lasso, {**linear, **penalized}, left=("path_",), earlier=raw_units, check=checks.regressor),
    Record(Ridge, {**linear, **penalized}, left=("path_",), earlier=raw_units, check=checks.regressor),
    Record(GreedySubsetRegressor, {**linear, **subset}, left=("path_",), check=checks.regressor),
    Record(ForwardFittingRegressor, {**linear, "steps_": whole}, left=("path_",), check=checks.regressor),
    Record(
        BestSubsetRegressor,
        {**linear, **subset, **certificate},
        left=("path_", "near_ties_"),
        check=checks.regressor,
    ),
    Record(
        LogisticRegression,
        {**linear_classes, **penalized, "kkt_violation_": real},
        left=("path_",),
        earlier=raw_units,
        check=checks.classifier,
    ),
    Record(GreedySubsetClassifier, {**linear_classes, **subset}, left=("path_",), check=checks.classifier),
    Record(ForwardFittingClassifier, {**linear_classes, "steps_": whole}, left=("path_",), check=checks.classifier),
    Record(
        BestSubsetClassifier,
        {**linear_classes, **subset, **certificate},
        left=("path_", "near_ties_"),
        check=checks.classifier,
    ),
    Record(
        KernelRidge,
        {
            "dual_coef_": finite,
            "X_fit_": matrix,
            "alpha_": real,
            "gamma_": anything,
            "degree_": anything,
            "coef0_": anything,
            "nystroem_error_": real,
            "note_": text,
            "path_": is_a(KernelPath),
            "selections_": keyed(text, is_a(Selection)),
            **chosen,
        },
        check=checks.kernel_ridge,
    ),
    Record(
        NaiveBayes,
        {
            "classes_": labels,
            "coder_": is_a(TableCoder),
            "counts_": is_a(Counts),
            "prior_strength_": real,
            "class_log_prior_": finite,
            "feature_log_prob_": finite_table,
            "support_": mask,
            "selections_": keyed(text, is_a(Selection)),
            "_length": maybe(is_a(Bits)),
        },
        left=("paths_",),
        blank={"_data": None},
        check=checks.naive_bayes,
    ),
    Record(
        SemiSupervisedNaiveBayes,
        {
            "classes_": labels,
            "coder_": is_a(TableCoder),
            "is_weighted_": flag,
            "unlabeled_weight_": real,
            "weight_scores_": maybe(is_a(WeightScores)),
            "fell_back_": flag,
            "verdict_": text,
            "feature_log_prob_": finite_table,
            "class_log_prior_": finite,
            "amount_": finite,
            "objective_": finite,
            "n_iter_": whole,
            "support_": mask,
        },
        blank={"_pool": None},
        check=checks.semi_supervised,
    ),
    Record(
        InformationRanking,
        {
            "p_values_": numbers,
            "scores_": numbers,
            "gains_": numbers,
            "ranking_": whole_numbers,
            "support_": mask,
            **chosen,
        },
        optional=("selection_",),
        left=("path_",),
        check=checks.ranking,
    ),
    Record(
        Stump,
        {
            "classes_": labels,
            "stumps_": is_a(StumpSet),
            "coder_": is_a(BinCoder),
            "feature_": whole,
            "threshold_": real,
            "sign_": whole,
            "error_": real,
            "errors_": numbers,
            "shares_": finite_table,
            "rule_": text,
        },
        check=checks.stump,
    ),
    Record(
        AdaBoost,
        {
            "classes_": labels,
            "rounds_": whole,
            "path_": is_a(BoostPath),
            "alpha_": Kind("votes", lambda v: finite.test(v) or each(finite).test(v)),
            "stop_reason_": text,
            "support_": mask,
            **chosen,
        },
        check=checks.boost,
    ),
    Record(
        DecisionTree,
        {
            "classes_": labels,
            "coder_": is_a(BinCoder),
            "tree_": is_a(Tree),
            "selections_": keyed(text, is_a(Selection)),
            **chosen,
        },
        left=("path_",),
        check=checks.decision_tree,
    ),
    Record(BinnedTree, {"tree_": is_a(Tree)}, check=checks.binned_tree),
    Record(
        Bagging,
        {"classes_": labels, "rounds_": whole, "oob_error_": real, "path_": is_a(BaggingPath), **chosen},
        left=("oob_decision_function_", "_in_use"),
        check=checks.bagging,
    ),
    Record(
        Blend,
        {
            "names_": each(text),
            "weights_": finite,
            "estimators_": each(learner),
            "classes_": labels,
            "member_losses_": numbers,
            "blend_loss_": real,
        },
        optional=("classes_", "member_losses_", "blend_loss_"),
        check=checks.blend,
    ),
    Record(
        GreedySearch,
        {
            "best_estimator_": learner,
            "subset_": whole_numbers,
            "k_": whole,
            "is_complete_": flag,
            "n_fits_": whole,
            "n_cached_": whole,
            **chosen,
        },
        left=("path_", "history_"),
        check=checks.search,
    ),
    Record(Discretizer, {"cuts_": each(finite), "n_bins_": whole_numbers}, check=checks.discretizer),
    Record(
        WordPresence,
        {"_terms": is_a(Terms), "n_documents_": whole, "idf_": finite},
        optional=("n_documents_", "idf_"),
        check=checks.words,
    ),
    Record(TableColumns, {"words_": keyed(text, is_a(WordPresence))}, check=table_checks.columns),
    Record(MatrixColumns, {}, check=table_checks.matrix_columns),
    Record(
        TableModel,
        {"pipeline_": is_a(pipeline.Pipeline), "support_": mask, "classes_": labels},
        optional=("classes_",),
        check=table_checks.table_model,
    ),
]


def _read_ensemble(value: BaggingClassifier) -> dict[str, Any]:
    voters = [voter.learner_ for voter in value.estimators_]
    return {"classes": value.classes_, "learners": voters, "seed": value.random_state}


def _make_ensemble(classes, learners, seed) -> BaggingClassifier:
    made = BaggingClassifier(random_state=seed)
    made.classes_, made.estimators_ = classes, [RowsVoter(None) for _ in learners]
    for voter, fitted in zip(made.estimators_, learners):
        voter.learner_ = fitted
    return made


PARTS = [
    Record(
        Selection,
        {
            "knob": text,
            "rule": text,
            "grid": array("iufb", 1),
            "score": array("iuf", 1),
            "standard_error": numbers,
            "n_features": array("iuf", 1),
            "index": whole,
            "measure": text,
            "greater_is_better": flag,
            "parts": keyed(text, array("iuf", 1)),
            "note": text,
        },
        check=checks.selection,
    ),
    Record(Bits, {"data": real, "model": real}, read=lambda v: v._asdict(), make=Bits),
    Record(
        PointCriteria,
        {**dict.fromkeys(PointCriteria._fields[:6], real), "is_corrected": flag, "is_joint": flag},
        read=lambda v: v._asdict(),
        make=PointCriteria,
    ),
    Record(NumberedNames, {"n": whole}, check=checks.numbered_names),
    Record(
        Terms,
        {"words": each(text)},
        read=lambda v: {"words": v.strings()},
        make=lambda words: Terms.of(_checked_vocabulary(words)),
    ),
    Record(WeightScores, {"weight": finite, "loss": finite_table, "log_loss": finite}, check=checks.weight_scores),
    Record(OwnCodes, {"n_values": whole}, check=checks.own_codes),
    Record(Categories, {"values": each(anything, tuple)}, check=checks.categories),
    Record(Cuts, {"cuts": each(real, tuple)}, check=checks.cuts),
    Record(
        NumberCoder,
        {"names": names, "mean": finite, "flagged": mask, "levels": keyed(whole, is_a(Categories))},
        check=checks.number_coder,
    ),
    Record(
        TableCoder,
        {"numeric": text, "threads": threads, "codings": codings, "names": names, "is_sparse": flag},
        check=checks.table_coder,
    ),
    Record(
        BinCoder,
        {
            "max_bins": whole,
            "categorical_features": anything,
            "threads": threads,
            "names": names,
            "cuts": each(finite),
            "categories": keyed(whole, is_a(Categories)),
            "is_sparse": flag,
        },
        check=checks.bin_coder,
    ),
    Record(
        Counts,
        {
            "table": finite_table,
            "offsets": array("i", 1),
            "class_count": finite,
            "classes": labels,
            "names": names,
            "codings": maybe(codings),
            "unlabeled": finite,
            "n_unlabeled": real,
        },
    ),
    Record(Kernel, {"kind": text, "parameters": keyed(text, anything)}, check=checks.kernel),
    Record(
        KernelPath,
        {"kernel": is_a(Kernel)},
        left=("grid", "dual_coef", "basis", "mean_squared_error", "degrees_of_freedom", "n_columns", "n_samples"),
        blank={"data": None, "form": None},
    ),
    Record(
        StumpSet,
        {
            "feature": array("i", 1),
            "cut": array("i", 1),
            "missing_right": array("u", 1),
            "side": array("u", 1),
            "start": array("i", 1),
            "left": finite,
            "right": finite,
        },
    ),
    Record(
        Meaning,
        {"names": names, "classes": labels, "cuts": each(finite), "categories": keyed(whole, is_a(tuple))},
    ),
    Record(
        Tree,
        {
            **{
                name: Kind("an array of int32", lambda v: array("i", 1).test(v) and v.itemsize == 4)
                for name in ("feature", "cut", "parent", "first_child", "n_children", "level", "branch", "choices")
            },
            "weight": finite_table,
            "gain": finite,
            "meaning": is_a(Meaning),
        },
        check=checks.tree,
    ),
    Record(FittedLearners, {"models": each(learner), "n_classes": whole, "is_confident": flag}),
    Record(
        BoostRun,
        {
            "learners": is_a(StumpSet, FittedLearners),
            "alpha": finite,
            "error": numbers,
            "z": numbers,
            "trained": numbers,
            "n_outputs": whole,
            "stop": whole,
            "drift": real,
        },
        left=("margins",),
    ),
    Record(
        BoostPath,
        {
            "classes": labels,
            "runs": each(is_a(BoostRun)),
            "grid": whole_numbers,
            "form": text,
            "loss_name": text,
            "n_rows": real,
            "coder": maybe(is_a(BinCoder)),
            "validation_error": maybe(numbers),
            "n_columns": whole,
        },
    ),
    Record(OutOfBagCurve, dict.fromkeys(("error", "standard_error", "share_out"), numbers), left=("tally",)),
    Record(
        BaggingClassifier,
        {"classes": whole_numbers, "learners": each(learner), "seed": anything},
        read=_read_ensemble,
        make=_make_ensemble,
    ),
    Record(
        BaggingPath,
        {
            "grid": whole_numbers,
            "ensemble": is_a(BaggingClassifier),
            "curve": is_a(OutOfBagCurve),
            "classes": labels,
            "n_columns": whole,
            "votes": text,
            "n_jobs": maybe(threads),
        },
        left=("bags",),
        blank={"data": None},
    ),
]

# scikit-learn's classes, which are saved whole: transformers of tables for our models, splitters that parameters may
# hold, and classes that our ensembles use where a bag has a single class.
OTHERS = [
    Record(cls, None, check=one_hot if cls is preprocessing.OneHotEncoder else None)
    for cls in (
        pipeline.Pipeline,
        compose.ColumnTransformer,
        preprocessing.StandardScaler,
        preprocessing.MinMaxScaler,
        preprocessing.MaxAbsScaler,
        preprocessing.RobustScaler,
        preprocessing.OneHotEncoder,
        preprocessing.OrdinalEncoder,
        preprocessing.FunctionTransformer,  # for passthrough columns; functions are rejected
        impute.SimpleImputer,
        impute.MissingIndicator,
        dummy.DummyClassifier,
        dummy.DummyRegressor,
        model_selection.KFold,
        model_selection.StratifiedKFold,
        model_selection.ShuffleSplit,
        model_selection.StratifiedShuffleSplit,
        model_selection.TimeSeriesSplit,
    )
]

RECORDS: Mapping[type, Record] = {record.cls: record for record in (*ESTIMATORS, *PARTS, *OTHERS)}
BY_NAME: Mapping[str, Record] = {record.name: record for record in RECORDS.values()}

for _record in RECORDS.values():
    for _name in _record.left:
        setattr(_record.cls, _name, LeftBehind(_name))
