"""Rendering of a report as Markdown, for terminals, issues and pull requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from vitalfew.reporting.render.html import MOST_CLASSES, QUESTIONS
from vitalfew.reporting.render.text import BLANK, clean, loss, number, p_value, percent, plural, rise, shorten

MOST_ROWS = 20
LONGEST_CODE = 20_000
_HTML = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def render_markdown(facts: dict) -> str:
    """Render the report in Markdown: the same answers as the page, and the first rows of its tables."""
    facts = clean(facts)
    lines = [*_head(facts), *_how_many(facts), *_redundant(facts), *_together(facts), *_which_model(facts)]
    lines += [*_card(facts), *_features(facts), *_columns(facts)]
    if facts["notes"]:
        lines += ["## Notes", "", *(f"- {say(n)}" for n in facts["notes"][:100]), ""]
    made = facts["made"]
    lines.append(
        f"Made by vitalfew {say(made['version'])} on {say(made['date'][:10])} in {number(made['seconds'])} seconds; "
        f"seed {made['seed']}."
    )
    return "\n".join(line for line, before in zip(lines, ["", *lines]) if line or before) + "\n"


def say(text: Any, length: int = 1500) -> str:
    """Return a user's string on one line, with all Markdown and HTML syntax escaped.

    >>> say("a|b <i>`x`</i>\\n# c")
    'a\\\\|b &lt;i&gt;\\\\`x\\\\`&lt;/i&gt; \\\\# c'
    """
    line = " ".join(shorten(text, length).split())
    # Inside sentences only characters that can begin markup need a backslash; plain periods and brackets stay readable.
    escaped = re.sub(r"([\\`*_\[\]#|~$])", r"\\\1", line)
    escaped = re.sub("[<>&]", lambda m: _HTML[m[0]], escaped)
    escaped = re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", escaped)
    return re.sub(r"(https?|javascript|www)([:.])", "\\1\u2060\\2", escaped, flags=re.IGNORECASE) or BLANK


def name(text: Any) -> str:
    return say(text, 60)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; a heading that begins with ``>`` marks a right-aligned column of numbers."""
    bars = ["--:" if h.startswith(">") else "---" for h in heads]
    lines = [[h.lstrip(">") for h in heads], bars, *rows]
    return ["", *(f"| {' | '.join(line)} |" for line in lines), ""]


def _head(facts: dict) -> list[str]:
    data, target = facts["data"], facts["target"]
    card = facts.get("card") or {}
    source = f" in {name(data['source'])}" if data["source"] is not None else ""
    openings = ""
    if card.get("test") and data["n_test"]:
        n = card["test"]["openings"]
        openings = ", never opened" if n == 0 else ", opened once" if n == 1 else f", **opened {number(n)} times**"
    lines = [
        f"# What predicts {name(target['name'])}{source}",
        "",
        f"{plural(data['n_rows'], 'row')}, {plural(data['n_columns'], 'column')}, "
        f"{plural(data['n_features'], 'feature')}. {number(data['n_train'])} training rows"
        + (f", {number(data['n_test'])} sealed test rows{openings}." if data["n_test"] else "."),
        "",
    ]
    if facts["nothing_here"]:
        p = facts["recommended"]["p_value"]
        tested = "There was no time for the permutation test of a" if p is None else "A permutation test finds no"
        shown = "" if p is None else f" (p = {p_value(p)})"
        lines += [
            f"**Cannot tell.** {tested} signal about {name(target['name'])}{shown}. The models below may fit noise.",
            "",
        ]
    sentences = facts["headline"]
    if len(sentences) == len(QUESTIONS):
        return [*lines, *(f"- **{q}** {say(s)}" for q, s in zip(QUESTIONS.values(), sentences)), ""]
    return [*lines, *(f"- {say(s)}" for s in sentences), ""]


def _begin(facts: dict, key: str) -> tuple[dict | None, list[str]]:
    """Return the part if it has content, and its heading with the answer or the reason why it was skipped."""
    part = facts.get(key)
    lines = [f"## {QUESTIONS[key]}", ""]
    if not part:
        return None, [*lines, "Not part of this report.", ""]
    lines += [say(part["answer"]), ""]
    if part.get("skipped"):
        return None, [*lines, f"*Skipped.* {say(part['skipped'])}", ""]
    return part, lines


