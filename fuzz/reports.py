"""Fuzz reports with hostile names and numbers: valid facts are rendered, and nothing becomes markup or runs.

Lists that hold the columns of one table keep equal lengths, which the schema cannot express.
"""

import json
import marshal
import re
import sys
from functools import cache, lru_cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import jsonschema
from inputs import Inputs, holder, paths

from vitalfew.reporting.render.html import page
from vitalfew.reporting.render.markdown import render_markdown
from vitalfew.reporting.render.text import clean

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "reporting"))
import example_facts

NUMBERS = [0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), None, 0.99999999, -1e-9, 1.0]
MARKS = ["<script>", "</script>", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", "javascript:alert(1)"]
MARKS += [
    '" onload="x',
    "' x='",
    "{{ 7*7 }}",
    "{% raw %}",
    "&lt;",
    "\\u003c",
    "`",
    "|",
    "\n",
    "\r",
    "# ",
    "\0",
    "\u202e",
]
MARKS += ["\ud800", "\u2028", "</style>", "<svg onload=x>", "</textarea>", "<a href=//x>", "[x](javascript:x)", "$x$"]


@cache
def examples() -> list[dict]:
    return [example_facts.ALL[name]() for name in example_facts.ALL if name != "large"]


@cache
def golden() -> list[dict]:
    """Return examples with shortened lists, which render fast, and one complete example."""
    return [*map(shorter, examples()), examples()[0]]


def shorter(node):
    """Shorten lists; lists of equal length keep equal lengths."""
    if isinstance(node, dict):
        return {key: shorter(value) for key, value in node.items()}
    return [shorter(value) for value in node[:6]] if isinstance(node, list) else node


@cache
def validator():
    schema = json.loads(files("vitalfew.reporting.render").joinpath("schema.json").read_text("utf-8"))
    return jsonschema.Draft202012Validator(schema)


TAG = re.compile(r"""<(?:!doctype html|/?[a-z][a-z0-9]*(?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*\s*/?)>""")
VERBATIM = re.compile(r"(<(script|style)[^<>]*>)(.*?)</\2>", re.DOTALL)


class Tag(HTMLParser):
    """Element and attributes of a tag."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.seen: set[tuple[str, str]] = set()
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.seen |= {(tag, ""), *((tag, name) for name, _ in attrs)}
        for name, value in attrs:
            assert name not in ("href", "src") or str(value).startswith(("#", "data:")), f"{name}={value!r}"


@lru_cache(10_000)
def elements(tag: str) -> set[tuple[str, str]]:
    return Tag(tag).seen


def outline(source: str) -> tuple[set[tuple[str, str]], int]:
    """Return the elements and attributes of a page, and the number of its scripts and styles, whose text is not markup.

    Every ``<`` must begin a tag that any reader of HTML sees the same way: values in quotes, without marks.
    """
    verbatim = VERBATIM.findall(source)
    for tag, _, text in verbatim:
        assert not re.search("<(?:!--|/?script|/?style)", text, re.IGNORECASE), "a script or a style ends too early"
        if "application/json" in tag:
            json.loads(text)
    source = VERBATIM.sub(r"\1", source)
    tags = TAG.findall(source)
    assert len(tags) == source.count("<"), [t for t in re.findall("<.{0,80}", source) if not TAG.match(t)]
    return set().union(*map(elements, set(tags))), len(verbatim)


@cache
def usual() -> tuple[set[tuple[str, str]], int]:
    """Return the outline of the page for unmodified facts."""
    found = [outline(page(clean(facts), {})) for facts in [*examples(), *golden()]]
    return set().union(*(seen for seen, _ in found)), found[0][1]


@cache
def starts() -> list[tuple[bytes, list[tuple]]]:
    """Return the facts as bytes that are fast to copy, and the paths in them."""
    return [(marshal.dumps(facts), paths(facts)) for facts in golden()]


def hostile(inputs: Inputs) -> str:
    parts = [inputs.choice(MARKS) if inputs.below(2) else inputs.text(8) for _ in range(inputs.below(6))]
    return "".join(parts) * (1000 if inputs.below(20) == 1 else 1)


def change(facts: dict, known: list[tuple], inputs: Inputs) -> None:
    path = inputs.choice(known)
    place, key = holder(facts, path), path[-1]
    if place is None:
        return
    value = place[key]
    if isinstance(value, str) or (value is None and inputs.below(2)):
        place[key] = hostile(inputs)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        value[inputs.below(len(value) + 1) :] = value[: inputs.below(3)]
    elif isinstance(value, dict) and inputs.below(3) == 0:
        value[hostile(inputs)] = hostile(inputs)
    elif isinstance(value, float):
        place[key] = inputs.choice(NUMBERS)
    elif isinstance(value, int):
        place[key] = inputs.choice([0, 1, 2, 5, 10**15, not value, None])


def check_page(source: str) -> None:
    source.encode("utf-8")
    seen, n_verbatim = outline(source)
    assert seen <= usual()[0], f"not of the template: {seen - usual()[0]}"
    assert n_verbatim == usual()[1], "a script or a style from outside"


def check_markdown(source: str) -> None:
    """Check that there is no HTML markup outside code."""
    source.encode("utf-8")
    fence = ""
    for line in source.split("\n"):
        marks = re.match("`{3,}", line)
        if marks and (not fence or line == fence):
            fence = "" if fence else marks[0]
        elif not fence:
            assert "<" not in line.replace("< ", ""), line


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    packed, known = inputs.choice(starts())
    facts = marshal.loads(packed)
    for _ in range(1 + inputs.below(6)):
        change(facts, known, inputs)
    cleaned = clean(facts)
    try:
        check_page(page(cleaned, {}))
        check_markdown(render_markdown(facts))
    except Exception:
        # Validation takes longer than rendering; invalid facts may fail.
        if validator().is_valid(cleaned):
            raise
