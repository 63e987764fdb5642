// Weakest-link (cost-complexity) pruning (Breiman, Friedman, Olshen & Stone, 1984): the subtree that minimizes
// Σ_leaves cost + a Σ_nodes complexity shrinks as a grows. A split v is removed at
//
//   a = (cost_v - cost below v) / (complexity below v - complexity_v),
//
// the weakest link first; its ancestors are then updated. O(nodes log nodes + nodes depth).
#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>

#include "vitalfew/tree.hpp"

namespace vitalfew {
namespace {

void check(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
           std::span<const std::int32_t> n_children, std::initializer_list<std::span<const double>> values) {
  const std::size_t n = parent.size();
  if (n == 0 || first_child.size() != n || n_children.size() != n)
    throw std::invalid_argument("pruning: arrays must have the same length");
  for (const auto& value : values)
    if (value.size() != n) throw std::invalid_argument("pruning: arrays must have the same length");
  if (parent[0] >= 0) throw std::invalid_argument("pruning: the first node must be the root, without a parent");
  for (std::size_t v = 0; v < n; ++v) {
    if (v > 0 && (parent[v] < 0 || std::size_t(parent[v]) >= v))
      throw std::invalid_argument("pruning: parents must come before their children");
    const std::int64_t end = std::int64_t(first_child[v]) + n_children[v];
    if (n_children[v] < 0 || (n_children[v] > 0 && (first_child[v] <= std::int64_t(v) || end > std::int64_t(n))))
      throw std::invalid_argument("pruning: child index out of range");
  }
}

// Removes the weakest splits of a tree one after the other.
class Shrinking {
 public:
  Shrinking(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
            std::span<const std::int32_t> n_children, std::span<const double> cost, std::span<const double> complexity,
            std::span<const double> split)
      : parent_(parent),
        first_(first_child),
        count_(n_children),
        cost_(cost),
        complexity_(complexity),
        cost_below_(cost.begin(), cost.end()),
        complexity_below_(complexity.begin(), complexity.end()),
        now_(parent.size()),
        critical_(parent.size()),
        is_split_(parent.size()) {
    for (std::size_t v = parent.size(); v-- > 0;) {
      if (count_[v] == 0) continue;
      is_split_[v] = 1;
      cost_below_[v] = 0;
      complexity_below_[v] = split[v];
      for (std::int32_t c = first_[v]; c < first_[v] + count_[v]; ++c) {
        cost_below_[v] += cost_below_[std::size_t(c)];
        complexity_below_[v] += complexity_below_[std::size_t(c)];
      }
      enter(v);
    }
  }

  std::vector<double> run() {
    double reached = -HUGE_VAL;
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      if (!is_split_[top.node] || top.link != now_[top.node]) continue;  // outdated by a removal below it
      reached = std::max(reached, top.link);
      close(top.node, reached);
      const double cost = cost_[top.node] - cost_below_[top.node];
      const double complexity = complexity_[top.node] - complexity_below_[top.node];
      for (std::int32_t v = parent_[top.node]; v >= 0; v = parent_[std::size_t(v)]) {
        cost_below_[std::size_t(v)] += cost;
        complexity_below_[std::size_t(v)] += complexity;
        enter(std::size_t(v));
      }
    }
    return std::move(critical_);
  }

 private:
  struct Entry {
    double link;
    std::size_t node;
    // The weakest link first; ties go to the node nearest to the root.
    bool operator<(const Entry& other) const { return link != other.link ? link > other.link : node > other.node; }
  };

  // Computes the weight of complexity at which a split just pays, and puts it into the queue.
  void enter(std::size_t v) {
    const double saved = complexity_below_[v] - complexity_[v], lost = cost_[v] - cost_below_[v];
    now_[v] = saved > 0 ? lost / saved : HUGE_VAL;
    queue_.push({now_[v], v});
  }

  // Removes a split and all splits below it.
  void close(std::size_t node, double weight) {
    std::vector<std::size_t> stack{node};
    while (!stack.empty()) {
      const std::size_t v = stack.back();
      stack.pop_back();
      if (!is_split_[v]) continue;
      is_split_[v] = 0;
      critical_[v] = weight;
      for (std::int32_t c = first_[v]; c < first_[v] + count_[v]; ++c) stack.push_back(std::size_t(c));
    }
  }

  std::span<const std::int32_t> parent_, first_, count_;
  std::span<const double> cost_, complexity_;
  std::vector<double> cost_below_, complexity_below_;  // of the present subtree of each node
  std::vector<double> now_, critical_;
  std::vector<std::uint8_t> is_split_;
  std::priority_queue<Entry> queue_;
};

}  // namespace

std::vector<double> weakest_links(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_children, std::span<const double> cost,
                                  std::span<const double> complexity, std::span<const double> split) {
  check(parent, first_child, n_children, {cost, complexity, split});
  return Shrinking(parent, first_child, n_children, cost, complexity, split).run();
}

}  // namespace vitalfew
