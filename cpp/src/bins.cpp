#include "vitalfew/bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// Distinct numbers, up to a limit.
class DistinctValues {
 public:
  explicit DistinctValues(std::size_t most) : most_(most), place_(std::bit_ceil(4 * most + 4), none) {}

  // False once there are more than the limit.
  bool add(double x) {
    x += 0.0;  // -0 and 0 are one value
    const auto mask = place_.size() - 1;
    auto at = std::size_t(std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u >> 20) & mask;
    for (; place_[at] != none; at = (at + 1) & mask)
      if (value_[place_[at]] == x) return true;
    if (value_.size() == most_) return false;
    place_[at] = std::uint32_t(value_.size());
    value_.push_back(x);
    return true;
  }
  std::vector<double> sorted() && {
    std::sort(value_.begin(), value_.end());
    return std::move(value_);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::size_t most_;
  std::vector<std::uint32_t> place_;
  std::vector<double> value_;
};

std::vector<double> cuts_between_all(const std::vector<double>& value) {
  std::vector<double> cut;
  for (std::size_t k = 1; k < value.size(); ++k) cut.push_back(between(value[k - 1], value[k]));
  return cut;
}

std::vector<double> cuts_at_quantiles(const std::vector<double>& sorted, std::size_t most) {
  std::vector<double> cut;
  const std::size_t m = sorted.size();
  std::size_t last = 0;  // the last cut is before this place
  for (std::size_t q = 1; q < most; ++q) {
    std::size_t at = std::max(q * m / most, last + 1);
    while (at < m && sorted[at - 1] == sorted[at]) ++at;
    if (at >= m) break;
    cut.push_back(between(sorted[at - 1], sorted[at]));
    last = at;
  }
  return cut;
}

// One row of each of m equal stretches, none of them at a fixed distance from the next.
std::size_t sampled_row(std::size_t k, std::size_t m, std::size_t n) {
  const std::size_t begin = k * n / m, end = (k + 1) * n / m;
  return begin + std::size_t((std::uint64_t(k + 1) * 0x9E3779B97F4A7C15u) >> 32) % std::max<std::size_t>(end - begin, 1);
}

// Numbers of sampled rows without NaN, of each column but some: a table stored by rows is read once.
template <class T>
std::vector<std::vector<double>> sample_of(const Table<T>& table, std::span<const std::uint8_t> is_left_out, std::size_t m) {
  std::vector<std::vector<double>> sample(table.n_cols);
  std::vector<std::size_t> wanted;
  for (std::size_t j = 0; j < table.n_cols; ++j)
    if (!is_left_out[j]) wanted.push_back(j);
  for (const std::size_t j : wanted) sample[j].reserve(m);
  for (std::size_t k = 0; k < m; ++k) {
    const T* const row = table.data + std::ptrdiff_t(sampled_row(k, m, table.n_rows)) * table.row_stride;
    for (const std::size_t j : wanted)
      if (const auto v = double(row[std::ptrdiff_t(j) * table.col_stride]); !std::isnan(v)) sample[j].push_back(v + 0.0);
  }
  return sample;
}

constexpr std::size_t tile = 256;  // rows read together, so that a table stored by rows is read once

// All distinct numbers of columns begin .. end - 1 in rising order; none for a column with too many.
template <class T>
std::vector<std::vector<double>> few_values(const Table<T>& table, std::size_t begin, std::size_t end, std::size_t most) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<DistinctValues> distinct(end - begin, DistinctValues(most));
  std::vector<std::uint8_t> is_open(end - begin, 1);
  std::vector<std::array<T, 2>> last(end - begin, {nan, nan});  // the two values before: columns of 0 and 1 need no more
  for (std::size_t first = 0; first < table.n_rows; first += tile) {
    const std::size_t rows = std::min(tile, table.n_rows - first);
    for (std::size_t j = begin; j < end; ++j) {
      if (!is_open[j - begin]) continue;
      const T* x = table.data + std::ptrdiff_t(j) * table.col_stride + std::ptrdiff_t(first) * table.row_stride;
      auto [late, early] = last[j - begin];
      for (std::size_t i = 0; i < rows && is_open[j - begin]; ++i, x += table.row_stride) {
        if (*x == late || *x == early || std::isnan(double(*x))) continue;
        early = std::exchange(late, *x);
        is_open[j - begin] = distinct[j - begin].add(double(*x));
      }
      last[j - begin] = {late, early};
    }
  }
  std::vector<std::vector<double>> value(end - begin);
  for (std::size_t c = 0; c < end - begin; ++c)
    if (is_open[c]) value[c] = std::move(distinct[c]).sorted();
  return value;
}

// The cuts below a number, found in one of many equally wide cells.
class CutCells {
 public:
  explicit CutCells(std::span<const double> cut) : cut_(cut.begin(), cut.end()), first_(n_cells + 1) {
    cut_.push_back(HUGE_VAL);
    if (cut.empty()) return;
    low_ = cut.front();
    const double width = cut.back() - low_;
    scale_ = width > 0 && std::isfinite(width) ? double(n_cells - 1) / width : 0;
    for (const double c : cut) ++first_[cell(c) + 1];
    for (std::size_t c = 0; c < n_cells; ++c) first_[c + 1] += first_[c];
  }
  std::size_t below(double x) const {
    const std::size_t c = cell(x);
    std::size_t low = first_[c];
    // Most cells have at most two cuts, which are passed without a branch; what comes after the last cut is infinite.
    low += cut_[low] < x;
    low += cut_[low] < x;
    if (cut_[low] < x) low = std::size_t(std::lower_bound(cut_.begin() + low, cut_.begin() + first_[c + 1], x) - cut_.begin());
    return low;
  }

