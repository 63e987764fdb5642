// Best-subset selection for the multinomial loss by leaps and bounds (Furnival & Wilson, 1974): the loss of all columns that are
// in or may still enter is a lower bound for every subset below a node, as removing columns never lowers it. A floating search
// and exchanges provide the first solutions. Each node costs one multinomial fit; the number of nodes is exponential at worst.
#include <algorithm>
#include <queue>

#include "subset/class_search.hpp"
#include "subset/search_deadline.hpp"

namespace vitalfew {
namespace {

// Leaps and bounds for one size. A node has columns that are in and columns that may enter; the loss of all of them is its bound.
template <ColumnMatrix M>
class ClassTree {
 public:
  using Found = typename ClassSearch<M>::Found;

  ClassTree(const UnitColumns<M>& x, const ClassModel& model, const BestOptions& options, Monitor& monitor)
      : model_(model), options_(options), monitor_(monitor), ones_(x.n_rows(), 1.0) {
    for (std::size_t j = 0; j < x.n_cols(); ++j)
      if (!x.is_constant(j)) {
        columns_.push_back(j);
        held_.push_back(x.expand(j));
      }
  }

  std::size_t size() const { return columns_.size(); }

  // Returns the best subset found, starting from a known one, and the least loss that was not excluded.
  std::pair<Found, double> run(std::size_t k, Found known, Clock::time_point deadline) {
    k_ = k;
    best_ = std::move(known);
    exchange(deadline);
    const double open =
        search([this] { return limit(); }, [this](const Node& leaf) { best_ = {numbers(leaf.all()), leaf.fit}; }, deadline);
    return {best_, std::min(best_.fit.loss, open)};
  }

  // Returns the best subsets of a size up to a given loss, at most `most` of them, the best first.
  NearSubsets near(std::size_t k, double loss, std::size_t most, Clock::time_point deadline) {
    k_ = k;
    std::vector<std::pair<double, std::vector<std::size_t>>> found;
    const double reach = loss * (1 + kTieOfLosses);
    const double open = search([&] { return found.size() < most ? reach : found.back().first; },
                               [&](const Node& leaf) {
                                 found.emplace_back(leaf.fit.loss, numbers(leaf.all()));
                                 std::sort(found.begin(), found.end());
                                 if (found.size() > most) found.pop_back();
                               },
                               deadline);
    NearSubsets near;
    near.is_complete = open == kNever && found.size() < most;
    for (const auto& [own, columns] : found) {
      for (const std::size_t j : columns) near.index.push_back(std::int32_t(j));
      near.start.push_back(std::int64_t(near.index.size()));
      near.loss.push_back(own);
    }
    return near;
  }

 private:
  static constexpr std::size_t kAtOnce = 8;
  struct Node {
    std::vector<std::size_t> in, maybe;  // positions in columns_, increasing
    ClassFit fit;                        // on both together
    double least;                        // lower bound of the loss
    std::vector<std::size_t> all() const {
      std::vector<std::size_t> both;
      std::merge(in.begin(), in.end(), maybe.begin(), maybe.end(), std::back_inserter(both));
      return both;
    }
  };
  struct Greater {
    bool operator()(const Node& a, const Node& b) const { return a.least > b.least; }
  };

  double limit() const { return best_.fit.loss * (1 - kTieOfLosses); }

