// Unsupervised binning of numeric columns: a cut between every two distinct values of a column with few of them, otherwise cuts
// at the quantiles of a sample. The code of x is the number of cuts below it. One pass over the table finds columns with few
// values, and one pass codes them all: O(n d), in tiles, so that tables stored by rows are read once as well.
#include "vitalfew/bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "table/cut_cells.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// A hash set of distinct numbers, up to a limit.
class DistinctValues {
 public:
  explicit DistinctValues(std::size_t most) : most_(most), place_(std::bit_ceil(4 * most + 4), none) {}

  // Adds a number. Returns false once there are more than the limit.
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
  // Another thread may have written NaN to the table between two reads of a number, and NaN cannot be sorted.
  std::vector<double> sorted() && {
    std::erase_if(value_, [](double v) { return std::isnan(v); });
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

// Cuts at the q/most quantiles, each moved up to the next rank at which the value changes.
std::vector<double> cuts_at_quantiles(RankedValues value, std::size_t most) {
  std::vector<double> cut;
  const std::size_t m = value.size();
  std::size_t last = 0;  // rank of the first value after the last cut
  for (std::size_t q = 1; q < most; ++q) {
    std::size_t at = std::max(q * m / most, last + 1);
    while (at < m && value[at - 1] == value[at]) ++at;
    if (at >= m) break;
    cut.push_back(between(value[at - 1], value[at]));
    last = at;
  }
  return cut;
}

// Returns one row from each of m equal stretches, at pseudorandom positions, so that periodic data do no harm.
std::vector<std::size_t> sampled_rows(std::size_t m, std::size_t n) {
  std::vector<std::size_t> row(m);
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t begin = k * n / m, end = (k + 1) * n / m;
    row[k] = begin + std::size_t((std::uint64_t(k + 1) * 0x9E3779B97F4A7C15u) >> 32) % std::max<std::size_t>(end - begin, 1);
  }
  return row;
}

// Returns some rows of some columns, without NaN. Neighboring columns are read together, since a cache line holds them.
template <class T>
std::vector<std::vector<double>> sample_of(const Table<T>& table, std::span<const std::size_t> columns,
                                           std::span<const std::size_t> rows) {
  std::vector<std::vector<double>> sample(columns.size(), std::vector<double>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t c = 0; c < columns.size(); ++c)
      sample[c][k] =
          double(table.data[std::ptrdiff_t(rows[k]) * table.row_stride + std::ptrdiff_t(columns[c]) * table.col_stride]) + 0.0;
  for (auto& values : sample) std::erase_if(values, [](double v) { return std::isnan(v); });
  return sample;
}

constexpr std::size_t tile_rows = 256, tile_columns = 8;  // eight doubles of a row fill a cache line

// A transposed tile: the columns of some rows, each contiguous.
template <class T>
using Turned = std::array<std::array<T, tile_rows>, tile_columns>;

template <class T>
void turn(const T* x, std::ptrdiff_t row_stride, std::ptrdiff_t col_stride, std::size_t n, std::size_t width, Turned<T>& turned) {
  if (width == tile_columns && col_stride == 1) {
    for (std::size_t i = 0; i < n; ++i, x += row_stride)
      for (std::size_t c = 0; c < tile_columns; ++c) turned[c][i] = x[c];
    return;
  }
  for (std::size_t i = 0; i < n; ++i, x += row_stride)
    for (std::size_t c = 0; c < width; ++c) turned[c][i] = x[std::ptrdiff_t(c) * col_stride];
}

// Calls read(j, x, n) for the wanted columns of [first, last), where x[i] is the value of row + i in column j. A table stored by
// columns is read in place; otherwise tiles of columns are transposed, so that a table stored by rows is read once.
template <class T, class Wanted, class Read>
void each_stretch(const Table<T>& table, std::size_t first, std::size_t last, std::size_t row, Wanted&& wanted, Read&& read) {
  const std::size_t n = std::min(tile_rows, table.n_rows - row);
  const T* const start = table.data + std::ptrdiff_t(row) * table.row_stride;
  Turned<T> turned;
  for (std::size_t begin = first; begin < last; begin += tile_columns) {
    const std::size_t end = std::min(last, begin + tile_columns);
    bool is_turned = table.row_stride == 1;
    for (std::size_t j = begin; j < end; ++j) {
      if (!wanted(j)) continue;
      if (!is_turned)
        turn(start + std::ptrdiff_t(begin) * table.col_stride, table.row_stride, table.col_stride, n, end - begin, turned);
      is_turned = true;
      read(j, table.row_stride == 1 ? start + std::ptrdiff_t(j) * table.col_stride : turned[j - begin].data(), n);
    }
  }
}

// Returns whether some number differs from both a and b, without a branch for each.
template <class T>
bool has_other(const T* x, std::size_t n, T a, T b) {
  int found = 0;
  for (std::size_t i = 0; i < n; ++i) found |= int(x[i] != a) & int(x[i] != b);
  return found != 0;
}

// Returns the distinct numbers of the columns [begin, end) in increasing order; none for a column with more than `most`.
template <class T>
std::vector<std::vector<double>> few_values(const Table<T>& table, std::size_t begin, std::size_t end, std::size_t most) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<DistinctValues> distinct(end - begin, DistinctValues(most));
  std::vector<std::uint8_t> is_open(end - begin, 1);
  std::vector<std::array<T, 2>> last(end - begin, {nan, nan});  // the last two values, which is all that 0/1 columns need
  for (std::size_t row = 0; row < table.n_rows; row += tile_rows)
    each_stretch(
        table, begin, end, row, [&](std::size_t j) { return is_open[j - begin] != 0; },
        [&](std::size_t j, const T* x, std::size_t n) {
          auto [late, early] = last[j - begin];
          if (!has_other(x, n, late, early)) return;
          for (std::size_t i = 0; i < n && is_open[j - begin]; ++i) {
            if (x[i] == late || x[i] == early || std::isnan(double(x[i]))) continue;
            early = std::exchange(late, x[i]);
            is_open[j - begin] = distinct[j - begin].add(double(x[i]));
          }
          last[j - begin] = {late, early};
        });
  std::vector<std::vector<double>> value(end - begin);
  for (std::size_t c = 0; c < end - begin; ++c)
    if (is_open[c]) value[c] = std::move(distinct[c]).sorted();
  return value;
}

