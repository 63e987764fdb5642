"""The two long tables of the page, packed for its script to stay small with any number of rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from vitalfew.reporting.render.text import label, number, p_value, percent, shorten

# Share of the five megabytes of a page that each table may take; further rows are counted and left to the JSON.
FEATURE_BYTES, COLUMN_BYTES = 2_600_000, 1_700_000
ROWS_AT_FIRST = 25

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": shorten,
    "count": number,
    "number": number,
    "bar": number,
    "p": p_value,
    "share": percent,
}


@dataclass
class PageTable:
    """Columns of equal length, with what is needed to sort, filter and print them."""

    name: str
    noun: str
    n: int
    titles: dict[str, tuple[str, str, str]]  # key -> title, format, explanation
    values: dict[str, list]
    order: str
    flag: tuple[str, str] | None = None  # a boolean column to filter by, and its label
    n_shown: int = field(init=False)

    def __post_init__(self) -> None:
        self.n_shown = len(self.values[next(iter(self.titles))])

    def cut(self, limit: int) -> PageTable:
        """Keep as many of the first rows as the limit in bytes allows."""
        while (size := len(self.json())) > limit and self.n_shown > 0:
            self.n_shown = min(self.n_shown - 1, int(self.n_shown * limit / size * 0.97))
            self.values = {k: v[: self.n_shown] for k, v in self.values.items()}
        return self

    def first_rows(self) -> list[list[tuple[str, str, Any]]]:
        """Return the rows shown before the script runs: format, text and value of each cell."""
        keys = [(k, form) for k, (_, form, _) in self.titles.items()]
        return [
            [(form, self.show(form, self.values[k][i]), self.values[k][i]) for k, form in keys]
            for i in range(min(self.n_shown, ROWS_AT_FIRST))
        ]

    @staticmethod
    def show(form: str, value: Any) -> str:
        if form == "flag":
            return "yes" if value else "no"
        return FORMATS[form](value) if value is not None else "–"

    def json(self) -> str:
        """Return JSON for a script element, without any ``<`` that could end it."""
        packed = {k: pack(v) for k, v in self.values.items()}
        text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        for letter in "<>&\u2028\u2029":
            text = text.replace(letter, f"\\u{ord(letter):04x}")
        return text


def pack(values: Sequence) -> Any:
    """Pack a column in the smallest of three forms: plain, exceptions to the commonest value, or indices into a list.

    >>> pack([None, None, None, None, 2.5, None])
    {'n': 6, 'rest': None, 'at': [4], 'is': [2.5]}
    >>> pack(["numeric", "category", "numeric", "category"])
    {'of': ['numeric', 'category'], 'place': [0, 1, 0, 1]}
    """
    count = Counter(values)
    if not count or len(count) > max(64, len(values) // 2):
        return list(values)
    common, times = count.most_common(1)[0]
    if times > 0.7 * len(values):
        at = [i for i, v in enumerate(values) if v != common]
        return {"n": len(values), "rest": common, "at": at, "is": [values[i] for i in at]}
    if sum(_length(v) for v in count) + 3 * len(values) < sum(_length(v) * times for v, times in count.items()):
        place = {v: i for i, v in enumerate(count)}
        return {"of": list(count), "place": [place[v] for v in values]}
    return list(values)


def _length(value: Any) -> int:
    return len(value) + 2 if isinstance(value, str) else len(repr(value))


def features_table(facts: dict) -> PageTable:
    """Return the table of all features, by information alone."""
    features, columns = facts["features"], facts["data"]["columns"]
    groups = (facts.get("redundant") or {}).get("groups") or []
    names = [shorten(n) for n in features["name"]]
    sources = [shorten(columns[c]["name"]) if c is not None and c < len(columns) else None for c in features["column"]]
    titles = {
        "rank": ("Rank", "count", "by information alone"),
        "name": ("Feature", "text", ""),
        "column": ("Column", "text", "source column"),
        "information": ("Information", "bar", "bits about the target, alone"),
        "p": ("p\u2011value", "p", "probability of this much information under independence"),
        "q": ("q\u2011value", "p", "expected fraction of false discoveries up to this rank"),
        "context": ("In context", "number", "bits added to the other features"),
        "context_rank": ("Rank in context", "count", "by bits added to the other features"),
        "chosen": ("Chosen", "flag", "used by the model in the model card"),
        "frequency": ("Stability", "share", "fraction of resamples in which it is selected"),
        "group": ("Redundant with", "text", "the feature to keep of its group"),
    }
    keeps = [None if g is None or g >= len(groups) else groups[g]["keep"] for g in features["group"]]
    values = {
        "rank": features["rank_alone"],
        "name": names,
        "column": sources,
        "information": _digits(features["information"], 4),
        "p": _digits(features["p_value"], 3),
        "q": _digits(features["q_value"], 3),
        "context": _digits(features["in_context"], 4),
        "context_rank": features["rank_in_context"],
        "chosen": [int(bool(c)) for c in features["chosen"]],
        "frequency": _digits(features["frequency"], 3),
        "group": [None if k is None or k == n else shorten(k, 60) for k, n in zip(keeps, features["name"])],
    }
    if names == sources:
        del titles["column"], values["column"]
    for key in ("context", "context_rank", "frequency", "group"):
        if all(v is None for v in values[key]):
            del titles[key], values[key]
    return PageTable("features", "feature", features["n"], titles, values, "rank", ("chosen", "Chosen only")).cut(
        FEATURE_BYTES
    )


def columns_table(facts: dict) -> PageTable:
    """Return the table of all columns of the data, and why some were not used."""
    columns = facts["data"]["columns"]
    titles = {
        "name": ("Column", "text", ""),
        "kind": ("Kind", "text", ""),
        "used": ("Used", "flag", ""),
        "why": ("Why not", "text", ""),
        "missing": ("Missing", "count", "rows without a value"),
        "distinct": ("Distinct", "count", "different values"),
        "features": ("Features", "count", "features derived from it"),
        "values": ("Values", "text", "range and mean, or the most frequent values"),
    }
    values = {
        "name": [shorten(c["name"]) for c in columns],
        "kind": [c["kind"] for c in columns],
        "missing": [c["n_missing"] for c in columns],
        "distinct": [c["n_distinct"] for c in columns],
        "features": [c["n_features"] for c in columns],
        "used": [int(bool(c["is_used"])) for c in columns],
        "values": [_values(c.get("values")) for c in columns],
        "why": [None if c["why"] is None else shorten(c["why"], 300) for c in columns],
    }
    if all(w is None for w in values["why"]):
        del titles["why"], values["why"]
    n = max(facts["data"]["n_columns"], len(columns))
    return PageTable("columns", "column", n, titles, values, "", ("used", "Used only")).cut(COLUMN_BYTES)


def _values(values: dict | None) -> str | None:
    if not values:
        return None
    if "top" in values:
        return ", ".join(f"{label(value, 24)} ({number(count)})" for value, count in values["top"][:3])
    low, mean, high = (number(values.get(k)) for k in ("min", "mean", "max"))
    return f"{low} to {high}, mean {mean}"


def _digits(values: Sequence[float | None], digits: int) -> list[float | None]:
    return [None if v is None else float(f"{v:.{digits}g}") for v in values]
