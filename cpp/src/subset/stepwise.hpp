// Least-squares models that grow column by column, with the exact change of the loss for every candidate step. With s_j and c_j
// the square of column j and its product with y after projection on the model:
//
//   adding j           lowers the mean square by c_j² / s_j;
//   removing a         raises it by β_a² / (G⁻¹)_aa;
//   exchanging a for j combines both: c and s are first corrected for the removal of a.
//
// A row of the Cholesky factor over all d columns is kept for each column in the model. Adding a column costs O(k d), all
// exchanges O(k² d).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "linear/second_moments.hpp"

namespace vitalfew {

// Columns that enter and leave together.
class Variables {
 public:
  Variables(std::span<const std::int32_t> group, std::size_t n_cols) : start_{0} {
    if (!group.empty() && group.size() != n_cols) throw std::invalid_argument("groups must have one label per column");
    std::size_t count = group.empty() ? n_cols : 0;
    for (const std::int32_t g : group) {
      if (g < 0 || std::size_t(g) >= n_cols) throw std::invalid_argument("group labels must be in [0, n_cols)");
      count = std::max(count, std::size_t(g) + 1);
    }
    start_.assign(count + 1, 0);
    columns_.resize(n_cols);
    of_.resize(n_cols);
    for (std::size_t j = 0; j < n_cols; ++j) ++start_[(of_[j] = group.empty() ? j : std::size_t(group[j])) + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t j = 0; j < n_cols; ++j) columns_[next[of_[j]]++] = j;
  }
  std::size_t count() const { return start_.size() - 1; }
  std::size_t of(std::size_t j) const { return of_[j]; }
  std::span<const std::size_t> columns(std::size_t g) const { return {columns_.data() + start_[g], start_[g + 1] - start_[g]}; }

 private:
  std::vector<std::size_t> start_, columns_, of_;
};

struct Model {
  std::vector<std::size_t> columns;
  std::vector<double> value;
  double intercept = 0, loss = 0;
};

// A growing model, with squares and products of all other columns after projection on it.
template <class Moments>
class GrowingModel {
 public:
  GrowingModel(Moments& moments, const Variables& variables) : moments_(moments), variables_(variables), d_(moments.n_cols()) {
    curvature_.resize(d_);
    for (std::size_t j = 0; j < d_; ++j) curvature_[j] = moments.curvature(j);
    inner_.resize(variables.count());
    for (std::size_t g = 0; g < variables.count(); ++g) {
      const auto columns = variables.columns(g);
      for (std::size_t a = 0; columns.size() > 1 && a < columns.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b)
          inner_[g].push_back(a == b ? curvature_[columns[a]] : moments.product(columns[a], columns[b]));
    }
    clear();
  }

  void clear() {
    columns_.clear();
    factor_.clear();
    along_.clear();
    square_ = curvature_;
    product_.resize(d_);
    for (std::size_t j = 0; j < d_; ++j) product_[j] = moments_.cross(j);
    inner_left_ = inner_;
    is_in_.assign(variables_.count(), 0);
    mean_square_ = moments_.square();
    weakest_ = 1;
  }

  const std::vector<std::size_t>& columns() const { return columns_; }
  std::size_t size() const { return n_variables_(); }
  double mean_square() const { return mean_square_; }

  // Returns by how much the mean square falls if variable g enters and all coefficients are refitted.
  double gain(std::size_t g) const {
    const auto columns = variables_.columns(g);
    if (is_in_[g]) return 0;
    if (columns.size() == 1) return is_free(columns[0]) ? product_[columns[0]] * product_[columns[0]] / square_[columns[0]] : 0;
    return gain_of_group(g, columns);
  }

  // Adds a variable; columns that depend on those in the model stay out. `likely` columns are expected to enter next.
  void enter(std::size_t g, std::span<const std::size_t> likely) {
    is_in_[g] = 1;
    for (const std::size_t j : variables_.columns(g))
      if (is_free(j)) append(j, likely);
  }

  // Recomputes the projection of a variable's columns from the rows, if available, where cancellation may have spoiled it.
  // Returns true if anything was recomputed.
  bool examine(std::size_t g) {
    bool was_spoilt = false;
    if constexpr (Moments::has_rows) {
      for (const std::size_t j : variables_.columns(g)) {
        if (square_[j] > kSpoilt * curvature_[j] || curvature_[j] == 0) continue;
        std::vector<double> minus(columns_.size());
        const auto column = moments_.column(j, {});
        for (std::size_t t = 0; t < columns_.size(); ++t) minus[t] = column[columns_[t]];
        solve(minus);
        for (int turn = 0; turn < 2; ++turn) {  // one step of iterative refinement
          const Left left = moments_.left_of(j, columns_, minus);
          square_[j] = left.square;
          product_[j] = left.product;
          if (turn == 1) break;
          std::vector<double> missed(columns_.size());
          for (std::size_t t = 0; t < columns_.size(); ++t) missed[t] = moments_.against_residual(columns_[t]);
          solve(missed);
          for (std::size_t t = 0; t < columns_.size(); ++t) minus[t] += missed[t];
        }
        was_spoilt = true;
      }
    }
    return was_spoilt;
  }

