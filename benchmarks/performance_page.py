"""Write the tables of docs/performance.md from RESULTS.md: `python benchmarks/performance_page.py`.

`speed_rows` and `growth_rows` read what was measured; the page's charts are drawn from the same rows when the site is
built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from run import RESULTS, table

PAGE = RESULTS.parents[1] / "docs" / "performance.md"
COLUMNS = {
    "case": "task",
    "peer": "peer",
    "ours, s": "ours, s",
    "peer, s": "peer, s",
    "times faster": "times faster",
    "by medians": "by medians",
    "by CPU time": "by CPU time",
    "equal": "same result",
}
RATIOS = ("times faster", "by medians", "by CPU time")
LOSS_COLUMNS = COLUMNS | {"times faster": "times slower"}


def tables_of(text: str) -> Iterator[list[dict[str, str]]]:
    """Yield the Markdown tables of a text, each as rows by heading."""
    for block in re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in block.splitlines()]
        head = [name.strip() for name in lines[0]]
        yield [dict(zip(head, line)) for line in lines[2:]]


def section(name: str, path: Path = RESULTS) -> str:
    """Return the text between the markers of a section."""
    return path.read_text().partition(f"<!-- begin {name} -->")[2].partition(f"<!-- end {name} -->")[0]


def as_number(cell: str) -> float | None:
    """Parse a number in a table; None if it is not one."""
    try:
        return float(cell.replace(",", "").replace("*", ""))
    except ValueError:
        return None


def speed_rows(path: Path = RESULTS) -> list[dict[str, str]]:
    """Return the comparisons with peers, without those with our own code on one thread."""
    rows = [
        row for rows in tables_of(section("Speed", path)) for row in rows if "times faster" in row and "peer" in row
    ]
    return [row for row in rows if not row["peer"].startswith(("ours", "one process"))]


def growth_rows(path: Path = RESULTS) -> list[dict[str, str]]:
    """Return the times by size."""
    return [row for rows in tables_of(section("Growth", path)) for row in rows]


def ratio(row: dict[str, str]) -> float:
    return as_number(row["times faster"]) or float("nan")


def losses(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows in which a peer was faster, by best times or by medians, the largest loss first."""
    lost = [r for r in rows if min(ratio(r), as_number(r.get("by medians", "")) or float("inf")) < 1]
    return sorted(lost, key=ratio)


def turned(cell: str) -> str | float:
    """Convert "times faster" to "times slower"."""
    value = as_number(cell)
    return 1 / value if value else cell


def parts(path: Path = RESULTS) -> dict[str, str]:
    """Return the generated parts of the page by the names of their markers."""
    rows = speed_rows(path)
    lost = [row | {name: turned(row.get(name, "")) for name in RATIOS} for row in losses(rows)]
    return {"losses": table(lost, LOSS_COLUMNS), "all": table(sorted(rows, key=ratio), COLUMNS)}


def fill(text: str, path: Path = RESULTS) -> str:
    """Return the page with its generated parts filled in."""
    for name, body in parts(path).items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, rest = text.split(begin, 1)
        text = f"{before}{begin}\n\n{body}\n\n{end}{rest.split(end, 1)[1]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text()))
