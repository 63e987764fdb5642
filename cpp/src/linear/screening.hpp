// Screening: which columns may have to enter at a penalty. Screen keeps the correlations c_j = x_jᵀ(residual) of all columns
// for a path solver. At most penalties few of them are computed, because a bound shows that the others cannot reach the
// penalty. From one residual r₀ to the next
//
//   |x_jᵀr| <= s |x_jᵀr₀| + min(‖x_j‖ ‖r - s r₀‖, ‖x_j‖₁ max |r - s r₀|),
//
// where the second term is tighter for columns with few entries. The bounds add up along the path, from the residual at which
// a column was last computed: with S the product of the shares s since the start, |c_j| / S grows by at most
// ‖x_j‖ Σ ‖r - s r₀‖ / S. A column is computed again when its bound exceeds the penalty. Unlike the strong rule (Tibshirani et
// al., 2012), which only orders the checks here, the bound is safe: no violator is missed. It costs O(d) per check instead of
// O(n d).
//
// The problem provides n_cols(), curvature(j) = ‖x_j‖², mass(j) = ‖x_j‖₁ or infinity, correlations(columns, c), and moved() =
// {s, ‖r - s r₀‖, max |r - s r₀|} since its last call.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "vitalfew/linear.hpp"
#include "vitalfew/vectors.hpp"

namespace vitalfew {

inline void check(const PathOptions& options, std::size_t n_cols) {
  std::size_t n_factors = n_cols;
  if (!options.group.empty()) {
    if (options.group.size() != n_cols) throw std::invalid_argument("groups must have one label per column");
    if (options.positive) throw std::invalid_argument("positive=true is not supported with groups");
    std::int32_t most = -1;
    for (const std::int32_t g : options.group) {
      if (g < 0 || std::size_t(g) >= n_cols) throw std::invalid_argument("group labels must be in [0, n_cols)");
      most = std::max(most, g);
    }
    n_factors = std::size_t(most) + 1;
  }
  if (!options.factor.empty() && options.factor.size() != n_factors)
    throw std::invalid_argument("penalty factors must have one entry per column or group");
  for (const double f : options.factor)
    if (!(f >= 0)) throw std::invalid_argument("penalty factors must not be negative");
  if (!(options.l1_ratio > 0 && options.l1_ratio <= 1)) throw std::invalid_argument("l1_ratio must be in (0, 1]");
  for (const double penalty : options.grid)
    if (!(penalty >= 0 && std::isfinite(penalty))) throw std::invalid_argument("penalties must be finite and not negative");
}

// Returns the requested grid, or a geometric one from the largest penalty of interest down.
inline std::vector<double> penalties(const PathOptions& options, double largest) {
  if (!options.grid.empty()) return {options.grid.begin(), options.grid.end()};
  const double top = largest > 0 ? largest : std::numeric_limits<double>::min() * 1e10;
  std::vector<double> grid(options.n_points, top);
  for (std::size_t p = 1; p < grid.size(); ++p) grid[p] = top * std::pow(options.ratio, double(p) / double(grid.size() - 1));
  return grid;
}

template <class Problem>
class Screen {
 public:
  Screen(Problem& problem, const PathOptions& options)
      : problem_(problem),
        options_(options),
        d_(problem.n_cols()),
        c_(d_),
        c0_(d_),
        before_(d_),
        norm_(d_),
        mass_(d_),
        since_length_(d_),
        since_height_(d_),
        hold_(d_, kNever),
        place_(d_, kUnused) {
    for (std::size_t j = 0; j < d_; ++j) {
      norm_[j] = std::sqrt(problem_.curvature(j));
      mass_[j] = problem_.mass(j);
      if (!(norm_[j] > 0 && factor(j) < kNever)) continue;  // constant or excluded
      hold_[j] = factor(j);
      candidates_.push_back(j);
    }
  }

  double factor(std::size_t j) const { return options_.factor.empty() ? 1.0 : options_.factor[j]; }
  // Size of a correlation at zero: a negative one cannot move a coefficient that is bounded below by zero.
  double size_of(double c) const { return options_.positive ? c : std::abs(c); }
  double& operator[](std::size_t j) { return c_[j]; }
  double operator[](std::size_t j) const { return c_[j]; }
  std::span<const std::size_t> used() const { return used_; }