  // Returns the fitted model. With rows, one step of iterative refinement restores digits that the moments may have lost.
  Model fit() {
    Model model{columns_, along_, 0, 0.5 * mean_square_};
    solve_upper(model.value);
    if constexpr (Moments::has_rows) {
      auto [square, intercept] = moments_.residual(columns_, model.value);
      if (weakest_ < kWeak || mean_square_ < kSmall * moments_.square()) {
        std::vector<double> missed(columns_.size());
        for (std::size_t t = 0; t < columns_.size(); ++t) missed[t] = moments_.against_residual(columns_[t]);
        solve(missed);
        for (std::size_t t = 0; t < columns_.size(); ++t) model.value[t] += missed[t];
        std::tie(square, intercept) = moments_.residual(columns_, model.value);
      }
      model.intercept = intercept;
      model.loss = 0.5 * square;
    }
    return model;
  }

  // Returns for each variable in the model by how much the mean square rises without it, the others refitted: (variable, rise).
  std::vector<std::pair<std::size_t, double>> rises() const;

  // Returns the exchange of a model column for another one that lowers the mean square most; variables must be single columns.
  struct Exchange {
    std::size_t out = 0, in = 0;
    double gain = 0;                  // decrease of the mean square
    std::vector<std::size_t> likely;  // best replacements of the model's columns
  };
  Exchange best_exchange() const;

 private:
  static constexpr double kSpoilt = 1e-6, kWeak = 1e-4, kSmall = 1e-6;

  // Returns L⁻¹ for the model's factor L, and the inverse of its second moments, (L⁻¹)ᵀL⁻¹.
  std::pair<std::vector<double>, std::vector<double>> inverses() const {
    const std::size_t k = columns_.size();
    std::vector<double> half(k * k, 0.0), full(k * k, 0.0);
    for (std::size_t t = 0; t < k; ++t) {
      for (std::size_t s = 0; s < t; ++s) axpy(-factor_[s][columns_[t]], half.data() + s * k, half.data() + t * k, s + 1);
      half[t * k + t] = 1;
      for (std::size_t s = 0; s <= t; ++s) half[t * k + s] /= factor_[t][columns_[t]];
      for (std::size_t a = 0; a <= t; ++a) axpy(half[t * k + a], half.data() + t * k, full.data() + a * k, t + 1);
    }
    return {std::move(half), std::move(full)};
  }

  bool is_free(std::size_t j) const { return square_[j] > Moments::floor * curvature_[j]; }
  std::size_t n_variables_() const { return std::size_t(std::count(is_in_.begin(), is_in_.end(), char(1))); }

  // Appends column j: its row of the factor, then projection of all other columns on it.
  void append(std::size_t j, std::span<const std::size_t> likely) {
    const auto column = moments_.column(j, likely);
    std::vector<double> row(column.begin(), column.end());
    for (std::size_t s = 0; s < factor_.size(); ++s) axpy(-factor_[s][j], factor_[s].data(), row.data(), d_);
    const double root = std::sqrt(square_[j]), along = product_[j] / root;
    weakest_ = std::min(weakest_, square_[j] / curvature_[j]);
    for (std::size_t e = 0; e < d_; ++e) {
      row[e] /= root;
      product_[e] -= along * row[e];
      square_[e] -= row[e] * row[e];
    }
    row[j] = root;
    for (const std::size_t t : columns_) row[t] = 0;
    square_[j] = product_[j] = 0;
    for (std::size_t g = 0; g < inner_left_.size(); ++g) {
      const auto columns = variables_.columns(g);
      for (std::size_t a = 0, at = 0; columns.size() > 1 && a < columns.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b, ++at) inner_left_[g][at] -= row[columns[a]] * row[columns[b]];
    }
    mean_square_ = std::max(0.0, mean_square_ - along * along);
    columns_.push_back(j);
    factor_.push_back(std::move(row));
    along_.push_back(along);
  }

  // Returns c_gᵀ S_g⁻¹ c_g with the projected second moments S_g of the group's columns; dependent columns are skipped.
  double gain_of_group(std::size_t g, std::span<const std::size_t> columns) const {
    Cholesky factor;
    std::vector<double> beside, half;
    std::vector<std::size_t> kept;
    double gain = 0;
    for (std::size_t a = 0; a < columns.size(); ++a) {
      const double* const row = inner_left_[g].data() + a * (a + 1) / 2;
      beside.clear();
      for (const std::size_t b : kept) beside.push_back(row[b]);
      const double floor = curvature_[columns[a]] > 0 ? Moments::floor * curvature_[columns[a]] / std::max(row[a], 1e-300) : 1;
      if (row[a] <= 0 || !factor.append(beside, row[a], floor)) continue;
      double value = product_[columns[a]], left = row[a];
      for (std::size_t t = 0; t < kept.size(); ++t) {
        value -= factor.half()[t] * half[t];
        left -= factor.half()[t] * factor.half()[t];
      }
      half.push_back(value / std::sqrt(left));
      gain += half.back() * half.back();
      kept.push_back(a);
    }
    return gain;
  }