  // Calls take(leaf) for every subset of the size whose loss is below limit(), which may fall during the search. Returns the
  // least bound left when the deadline passed, infinity if the search was exhaustive.
  template <class Limit, class Take>
  double search(const Limit& limit, const Take& take, Clock::time_point deadline) {
    // 1. The root: all columns may enter.
    std::priority_queue<Node, std::vector<Node>, Greater> open;
    Node root{std::vector<std::size_t>(), places_all(), {}, 0};
    root.fit = fit(root.maybe, {}, {});
    root.least = root.fit.loss;
    if (root.maybe.size() == k_) {
      if (root.least < limit()) take(root);
      return kNever;
    }
    // 2. Best first, until no bound is below the limit.
    open.push(std::move(root));
    while (!open.empty() && open.top().least < limit()) {
      if (Clock::now() > deadline) return open.top().least;
      // A fixed number of the most promising nodes at a time, so that the result does not depend on the number of threads.
      std::vector<Node> taken;
      while (!open.empty() && taken.size() < kAtOnce && open.top().least < limit()) {
        taken.push_back(std::move(const_cast<Node&>(open.top())));
        open.pop();
      }
      std::vector<std::vector<Node>> children(taken.size());
      parallel_blocks(taken.size(), options_.threads, monitor_, [&](std::size_t b) { children[b] = branch(taken[b]); });
      for (auto& both : children)
        for (Node& node : both) {
          if (!((node.in.size() + node.maybe.size() == k_ ? node.fit.loss : node.least) < limit())) continue;
          if (node.in.size() + node.maybe.size() == k_)  // a leaf: its bound is its loss
            take(node);
          else
            open.push(std::move(node));
        }
      monitor_.check();
    }
    return kNever;
  }
  std::vector<std::size_t> places_all() const {
    std::vector<std::size_t> all(columns_.size());
    for (std::size_t e = 0; e < all.size(); ++e) all[e] = e;
    return all;
  }
  std::vector<std::size_t> numbers(std::span<const std::size_t> places) const {
    std::vector<std::size_t> found;
    for (const std::size_t e : places) found.push_back(columns_[e]);
    return found;
  }
  std::vector<const double*> pointers(std::span<const std::size_t> places) const {
    std::vector<const double*> found;
    if (options_.intercept) found.push_back(ones_.data());
    for (const std::size_t e : places) found.push_back(held_[e].data());
    return found;
  }
  // Fits the model on some columns, starting from the fit on others.
  ClassFit fit(std::span<const std::size_t> places, std::span<const std::size_t> known, const ClassFit& from) const {
    const std::size_t first = options_.intercept, k = places.size() + first, m = model_.n_outputs();
    std::vector<double> start(m * k, 0.0);
    for (std::size_t c = 0; c < m && !from.theta.empty(); ++c) {
      const double* const theta = from.theta.data() + c * (known.size() + first);
      if (first) start[c * k] = theta[0];
      for (std::size_t e = 0; e < known.size(); ++e)
        if (const auto at = std::find(places.begin(), places.end(), known[e]); at != places.end())
          start[c * k + first + std::size_t(at - places.begin())] = theta[first + e];
    }
    return model_.fit(pointers(places), std::move(start), kNever);
  }

  // Exchanges single columns as long as the loss falls. Each round fits all O(k d) exchanges.
  void exchange(Clock::time_point deadline) {
    std::vector<std::size_t> chosen;
    chosen.reserve(best_.variables.size());
    for (const std::size_t j : best_.variables)
      chosen.push_back(std::size_t(std::lower_bound(columns_.begin(), columns_.end(), j) - columns_.begin()));
    std::sort(chosen.begin(), chosen.end());
    for (bool has_changed = true; has_changed && Clock::now() < deadline;) {
      has_changed = false;
      std::vector<std::vector<std::size_t>> candidates;
      for (std::size_t out = 0; out < chosen.size(); ++out)
        for (std::size_t in = 0; in < columns_.size(); ++in)
          if (!std::binary_search(chosen.begin(), chosen.end(), in)) {
            candidates.push_back(chosen);
            candidates.back()[out] = in;
            std::sort(candidates.back().begin(), candidates.back().end());
          }
      std::vector<ClassFit> fits(candidates.size());
      parallel_blocks(candidates.size(), options_.threads, monitor_, [&](std::size_t b) {
        if (Clock::now() < deadline) fits[b] = fit(candidates[b], {}, {});
      });
      const auto least = std::min_element(fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.loss < b.loss; });
      if (least != fits.end() && least->loss < limit()) {
        chosen = candidates[std::size_t(least - fits.begin())];
        best_ = {numbers(chosen), *least};
        has_changed = true;
      }
    }
  }

