"""Redundant features: copies, near copies, and features whose information others carry."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from vitalfew.exceptions import TimeBudgetError
from vitalfew.reporting.coarse_codes import BITS
from vitalfew.reporting.phrases import listing, plural, short
from vitalfew.reporting.questions.pairs import PairTable, pair_table
from vitalfew.reporting.study import FOR_MODELS, Study
from vitalfew.support.deadline import check_deadline, deadline

MOST_SCREENED = 200
MOST_ROWS = 20_000
# Maximum number of cells counted for pairs of features: about a second.
MOST_WORK = 2e9
# A feature is redundant if it retains less than this share of its information given another.
LEFT_OVER = 0.1
NEAR = 0.9
MOST_INFLATED = 300
# Share of the time for pairs of features.
FOR_PAIRS = 0.1


@dataclass(frozen=True)
class Screened:
    """Screened features and their pairwise information."""

    feature: NDArray[np.intp]
    pairs: PairTable
    n_rows: int
    stopped: str | None = None  # message if time ran out before any pair was examined

    @classmethod
    def nothing(cls, n_rows: int, stopped: str | None = None) -> Screened:
        none = np.zeros((0, 0))
        pairs = PairTable(np.zeros(0), none, none, np.zeros(0), none, n_rows)
        return cls(np.zeros(0, dtype=np.intp), pairs, n_rows, stopped)


def screen_informative(study: Study) -> Screened:
    """Return the most informative features, as many as time allows."""
    rows = study.sample(MOST_ROWS, 3)
    most = int(min(MOST_SCREENED, np.sqrt(MOST_WORK / len(rows))))
    order = study.alone.order
    feature = order[study.alone.is_clear[order]][:most]
    if len(feature) == 0:
        return Screened.nothing(len(rows))
    began = study.clock.spent
    try:
        with deadline(study.clock.share(FOR_PAIRS, keep=FOR_MODELS)):
            return Screened(feature, pair_table(study.coded.take(rows).select(feature), study.threads), len(rows))
    except TimeBudgetError:
        return Screened.nothing(len(rows), study.clock.stopped(began))


def redundant(study: Study, screened: Screened) -> dict:
    """Return the facts of the second question."""
    copies = exact_copies(study)
    groups = [_group(study, screened, keep, members) for keep, members in _groups(study, screened, copies)]
    groups.sort(key=lambda g: (-len(g["members"]), -g["information"]))
    inflation = variance_inflation(study)
    relations = [m["relation"] for g in groups for m in g["members"]]
    return {
        "answer": _answer(study, groups, relations, screened),
        "n_screened": len(screened.feature),
        "n_of": study.d,
        "n_rows": screened.n_rows,
        "groups": groups,
        "vif": inflation,
    }


def exact_copies(study: Study) -> list[list[int]]:
    """Return groups of features with the same value in every row."""
    seen: dict[bytes, list[int]] = {}
    features = study.features
    if features.is_sparse:
        columns = features.X.tocsc()
        columns.sort_indices()
    for j in range(features.d):
        check_deadline()
        if features.is_sparse:
            own = slice(columns.indptr[j], columns.indptr[j + 1])
            raw = columns.indices[own].tobytes() + columns.data[own].astype(float).tobytes()
        elif features.is_category[j]:
            raw = repr(features.values(j).tolist()).encode()
        else:
            raw = (np.asarray(features.values(j), dtype=float) + 0.0).tobytes()
        seen.setdefault(hashlib.blake2b(raw, digest_size=16).digest(), []).append(j)
    return [copies for copies in seen.values() if len(copies) > 1]


def _groups(study: Study, screened: Screened, copies: list[list[int]]):
    """Return the feature to keep of each group, and the others with their relation to it."""
    rank = study.alone.rank
    copied = {j: min(group, key=lambda c: rank[c]) for group in copies for j in group}
    pairs, feature = screened.pairs, screened.feature
    taken = np.array([copied.get(int(j), int(j)) != int(j) for j in feature], dtype=bool)
    keeper: dict[int, int] = {}
    members: dict[int, list[tuple[int, str, int, int]]] = {}
    for at, keep in enumerate(feature.tolist()):
        if taken[at]:
            continue
        likeness = 2 * pairs.shared[:, at] / np.maximum(pairs.entropy + pairs.entropy[at], 1e-12)
        is_same = pairs.given[:, at] <= LEFT_OVER * pairs.alone
        for other in range(at + 1, len(feature)):
            is_near = likeness[other] >= NEAR or (
                likeness[other] > 0.3 and _correlation(study, keep, feature[other]) > 0.99
            )
            if taken[other] or not (is_near or is_same[other]):
                continue
            taken[other] = True
            keeper[int(feature[other])] = keep
            relation = "near copy" if is_near else "same information"
            members.setdefault(keep, []).append((int(feature[other]), relation, other, at))
    for j, first in copied.items():
        if j != first:
            members.setdefault(keeper.get(first, first), []).append((j, "exact copy", -1, -1))
    return members.items()


def _correlation(study: Study, i: int, j: int) -> float:
    """Return the absolute correlation of two numeric features; 0 if one of them is a category."""
    features = study.features
    if features.is_sparse or features.is_category[[i, j]].any():
        return 0.0
    x, z = (np.asarray(features.values(k), dtype=float) for k in (i, j))
    known = np.isfinite(x) & np.isfinite(z)
    if known.sum() < 3 or np.ptp(x[known]) == 0 or np.ptp(z[known]) == 0:
        return 0.0
    return float(abs(np.corrcoef(x[known], z[known])[0, 1]))


def _group(study: Study, screened: Screened, keep: int, members) -> dict:
    pairs = screened.pairs
    listed = []
    for j, relation, at, kept in members:
        left, p = 0.0, 1.0
        if relation != "exact copy":
            left = float(max(pairs.given[at, kept], 0.0))
            values = np.diff(study.coded.block.offsets)[[j, keep]]
            freedom = (values[0] - 1) * values[1] * (study.coded.n_classes - 1)
            plain = pairs.given[at, kept] / BITS + freedom / (2 * screened.n_rows)
            p = float(chi2.sf(2 * screened.n_rows * max(plain, 0), max(freedom, 1)))
        listed.append(
            {
                "name": study.name(j),
                "relation": relation,
                "information": float(study.alone.information[j]),
                "given_keep": left,
                "p_value": p,
            }
        )
    listed.sort(key=lambda m: -m["information"])
    told = float(study.alone.information[keep])
    if all(m["relation"] == "exact copy" for m in listed):
        why = "They have the same value in every row; the first one is kept."
    else:
        most = max(m["given_keep"] for m in listed)
        why = (
            f"It is the most informative ({told:.3g} bits); given its value, "
            f"{'the other adds' if len(listed) == 1 else 'none of the others adds more than'} {most:.2g} bits."
        )
    return {"keep": study.name(keep), "information": told, "why": why, "members": listed}


def variance_inflation(study: Study) -> list[dict]:
    """Compute 1 / (1 - R²) of each numeric feature given the others; None if the others determine it exactly."""
    features = study.features
    if features.is_sparse:
        return []
    numbers = [j for j in study.alone.order if not features.is_category[j]][:MOST_INFLATED]
    rows = study.sample(MOST_ROWS, 4)
    if len(numbers) < 2 or len(rows) <= len(numbers) + 1:
        return []
    taken = features.take(rows)
    X = np.column_stack([np.asarray(taken.values(j), dtype=float) for j in numbers])
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    X -= X.mean(axis=0)
    length = np.sqrt((X**2).sum(axis=0))
    varies = length > 0
    numbers = [j for j, v in zip(numbers, varies) if v]
    X = X[:, varies] / length[varies]
    # Residual of each column on the others, without inverting a possibly singular matrix.
    value, vector = np.linalg.eigh(X.T @ X)
    floor = 1e-10 * max(value.max(initial=0), 1)
    inverse = (vector**2 / np.maximum(value, floor)).sum(axis=1)
    found = [{"name": study.name(j), "vif": float(v) if v < 0.01 / floor else None} for j, v in zip(numbers, inverse)]
    return sorted(found, key=lambda f: (-np.inf if f["vif"] is None else -f["vif"], f["name"]))


def _answer(study: Study, groups: list[dict], relations: list[str], screened: Screened) -> str:
    if screened.stopped is not None:
        found = _redundancies(groups, relations) if groups else "There are no exact copies."
        return f"{found} Near copies and shared information were not searched: {screened.stopped}."
    if not groups and not len(screened.feature):
        return "None: there are no copies, and no feature is informative about the target."
    if not groups:
        looked = f" among the {len(screened.feature):,} informative features" if len(screened.feature) < study.d else ""
        return f"None{looked}: no feature is a copy of another, and each adds information to the others."
    return _redundancies(groups, relations)


def _redundancies(groups: list[dict], relations: list[str]) -> str:
    n = len(relations)
    kinds = [
        plural(relations.count(r), name, many)
        for r, name, many in (
            ("exact copy", "exact copy", "exact copies"),
            ("near copy", "near copy", "near copies"),
            ("same information", "feature without unique information", "features without unique information"),
        )
        if r in relations
    ]
    first = groups[0]
    example = (
        f"{short(first['keep'])!r} makes {listing([repr(short(m['name'])) for m in first['members']], 3)} redundant"
    )
    return f"{plural(n, 'feature is', 'features are')} redundant: {listing(kinds)}. For instance {example}."
