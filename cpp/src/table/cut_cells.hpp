// Ranks of numbers among cuts in expected O(1): cuts are indexed by equally wide cells, and values are partitioned by them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace vitalfew {

// Counts the cuts below a number, by a search within one of many equally wide cells. Cuts are in increasing order and may repeat.
class CutCells {
 public:
  explicit CutCells(std::span<const double> cut)
      : n_cells_(std::bit_ceil(4 * cut.size() + 4)), cut_(cut.begin(), cut.end()), first_(n_cells_ + 1) {
    cut_.push_back(HUGE_VAL);
    if (cut.empty()) return;
    low_ = cut.front();
    const double width = cut.back() - low_;
    scale_ = width > 0 && std::isfinite(width) ? double(n_cells_ - 1) / width : 0;
    for (const double c : cut) ++first_[cell(c) + 1];
    for (std::size_t c = 0; c < n_cells_; ++c) first_[c + 1] += first_[c];
  }
  std::size_t below(double x) const {
    const std::size_t c = cell(x);
    std::size_t low = first_[c];
    // Most cells have at most two cuts, which are passed without a branch; a sentinel of infinity follows the last cut.
    low += cut_[low] < x;
    low += cut_[low] < x;
    if (cut_[low] < x) low = std::size_t(std::lower_bound(cut_.begin() + low, cut_.begin() + first_[c + 1], x) - cut_.begin());
    return low;
  }

 private:
  // Monotone in x, so that cuts of earlier cells are below x and cuts of later cells are not.
  std::size_t cell(double x) const {
    const double c = (x - low_) * scale_;  // NaN if x is infinite and the scale is zero
    return c > 0 ? std::size_t(std::min(c, double(n_cells_ - 1))) : 0;
  }
  std::size_t n_cells_;
  std::vector<double> cut_;
  std::vector<std::uint32_t> first_;
  double low_ = 0, scale_ = 0;
};

// Order statistics, sorted lazily: up to 4096 sampled values partition the numbers, and a part is sorted when one of its ranks is
// requested. O(n) plus the sorting of the requested parts.
class RankedValues {
 public:
  explicit RankedValues(std::vector<double> value) : value_(std::move(value)) {
    const std::size_t n = value_.size(), n_cuts = std::min(n / 16, std::size_t{4096});
    std::vector<double> cut(n_cuts);
    for (std::size_t k = 0; k < n_cuts; ++k) cut[k] = value_[k * n / n_cuts];
    std::sort(cut.begin(), cut.end());
    first_.assign(n_cuts + 2, 0);
    is_sorted_.assign(n_cuts + 1, 0);
    const CutCells cells(cut);
    std::vector<std::uint16_t> part(n);
    for (std::size_t i = 0; i < n; ++i) ++first_[(part[i] = std::uint16_t(cells.below(value_[i]))) + 1u];
    for (std::size_t c = 0; c <= n_cuts; ++c) first_[c + 1] += first_[c];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    std::vector<double> spread(n);
    for (std::size_t i = 0; i < n; ++i) spread[next[part[i]]++] = value_[i];
    value_.swap(spread);
  }

  std::size_t size() const { return value_.size(); }
  // Returns the number of this rank; fast if it is near the previous one.
  double operator[](std::size_t rank) {
    while (rank < first_[part_]) --part_;
    while (rank >= first_[part_ + 1]) ++part_;
    const auto begin = value_.begin();
    if (!is_sorted_[part_]) std::sort(begin + std::ptrdiff_t(first_[part_]), begin + std::ptrdiff_t(first_[part_ + 1]));
    is_sorted_[part_] = 1;
    return value_[rank];
  }

 private:
  std::vector<double> value_;
  std::vector<std::size_t> first_;  // rank of the first number of each part
  std::vector<std::uint8_t> is_sorted_;
  std::size_t part_ = 0;
};

}  // namespace vitalfew
