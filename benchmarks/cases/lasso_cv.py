"""Lasso with the penalty chosen by 5-fold cross-validation, including the refit; all solvers use the same folds.

Every solver has an intercept and is timed at its loosest tolerance that chooses the right penalty and has the mean
squared errors of all penalties right to four digits. What is right comes from tight paths on each fold, of which the
judge takes the best.
"""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.model_selection import KFold

from cases import lasso_path
from linear_judge import Solver, bounds, compare_solvers, our_solvers
from peers import linear
from vitalfew import Lasso

N_FOLDS, DIGITS = 5, 1e-4
DATA = {"tall": "dense", "cubic": "cubic terms of diabetes", "wide": "dense"}


def load(name: str):
    """Return X, y and the penalties, with a number of rows that gives equal folds."""
    X, y, alphas = lasso_path.load(f"{name}@100")
    n = len(y) // N_FOLDS * N_FOLDS
    return np.asfortranarray(X[:n]), y[:n], alphas


def folds(n: int):
    """Return the training and test rows of each fold, as glmnet draws them."""
    return list(KFold(N_FOLDS, shuffle=True, random_state=0).split(np.arange(n)))


def ours(X, y, alphas, tol=1e-6, n_jobs=None):
    """Return the chosen penalty, the error of each penalty, and the coefficients."""
    model = Lasso(alpha="cv", grid=alphas, cv=folds(len(y)), standardize=False, tol=tol, n_jobs=n_jobs).fit(X, y)
    return model.selection_.value, model.selection_.score, model.coef_


def sklearn_cv(X, y, alphas):
    """Run LassoCV with two folds at a time and one BLAS thread each, its fastest setting."""
    from sklearn.linear_model import LassoCV
    from threadpoolctl import threadpool_limits

    def run(tol):
        with threadpool_limits(1):
            model = LassoCV(
                alphas=alphas, cv=folds(len(y)), standardize=False, tol=tol, max_iter=100_000, n_jobs=2
            ).fit(X, y)
        return model.alpha_, model.mse_path_.mean(axis=1), model.coef_

    return run


def glmnet_cv(X, y, alphas):
    """Run glmnet, whose folds are those of `KFold` with its random state, and therefore ours."""
    from glmnet import ElasticNet

    options = {"standardize": False, "n_splits": N_FOLDS, "cut_point": 0, "random_state": 0, "max_iter": 10_000_000}

    def run(tol):
        model = ElasticNet(lambda_path=alphas, tol=tol, n_jobs=2, scoring="mean_squared_error", **options).fit(X, y)
        return model.lambda_max_, -model.cv_mean_score_, model.coef_

    return run


def adelie_cv(X, y, alphas):
    """Run adelie with folds as weights, as its cv_grpnet does, which would draw other folds."""
    import adelie

    A, threads = linear.adelie_matrix(X), linear.adelie_threads(X)
    options = {"lmda_path": alphas, "early_exit": False, "progress_bar": False, "n_threads": threads}

    def run(tol):
        scores = []
        for learn, test in folds(len(y)):
            weights = np.zeros(len(y))
            weights[learn] = 1 / len(learn)
            state = adelie.grpnet(A, adelie.glm.gaussian(y, weights=weights, dtype=np.float64), tol=tol, **options)
            predicted = adelie.diagnostic.predict(A, state.betas, state.intercepts, n_threads=threads)
            scores.append(((y[test] - predicted[:, test]) ** 2).mean(axis=1))
        score = np.mean(scores, axis=0)
        chosen = int(score.argmin())
        state = adelie.grpnet(A, adelie.glm.gaussian(y, dtype=np.float64), tol=tol, **options)
        return alphas[chosen], score, state.betas[chosen].toarray().ravel()

    return run


