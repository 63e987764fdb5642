// Second moments for stepwise searches, one column of the matrix at a time: either from a given matrix (HeldMoments) or
// computed on demand from the rows (RowMoments). All are centered and weighted, with weights that sum to one. On demand, one
// column of the matrix costs a pass over the design, O(n d).
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cholesky.hpp"
#include "linear/rows_problem.hpp"

namespace vitalfew {

// Square of a column, and its product with y, after other columns are projected out of it.
struct Left {
  double square, product;
};

// Second moments given as a matrix.
class HeldMoments {
 public:
  static constexpr double floor = 1e-10;  // share of a column's square: if less remains, the column depends on others

  HeldMoments(std::span<const double> gram, std::span<const double> cross, double square)
      : gram_(gram), cross_(cross), square_(square), d_(cross.size()) {
    if (gram.size() != d_ * d_) throw std::invalid_argument("the moment matrix must be square");
  }

  std::size_t n_cols() const { return d_; }
  double square() const { return square_; }
  double curvature(std::size_t j) const { return gram_[j * d_ + j]; }
  double cross(std::size_t j) const { return cross_[j]; }
  double product(std::size_t a, std::size_t b) const { return gram_[a * d_ + b]; }
  std::span<const double> column(std::size_t j, std::span<const std::size_t>) { return gram_.subspan(j * d_, d_); }
  // out -= a times column j.
  void subtract(double a, std::size_t j, std::span<double> out) { axpy(-a, gram_.data() + j * d_, out.data(), d_); }

  static constexpr bool has_rows = false;

 private:
  std::span<const double> gram_, cross_;
  double square_;
  std::size_t d_;
};

// Second moments computed from the rows. One pass over all columns yields their products with four columns at the memory
// traffic of one, so columns that are likely to be needed next are computed along.
template <ColumnMatrix M>
class RowMoments : public WeightedColumns<M> {
  using Base = WeightedColumns<M>;
  using Base::x_, Base::intercept_, Base::threads_, Base::monitor_, Base::n_, Base::w_, Base::r_, Base::mean_, Base::square_;

 public:
  static constexpr bool has_rows = true;
  static constexpr double floor = 1e-13;

  RowMoments(const M& x, std::span<const double> y, std::span<const double> weight, bool intercept, int threads, Monitor& monitor)
      : Base(x, weight, {.intercept = intercept, .threads = threads}, monitor), y_(y.begin(), y.end()), cross_(x.n_cols) {
    if (y.size() != n_) throw std::invalid_argument("y must have one value per row");
    if (intercept_) {
      y_mean_ = vitalfew::dot(y_.data(), w_.data(), n_);
      for (double& value : y_) value -= y_mean_;
    }
    total_ = this->square_of(y_);
    all_.resize(x.n_cols);
    for (std::size_t j = 0; j < all_.size(); ++j) all_[j] = j;
    residual({}, {});
    this->correlations(all_, cross_);
  }

  double square() const { return total_; }
  double cross(std::size_t j) const { return cross_[j]; }
  double product(std::size_t a, std::size_t b) {
    if (const auto held = columns_.find(a); held != columns_.end()) return held->second[b];
    v_.assign(n_, 0.0);
    return x_.dot(b, centered(a, v_.data())) - mean_[b] * drift_of(v_.data());
  }

  std::span<const double> column(std::size_t j, std::span<const std::size_t> likely) {
    if (!columns_.contains(j)) fetch(j, likely);
    return columns_.at(j);
  }
  // out -= a times column j. Sparse data: only the rows of the column, and the columns of these rows, are touched.
  void subtract(double a, std::size_t j, std::span<double> out) {
    if constexpr (is_dense_v<M>) {
      if (columns_.size() * x_.n_cols > kMostHeld && !columns_.contains(j)) columns_.clear();
      axpy(-a, column(j, {}).data(), out.data(), x_.n_cols);
    } else {
      list_rows();
      visit_column(x_, j, [&](std::size_t i, double value) {
        const double times = a * w_[i] * value;
        entries_.visit(i, [&](std::size_t e, double other) { out[e] -= times * other; });
      });
      if (intercept_) axpy(a * mean_[j], mean_.data(), out.data(), x_.n_cols);
    }
  }

