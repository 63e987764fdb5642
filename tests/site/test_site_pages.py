"""Charts and formulas in the documentation; a mistake in one fails the build."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx_gallery", reason="the site is built with the packages of the extra [docs]")
pytest.importorskip("myst_parser", reason="the site is built with the packages of the extra [docs]")

CONF = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2] / "docs" / "_ext")!r})
extensions = ["myst_parser", "charts", "mathml"]
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
"""
CHART = """# A page

```{chart}
:alt: three points
:caption: A caption.

import altair as alt

rows = [{"x": 1}, {"x": 2}, {"x": 3}]
alt.Chart(alt.Data(values=rows)).mark_point().encode(x="x:Q")
```

```{chart}
:alt: two points
:hide-code:

alt.Chart(alt.Data(values=rows[1:])).mark_point().encode(x="x:Q")
```
"""


def build(folder, page):
    """The exit code of a build, what it said, and the page."""
    (folder / "conf.py").write_text(CONF)
    (folder / "index.md").write_text(page)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        "out/trees",
        "-b",
        "html",
        ".",
        "out/html",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    built = folder / "out" / "html" / "index.html"
    return done.returncode, done.stderr, built.read_text() if built.exists() else ""


def test_charts_are_drawn_below_their_code(tmp_path):
    code, said, page = build(tmp_path, CHART)
    assert (code, said) == (0, "")
    images = re.findall(r'<img alt="(.+?)".*?src="(.+?)"', page)
    assert [alt for alt, _ in images] == ["three points", "two points"]
    assert all((tmp_path / "out" / "html" / file).read_text().startswith("<svg") for _, file in images)
    assert page.count("highlight-python") == 1
    assert "A caption." in page


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (CHART.replace("rows[1:]", "rows[1:] + 1 / 0"), "index.md:17: ERROR: ZeroDivisionError: division by zero"),
        (CHART.replace("rows = [", "rows = [["), "index.md:9: ERROR: SyntaxError"),
        (CHART.replace(":alt: two points\n", ""), "a chart needs :alt:"),
        (CHART.replace("rows[1:]", "rows[1:"), "index.md:17: ERROR: SyntaxError"),
        (CHART + "\n```{chart}\n:alt: nothing\n\nrows\n```\n", "must be an Altair chart, got [{'x': 1}"),
        ("# A page\n\nA formula $\\nonsense{x}$.\n", "index.md:3: ERROR: formula"),
    ],
)
def test_a_mistake_fails_the_build_and_is_found(tmp_path, page, message):
    code, said, _ = build(tmp_path, page)
    assert code == 1
    assert message in said


@pytest.mark.parametrize(
    ("formula", "upper", "lower"),
    [(r"\frac12 x", "<mn>1</mn>", "<mn>2</mn>"), (r"\tfrac1\lambda x", "<mn>1</mn>", "<mi>λ</mi>")],
)
def test_short_fractions_are_those_of_tex(tmp_path, formula, upper, lower):
    _, _, page = build(tmp_path, f"# A page\n\nHere ${formula}$.\n")
    inside = re.search(r"<mfrac.*?>(.*?)</mfrac>", page, re.DOTALL)[1]
    assert re.sub(r"\s", "", inside) == upper + lower
