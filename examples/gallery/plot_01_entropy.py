"""
Entropy of a coin
=================

The entropy of a coin flip is at most one bit, and it is exactly one bit only if the coin is fair. The first chart draws
the entropy with :func:`vitalfew.entropy`. The second chart shows its meaning: it is the number of bits per flip that
the best code for long blocks of flips needs.
"""

import heapq
from math import comb

import altair as alt
import numpy as np
import pandas as pd
from drawing import CHOSEN, MAIN, MUTED, WIDE, labeled_lines, styled

from vitalfew import entropy

# %%
# A table with two rows, heads and tails, weighted by their probabilities, represents the coin. The curve has its
# maximum at one half and is zero where the outcome is certain.

shares = np.linspace(0, 1, 101)
curve = pd.DataFrame({"p": shares, "bits": [entropy(["heads", "tails"], sample_weight=[p, 1 - p]) for p in shares]})
inner = shares[1:-1]
assert np.allclose(curve["bits"][1:-1], -inner * np.log2(inner) - (1 - inner) * np.log2(1 - inner))
assert curve["bits"].idxmax() == 50

marked = curve[curve["p"].round(2).isin([0.11, 0.5])].copy()
marked["text"] = [f"p = {p:.2f}: {bits:.2f} bits" for p, bits in zip(marked["p"], marked["bits"])]
x = alt.X("p:Q", title="probability of heads, p")
y = alt.Y("bits:Q", title="entropy H(p), bits", scale=alt.Scale(domain=[0, 1.1]))
points = alt.Chart(marked).encode(x=x, y=y)
chart = alt.layer(
    alt.Chart(curve).mark_line(color=MAIN).encode(x=x, y=y),
    points.mark_point(color=CHOSEN, filled=True, size=80, opacity=1),
    points.mark_text(align="left", dx=10, dy=-8).encode(text="text:N"),
).properties(width=WIDE, height=280, title="The entropy of a coin")
chart = styled(chart)

# %%
# Why this measure? Encode each block of k flips with a Huffman code, which is optimal. The mean length of a code word
# is never below the entropy of the block, and exceeds it by less than one bit.


def bits_of_code(probabilities):
    """Mean length of the words of a Huffman code."""
    heap, total = list(probabilities), 0.0
    heapq.heapify(heap)
    while len(heap) > 1:
        both = heapq.heappop(heap) + heapq.heappop(heap)
        total += both
        heapq.heappush(heap, both)
    return total


rows = []
for p in (0.5, 0.25, 0.11, 0.02):
    for k in range(1, 13):
        blocks = [p**h * (1 - p) ** (k - h) for h in range(k + 1) for _ in range(comb(k, h))]
        rows.append(
            {
                "k": k,
                "coin": f"p = {p}",
                "bits": bits_of_code(blocks) / k,
                "entropy": entropy([0, 1], sample_weight=[p, 1 - p]),
            }
        )
codes = pd.DataFrame(rows)
assert (codes["bits"] >= codes["entropy"] - 1e-12).all()
assert (codes["bits"] <= codes["entropy"] + 1 / codes["k"]).all()
last = codes[codes["k"] == codes["k"].max()]
print(last.to_string(index=False, float_format="%.3f"))

x = alt.X(
    "k:Q",
    title="flips in a block, k",
    axis=alt.Axis(values=list(range(1, 13))),
    scale=alt.Scale(domain=[1, 13.5], nice=False),
)
y = alt.Y("bits:Q", title="bits per flip", scale=alt.Scale(domain=[0, 1.1]))
floor = (
    alt.Chart(last.assign(start=1))
    .mark_rule(strokeDash=[4, 3], color=MUTED)
    .encode(x="start:Q", x2="k:Q", y="entropy:Q")
)
chart = alt.layer(floor, labeled_lines(codes, x, y, "coin", point=True)).properties(
    width=WIDE, height=280, title=alt.Title("Huffman codes approach the entropy", subtitle="dashed: entropy")
)
chart = styled(chart)
