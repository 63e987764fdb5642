"""Run the speed cases and write the section Speed of RESULTS.md: `python benchmarks/run.py [case | case:data ...]`.

A case is a file in cases/ with `compare()`, which gives rows, and perhaps `tables()`, which gives further tables. One
with `DATA` is compared on each of these alone, `compare(data)`, and each is a separate part: a data set can be run
alone, and parts that are not run keep their results.
"""

from __future__ import annotations

import importlib
import os
import sys
from datetime import date
from pathlib import Path

import judge

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
TITLE = (
    "# Results\n\nTimes relative to other libraries, measured in the same run and for the same result. Losses are "
    "listed too.\n"
)


def table(rows: list[dict], columns: dict[str, str]) -> str:
    """Format a Markdown table; `columns` maps keys of a row to headings."""
    lines = [" | ".join(columns.values()), " | ".join(["---"] * len(columns))]
    lines += [" | ".join(_cell(row.get(key, "")) for key in columns) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def write_section(name: str, body: str, path: Path = RESULTS) -> None:
    """Replace the text between the markers of a section, or add the section at the end."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = path.read_text() if path.exists() else TITLE
    section = f"{begin}\n## {name}\n\n{body}\n{end}"
    if begin in text and end in text:
        before, rest = text.split(begin, 1)
        text = before + section + rest.split(end, 1)[1]
    else:
        text = f"{text.rstrip()}\n\n{section}\n"
    path.write_text(text)


def circumstances() -> str:
    """Return machine, date, versions and commit."""
    return f"{judge.machine()}. {date.today()}. {judge.versions()}."


def known_parts() -> list[str]:
    """Return the parts that can be run, in the order of the results: `case`, or `case:data`."""
    parts = []
    for name in sorted(path.stem for path in (HERE / "cases").glob("*.py") if path.stem != "__init__"):
        data = getattr(importlib.import_module(f"cases.{name}"), "DATA", None)
        parts += [name] if data is None else [f"{name}:{one}" for one in data]
    return parts


def run_part(part: str) -> dict:
    """Return the rows and further tables of a case, or of a case on one of its data sets."""
    name, _, data = part.partition(":")
    module = importlib.import_module(f"cases.{name}")
    rows = module.compare(data) if data else module.compare()
    for row in rows:
        row["ratio"] = row["peer_s"] / row["ours_s"]
    further = (module.tables(data) if data else module.tables()) if hasattr(module, "tables") else {}
    return {"rows": rows, "tables": further, "circumstances": circumstances()}


COLUMNS = {
    "case": "case",
    "peer": "peer",
    "ours_s": "ours, s",
    "peer_s": "peer, s",
    "ratio": "times faster",
    "median_ratio": "by medians",
    "processor_ratio": "by CPU time",
    "spreads": "spread ours / peer",
    "equal": "equal",
    "ours_peak_mb": "our peak, MB",
    "peer_peak_mb": "peer's peak, MB",
    "note": "note",
}


INTRODUCTION = (
    "Seconds are the best of interleaved repetitions. Spread is the interquartile range divided by the median. CPU "
    "time is summed over threads and depends little on other work on the machine. Memory is the peak of one call in a "
    "fresh process, minus the memory in use before the call."
)


def render(name: str, case: dict) -> str:
    """Format the part of a case: circumstances, rows, further tables."""
    rows = [dict(row) for row in case["rows"]]
    for row in rows:
        if "ours_median_s" in row:
            row["median_ratio"] = row["peer_median_s"] / row["ours_median_s"]
            row["spreads"] = f"{row['ours_spread']:.0%} / {row['peer_spread']:.0%}"
    parts = [f"### {_heading(name)}", case["circumstances"], *([table(rows, COLUMNS)] if rows else [])]
    for title, lines in case["tables"].items():
        parts.append(f"**{title}**\n\n{table(lines, {key: key for key in lines[0]})}")
    return "\n\n".join(parts)


def _heading(name: str) -> str:
    return name.replace("_", " ").replace(":", ": ")


def stored_parts(path: Path = RESULTS) -> dict[str, str]:
    """Return the existing parts of the section Speed, by heading."""
    text = path.read_text() if path.exists() else ""
    section = text.partition("<!-- begin Speed -->")[2].partition("<!-- end Speed -->")[0]
    parts = [f"### {part.strip()}" for part in section.split("\n### ")[1:]]
    return {part.splitlines()[0].removeprefix("### "): part for part in parts}


def main(names: list[str]) -> str:
    """Run the named cases, or all, and write the section."""
    known = known_parts()
    wanted = [part for part in known if not names or part in names or part.partition(":")[0] in names]
    unknown = [name for name in names if not any(name in (part, part.partition(":")[0]) for part in wanted)]
    if unknown:
        sys.exit(f"Unknown case {', '.join(unknown)}; there are {', '.join(known)}.")
    os.environ.update(judge.environment())
    for name in wanted:
        found = run_part(name)
        if not found["rows"] and not found["tables"]:
            continue
        parts = {**stored_parts(), _heading(name): render(name, found)}
        kept = [parts[_heading(name)] for name in known if _heading(name) in parts]
        write_section("Speed", "\n\n".join([INTRODUCTION, *kept]))
    return RESULTS.read_text()


if __name__ == "__main__":
    print(main(sys.argv[1:]))
