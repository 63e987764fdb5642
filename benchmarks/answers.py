"""Quality of the answers of `report` on a panel of data sets: python benchmarks/answers.py PANEL [OUT.jsonl] [options]

PANEL is a folder with `panel.py`, `reference.jsonl` and `blend.jsonl`: the splits of the data sets, and the test
errors of peers on them. Options go to `panel.py`, such as ``--only german,hitters``. Lines that OUT.jsonl has already
are kept, and its data sets are not run again. Prints each mark beside what was measured; RESULTS.md has the table of a
full run.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

# Added to both errors of a ratio, so that sets with hardly any errors do not decide.
FLOOR = 0.005
OURS = ("few", "best")


def read(*paths: Path) -> dict[tuple[str, int], dict[str, dict]]:
    """Return the runs of each data set and seed, by method; the first file that has a method counts."""
    runs: dict[tuple[str, int], dict[str, dict]] = {}
    for path in paths:
        for line in path.read_text().splitlines() if path.exists() else []:
            run = json.loads(line)
            if path.name != "blend.jsonl" or run["method"] == "blend":
                runs.setdefault((run["data"], run["seed"]), {}).setdefault(run["method"], run)
    return runs


def own(found: dict[str, dict], name: str) -> dict | None:
    """Return the run of a model, refitted to all training rows if it was."""
    return found.get(f"{name}, refitted") or found.get(name)


def ratio(found: dict[str, dict], name: str) -> float:
    """Return the error of one of our models over that of the peer that cross-validation picks."""
    run = own(found, name)
    assert run is not None
    return (run["error"] + FLOOR) / (found["peers by 5-fold"]["error"] + FLOOR)


def is_complete(found: dict[str, dict]) -> bool:
    """Return True if both models and the fair opponent have an error."""
    runs = [own(found, name) for name in OURS]
    return "peers by 5-fold" in found and all(run is not None and run["error"] is not None for run in runs)


def mean(values: list[float]) -> float:
    return math.exp(statistics.mean(map(math.log, values))) if values else math.nan


def marks(runs: dict) -> list[tuple[str, str, str]]:
    """Return each mark: what it is about, what was measured, and what is asked for."""
    complete = {
        key: found
        for key, found in runs.items()
        if "peers by 5-fold" in found
        and all(own(found, name) and own(found, name)["error"] is not None for name in OURS)
    }
    tables = [found for found in complete.values() if found["few"]["kind"] != "text"]
    texts = [found for found in complete.values() if found["few"]["kind"] == "text"]
    shares = [
        own(found, "few")["features"] / found["few"]["cols"]
        for found in tables
        if found["few"]["cols"] > 12 and own(found, "few")["features"] is not None
    ]
    seconds = [found["few"]["seconds"] for found in complete.values()]
    blind = [key[0] for key, found in complete.items() if _is_blind(found)]
    return [
        (f"best, {len(tables)} tables", f"{mean([ratio(f, 'best') for f in tables]):.3f}", "<= 0.96"),
        (f"few, {len(tables)} tables", f"{mean([ratio(f, 'few') for f in tables]):.3f}", "<= 1.00"),
        ("few, median share of the columns", f"{statistics.median(shares or [math.nan]):.2f}", "<= 0.25"),
        (f"best, {len(texts)} texts", f"{mean([ratio(f, 'best') for f in texts]):.3f}", "<= 1.02"),
        ("cannot tell, but a peer beats the baseline by 10%", f"{len(blind)} {blind}", "<= 1"),
        ("seconds, median", f"{statistics.median(seconds or [math.nan]):.0f}", "<= 45"),
        ("seconds, most", f"{max(seconds or [math.nan]):.0f}", "<= 66 plus reading"),
    ]


def _is_blind(found: dict[str, dict]) -> bool:
    ours = {"baseline", "peers by 5-fold", "blend", *OURS, *(f"{name}, refitted" for name in OURS)}
    peers = [run["error"] for method, run in found.items() if method not in ours and run["error"] is not None]
    return found["few"]["note"].startswith("cannot tell") and min(peers) < 0.9 * found["baseline"]["error"]


def main() -> None:
    panel, out = Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "build/answers.jsonl")
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {data for data, _ in read(out)}
    names = [one["name"] for one in json.loads((panel / "sets.json").read_text()) if one["name"] not in done]
    options = sys.argv[3:] or ["--only", ",".join(names)]
    if names:
        subprocess.run([sys.executable, str(panel / "panel.py"), str(out), "--methods", "report", *options], check=True)
    runs = read(out, panel / "reference.jsonl", panel / "blend.jsonl")
    for key, found in sorted(runs.items()):
        if is_complete(found):
            shown = "  ".join(f"{name} {own(found, name)['error']:.4f} ({ratio(found, name):.2f})" for name in OURS)
            print(f"{key[0]:20s} {found['peers by 5-fold']['error']:.4f}  {shown}  {found['few']['seconds']:.0f} s")
    for what, measured, asked in marks(runs):
        print(f"{what:52s} {measured:>12s}   mark {asked}")


if __name__ == "__main__":
    main()