// Codes n numbers and returns the flags of what they hold.
template <class T, class Code>
std::uint8_t code_some(const T* x, std::size_t n, const CutCells& cells, Code missing, Code* code) {
  int seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = double(x[i]);
    const bool is_missing = std::isnan(v);
    code[i] = is_missing ? missing : Code(cells.below(v));
    seen |= is_missing ? has_missing : std::isinf(v) ? has_infinite : 0;
  }
  return std::uint8_t(seen);
}

// The same with one cut, without a branch for each. A second pass distinguishes NaN from infinity, only if there is either.
template <class T, class Code>
std::uint8_t code_some(const T* x, std::size_t n, double cut, Code* code) {
  int is_odd = 0, seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = double(x[i]);
    code[i] = Code(int(cut < v) + 2 * int(v != v));
    is_odd |= int(!(std::abs(v) <= std::numeric_limits<double>::max()));
  }
  for (std::size_t i = 0; i < n && is_odd; ++i) seen |= std::isnan(x[i]) ? has_missing : std::isinf(x[i]) ? has_infinite : 0;
  return std::uint8_t(seen);
}

}  // namespace

template <class T>
Cuts bin_cuts(const Table<T>& table, std::size_t most, int threads, Monitor& monitor) {
  if (most < 2) throw std::invalid_argument("bins: at least two bins are required");
  const std::size_t d = table.n_cols, groups = (d + tile_columns - 1) / tile_columns;
  std::vector<std::vector<double>> cut(d);
  std::vector<std::uint8_t> is_exact(d);
  const std::size_t blocks = blocks_for(2.0 * double(d) * double(table.n_rows), std::min<std::size_t>(groups, 16));
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    const std::size_t begin = tile_columns * (groups * b / blocks), end = std::min(d, tile_columns * (groups * (b + 1) / blocks));
    const auto value = few_values(table, begin, end, most);
    for (std::size_t j = begin; j < end; ++j) {
      is_exact[j] = !value[j - begin].empty();
      cut[j] = cuts_between_all(value[j - begin]);
    }
  });
  // Columns with more than `most` values: quantiles of a sample.
  std::vector<std::size_t> many;
  for (std::size_t j = 0; j < d; ++j)
    if (!is_exact[j]) many.push_back(j);
  if (!many.empty()) {
    const std::vector<std::size_t> rows = sampled_rows(std::min(table.n_rows, 64 * most), table.n_rows);
    parallel_blocks((many.size() + 3) / 4, threads, monitor, [&](std::size_t b) {
      const auto columns = std::span(many).subspan(4 * b, std::min<std::size_t>(4, many.size() - 4 * b));
      auto sample = sample_of(table, columns, rows);
      for (std::size_t c = 0; c < columns.size(); ++c)
        cut[columns[c]] = cuts_at_quantiles(RankedValues(std::move(sample[c])), most);
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
  if (cuts.start.size() != d + 1 || out.size() != n * d) throw std::invalid_argument("bins: the array sizes do not match");
  // An index of the cuts of each column, then one pass over the table in tiles.
  std::vector<CutCells> cells;
  cells.reserve(d);
  for (std::size_t j = 0; j < d; ++j) {
    const auto begin = std::size_t(cuts.start[j]), end = std::size_t(cuts.start[j + 1]);
    if (begin > end || end > cuts.value.size()) throw std::invalid_argument("bins: the cuts must be sorted");
    if (end - begin + 1 > std::numeric_limits<Code>::max()) throw std::invalid_argument("bins: too many bins for this code type");
    cells.emplace_back(std::span(cuts.value).subspan(begin, end - begin));
  }
  const std::size_t tiles = (n + tile_rows - 1) / tile_rows;
  const std::size_t blocks = blocks_for(5.0 * double(n * d), std::min<std::size_t>(tiles, 64));
  std::vector<std::uint8_t> flag(blocks * d);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    for (std::size_t t = tiles * b / blocks; t < tiles * (b + 1) / blocks; ++t)
      each_stretch(
          table, 0, d, t * tile_rows, [](std::size_t) { return true; },
          [&](std::size_t j, const T* x, std::size_t some) {
            const auto begin = std::size_t(cuts.start[j]), n_cuts = std::size_t(cuts.start[j + 1]) - begin;
            Code* const code = out.data() + j * n + t * tile_rows;
            flag[b * d + j] |=
                n_cuts == 1 ? code_some(x, some, cuts.value[begin], code) : code_some(x, some, cells[j], Code(n_cuts + 1), code);
          });
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
