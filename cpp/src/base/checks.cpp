// Checks of matrix views, labels and weights before kernels use them as indices. All are one pass, vectorized and in parallel
// where the data are large: O(entries).
#include "vitalfew/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "vitalfew/multiversion.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t entries_per_block = 1 << 16;

// Returns the largest index; negative ones are large as unsigned numbers.
VITALFEW_HOT std::uint32_t largest(const std::int32_t* index, std::size_t n) {
  std::uint32_t most = 0;
  for (std::size_t k = 0; k < n; ++k) most = std::max(most, std::uint32_t(index[k]));
  return most;
}

// Copies 64-bit indices to 32 bits. Returns the bitwise or of all of them: they fit if no bit above bit 30 is set.
VITALFEW_HOT std::uint64_t narrow(const std::int64_t* index, std::size_t n, std::int32_t* copy) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < n; ++k) {
    bits |= std::uint64_t(index[k]);
    copy[k] = std::int32_t(index[k]);
  }
  return bits;
}

// Counts the entries of index[1..n) that are not above their predecessor.
VITALFEW_HOT std::size_t falls(const std::int32_t* index, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t k = 1; k < n; ++k) count += index[k] <= index[k - 1];
  return count;
}

// Updates the largest code + 1 of each column of a row-major block; the missing code wraps to 0. The compiler vectorizes it.
VITALFEW_HOT void tops_of_rows(const std::uint8_t* x, std::size_t rows, std::size_t cols, std::ptrdiff_t stride,
                               std::uint8_t* top) {
  for (std::size_t i = 0; i < rows; ++i, x += stride)
    for (std::size_t j = 0; j < cols; ++j) top[j] = std::max(top[j], std::uint8_t(x[j] + 1));
}

template <class Code>
void tops_of_rows(const Code* x, std::size_t rows, std::size_t cols, std::ptrdiff_t stride, Code* top) {
  for (std::size_t i = 0; i < rows; ++i, x += stride)
    for (std::size_t j = 0; j < cols; ++j) top[j] = std::max(top[j], Code(x[j] + 1));
}

VITALFEW_HOT std::uint8_t top_of_column(const std::uint8_t* x, std::size_t n) {
  std::uint8_t top = 0;
  for (std::size_t i = 0; i < n; ++i) top = std::max(top, std::uint8_t(x[i] + 1));
  return top;
}

template <class Code>
Code top_of_column(const Code* x, std::size_t n, std::ptrdiff_t stride) {
  if constexpr (sizeof(Code) == 1) {
    if (stride == 1) return top_of_column(x, n);
  }
  Code top = 0;
  for (std::size_t i = 0; i < n; ++i) top = std::max(top, Code(x[std::ptrdiff_t(i) * stride] + 1));
  return top;
}

// Returns whether some code + 1 is above the limit of its column; the missing code wraps to 0. Branch-free, so that the compiler
// vectorizes it.
VITALFEW_HOT bool any_above(const std::uint8_t* x, std::size_t rows, std::size_t cols, const std::uint8_t* limit) {
  std::uint8_t above = 0;
  for (std::size_t i = 0; i < rows; ++i, x += cols)
    for (std::size_t j = 0; j < cols; ++j) above |= std::uint8_t(std::uint8_t(x[j] + 1) > limit[j]);
  return above != 0;
}
template <class Code>
bool any_above(const Code* x, std::size_t rows, std::size_t cols, const Code* limit) {
  bool above = false;
  for (std::size_t i = 0; i < rows; ++i, x += cols)
    for (std::size_t j = 0; j < cols; ++j) above |= Code(x[j] + 1) > limit[j];
  return above;
}
template <class Code>
bool any_above(const Code* x, std::size_t n, Code limit) {
  return top_of_column(x, n, 1) > limit;
}

// Counts the values that are neither 0 nor infinite nor NaN.
template <class T>
inline std::size_t count_plain(const T* value, std::size_t n) {
  std::size_t plain = 0;
  for (std::size_t k = 0; k < n; ++k) plain += (value[k] != T{0}) & (value[k] - value[k] == T{0});
  return plain;
}
VITALFEW_HOT std::size_t count_plain(const double* value, std::size_t n) { return count_plain<double>(value, n); }

// Notes whether a value is 0, and whether one is not finite. Most data have neither, which one fast pass finds out.
template <class T>
void see_values(std::span<const T> value, char& has_zero, char& has_odd) {
  if (count_plain(value.data(), value.size()) == value.size()) return;
  for (const T v : value) {
    has_zero |= v == T{0};
    has_odd |= !(v - v == T{0});
  }
}

}  // namespace

