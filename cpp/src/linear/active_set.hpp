// The lasso on a few coordinates whose second moments are known: minimize over v
//
//   ½ vᵀHv - qᵀv + Σ_e f_e (λ₁ |v_e| + ½ λ₂ v_e²)
//
// by Newton steps on the nonzero coordinates (feature-sign search; Lee, Battle, Raina & Ng, 2006). With the signs held, the
// minimum solves one linear system. A step that would change a sign stops there and drops that coordinate; coordinates at zero
// whose gradient exceeds λ₁ f enter. Correlated columns, on which coordinate descent crawls, do not slow it down. The result
// is exact up to rounding after finitely many steps, each O(m²) for m coordinates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cholesky.hpp"

namespace vitalfew {

class ActiveSet {
 public:
  std::size_t size() const { return v_.size(); }
  std::span<const double> values() const { return v_; }

  // Adds a coordinate at zero. `row` is its row of H against the present coordinates and, last, itself; `gradient` is its
  // entry of q - Hv. With `is_positive` the coordinate is bounded below by zero.
  void add(std::span<const double> row, double factor, double gradient, bool is_positive);

  double& gradient(std::size_t e) { return c_[e]; }

  // Runs cyclic coordinate descent (Friedman et al., 2010), for problems on which Newton steps stall: slow, but it always
  // makes progress.
  void descend(double l1, double l2, int passes);

  // Starts from these values instead of zero. The gradients passed to add() must be those at these values.
  void start(std::span<const double> values, double l2);

  // Moves v to the minimum. Returns false if the iteration limit was reached; the objective is then no larger than before.
  bool solve(double l1, double l2);

 private:
  const double* row(std::size_t e) const { return h_.data() + e * stride_; }
  bool is_signed(std::size_t e) const { return factor_[e] > 0 || positive_[e]; }
  double excess(std::size_t e, double l1) const;
  void find_step(double l1, double l2);
  bool remove_blocked(bool came_alone);
  std::size_t move(double l2);
  void find_violators(double l1, bool only_largest);
  void enter(std::size_t e, double l1, double l2);
  void leave(std::size_t position);
  void refactor(double l2);
  void shift(std::size_t newcomer, std::span<const double> direction, double step);

  std::size_t stride_ = 0;
  std::vector<double> h_, v_, c_, most_, factor_, sign_, spread_, step_, beside_;
  std::vector<char> positive_, is_active_, rests_;
  std::vector<std::size_t> active_, coming_;
  Cholesky factor_of_active_;
  double l2_ = 0;
};

}  // namespace vitalfew
