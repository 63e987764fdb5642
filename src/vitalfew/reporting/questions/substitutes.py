"""Substitutes of the recommended features, and what each exchange costs in held-out error."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vitalfew.answers.exchange import Exchange
from vitalfew.reporting.phrases import listing, plural, short
from vitalfew.reporting.questions.recommended import rise


def with_exchanges(same: dict[str, Any], found: list[Exchange], kept: list[str], metric: str) -> dict[str, Any]:
    """Add the exchanges to the facts on redundant features, and let the answer rest on them.

    A recommended feature is not called redundant because of its information alone: only a copy is.
    """
    if same.get("skipped"):
        return same
    groups = [own for group in same["groups"] if (own := _unless_kept(group, set(kept)))["members"]]
    facts = {**same, "groups": groups, "exchanges": [asdict(exchange) for exchange in found]}
    relations = [m["relation"] for group in groups for m in group["members"]]
    others = relations.count("same information")
    copies = len(relations) - others
    said = []
    if copies:
        one, many = "feature is a copy or near copy of another", "features are copies or near copies of others"
        said.append(f"{plural(copies, one, many)}.")
    if others:
        said.append(f"{plural(others, 'other feature adds', 'other features add')} no information to one of the rest.")
    replaced = [e for e in found if e.substitute is not None and not e.is_clear_exchange]
    droppable = [e for e in found if not e.is_clear]
    if replaced:
        listed = [
            f"{short(e.feature)!r} by {short(str(e.substitute))!r} ({rise(e.exchanged, metric)})" for e in replaced
        ]
        said.append(f"Could be replaced without a clear loss: {listing(listed, 3)}.")
    if droppable:
        listed = [f"{short(e.feature)!r} ({rise(e.without, metric)})" for e in droppable]
        said.append(f"Could be left out alone without a clear loss: {listing(listed, 3)}.")
    if found and not replaced and not droppable:
        said.append(f"Each of the {len(found)} features of the recommended model lowers the held-out loss clearly.")
    return {**facts, "answer": " ".join(said) or "None: no feature is a copy of another."}


def _unless_kept(group: dict[str, Any], kept: set[str]) -> dict[str, Any]:
    members = [m for m in group["members"] if m["relation"] != "same information" or m["name"] not in kept]
    return {**group, "members": members}
