"""Reports on hostile names and numbers: facts that keep to the schema are written, and nothing is markup or runs.

Lists that stand for the columns of one table stay equally long, which the schema cannot say.
"""

import copy
import json
import re
import sys
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import jsonschema
from inputs import Inputs

from vitalfew.reporting.render_html import page
from vitalfew.reporting.render_markdown import render_markdown
from vitalfew.reporting.text import clean

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "report"))
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
def golden() -> list[dict]:
    return [example_facts.ALL[name]() for name in example_facts.ALL if name != "large"]


@cache
def validator():
    schema = json.loads(files("vitalfew.reporting").joinpath("schema.json").read_text("utf-8"))
    return jsonschema.Draft202012Validator(schema)


class Outline(HTMLParser):
    """The elements and attributes of a page: those of the template, or somebody got in."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.seen: set[tuple[str, str]] = set()
        self.n = {"script": 0, "style": 0}
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen |= {(tag, ""), *((tag, name) for name, _ in attrs)}
        if tag in self.n:
            self.n[tag] += 1
        for name, value in attrs:
            assert name not in ("href", "src") or str(value).startswith(("#", "data:")), f"{name}={value!r}"


@cache
def usual() -> Outline:
    """What the template makes of facts that nobody has touched."""
    found = [Outline(page(clean(facts), {})) for facts in golden()]
    for other in found[1:]:
        found[0].seen |= other.seen
    return found[0]


def places(node, found=None) -> list[tuple[object, object]]:
    found = [] if found is None else found
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list):
            places(value, found)
        found.append((node, key))
    return found


def hostile(inputs: Inputs) -> str:
    parts = [inputs.choice(MARKS) if inputs.below(2) else inputs.text(8) for _ in range(inputs.below(6))]
    return "".join(parts) * (1000 if inputs.below(20) == 1 else 1)


def change(facts: dict, inputs: Inputs) -> None:
    known = places(facts)
    holder, key = known[inputs.below(len(known))]
    value = holder[key]
    if isinstance(value, str) or (value is None and inputs.below(2)):
        holder[key] = hostile(inputs)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        value[inputs.below(len(value) + 1) :] = value[: inputs.below(3)]
    elif isinstance(value, dict) and inputs.below(3) == 0:
        value[hostile(inputs)] = hostile(inputs)
    elif isinstance(value, float):
        holder[key] = inputs.choice(NUMBERS)
    elif isinstance(value, int):
        holder[key] = inputs.choice([0, 1, 2, 5, 10**15, not value, None])


def check_page(source: str) -> None:
    source.encode("utf-8")
    outline = Outline(source)
    assert outline.seen <= usual().seen, f"not of the template: {outline.seen - usual().seen}"
    assert outline.n == usual().n, "a script or a style of somebody else"
    for data in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', source, re.DOTALL):
        json.loads(data)


def check_markdown(source: str) -> None:
    """No mark of HTML outside of code."""
    source.encode("utf-8")
    fence = ""
    for line in source.split("\n"):
        marks = re.match("`{3,}", line)
        if marks and (not fence or line == fence):
            fence = "" if fence else marks[0]
        elif not fence:
            assert not re.search(r"<(?! )", line), line


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    facts = copy.deepcopy(golden()[inputs.below(len(golden()))])
    for _ in range(1 + inputs.below(6)):
        change(facts, inputs)
    if not validator().is_valid(clean(facts)):
        return
    check_page(page(clean(facts), {}))
    check_markdown(render_markdown(facts))
