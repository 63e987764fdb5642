// Naive Bayes evidence of each row, at one point or at all points of a path at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Points at which features enter (+1) or leave (-1) along a path: feature j has the events start[j] .. start[j + 1).
struct Events {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> segment;
  std::span<const std::int8_t> sign;
  std::size_t n_segments = 1;
};

// out[i, g, c] = sum over entries (i, j, slot) and events of j in segment g of sign x table[slot, c], then summed over
// segments up to g, so that out[:, g] is the evidence at point g of the path. Without events: one segment, every feature.
// O(entries x classes + rows x segments x classes).
template <SlotRows Rows>
std::vector<double> score_rows(const Rows& rows, std::span<const double> table, std::size_t n_classes, const Events* events,
                               int threads, Monitor& monitor);

}  // namespace vitalfew
