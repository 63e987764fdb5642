// Classification trees on binned data: growth as in C4.5, prediction, and the order in which pruning removes splits.
//
// A row with a label in 0 .. K-1 and weight w belongs to a node with some share of its weight. With n the weight of a node, n_b
// the weight of the rows with a known value in branch b, n_0 that of rows whose value is missing, and H the entropy in bits,
//
//   gain        G = (1 - n_0 / n) (H(known) - Σ_b n_b / Σ n_b H(b)),
//   split info  S = -Σ_b n_b / n log2(n_b / n) - n_0 / n log2(n_0 / n).
//
// A numeric feature is split in two at the cut with the highest gain; a category has a branch for each of its values in the
// node. Among the features whose gain is at least the mean of the positive gains, the one with the highest G / S is chosen
// (Quinlan, 1993), or simply the one with the highest G; ties go to the feature with the highest G over all rows. At least two
// branches must weigh `min_leaf`. Rows whose value is missing go down all branches, with weights in proportion to n_b.
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

// Nodes in the order in which best-first growth creates them: the open node with the largest n G is split next; ties go to
// the one created first. Children of a node are contiguous and come after it.
struct GrownTree {
  std::vector<std::int32_t> feature;  // -1 at a leaf
  std::vector<std::int32_t> cut;      // numeric feature: codes >= cut go to the second child
  std::vector<std::int32_t> parent, first_child, n_children, depth;
  std::vector<std::int32_t> branch;   // branch of the parent: 0 or 1 for a cut, or the code of a category, increasing
  std::vector<std::int32_t> choices;  // number of possible cuts of the feature; 1 for a category
  std::vector<double> weight;         // (nodes, classes)
  std::vector<double> gain;           // n G, in bits
};

// Grows a tree. O(n d) for each level while nodes are large, and O(d) for each row of a small node: a node whose bins are mostly
// empty costs only the bins in use. Weights may be empty (all 1). The tree does not depend on the number of threads.
// Throws std::invalid_argument for sizes that do not agree, labels out of range, weights that are negative or not finite.
template <class Code>
GrownTree grow_tree(const BinnedColumns<Code>& table, std::span<const std::int32_t> label, std::span<const double> weight,
                    const TreeOptions& options, Monitor& monitor);

// A tree to predict with. `opened` is the point of a path of growing trees from which a node is split; for a leaf of all of them
// it is the number of points. `share` is a node's share of its parent's weight.
struct TreeView {
  std::span<const std::int32_t> feature, cut, parent, first_child, n_children, branch, opened;
  std::span<const double> share;
  std::span<const double> value;  // (nodes, classes): class probabilities
  std::size_t n_classes;

  std::size_t n_nodes() const { return feature.size(); }
  void validate(const BinFeatures& features) const;
};

// Returns the class probabilities of each row by the tree at one point of the path, (rows, classes): the value of its leaf, or
// the mean over leaves if a value is missing or is a category without a branch. O(depth) for a row.
template <class Code>
std::vector<double> tree_probabilities(const BinnedColumns<Code>& table, const TreeView& tree, std::int32_t point, int threads,
                                       Monitor& monitor);

// Sum of the weights, and of the squared weights, of the rows that the tree at each point of the path misclassifies. O(depth)
// for a row without missing values, whatever the number of points.
struct PathErrors {
  std::vector<double> weight, square;
};
template <class Code>
PathErrors tree_path_errors(const BinnedColumns<Code>& table, const TreeView& tree, std::size_t n_points,
                            std::span<const std::int32_t> label, std::span<const double> weight, int threads, Monitor& monitor);

// Weakest-link pruning (Breiman et al., 1984): the tree that minimizes Σ_leaves cost + a Σ_nodes complexity shrinks as a grows.
// Returns for each node the least a at which its split is removed; 0 for leaves. `cost` and `complexity` are those of a node as
// a leaf; `split` is the complexity of its split without that of its children. O(nodes log nodes + nodes depth).
std::vector<double> weakest_links(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_children, std::span<const double> cost,
                                  std::span<const double> complexity, std::span<const double> split);

}  // namespace vitalfew
