"""Which model is taken: errors are honest, EM is taken unless labeled documents speak against it."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.preprocessing import normalize

from vitalfew.families.bayes.mixture import WeightRows
from vitalfew.labeling.candidates import (
    CANDIDATES,
    CountedRows,
    LabeledDocuments,
    LinearModel,
    Others,
    PresenceBayes,
    RidgeLogistic,
)
from vitalfew.labeling.choice import MOST_TRIED, choose


def make(n=120, seed=0, strength=1.0, n_classes=3):
    rng = np.random.default_rng(seed)
    code = rng.integers(0, n_classes, n).astype(np.int32)
    code[:n_classes] = np.arange(n_classes)
    rate = np.full((n_classes, 60), 0.1)
    for c in range(n_classes):
        rate[c, 10 * c : 10 * c + 10] += 0.3 * strength
    presence = sparse.csr_matrix((rng.random((n, 60)) < rate[code]).astype(float))
    return LabeledDocuments(presence, normalize(presence), code, n_classes)


def others_of(n=300, seed=1):
    rows = make(n, seed)
    return Others(CountedRows(np.bincount(rows.presence.indices, minlength=60), n), WeightRows(rows.weighted))


@dataclass(frozen=True)
class Guess:
    """Wrong in a given share of the documents, by what their first word says."""

    name: str
    share: float
    grid: tuple = (1.0,)

    def models(self, labeled, others, grid):
        for _ in grid:
            yield _Told(self.share)


class _Told:
    def __init__(self, share):
        self.share = share

    def predict(self, rows):
        return (rows.code + (np.asarray(rows.presence[:, 0].todense()).ravel() < self.share)) % rows.n_classes


def told(n, seed=0):
    """Documents whose first word has a weight that is uniform: what a `Guess` goes by."""
    rng = np.random.default_rng(seed)
    X = sparse.csr_matrix(rng.random((n, 1)))
    return LabeledDocuments(X, X, (np.arange(n) % 3).astype(np.int32), 3)


@pytest.mark.parametrize(("em", "taken"), [(0.20, "em"), (0.30, "em"), (0.31, "em"), (0.6, "other")])
def test_em_unless_it_is_worse_by_more_than_noise(em, taken):
    """A difference of one document in a hundred is one standard error."""
    data = told(100)
    choice = choose([Guess("other", 0.30), Guess("em", em)], data, others_of(), 0, False)
    assert choice.candidate.name == taken
    wrong = (data.presence.toarray()[:, 0] < em).mean()
    assert choice.scores[1].error == pytest.approx(wrong)
    assert choice.scores[1].standard_error == pytest.approx(np.sqrt(wrong * (1 - wrong) / 99))


def test_errors_are_those_of_held_out_documents():
    """Labels that mean nothing are guessed no better than by chance, whatever the model fits."""
    rng = np.random.default_rng(0)
    data = make(240)
    noise = LabeledDocuments(data.presence, data.weighted, rng.permutation(data.code), 3)
    choice = choose([c() for c in CANDIDATES], noise, others_of(), 0, False)
    for score in choice.scores:
        assert abs(score.error - 2 / 3) < 4 * score.standard_error
    good = choose([c() for c in CANDIDATES], data, others_of(), 0, False)
    assert all(score.error < 0.35 for score in good.scores)
    assert good.n_tried == 240


def test_the_error_foretells_that_of_new_documents():
    data, new = make(200, strength=0.6), make(3000, seed=5, strength=0.6)
    choice = choose([c() for c in CANDIDATES], data, others_of(), 0, False)
    model = next(choice.candidate.models(data, others_of(), [choice.knob]))
    score = next(s for s in choice.scores if s.name == choice.candidate.name)
    assert abs((model.predict(new) != new.code).mean() - score.error) < 3 * score.standard_error


def test_nothing_can_be_held_out():
    data = make(3)
    choice = choose([c() for c in CANDIDATES], data, others_of(), 0, False)
    assert choice.candidate.name == "em"
    assert choice.scores == ()


def test_a_class_with_one_document():
    data = make(60, n_classes=3)
    code = np.where(np.arange(60) == 2, 2, data.code % 2).astype(np.int32)
    rare = LabeledDocuments(data.presence, data.weighted, code, 3)
    choice = choose([c() for c in CANDIDATES], rare, others_of(), 0, False)
    assert choice.n_tried == 59


def test_many_labeled_documents_are_sampled():
    data = make(MOST_TRIED + 700)
    choice = choose([CANDIDATES[2]()], data, others_of(), 0, False)
    assert abs(choice.n_tried - MOST_TRIED) < 5


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ridge_in_the_span_of_the_rows_is_ridge(n_classes):
    """The same as scikit-learn's, of which C is one over the penalty of the sum."""
    data = make(40, n_classes=n_classes)
    for penalty, model in zip((0.5, 5.0), RidgeLogistic().models(data, others_of(), (0.5, 5.0))):
        peer = Peer(C=1 / penalty, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(data.weighted, data.code)
        new = make(50, seed=3, n_classes=n_classes)
        score = np.asarray(new.weighted @ model.table)
        share = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(share, peer.predict_proba(new.weighted), atol=2e-3)


def test_classes_that_a_fold_lacks_are_never_chosen():
    data = make(30, n_classes=3)
    part = data.take(np.flatnonzero(data.code != 1))
    for candidate in CANDIDATES:
        model = next(candidate().models(part, others_of(), candidate.grid[:1]))
        assert isinstance(model, LinearModel)
        assert model.table.shape == (60, 3)
        assert set(model.predict(data)) <= {0, 2}


def test_prior_worth_occurrences_is_the_formula():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix((rng.random((30, 8)) < 0.3).astype(float))
    code = np.repeat([0, 1, 2], 10).astype(np.int32)
    labeled = LabeledDocuments(X, X, code, 3)
    others = Others(CountedRows(np.arange(8), 50))
    (found,) = PresenceBayes().models(labeled, others, [2.0])
    p = (np.asarray(X.sum(axis=0)).ravel() + np.arange(8)) / 80
    for c in range(3):
        theta = (np.asarray(X[code == c].sum(axis=0)).ravel() + 2.0) / (10 + 2.0 / p)
        np.testing.assert_allclose(found.table[:, c], np.log(theta / (1 - theta)))
        np.testing.assert_allclose(found.base[c], np.log(1 - theta).sum() + np.log(1 / 3))


def test_rare_words_call_for_a_prior_of_occurrences():
    """Many rare words carry little information each, but the default prior trusts every one of them."""
    rng = np.random.default_rng(0)
    n, d = 400, 20_000
    code = rng.integers(0, 2, 2 * n).astype(np.int32)
    chance = np.where(np.arange(d) % 2 == code[:, None], 0.0012, 0.0008)
    X = sparse.csr_matrix((rng.random((2 * n, d)) < chance).astype(float))
    parts = [LabeledDocuments(X[rows], X[rows], code[rows], 2) for rows in (slice(n), slice(n, None))]
    others = Others(CountedRows(np.asarray(X[n:].sum(axis=0)).ravel().astype(np.int64), n))
    usual, occurrences = (m.predict(parts[1]) for m in PresenceBayes().models(parts[0], others, [0.0, 1.0]))
    assert (occurrences == code[n:]).mean() > (usual == code[n:]).mean() + 0.02
