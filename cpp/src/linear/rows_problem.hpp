// A design matrix with weights and a residual, and the squared loss on it. Columns are never centered in memory: a residual
// whose weighted mean is zero has the same product with a column and with the centered column, so that sparse columns stay
// sparse. Correlations cost one reading of the columns asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "linear/row_lists.hpp"
#include "vitalfew/linear.hpp"
#include "vitalfew/parallel.hpp"
#include "vitalfew/vectors.hpp"

namespace vitalfew {

template <class M>
inline constexpr bool is_dense_v = requires(const M& m) { m.data; };

// Calls f(row, value) for the stored entries of a column.
template <ColumnMatrix M, class F>
void visit_column(const M& x, std::size_t j, F&& f) {
  if constexpr (is_dense_v<M>) {
    const auto* column = x.data.data() + j * x.n_rows;
    for (std::size_t i = 0; i < x.n_rows; ++i) f(i, double(column[i]));
  } else {
    for (auto k = std::size_t(x.pattern.start[j]); k < std::size_t(x.pattern.start[j + 1]); ++k) {
      if constexpr (requires { x.value; })
        f(std::size_t(x.pattern.index[k]), double(x.value[k]));
      else
        f(std::size_t(x.pattern.index[k]), 1.0);
    }
  }
}

// Computes Σ_i w_i (x_ie - m_e)(x_ic - m_c) for the columns of a list from position `before` on, each against those up to
// itself; m is by position in the list. Products are taken four columns at a time, so that each column is read once for four.
template <ColumnMatrix M>
std::vector<std::vector<double>> dense_products(const M& x, std::span<const std::size_t> columns, std::size_t before,
                                                std::span<const double> w, std::span<const double> mean, int threads,
                                                Monitor& monitor) {
  const std::size_t n = x.n_rows, k = columns.size();
  std::vector<std::vector<double>> rows;
  for (std::size_t e = before; e < k; ++e) rows.emplace_back(e + 1);
  std::vector<double> v(4 * n);
  for (std::size_t first = before; first < k; first += 4) {
    const std::size_t count = std::min<std::size_t>(4, k - first), against = first + count;
    double drift[4] = {};  // means that remain after centering, due to rounding
    std::fill(v.begin(), v.end(), 0.0);
    for (std::size_t q = 0; q < count; ++q) {
      const auto* column = x.data.data() + columns[first + q] * n;
      for (std::size_t i = 0; i < n; ++i) drift[q] += v[q * n + i] = w[i] * (double(column[i]) - mean[first + q]);
    }
    const std::size_t blocks = blocks_for(4 * double(against) * double(n), against);
    parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
      for (std::size_t e = against * b / blocks; e < against * (b + 1) / blocks; ++e) {
        double out[4];
        dot4(x.data.data() + columns[e] * n, v.data(), n, out);
        for (std::size_t q = 0; q < count; ++q)
          if (e <= first + q) rows[first - before + q][e] = out[q] - mean[e] * drift[q];
      }
    });
  }
  return rows;
}

// Columns with normalized weights, their means and squares, and a residual that derived classes set.
template <ColumnMatrix M>
class WeightedColumns {
 public:
  WeightedColumns(const M& x, std::span<const double> weight, const PathOptions& options, Monitor& monitor)
      : x_(x),
        intercept_(options.intercept),
        threads_(options.threads),
        monitor_(monitor),
        n_(x.n_rows),
        w_(n_, 1.0),
        r_(n_),
        rw_(n_) {
    if (!weight.empty() && weight.size() != n_) throw std::invalid_argument("weights must have one entry per row");
    std::copy(weight.begin(), weight.end(), w_.begin());
    double total = 0;
    for (const double value : w_) total += value;
    for (double& value : w_) value /= total;
    measure();
  }

  std::size_t n_rows() const { return n_; }
  std::size_t n_cols() const { return x_.n_cols; }
  double curvature(std::size_t j) const { return square_[j]; }
  double mass(std::size_t j) const { return mass_[j]; }

  // Computes the products of the listed columns with the weighted residual.
  void correlations(std::span<const std::size_t> columns, std::span<double> c) const {
    correlate(columns, c, [&](std::size_t j) { return x_.dot(j, rw_); });
  }

