"""A small valid call of every overload of every function of the compiled module.

Arguments come from `VALUES` by their names, and from the signature by their types. There are as many rows as columns,
so that what has a number for each row fits where one for each column is wanted.
"""

import re
from functools import cache
from typing import NamedTuple

import numpy as np

from vitalfew import _core

N = 8

rng = np.random.default_rng(0)
_x = rng.normal(size=(N, N)).round(2)
_pattern = np.tril(np.ones((N, N), dtype=int), 1)  # sparse, by rows or by columns
_links = {
    "feature": [0, -1, -1],
    "cut": [1, 0, 0],
    "parent": [-1, 0, 0],
    "first_child": [1, 0, 0],
    "n_children": [2, 0, 0],
    "branch": [0, 0, 1],
    "opened": [1, 2, 2],
    "share": [1.0, 0.5, 0.5],
}
VALUES = {
    **_links,
    "indptr": np.cumsum([0, *_pattern.sum(axis=1)]),
    "indices": np.nonzero(_pattern)[1],
    "value": np.linspace(0.5, 2, _pattern.sum()),
    "width": N,
    "n_rows": N,
    "n_classes": 2,
    "label": np.arange(N) % 2,
    "weight": np.linspace(0.5, 1.5, N),
    "x": _x,
    "y": (np.arange(N) % 2).astype(float),
    "codes": np.arange(N * N).reshape(N, N) % 2,
    "offset": np.arange(N + 1) * 3,
    "is_category": np.arange(N) % 2,
    "slot": np.nonzero(_pattern)[1] * 3 + 1,
    "usual": np.zeros(N),
    "score": np.zeros(N),
    "before": 0.0,
    "table": _x,
    "out": np.zeros((N, N)),
    "gram": _x.T @ _x,
    "cross": _x.T @ np.ones(N),
    "square": float(N),
    "base": np.zeros(2),
    "shift": np.zeros(N),
    "columns": [np.arange(N).astype(kind) for kind in ("f8", "f4", "i8", "i4", "u1", "?", "i2", "f8")],
    "cuts": np.tile([-0.5, 0.5], N),
    "start": np.arange(N + 1) * 2,
    "bits": np.arange(2 * N).reshape(N, 2),
    "size": np.array([40, 30]),
    "events": (np.arange(N + 1), np.arange(N) % 3, np.ones(N), 3),
    "cost": np.array([3.0, 1, 1]),
    "complexity": np.ones(3),
    "split": np.ones(3),
    "log_prior": np.log([0.4, 0.6]),
    "feature_cost": np.ones(N),
    "size_cost": np.arange(N + 1.0),
    "max_features": N,
    "patience": 3,
    "patience_on_data": False,
    "backward": True,
    "grid": np.array([0.5, 0.1]),
    "factor": np.ones(N),
    "group": np.arange(N) // 2,
    "n_points": 5,
    "ratio": 0.1,
    "l1_ratio": 1.0,
    "positive": False,
    "intercept": True,
    "tol": 1e-4,
    "direction": _core.Direction.both,
    "criterion": _core.SplitCriterion.gain,
    "votes": _core.Votes.sign,
    "loss": 1.0,
    "most": 3,
    "k": 2,
    "seconds": 0.2,
    "largest_first": False,
    "steps": 5,
    "myopic": False,
    "rate": 0.5,
    "rounds": 3,
    "min_leaf": 1.0,
    "max_leaves": 4,
    "max_depth": 3,
    "keep": 3,
    "n_reasons": 2,
    "point": 1,
    "requested": 1,
    "threads": 1,
    "progress": None,
}
# Names that mean something else there.
OWN = {
    ("score_codes", "table"): np.ones((3 * N, 2)),
    ("score_binary", "table"): np.ones((N, 2)),
    ("expect_rows", "table"): np.ones((N, 2)),
    ("classify_rows", "table"): np.ones((N, 2)),
    ("mdl_binary", "table"): np.log(np.tile([0.3, 0.6], (2 * N, 1))),
    ("mdl_codes", "table"): np.log(np.tile([0.3, 0.6], (3 * N, 1))),
    ("TreeArrays", "value"): np.array([[0.5, 0.5], [1, 0], [0, 1]]),
    ("BoostRequest", "loss"): _core.BoostLoss.exponential,
    ("best_pairs", "start"): np.arange(3),
    ("find_not_finite", "x"): np.ones(N),
    ("copy_indices", "out"): np.zeros(len(VALUES["indices"])),
    ("PathRequest", "group"): None,
    ("PathRequest", "grid"): None,
    ("SubsetRequest", "group"): None,
}
# A deadline would stop all later calls of the process.
LEFT_OUT = {"set_deadline"}


class Request(NamedTuple):
    """Request object, created when the function is called."""

    kind: type
    given: list[tuple[str, object]]


def parameters(signature: str) -> list[tuple[str, str]]:
    """Return the names and types of a function's arguments."""
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    named = (part.strip().partition(": ") for part in parts if ": " in part)
    return [(name, kind.partition(" = ")[0]) for name, _, kind in named]


def typed(value, kind: str):
    """Return an array of the type in a signature."""
    wanted = re.search(r"ndarray\[dtype=(\w+)(?:, shape=\(([^)]*)\))?(?:, order='(\w)')?", kind)
    if wanted is None or value is None:
        return value
    found = np.asarray(value).astype(wanted[1])
    if (wanted[2] or "").count("*") == 1 and found.ndim == 2:
        found = found[:, 0]
    return np.array(found, order=wanted[3] or "C")


def arguments(name: str, kinds: list[tuple[str, str]]) -> list[tuple[str, object]]:
    """Return the arguments of a call by name; a request is its class with its own arguments."""
    made = []
    for key, kind in kinds:
        owner = re.fullmatch(r"vitalfew\._core\.(\w+)", kind)
        if owner and key in ("request", "search", "tree"):
            inner = parameters(getattr(_core, owner[1]).__init__.__nb_signature__[0][0])
            own = [(k, OWN.get((name, k), v)) for k, v in arguments(owner[1], [p for p in inner if p[0] in known()])]
            made.append((key, Request(getattr(_core, owner[1]), own)))
        elif key == "events":
            dtypes = re.findall(r"dtype=(\w+)", kind)
            made.append((key, (*(v.astype(d) for v, d in zip(VALUES[key], dtypes)), VALUES[key][-1])))
        else:
            made.append((key, typed(OWN.get((name, key), VALUES[key]), kind)))
    return made


def known() -> set[str]:
    return {*VALUES, *(key for _, key in OWN)}


@cache
def calls() -> list[tuple[str, list[tuple[str, object]]]]:
    """Return a valid call of every overload of every function."""
    found = []
    for name in dir(_core):
        function = getattr(_core, name)
        if hasattr(function, "__nb_signature__") and not isinstance(function, type) and name not in LEFT_OUT:
            found += [(name, arguments(name, parameters(one[0]))) for one in function.__nb_signature__]
    for name, given in found:
        getattr(_core, name)(**{key: built(value) for key, value in given})
    return [call for call in found if call[1]]


def built(value):
    return value.kind(**dict(value.given)) if isinstance(value, Request) else value