def _how_many(facts: dict) -> list[str]:
    part, lines = _begin(facts, "how_many")
    if part is None:
        return lines
    rows = []
    for c in part["criteria"]:
        k = c["chosen"]
        value = c["value"][part["k"].index(k)] if k in part["k"] else None
        rows.append(
            [
                say(c["label"]),
                number(k),
                f"{number(c['low'])} to {number(c['high'])}",
                loss(value, c["unit"]),
                say(c["unit"]),
            ]
        )
    lines += table(["Criterion", ">Features", ">Nearly as good", ">Value", "Unit"], rows)
    if part["range"]:
        words = "The criteria agree on" if part["agree"] else "The criteria do not agree; their choices range over"
        lines += [
            f"{words} {number(part['range'][0])} to {number(part['range'][1])} features ({say(part['method'])}).",
            "",
        ]
    s = part["stability"]
    if s:
        lines.append(f"Stability: {plural(s['n_resamples'], 'resample')}, threshold {percent(s['threshold'])}.")
        pairs = sorted(zip(s["names"], s["frequency"]), key=lambda p: -p[1])[:MOST_ROWS]
        lines += table(["Feature", ">Selected"], [[name(n), percent(f)] for n, f in pairs])
    return lines


def _redundant(facts: dict) -> list[str]:
    part, lines = _begin(facts, "redundant")
    if part is None:
        return lines
    lines += _exchanges(part.get("exchanges") or [], facts["recommended"]["metric"])
    if not part["groups"]:
        return lines
    members = [(g, m) for g in part["groups"] for m in g["members"]]
    rows = [
        [name(g["keep"]), name(m["name"]), say(m["relation"]), number(m["information"]), number(m["given_keep"])]
        for g, m in members[:MOST_ROWS]
    ]
    lines += table(["Keep", "Redundant", "Relation", ">Alone, bits", ">Left, bits"], rows)
    return [*lines, *_left_out(len(members))]


def _exchanges(exchanges: list[dict], metric: str) -> list[str]:
    """Return the table of what each recommended feature is worth."""
    if not exchanges:
        return []
    rows = [
        [
            name(e["feature"]),
            rise(e["without"], metric) + " ◆" * bool(e["is_clear"]),
            "–" if e["substitute"] is None else name(e["substitute"]),
            rise(e["exchanged"], metric) + " ◆" * bool(e["is_clear_exchange"]),
        ]
        for e in exchanges
    ]
    heads = ["Recommended feature", ">Change of the error without it", "Best substitute", ">Change with it"]
    return [*table(heads, rows), "◆ the held-out loss is clearly higher.", ""]


def _together(facts: dict) -> list[str]:
    part, lines = _begin(facts, "together")
    if part is None:
        return lines
    if part["sets"]:
        rows = [
            [
                " with ".join(map(name, s["features"])),
                number(s["joint"]),
                number(s["sum"]),
                number(s["synergy"]),
                p_value(s["p_value"]),
            ]
            for s in part["sets"][:MOST_ROWS]
        ]
        lines += table(["Features", ">Together, bits", ">Sum of parts, bits", ">Synergy, bits", ">p-value"], rows)
        lines += _left_out(len(part["sets"]))
    return lines


def _which_model(facts: dict) -> list[str]:
    part, lines = _begin(facts, "which_model")
    if part is None:
        return lines
    metric = part["metric"]
    ordered = sorted(part["rows"], key=lambda r: (r["error"] is None, r["error"] or 0))
    rows = [
        [
            say(r["model"]) + (" ◆" if r["is_chosen"] else ""),
            say(r["selector"] or "none"),
            f"{loss(r['error'], metric)} ± {loss(r['se'], metric)}",
            number(r["n_features"]),
            "baseline" if r["is_baseline"] else "yes" if r["within_one_se"] else "no",
        ]
        for r in ordered[: 2 * MOST_ROWS]
    ]
    lines += table(["Model", "Features by", f">{say(metric)}", ">Features", "Within one standard error"], rows)
    return [
        *lines,
        f"◆ chosen. {say(part['folds'])}; {plural(part['n_rows'], 'row')}.",
        "",
    ]


