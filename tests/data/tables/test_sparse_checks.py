"""A broken sparse matrix is refused by everything that reads one, before SciPy follows its indices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import vitalfew as vf
from vitalfew.data.tables.sparse_checks import check_sparse, sparse_rows

FORMS = ("csr", "csc", "bsr", "coo")


def matrix(form):
    return sparse.random_array((12, 5), density=0.5, random_state=np.random.default_rng(0), format="coo").asformat(form)


@pytest.mark.parametrize("form", [*FORMS, "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_whole_matrices_pass(form, kind):
    X = getattr(sparse, f"{form}_{kind}")(matrix(form))
    found = check_sparse(X)
    assert isinstance(found, sparse.sparray) == (kind == "array")
    assert (found.dtype, found.shape) == (X.dtype, X.shape)
    np.testing.assert_array_equal(found.toarray(), X.toarray())
    if form in ("csr", "csc", "coo"):
        assert check_sparse(sparse.coo_array((0, 0)).asformat(form)).shape == (0, 0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint16])
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_positions_are_copied_and_values_are_not(form, dtype):
    X = matrix(form)
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    found = check_sparse(X)
    assert np.shares_memory(found.data, X.data)
    assert not np.shares_memory(found.indices, X.indices)
    assert not np.shares_memory(found.indptr, X.indptr)
    np.testing.assert_array_equal(found.indices, X.indices)


def test_flags_that_lie_are_not_believed():
    X = sparse.csr_array((np.arange(1.0, 5), np.array([2, 0, 0, 0]), np.array([0, 2, 4])), shape=(2, 3))
    X.has_sorted_indices = X.has_canonical_format = True
    assert not check_sparse(X).has_canonical_format
    rows = sparse_rows(X)
    rows.sum_duplicates()
    assert X.data.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(vf.Counts.from_data(X, [0, 1]).table, vf.Counts.from_data(rows, [0, 1]).table)
    np.testing.assert_array_equal(vf.Ridge(1.0).fit(X, [0, 1]).coef_, vf.Ridge(1.0).fit(rows, [0, 1]).coef_)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [-1, 99, 2**31 - 1])
def test_positions_outside_are_refused(form, value):
    X = matrix(form)
    (X.col if form == "coo" else X.indices)[3] = value
    with pytest.raises(ValueError, match=f"sparse X is invalid: an index is out of bounds, {value} of "):
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
    with pytest.raises(ValueError, match=r"sparse X is invalid: .* Rebuild it"):
        check_sparse(X)


def dia(offsets, shape=(12, 5), height=None, dtype=None):
    X = sparse.dia_array((12, 5))
    X.offsets = np.array(offsets, dtype=dtype)
    X.data = np.ones((X.offsets.size if height is None else height, shape[1]))
    return X


@pytest.mark.parametrize(
    "X",
    [
        dia([0, 99]),
        dia([-12]),
        dia([5]),
        dia([-(2**31)]),
        dia([2**31 - 1]),
        dia([2**62]),
        dia([1, 1]),
        dia([0, 1], height=1),
        dia([0], height=3),
        dia([0.5]),
        dia([[0, 1]]),
    ],
    ids=lambda X: str(X.offsets.tolist()),
)
def test_diagonals_outside_are_refused(X):
    with pytest.raises(ValueError, match="sparse X is invalid: "):
        check_sparse(X)
    with pytest.raises(ValueError, match="sparse X is invalid: "):
        vf.Lasso(0.1).fit(X, np.arange(12.0))


def too_long(X):
    X.rows[3].append(2)


def outside(X):
    X.rows[3], X.data[3] = [77], [1.0]


def negative(X):
    X.rows[3], X.data[3] = [-1], [1.0]


def no_number(X):
    X.rows[3], X.data[3] = ["a"], [1.0]


def one_row_less(X):
    X.rows = X.rows[:-1]


@pytest.mark.parametrize("spoil", [too_long, outside, negative, no_number, one_row_less])
def test_broken_lists_are_refused(spoil):
    X = matrix("lil")
    spoil(X)
    with pytest.raises(ValueError, match="sparse X is invalid: "):
        check_sparse(X)


@pytest.mark.parametrize("key", [(12, 0), (-1, 0), (0, 2**40), (2**70, 0), ("a", 0)])
def test_broken_keys_are_refused(key):
    X = matrix("dok")
    X._dict[key] = 1.0
    with pytest.raises(ValueError, match="sparse X is invalid: "):
        check_sparse(X)


def test_indices_of_other_kinds_are_refused():
    X = matrix("csr")
    X.indices = X.indices.astype(float)
    with pytest.raises(
        ValueError, match="sparse X is invalid: indices must be a one-dimensional array of integers, got float64"
    ):
        check_sparse(X)
    X = matrix("csr")
    X.indices = X.indices.astype(np.int64) + 2**40
    with pytest.raises(ValueError, match="sparse X is invalid: an index is out of bounds"):
        check_sparse(X)
    X = matrix("bsr")
    X.data = X.data[:, 0]
    with pytest.raises(ValueError, match="sparse X is invalid: its blocks"):
        check_sparse(X)


USERS = {
    "Counts": vf.Counts.from_data,
    "Moments": vf.Moments.from_data,
    "mutual_information": vf.mutual_information,
    "loo_predict": lambda X, y: vf.loo_predict(vf.NaiveBayes(), X, y),
    "compare": lambda X, y: vf.compare({"a": vf.NaiveBayes(), "b": vf.Stump()}, X, y, cv=2),
    "sealed_split": lambda X, y: vf.sealed_split(X, y),
    "report": vf.report,
    "unlabeled": lambda X, y: vf.SemiSupervisedNaiveBayes().fit(sparse.csr_array(np.eye(12, 5)), y, X_unlabeled=X),
    "words": lambda X, _: vf.WordPresence().fit(["a b c d e ab bc cd de ea"]).inverse_transform(X),
}
MODELS = [
    vf.AdaBoost(2),
    vf.AdaBoost(2, estimator=vf.NaiveBayes()),
    vf.Bagging("stump", 2),
    vf.BestSubsetClassifier(1),
    vf.BestSubsetRegressor(1),
    vf.Blend([("bayes", vf.NaiveBayes()), ("stump", vf.Stump())], cv=2),
    vf.DecisionTree(),
    vf.ForwardFittingClassifier(1),
    vf.ForwardFittingRegressor(1),
    vf.GreedySearch(vf.Ridge(1.0), 1, cv=2),
    vf.GreedySubsetClassifier(1),
    vf.GreedySubsetRegressor(1),
    vf.InformationRanking(1),
    vf.KernelRidge(1.0),
    vf.Lasso(0.01),
    vf.LogisticRegression(0.01),
    vf.NaiveBayes(),
    vf.Ridge(1.0),
    vf.SemiSupervisedNaiveBayes(),
    vf.SemiSupervisedNaiveBayes(events="weights"),
    vf.Stump(),
]
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score")


def broken(form):
    X = matrix(form)
    if form == "dia":
        X.offsets[0] = -(2**31)
    else:
        (X.row if form == "coo" else X.indices)[0] = 10**6
    return X


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("user", USERS)
def test_everybody_looks(user, form):
    with pytest.raises(ValueError, match="sparse X is invalid"):
        USERS[user](broken(form), np.arange(12) % 2)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_method_of_every_model_looks(model):
    y = np.arange(12) % 2
    for form in ("csr", "csc", "coo", "bsr", "dia"):
        with pytest.raises(ValueError, match="sparse X is invalid"):
            clone(model).fit(broken(form), y)
    fitted = clone(model).fit(np.eye(12, 5) * (1 + y[:, None]), y)
    for name in METHODS:
        for form in ("csr", "csc", "coo", "bsr", "dia") if hasattr(fitted, name) else ():
            with pytest.raises(ValueError, match="sparse X is invalid"):
                getattr(fitted, name)(*(broken(form), y)[: 1 + (name == "score")])
