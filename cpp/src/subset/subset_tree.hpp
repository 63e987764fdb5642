// Branch and bound over subsets of a size: the best one, or all that explain at least so much.
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
  std::vector<std::size_t> columns;  // rising
};

struct SearchResult {
  std::vector<RankedSubset> found;  // the best first
  double most = 0;                  // no subset that is not listed explains more than this, or than the last listed
  bool is_complete = false;         // nothing was left unseen
};

struct SearchOptions {
  std::size_t k = 1;
  double needed = 0;         // subsets that explain less are not wanted
  std::size_t n_wanted = 1;  // at most so many are kept, the best
  double total = 1;          // explained by nothing less than all: the scale of rounding
  std::chrono::steady_clock::time_point deadline;
  int threads = 0;
};

class SubsetTree {
 public:
  SubsetTree(std::shared_ptr<const Relaxation> root, const SearchOptions& options, Monitor& monitor);

  void offer(RankedSubset subset);  // one that is known already
  SearchResult run();

 private:
  struct Node {
    std::shared_ptr<const Relaxation> problem;
    std::shared_ptr<const std::vector<std::size_t>> columns;  // of the problem, by number at the root
    std::vector<Fate> fate;
    Approach approach;
    double most;
    int n_splits = 0;  // how often the problem at hand was split anew
  };
  struct Less {
    bool operator()(const Node& a, const Node& b) const { return a.most < b.most; }
  };

  double needed() const;
  void work();
  void process(Node&& node);
  bool settle(Node& node, const Bound& bound) const;
  void shrink(Node& node, const Bound& bound) const;
  void enumerate(const Node& node, std::span<const std::size_t> in, std::span<const std::size_t> open);
  double explained(const Node& node, std::span<const std::size_t> columns) const;
  void report(const Node& node, std::span<const std::size_t> columns, double explained);

  SearchOptions options_;
  Monitor& monitor_;
  mutable std::mutex mutex_;
  std::priority_queue<Node, std::vector<Node>, Less> open_;
  std::vector<double> busy_;  // bounds of nodes that are being processed
  std::vector<RankedSubset> found_;
  double left_ = 0;  // the most that a node explains which was given up when the time was over
  bool is_over_ = false;
};

}  // namespace vitalfew
