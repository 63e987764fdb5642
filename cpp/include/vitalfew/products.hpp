// First and second moments of columns of any numeric type, read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Numbers of any type; booleans are bytes of 0 and 1.
using Numbers =
    std::variant<const double*, const float*, const std::int64_t*, const std::int32_t*, const std::int16_t*, const std::int8_t*,
                 const std::uint64_t*, const std::uint32_t*, const std::uint16_t*, const std::uint8_t*>;

struct NumberColumn {
  Numbers number;
  std::ptrdiff_t stride;  // in numbers, from one row to the next
};

struct NumberColumns {
  std::span<const NumberColumn> column;
  std::size_t n_rows;
};

struct Products {
  std::vector<double> first;   // Σ w (x − s)
  std::vector<double> second;  // Σ w (x − s)(x − s)ᵀ, both triangles
};

// Computes both sums; empty weights mean all one. Numbers are packed into panels of four interleaved columns that stay in the
// cache, and multiplied there; each is read from memory once. O(n d²).
Products column_products(const NumberColumns& data, std::span<const double> shift, std::span<const double> weight, int threads,
                         Monitor& monitor);

}  // namespace vitalfew
