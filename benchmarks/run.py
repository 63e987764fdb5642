"""Run the speed cases and write the section Speed of RESULTS.md: `python benchmarks/run.py [case ...]`.

A case is a file in cases/ with `compare()`, which gives rows, and perhaps `tables()`, which gives further tables.
Rows of cases that are not run stay as they are.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from datetime import date
from pathlib import Path

import judge

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
TITLE = "# Results\n\nHow many times the peer's time, in the same run and for the same result. Losses are listed too.\n"


def table(rows: list[dict], columns: dict[str, str]) -> str:
    """A markdown table; `columns` gives keys of a row and their headings."""
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
    """Machine, date, versions and commit."""
    return f"{judge.machine()}. {date.today()}. {judge.versions()}."


def run_case(name: str) -> dict:
    """Rows and further tables of a case."""
    module = importlib.import_module(f"cases.{name}")
    rows = module.compare()
    for row in rows:
        row["ratio"] = row["peer_s"] / row["ours_s"]
    further = module.tables() if hasattr(module, "tables") else {}
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


def render(found: dict[str, dict]) -> str:
    """The section: a table for each case, with what it was measured on."""
    parts = [
        "Seconds are the least of interleaved repetitions; spread is the distance between quartiles over the median; "
        "CPU time is summed over threads, and hardly moved by other work on the machine. "
        "Memory is the peak of one call in a fresh process above what was held before it."
    ]
    for name, case in found.items():
        rows = [dict(row) for row in case["rows"]]
        for row in rows:
            if "ours_median_s" in row:
                row["median_ratio"] = row["peer_median_s"] / row["ours_median_s"]
                row["spreads"] = f"{row['ours_spread']:.0%} / {row['peer_spread']:.0%}"
        parts.append(f"### {name.replace('_', ' ')}\n\n{case['circumstances']}\n\n{table(rows, COLUMNS)}")
        for title, lines in case["tables"].items():
            parts.append(f"**{title}**\n\n{table(lines, {key: key for key in lines[0]})}")
    return "\n\n".join(parts)


def main(names: list[str]) -> str:
    """Run the named cases, or all, and write the section."""
    known = sorted(path.stem for path in (HERE / "cases").glob("*.py") if path.stem != "__init__")
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"Unknown case {', '.join(unknown)}; there are {', '.join(known)}.")
    os.environ.update(judge.environment())
    store = judge.CACHE / "speed.json"
    judge.CACHE.mkdir(exist_ok=True)
    found = json.loads(store.read_text()) if store.exists() else {}
    for name in names or known:
        found[name] = run_case(name)
        store.write_text(json.dumps(found))
    body = render({name: found[name] for name in known if name in found})
    write_section("Speed", body)
    return body


if __name__ == "__main__":
    print(main(sys.argv[1:]))
