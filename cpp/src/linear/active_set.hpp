// The lasso on a few coordinates whose second moments are known: minimise over v
//
//   ½ vᵀHv - qᵀv + Σ_e f_e (λ₁ |v_e| + ½ λ₂ v_e²)
//
// by Newton steps on the coordinates that are not zero (feature-sign search; Lee, Battle, Raina & Ng, 2006): with the signs
// held, the minimum is one linear system; a step that would turn a sign ends there and drops the coordinate; coordinates at
// zero whose gradient exceeds λ₁ f enter. Correlated columns cost it nothing, where coordinate descent crawls. Exact up to
// rounding after finitely many steps, each O(k²) for k coordinates in use.
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

  // One more coordinate, at zero: its row of H against all that are there and itself, last; its gradient q - Hv.
  // With `is_positive` it must not fall below zero.
  void add(std::span<const double> row, double factor, double gradient, bool is_positive);

  double& gradient(std::size_t e) { return c_[e]; }

  // Cyclic coordinate descent, for what Newton steps cannot settle: slow, but never at a loss.
  void descend(double l1, double l2, int passes);

  // Starts from these values instead of zero; the gradients given are those at these values.
  void start(std::span<const double> values, double l2);

  // Brings v to the minimum. False if it gave up; v is then no worse than it was.
  bool solve(double l1, double l2);

 private:
  const double* row(std::size_t e) const { return h_.data() + e * stride_; }
  bool is_signed(std::size_t e) const { return factor_[e] > 0 || positive_[e]; }
  double excess(std::size_t e, double l1) const;
  void enter(std::size_t e, double l1, double l2);
  void leave(std::size_t position);
  void refactor(double l2);
  void shift(std::size_t newcomer, std::span<const double> direction, double step);

  std::size_t stride_ = 0;
  std::vector<double> h_, v_, c_, most_, factor_, sign_, spread_, step_, beside_;
  std::vector<char> positive_, is_active_, rests_;
  std::vector<std::size_t> active_;
  Cholesky factor_of_active_;
  double l2_ = 0;
};

}  // namespace vitalfew
