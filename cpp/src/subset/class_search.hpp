// Forward, backward and floating searches with the multinomial loss. A step fits every candidate model, or stops its fit once
// it is clear that it is not the best: O(n k² m²) for a Newton step on k columns and m outputs, times the candidates.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "linear/multinomial_fit.hpp"
#include "linear/screening.hpp"
#include "subset/stepwise.hpp"
#include "vitalfew/subset_classes.hpp"

namespace vitalfew {

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr double kTieOfLosses = 1e-9;  // relative differences of losses below this are ties: the first variable wins

// Standardized columns: dense, of mean zero if there is an intercept, and of mean square one.
template <ColumnMatrix M>
class UnitColumns : public WeightedColumns<M> {
  using Base = WeightedColumns<M>;
  using Base::x_, Base::n_, Base::mean_, Base::square_;

 public:
  using Base::Base;
  bool is_constant(std::size_t j) const { return !(square_[j] > 0); }
  double scale(std::size_t j) const { return std::sqrt(square_[j]); }
  double mean(std::size_t j) const { return mean_[j]; }
  // Product of the standardized column with v, without expanding it.
  double product(std::size_t j, const Column& v) const {
    double sum = 0;
    for (const double value : v) sum += value;
    return (x_.dot(j, v) - mean_[j] * sum) / scale(j);
  }
  Column expand(std::size_t j) const {
    Column column(n_, 0.0);
    visit_column(x_, j, [&](std::size_t i, double value) { column[i] = value; });
    for (double& value : column) value = (value - mean_[j]) / scale(j);
    return column;
  }
};

template <ColumnMatrix M>
class ClassSearch {
 public:
  ClassSearch(const M& x, const ClassLabels& labels, std::span<const double> weight, const SubsetOptions& options,
              Monitor& monitor)
      : x_(x, weight, {.intercept = options.intercept, .threads = options.threads}, monitor),
        model_(labels.label, labels.n_classes, weight),
        options_(options),
        monitor_(monitor),
        variables_(options.group, x.n_cols),
        ones_(x.n_rows, 1.0) {}

  struct Found {
    std::vector<std::size_t> variables;
    ClassFit fit;
  };

  // Runs the search and returns the best model of each size.
  const std::vector<Found>& run() {
    if (options_.direction == Direction::backward) {
      for (std::size_t g = 0; g < variables_.count(); ++g) hold(g);
      chosen_ = usable();
    }
    keep(fit_of(chosen_, {}, kNever));
    if (options_.direction == Direction::backward) {
      while (!chosen_.empty() && step_out()) {
      }
      return best_;
    }
    const std::size_t most = std::min(options_.most, variables_.count());
    while (chosen_.size() < most && !known_.fit.is_separated && step_in())
      while (options_.direction == Direction::both && chosen_.size() > 2 && !known_.fit.is_separated && step_out()) {
      }
    return best_;
  }
  const std::vector<Found>& found() const { return best_; }  // models so far
  // Converts models of this search, or of another one on the same data, to a path in the original units.
  PathPoints path(std::span<const Found> models, std::span<const double> gap = {}) const;

 private:
  // Variables with at least one column that is not constant.
  std::vector<std::size_t> usable() const {
    std::vector<std::size_t> found;
    for (std::size_t g = 0; g < variables_.count(); ++g)
      for (const std::size_t j : variables_.columns(g))
        if (!x_.is_constant(j)) {
          found.push_back(g);
          break;
        }
    return found;
  }
  // Caches the standardized columns of a variable.
  void hold(std::size_t g) {
    for (const std::size_t j : variables_.columns(g))
      if (!x_.is_constant(j) && !held_.contains(j)) held_.emplace(j, x_.expand(j));
  }
  std::vector<std::size_t> columns_of(std::span<const std::size_t> variables) const {
    std::vector<std::size_t> columns;
    for (const std::size_t g : variables)
      for (const std::size_t j : variables_.columns(g))
        if (!x_.is_constant(j)) columns.push_back(j);
    return columns;
  }