def path_on_folds(path, X, y, alphas):
    """Cross-validate a path solver without an intercept: two folds at a time, then all rows."""

    def centered_path(rows):
        mean_x, mean_y = X[rows].mean(axis=0), y[rows].mean()
        return mean_x, mean_y, path(np.asfortranarray(X[rows] - mean_x), y[rows] - mean_y, alphas)

    def errors(learn, test):
        mean_x, mean_y, coef = centered_path(learn)
        return ((y[test] - mean_y - coef @ (X[test] - mean_x).T) ** 2).mean(axis=1)

    score = np.mean(Parallel(2, prefer="threads")(delayed(errors)(*rows) for rows in folds(len(y))), axis=0)
    chosen = int(score.argmin())
    return alphas[chosen], score, centered_path(np.arange(len(y)))[2][chosen]


def celer_on_folds(X, y, alphas):
    """Cross-validate celer, whose own LassoCV does not support the current scikit-learn."""
    return lambda tol: path_on_folds(lambda *data: linear.celer_lasso(*data)(tol), X, y, alphas)


def tight_paths(X, y, alphas):
    """Compute the reference: at each penalty the best of several tight paths, by the judge's objective."""
    return lambda _tol: path_on_folds(_best_path, X, y, alphas)


def _best_path(X, y, alphas):
    """Return the best of several tight paths; LARS needs well-conditioned data, and skglm is slow on large data."""
    tight = {"lars_path": 0.0, "adelie": 1e-14, "skglm": 1e-8 if X.size <= 1_000_000 else None, "lasso_path": 1e-6}
    found = []
    for name, tol in tight.items():
        if tol is None or not linear.LASSO[name].is_installed or (name == "lasso_path" and len(found) > 1):
            continue
        coef = linear.LASSO[name].prepare(X, y, alphas)(tol)
        coef = coef.toarray() if sparse.issparse(coef) else coef
        found.append((bounds(X, y, alphas, coef, "squared")[0], coef))
    best = np.argmin([objective for objective, _ in found], axis=0)
    return np.array([found[solver][1][point] for point, solver in enumerate(best)])


class CurveQuality:
    """Quality of a cross-validated choice: the penalty, and the errors of all penalties."""

    target = DIGITS

    def evaluate(self, data, answer) -> dict:
        """Return the part of an answer that is stored."""
        value, score, coef = answer
        position = int(np.abs(np.log(data[2] / value)).argmin())
        return {"position": position, "score": np.asarray(score).tolist(), "active": int(np.count_nonzero(coef))}

    def merge(self, answers: list[dict]) -> dict:
        """Return the first answer, that of the tight paths, which is the reference."""
        return answers[0]

    def error(self, answer: dict, reference: dict) -> float:
        """Return the largest relative difference, or infinity if the penalty differs."""
        expected = np.array(reference["score"])
        if answer["position"] != reference["position"]:
            return np.inf
        return float(np.max(np.abs(np.array(answer["score"]) / expected - 1)))

    def certificate(self, reference: dict) -> str:
        """Describe the reference choice."""
        return f"tight paths: least {min(reference['score']):.5f} at point {reference['position']}"

    def describe(self, answer: dict, reference: dict) -> str:
        error, score = self.error(answer, reference), min(answer["score"])
        return f"error of the curve {error:.0e}, least {score:.5f}, {answer['active']} active"


QUALITY = CurveQuality()


def solvers():
    """Return our solvers and the peers; the tight paths are not timed."""
    return {
        "tight paths": Solver(tight_paths, (), 0.0, **linear.SKLEARN),
        **our_solvers(ours, linear.ladder(2, 9), None),
        "LassoCV": Solver(sklearn_cv, linear.ladder(2, 8), **linear.SKLEARN),
        "celer_path on folds": Solver(celer_on_folds, linear.ladder(2, 8), **linear.CELER),
        "glmnet": Solver(glmnet_cv, linear.ladder(5, 14), **linear.PYTHON_GLMNET),
        "adelie, folds by weights": Solver(adelie_cv, linear.ladder(5, 14), **linear.ADELIE),
    }


def compare(name: str) -> list[dict]:
    """Compare on one data set."""
    X, _, _ = load(name)
    return compare_solvers("lasso_cv", name, f"{DATA[name]}, {X.shape[0]:,} x {X.shape[1]:,}, {N_FOLDS} folds")
