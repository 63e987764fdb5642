// Classification trees on binned data: growth as in C4.5, prediction, and the order in which pruning removes splits.
//
// A row with labels 0 .. K-1 and weight w is in a node with some share of its weight. With n the weight of a node, n_b that
// of the rows with a known value that branch b takes, n_0 that of rows whose value is missing, and H the entropy in bits,
//
//   gain        G = (1 - n_0 / n) (H(known) - Σ_b n_b / Σ n_b H(b)),
//   split info  S = -Σ_b n_b / n log2(n_b / n) - n_0 / n log2(n_0 / n).
//
// A number is split in two by the cut of highest gain, a category has a branch for each of its values that the node has.
// Among the features whose gain is at least the mean of the positive ones the one with the highest G / S is taken (Quinlan
// 1993), or simply the one with the highest G; of equal ones that with the highest G over all rows. At least two branches
// must weigh `min_leaf`. Rows whose value is missing go
// down all branches, with weights in proportion to n_b.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/binned.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

enum class SplitCriterion { gain_ratio, gain };

struct TreeOptions {
  std::size_t n_classes = 2;
  double min_leaf = 2;
  std::size_t max_leaves = 0;  // 0: no limit
  std::size_t max_depth = 0;   // 0: no limit
  SplitCriterion criterion = SplitCriterion::gain_ratio;
  int threads = 0;
};

// Nodes in the order in which best-first growth creates them: the open node with the largest n G is split next, the one
// created first among equal ones. Children of a node follow each other, and come after it.
struct GrownTree {
  std::vector<std::int32_t> feature;  // -1 at a leaf
  std::vector<std::int32_t> cut;      // of a number: codes from it on go to the second child
  std::vector<std::int32_t> parent, first_child, n_children, depth;
  std::vector<std::int32_t> branch;   // how the parent leads here: 0 or 1 by a cut, or the code of a category, rising
  std::vector<std::int32_t> choices;  // cuts of the feature there were to choose from; 1 for a category
  std::vector<double> weight;         // (nodes, classes)
  std::vector<double> gain;           // n G, in bits
  std::vector<std::int32_t> order;    // nodes in the order in which they were split
};

// O(n d) for each level while nodes are large, and O(d) for each row of a small node: a node whose bins are mostly empty pays
// for those in use alone. Weights may be empty (all 1). The tree does not depend on the number of threads.
// Throws std::invalid_argument for sizes that do not agree, labels out of range, weights that are negative or not finite.
template <class Code>
GrownTree grow_tree(const BinnedColumns<Code>& table, std::span<const std::int32_t> label, std::span<const double> weight,
                    const TreeOptions& options, Monitor& monitor);

// A tree to predict with. `opened` is the point of a path of growing trees from which on a node is split; a leaf of all of
// them has the number of points. `share` is the part of its parent's weight that a node has.
struct TreeView {
  std::span<const std::int32_t> feature, cut, parent, first_child, n_children, branch, opened;
  std::span<const double> share;
  std::span<const double> value;  // (nodes, classes): class probabilities
  std::size_t n_classes;

  std::size_t n_nodes() const { return feature.size(); }
  void validate(const BinFeatures& features) const;
};

// Class probabilities of each row by the tree at one point of the path, (rows, classes): the value of its leaf, or the mean
// of leaves where a value is missing, or is a category that a node on the way has no branch for. O(depth) for a row.
template <class Code>
std::vector<double> tree_probabilities(const BinnedColumns<Code>& table, const TreeView& tree, std::int32_t point, int threads,
                                       Monitor& monitor);

// Of the rows that the tree at each point of the path puts in the wrong class: the sum of their weights, and of the squares
// of these. O(depth) for a row of which nothing is missing, whatever the number of points.
struct PathErrors {
  std::vector<double> weight, square;
};
template <class Code>
PathErrors tree_path_errors(const BinnedColumns<Code>& table, const TreeView& tree, std::size_t n_points,
                            std::span<const std::int32_t> label, std::span<const double> weight, int threads, Monitor& monitor);

// Weakest-link pruning (Breiman et al. 1984): the tree that minimises Σ_leaves cost + a Σ_nodes complexity shrinks as a
// grows. Returns for each node the least a at which its split is gone; 0 for leaves. `cost` and `complexity` are those of a
// node as a leaf, `split` is the complexity of its split without what its children need. O(nodes log nodes + nodes depth).
std::vector<double> weakest_links(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_children, std::span<const double> cost,
                                  std::span<const double> complexity, std::span<const double> split);

}  // namespace vitalfew