 private:
  static constexpr std::size_t n_cells = 1024;
  // Rises with x, so that cuts of earlier cells are below x and cuts of later ones are not.
  std::size_t cell(double x) const {
    const double c = (x - low_) * scale_;  // NaN where x is infinite and there is one cell
    return c > 0 ? std::size_t(std::min(c, double(n_cells - 1))) : 0;
  }
  std::vector<double> cut_;
  std::vector<std::uint32_t> first_;
  double low_ = 0, scale_ = 0;
};

}  // namespace

template <class T>
Cuts bin_cuts(const Table<T>& table, std::size_t most, int threads, Monitor& monitor) {
  if (most < 2) throw std::invalid_argument("bins: at least two are needed");
  std::vector<std::vector<double>> cut(table.n_cols);
  std::vector<std::uint8_t> is_exact(table.n_cols);
  const std::size_t blocks =
      blocks_for(10.0 * double(table.n_cols) * double(table.n_rows), std::min<std::size_t>(table.n_cols, 16));
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    const std::size_t begin = table.n_cols * b / blocks, end = table.n_cols * (b + 1) / blocks;
    const auto value = few_values(table, begin, end, most);
    for (std::size_t j = begin; j < end; ++j) {
      is_exact[j] = !value[j - begin].empty();
      cut[j] = cuts_between_all(value[j - begin]);
    }
  });
  if (std::find(is_exact.begin(), is_exact.end(), std::uint8_t{0}) != is_exact.end()) {
    std::vector<std::vector<double>> sample = sample_of(table, is_exact, std::min(table.n_rows, 64 * most));
    parallel_blocks(table.n_cols, threads, monitor, [&](std::size_t j) {
      if (is_exact[j]) return;
      std::sort(sample[j].begin(), sample[j].end());
      cut[j] = cuts_at_quantiles(sample[j], most);
    });
  }
  Cuts found{{}, {0}};
  for (const auto& of_column : cut) {
    found.value.insert(found.value.end(), of_column.begin(), of_column.end());
    found.start.push_back(std::int64_t(found.value.size()));
  }
  return found;
}

template <class T, class Code>
std::vector<std::uint8_t> code_bins(const Table<T>& table, const Cuts& cuts, std::span<Code> out, int threads, Monitor& monitor) {
  const std::size_t n = table.n_rows, d = table.n_cols;
  if (cuts.start.size() != d + 1 || out.size() != n * d) throw std::invalid_argument("bins: the sizes do not agree");
  std::vector<CutCells> cells;
  cells.reserve(d);
  for (std::size_t j = 0; j < d; ++j) {
    const auto begin = std::size_t(cuts.start[j]), end = std::size_t(cuts.start[j + 1]);
    if (begin > end || end > cuts.value.size()) throw std::invalid_argument("bins: the cuts are not in order");
    if (end - begin + 1 > std::numeric_limits<Code>::max()) throw std::invalid_argument("bins: too many for these codes");
    cells.emplace_back(std::span(cuts.value).subspan(begin, end - begin));
  }
  const std::size_t tiles = (n + tile - 1) / tile, blocks = blocks_for(5.0 * double(n * d), std::min<std::size_t>(tiles, 64));
  std::vector<std::uint8_t> flag(blocks * d);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    for (std::size_t t = tiles * b / blocks; t < tiles * (b + 1) / blocks; ++t) {
      const std::size_t begin = t * tile, end = std::min(n, begin + tile);
      for (std::size_t j = 0; j < d; ++j) {
        const CutCells& of_column = cells[j];
        const auto missing = Code(cuts.start[j + 1] - cuts.start[j] + 1);
        const T* x = table.data + std::ptrdiff_t(j) * table.col_stride + std::ptrdiff_t(begin) * table.row_stride;
        Code* const code = out.data() + j * n;
        std::uint8_t seen = 0;
        const auto each = [&](auto&& below) {
          for (std::size_t i = begin; i < end; ++i, x += table.row_stride) {
            const auto v = double(*x);
            const bool is_missing = std::isnan(v);
            code[i] = is_missing ? missing : Code(below(v));
            seen |= std::uint8_t(is_missing ? has_missing : std::isinf(v) ? has_infinite : 0);
          }
        };
        if (missing == 2)  // one cut
          each([cut = cuts.value[std::size_t(cuts.start[j])]](double v) { return cut < v; });
        else
          each([&](double v) { return of_column.below(v); });
        flag[b * d + j] |= seen;
      }
    }
  });
  std::vector<std::uint8_t> found(d);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t j = 0; j < d; ++j) found[j] |= flag[b * d + j];
  return found;
}

#define VITALFEW_BINS(T)                                                                                              \
  template Cuts bin_cuts(const Table<T>&, std::size_t, int, Monitor&);                                                \
  template std::vector<std::uint8_t> code_bins(const Table<T>&, const Cuts&, std::span<std::uint8_t>, int, Monitor&); \
  template std::vector<std::uint8_t> code_bins(const Table<T>&, const Cuts&, std::span<std::uint16_t>, int, Monitor&);
VITALFEW_BINS(double)
VITALFEW_BINS(float)
#undef VITALFEW_BINS

}  // namespace vitalfew
