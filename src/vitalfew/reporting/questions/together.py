"""Features that only work together: sets with more information about the target than the sum of their parts."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from vitalfew.reporting.coarse_codes import BITS, Coded
from vitalfew.reporting.phrases import listing, plural, short
from vitalfew.reporting.questions.pairs import given_one, halves, pair_table, screen, surprise_of
from vitalfew.reporting.questions.redundant import Screened
from vitalfew.reporting.study import Study
from vitalfew.summaries.information import entropy, information, mutual_information

# Up to this many features, all pairs are evaluated with all their values; beyond, values are binarized.
MOST_WHOLE = 40
MOST_SCREENED = 20_000
ROWS_WHOLE = 3000
# Number of features screened regardless of the time.
TRIED = 1000
MOST_KEPT = 200
MOST_LISTED = 20
MOST_SLOPES = 30
PERMUTATIONS = 99
LEAST_PERMUTATIONS = 19
LEVEL = 0.05
# A set is reported if it adds this share of the target's entropy.
LEAST_SHARE = 0.005


def together(study: Study, screened: Screened) -> dict:
    """Return the facts of the third question."""
    limit = study.clock.share(0.15)
    began = time.perf_counter()
    if study.d < 2:
        return {"answer": "There is only one feature.", "sets": [], "slopes": [], **_nothing(study)}
    candidates = np.sort(study.alone.order[: _affordable(study, limit)])
    whole = len(candidates) <= MOST_WHOLE
    rows = study.sample(ROWS_WHOLE if whole else _rows_for(len(candidates)), 5)
    coded = study.coded.take(rows)
    if len(candidates) < study.d or whole:
        coded = coded.select(candidates)
    found = _whole_pairs(coded, study, began + limit) if whole else _cut_pairs(coded, study, began + limit)
    least = LEAST_SHARE * entropy(study.coded.label)
    exact = study.coded.take(study.sample(20_000, 6))
    sets: list[dict] = []
    for (i, j), p in zip(found.pairs, found.p_value):
        if p > LEVEL or len(sets) >= MOST_LISTED:
            continue
        line = _describe(exact, study, [int(candidates[i]), int(candidates[j])], p)
        if line["synergy"] >= least:
            sets.append(line)
    sets.sort(key=lambda s: -s["synergy"])
    sets = _with_thirds(study, exact, sets, least, began + 1.5 * limit)
    slopes = _slopes(study, screened, sets)
    n = len(candidates)
    method = (
        f"All {n * (n - 1) // 2:,} pairs of {n:,} features were tested "
        + ("with up to 12 values each" if whole else "each split in two halves")
        + f" on {len(rows):,} rows; p-values of the largest synergy are based on {found.n_permutations} "
        "permutations of the target. Sets of three extend pairs."
    )
    if n < study.d:
        method += f" Of {study.d:,} features the {n:,} most informative were screened."
    return {
        "answer": _answer(sets, n, study.d),
        "n_features_screened": n,
        "n_pairs": n * (n - 1) // 2,
        "n_rows_screened": len(rows),
        "n_permutations": found.n_permutations,
        "method": method,
        "sets": [{k: v for k, v in s.items() if k != "members"} for s in sets],
        "slopes": slopes,
    }


def _nothing(study: Study) -> dict:
    return {
        "n_features_screened": study.d,
        "n_pairs": 0,
        "n_rows_screened": study.n,
        "n_permutations": 0,
        "method": "There are no pairs.",
    }


def _affordable(study: Study, limit: float) -> int:
    """Return the number of features whose pairs can be screened as often as permutations require at least.

    The time is extrapolated from one screening of some of them, since it is quadratic in their number.
    """
    most = min(study.d, MOST_SCREENED)
    if most <= TRIED:
        return most
    coded = study.coded.take(study.sample(_rows_for(most), 5)).select(np.sort(study.alone.order[:TRIED]))
    began = time.perf_counter()
    screen(halves(coded), coded.label, 1, study.threads)
    once = (time.perf_counter() - began) / TRIED**2
    return int(np.clip(np.sqrt(limit / (LEAST_PERMUTATIONS + 1) / once), TRIED, most))


def _rows_for(d: int) -> int:
    """Return the number of rows for which one screening of all pairs takes about a second."""
    return int(np.clip(4e10 / d**2, 1000, 8000))


class _Found:
    def __init__(self, pairs, statistic, null):
        self.pairs, self.n_permutations = pairs, len(null)
        above = (np.asarray(null)[None, :] >= np.asarray(statistic)[:, None]).sum(axis=1)
        self.p_value = (1 + above) / (1 + len(null))


def _permuted(study: Study, label: NDArray[np.int32], stop: float, statistic) -> list[float]:
    """Return the maximum statistic over all pairs for each permutation of the labels: the null distribution."""
    rng, null = study.rng(7), []
    for turn in range(PERMUTATIONS):
        if turn >= LEAST_PERMUTATIONS and time.perf_counter() > stop:
            break
        null.append(statistic(label[rng.permutation(len(label))]))
    return null


def _whole_pairs(coded: Coded, study: Study, stop: float) -> _Found:
    def statistic(label):
        return float(np.triu(pair_table(Coded(coded.block, label, coded.n_classes), study.threads).surprise, 1).max())

    surprise = np.triu(pair_table(coded, study.threads).surprise, 1)
    best = np.argsort(-surprise, axis=None, kind="stable")[:MOST_KEPT]
    pairs = np.column_stack(np.unravel_index(best, surprise.shape))
    keep = surprise.ravel()[best] > 0
    return _Found(pairs[keep], surprise.ravel()[best][keep], _permuted(study, coded.label, stop, statistic))


def _cut_pairs(coded: Coded, study: Study, stop: float) -> _Found:
    bits = halves(coded)
    seen = screen(bits, coded.label, MOST_KEPT, study.threads)

    def statistic(label):
        return float(screen(bits, label, 1, study.threads).synergy[0])

    return _Found(seen.pair, seen.synergy, _permuted(study, coded.label, stop, statistic))


def _joint(coded: Coded, members) -> NDArray[np.int64]:
    joint = np.zeros(coded.n, dtype=np.int64)
    for j in members:
        own = coded.codes(j)
        joint = joint * (int(own.max()) + 1) + own
    return np.unique(joint, return_inverse=True)[1]


def _told(coded: Coded, members) -> float:
    """Return the joint information of some features about the target, in bits and bias-corrected."""
    return max(mutual_information(_joint(coded, members).astype(str), coded.label, correction="miller-madow"), 0.0)


def _describe(coded: Coded, study: Study, members: list[int], p: float) -> dict:
    apart = sum(_told(coded, [j]) for j in members)
    joint = _told(coded, members)
    return {
        "features": [study.name(j) for j in members],
        "members": members,
        "joint": joint,
        "sum": apart,
        "synergy": joint - apart,
        "p_value": float(p),
    }


def _with_thirds(study: Study, coded: Coded, sets: list[dict], least: float, stop: float) -> list[dict]:
    """Add, to the first pairs, the third feature with the most information given both beyond its own."""
    found = list(sets)
    rng = study.rng(8)
    if coded.block.n_features > 2000:
        return found
    for pair in sets[:3]:
        if time.perf_counter() > stop:
            break
        other = _joint(coded, pair["members"])
        shuffled = [coded.label[rng.permutation(coded.n)] for _ in range(LEAST_PERMUTATIONS)]
        best, value = _best_third(coded, other, pair["members"])
        null = [_best_third(Coded(coded.block, y, coded.n_classes), other, pair["members"])[1] for y in shuffled]
        p = (1 + sum(v >= value for v in null)) / (1 + len(null))
        if p <= LEVEL and best is not None:
            line = _describe(coded, study, [*pair["members"], best], p)
            gain = line["joint"] - pair["joint"] - _told(coded, [best])
            known = [set(s["members"]) for s in found]
            if gain >= least and set(line["members"]) not in known:
                found.append(line)
    return found


def _best_third(coded: Coded, other, members) -> tuple[int | None, float]:
    given, _, freedom = given_one(coded, other)
    plain = information(coded.block.count(coded.label, None, coded.n_classes), coded.block.offsets)
    surprise = surprise_of(given - plain.corrected().mutual * BITS, freedom, coded.n)
    surprise[freedom <= 0] = -np.inf
    surprise[members] = -np.inf
    best = int(np.argmax(surprise))
    return (best, float(surprise[best])) if np.isfinite(surprise[best]) else (None, -np.inf)


def _slopes(study: Study, screened: Screened, sets: list[dict]) -> list[dict]:
    """Compare features alone and in context: given their closest substitute, plus synergy with their best partner."""
    context = dict(zip(screened.feature.tolist(), study.alone.information[screened.feature].tolist()))
    partner: dict[int, int] = {}
    given = screened.pairs.given
    for at, j in enumerate(screened.feature.tolist()):
        # A feature is compared with those ranked before it: of two copies, one keeps their information.
        before = [max(float(given[at, b]), 0.0) for b in range(at)]
        context[j] = min([context[j], *before])
    for line in sets:  # sorted: pairs first, by decreasing synergy
        if len(line["members"]) > 2:
            continue
        for j, other in (line["members"], line["members"][::-1]):
            if j not in partner:
                partner[j] = other
                context[j] = context.get(j, float(study.alone.information[j])) + line["synergy"]
    order = sorted(context, key=lambda j: (-context[j], study.alone.rank[j]))
    rank = {j: at + 1 for at, j in enumerate(order)}
    shown = sorted(
        {*order[: MOST_SLOPES // 2], *sorted(context, key=lambda j: study.alone.rank[j])[: MOST_SLOPES // 2]}
    )
    lines = [
        {
            "name": study.name(j),
            "feature": int(j),
            "alone": float(study.alone.information[j]),
            "rank_alone": int(study.alone.rank[j]),
            "in_context": float(context[j]),
            "rank_in_context": rank[j],
            "partner": study.name(partner[j]) if j in partner else None,
        }
        for j in shown
    ]
    return sorted(lines, key=lambda s: s["rank_in_context"])


def _answer(sets: list[dict], n: int, d: int) -> str:
    if not sets:
        looked = f"the {n:,} most informative of {d:,} features" if n < d else f"all {n:,} features"
        return f"None found: no two of {looked} are clearly more informative together than separately."
    pairs = [s for s in sets if len(s["features"]) == 2]
    first = sets[0]
    names = listing([repr(short(f)) for f in first["features"]])
    return (
        f"{plural(len(pairs), 'pair is', 'pairs are')} more informative together than separately, above all {names}: "
        f"{first['joint']:.3g} bits together, {first['sum']:.3g} bits as a sum."
    )