  // Branches on the column that the model can spare least: with it fixed in, and without it.
  std::vector<Node> branch(const Node& node) const {
    const auto all = node.all();
    const std::vector<double> rise = model_.rises(pointers(all), node.fit.theta);
    std::size_t at = 0;
    double most = -1;
    for (std::size_t e = 0; e < node.maybe.size(); ++e) {
      const auto place = std::size_t(std::lower_bound(all.begin(), all.end(), node.maybe[e]) - all.begin());
      if (rise[place + options_.intercept] > most) most = rise[place + options_.intercept], at = e;
    }
    // The bound of `with` is that of its parent, unless it is a leaf; `without` is refitted.
    Node with = node, without = node;
    with.in.insert(std::lower_bound(with.in.begin(), with.in.end(), node.maybe[at]), node.maybe[at]);
    with.maybe.erase(with.maybe.begin() + std::ptrdiff_t(at));
    without.maybe.erase(without.maybe.begin() + std::ptrdiff_t(at));
    if (with.in.size() == k_) with.maybe.clear();
    std::vector<Node> children;
    for (Node* child : {&with, &without}) {
      const auto columns = child->all();
      if (columns.size() < k_) continue;
      if (columns.size() < all.size()) {
        child->fit = fit(columns, all, node.fit);
        child->least = std::max(node.least, child->fit.loss);
      }
      children.push_back(std::move(*child));
    }
    return children;
  }

  const ClassModel& model_;
  const BestOptions& options_;
  Monitor& monitor_;
  std::vector<double> ones_;
  std::vector<std::size_t> columns_;
  std::vector<Column> held_;
  std::size_t k_ = 1;
  Found best_;
};

}  // namespace

template <ColumnMatrix M>
NearSubsets near_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const NearOptions& options,
                         Monitor& monitor) {
  check_labels(labels, x.n_rows);
  const UnitColumns<M> columns(x, weight, {.intercept = options.intercept, .threads = options.threads}, monitor);
  const ClassModel model(labels.label, labels.n_classes, weight);
  const BestOptions best{.threads = options.threads, .intercept = options.intercept};
  ClassTree<M> tree(columns, model, best, monitor);
  if (options.k == 0 || options.k > tree.size()) return {};
  return tree.near(options.k, options.loss, options.most, after(options.seconds));
}

template <ColumnMatrix M>
PathPoints best_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const BestOptions& options,
                        Monitor& monitor) {
  check_labels(labels, x.n_rows);
  const auto end = after(options.seconds);
  const SubsetOptions greedy{options.most, Direction::both, {}, options.intercept, options.threads};
  ClassSearch<M> search(x, labels, weight, greedy, monitor);
  auto models = search.run();  // first solutions, by a floating search
  const UnitColumns<M> columns(x, weight, {.intercept = options.intercept, .threads = options.threads}, monitor);
  const ClassModel model(labels.label, labels.n_classes, weight);
  ClassTree<M> tree(columns, model, options, monitor);
  std::vector<double> gap(models.size(), 0.0);
  for (std::size_t turn = 1; turn < models.size(); ++turn) {
    const std::size_t k = options.largest_first ? models.size() - turn : turn;
    if (k >= tree.size() || models[k].fit.is_separated) continue;
    const auto left = end - Clock::now();
    const auto [found, least] =
        tree.run(k, models[k], Clock::now() + (options.largest_first ? left : left / std::int64_t(models.size() - k)));
    models[k] = found;
    gap[k] = std::max(0.0, found.fit.loss - least);
    monitor.report(double(turn));
  }
  return search.path(models, gap);
}

#define VITALFEW_INSTANTIATE(M)                                                                                             \
  template PathPoints best_classes<M>(const M&, const ClassLabels&, std::span<const double>, const BestOptions&, Monitor&); \
  template NearSubsets near_classes<M>(const M&, const ClassLabels&, std::span<const double>, const NearOptions&, Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)

}  // namespace vitalfew
