"""Every compiled kernel, and a call that leads to it: `CALLS[kernel](n)` works on n rows.

The name of a kernel is followed by the form of the data if there are overloads for several.

Run as a program, it presses Ctrl-C in the middle of each kernel that is named, and prints the result as JSON.
"""

import json
import os
import signal
import sys
import threading
import time

import numpy as np
from scipy import sparse

from vitalfew import (
    AdaBoost,
    BestSubsetClassifier,
    BestSubsetRegressor,
    Counts,
    DecisionTree,
    Discretizer,
    ForwardFittingClassifier,
    ForwardFittingRegressor,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    Lasso,
    LogisticRegression,
    Moments,
    NaiveBayes,
    SemiSupervisedNaiveBayes,
    Stump,
    WordPresence,
    _core,
)
from vitalfew.reporting.questions.pairs import screen

rng = np.random.default_rng(0)
MANY = 4000
Z = rng.normal(size=(MANY, 120)) + rng.normal(size=(MANY, 1))
t = Z @ rng.normal(size=120) + 30 * rng.normal(size=MANY)
two, three = (t > 0).astype(int), np.digitize(t, [-20, 20])
bits = (rng.random((MANY, 400)) < 0.1).astype(np.uint8)
S, P = sparse.csr_array(bits), sparse.csr_array(Z * (Z > 1))
words = [" ".join(f"w{j}" for j in row) for row in rng.integers(0, 5000, (MANY, 30))]
unlabeled = np.where(np.arange(MANY) % 3 == 0, two.astype(object), None)

