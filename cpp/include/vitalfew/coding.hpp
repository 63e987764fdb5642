// Coding of numeric tables as bytes, in one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// What a column holds, as bits of a flag.
enum ColumnFlag : std::uint8_t { has_missing = 1, has_infinite = 2, needs_coding = 4 };

struct ColumnReport {
  std::vector<std::uint8_t> flag;  // per column
  std::vector<std::int32_t> top;   // largest code + 1
};

template <class T>
struct Table {
  const T* data;
  std::size_t n_rows, n_cols;
  std::ptrdiff_t row_stride, col_stride;  // in elements
};

// Columns of integers 0..254 are their own codes: writes them as bytes (255: NaN) to `out`, in the layout of the table if it is
// contiguous, and reports the columns that are not of this kind (negative, fractional, above 254). `out` may be null for bytes
// and booleans, which are already their own codes. O(rows x columns).
template <class T>
ColumnReport code_small(const Table<T>& table, std::uint8_t* out, std::ptrdiff_t out_row_stride, std::ptrdiff_t out_col_stride,
                        int threads, Monitor& monitor);

}  // namespace vitalfew
