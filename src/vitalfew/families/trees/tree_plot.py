"""Chart of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.trees.tree_nodes import Tree
from vitalfew.families.trees.tree_text import children
from vitalfew.rules.charts.parts import chart_text
from vitalfew.support.optional import import_altair

# A drawing with more leaves is unreadable.
MOST_LEAVES = 40
LEAF_WIDTH, LEVEL_HEIGHT = 116, 76
BOX_WIDTH, BOX_HEIGHT = 0.9, 0.44  # as shares of LEAF_WIDTH and LEVEL_HEIGHT


def draw(tree: Tree, max_depth: int | None = None) -> Any:
    """Draw nodes as boxes in the color of their largest class, branches with their conditions, and details on hover."""
    alt = import_altair()
    shown = tree if max_depth is None else tree.pruned(tree.level < max_depth)
    while shown.n_leaves > MOST_LEAVES and shown.depth > 1:
        shown = shown.pruned(shown.level < shown.depth - 1)
    x, y = _places(shown), -shown.level.astype(float)
    boxes = [_box(shown, v, x[v], y[v]) for v in range(shown.n_nodes)]
    half = BOX_HEIGHT / 2
    lines = [{"x": x[p], "y": y[p] - half, "x2": x[v], "y2": y[v] + half} for v, p in enumerate(shown.parent) if v > 0]
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.6, shown.n_leaves - 0.4], nice=False))
    down = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-shown.depth - 0.4, 0.4], nice=False))
    classes = [chart_text(c) for c in tree.meaning.classes.tolist()]
    color = alt.Color("class:N", title=None, scale=alt.Scale(domain=classes))
    tooltip = ["condition:N", "class:N", alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("weight:Q", format=",.6g")]
    base = alt.Chart(alt.Data(values=boxes)).encode(y=down, tooltip=tooltip)
    strength = alt.Opacity("strength:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, 1]))
    layers = [
        alt.Chart(alt.Data(values=lines)).mark_rule(color="#bbb").encode(x=across, y=down, x2="x2", y2="y2"),
        base.mark_rect(cornerRadius=4).encode(
            x=alt.X("left:Q", axis=None),
            x2="right:Q",
            y=alt.Y("bottom:Q", axis=None),
            y2="top:Q",
            color=color,
            opacity=strength,
        ),
        base.mark_text(fontSize=10, fontWeight="bold", dy=-6).encode(x=across, text="label:N"),
        base.mark_text(fontSize=9, dy=7).encode(x=across, text="count:N"),
        base.mark_text(fontSize=10, dy=-LEVEL_HEIGHT * half - 8).encode(x=across, text="branch:N"),
    ]
    note = "" if shown.n_leaves == tree.n_leaves else f"; the top {shown.depth} levels are shown"
    return (
        alt.layer(*layers)
        .properties(
            title=f"{tree.n_leaves} leaves, {int(tree.support.sum())} features{note}",
            width=max(200, LEAF_WIDTH * shown.n_leaves),
            height=LEVEL_HEIGHT * (shown.depth + 1),
        )
        .configure_view(stroke=None)
    )


def _places(tree: Tree) -> NDArray[np.float64]:
    """Return x positions: leaves next to each other in drawing order, other nodes centered above their children."""
    x = np.zeros(tree.n_nodes)
    stack, at = [0], 0
    while stack:
        node = stack.pop()
        if tree.is_split[node]:
            stack.extend(reversed(children(tree, node)))
        else:
            x[node] = at
            at += 1
    for node in np.flatnonzero(tree.is_split)[::-1]:
        own = children(tree, int(node))
        x[node] = (x[own[0]] + x[own[-1]]) / 2
    return x


def _short(text: str, length: int = 16) -> str:
    shown = chart_text(text)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def _box(tree: Tree, node: int, x: float, y: float) -> dict:
    best = int(tree.weight[node].argmax())
    label = tree.meaning.classes.tolist()[best]
    share = float(tree.value[node, best])
    condition = tree.condition(node)
    # The parent already shows the name of the feature.
    branch = condition[len(tree.meaning.names[tree.feature[tree.parent[node]]]) + 1 :] if node > 0 else ""
    n_classes = tree.weight.shape[1]
    return {
        "x": float(x),
        "y": float(y),
        "left": float(x - BOX_WIDTH / 2),
        "right": float(x + BOX_WIDTH / 2),
        "bottom": float(y - BOX_HEIGHT / 2),
        "top": float(y + BOX_HEIGHT / 2),
        "condition": chart_text(condition),
        "branch": _short(branch),
        "label": _short(tree.meaning.names[tree.feature[node]] if tree.is_split[node] else label),
        "class": chart_text(label),
        "share": share,
        "strength": 0.15 + 0.65 * (share - 1 / n_classes) / (1 - 1 / n_classes),
        "weight": float(tree.total[node]),
        "count": f"{share:.0%} of {tree.total[node]:,.6g}",
    }