  // Returns how the residual has changed since the last call.
  Step moved() {
    if (last_.empty()) last_ = r_;
    const Step step = step_between(last_.data(), r_.data(), w_.data(), n_);
    last_ = r_;
    return step;
  }

 protected:
  std::size_t length(std::size_t j) const {
    if constexpr (is_dense_v<M>)
      return n_;
    else
      return x_.pattern.line(j).size();
  }
  // Elementary operations of a pass over columns; random access of sparse columns counts fourfold.
  double work_of(std::span<const std::size_t> columns) const {
    if constexpr (is_dense_v<M>) return double(columns.size()) * double(n_);
    double work = 0;
    for (const std::size_t j : columns) work += 4 * double(length(j));
    return work;
  }
  // c_j = product(j) - mean_j drift, in parallel over the columns; the second term removes the residual's rounding error.
  template <class Product>
  void correlate(std::span<const std::size_t> columns, std::span<double> c, Product&& product) const {
    const std::size_t blocks = blocks_for(work_of(columns), columns.size());
    parallel_blocks(blocks, threads_, monitor_, [&](std::size_t b) {
      for (std::size_t k = columns.size() * b / blocks; k < columns.size() * (b + 1) / blocks; ++k)
        c[columns[k]] = product(columns[k]) - mean_[columns[k]] * drift_;
    });
  }
  double square_of(const std::vector<double>& r) const { return weighted_square(r.data(), w_.data(), 0, n_); }
  void weigh() {
    for (std::size_t i = 0; i < n_; ++i) rw_[i] = w_[i] * r_[i];
  }

  const M& x_;
  bool intercept_;
  int threads_;
  Monitor& monitor_;
  std::size_t n_;
  std::vector<double> w_, r_, rw_;            // weights that sum to one; residual; their product
  std::vector<double> mean_, square_, mass_;  // of the columns: mean, variance, mean absolute value
  double drift_ = 0;                          // sum of rw_, which is zero up to rounding

 private:
  void measure();

  std::vector<double> last_;  // residual at the last call of moved()
};

// Computes mean, variance and mean absolute value of all columns. O(stored entries), in parallel.
template <ColumnMatrix M>
void WeightedColumns<M>::measure() {
  mean_.assign(x_.n_cols, 0.0);
  square_.resize(x_.n_cols);
  mass_.assign(x_.n_cols, std::numeric_limits<double>::infinity());
  double entries = double(n_) * double(x_.n_cols);
  if constexpr (!is_dense_v<M>) entries = 4 * double(x_.pattern.index.size()) + double(x_.n_cols);
  const std::size_t blocks = blocks_for(2 * entries, x_.n_cols);
  parallel_blocks(blocks, threads_, monitor_, [&](std::size_t b) {
    for (std::size_t j = x_.n_cols * b / blocks; j < x_.n_cols * (b + 1) / blocks; ++j) {
      double mean = x_.dot(j, w_);
      double square = 0;
      if constexpr (is_dense_v<M>) {
        const auto* column = x_.data.data() + j * n_;
        double missed = 0;  // rounding error of the mean, for columns far from zero
        for (std::size_t i = 0; i < n_; ++i) missed += w_[i] * (double(column[i]) - mean);
        mean += missed;
        if (intercept_) mean_[j] = mean;
        square = weighted_square(x_.data.data() + j * n_, w_.data(), mean_[j], n_);
      } else {
        if (intercept_) mean_[j] = mean;
        double stored = 0;
        std::size_t n_stored = 0;
        mass_[j] = 0;
        visit_column(x_, j, [&](std::size_t i, double value) {
          square += w_[i] * (value - mean_[j]) * (value - mean_[j]);
          mass_[j] += w_[i] * std::abs(value);
          stored += w_[i];
          ++n_stored;
        });
        // Where every row is stored, 1 - stored is only rounding, and would give a constant column a variance.
        if (n_stored < n_) square += std::max(0.0, 1 - stored) * mean_[j] * mean_[j];
      }
      // The variance of a constant column is only rounding.
      square_[j] = square <= 1e-26 * mean * mean * double(n_) ? 0 : square;
    }
  });
}

