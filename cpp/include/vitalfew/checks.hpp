// Bounds of the views, checked in parallel before a kernel trusts them; and what a sparse matrix looks like.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Throws std::invalid_argument if starts or indices do not describe a matrix of this width. O(stored entries).
void check_bounds(const Pattern& pattern, int threads, Monitor& monitor);

// Throws std::invalid_argument if offsets or codes are out of bounds. O(rows x columns).
template <std::unsigned_integral Code>
void check_bounds(const Codes<Code>& codes, int threads, Monitor& monitor);

struct PatternReport {
  bool is_sorted = true;  // strictly rising within each line: sorted, no duplicates
  bool has_zero = false;  // a stored value is 0
  bool has_nan = false;   // a stored value is not finite
};

// One parallel pass over indices and values of a pattern within its bounds. O(stored entries).
template <class T>
PatternReport inspect_pattern(const Pattern& pattern, std::span<const T> value, int threads, Monitor& monitor);

}  // namespace vitalfew
