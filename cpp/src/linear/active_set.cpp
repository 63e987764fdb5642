// Feature-sign search for the lasso on second moments (see active_set.hpp).
//
// Invariants between calls:
//   c = q - Hv                       the negative gradient of the quadratic part, for all coordinates;
//   LLᵀ = H_AA + λ₂ diag(f_A)        the factor of the active set A, in the order of `active_`;
//   sign_e ∈ {-1, 1} on A, 0 elsewhere; only coordinates with a penalty or a bound keep their sign.
// An iteration costs O(k²) for the two triangular solves with k active coordinates, and O(m²) for the gradients of all m.
#include "linear/active_set.hpp"

#include <algorithm>
#include <limits>

#include "vitalfew/vectors.hpp"

namespace vitalfew {
namespace {

constexpr double kDependent = 1e-12;  // share of a column's square outside the span of others below which it depends on them
constexpr double kRounding = 1e-13;   // share of the coordinate's first gradient that counts as rounding
constexpr double kTie = 1e-10;        // share of λ by which a gradient may exceed it

}  // namespace

void ActiveSet::add(std::span<const double> row, double factor, double gradient, bool is_positive) {
  const std::size_t e = size();
  if (e + 1 > stride_) {  // double the row stride, so that growing costs O(1) per entry on average
    const std::size_t wider = std::max<std::size_t>(16, 2 * stride_);
    std::vector<double> grown(wider * wider);
    for (std::size_t f = 0; f < e; ++f) std::copy_n(h_.data() + f * stride_, e, grown.data() + f * wider);
    h_.swap(grown);
    stride_ = wider;
  }
  for (std::size_t f = 0; f < e; ++f) h_[f * stride_ + e] = row[f];
  std::copy(row.begin(), row.end(), h_.begin() + std::ptrdiff_t(e * stride_));
  v_.push_back(0);
  c_.push_back(gradient);
  most_.push_back(std::abs(gradient));
  factor_.push_back(factor);
  sign_.push_back(0);
  spread_.push_back(0);
  positive_.push_back(is_positive);
  is_active_.push_back(0);
  rests_.push_back(0);
}

// Violation of optimality at zero: |c_e| - λ₁ f_e, or c_e - λ₁ f_e under a bound, less a tolerance for rounding.
double ActiveSet::excess(std::size_t e, double l1) const {
  const double held = l1 * factor_[e];
  return (positive_[e] ? c_[e] : std::abs(c_[e])) - held * (1 + kTie) - kRounding * most_[e];
}

// Removes an active coordinate, sets it to zero and downdates the factor.
void ActiveSet::leave(std::size_t position) {
  const std::size_t e = active_[position];
  factor_of_active_.remove(position);
  active_.erase(active_.begin() + std::ptrdiff_t(position));
  is_active_[e] = 0;
  sign_[e] = 0;
  v_[e] = 0;
}

// Moves v by step * direction on the active coordinates and by `step` on the newcomer, if there is one; updates c.
void ActiveSet::shift(std::size_t newcomer, std::span<const double> direction, double step) {
  std::fill(spread_.begin(), spread_.end(), 0.0);
  for (std::size_t a = 0; a < active_.size(); ++a) spread_[active_[a]] = step * direction[a];
  if (newcomer < size()) spread_[newcomer] = step;
  for (std::size_t e = 0; e < size(); ++e) c_[e] -= dot(row(e), spread_.data(), size());
  for (std::size_t a = 0; a < active_.size(); ++a) v_[active_[a]] += spread_[active_[a]];
  if (newcomer < size()) v_[newcomer] += step;
}

// Adds coordinate e to the active set. If its column is a linear combination of the active columns, moving along that
// combination leaves the fit unchanged: v moves in the direction in which the penalty falls until a coordinate reaches zero
// and leaves, and the append is tried again.
void ActiveSet::enter(std::size_t e, double l1, double l2) {
  sign_[e] = (v_[e] != 0 ? v_[e] : c_[e]) < 0 ? -1 : 1;
  const double diagonal = row(e)[e] + l2 * factor_[e];
  for (;;) {
    beside_.resize(active_.size());
    for (std::size_t a = 0; a < active_.size(); ++a) beside_[a] = row(e)[active_[a]];
    if (factor_of_active_.append(beside_, diagonal, kDependent)) {
      active_.push_back(e);
      is_active_[e] = 1;
      return;
    }
    // Dependent column: z = -H_AA⁻¹ h_Ae, so that (z, 1) is a direction that does not change the fit.
    std::vector<double>& z = factor_of_active_.half();
    for (double& value : z) value = -value;
    factor_of_active_.solve_upper(z);
    // Slope of the penalty along (z, 1). A coordinate at zero that cannot lower the penalty stays out until the next solve.
    double slope = factor_[e] * sign_[e];
    for (std::size_t a = 0; a < active_.size(); ++a) slope += factor_[active_[a]] * sign_[active_[a]] * z[a];
    const double side = slope > 0 ? -1 : 1;  // direction in which the penalty falls
    if (v_[e] == 0 && (l1 == 0 || side != sign_[e] || std::abs(slope) <= kTie * factor_[e])) {
      rests_[e] = 1;
      sign_[e] = 0;
      return;
    }
    // Largest move before some coordinate, e included, reaches zero.
    double reach = v_[e] != 0 && side != sign_[e] ? std::abs(v_[e]) : std::numeric_limits<double>::infinity();
    std::size_t first = active_.size();
    for (std::size_t a = 0; a < active_.size(); ++a) {
      if (!is_signed(active_[a]) || !(side * z[a] * sign_[active_[a]] < 0)) continue;
      const double until = std::abs(v_[active_[a]] / z[a]);
      if (until < reach) reach = until, first = a;
    }
    if (reach == std::numeric_limits<double>::infinity()) {
      rests_[e] = 1;
      sign_[e] = 0;
      return;
    }
    shift(e, z, side * reach);
    if (first == active_.size()) {  // e itself is back at zero
      v_[e] = 0;
      sign_[e] = 0;
      return;
    }
    leave(first);
  }
}

// Recomputes the factor for a new λ₂. Coordinates spanned by the others are resolved by enter(), as on first entry. O(k³).
void ActiveSet::refactor(double l2) {
  l2_ = l2;
  const std::vector<std::size_t> held = active_;
  factor_of_active_.clear();
  active_.clear();
  for (const std::size_t e : held) is_active_[e] = 0;
  for (const std::size_t e : held) enter(e, 1, l2);
}

// Each coordinate is set to its minimum, S(c_e + h_ee v_e, λ₁ f_e) / (h_ee + λ₂ f_e) with soft threshold S. O(m) per change.
void ActiveSet::descend(double l1, double l2, int passes) {
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t e = 0; e < size(); ++e) {
      const double curvature = row(e)[e], to = c_[e] + curvature * v_[e], held = l1 * factor_[e];
      double next = 0;
      if (to > held)
        next = (to - held) / (curvature + l2 * factor_[e]);
      else if (to < -held && !positive_[e])
        next = (to + held) / (curvature + l2 * factor_[e]);
      const double change = next - v_[e];
      if (change == 0) continue;
      v_[e] = next;
      axpy(-change, row(e), c_.data(), size());
    }
  start(std::vector<double>(v_), l2);
}

