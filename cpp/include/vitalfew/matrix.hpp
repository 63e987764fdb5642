// Views of a design matrix. They own no memory; checks.hpp checks their bounds once, so that the loops need not.
//
//   ColumnMatrix   interface of coordinate-wise solvers: dot(j, v) = x_jᵀv and axpy(a, j, v): v += a x_j. Modeled by
//                  DenseColumns, SparseColumns and BinaryColumns.
//   SlotRows       interface of counting and scoring passes over discrete data: visit(begin, end, f) calls f(row, feature,
//                  slot) for each stored entry of these rows, in storage order. A slot is a row of a table with one line for
//                  each (feature, value). Modeled by BinaryRows and Codes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "vitalfew/vectors.hpp"

namespace vitalfew {

template <class M>
concept ColumnMatrix = requires(const M& m, std::size_t j, std::span<double> v, std::span<const double> u, double a) {
  { m.n_rows } -> std::convertible_to<std::size_t>;
  { m.n_cols } -> std::convertible_to<std::size_t>;
  { m.dot(j, u) } -> std::same_as<double>;
  m.axpy(a, j, v);
};

template <class M>
concept SlotRows = requires(const M& m, void (*f)(std::size_t, std::size_t, std::size_t)) {
  { m.n_rows } -> std::convertible_to<std::size_t>;
  { m.n_entries() } -> std::convertible_to<std::size_t>;
  { m.n_features() } -> std::convertible_to<std::size_t>;
  { m.n_slots() } -> std::convertible_to<std::size_t>;
  { m.is_by_row() } -> std::same_as<bool>;
  m.visit(std::size_t{}, std::size_t{}, f);
};

// Dense, column-major.
template <std::floating_point T>
struct DenseColumns {
  std::span<const T> data;
  std::size_t n_rows, n_cols;

  void validate() const {
    if (data.size() != n_rows * n_cols) throw std::invalid_argument("dense matrix: the buffer must have n_rows x n_cols entries");
  }
  double dot(std::size_t j, std::span<const double> v) const { return vitalfew::dot(data.data() + j * n_rows, v.data(), n_rows); }
  void axpy(double a, std::size_t j, std::span<double> v) const { vitalfew::axpy(a, data.data() + j * n_rows, v.data(), n_rows); }
};

// The pattern of a compressed sparse matrix: the indices of line l are index[start[l] .. start[l + 1]).
struct Pattern {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> index;
  std::size_t width;  // all indices are below it

  std::size_t lines() const { return start.size() - 1; }
  std::span<const std::int32_t> line(std::size_t l) const {
    return index.subspan(std::size_t(start[l]), std::size_t(start[l + 1] - start[l]));
  }
};

// Returns Σ f(k) over begin <= k < end, with four accumulators, so that an addition does not wait for the previous one.
template <class F>
double sum_over(std::size_t begin, std::size_t end, F&& f) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t k = begin;
  for (; k + 4 <= end; k += 4) {
    s0 += f(k);
    s1 += f(k + 1);
    s2 += f(k + 2);
    s3 += f(k + 3);
  }
  for (; k < end; ++k) s0 += f(k);
  return (s0 + s2) + (s1 + s3);
}

// Compressed sparse columns with values.
template <std::floating_point T>
struct SparseColumns {
  Pattern pattern;  // lines are columns
  std::span<const T> value;
  std::size_t n_rows = pattern.width, n_cols = pattern.lines();

  double dot(std::size_t j, std::span<const double> v) const {
    return sum_over(std::size_t(pattern.start[j]), std::size_t(pattern.start[j + 1]),
                    [&](std::size_t k) { return double(value[k]) * v[std::size_t(pattern.index[k])]; });
  }
  void axpy(double a, std::size_t j, std::span<double> v) const {
    for (auto k = std::size_t(pattern.start[j]); k < std::size_t(pattern.start[j + 1]); ++k)
      v[std::size_t(pattern.index[k])] += a * double(value[k]);
  }
};

// Compressed sparse columns of a 0/1 matrix: every stored entry is 1.
struct BinaryColumns {
  Pattern pattern;  // lines are columns
  std::size_t n_rows = pattern.width, n_cols = pattern.lines();

  double dot(std::size_t j, std::span<const double> v) const {
    return sum_over(std::size_t(pattern.start[j]), std::size_t(pattern.start[j + 1]),
                    [&](std::size_t k) { return v[std::size_t(pattern.index[k])]; });
  }
  void axpy(double a, std::size_t j, std::span<double> v) const {
    for (const std::int32_t i : pattern.line(j)) v[std::size_t(i)] += a;
  }
};

// Compressed sparse rows of a 0/1 matrix. The slot of feature j, when present, is j.
struct BinaryRows {
  Pattern pattern;  // lines are rows
  std::size_t n_rows = pattern.lines();

  bool is_by_row() const { return true; }
  std::size_t n_entries() const { return pattern.index.size(); }
  std::size_t n_features() const { return pattern.width; }
  std::size_t n_slots() const { return pattern.width; }
  template <class F>
  void visit(std::size_t begin, std::size_t end, F&& f) const {
    for (std::size_t i = begin; i < end; ++i)
      for (const std::int32_t j : pattern.line(i)) f(i, std::size_t(j), std::size_t(j));
  }
};

// Dense discrete data: codes 0 .. k_j - 1 in any regular layout; the largest value of the code type means missing and is
// not visited. The slot of value v of feature j is offset[j] + v.
template <std::unsigned_integral Code>
struct Codes {
  static constexpr Code missing = std::numeric_limits<Code>::max();
  const Code* data;
  std::size_t n_rows, n_cols;
  std::ptrdiff_t row_stride, col_stride;  // in codes
  std::span<const std::int64_t> offset;   // n_cols + 1

  bool is_by_row() const { return col_stride == 1; }
  std::size_t n_entries() const { return n_rows * n_cols; }
  std::size_t n_features() const { return n_cols; }
  std::size_t n_slots() const { return std::size_t(offset[n_cols]); }
  const Code* column(std::size_t j) const { return data + std::ptrdiff_t(j) * col_stride; }
  Code at(std::size_t i, std::size_t j) const { return column(j)[std::ptrdiff_t(i) * row_stride]; }

  template <class F>
  void visit(std::size_t begin, std::size_t end, F&& f) const {
    if (is_by_row()) {
      for (std::size_t i = begin; i < end; ++i) {
        const Code* const row = data + std::ptrdiff_t(i) * row_stride;
        for (std::size_t j = 0; j < n_cols; ++j)
          if (row[j] != missing) f(i, j, std::size_t(offset[j]) + row[j]);
      }
    } else {
      for (std::size_t j = 0; j < n_cols; ++j) {
        const Code* const x = column(j);
        const auto first = std::size_t(offset[j]);
        for (std::size_t i = begin; i < end; ++i) {
          const Code code = x[std::ptrdiff_t(i) * row_stride];
          if (code != missing) f(i, j, first + code);
        }
      }
    }
  }
};

static_assert(ColumnMatrix<DenseColumns<float>> && ColumnMatrix<SparseColumns<double>> && ColumnMatrix<BinaryColumns>);
static_assert(SlotRows<BinaryRows> && SlotRows<Codes<std::uint8_t>>);

// Applies a macro to each type of columns of numbers, to instantiate a kernel for all of them.
#define VITALFEW_FOR_NUMBER_COLUMNS(apply) \
  apply(DenseColumns<double>) apply(DenseColumns<float>) apply(SparseColumns<double>) apply(SparseColumns<float>)

}  // namespace vitalfew