void check_shape(const Pattern& pattern) {
  const auto& start = pattern.start;
  if (start.empty() || start.front() != 0 || start.back() != std::int64_t(pattern.index.size()))
    throw std::invalid_argument("sparse matrix: indptr must begin with 0 and end with the number of indices");
  if (!std::is_sorted(start.begin(), start.end())) throw std::invalid_argument("sparse matrix: indptr must not decrease");
}

void check_rows(const Pattern& pattern, std::size_t begin, std::size_t end) {
  const auto first = std::size_t(pattern.start[begin]), last = std::size_t(pattern.start[end]);
  if (last > first && largest(pattern.index.data() + first, last - first) >= pattern.width)
    throw std::invalid_argument("sparse matrix: index out of bounds");
}

template <std::unsigned_integral Code>
void check_shape(const Codes<Code>& codes) {
  const auto& offset = codes.offset;
  if (offset.size() != codes.n_cols + 1 || offset[0] != 0 || !std::is_sorted(offset.begin(), offset.end()))
    throw std::invalid_argument("codes: offsets must have n_cols + 1 increasing entries, beginning with 0");
}

template <std::unsigned_integral Code>
void check_rows(const Codes<Code>& codes, std::size_t begin, std::size_t end) {
  std::vector<Code> top(codes.n_cols);
  const Code* const first = codes.data + std::ptrdiff_t(begin) * codes.row_stride;
  if (codes.is_by_row())
    tops_of_rows(first, end - begin, codes.n_cols, codes.row_stride, top.data());
  else
    for (std::size_t j = 0; j < codes.n_cols; ++j)
      top[j] = top_of_column(first + std::ptrdiff_t(j) * codes.col_stride, end - begin, codes.row_stride);
  for (std::size_t j = 0; j < codes.n_cols; ++j)
    if (std::int64_t(top[j]) > codes.offset[j + 1] - codes.offset[j])
      throw std::invalid_argument("codes: column " + std::to_string(j) +
                                  " has a code that is not below its number of categories");
}

template <std::unsigned_integral Code>
CheckedRows<Codes<Code>>::CheckedRows(const Codes<Code>& codes) : codes_(codes), limit_(codes.n_cols) {
  for (std::size_t j = 0; j < codes.n_cols; ++j)
    limit_[j] = Code(std::min<std::int64_t>(codes.offset[j + 1] - codes.offset[j], std::numeric_limits<Code>::max()));
}

template <std::unsigned_integral Code>
std::size_t CheckedRows<Codes<Code>>::block_rows() const {
  const std::size_t bytes = std::max<std::size_t>(codes_.n_cols, 1) * sizeof(Code);
  // Columns are read in longer pieces, or each piece would wait for memory.
  return codes_.is_by_row() ? std::clamp<std::size_t>((std::size_t{1} << 14) / bytes, 1, 1024)
                            : std::clamp<std::size_t>((std::size_t{1} << 18) / bytes, 256, 1024);
}

// Copies a block, then checks the copy: a fast test first, and the exact check, which throws, only if it fails.
template <std::unsigned_integral Code>
Codes<Code> CheckedRows<Codes<Code>>::take(std::size_t begin, std::size_t end) {
  const std::size_t rows = end - begin, cols = codes_.n_cols;
  const bool is_by_row = codes_.is_by_row();
  copy_.resize(rows * cols);
  std::size_t lines = is_by_row ? rows : cols, length = is_by_row ? cols : rows;
  const std::ptrdiff_t step = is_by_row ? codes_.row_stride : codes_.col_stride, inner = is_by_row ? 1 : codes_.row_stride;
  const Codes<Code> found{copy_.data(), rows, cols, is_by_row ? std::ptrdiff_t(cols) : 1, is_by_row ? 1 : std::ptrdiff_t(rows),
                          codes_.offset};
  const Code* line = codes_.data + std::ptrdiff_t(begin) * codes_.row_stride;
  if (inner == 1 && step == std::ptrdiff_t(length)) {
    length *= lines;
    lines = 1;
  }
  for (std::size_t l = 0; l < lines; ++l, line += step) {
    Code* const to = copy_.data() + l * length;
    if (inner == 1)
      std::copy_n(line, length, to);
    else
      for (std::size_t k = 0; k < length; ++k) to[k] = line[std::ptrdiff_t(k) * inner];
  }
  bool is_above = false;
  if (is_by_row)
    is_above = any_above(copy_.data(), rows, cols, limit_.data());
  else
    for (std::size_t j = 0; j < cols; ++j) is_above |= any_above(copy_.data() + j * rows, rows, limit_[j]);
  if (is_above) check_rows(found, 0, rows);
  return found;
}

