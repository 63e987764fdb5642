// Best-first branch and bound over subsets of k columns: maximize the explained share c_Sᵀ G_SS⁻¹ c_S over |S| = k.
//
// A node fixes some columns in and some out. Its bound comes from the perspective relaxation (relaxation.hpp). Columns whose
// other choice the bound excludes are fixed, problems with many excluded columns are shrunk, and the last two columns are
// enumerated in closed form. Nodes are processed in parallel. A node costs O(p²) for each iteration of the relaxation with p
// columns; the number of nodes is exponential at worst.
#include "subset/subset_tree.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <span>
#include <thread>

#include "base/cholesky.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

constexpr double kRounding = 1e-10;      // share of what all columns explain that counts as rounding
constexpr double kDependent = 1e-9;      // share of a column's square: if less remains, the column depends on others
constexpr int kTurns = 60, kSplits = 3;  // iterations of the relaxation; choices of D for one problem
constexpr std::size_t kFewColumns = 12;  // smaller problems are not shrunk

// Second moments of the open columns after the columns of a model are projected out of them.
struct Projected {
  std::vector<double> gram, cross;
  double explained = 0;
};

// Computes them by a Cholesky factorization over the model's columns, O(k² q) for k columns in and q open ones, and O(k q²)
// more with `has_pairs`; otherwise `gram` holds only the diagonal. A dependent model explains minus infinity, and nothing is left
// of the open columns: what a dependent column adds would be rounding errors over rounding errors.
Projected project(const Relaxation& problem, std::span<const std::size_t> in, std::span<const std::size_t> open, bool has_pairs) {
  const std::size_t q = open.size();
  Projected left;
  left.cross.resize(q);
  left.gram.resize(has_pairs ? q * q : q);
  std::vector<std::vector<double>> rows;  // of the factor, over the open columns
  Cholesky factor;
  std::vector<double> beside, along;
  for (const std::size_t j : in) {
    beside.clear();
    for (std::size_t t = 0; t < along.size(); ++t) beside.push_back(problem.gram(j, in[t]));
    if (!factor.append(beside, problem.gram(j, j), kDependent)) {
      left.explained = -std::numeric_limits<double>::infinity();
      return left;
    }
    double value = problem.cross(j), square = problem.gram(j, j);
    std::vector<double> row(q);
    for (std::size_t o = 0; o < q; ++o) row[o] = problem.gram(j, open[o]);
    for (std::size_t t = 0; t < along.size(); ++t) {
      const double l = factor.half()[t];
      value -= l * along[t];
      square -= l * l;
      axpy(-l, rows[t].data(), row.data(), q);
    }
    const double root = std::sqrt(square);
    for (double& entry : row) entry /= root;
    along.push_back(value / root);
    left.explained += along.back() * along.back();
    rows.push_back(std::move(row));
  }
  const std::size_t lines = has_pairs ? q : 1;
  for (std::size_t a = 0; a < lines; ++a)
    for (std::size_t b = 0; b < q; ++b) left.gram[a * q + b] = problem.gram(open[has_pairs ? a : b], open[b]);
  for (std::size_t o = 0; o < q; ++o) left.cross[o] = problem.cross(open[o]);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    axpy(-along[t], rows[t].data(), left.cross.data(), q);
    if (has_pairs)
      for (std::size_t a = 0; a < q; ++a) axpy(-rows[t][a], rows[t].data(), left.gram.data() + a * q, q);
    else
      for (std::size_t o = 0; o < q; ++o) left.gram[o] -= rows[t][o] * rows[t][o];
  }
  return left;
}

}  // namespace

SubsetTree::SubsetTree(std::shared_ptr<const Relaxation> root, const SearchOptions& options, Monitor& monitor)
    : options_(options), monitor_(monitor) {
  auto columns = std::make_shared<std::vector<std::size_t>>(root->size());
  for (std::size_t j = 0; j < columns->size(); ++j) (*columns)[j] = j;
  const std::size_t p = root->size();
  open_.push({std::move(root), std::move(columns), std::vector<Fate>(p, Fate::free), {}, options.total});
}

// What a subset must explain to be of interest: as much as was asked for, and more than the worst of a full list.
double SubsetTree::needed() const {
  const double margin = kRounding * options_.total;
  return std::max(options_.needed - margin, found_.size() >= options_.n_wanted ? found_.back().explained + margin : -1e300);
}

// Inserts a subset into the ranked list, unless it is listed already; ties go to the lower columns.
void SubsetTree::offer(RankedSubset subset) {
  if (subset.explained < options_.needed - kRounding * options_.total) return;
  const auto is_same = [&](const RankedSubset& other) { return other.columns == subset.columns; };
  if (std::any_of(found_.begin(), found_.end(), is_same)) return;
  const auto at = std::find_if(found_.begin(), found_.end(), [&](const RankedSubset& other) {
    const double tie = kRounding * options_.total;
    return other.explained < subset.explained - tie ||
           (other.explained <= subset.explained + tie && subset.columns < other.columns);
  });
  found_.insert(at, std::move(subset));
  if (found_.size() > options_.n_wanted) found_.pop_back();
}

