// Views of binned data. Feature j has the codes 0 .. b_j - 1, and b_j where its value is missing. Code c of feature j has slot
// offset[j] + c, so that offset[j + 1] - offset[j] = b_j + 1.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "vitalfew/matrix.hpp"

namespace vitalfew {

// Layout of the features, common to all storages of bins.
struct BinFeatures {
  std::span<const std::int64_t> offset;       // features + 1
  std::span<const std::uint8_t> is_category;  // codes have no order

  std::size_t n_features() const { return is_category.size(); }
  std::size_t n_slots() const { return std::size_t(offset[n_features()]); }
  std::size_t first(std::size_t j) const { return std::size_t(offset[j]); }
  std::size_t n_bins(std::size_t j) const { return std::size_t(offset[j + 1] - offset[j]) - 1; }

  void validate() const {
    if (offset.size() != is_category.size() + 1 || offset[0] != 0)
      throw std::invalid_argument("bins: offsets must have n_features + 1 entries and begin with 0");
    for (std::size_t j = 0; j < n_features(); ++j)
      if (offset[j + 1] <= offset[j] || offset[j + 1] - offset[j] < 2)
        throw std::invalid_argument("bins: each feature must have at least one bin and one for missing values");
    if (offset.back() > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("bins: the total number of bins must be below 2^31");
  }
};

// Codes of all rows, column by column.
template <std::unsigned_integral Code>
struct BinnedColumns {
  std::span<const Code> code;
  std::size_t n_rows;
  BinFeatures features;

  const Code* column(std::size_t j) const { return code.data() + j * n_rows; }
  void validate() const {
    features.validate();
    if (code.size() != n_rows * features.n_features()) throw std::invalid_argument("bins: expected one code per row and feature");
    for (std::size_t j = 0; j < features.n_features(); ++j) {
      Code most = 0;
      for (const Code x : std::span(column(j), n_rows)) most = std::max(most, x);
      if (most > features.n_bins(j)) throw std::invalid_argument("bins: code out of range");
    }
  }
};

// Slots of each row, except those of the usual (most frequent) code of a feature. No value is missing.
struct BinnedRows {
  Pattern pattern;                      // lines are rows, indices are slots
  std::span<const std::int32_t> usual;  // usual code of each feature
  BinFeatures features;
  std::size_t n_rows = pattern.lines();
};

}  // namespace vitalfew
