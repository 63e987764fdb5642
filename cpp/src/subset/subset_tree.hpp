// Branch and bound over subsets of a given size: the best one, or all that explain at least a given share.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

#include "subset/relaxation.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

struct RankedSubset {
  double explained;
  std::vector<std::size_t> columns;  // in increasing order
};

struct SearchResult {
  std::vector<RankedSubset> found;  // the best first
  double most = 0;                  // no unlisted subset explains more than this, or more than the last listed one
  bool is_complete = false;         // the search was exhaustive
};

struct SearchOptions {
  std::size_t k = 1;
  double needed = 0;         // subsets that explain less are ignored
  std::size_t n_wanted = 1;  // number of best subsets to keep
  double total = 1;          // what all columns explain: the first bound, and the scale of rounding
  std::chrono::steady_clock::time_point deadline;
  int threads = 0;
};

// The search: known subsets are offered first, then run() searches in parallel until it is exhaustive or the deadline passes.
class SubsetTree {
 public:
  SubsetTree(std::shared_ptr<const Relaxation> root, const SearchOptions& options, Monitor& monitor);

  void offer(RankedSubset subset);  // adds a known subset
  SearchResult run();

 private:
  // A set of subsets: those that contain the columns that are in, and none of those that are out.
  struct Node {
    std::shared_ptr<const Relaxation> problem;
    std::shared_ptr<const std::vector<std::size_t>> columns;  // numbers of the problem's columns at the root
    std::vector<Fate> fate;
    Approach approach;
    double most;       // upper bound
    int n_splits = 0;  // how often D was chosen for this problem
  };
  // Heap order: the node with the largest bound first.
  struct Less {
    bool operator()(const Node& a, const Node& b) const { return a.most < b.most; }
  };

  double needed() const;
  void work();
  void process(Node&& node);
  bool settle(Node& node, const Bound& bound) const;
  void shrink(Node& node, const Bound& bound) const;
  void try_largest(const Node& node, const Bound& bound, std::vector<std::size_t> in, std::vector<std::size_t> open,
                   double limit);
  void split_anew(Node& node, const Bound& bound, std::size_t n_free, double limit) const;
  void branch(Node&& node, const Bound& bound, std::span<const std::size_t> open);
  void enumerate(const Node& node, std::span<const std::size_t> in, std::span<const std::size_t> open);
  double explained(const Node& node, std::span<const std::size_t> columns) const;
  void report(const Node& node, std::span<const std::size_t> columns, double explained);

  SearchOptions options_;
  Monitor& monitor_;
  mutable std::mutex mutex_;
  std::priority_queue<Node, std::vector<Node>, Less> open_;
  std::vector<double> busy_;  // bounds of the nodes being processed
  std::vector<RankedSubset> found_;
  double left_ = 0;  // largest bound of the nodes left when the deadline passed
  bool is_over_ = false;
};

}  // namespace vitalfew
