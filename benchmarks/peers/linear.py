"""Peers that compute L1 paths, each with the best settings found for it.

An adapter's `prepare(X, y, alphas)` brings the data into the form that the solver likes best, which is not timed, and
gives `run(tol)`, whose answer has a row of coefficients for each penalty. There is no intercept. X is a Fortran-ordered
array or a CSC matrix; labels of the logistic loss are -1 and 1.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linear_judge import Solver

MANY_ROWS, FEW_COLUMNS = 10_000, 5_000


def ladder(loosest: int, tightest: int) -> tuple[float, ...]:
    """Return tolerances in half decades: 1e-3, 3e-4, 1e-4, ..."""
    halves = (float(f"{lead}e-{digit}") for digit in range(loosest, tightest + 1) for lead in (3, 1))
    return tuple(halves)[1:]


def is_tall(X) -> bool:
    """Return True if the Gram matrix is cheap compared with the data."""
    return X.shape[0] > X.shape[1] and X.shape[1] <= FEW_COLUMNS


def only_tall(X, _y, _alphas) -> str:
    return "" if is_tall(X) and not sparse.issparse(X) else "a Gram matrix pays for dense data with n > d only"


def only_dense(X, _y, _alphas) -> str:
    return "it takes dense data only" if sparse.issparse(X) else ""


def by_rows(X):
    return X.tocsr() if sparse.issparse(X) else np.ascontiguousarray(X)


def sklearn_cd(X, y, alphas):
    """Run coordinate descent on the data."""
    from sklearn.linear_model import lasso_path

    options = {"alphas": alphas, "precompute": False, "max_iter": 100_000, "copy_X": False}
    return lambda tol: lasso_path(X, y, tol=tol, **options)[1].T


def sklearn_gram(X, y, alphas):
    """Run coordinate descent on the Gram matrix, whose computation is timed."""
    from sklearn.linear_model import lasso_path

    options = {"alphas": alphas, "precompute": True, "max_iter": 100_000, "copy_X": False}
    return lambda tol: lasso_path(X, y, tol=tol, **options)[1].T


def sklearn_lars(X, y, alphas):
    """Interpolate between the knots of LARS; on ill-conditioned data the Gram matrix makes it stop early."""
    from sklearn.linear_model import lars_path

    def run(_tol):
        gram = X.T @ X if X.shape[0] > 10 * X.shape[1] else None
        options = {"Gram": gram, "alpha_min": 0.999 * alphas[-1], "max_iter": 100_000, "method": "lasso"}
        knots, _, coef = lars_path(X, y, **options)
        right = np.clip(np.searchsorted(-knots, -alphas), 1, len(knots) - 1)
        step = knots[right - 1] - knots[right]
        share = np.clip((knots[right - 1] - alphas) / np.where(step > 0, step, 1), 0, 1)
        return (coef[:, right - 1] * (1 - share) + coef[:, right] * share).T

    return run


def celer_lasso(X, y, alphas):
    from celer import celer_path

    return lambda tol: celer_path(X, y, "lasso", alphas=alphas, tol=tol, prune=1, max_iter=100)[1].T


def celer_logistic(X, y, alphas):
    """Run prox-Newton; its loss is a sum."""
    from celer import celer_path

    options = {"alphas": alphas * len(y), "prune": 1, "max_iter": 100, "use_PN": True}
    return lambda tol: celer_path(X, y, "logreg", tol=tol, **options)[1].T


def skglm_lasso(X, y, alphas):
    from skglm import Lasso

    return lambda tol: Lasso(fit_intercept=False, tol=tol, max_iter=300).path(X, y, alphas=alphas)[1].T


def skglm_logistic(X, y, alphas):
    """Run prox-Newton with warm starts."""
    from skglm.datafits import Logistic
    from skglm.estimators import GeneralizedLinearEstimator
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    def run(tol):
        solver = ProxNewton(tol=tol, max_iter=300, fit_intercept=False, warm_start=True)
        model = GeneralizedLinearEstimator(Logistic(), L1(alphas[0]), solver)
        return _one_by_one(model, X, y, alphas, lambda alpha: setattr(model.penalty, "alpha", alpha))

    return run


def _one_by_one(model, X, y, alphas, set_penalty):
    """Return the coefficients of a model fitted at one penalty after the other."""
    coef = np.zeros((len(alphas), X.shape[1]))
    for i, alpha in enumerate(alphas):
        set_penalty(alpha)
        coef[i] = np.ravel(model.fit(X, y).coef_)
    return coef


def adelie_threads(X) -> int:
    """Return the threads for adelie, for which a second one pays off only with long dense columns."""
    return 2 if X.shape[0] >= MANY_ROWS and not sparse.issparse(X) else 1


def adelie_matrix(X):
    from adelie import matrix

    make = matrix.sparse if sparse.issparse(X) else matrix.dense
    return make(X, method="naive", n_threads=adelie_threads(X))


def adelie_lasso(X, y, alphas):
    import adelie

    A, glm = adelie_matrix(X), adelie.glm.gaussian(y, dtype=np.float64)
    options = {"lmda_path": alphas, "intercept": False, "early_exit": False, "progress_bar": False}
    return lambda tol: adelie.grpnet(A, glm, tol=tol, n_threads=adelie_threads(X), **options).betas


def adelie_gram(X, y, alphas):
    """Run adelie on the Gram matrix, whose computation is timed."""
    import adelie

    options = {"lmda_path": alphas, "early_exit": False, "progress_bar": False, "n_threads": 2}

    def run(tol):
        gram = np.asfortranarray(X.T @ X / len(y))
        return adelie.gaussian_cov(gram, X.T @ y / len(y), tol=tol, **options).betas

    return run


def adelie_logistic(X, y, alphas):
    import adelie

    A, glm = adelie_matrix(X), adelie.glm.binomial((y > 0).astype(float), dtype=np.float64)
    options = {"lmda_path": alphas, "intercept": False, "early_exit": False, "progress_bar": False}
    return lambda tol: adelie.grpnet(A, glm, tol=tol, irls_tol=tol, n_threads=adelie_threads(X), **options).betas


GLMNET = {"alpha": 1, "standardize": False, "fit_intercept": False, "n_splits": 0, "max_iter": 10_000_000}


def glmnet_lasso(X, y, alphas):
    from glmnet import ElasticNet

    return lambda tol: ElasticNet(lambda_path=alphas, tol=tol, **GLMNET).fit(X, y).coef_path_.T


def glmnet_logistic(X, y, alphas):
    from glmnet import LogitNet

    def run(tol):
        model = LogitNet(lambda_path=alphas, tol=tol, **GLMNET).fit(X, y)
        return np.asarray(model.coef_path_).reshape(X.shape[1], -1).T

    return run


def snapml_lasso(X, y, alphas):
    """Run snapml, whose loss is half the sum of squares, without warm starts."""
    from snapml import LinearRegression

    X = by_rows(X)

    def run(tol):
        model = LinearRegression(penalty="l1", dual=False, tol=tol, max_iter=2000, n_jobs=1)
        return _one_by_one(model, X, y, alphas, lambda alpha: setattr(model, "regularizer", len(y) * alpha))

    return run


def snapml_logistic(X, y, alphas):
    """Run snapml, whose loss is a sum, without warm starts; a second thread makes it slower."""
    from snapml import LogisticRegression

    X = by_rows(X)

    def run(tol):
        model = LogisticRegression(penalty="l1", dual=False, tol=tol, max_iter=2000, n_jobs=1)
        return _one_by_one(model, X, y, alphas, lambda alpha: setattr(model, "regularizer", len(y) * alpha))

    return run


def sklearn_logistic(solver: str):
    """Return a runner of scikit-learn's solver: `liblinear` has no warm starts, `saga` has."""

    def prepare(X, y, alphas):
        from sklearn.linear_model import LogisticRegression

        X = by_rows(X)
        options = {"l1_ratio": 1, "fit_intercept": False, "max_iter": 10_000, "random_state": 0}

        def run(tol):
            model = LogisticRegression(solver=solver, tol=tol, warm_start=solver == "saga", **options)
            return _one_by_one(model, X, y, alphas, lambda alpha: setattr(model, "C", 1 / (alpha * len(y))))

        return run

    return prepare


