// Forward, floating (Pudil, Novovicova & Kittler, 1994) and exchange searches for least-squares subsets: minimize the mean
// square of the residual over models of k variables, k = 0, 1, …. Every step uses the exact change of the loss, from the second
// moments after projection on the model (stepwise.hpp). Entering a column costs O(k d) for d columns plus one column of the
// second moments; the best exchange O(k² d).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "linear/screening.hpp"
#include "subset/stepwise.hpp"
#include "vitalfew/subset.hpp"

namespace vitalfew {

inline constexpr double kTieOfGains = 1e-12;  // relative differences below this are ties, which the first column wins
inline constexpr double kNoGain = 1e-20;      // share of y's square that counts as no gain

// Forward search, optionally with removals or exchanges after each addition.
template <class Moments>
class GreedySearch {
 public:
  GreedySearch(Moments& moments, const SubsetOptions& options, Monitor& monitor)
      : moments_(moments),
        options_(options),
        monitor_(monitor),
        variables_(options.group, moments.n_cols()),
        model_(moments, variables_),
        gain_(variables_.count()) {}

  std::vector<Model> run() {
    best_.push_back(model_.fit());
    square_.push_back(model_.mean_square());
    is_complete_ = ends_in_time([&] { search(); }, [&] { return best_.size() > 1; });
    return std::move(best_);
  }
  // Whether the search ended before the deadline.
  bool is_complete() const { return is_complete_; }

 private:
  void search() {
    const std::size_t most = std::min(options_.most, variables_.count());
    while (model_.size() < most && step_in()) {
      const std::size_t reached = model_.size();
      keep();
      if (options_.direction == Direction::both && !is_misled_) steps_back();
      if (options_.direction == Direction::exchange) exchange();
      monitor_.report(double(model_.size()));
      // An exchange that is due to rounding may lose a column, which would then enter again forever.
      if (options_.direction == Direction::exchange && model_.size() < reached) break;
    }
    if (options_.direction == Direction::exchange) come_down();
  }

  // Adds the variable with the largest gain; false if none has any. A winner whose projection may be spoiled by rounding is
  // recomputed from the rows first, once.
  bool step_in() {
    std::vector<char> is_examined(variables_.count(), 0);
    for (;;) {
      for (std::size_t g = 0; g < gain_.size(); ++g) gain_[g] = model_.gain(g);
      const double most = *std::max_element(gain_.begin(), gain_.end());
      if (!(most > kNoGain * moments_.square())) return false;
      const auto first = std::find_if(gain_.begin(), gain_.end(), [&](double gain) { return gain >= most * (1 - kTieOfGains); });
      last_ = std::size_t(first - gain_.begin());
      if (is_examined[last_] || !model_.examine(last_)) break;
      is_examined[last_] = 1;
    }
    model_.enter(last_, next_best());
    return true;
  }

  // Returns the columns of the variables with the largest gains, which are likely to enter next.
  std::vector<std::size_t> next_best() const {
    std::vector<std::size_t> order(gain_.size());
    for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
    const std::size_t count = std::min<std::size_t>(12, order.size());
    std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(count), order.end(),
                      [&](std::size_t a, std::size_t b) { return gain_[a] > gain_[b] || (gain_[a] == gain_[b] && a < b); });
    std::vector<std::size_t> columns;
    for (std::size_t g = 0; g < count && gain_[order[g]] > 0; ++g)
      for (const std::size_t j : variables_.columns(order[g])) columns.push_back(j);
    return columns;
  }

  // Records the model if it is the first or the best of its size. Returns true if it was recorded.
  bool keep() {
    const std::size_t k = model_.size();
    if (k < square_.size() && !(model_.mean_square() < square_[k] * (1 - kTieOfGains))) return false;
    Model fitted = model_.fit();
    if (k == square_.size()) {
      square_.push_back(0);
      best_.emplace_back();
    }
    square_[k] = model_.mean_square();
    best_[k] = std::move(fitted);
    return true;
  }

  // Removes variables, other than the last one added, as long as this gives the best model of its size so far.
  void steps_back() {
    while (model_.size() > 2) {
      std::optional<std::size_t> out;
      double least = 0;
      for (const auto& [g, rise] : model_.rises())
        if (g != last_ && (!out || rise < least * (1 - kTieOfGains))) out = g, least = rise;
      if (!out || !(model_.mean_square() + least < square_[model_.size() - 1] * (1 - 1e3 * kTieOfGains))) return;
      std::vector<std::size_t> others;
      for (const std::size_t j : model_.columns())
        if (const std::size_t g = variables_.of(j); g != *out && (others.empty() || others.back() != g)) others.push_back(g);
      model_.clear();
      for (const std::size_t g : others) model_.enter(g, {});
      is_misled_ = !keep();
      if (is_misled_) return;
    }
  }

  // Exchanges columns as long as the loss falls.
  void exchange() {
    for (int turn = 0; turn < kMostExchanges; ++turn) {
      const auto best = model_.best_exchange();
      if (!(best.gain > 1e3 * kTieOfGains * model_.mean_square())) return;
      replace(best.out, best.in, best.likely);
      if (!keep()) return;
      monitor_.check();
    }
  }
  // Goes from the largest model back to the smallest: removes the least needed column, then exchanges, at each size.
  void come_down() {
    while (model_.size() > 1) {
      const auto rises = model_.rises();
      const auto least =
          std::min_element(rises.begin(), rises.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (least == rises.end()) return;  // the variables in the model have no column in it: all are dependent up to rounding
      const std::size_t before = model_.size();
      replace(variables_.columns(least->first)[0], std::nullopt, {});
      if (model_.size() >= before) return;
      keep();
      exchange();
    }
  }
  // Rebuilds the model without one column and, optionally, with another.
  void replace(std::size_t out, std::optional<std::size_t> in, std::span<const std::size_t> likely) {
    const std::vector<std::size_t> columns = model_.columns();
    model_.clear();
    for (const std::size_t j : columns)
      if (j != out) model_.enter(variables_.of(j), {});
    if (in) model_.enter(variables_.of(*in), likely);
  }

  static constexpr int kMostExchanges = 1000;

  Moments& moments_;
  const SubsetOptions& options_;
  Monitor& monitor_;
  Variables variables_;
  GrowingModel<Moments> model_;
  std::vector<double> gain_, square_;
  std::vector<Model> best_;  // by number of variables
  std::size_t last_ = 0;
  bool is_complete_ = true;
  bool is_misled_ = false;  // a predicted gain was only rounding: further removals would cycle
};

// Converts models of k = 0, 1, … variables to a path.
inline PathPoints path_of(const std::vector<Model>& models, double square, std::span<const double> gap = {}) {
  PathPoints path;
  path.null_loss = 0.5 * square;
  for (std::size_t k = 0; k < models.size(); ++k) {
    path.grid.push_back(double(k));
    store(path, models[k].columns, models[k].value, models[k].intercept, models[k].loss, gap.empty() ? 0 : gap[k]);
  }
  return path;
}

}  // namespace vitalfew
