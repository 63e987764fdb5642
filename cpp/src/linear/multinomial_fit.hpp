// Unpenalized multinomial logistic regression on a few dense columns: minimize over θ
//
//   Σ_i w_i (log Σ_c exp f_ic - f_i,y(i)),   f_i0 = 0,   f_ic = Σ_a θ_ca x_ia,
//
// by Newton steps with backtracking. Subset searches call it for each candidate model. A step costs O(n k² m²) for k columns
// and m outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/cholesky.hpp"
#include "linear/rows_problem.hpp"

namespace vitalfew {

using Column = std::vector<double>;

// Coefficients, by output (every class but the first), then by column.
struct ClassFit {
  std::vector<double> theta;
  double loss = std::numeric_limits<double>::infinity();
  bool is_separated = false, is_converged = false;
};

class ClassModel {
 public:
  ClassModel(std::span<const std::int32_t> label, std::size_t n_classes, std::span<const double> weight)
      : n_(label.size()), m_(n_classes - 1), label_(label.begin(), label.end()), w_(n_, 1.0 / double(n_)) {
    double total = 0;
    for (const double value : weight) total += value;
    for (std::size_t i = 0; i < weight.size(); ++i) w_[i] = weight[i] / total;
  }

  std::size_t n_outputs() const { return m_; }

  // Minimizes the loss over the coefficients of these columns from a start. Stops as soon as it is clear that the loss will
  // stay above `limit`.
  ClassFit fit(std::span<const double* const> columns, std::vector<double> start, double limit) const;

  // Estimates by how much the loss would rise without each column, from its quadratic model.
  std::vector<double> rises(std::span<const double* const> columns, std::span<const double> theta) const;

  // Returns the weighted residuals of each output.
  std::vector<Column> residuals(std::span<const double* const> columns, std::span<const double> theta) const {
    State state;
    evaluate(columns, theta, state);
    std::vector<Column> found;
    found.reserve(m_);
    for (std::size_t c = 0; c < m_; ++c) found.push_back(residual(state, c));
    return found;
  }

 private:
  static constexpr double kTight = 1e-13;     // share of the null loss: a Newton step that predicts less is not taken
  static constexpr double kSeparated = 1e-7;  // mean loss below which the labels are fitted perfectly
  static constexpr double kFlat = 1e-6;       // slope of the mean loss, in a column of mean square one, that counts as zero
  static constexpr int kMostSteps = 60;

  ClassFit descend(std::span<const double* const> columns, std::vector<double> start, double limit) const;

  struct State {
    std::vector<double> p, slope;  // probabilities (output by output), minus the gradient
    double loss = 0;
  };
  Column residual(const State& state, std::size_t output) const {
    Column r(n_);
    for (std::size_t i = 0; i < n_; ++i) r[i] = w_[i] * (double(std::size_t(label_[i]) == output + 1) - state.p[output * n_ + i]);
    return r;
  }
  void evaluate(std::span<const double* const> columns, std::span<const double> theta, State& state) const;
  // Second derivatives of the loss; coefficients by output, then by column.
  std::vector<double> curvature(std::span<const double* const> columns, const State& state) const;
  // Computes the Newton step and returns the decrease it predicts; columns that depend on others do not move.
  double newton(std::span<const double* const> columns, const State& state, std::vector<double>& step) const;

  std::size_t n_, m_;
  std::vector<std::int32_t> label_;
  std::vector<double> w_;
};

}  // namespace vitalfew
