"""Text forms of a tree: indented, or a rule for each leaf."""

from __future__ import annotations

from vitalfew.families.trees.tree_nodes import Tree


def children(tree: Tree, node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def outcome(tree: Tree, node: int) -> str:
    """Return the largest class of a node, its share, and the weight of the node."""
    best = int(tree.weight[node].argmax())
    return f"{tree.meaning.classes[best]} ({tree.value[node, best]:.1%} of {tree.total[node]:.6g})"


def indented(tree: Tree, max_depth: int | None = None) -> str:
    """Return the tree as indented text: a line for each branch, with the class at each leaf."""
    if not tree.is_split[0]:
        return outcome(tree, 0)
    lines = []
    stack = list(reversed(children(tree, 0)))
    while stack:
        node = stack.pop()
        level = int(tree.level[node])
        is_cut_off = max_depth is not None and level >= max_depth and tree.is_split[node]
        ends = is_cut_off or not tree.is_split[node]
        text = f": {outcome(tree, node)}{' ...' if is_cut_off else ''}" if ends else ""
        lines.append("|   " * (level - 1) + tree.condition(node) + text)
        if not ends:
            stack.extend(reversed(children(tree, node)))
    return "\n".join(lines)


def leaf_rules(tree: Tree) -> list[str]:
    """Return a rule in words for each leaf, the heaviest first."""
    leaves = [v for v in range(tree.n_nodes) if not tree.is_split[v]]
    leaves.sort(key=lambda v: -tree.total[v])
    return [f"{_conditions(tree, v) or 'always'}: {outcome(tree, v)}" for v in leaves]


def _conditions(tree: Tree, leaf: int) -> str:
    """Join all conditions that lead to a leaf, with one range for each numeric feature."""
    found: dict[tuple[int, str], str] = {}
    node = leaf
    while node > 0:
        parent = int(tree.parent[node])
        # The condition nearest to the leaf is the narrowest of its kind.
        key = (int(tree.feature[parent]), "above" if tree.branch[node] else "below")
        found.setdefault(key, tree.condition(node))
        node = parent
    return " and ".join(found[key] for key in sorted(found))