SearchResult SubsetTree::run() {
  const std::size_t team = std::size_t(std::max(1, thread_count(options_.threads)));
  parallel_blocks(team, options_.threads, monitor_, [&](std::size_t) { work(); });
  return {found_, left_, !is_over_};
}

// Worker loop: takes the node with the largest bound and processes it, until no open node can beat `needed()` and no other
// thread is busy, or the deadline passes. An exception stops all threads.
void SubsetTree::work() try {
  for (;;) {
    Node node;
    {
      std::unique_lock lock(mutex_);
      if (is_over_) return;
      if (open_.empty() || !(open_.top().most > needed())) {
        if (busy_.empty()) return;
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(20));  // busy threads may still add nodes
        monitor_.check();
        continue;
      }
      if (std::chrono::steady_clock::now() > options_.deadline) {
        is_over_ = true;
        left_ = open_.top().most;
        for (const double most : busy_) left_ = std::max(left_, most);
        return;
      }
      node = std::move(const_cast<Node&>(open_.top()));
      open_.pop();
      busy_.push_back(node.most);
    }
    const double most = node.most;
    process(std::move(node));
    monitor_.check();
    const std::lock_guard lock(mutex_);
    busy_.erase(std::find(busy_.begin(), busy_.end(), most));
  }
} catch (...) {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  throw;
}

double SubsetTree::explained(const Node& node, std::span<const std::size_t> columns) const {
  return project(*node.problem, columns, {}, false).explained;
}

// Translates columns to their numbers at the root and offers the subset.
void SubsetTree::report(const Node& node, std::span<const std::size_t> columns, double explained) {
  RankedSubset subset{explained, {}};
  for (const std::size_t j : columns) subset.columns.push_back((*node.columns)[j]);
  std::sort(subset.columns.begin(), subset.columns.end());
  const std::lock_guard lock(mutex_);
  offer(std::move(subset));
}

// Tries all ways to add the last one or two columns, in closed form.
void SubsetTree::enumerate(const Node& node, std::span<const std::size_t> in, std::span<const std::size_t> open) {
  const std::size_t q = open.size();
  std::vector<std::size_t> columns(in.begin(), in.end());
  if (in.size() == options_.k || q == 0) {
    if (in.size() == options_.k) report(node, in, explained(node, in));
    return;
  }
  double limit;
  {
    const std::lock_guard lock(mutex_);
    limit = needed();
  }
  // One column: it adds c_o² / s_o, with c and s after projection.
  if (options_.k - in.size() == 1) {
    const Projected left = project(*node.problem, in, open, false);
    for (std::size_t o = 0; o < q; ++o) {
      if (!(left.gram[o] > kDependent)) continue;
      const double total = left.explained + left.cross[o] * left.cross[o] / left.gram[o];
      if (total <= limit) continue;
      columns.push_back(open[o]);
      report(node, columns, total);
      columns.pop_back();
    }
    return;
  }
  // Two columns: they add c' S⁻¹ c with the 2 x 2 matrix S; `both` is its determinant.
  const Projected left = project(*node.problem, in, open, true);
  for (std::size_t a = 0; a < q; ++a) {
    const double* const row = left.gram.data() + a * q;
    const double square = row[a], cross = left.cross[a];
    if (!(square > kDependent)) continue;
    for (std::size_t b = 0; b < a; ++b) {
      const double other = left.gram[b * q + b], both = square * other - row[b] * row[b];
      const double gain = cross * cross * other - 2 * cross * left.cross[b] * row[b] + left.cross[b] * left.cross[b] * square;
      if (!(gain > (limit - left.explained) * both) || !(both > kDependent * square)) continue;
      columns.push_back(open[b]);
      columns.push_back(open[a]);
      report(node, columns, left.explained + gain / both);
      columns.resize(in.size());
    }
  }
}

// Fixes columns whose other choice the bound excludes. Returns true if any was fixed. The bound counts the n_free largest
// terms: fixing column j in replaces the smallest of these by its term, fixing it out replaces its term by the next largest.
bool SubsetTree::settle(Node& node, const Bound& bound) const {
  std::vector<double> open;
  std::size_t n_in = 0;
  for (std::size_t j = 0; j < node.fate.size(); ++j) {
    if (node.fate[j] == Fate::free) open.push_back(bound.term[j]);
    n_in += node.fate[j] == Fate::in;
  }
  const std::size_t n_free = options_.k - n_in;
  if (open.size() <= n_free || n_free == 0) return false;
  std::nth_element(open.begin(), open.begin() + std::ptrdiff_t(n_free - 1), open.end(), std::greater<>());
  const double last = open[n_free - 1], next = *std::max_element(open.begin() + std::ptrdiff_t(n_free), open.end());
  double limit;
  {
    const std::lock_guard lock(mutex_);
    limit = needed();
  }
  bool has_settled = false;
  for (std::size_t j = 0; j < node.fate.size(); ++j) {
    if (node.fate[j] != Fate::free) continue;
    if (bound.term[j] < last && bound.most - last + bound.term[j] <= limit) node.fate[j] = Fate::out, has_settled = true;
    if (bound.term[j] > next && bound.most - bound.term[j] + next <= limit) node.fate[j] = Fate::in, has_settled = true;
  }
  return has_settled;
}