def _card(facts: dict) -> list[str]:
    card = facts.get("card")
    lines = ["## Model card", ""]
    if not card:
        return [*lines, "There is no model: these data show no signal.", ""]
    if card.get("skipped"):
        return [*lines, f"*Skipped.* {say(card['skipped'])}", ""]
    lines += [f"**{say(card['model'])}**", ""]
    test = card["test"]
    if test:
        metric = test["metric"]
        lines += [
            f"{say(metric).capitalize()} on {number(test['n'])} {say(test['on'])}: **{loss(test['error'], metric)}** "
            f"({loss(test['low'], metric)} to {loss(test['high'], metric)}), "
            f"{loss(test['baseline'], metric)} without features"
            + (f"; test opened {plural(test['openings'], 'time')}." if facts["data"]["n_test"] else "."),
            "",
        ]
    rows = [[name(f["name"]), number(f["weight"]), say(f["detail"] or "–", 120)] for f in card["features"][:MOST_ROWS]]
    lines += [*table(["Feature", ">Weight", "Detail"], rows), *_left_out(len(card["features"]))]
    if card["rules"]:
        lines += code(card["rules"], "")
    lines += _confusion(card["confusion"], facts["target"]["classes"])
    for dialect, program in (card["sql"] or {}).items():
        lines += [f"SQL ({name(dialect)}):", "", *code(program, "sql")]
    if card["python"]:
        lines += ["Python:", "", *code(card["python"], "python")]
    if card["why_no_export"]:
        lines += [say(card["why_no_export"]), ""]
    return lines


def _confusion(counts: list[list[int]] | None, classes: list[str] | None) -> list[str]:
    if not counts or not classes:
        return []
    lines = ["Confusion matrix on the sealed rows:", ""]
    if len(classes) > MOST_CLASSES:
        return [*lines, f"{len(classes)} classes: the table is in the JSON of this report.", ""]
    rows = [[f"true {name(label)}", *map(number, line)] for label, line in zip(classes, counts)]
    return [*lines, *table(["", *(f">predicted {name(label)}" for label in classes)], rows)]


def code(text: str, language: str) -> list[str]:
    """Return a fenced block whose fence is longer than any in the text."""
    if len(text) > LONGEST_CODE:
        return [f"({number(len(text))} characters: see the JSON of this report.)", ""]
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return ["\n".join([f"{fence}{language}", text.strip("\n"), fence]), ""]


def _features(facts: dict) -> list[str]:
    f = facts["features"]
    rows = [
        [
            number(f["rank_alone"][i]),
            name(f["name"][i]),
            number(f["information"][i]),
            p_value(f["q_value"][i]),
            number(f["in_context"][i]),
            "yes" if f["chosen"][i] else "",
            percent(f["frequency"][i]),
        ]
        for i in range(min(len(f["name"]), MOST_ROWS))
    ]
    heads = [">Rank", "Feature", ">Information, bits", ">q-value", ">In context, bits", "Chosen", ">Stability"]
    return ["## Features", *table(heads, rows), *_left_out(f["n"])]


def _columns(facts: dict) -> list[str]:
    columns = facts["data"]["columns"]
    unused = [c for c in columns if not c["is_used"]]
    shown = [*unused[:MOST_ROWS], *(c for c in columns if c["is_used"])][:MOST_ROWS]
    rows = [
        [
            name(c["name"]),
            c["kind"],
            number(c["n_missing"]),
            number(c["n_distinct"]),
            say(c["why"], 200) if c["why"] else "used",
        ]
        for c in shown
    ]
    return ["## Columns", *table(["Column", "Kind", ">Missing", ">Distinct", "Use"], rows), *_left_out(len(columns))]


def _left_out(n: int) -> list[str]:
    return [] if n <= MOST_ROWS else [f"{MOST_ROWS} of {number(n)} are shown; all are in the JSON of this report.", ""]
