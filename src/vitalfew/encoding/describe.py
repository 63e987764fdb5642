"""Description of a fitted model: its features with their weights, its rules, and the curve of its selection rule."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from vitalfew.encoding.columns import TableColumns
from vitalfew.encoding.encoding import EncodedFeature, chosen_mask, encoded_features


def model_of(fitted: Any) -> Any:
    """Return the model at the end of a pipeline, or the argument itself."""
    fitted = _pipeline_of(fitted)
    return fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted


def _pipeline_of(fitted: Any) -> Any:
    """Return the pipeline of a model of a report, or the argument itself."""
    return getattr(fitted, "pipeline_", fitted)


def features_of(fitted: Any) -> list[EncodedFeature]:
    """Return the features of the model, with readable names."""
    fitted = _pipeline_of(fitted)
    if isinstance(fitted, Pipeline) and isinstance(fitted.steps[0][1], TableColumns):
        found = encoded_features(fitted)
        selector = fitted.named_steps.get("select")
        return found if selector is None else [found[j] for j in np.flatnonzero(selector.get_support())]
    model = model_of(fitted)
    try:
        names = fitted[:-1].get_feature_names_out() if isinstance(fitted, Pipeline) else model.feature_names_in_
    except (AttributeError, ValueError):
        names = [f"x{j}" for j in range(model.n_features_in_)]
    return [EncodedFeature(str(name), str(name)) for name in names]


def coded_features(fitted: Any) -> list[EncodedFeature]:
    """Return the features of the model; those of a model that codes its table itself are the coded columns."""
    found, coder = features_of(fitted), getattr(model_of(fitted), "_coder", None)
    if coder is None or coder.is_plain:
        return found
    names = replace(coder, names=[feature.name for feature in found]).coded_names
    return [EncodedFeature(name, found[j].column) for name, j in zip(names, coder.owner.tolist())]


def coded_mask(model: Any) -> np.ndarray | None:
    """Return a mask of the coded columns with a coefficient that is not zero; None if the model has none."""
    coef = getattr(model, "coef_", None)
    return None if coef is None else (np.atleast_2d(coef) != 0).any(axis=0)


def chosen_features(fitted: Any) -> list[dict[str, Any]]:
    """Describe each feature in use: name, column, weight, and the class that it favors; largest weight first.

    For Naive Bayes, the information of the features is included.
    """
    model, features = model_of(fitted), coded_features(fitted)
    if hasattr(model, "_feature_lines"):
        return [
            {
                "feature": features[line.feature].name,
                "column": features[line.feature].column,
                "information": line.information,
                "weight": line.weight,
                "speaks_for": line.speaks_for,
            }
            for line in model._feature_lines()
        ]
    mask = chosen_mask(model) if len(features) == model.n_features_in_ else coded_mask(model)
    used = np.arange(len(features)) if mask is None else np.flatnonzero(mask)
    weights = _weights(model)
    lines = []
    for j in used.tolist():
        weight, speaks_for = weights.get(j, (None, None))
        lines.append(
            {"feature": features[j].name, "column": features[j].column, "weight": weight, "speaks_for": speaks_for}
        )
    return sorted(lines, key=lambda line: -abs(line["weight"] or 0.0))


def _weights(model: Any) -> dict[int, tuple[float | None, str | None]]:
    coef = getattr(model, "coef_", None)
    if coef is None:
        importances = getattr(model, "feature_importances_", None)
        return {} if importances is None else {j: (float(w), None) for j, w in enumerate(importances)}
    table = np.atleast_2d(coef)
    classes = getattr(model, "classes_", None)
    most = np.abs(table).argmax(axis=0)
    found: dict[int, tuple[float | None, str | None]] = {}
    for j, c in enumerate(most.tolist()):
        weight = float(table[c, j])
        speaks_for = None
        if classes is not None:
            speaks_for = str(classes[c] if len(table) > 1 else classes[int(weight > 0)])
        found[j] = (weight, speaks_for)
    return found


def rules_of(fitted: Any) -> str | None:
    """Return the text of trees, stumps and boosting rounds; None for models without rules."""
    model = model_of(fitted)
    if not hasattr(model, "_rules_text"):
        return None
    text = model._rules_text()
    names = getattr(getattr(model, "coder_", None) or getattr(model.path_, "coder", None), "names", None)
    if names is not None and not isinstance(names, list):  # numbered: the input had no names
        features = features_of(fitted)
        text = re.sub(r"\bx(\d+)\b", lambda m: features[int(m[1])].name if int(m[1]) < len(features) else m[0], text)
    return text.rstrip("\n")


def selection_of(fitted: Any) -> Any:
    """Return the selection of the last rule that was applied; None if there was none."""
    found = getattr(model_of(fitted), "selection_", None)
    return found if found is not None and found.rule != "fixed" else None


def selection_facts(selection: Any) -> dict[str, Any] | None:
    """Return the curve as plain numbers."""
    if selection is None:
        return None
    return {
        "knob": selection.knob,
        "rule": selection.rule,
        "chosen": selection.value,
        "measure": selection.measure,
        "grid": selection.grid.tolist(),
        "score": _plain(selection.score),
        "standard_error": _plain(selection.standard_error),
        "n_features": np.asarray(selection.n_features).tolist(),
        "note": selection.note,
    }


def _plain(values) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def curve_lines(selection: Any, *, n_lines: int = 16, width: int = 30, mark: str = "█") -> list[str]:
    """Return the curve as text: a line for each point (or some of them), the chosen one marked."""
    n = len(selection.grid)
    if n < 2:
        return []
    spread = np.linspace(0, n - 1, min(n, n_lines)).round().astype(int)
    points = sorted({*spread.tolist(), int(selection.index)})
    scores = np.asarray(selection.score, dtype=float)[points]
    finite = scores[np.isfinite(scores)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    knob, measure = selection.knob.replace("_", " "), selection.measure
    values = [f"{selection.grid[p]:.4g}" for p in points]
    wide = max(len(knob), *map(len, values))
    head = f"{knob:>{wide}}  {measure:>12}"
    lines = [head]
    for p, value, score in zip(points, values, scores):
        share = 0.0 if not np.isfinite(score) or high == low else (score - low) / (high - low)
        bar = mark * (1 + round(share * (width - 1))) if np.isfinite(score) else ""
        chosen = f"  <- chosen by {selection.rule}" if p == selection.index else ""
        lines.append(f"{value:>{wide}}  {score:>12.6g}  {bar}{chosen}")
    return lines