// The squared loss ½ Σ w r², with r = y - b - Xβ.
template <ColumnMatrix M>
class RowsProblem : public WeightedColumns<M> {
  using Base = WeightedColumns<M>;
  using Base::x_, Base::intercept_, Base::threads_, Base::monitor_, Base::n_, Base::w_, Base::r_, Base::mean_, Base::square_;

 public:
  RowsProblem(const M& x, std::span<const double> y, std::span<const double> weight, const PathOptions& options, Monitor& monitor)
      : Base(x, weight, options, monitor), y_(y.begin(), y.end()) {
    if (y.size() != n_) throw std::invalid_argument("y must have one value per row");
    if (intercept_) {
      y_mean_ = vitalfew::dot(y_.data(), w_.data(), n_);
      for (double& value : y_) value -= y_mean_;
    }
    null_square_ = this->square_of(y_);
    if constexpr (!is_dense_v<M>) entries_ = RowLists(n_);
    r_ = y_;
    this->weigh();
  }

  double null_loss() const { return 0.5 * null_square_; }
  double loss() const { return 0.5 * this->square_of(r_); }
  double intercept() const { return y_mean_ + shift_; }

  // Adds columns to those in use. Returns their rows of the second moments, each against all columns in use before it and itself.
  std::vector<std::vector<double>> moments(std::span<const std::size_t> columns);

  // Computes the residual for these coefficients of the columns in use.
  void set(std::span<const double> v) {
    r_ = y_;
    for (std::size_t e = 0; e < used_.size(); ++e)
      if (v[e] != 0) x_.axpy(-v[e], used_[e], r_);
    if (intercept_) {
      shift_ = vitalfew::dot(r_.data(), w_.data(), n_);
      for (double& value : r_) value -= shift_;
    }
    this->weigh();
    if (intercept_) {
      this->drift_ = 0;
      for (const double value : this->rw_) this->drift_ += value;
    }
  }

 private:
  std::vector<double> y_;
  std::vector<std::size_t> used_;
  RowLists entries_;  // sparse data: entries of the columns in use, by row
  double y_mean_ = 0, shift_ = 0, null_square_ = 0;
};

template <ColumnMatrix M>
std::vector<std::vector<double>> RowsProblem<M>::moments(std::span<const std::size_t> columns) {
  const std::size_t before = used_.size();
  used_.insert(used_.end(), columns.begin(), columns.end());
  std::vector<std::vector<double>> rows(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    rows[k].assign(before + k + 1, 0.0);
    rows[k].back() = square_[columns[k]];
  }
  if constexpr (is_dense_v<M>) {
    std::vector<double> mean;
    mean.reserve(used_.size());
    for (const std::size_t j : used_) mean.push_back(mean_[j]);
    rows = dense_products(x_, used_, before, w_, mean, threads_, monitor_);
    for (std::size_t k = 0; k < columns.size(); ++k) rows[k].back() = square_[columns[k]];
  } else {
    // Sparse columns are multiplied through the rows they share. A column that is more than half full is centered first, to
    // avoid cancellation.
    std::vector<double> v;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t j = columns[k], against = before + k;
      if (x_.pattern.line(j).size() * 2 > n_ && intercept_) {
        v.assign(n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) v[i] = -w_[i] * mean_[j];
        visit_column(x_, j, [&](std::size_t i, double value) { v[i] += w_[i] * value; });
        for (std::size_t e = 0; e < against; ++e) rows[k][e] = x_.dot(used_[e], v);
      } else {
        visit_column(x_, j, [&](std::size_t i, double value) {
          const double weighted = w_[i] * value;
          entries_.visit(i, [&](std::size_t e, double other) { rows[k][e] += weighted * other; });
        });
        if (intercept_)
          for (std::size_t e = 0; e < against; ++e) rows[k][e] -= mean_[j] * mean_[used_[e]];
      }
      visit_column(x_, j, [&](std::size_t i, double value) { entries_.append(i, std::int32_t(against), value); });
    }
  }
  return rows;
}

}  // namespace vitalfew