// Replaces the problem by the one restricted to columns that are not out, and chooses D anew: the smaller problem has a better
// split G = Q + D.
void SubsetTree::shrink(Node& node, const Bound& bound) const {
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < node.fate.size(); ++j)
    if (node.fate[j] != Fate::out) kept.push_back(j);
  const std::vector<double> want = node.problem->wanted(bound, node.approach);
  auto problem = std::make_shared<Relaxation>(node.problem->restricted(kept));
  auto columns = std::make_shared<std::vector<std::size_t>>();
  std::vector<double> of_kept;
  std::vector<Fate> fate;
  Approach approach;
  for (const std::size_t j : kept) {
    columns->push_back((*node.columns)[j]);
    fate.push_back(node.fate[j]);
    of_kept.push_back(want[j]);
    approach.v.push_back(node.approach.v[j]);
    approach.w.push_back(0);
  }
  problem->split(of_kept);
  node.n_splits = kept.size() < node.fate.size() ? 1 : node.n_splits + 1;
  node.problem = std::move(problem);
  node.columns = std::move(columns);
  node.fate = std::move(fate);
  node.approach = std::move(approach);
}

// Reports the columns with the largest shares in the relaxation if they are a subset of interest.
void SubsetTree::try_largest(const Node& node, const Bound& bound, std::vector<std::size_t> in, std::vector<std::size_t> open,
                             double limit) {
  std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) { return bound.share[a] > bound.share[b]; });
  in.insert(in.end(), open.begin(), open.begin() + std::ptrdiff_t(options_.k - in.size()));
  if (const double total = explained(node, in); total > limit) report(node, in, total);
}

// Tries a D tailored to this problem, and keeps it if the bound falls.
void SubsetTree::split_anew(Node& node, const Bound& bound, std::size_t n_free, double limit) const {
  Node other = node;
  shrink(other, bound);
  Approach approach = other.approach;
  if (other.problem->bound(other.fate, n_free, limit, kTurns, approach).most < bound.most)
    node = std::move(other);
  else
    node.n_splits = kSplits;
}

// Branches on the column that the relaxation is least sure of: the share closest to one half, weighted by its term.
void SubsetTree::branch(Node&& node, const Bound& bound, std::span<const std::size_t> open) {
  const std::size_t at = *std::max_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
    const auto doubt = [&](std::size_t j) { return std::min(bound.share[j], 1 - bound.share[j]) * bound.term[j]; };
    return doubt(a) < doubt(b);
  });
  Node other = node;
  node.fate[at] = Fate::in;
  other.fate[at] = Fate::out;
  const std::lock_guard lock(mutex_);
  open_.push(std::move(node));
  open_.push(std::move(other));
}

// Processes a node until it is excluded, enumerated or branched.
void SubsetTree::process(Node&& node) {
  for (;;) {
    // 1. Columns that are in and columns that are open; a node without a subset of size k is dropped.
    std::vector<std::size_t> in, open;
    for (std::size_t j = 0; j < node.fate.size(); ++j) {
      if (node.fate[j] == Fate::in) in.push_back(j);
      if (node.fate[j] == Fate::free) open.push_back(j);
    }
    if (in.size() > options_.k || in.size() + open.size() < options_.k) return;
    const std::size_t n_free = options_.k - in.size();
    // 2. At most two columns to choose, or no choice left: enumerate.
    if (n_free <= 2 || open.size() == n_free) {
      if (open.size() == n_free) {
        in.insert(in.end(), open.begin(), open.end());
        open.clear();
      }
      enumerate(node, in, open);
      return;
    }
    // 3. The bound; the node is excluded if no subset below it can be of interest.
    double limit;
    {
      const std::lock_guard lock(mutex_);
      limit = needed();
    }
    const Bound bound = node.problem->bound(node.fate, n_free, limit, kTurns, node.approach);
    node.most = std::min(node.most, bound.most);
    if (node.most <= limit) return;
    try_largest(node, bound, in, open, limit);
    // 4. Fix columns by the bound; shrink the problem once more than a quarter of its columns is out.
    const bool has_settled = settle(node, bound);
    std::size_t n_left = 0;
    for (const Fate fate : node.fate) n_left += fate != Fate::out;
    if (n_left + 2 <= node.fate.size() * 3 / 4 && n_left > kFewColumns) {
      shrink(node, bound);
    } else if (!has_settled && node.n_splits < kSplits) {
      split_anew(node, bound, n_free, limit);
    } else if (!has_settled) {
      branch(std::move(node), bound, open);
      return;
    }
  }
}

}  // namespace vitalfew