  // Fits the model on some variables, starting from the present coefficients; `fresh` holds columns that are not cached.
  ClassFit fit_of(std::span<const std::size_t> variables, const std::map<std::size_t, Column>& fresh, double limit) const {
    const auto columns = columns_of(variables);
    std::vector<const double*> pointers;
    if (options_.intercept) pointers.push_back(ones_.data());
    for (const std::size_t j : columns) pointers.push_back(held_.contains(j) ? held_.at(j).data() : fresh.at(j).data());
    const std::size_t k = pointers.size(), m = model_.n_outputs(), first = options_.intercept;
    // Warm start: coefficients of columns in the present model are taken over.
    const auto known = columns_of(known_.variables);
    std::vector<double> start(m * k, 0.0);
    if (!known_.fit.theta.empty())
      for (std::size_t c = 0; c < m; ++c) {
        const double* const from = known_.fit.theta.data() + c * (known.size() + first);
        if (first) start[c * k] = from[0];
        for (std::size_t e = 0; e < known.size(); ++e) {
          const auto at = std::find(columns.begin(), columns.end(), known[e]);
          if (at != columns.end()) start[c * k + first + std::size_t(at - columns.begin())] = from[first + e];
        }
      }
    return model_.fit(pointers, std::move(start), limit);
  }

  // Makes a fit the present model and records it if it is the best of its size.
  void keep(ClassFit fit) {
    known_ = {chosen_, std::move(fit)};
    const std::size_t k = chosen_.size();
    if (best_.size() <= k) best_.resize(k + 1);
    if (known_.fit.loss < best_[k].fit.loss) best_[k] = known_;
    monitor_.report(double(options_.direction == Direction::backward ? variables_.count() - k : k));
  }

  // Returns the first candidate with the least loss. Candidates are fitted in parallel, in the given order; each fit stops once
  // it cannot beat the least loss so far.
  std::optional<std::size_t> best_of(std::span<const std::vector<std::size_t>> candidates, std::span<const std::size_t> order) {
    std::vector<double> loss(candidates.size(), kNever);
    std::atomic<double> least{kNever};
    parallel_blocks(candidates.size(), options_.threads, monitor_, [&](std::size_t b) {
      const std::size_t g = order[b];
      std::map<std::size_t, Column> fresh;
      for (const std::size_t j : columns_of(candidates[g]))
        if (!held_.contains(j)) fresh.emplace(j, x_.expand(j));
      loss[g] = fit_of(candidates[g], fresh, least.load() * (1 + 10 * kTieOfLosses)).loss;
      // Lock-free minimum of the losses so far.
      double before = least.load();
      while (loss[g] < before && !least.compare_exchange_weak(before, loss[g])) {
      }
    });
    const double limit = least.load() * (1 + kTieOfLosses) + 1e-300;
    const auto first = std::find_if(loss.begin(), loss.end(), [&](double value) { return value <= limit; });
    return first == loss.end() ? std::nullopt : std::optional(std::size_t(first - loss.begin()));
  }

  // Adds the variable whose model has the least loss. Returns false if none lowers it.
  bool step_in() {
    std::vector<std::size_t> entering;
    std::vector<std::vector<std::size_t>> candidates;
    for (const std::size_t g : usable())
      if (std::find(chosen_.begin(), chosen_.end(), g) == chosen_.end()) {
        entering.push_back(g);
        candidates.push_back(chosen_);
        candidates.back().push_back(g);
      }
    if (candidates.empty()) return false;
    const auto at = best_of(candidates, promising(entering));
    if (!at) return false;
    hold(entering[*at]);
    const double before = known_.fit.loss;
    ClassFit fit = fit_of(candidates[*at], {}, kNever);
    if (!(fit.loss < before * (1 - 1e-12))) return false;
    last_ = entering[*at];
    chosen_ = candidates[*at];
    keep(std::move(fit));
    return true;
  }