  // Adds columns to those in use. Returns the new ones, and whether a resting column was woken.
  struct Taken {
    std::vector<std::size_t> fresh;
    bool has_woken = false;
  };
  Taken use(std::span<const std::size_t> columns) {
    Taken taken;
    for (const std::size_t j : columns) {
      hold_[j] = kNever;
      if (place_[j] == kUnused) {
        place_[j] = std::int32_t(used_.size());
        used_.push_back(j);
        is_resting_.push_back(0);
        taken.fresh.push_back(j);
      }
      taken.has_woken |= is_resting_[std::size_t(place_[j])] != 0;
      is_resting_[std::size_t(place_[j])] = 0;
    }
    return taken;
  }
  // For each column in use, whether it rests: its coefficient is zero, and it is screened like a column not in use.
  std::span<const char> resting() const { return is_resting_; }

  std::vector<std::size_t> unpenalized() const {
    std::vector<std::size_t> found;
    for (const std::size_t j : candidates_)
      if (factor(j) == 0) found.push_back(j);
    return found;
  }

  // At the null model: computes all correlations and the smallest penalty that leaves all penalized columns at zero.
  void start() {
    refresh_all();
    before_ = c_;
    largest_ = 0;
    for (const std::size_t j : candidates_)
      if (factor(j) > 0) largest_ = std::max(largest_, size_of(c_[j]) / (factor(j) * options_.l1_ratio));
  }

  std::vector<double> grid() const { return penalties(options_, largest_); }
  double largest() const { return largest_; }

  // Returns the columns whose correlation, extrapolated linearly in the penalty, will reach this penalty.
  std::vector<std::size_t> foresee(double alpha) {
    const double l1 = alpha * options_.l1_ratio;
    const double ahead = before_previous_ > previous_ && previous_ > 0 ? (previous_ - alpha) / (before_previous_ - previous_) : 0;
    reaching_ahead(c_, before_, ahead, hold_, l1, asked_);
    if (options_.positive) std::erase_if(asked_, [&](std::size_t j) { return c_[j] + ahead * (c_[j] - before_[j]) < 0; });
    before_ = c_;
    return asked_;
  }

  // Returns the violators among the columns that the sequential strong rule, |c_j| < ρ f_j (2 α - α_previous), does not
  // discard (Tibshirani et al., 2012).
  std::vector<std::size_t> likely_violators(double alpha) {
    const double from = previous_ > 0 ? previous_ : std::max(alpha, largest_);
    reaching(before_, hold_, options_.l1_ratio * (2 * alpha - from), asked_);
    problem_.correlations(asked_, c_);
    return violators(alpha);
  }

  // Computes the correlations of all columns not in use that may violate; for the others the bound is below the penalty.
  void look_at_others(double alpha) {
    const auto [share, distance, most] = problem_.moved();
    if (share < 0.1 || share_ < 1e-6) {  // the residual changed too much for the bound to be of use
      refresh_all();
      reaching(c_, hold_, alpha * options_.l1_ratio, asked_);
      return;
    }
    share_ *= share;
    length_ += distance / share_;
    height_ += most / share_;
    reaching(c0_, {length_, height_, since_length_, since_height_, norm_, mass_}, hold_, alpha * options_.l1_ratio / share_,
             asked_);
    scale_open(share_, c0_, hold_, c_);
    problem_.correlations(asked_, c_);
    date(asked_);
  }

  // Computes the correlations of the columns in use.
  void look_at_used() {
    asked_.clear();
    problem_.correlations(used_, c_);
  }
  // The same, and puts columns whose coefficient is zero to rest.
  void look_at_used(std::span<const double> v) {
    asked_.clear();
    std::vector<std::size_t> awake;
    for (std::size_t e = 0; e < used_.size(); ++e) {
      const std::size_t j = used_[e];
      const bool was_awake = !is_resting_[e];
      is_resting_[e] = v[e] == 0 && factor(j) > 0;
      hold_[j] = is_resting_[e] ? factor(j) : kNever;
      if (is_resting_[e] && was_awake) c0_[j] = kNever;  // no reference yet: the next check must compute it
      if (!is_resting_[e]) awake.push_back(j);
    }
    problem_.correlations(awake, c_);
  }

