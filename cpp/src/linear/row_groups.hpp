// Groups of equal rows ("kinds"): rows that agree in the label and in all columns in use are merged. With a few words in use,
// thousands of documents fall into a few hundred kinds, and everything that depends only on the linear predictor is computed
// once for each kind. As soon as more than half of the rows would differ, as they always do in dense data, each row becomes
// its own kind and the grouping costs nothing. Splitting by a new column costs one reading of that column.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "linear/row_lists.hpp"
#include "linear/rows_problem.hpp"

namespace vitalfew {

template <ColumnMatrix M>
class AlikeRows {
 public:
  // Initially rows with the same label form a kind; without `merge` each row is its own kind.
  AlikeRows(const M& x, std::span<const double> label, bool merge)
      : x_(x), kind_(x.n_rows), n_kinds_(x.n_rows), is_apart_(is_dense_v<M> || !merge) {
    if (label.size() != x.n_rows) throw std::invalid_argument("labels must have one entry per row");
    std::iota(kind_.begin(), kind_.end(), 0);
    if (!is_apart_) {
      n_kinds_ = 2;
      for (std::size_t i = 0; i < kind_.size(); ++i) kind_[i] = label[i] > 0.5 ? 1 : 0;
    }
    if constexpr (!is_dense_v<M>) entries_ = RowLists(n_kinds_);
  }

  std::size_t n_kinds() const { return n_kinds_; }
  std::span<const std::int32_t> kind() const { return kind_; }
  std::span<const std::size_t> columns() const { return used_; }
  std::size_t size() const { return used_.size(); }

  // Adds columns to those in use. If this may split kinds, returns for each new kind the old kind it was part of; otherwise
  // empty.
  std::vector<std::int32_t> use(std::span<const std::size_t> columns);

  // Sums a vector over the rows of each kind.
  std::vector<double> sums(std::span<const double> v) const {
    std::vector<double> sum(n_kinds_, 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) sum[std::size_t(kind_[i])] += v[i];
    return sum;
  }

  // Calls f(kind, value) for the entries of the e-th column in use.
  template <class F>
  void visit(std::size_t e, F&& f) const {
    if (is_apart_) return visit_column(x_, used_[e], f);
    for (const auto& [g, value] : lines_[e]) f(std::size_t(g), value);
  }
  double dot(std::size_t e, std::span<const double> v) const {
    if (is_apart_) return x_.dot(used_[e], v);
    double sum = 0;
    visit(e, [&](std::size_t g, double value) { sum += value * v[g]; });
    return sum;
  }
  void axpy(double a, std::size_t e, std::span<double> v) const {
    if (is_apart_) return x_.axpy(a, used_[e], v);
    visit(e, [&](std::size_t g, double value) { v[g] += a * value; });
  }

  // Returns the product of a column with u, and Σ d x².
  std::pair<double, double> dot_and_square(std::size_t e, std::span<const double> u, std::span<const double> d) const {
    if constexpr (is_dense_v<M>) {
      return {x_.dot(used_[e], u), weighted_square(x_.data.data() + used_[e] * n_kinds_, d.data(), 0, n_kinds_)};
    } else {
      double product = 0, square = 0;
      visit(e, [&](std::size_t g, double value) {
        product += value * u[g];
        square += d[g] * value * value;
      });
      return {product, square};
    }
  }
  // u -= a d x and z += a x.
  void axpy_pair(double a, std::size_t e, std::span<const double> d, std::span<double> u, std::span<double> z) const {
    if constexpr (is_dense_v<M>)
      vitalfew::axpy_pair(a, x_.data.data() + used_[e] * n_kinds_, d.data(), u.data(), z.data(), n_kinds_);
    else
      visit(e, [&](std::size_t g, double value) {
        u[g] -= a * value * d[g];
        z[g] += a * value;
      });
  }

  // Cost of one pass over the columns in use, and of a pass over all pairs of entries of a kind.
  double pass() const { return pass_; }
  double pairs() const { return pairs_; }

