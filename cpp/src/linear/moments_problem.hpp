// The squared loss known only through centered second moments: with G = X̃ᵀWX̃, g = X̃ᵀWỹ and s = ỹᵀWỹ,
//
//   loss(β) = ½ s - gᵀβ + ½ βᵀGβ,   correlations c_j = g_j - (Gβ)_j.
//
// It has the interface of RowsProblem, so that the path solvers run on either. A correlation costs O(k) for k nonzero
// coefficients, whatever the number of samples.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "vitalfew/vectors.hpp"

namespace vitalfew {

class MomentsProblem {
 public:
  MomentsProblem(std::span<const double> gram, std::span<const double> cross, double square)
      : gram_(gram), cross_(cross), square_(square), d_(cross.size()) {}

  std::size_t n_cols() const { return d_; }
  double curvature(std::size_t j) const { return gram_[j * d_ + j]; }
  double mass(std::size_t) const { return std::numeric_limits<double>::infinity(); }
  double null_loss() const { return 0.5 * square_; }
  double loss() const { return loss_; }
  double intercept() const { return 0; }

  void correlations(std::span<const std::size_t> columns, std::span<double> c) const {
    for (const std::size_t j : columns) c[j] = cross_[j] - product(j);
  }
  std::vector<std::vector<double>> moments(std::span<const std::size_t> columns) {
    std::vector<std::vector<double>> rows;
    for (const std::size_t j : columns) {
      used_.push_back(j);
      rows.emplace_back();
      for (const std::size_t e : used_) rows.back().push_back(gram_[j * d_ + e]);
    }
    return rows;
  }
  void set(std::span<const double> v) {
    held_.clear();
    for (std::size_t e = 0; e < v.size(); ++e)
      if (v[e] != 0) held_.emplace_back(used_[e], v[e]);
    double sum = 0;
    for (const auto& [j, value] : held_) sum += value * (cross_[j] - 0.5 * product(j));
    loss_ = std::max(0.0, 0.5 * square_ - sum);
  }
  // Correlations are cheap here: report a residual that moved so far that screening bounds exclude no column.
  Step moved() const { return {1, kFar, kFar}; }

 private:
  static constexpr double kFar = 1e200;  // beyond any bound; sums of many of these stay finite

  double product(std::size_t j) const {
    double sum = 0;
    for (const auto& [k, value] : held_) sum += gram_[j * d_ + k] * value;
    return sum;
  }

  std::span<const double> gram_, cross_;
  double square_, loss_ = 0.5 * square_;
  std::size_t d_;
  std::vector<std::size_t> used_;
  std::vector<std::pair<std::size_t, double>> held_;
};

}  // namespace vitalfew