  // Removes the variable whose removal raises the loss least. In a floating search it is not the last one added, and the smaller
  // model must be the best of its size. Of ties the last variable leaves.
  bool step_out() {
    const bool is_floating = options_.direction == Direction::both;
    std::vector<std::vector<std::size_t>> candidates;
    for (std::size_t e = chosen_.size(); e-- > 0;) {
      if (is_floating && chosen_[e] == last_) continue;
      candidates.push_back(chosen_);
      candidates.back().erase(candidates.back().begin() + std::ptrdiff_t(e));
    }
    std::vector<std::size_t> order(candidates.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
    const auto at = best_of(candidates, order);
    if (!at) return false;
    ClassFit fit = fit_of(candidates[*at], {}, kNever);
    if (is_floating && !(fit.loss < best_[chosen_.size() - 1].fit.loss * (1 - 10 * kTieOfLosses))) return false;
    chosen_ = candidates[*at];
    keep(std::move(fit));
    return true;
  }

  // Returns the variables in order of the slope of the loss in their columns, the steepest first.
  std::vector<std::size_t> promising(std::span<const std::size_t> variables) const;

  UnitColumns<M> x_;
  ClassModel model_;
  const SubsetOptions& options_;
  Monitor& monitor_;
  Variables variables_;
  std::vector<double> ones_;
  std::map<std::size_t, Column> held_;
  std::vector<std::size_t> chosen_;
  Found known_;              // the present model
  std::vector<Found> best_;  // by number of variables
  std::size_t last_ = 0;
};

template <ColumnMatrix M>
std::vector<std::size_t> ClassSearch<M>::promising(std::span<const std::size_t> variables) const {
  std::vector<const double*> pointers;
  if (options_.intercept) pointers.push_back(ones_.data());
  for (const std::size_t j : columns_of(known_.variables)) pointers.push_back(held_.at(j).data());
  const auto residuals = model_.residuals(pointers, known_.fit.theta);
  std::vector<double> steepness(variables.size(), 0.0);
  const std::size_t blocks = blocks_for(double(ones_.size()) * double(variables.size()), variables.size());
  parallel_blocks(blocks, options_.threads, monitor_, [&](std::size_t b) {
    for (std::size_t v = variables.size() * b / blocks; v < variables.size() * (b + 1) / blocks; ++v)
      for (const std::size_t j : variables_.columns(variables[v]))
        for (const Column& r : residuals) {
          const double slope = x_.is_constant(j) ? 0 : x_.product(j, r);
          steepness[v] += slope * slope;
        }
  });
  std::vector<std::size_t> order(variables.size());
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = v;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return steepness[a] > steepness[b]; });
  return order;
}

template <ColumnMatrix M>
PathPoints ClassSearch<M>::path(std::span<const Found> models, std::span<const double> gap) const {
  PathPoints path;
  path.null_loss = models[0].fit.loss;
  const std::size_t m = model_.n_outputs(), first = options_.intercept;
  for (std::size_t k = 0; k < models.size() && k <= options_.most; ++k) {
    const auto columns = columns_of(models[k].variables);
    std::vector<std::size_t> places;
    std::vector<double> value, intercept(m, 0.0);
    for (std::size_t c = 0; c < m; ++c) {
      const double* const theta = models[k].fit.theta.data() + c * (columns.size() + first);
      if (first) intercept[c] = theta[0];
      for (std::size_t e = 0; e < columns.size(); ++e) {
        const std::size_t j = columns[e];
        places.push_back(c * x_.n_cols() + j);
        value.push_back(theta[first + e] / x_.scale(j));
        intercept[c] -= value.back() * x_.mean(j);
      }
    }
    path.grid.push_back(double(k));
    store(path, places, value, intercept[0], models[k].fit.loss, gap.empty() ? 0 : gap[k]);
    path.intercept.insert(path.intercept.end(), intercept.begin() + 1, intercept.end());
  }
  return path;
}

}  // namespace vitalfew
