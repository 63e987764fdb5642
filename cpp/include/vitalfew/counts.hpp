// N(slot, c): weighted counts of each (feature, value) with each class, and the checks of sparse patterns before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

struct CountOptions {
  std::size_t n_classes = 1;
  int threads = 0;
};

// table[slot * n_classes + label[i]] += weight[i] for every entry; weight empty means 1, label empty means class 0.
// O(entries + blocks x table).
template <SlotRows Rows>
std::vector<double> count_slots(const Rows& rows, std::span<const std::int32_t> label, std::span<const double> weight,
                                const CountOptions& options, Monitor& monitor);

struct PatternReport {
  bool is_sorted = true;    // strictly rising within each line: sorted, no duplicates
  bool has_zero = false;    // a stored value is 0
  bool has_nan = false;     // a stored value is not finite
  bool in_bounds = true;    // indptr and indices describe a matrix of this width
};

// One parallel pass over indices and values. O(stored entries).
template <class T>
PatternReport inspect_pattern(const Pattern& pattern, std::span<const T> value, int threads, Monitor& monitor);

struct Transposed {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> index;
};

// Compressed rows to compressed columns (or back), indices rising within each line. O(stored entries + width).
Transposed transpose(const Pattern& pattern);

}  // namespace vitalfew
