// Weighted counts N(slot, c) of each (feature, value) by class.
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

struct Transposed {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> index;
};

// Transposes compressed rows to compressed columns or back; indices increase within each line. O(stored entries + width).
Transposed transpose(const Pattern& pattern);

}  // namespace vitalfew
