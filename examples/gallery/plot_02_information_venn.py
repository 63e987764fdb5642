"""
Mutual information as overlapping areas
=======================================

Entropies can be drawn as areas, and mutual information as their overlap. With two features and a target there are seven
areas. One of them can be negative, if two features are more informative together than separately. In that case no
drawing has the right areas, and stacked bars show the same quantities.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import CHOSEN, COLORS, INK, MAIN, MUTED, colors_of, styled
from scipy.optimize import brentq
from sklearn.datasets import load_breast_cancer, load_digits

from vitalfew import (
    Discretizer,
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    interaction_information,
    mutual_information,
)

# %%
# One feature and the target: the worst radius of cells, discretized by description length, and whether a tumor is
# malignant. Both areas and their overlap are to scale.

table, label = load_breast_cancer(return_X_y=True, as_frame=True)
bins = pd.DataFrame(np.asarray(Discretizer().fit_transform(table, label)), columns=table.columns)


def lens(r, s, d):
    """Area that two circles share whose centres are d apart."""
    if d >= r + s:
        return 0.0
    a, b = (d * d + r * r - s * s) / (2 * d), (d * d + s * s - r * r) / (2 * d)
    arcs = r * r * np.arccos(np.clip(a / r, -1, 1)) + s * s * np.arccos(np.clip(b / s, -1, 1))
    return arcs - np.sqrt(max((-d + r + s) * (d + r - s) * (d - r + s) * (d + r + s), 0)) / 2


def ring(center, radius, name):
    """A circle as a closed line."""
    angle = np.linspace(0, 2 * np.pi, 121)
    return pd.DataFrame(
        {"x": center[0] + radius * np.cos(angle), "y": center[1] + radius * np.sin(angle), "at": angle, "name": name}
    )


def circles(rings, texts, width, height, title):
    """Outlines filled lightly, and words at places."""
    data = pd.concat(rings)
    low, high = data[["x", "y"]].min() - 0.05, data[["x", "y"]].max() + 0.05
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[low["x"], high["x"]], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[low["y"], high["y"]], nice=False))
    color = {"legend": None, "scale": colors_of([r["name"][0] for r in rings])}
    shapes = alt.Chart(data).mark_line(filled=True, fillOpacity=0.18, strokeWidth=2)
    words = alt.Chart(pd.DataFrame(texts)).mark_text(lineBreak="\n", baseline="middle")
    return alt.layer(
        shapes.encode(x=x, y=y, order="at:Q", fill=alt.Fill("name:N", **color), stroke=alt.Stroke("name:N", **color)),
        words.encode(x=x, y=y, text="text:N", color=alt.Color("color:N", scale=None)),
    ).properties(width=width, height=height, title=title)


radius_bins = bins["worst radius"]
h_x, h_y, shared = entropy(radius_bins), entropy(label), mutual_information(radius_bins, label)
assert np.isclose(shared, h_y - conditional_entropy(label, radius_bins))
assert np.isclose(shared, h_x - conditional_entropy(radius_bins, label))
assert shared <= min(h_x, h_y)

r, s = np.sqrt(h_x / np.pi), np.sqrt(h_y / np.pi)
apart = brentq(lambda d: lens(r, s, d) - shared, abs(r - s) + 1e-9, r + s - 1e-9)
texts = [
    {"x": -0.55 * r, "y": 0.0, "text": f"H(radius | class)\n{h_x - shared:.3f}", "color": INK},
    {"x": (r + apart - s) / 2, "y": 0.0, "text": f"I\n{shared:.3f}", "color": INK},
    {"x": (r + apart + s) / 2, "y": 0.0, "text": f"H(class\n| radius)\n{h_y - shared:.3f}", "color": INK},
    {"x": -0.35 * r, "y": 0.6 * r, "text": f"H(radius) = {h_x:.3f}", "color": MAIN},
    {"x": apart + 0.8 * s, "y": 1.1 * s, "text": f"H(class) = {h_y:.3f}", "color": CHOSEN},
]
chart = circles(
    [ring((0, 0), r, "worst radius"), ring((apart, 0), s, "class")],
    texts,
    460,
    460 * (2 * max(r, s) + 0.1) / (r + apart + s + 0.1),
    "Information shared by the worst radius and the class of a tumor, in bits",
)
chart = styled(chart)

# %%
# Two features and the target. Radius and area carry the same information, so nearly all of it is in the middle. Each of
# two pixels of a digit carries almost no information about whether the digit is above four, but together they carry
# much: the middle area, which is minus the interaction information, is negative. The circles have equal size here,
# because no areas would be right.

digits, digit = load_digits(return_X_y=True)
pixels = (digits > 7).astype(int)
CASES = {
    "redundant: worst radius and worst area": (
        bins["worst radius"],
        bins["worst area"],
        label,
        ("radius", "area", "class"),
    ),
    "together only: two pixels of a digit": (
        pixels[:, 36],
        pixels[:, 42],
        digit > 4,
        ("pixel 36", "pixel 42", "above 4"),
    ),
}


def regions(a, b, target):
    """Bits of the seven areas. Those of a circle add up to its entropy."""
    middle = -interaction_information(a, target, given=b)
    return {
        "a": conditional_entropy(a, given=np.column_stack([b, target])),
        "b": conditional_entropy(b, given=np.column_stack([a, target])),
        "y": conditional_entropy(target, given=np.column_stack([a, b])),
        "ab": conditional_mutual_information(a, b, given=target),
        "ay": conditional_mutual_information(a, target, given=b),
        "by": conditional_mutual_information(b, target, given=a),
        "aby": middle,
    }


PLACES = {
    "a": (-0.95, 0.6),
    "b": (0.95, 0.6),
    "y": (0, -1.1),
    "ab": (0, 0.72),
    "ay": (-0.63, -0.38),
    "by": (0.63, -0.38),
    "aby": (0, 0),
}
panels, sums = [], []
for title, (a, b, target, names) in CASES.items():
    bits = regions(a, b, target)
    assert np.isclose(sum(v for k, v in bits.items() if "y" in k), entropy(target))
    assert np.isclose(sum(v for k, v in bits.items() if "a" in k), entropy(a))
    centres = {"a": (-0.55, 0.32), "b": (0.55, 0.32), "y": (0, -0.63)}
    words = [
        {"x": x, "y": y, "text": f"{bits[k]:.3f}", "color": CHOSEN if bits[k] < 0 else INK}
        for k, (x, y) in PLACES.items()
    ]
    words += [
        {"x": x, "y": y, "text": name, "color": COLORS[i]}
        for i, (name, (x, y)) in enumerate(zip(names, [(-1.4, 1.25), (1.4, 1.25), (0, -1.42)]))
    ]
    rings = [ring(center, 1.0, name) for name, center in zip(names, centres.values())]
    panels.append(circles(rings, words, 300, 300, title))
    alone = mutual_information(a, target), mutual_information(b, target)
    added = interaction_information(a, target, given=b)
    sums.append((title, names, alone, added))
    print(
        f"{title}: {alone[0]:.3f} and {alone[1]:.3f} bits alone, {sum(alone) + added:.3f} together, "
        f"interaction {added:+.3f}"
    )
assert sums[0][3] < 0 < sums[1][3]
chart = (
    alt.hconcat(*panels, spacing=30)
    .resolve_scale(fill="independent", stroke="independent")
    .properties(
        description="Two diagrams of three circles; the middle of the first is positive, that of the second negative."
    )
)
chart = styled(chart)

# %%
# The same quantities as stacked bars: the information of the first feature, that of the second, and the interaction,
# which subtracts information that both share or adds information that only the pair has. The last bar is the joint
# information of both.

steps = []
for title, (first, second, _), alone, added in sums:
    both = sum(alone) + added
    for step, start, end in [
        (first, 0, alone[0]),
        (second, alone[0], sum(alone)),
        ("interaction", sum(alone), both),
        ("together", 0, both),
    ]:
        steps.append(
            {
                "case": title,
                "step": step,
                "from": start,
                "to": end,
                "text": f"{end - start:+.3f}",
                "top": max(start, end),
                "kind": step if step in ("interaction", "together") else "one feature",
            }
        )
steps = pd.DataFrame(steps)
kinds = alt.Scale(domain=["one feature", "interaction", "together"], range=[COLORS[0], COLORS[1], COLORS[2]])
panels = []
for title in CASES:
    base = alt.Chart(steps[steps["case"] == title]).encode(
        x=alt.X("step:N", sort=None, title=None, axis=alt.Axis(labelAngle=0))
    )
    bars = base.mark_bar(size=44).encode(
        y=alt.Y("from:Q", title="bits about the target"), y2="to:Q", color=alt.Color("kind:N", scale=kinds, legend=None)
    )
    texts = base.mark_text(dy=-8, color=MUTED).encode(y="top:Q", text="text:N")
    panels.append(alt.layer(bars, texts).properties(width=275, height=220, title=title))
chart = alt.hconcat(*panels, spacing=30).properties(
    description="Bits of each feature and the interaction add up to the bits of both together."
)
chart = styled(chart)
