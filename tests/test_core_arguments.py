"""Arguments that once ended the process, or never ended, given to the compiled module: refused, or done with soon."""

import sys
from pathlib import Path

import numpy as np
import pytest

from vitalfew import _core

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
if not FUZZ.is_dir():
    pytest.skip("the calls that work are beside the sources, which are not here", allow_module_level=True)
sys.path.append(str(FUZZ))
from core_calls import VALUES, N, Request, built, calls  # noqa: E402

NAN, ZERO, FEW = np.full(N, np.nan), np.zeros(N), np.ones(N - 1)
TWICE = np.zeros(len(VALUES["indices"]), dtype=np.int32)
FAR = np.array([0, 3, *[2**63 - 1] * (N - 1)])
WIDE = np.array([*range(0, 3 * N, 3), 2**62 + 1])  # times 4 it is little again


def spoilt(kernel, **changes):
    """Arguments of all overloads that have these, and work but for them; those of a request as request__name."""
    found = []
    for name, arguments in calls():
        given = dict(arguments)
        if name != kernel or not {key.partition("__")[0] for key in changes} <= given.keys():
            continue
        for key, value in changes.items():
            holder, _, own = key.rpartition("__")
            if holder:
                request = given[holder]
                given[holder] = Request(request.kind, [(k, value if k == own else v) for k, v in request.given])
            else:
                given[key] = value
        found.append({key: built(value) for key, value in given.items()})
    assert found
    return found


@pytest.mark.parametrize(
    ("kernel", "changes"),
    [
        ("count_binary", {"n_classes": 2**61}),
        ("count_codes", {"n_classes": 2**61}),
        ("score_binary", {"events": (np.arange(N + 1), np.zeros(N, np.int32), np.ones(N, np.int8), 2**63)}),
        ("mdl_binary", {"width": N + 2**63}),
        ("logistic_path", {"indices": TWICE}),
        ("multinomial_path", {"weight": FEW}),
        ("best_classes", {"weight": NAN}),
        ("best_classes", {"x": np.full((N, N), np.nan, order="F")}),
        ("best_classes", {"value": np.full(len(TWICE), np.inf)}),
        ("greedy_classes", {"weight": ZERO}),
        ("greedy_classes", {"weight": ZERO - 1}),
        ("near_classes", {"request__most": 0}),
        ("near_subsets", {"request__most": 0}),
        ("lasso_path", {"request__tol": -1.0}),
        ("best_subsets", {"gram": np.full((N, N), np.inf)}),
        ("lasso_path", {"y": NAN}),
        ("greedy_path", {"request__direction": _core.Direction.exchange, "request__group": np.zeros(N, np.int32)}),
        ("weakest_links", {"parent": np.zeros(3, dtype=np.int32)}),
        ("tree_path_errors", {"offset": FAR}),
        ("boost", {"offset": FAR}),
        ("boost", {"offset": WIDE}),
        ("boost", {"weight": ZERO + 1e308}),
        ("mdl_codes", {"search__max_features": 2**64 - 1}),
        ("lasso_path", {"request__ratio": -1.0}),
    ],
)
def test_is_refused(kernel, changes):
    for given in spoilt(kernel, **changes):
        with pytest.raises(ValueError, match=r"\w"):
            getattr(_core, kernel)(**given)


@pytest.mark.parametrize(
    ("kernel", "changes"),
    [
        ("bin_cuts", {"most": 2**64 - 1}),
        ("greedy_path", {"value": np.full(len(TWICE), 1e-160)}),
        ("greedy_path", {"square": -1e308, "request__most": N}),
        ("best_subsets", {"square": -1e308, "gram": np.zeros((N, N))}),
        ("best_subsets", {"gram": np.where(np.eye(N) > 0, 1.0, 1e307), "request__most": N}),
    ],
)
def test_comes_to_an_end(kernel, changes):
    for given in spoilt(kernel, **changes):
        getattr(_core, kernel)(**given)


class TestWords:
    def rows(self, *, keep_rows=True, vocabulary=None):
        nothing = _core.WordTable(np.empty(0, np.uint8), np.zeros(1, np.int64))
        return _core.WordRows(True, 1, 1, keep_rows, nothing, vocabulary, 1)

    def test_out_of_turn(self):
        rows = self.rows()
        rows.add_strings(["the cat"])
        with pytest.raises(ValueError, match="merge"):
            rows.words(np.zeros(1, dtype=np.int32))
        rows.merge()
        rows.add_strings(["another dog"])
        with pytest.raises(ValueError, match="merge"):
            rows.rows(np.zeros(2, dtype=np.int32), 2)

    def test_no_such_column(self):
        rows = self.rows()
        rows.add_strings(["the cat"])
        rows.merge()
        for column in (2, -1):
            with pytest.raises(ValueError, match="column out of range"):
                rows.words(np.array([column], dtype=np.int32))

    def test_what_is_not_kept(self):
        rows = self.rows(keep_rows=False)
        rows.add_strings(["the cat"])
        rows.merge()
        with pytest.raises(ValueError, match="not stored"):
            rows.rows(np.arange(2, dtype=np.int32), 2)
        given = _core.WordTable(np.frombuffer(b"cat", np.uint8), np.array([0, 3]))
        rows = self.rows(vocabulary=given)
        rows.merge()
        with pytest.raises(ValueError, match="given"):
            rows.words(np.zeros(1, dtype=np.int32))

    def test_stopped_in_the_middle(self):
        def stop(_):
            raise KeyboardInterrupt

        rows = self.rows()
        with pytest.raises(KeyboardInterrupt):
            rows.add_strings(["the cat " * 300_000] * 40, stop)
        for use in (rows.merge, lambda: rows.add_strings(["a"])):
            with pytest.raises(ValueError, match="start again"):
                use()