  // Returns the violators among the columns computed last that are not in use or rest.
  std::vector<std::size_t> violators(double alpha) const {
    std::vector<std::size_t> found;
    for (const std::size_t j : asked_)
      if (hold_[j] != kNever && size_of(c_[j]) > (1 + 1e-9) * alpha * options_.l1_ratio * factor(j)) found.push_back(j);
    return found;
  }

  // Terms of the duality gap, after look_at_used and look_at_others: the largest s <= 1 for which s c is dual feasible and, for
  // λ₂ > 0, the conjugate of the penalty, Σ (|c_j| - λ₁ f_j)₊² / (2 λ₂ f_j).
  struct Excess {
    double scale = 1, conjugate = 0;
  };
  Excess excess(double l1, double l2) const {
    Excess found;
    const double rounding = 1e-13 * std::sqrt(2 * problem_.null_loss());
    const auto look = [&](std::size_t j) {
      const double limit = l1 * factor(j), c = size_of(c_[j]);
      if (factor(j) == 0 || !(c > limit + rounding * norm_[j])) return;
      found.scale = std::min(found.scale, limit / c);
      if (l2 > 0) found.conjugate += (c - limit) * (c - limit) / (2 * l2 * factor(j));
    };
    for (std::size_t e = 0; e < used_.size(); ++e)
      if (!is_resting_[e]) look(used_[e]);
    for (const std::size_t j : asked_) look(j);
    if (l2 > 0) found.scale = 1;
    return found;
  }

  // Records that a penalty is solved. `top` is the penalty at which the path starts.
  void done_with(double alpha) { done_with(alpha, largest_); }
  void done_with(double alpha, double top) {
    before_previous_ = previous_ > 0 ? previous_ : std::max(alpha, top);
    previous_ = alpha;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::int32_t kUnused = -1;

  void refresh_all() {
    problem_.moved();
    problem_.correlations(candidates_, c_);
    share_ = 1;
    length_ = height_ = 0;
    date(candidates_);
  }

  // Makes the present correlations of these columns the reference of their bounds.
  void date(std::span<const std::size_t> columns) {
    for (const std::size_t j : columns) {
      c0_[j] = c_[j] / share_;
      since_length_[j] = length_;
      since_height_[j] = height_;
    }
  }

  Problem& problem_;
  const PathOptions& options_;
  std::size_t d_;
  std::vector<double> c_, c0_, before_;              // correlations: now, at the reference, at the previous penalty
  std::vector<double> norm_, mass_;                  // ‖x_j‖ and ‖x_j‖₁
  std::vector<double> since_length_, since_height_;  // length_ and height_ when a column's correlation was computed
  std::vector<double> hold_;                         // penalty factor, or infinity for columns that are awake or excluded
  double share_ = 1, length_ = 0, height_ = 0;       // S, Σ ‖r - s r₀‖ / S and Σ max |r - s r₀| / S
  std::vector<std::int32_t> place_;                  // position of a column among those in use
  std::vector<char> is_resting_;
  std::vector<std::size_t> candidates_, used_, asked_;
  double largest_ = 0, previous_ = 0, before_previous_ = 0;
};

// Solves for each penalty of the path's grid. If the deadline is reached, the grid is cut after the last stored point.
template <class Point>
void each_penalty(PathPoints& path, Point&& point) {
  const auto solve = [&] {
    for (const double alpha : path.grid) point(alpha);
  };
  path.is_complete = ends_in_time(solve, [&] { return !path.gap.empty(); });
  path.grid.resize(path.gap.size());
}

// Appends the nonzero coefficients of one point, sorted by column.
inline void store(PathPoints& path, std::span<const std::size_t> columns, std::span<const double> v, double intercept,
                  double loss, double gap) {
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < columns.size(); ++e)
    if (v[e] != 0) order.push_back(e);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
  for (const std::size_t e : order) {
    path.index.push_back(std::int32_t(columns[e]));
    path.value.push_back(v[e]);
  }
  path.start.push_back(std::int64_t(path.index.size()));
  path.intercept.push_back(intercept);
  path.loss.push_back(loss);
  path.gap.push_back(path.null_loss > 0 ? gap / path.null_loss : 0);
}

}  // namespace vitalfew
