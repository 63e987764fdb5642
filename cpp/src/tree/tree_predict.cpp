// Prediction with a classification tree, at one point of its path of growing trees or at all points at once. A row whose value is
// missing, or a category without a branch, goes down all branches with weights in proportion to their training weight (Quinlan,
// 1993). O(depth) for a row without missing values.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "vitalfew/checks.hpp"
#include "vitalfew/parallel.hpp"
#include "vitalfew/tree.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t rows_together = 4096;

// A node that a row visits, with the fraction of the row that reaches it.
struct Visit {
  std::int32_t node;
  double part;
};

// Walks rows down the tree.
template <class Code>
class Walk {
 public:
  Walk(const BinnedColumns<Code>& table, const TreeView& tree) : table_(table), tree_(tree) {}

  // Returns the child that row i goes to; -1 if it goes to all of them.
  std::int32_t child(std::size_t node, std::size_t i) const {
    const auto j = std::size_t(tree_.feature[node]);
    const std::int32_t code = table_.column(j)[i], first = tree_.first_child[node];
    if (std::size_t(code) == table_.features.n_bins(j)) return -1;
    if (!table_.features.is_category[j]) return first + std::int32_t(code >= tree_.cut[node]);
    const auto begin = tree_.branch.begin() + first, end = begin + tree_.n_children[node];
    const auto found = std::lower_bound(begin, end, code);
    return found != end && *found == code ? std::int32_t(found - tree_.branch.begin()) : -1;
  }

  // Calls visit(node, part) for each node that row i reaches; it returns whether to continue below the node.
  template <class Visitor>
  void run(std::size_t i, std::vector<Visit>& stack, Visitor&& visit) const {
    stack.assign(1, {0, 1.0});
    while (!stack.empty()) {
      Visit at = stack.back();
      stack.pop_back();
      while (visit(std::size_t(at.node), at.part) && tree_.feature[std::size_t(at.node)] >= 0) {
        const std::int32_t next = child(std::size_t(at.node), i);
        if (next < 0) {
          const std::int32_t first = tree_.first_child[std::size_t(at.node)];
          for (std::int32_t c = tree_.n_children[std::size_t(at.node)]; c-- > 0;)
            stack.push_back({first + c, at.part * tree_.share[std::size_t(first) + std::size_t(c)]});
          break;
        }
        at.node = next;
      }
    }
  }

 private:
  const BinnedColumns<Code>& table_;
  const TreeView& tree_;
};

std::size_t largest(const double* value, std::size_t k) { return std::size_t(std::max_element(value, value + k) - value); }

// Errors of one row at all points of the path: by ranges of points if the row is whole, otherwise from the mean over leaves at
// each point.
template <class Code>
class RowErrors {
 public:
  RowErrors(const BinnedColumns<Code>& table, const TreeView& tree, std::size_t n_points)
      : walk_(table, tree), tree_(tree), points_(n_points), k_(tree.n_classes), mean_(table_size(n_points, k_)) {
    for (std::size_t v = 0; v < tree.n_nodes(); ++v) best_.push_back(largest(tree.value.data() + v * k_, k_));
  }

  // Calls wrong(begin, end) for each range of points at which the row is misclassified.
  template <class Wrong>
  void run(std::size_t i, std::size_t label, Wrong&& wrong) {
    path_.clear();
    bool is_whole = true;
    walk_.run(i, stack_, [&](std::size_t node, double part) {
      is_whole = is_whole && part == 1.0;
      path_.push_back({std::int32_t(node), part});
      return is_whole;
    });
    if (!is_whole) return mix(i, label, wrong);
    std::size_t begin = 0;
    for (const Visit& at : path_) {
      const std::size_t end = std::min(points_, std::size_t(tree_.opened[std::size_t(at.node)]));
      if (end > begin && best_[std::size_t(at.node)] != label) wrong(begin, end);
      begin = std::max(begin, end);
    }
  }

 private:
  // The row is split over several leaves: averages their class probabilities at each point.
  template <class Wrong>
  void mix(std::size_t i, std::size_t label, Wrong&& wrong) {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    walk_.run(i, stack_, [&](std::size_t node, double part) {
      const std::size_t begin = begin_of(node), end = std::min(points_, std::size_t(tree_.opened[node]));
      for (std::size_t p = begin; p < end; ++p)
        for (std::size_t y = 0; y < k_; ++y) mean_[p * k_ + y] += part * tree_.value[node * k_ + y];
      return end < points_;
    });
    for (std::size_t p = 0; p < points_; ++p)
      if (largest(mean_.data() + p * k_, k_) != label) wrong(p, p + 1);
  }
  // First point at which a node exists.
  std::size_t begin_of(std::size_t node) const {
    return node == 0 ? 0 : std::size_t(tree_.opened[std::size_t(tree_.parent[node])]);
  }

