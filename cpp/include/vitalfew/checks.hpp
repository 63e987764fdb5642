// Checks of views, labels and weights before a kernel relies on them, and inspection of sparse matrices.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {

// All checks throw std::invalid_argument for a view that does not describe a matrix.
//
// Kernels that read each row once call check_shape first and read blocks of rows through CheckedRows, while a block is in the
// cache; others call check_bounds, which checks all rows.
void check_shape(const Pattern& pattern);                                     // O(lines)
void check_rows(const Pattern& pattern, std::size_t begin, std::size_t end);  // O(entries of these lines)

inline void check_shape(const BinaryRows& rows) { check_shape(rows.pattern); }
inline void check_rows(const BinaryRows& rows, std::size_t begin, std::size_t end) { check_rows(rows.pattern, begin, end); }

template <std::unsigned_integral Code>
void check_shape(const Codes<Code>& codes);
template <std::unsigned_integral Code>
void check_rows(const Codes<Code>& codes, std::size_t begin, std::size_t end);

// Blocks of rows whose slots are within bounds; rows of a block are numbered from 0.
template <SlotRows Rows>
class CheckedRows;

// The caller of the kernels owns the indices, and no other thread writes to them.
template <>
class CheckedRows<BinaryRows> {
 public:
  explicit CheckedRows(const BinaryRows& rows) : rows_(rows) {}
  std::size_t block_rows() const { return 1024; }
  BinaryRows take(std::size_t begin, std::size_t end) {
    check_rows(rows_, begin, end);
    return {{rows_.pattern.start.subspan(begin, end - begin + 1), rows_.pattern.index, rows_.pattern.width}};
  }

 private:
  BinaryRows rows_;
};

// Codes may be in a Python array that another thread can write to at any time. A block is therefore copied first, and the copy
// is checked and read.
template <std::unsigned_integral Code>
class CheckedRows<Codes<Code>> {
 public:
  explicit CheckedRows(const Codes<Code>& codes);
  std::size_t block_rows() const;  // few enough that the copy stays in the cache
  Codes<Code> take(std::size_t begin, std::size_t end);

 private:
  Codes<Code> codes_;
  std::vector<Code> copy_, limit_;  // limit: the number of values of each column
};

// Copies indices and returns the largest copy, where negative ones count as large. The result holds for the copy even if another
// thread writes to the indices meanwhile. A 64-bit index that does not fit into 31 bits counts as the largest of all.
template <std::signed_integral Index>
std::uint32_t copy_indices(std::span<const Index> index, std::span<std::int32_t> copy, int threads, Monitor& monitor);

template <SlotRows Rows>
void check_bounds(const Rows& rows, int threads, Monitor& monitor) {
  check_shape(rows);
  const std::size_t blocks = blocks_for(double(rows.n_entries()), std::min<std::size_t>(rows.n_rows, 256));
  parallel_blocks(blocks, threads, monitor,
                  [&](std::size_t b) { check_rows(rows, rows.n_rows * b / blocks, rows.n_rows * (b + 1) / blocks); });
}

// Returns lines x width as the size of a table of doubles; throws if no memory could hold it or the product would wrap.
std::size_t table_size(std::size_t lines, std::size_t width);

// Return whether labels are in 0 .. n_classes - 1, and whether weights are nonnegative with a finite sum. Kernels raise their own
// messages.
bool are_labels(std::span<const std::int32_t> label, std::size_t n_classes);
bool are_weights(std::span<const double> weight);

struct PatternReport {
  bool is_sorted = true;  // strictly increasing within each line: sorted, no duplicates
  bool has_zero = false;  // a stored value is 0
  bool has_nan = false;   // a stored value is not finite
};

// Inspects indices, whose bounds it checks, and values in one parallel pass. O(stored entries).
template <class T>
PatternReport inspect_pattern(const Pattern& pattern, std::span<const T> value, int threads, Monitor& monitor);

}  // namespace vitalfew