  // Computes the residual of these coefficients. Returns its mean square and the intercept.
  std::pair<double, double> residual(std::span<const std::size_t> columns, std::span<const double> value) {
    r_ = y_;
    for (std::size_t e = 0; e < columns.size(); ++e) x_.axpy(-value[e], columns[e], r_);
    const double shift = center();
    return {this->square_of(r_), y_mean_ + shift};
  }
  // Returns the product of a column with the residual.
  double against_residual(std::size_t j) const { return x_.dot(j, this->rw_) - mean_[j] * this->drift_; }

  // Projects the columns of a model out of column j, by rows; `minus` holds the coefficients of the projection.
  Left left_of(std::size_t j, std::span<const std::size_t> columns, std::span<const double> minus) {
    r_.assign(n_, 0.0);
    x_.axpy(1.0, j, r_);
    for (std::size_t e = 0; e < columns.size(); ++e) x_.axpy(-minus[e], columns[e], r_);
    center();
    return {this->square_of(r_), vitalfew::dot(y_.data(), this->rw_.data(), n_)};
  }

 private:
  static constexpr std::size_t kAtOnce = 4, kMostHeld = std::size_t(1) << 26;  // columns in one pass; cached numbers

  void list_rows() {
    if (!entries_.empty()) return;
    entries_ = RowLists(n_);
    for (std::size_t j = 0; j < x_.n_cols; ++j)
      visit_column(x_, j, [&](std::size_t i, double value) { entries_.append(i, std::int32_t(j), value); });
  }

  // Centers the residual and weighs it. Returns the mean that was removed.
  double center() {
    double shift = 0;
    if (intercept_) {
      shift = vitalfew::dot(r_.data(), w_.data(), n_);
      for (double& value : r_) value -= shift;
    }
    this->weigh();
    this->drift_ = 0;
    if (intercept_) this->drift_ = drift_of(this->rw_.data());
    return shift;
  }
  double drift_of(const double* v) const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += v[i];
    return sum;
  }
  // Writes w (x_j - mean) to v, which must be zero.
  std::span<const double> centered(std::size_t j, double* v) const {
    visit_column(x_, j, [&](std::size_t i, double value) { v[i] = value; });
    for (std::size_t i = 0; i < n_; ++i) v[i] = w_[i] * (v[i] - mean_[j]);
    return {v, n_};
  }
  void fetch(std::size_t j, std::span<const std::size_t> likely);

  std::vector<double> y_, cross_, v_;
  std::vector<std::size_t> all_;
  std::unordered_map<std::size_t, std::vector<double>> columns_;
  RowLists entries_;  // sparse data: entries of all columns, by row
  double y_mean_ = 0, total_ = 0;
};

// Computes the products of column j, and of up to three likely ones, with all columns and caches them.
template <ColumnMatrix M>
void RowMoments<M>::fetch(std::size_t j, std::span<const std::size_t> likely) {
  std::vector<std::size_t> wanted{j};
  for (const std::size_t other : likely)
    if (wanted.size() < kAtOnce && other != j && !columns_.contains(other)) wanted.push_back(other);
  const std::size_t count = wanted.size(), d = x_.n_cols;
  v_.assign(kAtOnce * n_, 0.0);
  double drift[kAtOnce] = {};
  std::vector<double> out[kAtOnce];
  for (std::size_t q = 0; q < count; ++q) {
    drift[q] = drift_of(centered(wanted[q], v_.data() + q * n_).data());
    out[q].resize(d);
  }
  const std::size_t blocks = blocks_for(double(count) * this->work_of(all_), d);
  parallel_blocks(blocks, threads_, monitor_, [&](std::size_t b) {
    for (std::size_t e = d * b / blocks; e < d * (b + 1) / blocks; ++e) {
      double found[kAtOnce] = {};
      if constexpr (is_dense_v<M>) {
        dot4(x_.data.data() + e * n_, v_.data(), n_, found);
      } else {
        for (std::size_t q = 0; q < count; ++q) found[q] = x_.dot(e, {v_.data() + q * n_, n_});
      }
      for (std::size_t q = 0; q < count; ++q) out[q][e] = found[q] - mean_[e] * drift[q];
    }
  });
  for (std::size_t q = 0; q < count; ++q) {
    out[q][wanted[q]] = square_[wanted[q]];
    columns_.emplace(wanted[q], std::move(out[q]));
  }
}

}  // namespace vitalfew
