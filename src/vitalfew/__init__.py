"""Find the vital few features of your data: how many, which, for which model, and with what error."""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import would take most of the time of this one
if TYPE_CHECKING:
    from vitalfew.data.coding.discretize import Discretizer
    from vitalfew.data.text.word_presence import WordPresence
    from vitalfew.evaluation.bias_variance import bias_variance
    from vitalfew.evaluation.compare import compare
    from vitalfew.evaluation.leave_one_out import loo_predict
    from vitalfew.evaluation.sealed.sealed_split import sealed_split
    from vitalfew.evaluation.sealed.sealed_test import SealedTest
    from vitalfew.export.model_file import load, save
    from vitalfew.export.python_source import to_python
    from vitalfew.export.sql import to_sql
    from vitalfew.families.bayes.information_ranking import InformationRanking
    from vitalfew.families.bayes.naive_bayes import NaiveBayes
    from vitalfew.families.bayes.semi_supervised import SemiSupervisedNaiveBayes
    from vitalfew.families.ensembles.adaboost import AdaBoost
    from vitalfew.families.ensembles.bagging import Bagging
    from vitalfew.families.ensembles.blend import Blend
    from vitalfew.families.linear.lasso import Lasso
    from vitalfew.families.linear.logistic import LogisticRegression
    from vitalfew.families.linear.soft_threshold import soft_threshold
    from vitalfew.families.ridge.kernel_ridge import KernelRidge
    from vitalfew.families.ridge.ridge import Ridge
    from vitalfew.families.subsets.best_classes import BestSubsetClassifier
    from vitalfew.families.subsets.best_subset import BestSubsetRegressor
    from vitalfew.families.subsets.forward_fitting import ForwardFittingRegressor
    from vitalfew.families.subsets.forward_fitting_classes import ForwardFittingClassifier
    from vitalfew.families.subsets.greedy import GreedySubsetRegressor
    from vitalfew.families.subsets.greedy_classes import GreedySubsetClassifier
    from vitalfew.families.subsets.greedy_search import GreedySearch
    from vitalfew.families.trees.decision_tree import DecisionTree
    from vitalfew.families.trees.stump import Stump
    from vitalfew.labeling.label import label_documents
    from vitalfew.reporting.report import Report, report
    from vitalfew.rules import aic, bic, description_length, ebic
    from vitalfew.summaries.counts import Counts
    from vitalfew.summaries.fold_summaries import Summaries
    from vitalfew.summaries.information import (
        conditional_entropy,
        conditional_mutual_information,
        entropy,
        interaction_information,
        mutual_information,
    )
    from vitalfew.summaries.moments import Moments
    from vitalfew.summaries.summarize import summarize

__version__ = "0.1.0"

__all__ = [
    "AdaBoost",
    "Bagging",
    "BestSubsetClassifier",
    "BestSubsetRegressor",
    "Blend",
    "Counts",
    "DecisionTree",
    "Discretizer",
    "ForwardFittingClassifier",
    "ForwardFittingRegressor",
    "GreedySearch",
    "GreedySubsetClassifier",
    "GreedySubsetRegressor",
    "InformationRanking",
    "KernelRidge",
    "Lasso",
    "LogisticRegression",
    "Moments",
    "NaiveBayes",
    "Report",
    "Ridge",
    "SealedTest",
    "SemiSupervisedNaiveBayes",
    "Stump",
    "Summaries",
    "WordPresence",
    "aic",
    "bias_variance",
    "bic",
    "compare",
    "conditional_entropy",
    "conditional_mutual_information",
    "description_length",
    "ebic",
    "entropy",
    "interaction_information",
    "label_documents",
    "load",
    "loo_predict",
    "mutual_information",
    "report",
    "save",
    "sealed_split",
    "soft_threshold",
    "summarize",
    "to_python",
    "to_sql",
]

# Module that defines each public name. A name is imported on first access, so that `import vitalfew` is fast.
_HOMES = {
    "data.coding.discretize": "Discretizer",
    "data.text.word_presence": "WordPresence",
    "evaluation.bias_variance": "bias_variance",
    "evaluation.compare": "compare",
    "evaluation.leave_one_out": "loo_predict",
    "evaluation.sealed.sealed_test": "SealedTest",
    "evaluation.sealed.sealed_split": "sealed_split",
    "export.model_file": "load save",
    "export.python_source": "to_python",
    "export.sql": "to_sql",
    "families.ensembles.adaboost": "AdaBoost",
    "families.ensembles.bagging": "Bagging",
    "families.ensembles.blend": "Blend",
    "families.subsets.best_classes": "BestSubsetClassifier",
    "families.subsets.best_subset": "BestSubsetRegressor",
    "families.trees.decision_tree": "DecisionTree",
    "families.subsets.forward_fitting": "ForwardFittingRegressor",
    "families.subsets.forward_fitting_classes": "ForwardFittingClassifier",
    "families.subsets.greedy": "GreedySubsetRegressor",
    "families.subsets.greedy_classes": "GreedySubsetClassifier",
    "families.subsets.greedy_search": "GreedySearch",
    "families.bayes.information_ranking": "InformationRanking",
    "families.ridge.kernel_ridge": "KernelRidge",
    "families.linear.lasso": "Lasso",
    "families.linear.logistic": "LogisticRegression",
    "families.linear.soft_threshold": "soft_threshold",
    "families.bayes.naive_bayes": "NaiveBayes",
    "families.ridge.ridge": "Ridge",
    "families.bayes.semi_supervised": "SemiSupervisedNaiveBayes",
    "families.trees.stump": "Stump",
    "labeling.label": "label_documents",
    "reporting.report": "Report report",
    "rules": "aic bic description_length ebic",
    "summaries.counts": "Counts",
    "summaries.information": (
        "conditional_entropy conditional_mutual_information entropy interaction_information mutual_information"
    ),
    "summaries.fold_summaries": "Summaries",
    "summaries.moments": "Moments",
    "summaries.summarize": "summarize",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
_MODULES = (
    "data",
    "datasets",
    "encoding",
    "evaluation",
    "exceptions",
    "export",
    "families",
    "labeling",
    "reporting",
    "rules",
    "summaries",
)

if not TYPE_CHECKING:  # a type checker would otherwise accept any name

    def __getattr__(name: str):
        if name in _HOME_OF:
            globals()[name] = value = getattr(import_module(f"vitalfew.{_HOME_OF[name]}"), name)
            return value
        if name in _MODULES:
            return import_module(f"vitalfew.{name}")
        raise AttributeError(f"module 'vitalfew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
