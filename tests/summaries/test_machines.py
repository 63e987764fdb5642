"""Summaries added, taken out, written and read in any order: always those of one pass over their rows."""

import pickle

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule

from vitalfew import Counts, Moments, Summaries
from vitalfew.summaries.aligned_counts import without_presence

WIDTH = 3
WEIGHTS = st.sampled_from([0.5, 1.0, 2.0])  # which add up without rounding
ENOUGH = 40  # rows: parts that grow by being added to themselves need not grow for ever
values = st.sampled_from(["u", "v", "w", None])
numbers = st.integers(-100, 100).map(float)


def row_lists(value, target):
    return st.lists(st.tuples(*[value] * WIDTH, target, WEIGHTS), min_size=1, max_size=5)


class Machine(RuleBasedStateMachine):
    """Parts are pairs of a summary and its rows."""

    parts = Bundle("parts")
    rows = None  # a strategy

    def summarize(self, given):
        raise NotImplementedError

    def check(self, found, expected):
        raise NotImplementedError

    @initialize(target=parts, data=st.data())
    def begin(self, data):
        given = data.draw(self.rows)
        return self.summarize(given), given

    @rule(target=parts, data=st.data())
    def read(self, data):
        given = data.draw(self.rows)
        return self.summarize(given), given

    @rule(target=parts, a=parts, b=parts)
    def add(self, a, b):
        return (a[0] + b[0], a[1] + b[1]) if len(a[1] + b[1]) <= ENOUGH else a

    @rule(target=parts, a=parts, b=parts)
    def sum(self, a, b):
        return (sum([a[0], b[0]]), a[1] + b[1]) if len(a[1] + b[1]) <= ENOUGH else b

    @rule(target=parts, a=parts, b=parts)
    def add_and_take_out(self, a, b):
        return a[0] + b[0] - b[0], a[1]

    @rule(target=parts, a=parts, b=parts, c=parts)
    def take_out_of_many(self, a, b, c):
        return (b[0] + a[0] + c[0]) - (c[0] + b[0]), a[1]

    @rule(target=parts, a=parts, b=parts, c=parts)
    def take_out_a_fold(self, a, b, c):
        if len(a[1] + b[1] + c[1]) > ENOUGH:
            return a
        return Summaries.from_folds([a[0], b[0], c[0]]).train(1), a[1] + c[1]

    @rule(target=parts, a=consumes(parts))
    def pickle(self, a):
        return pickle.loads(pickle.dumps(a[0])), a[1]

    @rule(a=parts)
    def compare(self, a):
        self.check(a[0], self.summarize(a[1]))


class CountsMachine(Machine):
    rows = row_lists(values, st.sampled_from(["yes", "no", "maybe"]))

    def summarize(self, given):
        X = np.array([row[:WIDTH] for row in given], dtype=object)
        return Counts.from_data(X, [row[WIDTH] for row in given], sample_weight=[row[-1] for row in given])

    @rule(target=Machine.parts, a=consumes(Machine.parts))
    def to_json(self, a):
        return Counts.from_json(a[0].to_json()), a[1]

    @rule(target=Machine.parts, a=consumes(Machine.parts))
    def to_arrow(self, a):
        return Counts.from_arrow(a[0].to_arrow()), a[1]

    def check(self, found, expected):
        assert _lines(found) == _lines(expected)
        assert found.n == expected.n


class WholeNumbersMachine(CountsMachine):
    """Values that are their own codes, of which some parts know more than others."""

    rows = row_lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]), st.sampled_from(["yes", "no", "maybe"]))

    def summarize(self, given):
        X = np.array([row[:WIDTH] for row in given])
        return Counts.from_data(X, [row[WIDTH] for row in given], sample_weight=[row[-1] for row in given])


def _lines(counts) -> dict:
    """Counts by feature, value and class but those of 0: what was taken out leaves its values and classes behind."""
    counts = without_presence(counts)  # one remaining value may be coded as present or missing
    classes = counts.classes.tolist()
    lines = {("class", c): n for c, n in zip(classes, counts.class_count.tolist())}
    for j, coding in enumerate(counts.codings):
        table = counts.table[counts.offsets[j] : counts.offsets[j + 1]]
        told = getattr(coding, "values", range(len(table)))
        known = [*told, *["?"] * (len(table) - len(told))]  # a column has room for at least two values
        lines |= {(j, v, c): n for v, line in zip(known, table.tolist()) for c, n in zip(classes, line)}
    return {key: n for key, n in lines.items() if n}


class MomentsMachine(Machine):
    rows = row_lists(numbers, numbers)

    def summarize(self, given):
        given = np.array(given)
        return Moments.from_data(given[:, :WIDTH], given[:, WIDTH], sample_weight=given[:, -1])

    def check(self, found, expected):
        assert found.n_rows == expected.n_rows
        assert found.weight_sum == expected.weight_sum
        # Numbers up to 100, and the rounding left by values near 1e6 that were subtracted again.
        np.testing.assert_allclose(found.mean, expected.mean, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-9, atol=1e-6)


TestCounts = CountsMachine.TestCase
TestWholeNumbers = WholeNumbersMachine.TestCase
TestMoments = MomentsMachine.TestCase
for case in (TestCounts, TestWholeNumbers, TestMoments):
    case.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
