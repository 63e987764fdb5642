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
    throw std::invalid_argument("pruning: arrays of different lengths");
  for (const auto& value : values)
    if (value.size() != n) throw std::invalid_argument("pruning: arrays of different lengths");
  for (std::size_t v = 0; v < n; ++v) {
    if (v > 0 && (parent[v] < 0 || std::size_t(parent[v]) >= v))
      throw std::invalid_argument("pruning: a parent comes after its child");
    const std::int64_t end = std::int64_t(first_child[v]) + n_children[v];
    if (n_children[v] < 0 || (n_children[v] > 0 && (first_child[v] <= std::int64_t(v) || end > std::int64_t(n))))
      throw std::invalid_argument("pruning: a node has children out of range");
  }
}

}  // namespace

std::vector<double> weakest_links(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_children, std::span<const double> cost,
                                  std::span<const double> complexity, std::span<const double> split) {
  check(parent, first_child, n_children, {cost, complexity, split});
  const std::size_t n = parent.size();
  // Of the tree below each node, as it is by now.
  std::vector<double> cost_below(cost.begin(), cost.end()), complexity_below(complexity.begin(), complexity.end());
  std::vector<std::uint8_t> is_split(n);
  for (std::size_t v = n; v-- > 0;) {
    if (n_children[v] == 0) continue;
    is_split[v] = 1;
    cost_below[v] = 0;
    complexity_below[v] = split[v];
    for (std::int32_t c = first_child[v]; c < first_child[v] + n_children[v]; ++c) {
      cost_below[v] += cost_below[std::size_t(c)];
      complexity_below[v] += complexity_below[std::size_t(c)];
    }
  }
  const auto link = [&](std::size_t v) {
    const double saved = complexity_below[v] - complexity[v], lost = cost[v] - cost_below[v];
    return saved > 0 ? lost / saved : HUGE_VAL;
  };
  struct Entry {
    double link;
    std::size_t node;
    // The weakest comes first, and of equal ones the one nearest to the root.
    bool operator<(const Entry& other) const { return link != other.link ? link > other.link : node > other.node; }
  };
  std::priority_queue<Entry> queue;
  std::vector<double> now(n), critical(n);
  for (std::size_t v = 0; v < n; ++v)
    if (is_split[v]) queue.push({now[v] = link(v), v});
  double reached = -HUGE_VAL;
  std::vector<std::size_t> stack;
  while (!queue.empty()) {
    const Entry top = queue.top();
    queue.pop();
    if (!is_split[top.node] || top.link != now[top.node]) continue;
    reached = std::max(reached, top.link);
    stack.assign(1, top.node);
    while (!stack.empty()) {
      const std::size_t v = stack.back();
      stack.pop_back();
      if (!is_split[v]) continue;
      is_split[v] = 0;
      critical[v] = reached;
      for (std::int32_t c = first_child[v]; c < first_child[v] + n_children[v]; ++c) stack.push_back(std::size_t(c));
    }
    const double cost_change = cost[top.node] - cost_below[top.node];
    const double complexity_change = complexity[top.node] - complexity_below[top.node];
    for (std::int32_t v = parent[top.node]; v >= 0; v = parent[std::size_t(v)]) {
      cost_below[std::size_t(v)] += cost_change;
      complexity_below[std::size_t(v)] += complexity_change;
      queue.push({now[std::size_t(v)] = link(std::size_t(v)), std::size_t(v)});
    }
  }
  return critical;
}

}  // namespace vitalfew
