// Coding of tables whose columns are integers 0..254 as bytes, and detection of the columns that are not. One pass over the
// table, vectorized where rows are contiguous: O(rows x columns).
#include "vitalfew/coding.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "vitalfew/multiversion.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// What one block has seen of a column: flags, and its largest code + 1.
struct Seen {
  std::uint8_t flag = 0;
  std::uint8_t top = 0;
};

// Codes one value and updates what was seen; 255 for everything that is not an integer 0..254.
template <class T>
inline std::uint8_t code_one(T v, Seen& seen) {
  if constexpr (std::is_floating_point_v<T>) {
    if (v >= T{0} && v <= T{254}) {
      const auto code = std::uint8_t(v);
      if (T(code) == v) {
        seen.top = std::max(seen.top, std::uint8_t(code + 1));
        return code;
      }
      seen.flag |= needs_coding;
      return 255;
    }
    seen.flag |= std::isnan(v) ? has_missing : std::isinf(v) ? has_infinite : needs_coding;
    return 255;
  } else {
    if (v >= T{0} && std::int64_t(v) < 255) {
      seen.top = std::max(seen.top, std::uint8_t(v + 1));
      return std::uint8_t(v);
    }
    seen.flag |= needs_coding;
    return 255;
  }
}

// Codes a contiguous line. Returns whether all its values are integers 0..254. Branch-free, so that the compiler vectorizes it.
template <class T>
inline bool code_line(const T* x, std::size_t n, std::uint8_t* out) {
  std::size_t bad = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const auto code = std::int32_t(std::min(T{255}, std::max(T{-1}, x[k])));  // NaN becomes -1
    bad += (T(code) != x[k]) | (code < 0) | (code > 254);
    out[k] = std::uint8_t(code);
  }
  return bad == 0;
}

VITALFEW_HOT bool code_contiguous(const double* x, std::size_t n, std::uint8_t* out) { return code_line(x, n, out); }
VITALFEW_HOT bool code_contiguous(const float* x, std::size_t n, std::uint8_t* out) { return code_line(x, n, out); }

// Updates the maxima of the columns of a row-major block of bytes; the compiler vectorizes it.
VITALFEW_HOT void byte_maximum(const std::uint8_t* x, std::size_t rows, std::size_t cols, std::ptrdiff_t row_stride,
                               std::uint8_t* most) {
  for (std::size_t i = 0; i < rows; ++i, x += row_stride)
    for (std::size_t j = 0; j < cols; ++j) most[j] = std::max(most[j], x[j]);
}

VITALFEW_HOT std::uint8_t byte_maximum(const std::uint8_t* x, std::size_t rows) {
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < rows; ++i) most = std::max(most, x[i]);
  return most;
}

// Bytes are their own codes: only their maxima are needed.
void see_bytes(const Table<std::uint8_t>& table, std::size_t begin, std::size_t end, Seen* seen) {
  std::vector<std::uint8_t> most(table.n_cols);
  const std::uint8_t* x = table.data + std::ptrdiff_t(begin) * table.row_stride;
  if (table.col_stride == 1)
    byte_maximum(x, end - begin, table.n_cols, table.row_stride, most.data());
  else
    for (std::size_t j = 0; j < table.n_cols; ++j) most[j] = byte_maximum(x + std::ptrdiff_t(j) * table.col_stride, end - begin);
  for (std::size_t j = 0; j < table.n_cols; ++j)
    seen[j] = most[j] == 255 ? Seen{needs_coding, 255} : Seen{0, std::uint8_t(most[j] + 1)};
}

}  // namespace

template <class T>
ColumnReport code_small(const Table<T>& table, std::uint8_t* out, std::ptrdiff_t out_row_stride, std::ptrdiff_t out_col_stride,
                        int threads, Monitor& monitor) {
  const std::size_t n = table.n_rows, d = table.n_cols;
  const std::size_t blocks = blocks_for(double(n * d), std::min<std::size_t>(n, 32));
  std::vector<Seen> seen(blocks * d);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    const std::size_t begin = n * b / blocks, end = n * (b + 1) / blocks;
    Seen* const mine = seen.data() + b * d;
    // Bytes that need no copy.
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      if (out == nullptr && (table.col_stride == 1 || table.row_stride == 1)) return see_bytes(table, begin, end, mine);
    }
    const auto one = [&](std::size_t i, std::size_t j) {
      const T v = table.data[std::ptrdiff_t(i) * table.row_stride + std::ptrdiff_t(j) * table.col_stride];
      const std::uint8_t code = code_one(v, mine[j]);
      if (out != nullptr) out[std::ptrdiff_t(i) * out_row_stride + std::ptrdiff_t(j) * out_col_stride] = code;
    };
    // Contiguous rows of floats: vectorized, and value by value only for rows that are not all integers 0..254.
    if constexpr (std::is_floating_point_v<T>) {
      if (table.col_stride == 1 && out_col_stride == 1) {
        std::vector<std::uint8_t> most(d);
        bool any = false;
        for (std::size_t i = begin; i < end; ++i) {
          std::uint8_t* const line = out + std::ptrdiff_t(i) * out_row_stride;
          if (code_contiguous(table.data + std::ptrdiff_t(i) * table.row_stride, d, line)) {
            byte_maximum(line, 1, d, 0, most.data());
            any = true;
          } else {
            for (std::size_t j = 0; j < d; ++j) one(i, j);
          }
        }
        for (std::size_t j = 0; j < d && any; ++j) mine[j].top = std::max(mine[j].top, std::uint8_t(most[j] + 1));
        return;
      }
    }
    // Any other layout, in the order of memory.
    if (std::abs(table.col_stride) <= std::abs(table.row_stride)) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t j = 0; j < d; ++j) one(i, j);
    } else {
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = begin; i < end; ++i) one(i, j);
    }
  });
  ColumnReport report{std::vector<std::uint8_t>(d), std::vector<std::int32_t>(d)};
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t j = 0; j < d; ++j) {
      report.flag[j] |= seen[b * d + j].flag;
      report.top[j] = std::max(report.top[j], std::int32_t(seen[b * d + j].top));
    }
  }
  return report;
}

#define VITALFEW_CODE_SMALL(T) \
  template ColumnReport code_small(const Table<T>&, std::uint8_t*, std::ptrdiff_t, std::ptrdiff_t, int, Monitor&);
VITALFEW_CODE_SMALL(double)
VITALFEW_CODE_SMALL(float)
VITALFEW_CODE_SMALL(std::int64_t)
VITALFEW_CODE_SMALL(std::int32_t)
VITALFEW_CODE_SMALL(std::int16_t)
VITALFEW_CODE_SMALL(std::int8_t)
VITALFEW_CODE_SMALL(std::uint8_t)
#undef VITALFEW_CODE_SMALL

}  // namespace vitalfew
