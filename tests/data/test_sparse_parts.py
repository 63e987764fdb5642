"""A broken sparse matrix is refused by everything that reads one, before SciPy follows its indices."""

import numpy as np
import pytest
from scipy import sparse

from vitalfew import (
    AdaBoost,
    Bagging,
    Counts,
    Lasso,
    Moments,
    NaiveBayes,
    SemiSupervisedNaiveBayes,
    loo_predict,
    report,
)
from vitalfew.data.sparse_parts import check_sparse

FORMS = ("csr", "csc", "bsr", "coo")


def matrix(form):
    return sparse.random_array((12, 5), density=0.5, random_state=np.random.default_rng(0), format="coo").asformat(form)


@pytest.mark.parametrize("form", [*FORMS, "dia", "lil", "dok"])
def test_whole_matrices_pass(form):
    check_sparse(matrix(form))
    check_sparse(sparse.coo_array((0, 0)).asformat(form) if form in ("csr", "csc", "coo") else matrix(form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [-1, 99, 2**31 - 1])
def test_positions_outside_are_refused(form, value):
    X = matrix(form)
    (X.col if form == "coo" else X.indices)[3] = value
    with pytest.raises(ValueError, match=f"sparse X is broken: an index is out of bounds, {value} of "):
        check_sparse(X)


def falls(X):
    X.indptr[2] = 99


def is_short(X):
    X.indptr = X.indptr[:-1]


def ends_late(X):
    X.indptr[-1] += 5


def lacks_indices(X):
    X.indices = X.indices[:-2]


def starts_late(X):
    X.indptr[0] = 1


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("spoil", [falls, is_short, ends_late, lacks_indices, starts_late])
def test_pointers_that_lead_astray_are_refused(form, spoil):
    X = matrix(form)
    spoil(X)
    with pytest.raises(ValueError, match=r"sparse X is broken: .* Make it again"):
        check_sparse(X)


USERS = {
    "Lasso": lambda X, y: Lasso(0.1).fit(X, y),
    "NaiveBayes": lambda X, y: NaiveBayes().fit(X, y),
    "SemiSupervisedNaiveBayes": lambda X, y: SemiSupervisedNaiveBayes().fit(X, y),
    "AdaBoost": lambda X, y: AdaBoost(3).fit(X, y),
    "predict": lambda X, y: AdaBoost(3).fit(np.eye(12, 5), y).predict(X),
    "Bagging": lambda X, y: Bagging("stump", 2).fit(X, y),
    "Counts": Counts.from_data,
    "Moments": Moments.from_data,
    "loo_predict": lambda X, y: loo_predict(NaiveBayes(), X, y),
    "report": report,
}


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_everybody_looks(user, form):
    X = matrix(form)
    (X.row if form == "coo" else X.indices)[0] = 10**6
    with pytest.raises(ValueError, match="sparse X is broken"):
        USERS[user](X, np.arange(12) % 2)