  // Solves L h = b, then Lᵀ x = h, in place; L_ts = factor_[s][columns_[t]].
  void solve(std::vector<double>& b) const {
    for (std::size_t t = 0; t < b.size(); ++t) {
      for (std::size_t s = 0; s < t; ++s) b[t] -= factor_[s][columns_[t]] * b[s];
      b[t] /= factor_[t][columns_[t]];
    }
    solve_upper(b);
  }
  void solve_upper(std::vector<double>& b) const {
    for (std::size_t t = b.size(); t-- > 0;) {
      for (std::size_t u = t + 1; u < b.size(); ++u) b[t] -= factor_[t][columns_[u]] * b[u];
      b[t] /= factor_[t][columns_[t]];
    }
  }

  Moments& moments_;
  const Variables& variables_;
  std::size_t d_;
  std::vector<double> curvature_;
  std::vector<std::vector<double>> inner_;  // second moments inside each group, lower triangles
  std::vector<std::size_t> columns_;
  std::vector<std::vector<double>> factor_, inner_left_;
  std::vector<double> along_, square_, product_;
  std::vector<char> is_in_;  // by variable
  double mean_square_ = 0, weakest_ = 1;
};

// Returns bᵀ A⁻¹ b for a small symmetric positive definite matrix A; dependent rows are skipped.
inline double quadratic_of_inverse(std::span<const double> a, std::span<const double> b) {
  Cholesky factor;
  std::vector<double> half;
  double sum = 0;
  const std::size_t k = b.size();
  for (std::size_t i = 0; i < k; ++i) {
    if (!factor.append(a.subspan(i * k, i), a[i * k + i], 1e-14)) continue;
    double value = b[i], left = a[i * k + i];
    for (std::size_t t = 0; t < half.size(); ++t) {
      value -= factor.half()[t] * half[t];
      left -= factor.half()[t] * factor.half()[t];
    }
    half.push_back(value / std::sqrt(left));
    sum += half.back() * half.back();
  }
  return sum;
}

template <class Moments>
std::vector<std::pair<std::size_t, double>> GrowingModel<Moments>::rises() const {
  const std::size_t k = columns_.size();
  const auto full = inverses().second;
  std::vector<double> value = along_;
  solve_upper(value);
  std::vector<std::vector<std::size_t>> places(variables_.count());
  for (std::size_t t = 0; t < k; ++t) places[variables_.of(columns_[t])].push_back(t);
  std::vector<std::pair<std::size_t, double>> found;
  std::vector<double> block, part;
  for (std::size_t g = 0; g < places.size(); ++g) {
    if (places[g].empty()) continue;
    block.clear();
    part.clear();
    for (const std::size_t a : places[g]) {
      part.push_back(value[a]);
      for (const std::size_t b : places[g]) block.push_back(full[a * k + b]);
    }
    found.emplace_back(g, quadratic_of_inverse(block, part));
  }
  return found;
}

template <class Moments>
typename GrowingModel<Moments>::Exchange GrowingModel<Moments>::best_exchange() const {
  const std::size_t k = columns_.size();
  const auto [half, full] = inverses();
  std::vector<double> value = along_, along(d_);
  solve_upper(value);
  Exchange best;
  for (std::size_t i = 0; i < k; ++i) {
    // Coefficient of column i in the projection of every column on the model.
    std::fill(along.begin(), along.end(), 0.0);
    for (std::size_t t = i; t < k; ++t) axpy(half[t * k + i], factor_[t].data(), along.data(), d_);
    // Removing column i costs `loss` and adds its direction back to the squares and products of all other columns.
    const double spread = full[i * k + i], loss = value[i] * value[i] / spread;
    double most = 0;
    std::size_t in = d_;
    for (std::size_t e = 0; e < d_; ++e) {
      if (is_in_[variables_.of(e)]) continue;
      const double square = square_[e] + along[e] * along[e] / spread, product = product_[e] + value[i] * along[e] / spread;
      if (square > kSpoilt * curvature_[e] && product * product > most * square) most = product * product / square, in = e;
    }
    if (in == d_) continue;
    best.likely.push_back(in);
    if (most - loss > best.gain) best = {columns_[i], in, most - loss, std::move(best.likely)};
  }
  return best;
}

}  // namespace vitalfew
