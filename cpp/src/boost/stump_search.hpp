// Search for the best stump, from sums of weights by slot and class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/binned.hpp"
#include "vitalfew/boost.hpp"

namespace vitalfew {

// Gains that differ by less are ties, of which the first is taken; weights add up to one.
inline constexpr double tie = 1e-12;

struct StumpSplit {
  double gain = -1;  // larger is better; its meaning depends on the votes
  std::size_t feature = 0;
  std::size_t cut = 0;  // codes >= cut are on the right, unless the feature is a category
  bool missing_right = false;
  double left = 0, right = 0;
  std::vector<std::uint8_t> side;  // by code, including the missing one; 1: right
};

// Searches one feature at a time. `sums` holds sums of weights by class and slot, up to a factor for each class; `total` holds
// the true sums by class. The sums of a feature's usual code, if it has one, are `total` minus those of its other codes.
class StumpSearch {
 public:
  StumpSearch(const BinFeatures& features, std::size_t n_classes, Votes votes)
      : features_(features), n_classes_(n_classes), votes_(votes) {}
  // Sets the weight that is added to both classes of a side before their odds are taken.
  void smooth(double weight) { smoothing_ = weight; }

  // Returns the best split of feature j; ties go to the lowest cut. O(bins classes), for categories with class votes
  // O(bins classes²).
  StumpSplit best(std::size_t j, std::int32_t usual, std::span<const double> sums, std::span<const double> factor,
                  std::span<const double> total) const;

 private:
  struct Sums;
  void by_sign(const Sums& sums, StumpSplit& split) const;
  void by_confidence(const Sums& sums, StumpSplit& split) const;
  void by_class(const Sums& sums, StumpSplit& split) const;
  void by_class_pairs(const Sums& sums, StumpSplit& split) const;

  BinFeatures features_;
  std::size_t n_classes_;
  Votes votes_;
  double smoothing_ = 0;
};

}  // namespace vitalfew
