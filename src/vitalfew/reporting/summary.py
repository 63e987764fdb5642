"""Six lines that sum up a report, and what it found out about one feature."""

from __future__ import annotations

from typing import Any

from vitalfew.reporting.phrases import listing, plural, short
from vitalfew.reporting.questions.recommended import is_same, show
from vitalfew.support.suggest import check_names


def summary_lines(facts: dict[str, Any]) -> list[str]:
    """Return six lines: what to keep and drop, the error, the models, their stability and how to get the page."""
    said = facts["recommended"]
    few, best, metric = said["few"], said["best"], said["metric"]
    test = facts["card"]["test"]
    dropped = said["n_features"] - few["n_features"]
    signal = {"useful": "", "weak": "weak signal; ", "cannot tell": "cannot tell signal from noise; "}
    often = list(said["stability"].values())
    if few["selector"] is None:
        stable = "all features are used in every fold"
    elif not often:
        stable = "not counted for so many features"
    else:
        n_stable = sum(share >= 0.75 for share in often)
        stable = f"{n_stable} of {plural(len(often), 'feature')} chosen in at least 75% of the folds"
    lines = {
        "Keep": f"{few['n_features']:,} of {plural(said['n_features'], 'feature')}: "
        + listing([short(name, 40) for name in few["features"]], 8),
        "Drop": plural(dropped, "feature"),
        "Error": f"{signal[said['verdict']]}{metric} {show(test['error'], metric)} "
        f"({show(test['low'], metric)} to {show(test['high'], metric)}) on {test['n']:,} {test['on']}; "
        f"without features {show(said['baseline'], metric)}",
        "Model": f"{facts['card']['model']}; best: {_best(few, best, metric)}",
        "Stable": stable,
        "Page": "save('report.html') writes the page",
    }
    return [f"{key:<7} {text}" for key, text in lines.items()]


def _best(few: dict[str, Any], best: dict[str, Any], metric: str) -> str:
    """Name the best model, with its error if that is lower."""
    if best["error"] < few["error"]:
        return f"{best['model']}, {show(best['error'], metric)}"
    return "the same" if is_same(few, best) else f"{best['model']}, no lower {metric}"


def why(facts: dict[str, Any], name: str) -> str:
    """Say what a report found out about a feature or a column."""
    features, columns = facts["features"], {c["name"]: c for c in facts["data"]["columns"]}
    check_names([name], list(dict.fromkeys([*features["name"], *columns])))
    if name not in features["name"]:
        column = columns[name]
        if not column["is_used"]:
            return f"{name!r} is not used: it {column['why']}."
        return f"{name!r} is text; its {plural(column['n_features'], 'word')} are features of their own."
    at = features["name"].index(name)
    few = facts["recommended"]["few"]
    if features["chosen"][at]:
        place = few["features"].index(name) + 1 if name in few["features"] else None
        said = [f"{name!r} is kept" + (f", number {place} of {few['n_features']:,}" if place else "")]
    else:
        said = [f"{name!r} is not needed: {plural(few['n_features'], 'other feature')} predict about as well"]
    bits, rank = features["information"][at], features["rank_alone"][at]
    said.append(f"alone it ranks {rank:,} of {features['n']:,} with {bits:.3g} bits about {facts['target']['name']!r}")
    group = features["group"][at]
    if group is not None and not facts["redundant"].get("skipped"):
        keep = facts["redundant"]["groups"][group]["keep"]
        if keep != name:
            said.append(f"what it says is also in {keep!r}")
    if features["frequency"][at] is not None:
        said.append(f"its selector chose it in {features['frequency'][at]:.0%} of the folds")
    return "; ".join(said) + "."
