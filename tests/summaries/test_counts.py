"""`Counts` against a loop over the rows, and the algebra of parts and totals."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import oracles
from strategies import ALL_WEIGHTS, binary_problems, kary_problems, partitions, problems
from vitalfew import Counts

HOSTILE = ["<script>alert(1)</script>", 'it\'s "quoted"', "x; DROP TABLE users; --", "ü\n{j}"]


def count(problem, rows=slice(None), **options):
    weight = None if problem.weight is None else problem.weight[rows]
    return Counts.from_data(problem.X[rows], problem.y[rows], sample_weight=weight, **options)


def assert_same(a, b, rtol=1e-12):
    assert a.classes.tolist() == b.classes.tolist()
    assert list(a.names) == list(b.names)
    assert a.codings == b.codings
    np.testing.assert_array_equal(a.offsets, b.offsets)
    np.testing.assert_allclose(a.table, b.table, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(a.class_count, b.class_count, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(a.unlabeled, b.unlabeled, rtol=rtol, atol=1e-12)
    assert a.n_unlabeled == pytest.approx(b.n_unlabeled)


def expected_table(problem):
    tables = oracles.count(problem.X, problem.label, problem.n_values, len(problem.classes), problem.weight)
    return np.concatenate(tables)


@given(problems(weight=ALL_WEIGHTS))
def test_dense_counts_are_those_of_the_loop(problem):
    counts = count(problem)
    np.testing.assert_allclose(counts.table, expected_table(problem), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(counts.n_values, problem.n_values)
    assert counts.classes.tolist() == problem.classes.tolist()
    expected = oracles.class_count(problem.label, len(problem.classes), problem.weight)
    np.testing.assert_allclose(counts.class_count, expected)
    assert counts.n == pytest.approx(expected.sum())


@given(binary_problems(weight=ALL_WEIGHTS))
def test_sparse_counts_are_those_of_the_loop(problem):
    counts = Counts.from_data(problem.csr, problem.y, sample_weight=problem.weight)
    np.testing.assert_allclose(counts.table, expected_table(problem), rtol=1e-12, atol=1e-12)
    assert counts.codings is None
    assert not counts.has_missing.any()


@given(kary_problems())
def test_missing_values_are_in_no_line(problem):
    counts = count(problem)
    known = [[(~np.isnan(x[problem.y == c])).sum() for c in problem.classes] for x in problem.X.T]
    np.testing.assert_array_equal(counts.observed, known)
    np.testing.assert_array_equal(counts.has_missing, np.isnan(problem.X).any(axis=0))


@given(st.data(), problems(weight=ALL_WEIGHTS))
def test_any_split_merged_is_one_pass(data, problem):
    parts = [count(problem, rows) for rows in data.draw(partitions(len(problem.y)))]
    assert_same(sum(parts), count(problem))


@given(st.data(), binary_problems())
def test_any_sparse_split_merged_is_one_pass(data, problem):
    parts = data.draw(partitions(len(problem.y)))
    merged = sum(Counts.from_data(problem.csr[rows], problem.y[rows]) for rows in parts)
    assert_same(merged, Counts.from_data(problem.csr, problem.y))


@given(st.data(), kary_problems())
def test_splits_of_strings_merge(data, problem):
    texts = np.where(np.isnan(problem.X), None, problem.X.astype(str).astype(object))
    parts = [Counts.from_data(texts[rows], problem.y[rows]) for rows in data.draw(partitions(len(problem.y)))]
    assert_same(sum(parts), Counts.from_data(texts, problem.y))


@pytest.mark.parametrize("spread", [(3, 40), (0, 300), (-1, 2)])
def test_merging_does_not_invent_values(spread):
    X, y = np.array([spread]).T, [0, 0]
    assert_same(Counts.from_data(X[:1], y[:1]) + Counts.from_data(X[1:], y[1:]), Counts.from_data(X, y))


def test_a_column_missing_throughout_a_part_merges():
    frame, y = pd.DataFrame({"a": ["u", None, None], "b": [0, 1, 2]}), [0, 1, 1]
    merged = Counts.from_data(frame[:1], y[:1]) + Counts.from_data(frame[1:], y[1:])
    assert_same(merged, Counts.from_data(frame, y))


@given(st.data(), problems(weight=(None, "integer")))
def test_what_was_added_can_be_taken_out(data, problem):
    parts = data.draw(partitions(len(problem.y), 2))
    total, part = count(problem), count(problem, parts[0])
    rest = total - part
    np.testing.assert_array_equal((rest + part).table, total.table)
    np.testing.assert_array_equal((total + part - part).table, total.table)
    np.testing.assert_array_equal((total - total).table, 0)


@given(problems(weight=("integer",)))
def test_weights_are_repeated_rows(problem):
    rows = np.repeat(np.arange(len(problem.y)), problem.weight.astype(int))
    repeated = Counts.from_data(problem.X[rows], problem.y[rows])
    assert_same(count(problem), repeated)


@given(st.data(), problems(weight=(None, "integer")))
def test_order_of_rows_does_not_matter(data, problem):
    rows = np.array(data.draw(st.permutations(range(len(problem.y)))))
    assert_same(count(problem, rows), count(problem))


@given(st.data(), problems())
def test_order_of_columns_is_that_of_the_table(data, problem):
    order = np.array(data.draw(st.permutations(range(problem.X.shape[1]))))
    counts, moved = count(problem), Counts.from_data(problem.X[:, order], problem.y)
    for place, j in enumerate(order):
        mine = moved.table[moved.offsets[place] : moved.offsets[place + 1]]
        np.testing.assert_array_equal(mine, counts.table[counts.offsets[j] : counts.offsets[j + 1]])


@pytest.mark.parametrize("weighting", [None, "fractional"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "fortran"])
def test_threads_do_not_change_a_bit(kind, weighting):
    rng = np.random.default_rng(0)
    X, y = (rng.random((20_000, 12)) < 0.3).astype(np.uint8), rng.integers(0, 3, 20_000)
    weight = None if weighting is None else rng.random(20_000)
    X = {"dense": X, "fortran": np.asfortranarray(X), "sparse": sparse.csr_array(X)}[kind]
    one, two = (Counts.from_data(X, y, sample_weight=weight, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.table, two.table)


def test_a_full_sparse_column_with_fractional_weights_is_never_absent():
    rng = np.random.default_rng(0)
    X, y, weight = sparse.csr_array(np.ones((30_000, 8))), rng.integers(0, 2, 30_000), rng.random(30_000)
    counts = Counts.from_data(X, y, sample_weight=weight)
    np.testing.assert_array_equal(counts.table[0::2], 0)


def test_unlabeled_rows_are_counted_apart():
    X, y = np.array([[0, 1], [1, 2]]), ["a", "b"]
    counts = Counts.from_data(X, y, X_unlabeled=np.array([[1, 2], [1, 0], [np.nan, 9]]))
    np.testing.assert_array_equal(counts.unlabeled, [0, 2, 1, 0, 1])
    assert counts.n_unlabeled == 3
    np.testing.assert_array_equal(counts.table, Counts.from_data(X, y).table)
    doubled = counts + counts
    np.testing.assert_array_equal(doubled.unlabeled, [0, 4, 2, 0, 2])
    assert doubled.n_unlabeled == 6


def hostile_counts():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["'", '"', "</script>", "ü"], (12, 4)), columns=HOSTILE)
    frame[HOSTILE[1]] = rng.normal(size=12)
    frame[HOSTILE[2]] = rng.integers(0, 3, 12)
    return Counts.from_data(frame, rng.choice(HOSTILE[:2], 12), X_unlabeled=frame[:5])


@given(problems(weight=ALL_WEIGHTS))
def test_json_round_trip(problem):
    counts = count(problem)
    assert_same(Counts.from_json(counts.to_json()), counts, rtol=0)


@given(problems(weight=ALL_WEIGHTS))
def test_arrow_round_trip(problem):
    counts = count(problem)
    assert_same(Counts.from_arrow(counts.to_arrow()), counts, rtol=0)


def test_sparse_round_trips():
    counts = Counts.from_data(sparse.eye_array(3, format="csr"), [True, False, True])
    assert_same(Counts.from_json(counts.to_json()), counts)
    assert_same(Counts.from_arrow(counts.to_arrow()), counts)


def test_hostile_names_survive():
    counts = hostile_counts()
    assert counts.names == HOSTILE
    assert_same(Counts.from_json(counts.to_json()), counts)
    assert_same(Counts.from_arrow(counts.to_arrow()), counts)


def test_counts_read_back_still_merge():
    counts = hostile_counts()
    again = Counts.from_json(counts.to_json())
    np.testing.assert_array_equal((again + counts).table, 2 * counts.table)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_truncated_json_is_refused(share):
    text = hostile_counts().to_json()
    with pytest.raises(ValueError, match=r"invalid or truncated"):
        Counts.from_json(text[: int(share * len(text))])


@pytest.mark.parametrize(
    "key", ["schema", "names", "classes", "codings", "offsets", "class_count", "table", "unlabeled"]
)
def test_incomplete_json_is_refused(key):
    document = json.loads(hostile_counts().to_json())
    del document[key]
    with pytest.raises(ValueError, match="expected a JSON document of counts"):
        Counts.from_json(json.dumps(document))


@pytest.mark.parametrize("key", ["names", "classes", "codings", "offsets", "class_count", "table", "unlabeled"])
def test_inconsistent_json_is_refused(key):
    document = json.loads(hostile_counts().to_json())
    document[key] = document[key][:-1]
    with pytest.raises(ValueError, match=r"inconsistent|reshape|document of counts"):
        Counts.from_json(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["[]", "3", "null", '{"schema": "other/1"}', '{"schema": "vitalfew.counts/1", "codings": [1]}']
)
def test_other_json_is_refused(text):
    with pytest.raises(ValueError, match=r"document|schema"):
        Counts.from_json(text)


def test_other_arrow_tables_are_refused():
    with pytest.raises(ValueError, match="does not contain counts"):
        Counts.from_arrow(hostile_counts().to_arrow().replace_schema_metadata(None))


def test_subtracting_what_is_no_part():
    X, y = np.array([[0], [1], [1]]), [0, 1, 1]
    total = Counts.from_data(X, y)
    with pytest.raises(ValueError, match="not part of the total"):
        Counts.from_data(X[:1], y[:1]) + Counts.from_data(X[1:], y[1:]) - (total + total)
    with pytest.raises(ValueError, match="not part of the total"):
        total - Counts.from_data([[2]], [0])
    with pytest.raises(ValueError, match="not part of the total"):
        total - Counts.from_data([[0]], [5])
    with pytest.raises(ValueError, match="classes or values that the total does not have"):
        total.without(Counts.from_data([[2]], [0]))


def test_subtracting_a_part_that_has_values_without_rows():
    one, other = Counts.from_data([["u"], [None]], [0, 0]), Counts.from_data([["v"]], [1])
    part = one + other - other  # keeps the value "v" and the class 1, with no rows
    rest = Counts.from_data([["u"], ["u"], [None]], [0, 0, 0]) - part
    assert rest.n == 1
    assert rest.table.sum() == 1


def test_adding_a_part_with_more_values_but_no_rows():
    """Nothing is left of the codes 0 to 4 of a column whose rows were taken out, but room for them."""
    few, many = (Counts.from_data(pd.DataFrame({"a": values}), ["no", "yes"]) for values in ([0.0, 1.0], [4.0, np.nan]))
    empty = many.without(many)
    for total in (few + empty, empty + few):
        np.testing.assert_array_equal(total.table[:2], few.table)
        assert total.table.sum() == few.n


def test_subtracting_another_category():
    total, other = Counts.from_data([["b"], ["b"]], [0, 0]), Counts.from_data([["a"]], [0])
    with pytest.raises(ValueError, match="cannot subtract"):
        total - other


def test_subtracting_other_unlabeled_rows():
    X, y = np.array([[0], [1]]), [0, 1]
    with pytest.raises(ValueError, match="not part of the total"):
        Counts.from_data(X, y) - Counts.from_data(X, y, X_unlabeled=X)


def test_different_cuts_do_not_add():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 1)), np.repeat([0, 1], 100)
    X[100:] += 3
    a, b = (
        Counts.from_data(pd.DataFrame(X[rows], columns=["height"]), y[rows])
        for rows in (slice(0, None, 2), slice(1, None, 2))
    )
    with pytest.raises(ValueError, match=r"'height' was cut into different intervals.*Discretizer"):
        a + b


def test_what_does_not_fit_does_not_add():
    dense, y = Counts.from_data([[0, 1]], [0]), [0]
    with pytest.raises(ValueError, match="2 and 1 features"):
        dense + Counts.from_data([[0]], y)
    with pytest.raises(ValueError, match="sparse"):
        dense + Counts.from_data(sparse.csr_array([[0, 1]]), y)
    with pytest.raises(ValueError, match="numbers in one part and strings in the other"):
        dense + Counts.from_data([["u", "v"]], y)
    with pytest.raises(TypeError):
        dense + 1


def test_other_column_names_do_not_add():
    a, b = (Counts.from_data(pd.DataFrame([[0, 1]], columns=list(names)), [0]) for names in ("uv", "vu"))
    with pytest.raises(ValueError, match="names"):
        a + b


def test_numbers_and_strings_as_classes_do_not_add():
    with pytest.raises((ValueError, TypeError), match="class"):
        Counts.from_data([[0]], [1]) + Counts.from_data([[0]], ["1"])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1], "must not be negative, got -1 at row 1"),
        ([0, 0], "zero for every row"),
        ([1], "must have 2 entries, one per row, got 1"),
        ([[1], [1]], "one-dimensional"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        Counts.from_data([[0], [1]], [0, 1], sample_weight=weight)


def test_weights_beyond_the_range_of_floats_are_refused():
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="sum of sample_weight overflows"):
        Counts.from_data(np.eye(3), [0, 1, 0], sample_weight=[1e308, 1e308, 1e308])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Counts.from_data([[0], [1]], [0])


def test_the_sum_keeps_the_notes_of_both():
    X, y = np.array([[0], [1], [1]]), ["a", "b", "a"]
    plain = Counts.from_data(X, y)
    cut, binned = plain._replace(note="cuts are approximate."), plain._replace(note="bins are approximate.")
    assert (plain + cut).note == (cut + plain).note == (cut + cut).note == "cuts are approximate."
    assert (cut + binned + cut).note == "cuts are approximate. bins are approximate."
    assert sum([plain, cut]).note == cut.note
    assert (plain + plain).note == ""
