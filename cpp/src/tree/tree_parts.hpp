// Parts of a growing tree, and the order in which best-first growth would have created their nodes.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "tree/tree_rows.hpp"
#include "vitalfew/tree.hpp"

namespace vitalfew {

struct Node {
  NodeSplit split;
  std::int32_t branch = 0, depth = 0;
  std::size_t first_child = 0;
  std::int32_t n_children = 0;
};

// A tree or a subtree.
struct Part {
  std::vector<Node> node;
  std::vector<double> weight;  // (nodes, classes)

  template <class Open>
  std::size_t add(const Open& open) {
    node.push_back({open.split, open.branch, open.depth});
    weight.insert(weight.end(), open.by_class.begin(), open.by_class.end());
    return node.size() - 1;
  }
};

// Numbers the nodes in the order in which best-first growth would have created them, up to max_leaves. O(nodes log nodes).
inline GrownTree in_order(const Part& part, const TreeOptions& options) {
  GrownTree tree;
  const std::size_t k = options.n_classes;
  std::vector<std::size_t> from;
  const auto add = [&](std::size_t v, std::int32_t parent) {
    const Node& node = part.node[v];
    from.push_back(v);
    for (auto* const values : {&tree.feature, &tree.cut}) values->push_back(-1);
    for (auto* const values : {&tree.first_child, &tree.n_children, &tree.choices}) values->push_back(0);
    tree.parent.push_back(parent);
    tree.depth.push_back(node.depth);
    tree.branch.push_back(node.branch);
    tree.gain.push_back(0);
    tree.weight.insert(tree.weight.end(), part.weight.begin() + std::ptrdiff_t(v * k),
                       part.weight.begin() + std::ptrdiff_t((v + 1) * k));
  };
  using Entry = std::pair<double, std::int64_t>;  // gain, and minus the node's number: the first node wins ties
  std::priority_queue<Entry> open;
  const auto push = [&](std::size_t number) {
    const Node& node = part.node[from[number]];
    if (node.n_children > 0) open.emplace(node.split.how.bits, -std::int64_t(number));
  };
  add(0, -1);
  push(0);
  std::size_t leaves = 1;
  while (!open.empty()) {
    const auto number = std::size_t(-open.top().second);
    const Node& node = part.node[from[number]];
    leaves += std::size_t(node.n_children) - 1;
    if (options.max_leaves > 0 && leaves > options.max_leaves) break;
    open.pop();
    tree.feature[number] = node.split.feature;
    tree.cut[number] = node.split.how.cut;
    tree.choices[number] = node.split.how.choices;
    tree.gain[number] = node.split.how.bits;
    tree.first_child[number] = std::int32_t(from.size());
    tree.n_children[number] = node.n_children;
    for (std::int32_t c = 0; c < node.n_children; ++c) add(node.first_child + std::size_t(c), std::int32_t(number));
    for (std::int32_t c = 0; c < node.n_children; ++c) push(std::size_t(tree.first_child[number]) + std::size_t(c));
  }
  return tree;
}

}  // namespace vitalfew
