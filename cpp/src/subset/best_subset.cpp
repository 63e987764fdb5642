// Best-subset least squares from second moments: for each size k, minimize the loss over all subsets of k columns.
//
// Forward selection with exchanges finds a good subset of each size; branch and bound with the perspective relaxation
// (subset_tree.hpp, relaxation.hpp) then improves it, or proves that none is better, until the deadline. The gap of a size is
// the bound that remains.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "subset/greedy.hpp"
#include "subset/search_deadline.hpp"
#include "subset/subset_tree.hpp"
#include "vitalfew/subset.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t kMostColumns = 600;  // beyond this a bound takes seconds, and no proof is attempted

// Second moments scaled to unit columns and a unit target, without constant columns.
class UnitMoments {
 public:
  UnitMoments(std::span<const double> gram, std::span<const double> cross, double square) {
    const std::size_t d = cross.size();
    if (gram.size() != d * d) throw std::invalid_argument("the moment matrix must be square");
    for (std::size_t j = 0; j < d; ++j)
      if (gram[j * d + j] > 0) columns_.push_back(j);
    const std::size_t p = columns_.size();
    std::vector<double> unit(p * p), along(p);
    for (std::size_t a = 0; a < p; ++a) {
      const double scale = std::sqrt(gram[columns_[a] * d + columns_[a]]);
      along[a] = square > 0 ? cross[columns_[a]] / (scale * std::sqrt(square)) : 0;
      for (std::size_t b = 0; b < p; ++b)
        unit[a * p + b] =
            a == b ? 1 : gram[columns_[a] * d + columns_[b]] / (scale * std::sqrt(gram[columns_[b] * d + columns_[b]]));
    }
    explained_ = by_all(unit, along);
    relaxation_ = std::make_shared<Relaxation>(std::move(unit), std::move(along));
  }

  std::size_t size() const { return columns_.size(); }
  double explained() const { return explained_; }  // share of y's square that all columns explain
  std::size_t column(std::size_t place) const { return columns_[place]; }
  std::vector<std::size_t> places(std::vector<std::size_t> columns) const {
    for (std::size_t& j : columns) j = std::size_t(std::lower_bound(columns_.begin(), columns_.end(), j) - columns_.begin());
    std::sort(columns.begin(), columns.end());
    return columns;
  }
  // Returns the relaxation with a quickly chosen D, which suffices at the root: most columns are soon excluded.
  std::shared_ptr<const Relaxation> relaxation() {
    if (!is_split_) relaxation_->split_evenly();
    is_split_ = true;
    return relaxation_;
  }

 private:
  // Share of y's square explained by all columns; dependent columns are skipped.
  static double by_all(std::span<const double> gram, std::span<const double> cross) {
    Cholesky factor;
    std::vector<double> beside, half;
    std::vector<std::size_t> kept;
    double sum = 0;
    for (std::size_t j = 0; j < cross.size(); ++j) {
      beside.clear();
      for (const std::size_t e : kept) beside.push_back(gram[j * cross.size() + e]);
      if (!factor.append(beside, gram[j * cross.size() + j], 1e-10)) continue;
      double value = cross[j], left = gram[j * cross.size() + j];
      for (std::size_t t = 0; t < kept.size(); ++t) {
        value -= factor.half()[t] * half[t];
        left -= factor.half()[t] * factor.half()[t];
      }
      half.push_back(value / std::sqrt(left));
      sum += half.back() * half.back();
      kept.push_back(j);
    }
    return std::min(1.0, sum + 1e-9);
  }

  double explained_ = 1;
  std::vector<std::size_t> columns_;
  std::shared_ptr<Relaxation> relaxation_;
  bool is_split_ = false;
};

// Runs branch and bound from known subsets.
SearchResult search(UnitMoments& moments, const SearchOptions& options, std::vector<RankedSubset> known, Monitor& monitor) {
  SubsetTree tree(moments.relaxation(), options, monitor);
  for (RankedSubset& subset : known) tree.offer(std::move(subset));
  return tree.run();
}

// Returns the least-squares model on a subset.
Model refit(HeldMoments& moments, std::span<const std::size_t> columns) {
  const Variables variables({}, moments.n_cols());
  GrowingModel<HeldMoments> model(moments, variables);
  for (const std::size_t j : columns) model.enter(j, {});
  return model.fit();
}

}  // namespace

PathPoints best_subsets(std::span<const double> gram, std::span<const double> cross, double square, const BestOptions& options,
                        Monitor& monitor) {
  const auto end = after(options.seconds);
  UnitMoments unit(gram, cross, square);
  HeldMoments moments(gram, cross, square);
  // 1. A good subset of each size.
  const SubsetOptions exchanging{options.most, Direction::exchange, {}, true, options.threads};
  std::vector<Model> models = GreedySearch(moments, exchanging, monitor).run();
  // 2. Branch and bound for each size, with its share of the remaining time.
  std::vector<double> gap(models.size(), 0.0);
  for (std::size_t turn = 1; turn < models.size(); ++turn) {
    const std::size_t k = options.largest_first ? models.size() - turn : turn;
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    const double share = options.largest_first ? left : left / double(models.size() - k);
    double most = k < unit.size() ? unit.explained() : 0;
    const double known = 1 - 2 * models[k].loss / square;
    if (unit.size() <= kMostColumns && left > 0 && k < unit.size()) {
      const SearchOptions tree{k, 0, 1, unit.explained(), after(share), options.threads};
      const SearchResult found = search(unit, tree, {{known, unit.places(models[k].columns)}}, monitor);
      if (found.found.front().explained > known + 1e-12) {
        std::vector<std::size_t> columns;
        for (const std::size_t place : found.found.front().columns) columns.push_back(unit.column(place));
        models[k] = refit(moments, columns);
      }
      most = found.is_complete ? 0 : found.most;
    }
    gap[k] = std::max(0.0, most - (1 - 2 * models[k].loss / square)) * 0.5 * square;
    monitor.report(double(turn));
  }
  return path_of(models, square, gap);
}

NearSubsets near_subsets(std::span<const double> gram, std::span<const double> cross, double square, const NearOptions& options,
                         Monitor& monitor) {
  UnitMoments unit(gram, cross, square);
  NearSubsets near;
  if (options.k == 0 || options.k > unit.size() || unit.size() > kMostColumns || !(square > 0)) return near;
  const SearchOptions tree{options.k,        1 - 2 * options.loss / square, options.most,
                           unit.explained(), after(options.seconds),        options.threads};
  const SearchResult found = search(unit, tree, {}, monitor);
  near.is_complete = found.is_complete;
  for (const RankedSubset& subset : found.found) {
    for (const std::size_t place : subset.columns) near.index.push_back(std::int32_t(unit.column(place)));
    near.start.push_back(std::int64_t(near.index.size()));
    near.loss.push_back(0.5 * square * (1 - subset.explained));
  }
  return near;
}

}  // namespace vitalfew