template class CheckedRows<Codes<std::uint8_t>>;
template class CheckedRows<Codes<std::uint32_t>>;
template void check_shape(const Codes<std::uint8_t>&);
template void check_shape(const Codes<std::uint32_t>&);
template void check_rows(const Codes<std::uint8_t>&, std::size_t, std::size_t);
template void check_rows(const Codes<std::uint32_t>&, std::size_t, std::size_t);

// Copies block by block; each block's copy is inspected while it is in the cache.
template <std::signed_integral Index>
std::uint32_t copy_indices(std::span<const Index> index, std::span<std::int32_t> copy, int threads, Monitor& monitor) {
  if (index.size() != copy.size()) throw std::invalid_argument("indices and their copy must have the same length");
  const std::size_t n = index.size(), blocks = (n + entries_per_block - 1) / entries_per_block;
  std::vector<std::uint32_t> most(blocks);
  parallel_blocks(blocks, n < 1'000'000 ? 1 : threads, monitor, [&](std::size_t b) {
    const std::size_t begin = b * entries_per_block, count = std::min(entries_per_block, n - begin);
    std::uint64_t bits = 0;
    if constexpr (sizeof(Index) == sizeof(std::int32_t))
      std::copy_n(index.data() + begin, count, copy.data() + begin);
    else
      bits = narrow(index.data() + begin, count, copy.data() + begin);
    most[b] = bits >> 31 != 0 ? std::numeric_limits<std::uint32_t>::max() : largest(copy.data() + begin, count);
  });
  return most.empty() ? 0 : *std::max_element(most.begin(), most.end());
}

template std::uint32_t copy_indices(std::span<const std::int32_t>, std::span<std::int32_t>, int, Monitor&);
template std::uint32_t copy_indices(std::span<const std::int64_t>, std::span<std::int32_t>, int, Monitor&);

std::size_t table_size(std::size_t lines, std::size_t width) {
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
  if (width != 0 && lines > most / width) throw std::invalid_argument("a table of this size does not fit in memory");
  return lines * width;
}

bool are_labels(std::span<const std::int32_t> label, std::size_t n_classes) {
  constexpr std::size_t most = std::size_t(1) << 31;  // larger numbers are negative labels
  return label.empty() || largest(label.data(), label.size()) < std::min(n_classes, most);
}

bool are_weights(std::span<const double> weight) {
  double sum = 0;
  bool are_valid = true;
  for (const double w : weight) {
    are_valid &= w >= 0;
    sum += w;
  }
  return are_valid && std::isfinite(sum);
}

// A block also compares its first index with the last one of the block before, so that no pair is missed.
template <class T>
PatternReport inspect_pattern(const Pattern& pattern, std::span<const T> value, int threads, Monitor& monitor) {
  if (!value.empty() && value.size() != pattern.index.size())
    throw std::invalid_argument("sparse matrix: indices and values must have the same length");
  check_shape(pattern);
  const std::size_t n = pattern.index.size(), blocks = (n + entries_per_block - 1) / entries_per_block;
  std::vector<std::size_t> falling(blocks);
  std::vector<char> zero(blocks), odd(blocks);
  parallel_blocks(blocks, n < 1'000'000 ? 1 : threads, monitor, [&](std::size_t b) {
    const std::size_t begin = b * entries_per_block, count = std::min(entries_per_block, n - begin), before = begin > 0;
    if (largest(pattern.index.data() + begin, count) >= pattern.width)
      throw std::invalid_argument("sparse matrix: index out of bounds");
    falling[b] = falls(pattern.index.data() + begin - before, count + before);
    if (!value.empty()) see_values(value.subspan(begin, count), zero[b], odd[b]);
  });
  // Indices may fall from one line to the next.
  std::size_t allowed = 0, found = 0;
  for (std::size_t l = 1; l < pattern.lines(); ++l) {
    const auto k = std::size_t(pattern.start[l]);
    if (k > 0 && k < n && pattern.start[l + 1] > pattern.start[l]) allowed += pattern.index[k] <= pattern.index[k - 1];
  }
  PatternReport report;
  for (std::size_t b = 0; b < blocks; ++b) {
    found += falling[b];
    report.has_zero |= zero[b];
    report.has_nan |= odd[b];
  }
  report.is_sorted = found == allowed;
  return report;
}

template PatternReport inspect_pattern(const Pattern&, std::span<const double>, int, Monitor&);
template PatternReport inspect_pattern(const Pattern&, std::span<const float>, int, Monitor&);
template PatternReport inspect_pattern(const Pattern&, std::span<const std::int8_t>, int, Monitor&);
template PatternReport inspect_pattern(const Pattern&, std::span<const std::int32_t>, int, Monitor&);
template PatternReport inspect_pattern(const Pattern&, std::span<const std::int64_t>, int, Monitor&);

}  // namespace vitalfew