void ActiveSet::start(std::span<const double> values, double l2) {
  active_.clear();
  for (std::size_t e = 0; e < size(); ++e) {
    v_[e] = values[e];
    sign_[e] = v_[e] < 0 ? -1 : 1;
    if (v_[e] != 0) active_.push_back(e);
  }
  refactor(l2);
}

// Newton step of the active coordinates with the signs held: (H_AA + λ₂ f_A) step = c_A - f_A (λ₂ v_A + λ₁ sign_A).
void ActiveSet::find_step(double l1, double l2) {
  const std::size_t k = active_.size();
  step_.resize(k);
  for (std::size_t a = 0; a < k; ++a) {
    const std::size_t e = active_[a];
    step_[a] = c_[e] - factor_[e] * (l2 * v_[e] + l1 * sign_[e]);
  }
  beside_ = step_;
  factor_of_active_.solve(step_);
}

// Removes newcomers that the step would move against their sign; returns whether there were any. One that came alone is kept
// out by rounding, and rests until the next call of solve().
bool ActiveSet::remove_blocked(bool came_alone) {
  bool is_blocked = false;
  for (std::size_t a = active_.size(); a-- > 0;)
    if (v_[active_[a]] == 0 && is_signed(active_[a]) && step_[a] * sign_[active_[a]] < 0) {
      if (came_alone) rests_[active_[a]] = 1;
      leave(a);
      is_blocked = true;
    }
  return is_blocked;
}

// Moves v along the step, up to the first coordinate that would change its sign, and updates the gradients. Returns the position
// of that coordinate, or the number of active ones after a full step.
std::size_t ActiveSet::move(double l2) {
  const std::size_t k = active_.size();
  double length = 1;
  std::size_t first = k;
  for (std::size_t a = 0; a < k; ++a) {
    const std::size_t e = active_[a];
    if (!is_signed(e) || (v_[e] + step_[a]) * sign_[e] >= 0) continue;
    const double until = -v_[e] / step_[a];
    if (until < length) length = until, first = a;
  }
  std::fill(spread_.begin(), spread_.end(), 0.0);
  for (std::size_t a = 0; a < k; ++a) spread_[active_[a]] = length * step_[a];
  for (std::size_t e = 0; e < size(); ++e)
    if (!is_active_[e]) c_[e] -= dot(row(e), spread_.data(), size());
  for (std::size_t a = 0; a < k; ++a) {  // (H + λ₂ f) step = beside, so H step needs no product
    const std::size_t e = active_[a];
    c_[e] -= length * (beside_[a] - l2 * factor_[e] * step_[a]);
    v_[e] += length * step_[a];
  }
  return first;
}

// Finds the inactive coordinates that violate optimality, or only the largest violator.
void ActiveSet::find_violators(double l1, bool only_largest) {
  coming_.clear();
  for (std::size_t e = 0; e < size(); ++e)
    if (!is_active_[e] && !rests_[e] && excess(e, l1) > 0) coming_.push_back(e);
  if (!only_largest || coming_.empty()) return;
  const auto less = [&](std::size_t a, std::size_t b) { return excess(a, l1) < excess(b, l1); };
  coming_ = {*std::max_element(coming_.begin(), coming_.end(), less)};
}

bool ActiveSet::solve(double l1, double l2) {
  // Newcomers enter together. If the step then blocks one of them, the next iteration admits a single newcomer.
  if (l2 != l2_) refactor(l2);
  std::fill(rests_.begin(), rests_.end(), char(0));
  bool one_by_one = false, came_alone = false;
  const std::size_t limit = 200 + 20 * size();
  for (std::size_t turn = 0; turn < limit; ++turn) {
    find_step(l1, l2);
    if (remove_blocked(came_alone)) {
      one_by_one = true;
      continue;
    }
    // A coordinate that reached zero leaves, and the step is repeated without it.
    if (const std::size_t first = move(l2); first < active_.size()) {
      leave(first);
      continue;
    }
    // The active coordinates are at their minimum.
    find_violators(l1, one_by_one);
    if (coming_.empty()) return true;
    came_alone = coming_.size() == 1;
    one_by_one = false;
    for (const std::size_t e : coming_) enter(e, l1, l2);
  }
  return false;
}

}  // namespace vitalfew
