"""The choice among out-of-fold predictions, its honest error and its blend, against slow twins."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from vitalfew.answers.choice import N_DRAWS, Choice
from vitalfew.answers.learners import Learner
from vitalfew.answers.out_of_fold_table import OutOfFoldTable, Problem
from vitalfew.answers.recipes import Candidate, Task


def table_of(target, predictions, sizes, n_classes) -> OutOfFoldTable:
    """Return a table of given predictions, each of a learner of its own."""
    models = (Ridge() if n_classes == 0 else LogisticRegression(),)
    tasks = [Task("some", Learner(f"model {i}", "linear", models), k) for i, k in enumerate(sizes)]
    found = {Candidate(task, 0): p.astype(np.float32) for task, p in zip(tasks, predictions)}
    problem = Problem(None, target, n_classes)
    return OutOfFoldTable(problem, np.arange(len(target)), found, dict.fromkeys(tasks, 0.01), {})


def numbers(n=60, seed=0, noise=(2.0, 1.0, 0.6, 0.55, 0.5), sizes=(1, 2, 3, 5, 8)):
    rng = np.random.default_rng(seed)
    target = 2 * rng.normal(size=n)
    return table_of(target, [target + s * rng.normal(size=n) for s in noise], sizes, 0)


def classes(n=60, seed=0, n_classes=3, sizes=(1, 1, 2, 3, 5)):
    rng = np.random.default_rng(seed)
    target = rng.integers(0, n_classes, n)
    found = []
    for strength in np.linspace(0.2, 2, len(sizes)):
        score = rng.normal(size=(n, n_classes)) + strength * np.eye(n_classes)[target]
        found.append(score - np.log(np.exp(score).sum(axis=1, keepdims=True)))
    return table_of(target, found, sizes, n_classes)


def few_in_words(loss, sizes, price):
    """The smallest size whose best candidate is within the price of the best of all."""
    means = loss.mean(axis=0)
    best = min(range(len(sizes)), key=lambda i: (means[i], i))
    for k in sorted(set(sizes)):
        own = min((i for i in range(len(sizes)) if sizes[i] == k), key=lambda i: (means[i], i))
        difference = loss[:, own] - loss[:, best]
        accepted = np.std(difference) / np.sqrt(len(loss)) if price is None else price
        if difference.mean() <= accepted:
            return own
    return best


@pytest.mark.parametrize("price", [None, 0.0, 0.01, 0.3, 100.0])
@pytest.mark.parametrize("make", [numbers, classes])
def test_few_is_the_smallest_size_within_the_price(make, price):
    for seed in range(10):
        choice = Choice(make(seed=seed), price)
        sizes = choice.sizes.tolist()
        assert choice.few == few_in_words(choice.table.loss, sizes, price)
        assert sizes[choice.few] <= sizes[choice.best_single]
    if price == 0.0:
        assert choice.few == choice.best_single
    if price == 100.0:
        assert sizes[choice.few] == min(sizes)


def test_a_row_of_weight_two_is_two_rows():
    choice = Choice(numbers(seed=3))
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    twice = np.repeat(choice.table.loss, weight.astype(int), axis=0)
    sizes = choice.sizes.tolist()
    means = twice.mean(axis=0)
    best = int(means.argmin())
    expected = next(
        i
        for i in range(5)  # one candidate of each size; the rule divides by the number of rows of the table
        if (twice[:, i] - twice[:, best]).mean() <= (twice[:, i] - twice[:, best]).std() / np.sqrt(60)
    )
    assert sizes == [1, 2, 3, 5, 8]
    assert choice._few_of(weight) == expected


@pytest.mark.parametrize("make", [numbers, classes])
def test_error_by_bootstrap_is_that_of_a_plain_loop(make):
    table = make()
    choice = Choice(table)
    rng = np.random.default_rng([0, 1])
    each = []
    for _ in range(N_DRAWS):
        rows = rng.integers(0, 60, 60)
        out = np.setdiff1d(np.arange(60), rows)
        loss = table.loss[rows]
        best = int(loss.mean(axis=0).argmin())
        own = best
        for k in np.unique(choice.sizes):
            at = [i for i in range(5) if choice.sizes[i] == k]
            i = min(at, key=lambda i: loss[:, i].mean())
            more = loss[:, i] - loss[:, best]
            if more.mean() <= more.std() / np.sqrt(60):
                own = i
                break
        wrong = table.error[out, own]
        each.append(wrong.mean())
    mean = np.mean(each)
    low, high = np.quantile(each, [0.025, 0.975])
    shown = np.sqrt if make is numbers else float
    found = choice.few_error
    assert [found.error, found.low, found.high] == pytest.approx([shown(mean), shown(low), shown(high)])


def test_the_error_of_the_choice_is_above_the_least_error_on_noise():
    """Of many useless models the best looks good. Most of that is corrected, and the interval contains the truth."""
    rng = np.random.default_rng(0)
    least, corrected, covered = [], [], []
    for _ in range(10):
        target = rng.permutation(np.repeat([0, 1], 40))
        found = [np.log(rng.dirichlet([1, 1], 80)) for _ in range(60)]
        choice = Choice(table_of(target, found, [1 + i % 8 for i in range(60)], 2))
        least.append(choice.table.error.mean(axis=0).min())
        corrected.append(choice.few_error.error)
        covered.append(choice.few_error.low < 0.5 < choice.few_error.high)
    assert np.mean(least) < 0.4
    assert np.mean(corrected) > 0.5 - 0.4 * (0.5 - np.mean(least))
    assert sum(covered) >= 9


@pytest.mark.parametrize("make", [numbers, classes])
def test_weights_of_the_blend(make):
    for seed in range(5):
        choice = Choice(make(seed=seed))
        weights = np.array(list(choice.blend.values()))
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0.03).all()
        rows = np.arange(60)
        blended = choice.blended(choice.blend, rows)
        if make is classes:
            np.testing.assert_allclose(blended.sum(axis=1), 1)
            loss = -np.log(blended[rows, choice.table.target])
        else:
            loss = (blended - choice.table.target) ** 2
        # Small weights are dropped, which costs little.
        assert loss.mean() <= choice.table.loss.mean(axis=0).min() * 1.02
        assert choice.blend_error.low <= choice.blend_error.error <= choice.blend_error.high


def halves_in_words(choice, n):
    """The mean loss of the blend and of the best candidate, each chosen on one half and scored on the other."""
    rng = np.random.default_rng([choice.seed, 2])
    loss = choice.table.loss
    blend, single = [], []
    for _ in range(4):
        order = rng.permutation(n)
        for own, other in ((order[: n // 2], order[n // 2 :]), (order[n // 2 :], order[: n // 2])):
            found = choice.blended(choice._blend_on(own), other)
            target = choice.table.target[other]
            blend.append((found - target) ** 2 if found.ndim == 1 else -np.log(found[range(len(other)), target]))
            single.append(loss[other, loss[own].mean(axis=0).argmin()])
    return np.concatenate(blend).mean(), np.concatenate(single).mean()


@pytest.mark.parametrize("make", [numbers, classes])
def test_the_best_model_is_a_blend_only_if_that_helps_on_other_rows(make):
    used, discarded = [], []
    for seed in range(12):
        weak = {"noise": (2.5, 2.5, 2.5, 2.5, 0.5)} if make is numbers and seed % 2 else {}
        choice = Choice(make(n=24, seed=seed, **weak))
        blend, single = halves_in_words(choice, n=24)
        is_blend = len(choice.best) > 1
        assert is_blend == (len(choice.blend) > 1 and blend < single)
        assert choice.best == (choice.blend if is_blend else {choice.best_single: 1.0})
        used.append(is_blend)
        if is_blend:
            assert choice.best_error == choice.blend_error
        else:
            assert choice.best_error == (choice.few_error if choice.few in choice.best else choice.single_error)
        discarded.append(len(choice.blend) > 1 and not is_blend)
    assert any(used)
    assert make is classes or any(discarded)


def test_one_model_has_one_error():
    choice = Choice(numbers(noise=(3.0, 0.1), sizes=(1, 2)))
    assert choice.best == {choice.few: 1.0}
    assert choice.best_error == choice.few_error


def test_frontier_holds_the_best_of_each_size():
    choice = Choice(classes())
    loss = choice.table.loss.mean(axis=0)
    assert [p.size for p in choice.frontier] == [1, 2, 3, 5]
    for point in choice.frontier:
        own = [loss[i] for i in range(5) if choice.sizes[i] == point.size]
        assert point.loss == min(own) == loss[point.candidate]
        assert point.error == choice.table.error[:, point.candidate].mean()
    assert choice.few in [p.candidate for p in choice.frontier]


def test_one_candidate_and_two_rows_are_enough():
    for table in (numbers(n=2, noise=(1.0,), sizes=(3,)), classes(n=2, n_classes=2, sizes=(3,))):
        choice = Choice(table)
        assert choice.few == choice.best_single == 0
        assert choice.blend == {0: 1.0}
        assert np.isfinite([choice.few_error.error, choice.blend_error.error]).all()


def test_the_rule_is_said():
    assert "within one standard error" in Choice(numbers()).price_said
    assert "at most 0.01 above" in Choice(classes(), 0.01).price_said
