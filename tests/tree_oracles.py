"""Slow, plain twins of the tree kernels, straight from the formulas."""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.special import gammaln


def bits(weight):
    """Entropy times the sum of weights."""
    w = np.asarray(weight, dtype=float)
    w = w[w > 0]
    return float(-(w * np.log2(w / w.sum())).sum()) if w.size else 0.0


def class_sums(label, weight, n_classes):
    return np.bincount(label, weights=weight, minlength=n_classes).astype(float)


@dataclass
class Column:
    """Codes of one feature; `missing` is the code after the last."""

    code: np.ndarray
    missing: int
    is_category: bool


@dataclass
class Rows:
    """Rows in a node, with the part of their weight that is there."""

    index: np.ndarray
    weight: np.ndarray


def branches(column, rows, cut):
    """Which branch each row takes, -1 where its value is missing, and the codes of the branches."""
    code = column.code[rows.index].astype(int)
    if column.is_category:
        values = sorted(set(code[code != column.missing].tolist()))
        place = {v: b for b, v in enumerate(values)}
        return np.array([place.get(c, -1) for c in code]), values
    return np.where(code == column.missing, -1, (code >= cut).astype(int)), [0, 1]


@dataclass
class Worth:
    """Return n G and n S of a split, and whether two branches are heavy enough."""

    gain: float = 0.0
    info: float = 0.0
    is_allowed: bool = False


def worth(column, rows, cut, label, n_classes, min_leaf):
    branch, values = branches(column, rows, cut)
    w, y = rows.weight, label[rows.index]
    known = branch >= 0
    parts = [class_sums(y[branch == b], w[branch == b], n_classes) for b in range(len(values))]
    gain = bits(class_sums(y[known], w[known], n_classes)) - sum(bits(p) for p in parts)
    sizes = np.array([p.sum() for p in parts])
    info = bits([*sizes, w[~known].sum()])
    return Worth(gain, info, (sizes >= min_leaf * (1 - 1e-9)).sum() >= 2)


def best_of_feature(column, rows, label, n_classes, min_leaf):
    """The best split by one feature, and its cut."""
    if column.is_category:
        found = worth(column, rows, None, label, n_classes, min_leaf)
        return (found, None) if found.is_allowed and found.gain > 1e-9 else (Worth(), None)
    best, best_cut = Worth(), None
    for cut in range(1, column.missing):
        found = worth(column, rows, cut, label, n_classes, min_leaf)
        if found.is_allowed and found.gain > best.gain + 1e-9:
            best, best_cut = found, cut
    return best, best_cut


def merits(columns, rows, label, n_classes, min_leaf, criterion):
    """The merit of each feature at a node: gain ratio, 0 for those below the average gain; or the gain."""
    found = [best_of_feature(c, rows, label, n_classes, min_leaf)[0] for c in columns]
    gains = np.array([f.gain for f in found])
    if criterion == "gain" or not (gains > 0).any():
        return gains, gains
    least = gains[gains > 0].mean() * (1 - 1e-9)
    return np.array([f.gain / f.info if f.gain > 0 and f.gain >= least else 0.0 for f in found]), gains


def deal(column, rows, cut):
    """Rows of each branch; those whose value is missing are in all of them, in proportion."""
    branch, values = branches(column, rows, cut)
    sizes = np.array([rows.weight[branch == b].sum() for b in range(len(values))])
    dealt = []
    for b in range(len(values)):
        share = np.where(branch == b, 1.0, np.where(branch < 0, sizes[b] / sizes.sum(), 0.0))
        dealt.append(Rows(rows.index[share > 0], (rows.weight * share)[share > 0]))
    return dealt, values


def proba(tree, columns, keeps=None):
    """Class shares of each row by a tree of arrays whose splits are kept or not: the recursion of the definition."""
    n = len(columns[0].code)
    keeps = tree.is_split if keeps is None else keeps

    def below(node, row):
        if not (keeps[node] and tree.feature[node] >= 0):
            return tree.weight[node] / tree.weight[node].sum()
        column = columns[tree.feature[node]]
        own = list(range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]))
        code = int(column.code[row])
        if code != column.missing:
            if not column.is_category:
                return below(own[int(code >= tree.cut[node])], row)
            taken = [c for c in own if tree.branch[c] == code]
            if taken:
                return below(taken[0], row)
        sizes = tree.weight[own].sum(axis=1)
        return sum(s / sizes.sum() * below(c, row) for s, c in zip(sizes, own))

    return np.array([below(0, row) for row in range(n)])


def prunings(tree, node=0):
    """All sets of splits that a pruning may keep below a node."""
    found = [frozenset()]
    if tree.feature[node] >= 0:
        own = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        found += [frozenset({node}).union(*parts) for parts in product(*(list(prunings(tree, c)) for c in own))]
    return found


def code_length(tree, kept):
    """Data nats and model nats of a pruned tree, node by node, and row by row where weights are whole numbers."""
    n, n_classes = tree.weight[0].sum(), tree.weight.shape[1]
    prior = tree.weight[0] / n
    data, model = 0.0, gammaln(n + n_classes) - gammaln(n_classes) - gammaln(n + 1)
    stack = [(0, 2)]
    while stack:
        node, b = stack.pop()
        if node in kept:
            model += np.log(b) + np.log(tree.n_features) + np.log(tree.choices[node])
            own = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
            stack.extend((child, len(own)) for child in own)
        else:
            data += label_length(tree.weight[node], prior)
            model -= np.log(1 - 1 / b)
    return data, model


def label_length(weight, prior):
    """Nats for the classes of rows by a Dirichlet prior of total strength 1."""
    if (weight == weight.round()).all():
        order = np.repeat(np.arange(len(weight)), weight.astype(int))
        seen = np.zeros(len(weight))
        nats = 0.0
        for c in order:
            nats -= np.log((seen[c] + prior[c]) / (seen.sum() + 1))
            seen[c] += 1
        return nats
    some = prior > 0
    return gammaln(weight.sum() + 1) - (gammaln(weight[some] + prior[some]) - gammaln(prior[some])).sum()


@dataclass
class Walk:
    """A tree and the rows in each of its nodes, found by following its splits."""

    rows: list = field(default_factory=list)

    @classmethod
    def of(cls, tree, columns, weight):
        found = cls([None] * tree.n_nodes)
        found.rows[0] = Rows(np.arange(len(weight)), weight)
        for node in np.flatnonzero(tree.is_split):
            dealt, values = deal(columns[tree.feature[node]], found.rows[node], tree.cut[node])
            own = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
            assert [tree.branch[c] for c in own] == values
            for child, rows in zip(own, dealt, strict=True):
                found.rows[child] = rows
        return found
