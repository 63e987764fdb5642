"""The drawing of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.tree_nodes import Tree
from vitalfew.families.tree_text import children
from vitalfew.rules.selection import chart_text, import_altair

# More leaves than this cannot be read.
MOST_LEAVES = 40
LEAF_WIDTH, LEVEL_HEIGHT = 92, 84


def draw(tree: Tree, max_depth: int | None = None):
    """Nodes as boxes in the colour of their largest class, branches with their conditions, details on hover."""
    alt = import_altair()
    shown = tree if max_depth is None else tree.pruned(tree.level < max_depth)
    while shown.n_leaves > MOST_LEAVES and shown.depth > 1:
        shown = shown.pruned(shown.level < shown.depth - 1)
    x = _places(shown)
    boxes = [_box(shown, tree, v, x[v]) for v in range(shown.n_nodes)]
    lines = [
        {"x": x[p], "y": -int(shown.level[p]), "x2": x[v], "y2": -int(shown.level[v])}
        for v, p in enumerate(shown.parent.tolist())
        if v > 0
    ]
    sizes = {"width": max(240, LEAF_WIDTH * shown.n_leaves), "height": max(120, LEVEL_HEIGHT * (shown.depth + 1))}
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.6, shown.n_leaves - 0.4], nice=False))
    down = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-shown.depth - 0.5, 0.6], nice=False))
    base = alt.Chart(alt.Data(values=boxes))
    classes = [chart_text(c) for c in tree.meaning.classes.tolist()]
    colour = alt.Color("class:N", title=None, scale=alt.Scale(domain=classes))
    tooltip = ["rule:N", "class:N", alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("weight:Q", format=",.6g")]
    layers = [
        alt.Chart(alt.Data(values=lines)).mark_rule(color="#bbb").encode(x=across, y=down, x2="x2", y2="y2"),
        base.mark_square(size=1700, opacity=1, fill="white", stroke=None).encode(x=across, y=down),
        base.mark_square(size=1600, strokeWidth=1.5).encode(
            x=across, y=down, fill=colour, stroke=colour, fillOpacity="strength:Q", tooltip=tooltip
        ),
        base.mark_text(fontSize=10, dy=-29).encode(x=across, y=down, text="rule:N", tooltip=tooltip),
        base.mark_text(fontSize=10, fontWeight="bold").encode(x=across, y=down, text="label:N", tooltip=tooltip),
        base.mark_text(fontSize=9, dy=28, color="#555").encode(x=across, y=down, text="count:N", tooltip=tooltip),
    ]
    note = "" if shown.n_leaves == tree.n_leaves else f"; the upper {shown.depth} levels are drawn"
    title = f"{tree.n_leaves} leaves, {int(tree.support.sum())} features{note}"
    return alt.layer(*layers).properties(title=title, **sizes)


def _places(tree: Tree) -> NDArray[np.float64]:
    """Leaves side by side in the order of the drawing, other nodes above the middle of their children."""
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


def _short(text, length: int = 18) -> str:
    shown = chart_text(text)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def _box(shown: Tree, tree: Tree, node: int, x: float) -> dict:
    best = int(shown.weight[node].argmax())
    label = tree.meaning.classes.tolist()[best]
    name = shown.meaning.names[shown.feature[node]] if shown.is_split[node] else label
    condition = shown.condition(node)
    if node > 0:  # the parent shows the name already
        condition = condition[len(shown.meaning.names[shown.feature[shown.parent[node]]]) + 1 :]
    return {
        "x": float(x),
        "y": -int(shown.level[node]),
        "rule": _short(condition),
        "label": _short(name, 16),
        "class": chart_text(label),
        "share": float(shown.value[node, best]),
        "strength": float(0.75 * (shown.value[node, best] - 1 / shown.weight.shape[1]) + 0.1),
        "weight": float(shown.total[node]),
        "count": f"{shown.value[node, best]:.0%} of {shown.total[node]:,.6g}",
    }
