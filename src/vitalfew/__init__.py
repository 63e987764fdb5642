"""Find the vital few features of your data: how many, which, for which model, and with what error."""

from vitalfew.data.discretize import Discretizer
from vitalfew.data.text import WordPresence
from vitalfew.evaluation.bias_variance import bias_variance
from vitalfew.evaluation.compare import compare
from vitalfew.evaluation.leave_one_out import loo_predict
from vitalfew.evaluation.sealed import SealedTest
from vitalfew.evaluation.sealed_split import sealed_split
from vitalfew.export.model_file import load, save
from vitalfew.export.python_source import to_python
from vitalfew.export.sql import to_sql
from vitalfew.families.adaboost import AdaBoost
from vitalfew.families.bagging import Bagging
from vitalfew.families.best_classes import BestSubsetClassifier
from vitalfew.families.best_subset import BestSubsetRegressor
from vitalfew.families.decision_tree import DecisionTree
from vitalfew.families.forward_fitting import ForwardFittingRegressor
from vitalfew.families.forward_fitting_classes import ForwardFittingClassifier
from vitalfew.families.greedy import GreedySubsetRegressor
from vitalfew.families.greedy_classes import GreedySubsetClassifier
from vitalfew.families.greedy_search import GreedySearch
from vitalfew.families.information_ranking import InformationRanking
from vitalfew.families.kernel_ridge import KernelRidge
from vitalfew.families.lasso import Lasso
from vitalfew.families.logistic import LogisticRegression
from vitalfew.families.naive_bayes import NaiveBayes
from vitalfew.families.ridge import Ridge
from vitalfew.families.semi_supervised import SemiSupervisedNaiveBayes
from vitalfew.families.stump import Stump
from vitalfew.reporting.report import Report, report
from vitalfew.rules import aic, bic, description_length, ebic
from vitalfew.summaries.counts import Counts
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
    "load",
    "loo_predict",
    "mutual_information",
    "report",
    "save",
    "sealed_split",
    "summarize",
    "to_python",
    "to_sql",
]
