"""The pages say what the facts say, whatever the names; nothing in them is markup, loads or runs."""

import base64
import copy
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import example_facts
import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vitalfew.reporting.render.charts import all_figures
from vitalfew.reporting.render.html import page, render_html
from vitalfew.reporting.render.markdown import render_markdown
from vitalfew.reporting.render.tables import columns_table, features_table, pack
from vitalfew.reporting.render.text import clean, shorten

SCHEMA = json.loads(files("vitalfew.reporting.render").joinpath("schema.json").read_text("utf-8"))
SMALL = [n for n in example_facts.ALL if n != "large"]
PARTS = ("how_many", "redundant", "together", "which_model")


class Outline(HTMLParser):
    """Elements with their attributes, and the text outside scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.text = ""
        self.inside = ""
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag if tag in self.raw else ""
        if self.inside:
            self.raw[tag].append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside:
            self.raw[self.inside][-1] += data
        else:
            self.text += data

    @property
    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]


@pytest.fixture(scope="module")
def pages():
    made = {}

    def of(name: str) -> str:
        if name not in made:
            facts = example_facts.ALL[name]()
            # To draw takes most of the time; two examples show what there is to see.
            made[name] = render_html(facts) if name in ("adult", "hostile") else page(clean(facts), {})
        return made[name]

    return of


def squeeze(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", SMALL)
def test_examples_keep_to_the_schema(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    facts = example_facts.ALL[name]()
    jsonschema.validate(facts, SCHEMA, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "vitalfew.report/2"),
        (("target", "kind"), "color"),
        (("features", "p_value"), [2.0]),
        (("how_many",), {"skipped": "no answer"}),
        (("how_many", "criteria"), [{"rule": "mdl"}]),
        (("card", "test", "openings"), -1),
        (("verdict",), "no signal"),
        (("recommended", "p_value"), 1.5),
        (("recommended", "few", "features"), "age"),
        (("recommended", "stability"), {"age": 2.0}),
        (("card", "confusion"), [[1.5]]),
        (("which_model", "rows"), None),
    ],
)
def test_schema_refuses(path, value):
    facts = example_facts.adult()
    *way, last = path
    at = facts
    for key in way:
        at = at[key]
    at[last] = value
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(facts)


@pytest.mark.parametrize("name", SMALL)
def test_four_answers_in_page_and_markdown(name, pages):
    facts = example_facts.ALL[name]()
    seen = squeeze(Outline(pages(name)).text)
    markdown = re.sub(r"\\(.)", r"\1", render_markdown(facts)).replace("&lt;", "<").replace("&gt;", ">")
    for sentence in [*facts["headline"], *(facts[p]["answer"] for p in PARTS)]:
        assert squeeze(clean(sentence)) in seen
        assert squeeze(clean(sentence)) in markdown
    assert ("The models below may fit noise" in seen) == facts["nothing_here"]
    assert ("**Cannot tell.**" in markdown) == facts["nothing_here"]
    assert ("A weak signal" in seen) == (facts["verdict"] == "weak")
    for part in PARTS:
        if "skipped" in facts[part]:
            assert facts[part]["skipped"] in seen
            assert facts[part]["skipped"] in markdown.replace("\\", "")


def test_sealed_test_and_openings(pages):
    once, thrice = Outline(pages("adult")).text, Outline(pages("numeric")).text
    assert "opened once" in once
    assert "15.1%" in once
    assert "14.5% to 15.8%" in once
    assert "opened 3 times" in thrice
    assert "60,500" in thrice
    assert "opened 3 times" in render_markdown(example_facts.numeric())


def test_the_page_says_on_which_rows_the_error_was_measured(pages):
    assert "Error rate on sealed rows" in Outline(pages("adult")).text
    assert "The sealed rows are not used here" in Outline(pages("adult")).text
    for name in ("weak", "nothing_here"):
        assert "Error rate on rows left out of the folds" in Outline(pages(name)).text
    few = Outline(pages("weak")).text
    assert "The sealed rows are not used here" not in few
    assert "sealed test rows" not in few
    assert "opened once" not in few


def test_a_test_that_was_not_run_finds_nothing():
    facts = example_facts.nothing_here()
    for p, sentence in ((0.41, "A permutation test finds no signal about"), (None, "There was no time for the perm")):
        facts["recommended"]["p_value"] = p
        for text in (Outline(page(clean(facts), {})).text, render_markdown(facts)):
            assert sentence in text
            assert ("(p = 0.41)" in text.replace("\\", "").split("may fit noise")[0]) == (p is not None)


def test_right_and_wrong_is_a_table_with_heads(pages):
    source = pages("adult")
    table = source[source.index('<table class="confusion">') :].split("</table>")[0]
    heads = [a["scope"] for tag, a in Outline(table).elements if tag == "th"]
    assert heads == ["col", "colgroup", "col", "col", "row", "row"]
    assert squeeze(Outline(table).text).endswith("<=50K>50K <=50K8,650639 >50K1,2091,713")
    assert "| true &gt;50K | 1,209 | 1,713 |" in render_markdown(example_facts.adult())


def test_right_and_wrong_of_many_classes_is_left_to_json():
    facts = example_facts.adult()
    facts["target"] |= {"classes": [f"class {i}" for i in range(11)], "counts": [1] * 11}
    facts["card"]["confusion"] = [[77777] * 11] * 11
    for text in (Outline(page(clean(facts), {})).text, render_markdown(facts)):
        assert "11 classes: the table is in the JSON" in text
        assert "77,777" not in text
    facts = example_facts.numeric()
    assert "Confusion matrix" not in page(clean(facts), {})
    assert "Confusion matrix" not in render_markdown(facts)


def test_page_holds_the_charts_in_two_widths_with_words(pages):
    for name in ("adult", "hostile"):
        elements = Outline(pages(name)).elements
        charts = [a for tag, a in elements if tag == "svg" and a.get("class") == "chart"]
        assert len(charts) == 12
        for attributes in charts:
            assert attributes["role"] == "img"
            assert len(attributes["aria-label"]) > 30
        assert len([a for _, a in elements if "data-tip" in a]) > 100


def test_hostile_names_are_text(pages):
    outline = Outline(pages("hostile"))
    assert outline.tags.count("script") == 3
    assert outline.tags.count("style") == 1
    assert not {"img", "iframe", "object", "embed", "form", "base", "foreignobject"} & set(outline.tags)
    for _, attributes in outline.elements:
        assert not [a for a in attributes if a.startswith("on") or a == "style"]
        assert attributes.get("href", "#").startswith(("#", "data:,"))
        assert "src" not in attributes
    seen = squeeze(outline.text)
    for name in example_facts.HOSTILE:
        assert squeeze(shorten(clean(name))) in seen


@pytest.mark.parametrize("name", SMALL)
def test_policy_names_script_and_style(name, pages):
    outline = Outline(pages(name))
    policy = next(a["content"] for _, a in outline.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for source in (outline.raw["script"][-1], outline.raw["style"][0]):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_data_of_tables_come_back(pages):
    facts = example_facts.hostile()
    outline = Outline(pages("hostile"))
    features, columns = (json.loads(text) for text in outline.raw["script"][:2])
    assert unpack(features["name"]) == [shorten(clean(n)) for n in facts["features"]["name"]]
    assert unpack(features["chosen"]) == [int(c) for c in facts["features"]["chosen"]]
    assert unpack(columns["missing"]) == [c["n_missing"] for c in facts["data"]["columns"]]


def unpack(column):
    if isinstance(column, list):
        return column
    if "of" in column:
        return [column["of"][i] for i in column["place"]]
    values = [column["rest"]] * column["n"]
    for i, value in zip(column["at"], column["is"]):
        values[i] = value
    return values


values = (
    st.none() | st.booleans() | st.integers(0, 3) | st.floats(0, 1) | st.sampled_from(["a", "long enough to share"])
)


@given(st.lists(values, max_size=30) | st.lists(st.sampled_from(["numeric", "category", None]), max_size=300))
def test_packing_loses_nothing(column):
    packed = json.loads(json.dumps(pack(column)))
    assert unpack(packed) == column


def test_fifty_thousand_features_fit(pages):
    page_of_all = pages("large")
    assert len(page_of_all.encode()) < 4_700_000  # and room for charts
    assert "50,000 features" in page_of_all
    assert "gene_49999_at" in page_of_all


def test_too_much_for_a_page_is_cut_and_said():
    facts = example_facts.large(20_000)
    long = [f"{name} {'x' * 300}" for name in facts["features"]["name"]]
    facts["features"]["name"] = long
    for column, name in zip(facts["data"]["columns"], long):
        column["name"] = name
    facts["card"]["python"] = "pass\n" * 30_000
    source = page(clean(facts), {})
    assert len(source.encode()) < 4_700_000
    table = features_table(facts)
    assert 5_000 < table.n_shown < 20_000
    assert f"The page contains the first {table.n_shown:,} of 20,000 features" in source
    assert "too long for a page" in source


def test_markdown_tables_hold_their_columns():
    for name in SMALL:
        for block in re.findall(r"(?:^\|.*\n)+", render_markdown(example_facts.ALL[name]()), flags=re.M):
            cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(cells) == 1


def renamed(name: str) -> dict:
    """The example with this name for everything that the user names."""
    text = json.dumps(example_facts.adult())
    for own in [f[0] for f in example_facts.FEATURES] + ["adult.csv", "income", "<=50K", "row_id", "survey"]:
        text = text.replace(json.dumps(own), json.dumps(name))
    return json.loads(text)


PLAIN = Outline(page(renamed("plain"), {}))
PLAIN_LINES = len(render_markdown(renamed("plain")).splitlines())


@settings(max_examples=20)
@given(st.text(max_size=40) | st.sampled_from(example_facts.HOSTILE))
def test_names_never_change_the_structure(name):
    facts = renamed(name)
    outline = Outline(page(clean(facts), {}))
    assert outline.tags == PLAIN.tags
    assert [sorted(a) for _, a in outline.elements] == [sorted(a) for _, a in PLAIN.elements]
    markdown = render_markdown(facts)
    assert len(markdown.splitlines()) == PLAIN_LINES
    outside = re.sub(r"(?ms)^```.*?^```", "", markdown)
    assert "<" not in outside.replace("< 0.0001", "")


def test_charts_of_little_and_of_much():
    assert set(all_figures(clean(example_facts.skipped()))) == {"frontier"}
    least = {"frontier", "how_many", "redundant", "together", "errors"}
    assert set(all_figures(clean(example_facts.least()))) == least
    assert len(all_figures(clean(example_facts.long_path()))) == 6


def test_rendering_leaves_the_facts_alone():
    facts = example_facts.hostile()
    before = copy.deepcopy(facts)
    page(clean(facts), {})
    render_markdown(facts)
    assert facts == before


def test_columns_say_why_they_are_not_used():
    table = columns_table(example_facts.adult())
    assert "It has one value in all rows." in table.values["why"]