  // Computes Σ d (x_e - m_e)(x_c - m_c) for the columns from position `before` on, each against those up to itself; d is by kind.
  std::vector<std::vector<double>> products(std::size_t before, std::span<const double> d, std::span<const double> mean,
                                            int threads, Monitor& monitor) const;

 private:
  using Entry = std::pair<std::int32_t, double>;
  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t kMostValues = 8;  // distinct values of a column within a kind before merging is given up

  std::vector<std::vector<double>> products_by_row(std::span<const double> d, int threads, Monitor& monitor) const;
  std::vector<std::vector<double>> products_by_column(std::size_t before, std::span<const double> d, int threads,
                                                      Monitor& monitor) const;
  bool split(std::size_t j, std::vector<std::int32_t>& origin);
  void part_all();
  void list_entries(std::size_t e) {
    visit_column(x_, used_[e], [&](std::size_t i, double value) { entries_.append(i, std::int32_t(e), value); });
  }
  void measure();

  const M& x_;
  std::vector<std::int32_t> kind_;  // kind of each row
  std::size_t n_kinds_;
  bool is_apart_;
  std::vector<std::size_t> used_;
  RowLists entries_;                       // sparse data: entries of each kind, in the columns in use
  std::vector<std::vector<Entry>> lines_;  // entries of each column in use, by kind; only where rows are merged
  double pass_ = 0, pairs_ = 0;
};

template <ColumnMatrix M>
std::vector<std::int32_t> AlikeRows<M>::use(std::span<const std::size_t> columns) {
  std::vector<std::int32_t> origin;
  if (columns.empty()) return origin;
  if (!is_apart_) {
    origin.resize(n_kinds_);
    std::iota(origin.begin(), origin.end(), 0);
  }
  for (const std::size_t j : columns) {
    used_.push_back(j);
    // Merging no longer pays: each row becomes its own kind, and `origin` maps rows to the kinds of before.
    if (!is_apart_ && !split(j, origin)) {
      std::vector<std::int32_t> first(kind_.size());
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = origin[std::size_t(kind_[i])];
      origin = std::move(first);
      part_all();
    } else if (is_apart_ && !is_dense_v<M>) {
      list_entries(used_.size() - 1);
    }
  }
  measure();
  return origin;
}

// Splits kinds by the values of one more column. Returns false, without storing all entries of the column, as soon as merging
// no longer pays.
template <ColumnMatrix M>
bool AlikeRows<M>::split(std::size_t j, std::vector<std::int32_t>& origin) {
  struct Branch {
    double value;
    std::int32_t to, next;
  };
  const auto e = std::int32_t(used_.size() - 1);
  // The new kinds that split off from an old one form a linked list, one branch for each value of the column. Rows without an
  // entry keep their kind.
  std::vector<Branch> branches;
  std::vector<std::int32_t> first(n_kinds_, kNone);  // branch of a kind
  bool is_vain = false;
  lines_.emplace_back();
  visit_column(x_, j, [&](std::size_t i, double value) {
    if (is_vain || value == 0) return;
    const auto g = std::size_t(kind_[i]);
    std::size_t length = 0;
    std::int32_t b = first[g];
    while (b != kNone && branches[std::size_t(b)].value != value) {
      b = branches[std::size_t(b)].next;
      ++length;
    }
    if (b == kNone) {
      if (length >= kMostValues || 2 * origin.size() > kind_.size()) {
        is_vain = true;
        return;
      }
      const auto to = std::int32_t(origin.size());
      origin.push_back(origin[g]);
      entries_.copy_row(g);
      entries_.visit(g, [&](std::size_t c, double other) { lines_[c].emplace_back(to, other); });
      entries_.append(std::size_t(to), e, value);
      lines_.back().emplace_back(to, value);
      b = std::int32_t(branches.size());
      branches.push_back({value, to, first[g]});
      first[g] = b;
    }
    kind_[i] = branches[std::size_t(b)].to;
  });
  n_kinds_ = origin.size();
  return !is_vain;
}

// Makes each row its own kind.
template <ColumnMatrix M>
void AlikeRows<M>::part_all() {
  n_kinds_ = kind_.size();
  std::iota(kind_.begin(), kind_.end(), 0);
  is_apart_ = true;
  lines_.clear();
  entries_ = RowLists(n_kinds_);
  for (std::size_t e = 0; e < used_.size(); ++e) list_entries(e);
}

// Updates the cost estimates.
template <ColumnMatrix M>
void AlikeRows<M>::measure() {
  pass_ = pairs_ = 0;
  if constexpr (is_dense_v<M>) {
    pass_ = double(n_kinds_) * double(size());
    pairs_ = 0.35 * pass_ * double(size());
  } else {
    for (std::size_t g = 0; g < n_kinds_; ++g) {
      const auto length = double(entries_.length(g));
      pass_ += 3 * length;
      pairs_ += length * length;
    }
  }
}

// Products of all columns, in one pass over the kinds.
template <ColumnMatrix M>
std::vector<std::vector<double>> AlikeRows<M>::products_by_row(std::span<const double> d, int threads, Monitor& monitor) const {
  const std::size_t k = size();
  const std::size_t blocks = std::min<std::size_t>(4, blocks_for(2 * pairs_, n_kinds_));
  std::vector<std::vector<double>> parts(blocks, std::vector<double>(k * (k + 1) / 2));
  parallel_blocks(blocks, threads, monitor, [&](std::size_t block) {
    double* const sum = parts[block].data();
    std::vector<std::size_t> place(k);
    std::vector<double> x(k);
    for (std::size_t g = n_kinds_ * block / blocks; g < n_kinds_ * (block + 1) / blocks; ++g) {
      std::size_t length = 0;
      entries_.visit(g, [&](std::size_t e, double value) {  // places increase within a row
        place[length] = e;
        x[length++] = value;
        double* const line = sum + e * (e + 1) / 2;
        const double weighted = d[g] * value;
        for (std::size_t c = 0; c < length; ++c) line[place[c]] += weighted * x[c];
      });
    }
  });
  std::vector<std::vector<double>> rows;
  for (std::size_t e = 0; e < k; ++e) {
    rows.emplace_back(e + 1);
    for (const auto& part : parts)
      for (std::size_t c = 0; c <= e; ++c) rows[e][c] += part[e * (e + 1) / 2 + c];
  }
  return rows;
}

// Products of the columns from `before` on, through the kinds in which they have entries.
template <ColumnMatrix M>
std::vector<std::vector<double>> AlikeRows<M>::products_by_column(std::size_t before, std::span<const double> d, int threads,
                                                                  Monitor& monitor) const {
  std::vector<std::vector<double>> rows(size() - before);
  const std::size_t blocks = blocks_for(2 * pairs_ * double(rows.size()) / double(size()), rows.size());
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    for (std::size_t q = rows.size() * b / blocks; q < rows.size() * (b + 1) / blocks; ++q) {
      auto& row = rows[q];
      row.assign(size(), 0.0);
      visit(before + q, [&](std::size_t g, double value) {
        const double weighted = d[g] * value;
        entries_.visit(g, [&](std::size_t c, double other) { row[c] += weighted * other; });
      });
      row.resize(before + q + 1);
    }
  });
  return rows;
}

template <ColumnMatrix M>
std::vector<std::vector<double>> AlikeRows<M>::products(std::size_t before, std::span<const double> d,
                                                        std::span<const double> mean, int threads, Monitor& monitor) const {
  if constexpr (is_dense_v<M>) {
    return dense_products(x_, used_, before, d, mean, threads, monitor);
  } else {
    auto rows = before == 0 ? products_by_row(d, threads, monitor) : products_by_column(before, d, threads, monitor);
    double total = 0;
    for (const double value : d) total += value;
    for (std::size_t e = before; e < size(); ++e)
      for (std::size_t c = 0; c <= e; ++c) rows[e - before][c] -= total * mean[e] * mean[c];
    return rows;
  }
}

}  // namespace vitalfew