def liblinear_logistic(X, y, alphas):
    """Run the current LIBLINEAR through its own interface, without warm starts."""
    from liblinear.liblinearutil import parameter, problem, train

    data = problem(y, sparse.csr_matrix(X))

    def run(tol):
        models = (train(data, parameter(f"-s 6 -q -c {1 / (alpha * len(y)):.17g} -e {tol:g}")) for alpha in alphas)
        return np.array([model.get_decfun()[0] for model in models])

    return run


SKLEARN = {"module": "sklearn"}
CELER = {"module": "celer", "package": "celer"}
SKGLM = {"module": "skglm", "package": "skglm", "compile_s": 30.0}
ADELIE = {"module": "adelie", "package": "adelie"}
PYTHON_GLMNET = {"module": "glmnet", "package": "python-glmnet"}
LIBLINEAR = {"module": "liblinear", "package": "liblinear-official"}
SNAPML = {"module": "snapml", "package": "snapml"}

LASSO = {
    "adelie": Solver(adelie_lasso, ladder(6, 15), **ADELIE),
    "adelie, Gram": Solver(adelie_gram, ladder(6, 15), unfit=only_tall, **ADELIE),
    "glmnet": Solver(glmnet_lasso, ladder(6, 15), **PYTHON_GLMNET),
    "celer": Solver(celer_lasso, ladder(3, 9), **CELER),
    "skglm": Solver(skglm_lasso, ladder(4, 8), 1e-8, **SKGLM),
    "lasso_path": Solver(sklearn_cd, ladder(3, 8), **SKLEARN),
    "lasso_path, Gram": Solver(sklearn_gram, ladder(3, 8), unfit=only_tall, **SKLEARN),
    "lars_path": Solver(sklearn_lars, (0.0,), 0.0, unfit=only_dense, **SKLEARN),
    "snapml": Solver(snapml_lasso, ladder(3, 8), **SNAPML),
}

LOGISTIC = {
    "adelie": Solver(adelie_logistic, ladder(5, 13), **ADELIE),
    "glmnet": Solver(glmnet_logistic, ladder(5, 13), **PYTHON_GLMNET),
    "celer": Solver(celer_logistic, ladder(2, 8), **CELER),
    "skglm": Solver(skglm_logistic, ladder(3, 7), 1e-8, **SKGLM),
    "liblinear": Solver(liblinear_logistic, ladder(1, 6), **LIBLINEAR),
    "LogisticRegression, liblinear": Solver(sklearn_logistic("liblinear"), ladder(2, 6), **SKLEARN),
    "LogisticRegression, saga": Solver(sklearn_logistic("saga"), ladder(2, 6), **SKLEARN),
    "snapml": Solver(snapml_logistic, ladder(2, 6), **SNAPML),
}
