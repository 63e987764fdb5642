// Paths of penalized linear models.
//
//   minimize  ½ Σ w_i (y_i - b - x_iᵀβ)² / Σw  +  α Σ_j f_j (ρ |β_j| + ½ (1 - ρ) β_j²)
//
// over a decreasing grid of α, with an unpenalized intercept b, penalty factors f_j >= 0 and, optionally, β >= 0. The design is
// a matrix view, or only its second moments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

struct PathOptions {
  std::span<const double> grid = {};    // decreasing penalties; empty: n_points from the smallest with no feature selected
  std::size_t n_points = 100;           // of the default grid
  double ratio = 1e-3;                  // smallest over largest penalty of the default grid
  double l1_ratio = 1;                  // ρ, in (0, 1]
  std::span<const double> factor = {};  // f, one for each column; empty: all 1; infinity leaves a column out
  // The group of each column, 0, 1, …; empty: each column by itself. With groups the penalty is α Σ_g f_g (ρ ‖β_g‖₂ +
  // ½ (1 - ρ) ‖β_g‖²), with one factor for each group.
  std::span<const std::int32_t> group = {};
  bool positive = false;
  bool intercept = true;
  double tol = 1e-6;  // stop when the duality gap is below this share of the objective of the null model
  int threads = 0;
};

// Coefficients of point p are value[start[p] .. start[p + 1]) of the columns index[...]; all others are exactly zero.
struct PathPoints {
  std::vector<double> grid;
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> index;
  std::vector<double> value;
  std::vector<double> intercept;
  std::vector<double> gap;   // duality gap over the objective of the null model
  std::vector<double> loss;  // the first term of the objective
  double null_loss = 0;
  bool is_complete = true;  // false if the deadline was reached; the grid then ends at the last solved point
};

// Squared loss. y and the weights (empty: all 1) have one value for each row.
template <ColumnMatrix M>
PathPoints lasso_path(const M& x, std::span<const double> y, std::span<const double> weight, const PathOptions& options,
                      Monitor& monitor);

// Logistic loss: the first term becomes Σ w_i log(1 + exp(-(2 t_i - 1)(b + x_iᵀβ))) / Σw with labels t of 0 and 1.
template <ColumnMatrix M>
PathPoints logistic_path(const M& x, std::span<const double> label, std::span<const double> weight, const PathOptions& options,
                         Monitor& monitor);

// Multinomial loss Σ w_i (log Σ_k exp f_ik - f_i,y(i)) / Σw, f_ik = b_k + x_iᵀβ_k, with labels below n_classes. Coefficient j
// of class k is column k n_cols + j of the result, which has one intercept for each point and class.
template <ColumnMatrix M>
PathPoints multinomial_path(const M& x, std::span<const std::int32_t> label, std::size_t n_classes,
                            std::span<const double> weight, const PathOptions& options, Monitor& monitor);

// Squared loss from centered second moments, each divided by the sum of weights: gram = X̃ᵀWX̃, cross = X̃ᵀWỹ, square = ỹᵀWỹ.
// The intercepts of the result are those of centered data: zero.
PathPoints lasso_path(std::span<const double> gram, std::span<const double> cross, double square, const PathOptions& options,
                      Monitor& monitor);

}  // namespace vitalfew
