"""Rendering of a report as one self-contained HTML page.

The page is written by Jinja2, which escapes every value by default and is a dependency of Altair. The page evaluates
only its own script, whose hash the content security policy lists; nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from vitalfew.reporting.render import text
from vitalfew.reporting.render.charts import all_figures
from vitalfew.reporting.render.glossary import GLOSSARY
from vitalfew.reporting.render.model_charts import model_name
from vitalfew.reporting.render.svg import COLORS, Figure
from vitalfew.reporting.render.tables import columns_table, features_table

TEMPLATES = Path(__file__).parent / "templates"

QUESTIONS = {
    "how_many": "How many features?",
    "redundant": "Which ones are redundant?",
    "together": "Which ones only work together?",
    "which_model": "Which model?",
}
# Longer lists are truncated; the JSON is complete.
MOST_GROUPS, MOST_MEMBERS, MOST_SETS, MOST_STEPS, MOST_WEIGHTS, MOST_CLASSES = 50, 20, 50, 200, 200, 10
LONGEST_CODE = 120_000
LONGEST_SENTENCE = 1500


def render_html(facts: dict) -> str:
    """Render the HTML page of a report.

    Parameters
    ----------
    facts : dict
        The facts of ``Report.to_dict()``, as ``schema.json`` beside this file describes them.

    Returns
    -------
    str
        A page that opens without a network, in light and dark, on paper and without JavaScript; below 5 MB.
    """
    facts = text.clean(facts)
    return page(facts, all_figures(facts))


def page(facts: dict, figures: dict[str, Figure]) -> str:
    """Render the page of cleaned facts, with these charts."""
    environment = _environment()
    facts = facts | {n: {"skipped": None} | facts[n] for n in (*QUESTIONS, "card") if facts.get(n)}
    return environment.get_template("page.html").render(
        facts=facts,
        figures=figures,
        **_own_code(),
        questions=QUESTIONS,
        headline=_headline(facts),
        tables=[features_table(facts), columns_table(facts)],
        glossary=GLOSSARY,
        limits={
            "groups": MOST_GROUPS,
            "members": MOST_MEMBERS,
            "sets": MOST_SETS,
            "weights": MOST_WEIGHTS,
            "classes": MOST_CLASSES,
        },
        steps=_steps(facts.get("how_many")),
        exports=_exports(facts.get("card")),
    )


def _headline(facts: dict) -> list[tuple[str | None, str | None, str]]:
    """Return the anchor, question and sentence of each answer."""
    sentences = [text.shorten(s, LONGEST_SENTENCE) for s in facts["headline"]]
    if len(sentences) == len(QUESTIONS):
        return [(name, QUESTIONS[name], s) for name, s in zip(QUESTIONS, sentences)]
    answers = [(n, q, text.shorten(facts[n]["answer"], LONGEST_SENTENCE)) for n, q in QUESTIONS.items() if facts.get(n)]
    return [*((None, None, s) for s in sentences), *answers]


def _steps(part: dict | None) -> list[dict[str, Any]]:
    """Return the numbers of the first chart, thinned if there are many."""
    if not part or part.get("skipped"):
        return []
    chosen = {c["chosen"] for c in part["criteria"]}
    every = max(1, -(-len(part["k"]) // MOST_STEPS))
    return [
        {
            "k": k,
            "feature": part["feature"][i] if i < len(part["feature"]) else None,
            "values": [(c["value"][i], (c.get("se") or [None] * len(part["k"]))[i]) for c in part["criteria"]],
            "chosen": [c["chosen"] == k for c in part["criteria"]],
        }
        for i, k in enumerate(part["k"])
        if i % every == 0 or k in chosen
    ]


def _exports(card: dict | None) -> list[dict[str, Any]]:
    """Return the source code of the model: title and text, None if it is too long."""
    if not card or card.get("skipped"):
        return []
    names = {"duckdb": "SQL for DuckDB", "sqlite": "SQL for SQLite", "postgres": "SQL for PostgreSQL"}
    found = [(names.get(k, f"SQL for {text.label(k, 40)}"), v) for k, v in (card.get("sql") or {}).items()]
    if card.get("python"):
        found.append(("Python", card["python"]))
    return [{"title": t, "code": c if len(c) <= LONGEST_CODE else None, "length": len(c)} for t, c in found]


@cache
def _own_code() -> dict[str, str]:
    """Return the style and the script of every page, and the policy that allows nothing else."""
    style = _environment().get_template("style.css").render(colors=COLORS)
    script = (TEMPLATES / "page.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": policy}


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


@cache
def _environment():
    try:
        import jinja2
    except ImportError:
        raise ImportError("HTML reports require Jinja2: pip install 'vitalfew[report]'.") from None
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": text.number,
        "percent": text.percent,
        "loss": text.loss,
        "p": text.p_value,
        "rise": text.rise,
        "plural": text.plural,
        "shorten": text.shorten,
        "label": text.label,
        "model_name": model_name,
    }
    return environment