  Walk<Code> walk_;
  const TreeView& tree_;
  std::size_t points_, k_;
  std::vector<std::size_t> best_;
  std::vector<double> mean_;
  std::vector<Visit> stack_, path_;
};

}  // namespace

void TreeView::validate(const BinFeatures& features) const {
  const std::size_t n = n_nodes();
  if (n == 0 || n_classes == 0) throw std::invalid_argument("tree: expected at least one node and one class");
  for (const auto& values : {cut, parent, first_child, n_children, branch, opened})
    if (values.size() != n) throw std::invalid_argument("tree: arrays must have the same length");
  if (share.size() != n || value.size() != n * n_classes) throw std::invalid_argument("tree: arrays must have the same length");
  for (std::size_t v = 0; v < n; ++v) {
    if (opened[v] < 0) throw std::invalid_argument("tree: points must not be negative");
    if (v > 0 && (parent[v] < 0 || std::size_t(parent[v]) >= v))
      throw std::invalid_argument("tree: parents must come before their children");
    if (feature[v] < 0) continue;
    const std::int64_t first = first_child[v], count = n_children[v];
    if (std::size_t(feature[v]) >= features.n_features() || first <= std::int64_t(v) || count < 2 ||
        first + count > std::int64_t(n))
      throw std::invalid_argument("tree: feature or child index out of range");
    if (!features.is_category[std::size_t(feature[v])] && count != 2)
      throw std::invalid_argument("tree: a numeric split must have two children");
  }
}

template <class Code>
std::vector<double> tree_probabilities(const BinnedColumns<Code>& table, const TreeView& tree, std::int32_t point, int threads,
                                       Monitor& monitor) {
  table.validate();
  tree.validate(table.features);
  const std::size_t n = table.n_rows, k = tree.n_classes, blocks = (n + rows_together - 1) / rows_together;
  std::vector<double> out(n * k);
  const Walk<Code> walk(table, tree);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    std::vector<Visit> stack;
    for (std::size_t i = b * rows_together; i < std::min(n, (b + 1) * rows_together); ++i)
      walk.run(i, stack, [&](std::size_t node, double part) {
        if (tree.feature[node] >= 0 && tree.opened[node] <= point) return true;
        for (std::size_t y = 0; y < k; ++y) out[i * k + y] += part * tree.value[node * k + y];
        return false;
      });
  });
  return out;
}

template <class Code>
PathErrors tree_path_errors(const BinnedColumns<Code>& table, const TreeView& tree, std::size_t n_points,
                            std::span<const std::int32_t> label, std::span<const double> weight, int threads, Monitor& monitor) {
  table.validate();
  tree.validate(table.features);
  const std::size_t n = table.n_rows, blocks = (n + rows_together - 1) / rows_together;
  if (label.size() != n || (!weight.empty() && weight.size() != n))
    throw std::invalid_argument("tree: labels and weights must have one entry per row");
  // Each block records changes from one point to the next. Blocks are added in order, so sums do not depend on threads.
  std::vector<PathErrors> part(blocks);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    RowErrors<Code> errors(table, tree, n_points);
    part[b] = {std::vector<double>(n_points + 1), std::vector<double>(n_points + 1)};
    for (std::size_t i = b * rows_together; i < std::min(n, (b + 1) * rows_together); ++i) {
      const double w = weight.empty() ? 1.0 : weight[i];
      errors.run(i, std::size_t(label[i]), [&](std::size_t begin, std::size_t end) {
        part[b].weight[begin] += w;
        part[b].weight[end] -= w;
        part[b].square[begin] += w * w;
        part[b].square[end] -= w * w;
      });
    }
  });
  PathErrors total{std::vector<double>(n_points), std::vector<double>(n_points)};
  for (const PathErrors& own : part) {
    double sum = 0, square = 0;
    for (std::size_t p = 0; p < n_points; ++p) {
      total.weight[p] += sum += own.weight[p];
      total.square[p] += square += own.square[p];
    }
  }
  return total;
}

template std::vector<double> tree_probabilities(const BinnedColumns<std::uint8_t>&, const TreeView&, std::int32_t, int, Monitor&);
template std::vector<double> tree_probabilities(const BinnedColumns<std::uint16_t>&, const TreeView&, std::int32_t, int,
                                                Monitor&);
template PathErrors tree_path_errors(const BinnedColumns<std::uint8_t>&, const TreeView&, std::size_t,
                                     std::span<const std::int32_t>, std::span<const double>, int, Monitor&);
template PathErrors tree_path_errors(const BinnedColumns<std::uint16_t>&, const TreeView&, std::size_t,
                                     std::span<const std::int32_t>, std::span<const double>, int, Monitor&);

}  // namespace vitalfew
