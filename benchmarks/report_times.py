"""Time, memory and answers of `report` on real data, and its false findings in noise.

    python benchmarks/report_times.py [name ...] [--noise N]

Each report runs in a separate process, with the default time budget of 60 s.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import time

import numpy as np
import pandas as pd

from judge import SHARED
from run import circumstances, table, write_section
from vitalfew import report

DATA = {
    "adult": "uci/adult.csv.gz",
    "sms_spam": "text/sms_spam.csv.gz",
    "leukemia_golub": "wide/leukemia_golub.npz",
    "communities_crime": "wide/communities_crime.csv.gz",
    "agaricus-lepiota": "uci/agaricus-lepiota.csv.gz",
    "madelon": "wide/madelon.npz",
}


def load(name: str):
    path = SHARED / DATA[name]
    if path.suffix == ".npz":
        held = np.load(path)
        return pd.DataFrame(held["X"], columns=held["feature_names"].tolist()), held["y"]
    frame = pd.read_csv(path, na_values="?")
    return frame.drop(columns="target"), frame["target"]


def run(name: str, out) -> None:
    X, y = load(name)
    began = time.perf_counter()
    found = report(X, y, progress=False, source=name)
    seconds = time.perf_counter() - began
    page = found.to_html()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.put((seconds, time.perf_counter() - began - seconds, peak, len(page) / 1e6, json.loads(found.to_json())))


def line(name: str) -> dict:
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=run, args=(name, queue))
    child.start()
    seconds, drawing, peak, size, facts = queue.get()
    child.join()
    test = facts["card"]["test"]
    return {
        "data": name,
        "rows": facts["data"]["n_rows"],
        "features": facts["data"]["n_features"],
        "s": seconds,
        "page, s": drawing,
        "peak, MB": peak,
        "page, MB": size,
        "how many": facts["how_many"]["answer"],
        "redundant": facts["redundant"]["answer"],
        "together": facts["together"]["answer"],
        "model": facts["which_model"]["answer"],
        "error": f"{test['error']:.4f} on {test['on']}",
    }


def noise(n_seeds: int) -> int:
    """Count the tables of noise in which the report finds something."""
    found = 0
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 30)), rng.integers(0, 2, 300)
        made = report(X, y, progress=False, random_state=seed, time_budget=5)
        if made.facts["verdict"] != "cannot tell":
            found += 1
            print(seed, made)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--noise", type=int, default=0)
    asked = parser.parse_args()
    load_1min = f"Load of the machine before the first: {os.getloadavg()[0]:.1f} (1 minute)."
    lines, text = [], [circumstances()]
    for name in asked.names or DATA:
        if not (SHARED / DATA[name]).exists():
            print(f"{name} is not there: skipped")
            continue
        lines.append(line(name))
        print(lines[-1])
    if lines:
        text += [
            f"Each report ran in a separate process, with a time budget of 60 s. {load_1min}",
            table(lines, {key: key for key in lines[0]}),
        ]
    if asked.noise:
        count = noise(asked.noise)
        text.append(f"Of {asked.noise} tables of noise (300 x 30, two classes) something is found in {count}.")
    write_section("Reports", "\n\n".join(text))


if __name__ == "__main__":
    main()