CALLS = {
    "count_binary": lambda n: Counts.from_data(S[:n], two[:n]),
    "count_codes": lambda n: Counts.from_data(bits[:n], two[:n]),
    "inspect_pattern": lambda n: Counts.from_data(S[:n], two[:n]),
    "code_small": lambda n: Counts.from_data(bits[:n], two[:n]),
    "score_binary": lambda n: NaiveBayes().fit(S[:n], two[:n]).predict(S[:n]),
    "score_codes": lambda n: NaiveBayes().fit(bits[:n], two[:n]).predict(bits[:n]),
    "mdl_cuts": lambda n: Discretizer().fit(Z[:n], two[:n]),
    "mdl_binary": lambda n: NaiveBayes(features=50, n_jobs=2).fit(S[:n], two[:n]),
    "mdl_codes": lambda n: NaiveBayes(features=50, n_jobs=2).fit(bits[:n], two[:n]),
    "find_not_finite": lambda n: Lasso(0.5).fit(Z[:n], t[:n]),
    "lasso_path dense": lambda n: Lasso("bic", grid_ratio=1e-4).fit(Z[: n // 40], t[: n // 40]),
    "lasso_path moments": lambda n: Lasso("bic", grid_ratio=1e-4).fit(Z[:n], t[:n]),
    "lasso_path sparse": lambda n: Lasso("bic", grid_ratio=1e-4).fit(P[: n // 40], t[: n // 40]),
    "logistic_path dense": lambda n: LogisticRegression("bic").fit(Z[:n], two[:n]),
    "logistic_path sparse": lambda n: LogisticRegression("bic").fit(P[:n], two[:n]),
    "multinomial_path dense": lambda n: LogisticRegression("bic").fit(Z[:n], three[:n]),
    "multinomial_path sparse": lambda n: LogisticRegression("bic").fit(P[:n], three[:n]),
    "greedy_path dense": lambda n: GreedySubsetRegressor(20).fit(Z[: n // 40], t[: n // 40]),
    "greedy_path moments": lambda n: GreedySubsetRegressor(60).fit(Z[:n], t[:n]),
    "greedy_path sparse": lambda n: GreedySubsetRegressor(20).fit(P[:n], t[:n]),
    "greedy_classes dense": lambda n: GreedySubsetClassifier(10).fit(Z[:n], two[:n]),
    "greedy_classes sparse": lambda n: GreedySubsetClassifier(10).fit(P[:n], two[:n]),
    "near_subsets": lambda n: BestSubsetRegressor(3).fit(Z[:n, :30], t[:n]).near_ties_,
    "near_classes dense": lambda n: BestSubsetClassifier(2).fit(Z[:n, :12], two[:n]).near_ties_,
    "near_classes sparse": lambda n: BestSubsetClassifier(2).fit(P[:n, :12], two[:n]).near_ties_,
    "best_subsets": lambda n: BestSubsetRegressor(9, time_budget=60).fit(Z[:n, :60], t[:n]),
    "best_classes dense": lambda n: BestSubsetClassifier(5, time_budget=60).fit(Z[:n, :30], two[:n]),
    "best_classes sparse": lambda n: BestSubsetClassifier(4, time_budget=60).fit(P[:n, :30], two[:n]),
    "forward_fitting dense": lambda n: ForwardFittingRegressor(10**6, learning_rate=1e-4).fit(
        Z[: n // 40], t[: n // 40]
    ),
    "forward_fitting moments": lambda n: ForwardFittingRegressor(10**6, learning_rate=1e-4).fit(Z[:n], t[:n]),
    "forward_fitting sparse": lambda n: ForwardFittingRegressor(10**4, learning_rate=1e-3).fit(P[:n], t[:n]),
    "forward_fitting_classes dense": lambda n: ForwardFittingClassifier(1000, learning_rate=1e-3).fit(Z[:n], two[:n]),
    "forward_fitting_classes sparse": lambda n: ForwardFittingClassifier(1000, learning_rate=1e-3).fit(P[:n], two[:n]),
    "bin_cuts": lambda n: Stump().fit(Z[:n], two[:n]),
    "code_bins": lambda n: Stump().fit(Z[:n], two[:n]),
    "boost dense": lambda n: AdaBoost(3000).fit(Z[:n], two[:n]),
    "boost sparse": lambda n: AdaBoost(3000).fit(P[:n], two[:n]),
    "best_stumps dense": lambda n: Stump().fit(Z[:n], two[:n]),
    "best_stumps sparse": lambda n: Stump().fit(P[:n], two[:n]),
    "grow_tree": lambda n: DecisionTree(mdl_weight=None).fit(Z[:n], three[:n]),
    "tree_probabilities": lambda n: DecisionTree(mdl_weight=None).fit(Z[:n], three[:n]).predict(Z[:n]),
    "tree_path_errors": lambda n: DecisionTree(leaves="cv", mdl_weight=None, n_jobs=1).fit(Z[:n, :9], three[:n]),
    "column_products": lambda n: Moments.from_data(Z[:n], t[:n]),
    "best_pairs": lambda n: screen(bits[:n], two[:n].astype(np.int32), 10),
    "expect_rows": lambda n: SemiSupervisedNaiveBayes(guard=False).fit(S[:n], unlabeled[:n]),
    "classify_rows": lambda n: SemiSupervisedNaiveBayes(guard=False).fit(S[:n], unlabeled[:n]).classify(S[:n]),
    "unit_rows": lambda n: WordPresence(weighting="idf").fit_transform(words[:n]),
    "WordRows": lambda n: WordPresence(ngram_range=(1, 30)).fit(words[:n]),
}

# Why it needs no separate Ctrl-C test.
SHORT = {
    "thread_count": "asks the system",
    "helper_threads": "reads two counters",
    "steady_time": "reads a clock",
    "deadline": "reads the deadline of the thread",
    "set_deadline": "sets the deadline of the thread",
    "weakest_links": "looks at each leaf of one tree once",
    "WordTable": "hashes a vocabulary that Python holds already",
    "copy_indices": "copies one array",
}


def press_in(call: str, wait: float = 0.2) -> dict:
    """Call the kernel again and again with the same arguments, until Ctrl-C stops it."""
    kernel = call.split()[0]
    real, before, pressed = getattr(_core, kernel), threads(), []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def again(*arguments, **named):
        timer = threading.Timer(wait, press)
        timer.start()
        while True:
            real(*arguments, **named)

    setattr(_core, kernel, again if kernel != "WordRows" else real)
    try:
        if kernel == "WordRows":
            threading.Timer(wait, press).start()
            while True:
                CALLS[call](MANY)
        CALLS[call](MANY)
        return {"error": "its call does not lead to it"}
    except KeyboardInterrupt:
        heard = time.monotonic() - pressed[0]
    finally:
        setattr(_core, kernel, real)
    CALLS[call](200)
    return {"heard": heard, "threads": threads(before) - before}


def threads(wanted: int = 0) -> int:
    """Count the threads of the process, waiting briefly for ending ones until there are as few as expected."""
    for _ in range(100):
        found = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else threading.active_count()
        if threading.active_count() == 1 and found <= (wanted or found):
            break
        time.sleep(0.03)
    return found


def main() -> None:
    import warnings

    from tqdm import tqdm

    warnings.simplefilter("ignore")
    tqdm.monitor_interval = 0  # a thread of tqdm's own, which stays
    for call in sys.argv[1:]:
        try:
            found = press_in(call)
        except Exception as error:
            found = {"error": repr(error)}
        print(json.dumps({"call": call, **found}), flush=True)


if __name__ == "__main__":
    main()
