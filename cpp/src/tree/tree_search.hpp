// The best split of a node by one feature, from the weights of its classes in each bin: maximize the information gain
//
//   n G = f(N) - Σ_y f(N_y) - Σ_b (f(N_b) - Σ_y f(N_by)),   f(v) = v log2 v,
//
// over the known values (Quinlan, 1993). f is looked up in a table for counts. O(bins classes) for a cut or a category.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "vitalfew/tree.hpp"

namespace vitalfew {

// log2 of positive normal numbers, inline and accurate to the last bits: a table for 256 parts of the mantissa, and a series for
// the rest.
class Logarithm {
 public:
  Logarithm() {
    for (std::size_t i = 0; i < parts; ++i) {
      const double middle = 1 + (double(i) + 0.5) / double(parts);
      inverse_[i] = 1 / middle;
      log_[i] = -std::log2(inverse_[i]);
    }
  }
  double operator()(double v) const {
    const auto bits = std::bit_cast<std::uint64_t>(v);
    const auto exponent = std::int64_t(bits >> 52) - 1023;
    const std::size_t i = (bits >> 44) & (parts - 1);
    const auto mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
    const double r = mantissa * inverse_[i] - 1;  // at most 2^-9
    const double series = r * (1 + r * (-1.0 / 2 + r * (1.0 / 3 + r * (-1.0 / 4 + r * (1.0 / 5 - r / 6)))));
    return double(exponent) + (log_[i] + series * std::numbers::log2e);
  }

 private:
  static constexpr std::size_t parts = 256;
  std::array<double, parts> inverse_, log_;
};

// v log2 v, from a table for integers, which most weights are.
class EntropyTable {
 public:
  explicit EntropyTable(std::size_t most) : value_(std::min(most + 1, most_entries)) {
    for (std::size_t v = 2; v < value_.size(); ++v) value_[v] = exact(double(v));
  }
  double operator()(std::uint32_t v) const { return v < value_.size() ? value_[v] : exact(double(v)); }
  double operator()(double v) const { return v > 0 ? v * log2_(v) : 0; }

 private:
  static constexpr std::size_t most_entries = std::size_t(1) << 20;
  static double exact(double v) { return v * std::log2(v); }
  std::vector<double> value_;
  Logarithm log2_;
};

// A set of codes as a bitmap, which lists its members in increasing order without visiting all codes.
class TouchedBins {
 public:
  explicit TouchedBins(std::size_t n) : word_((n + 63) / 64) {}
  void add(std::size_t code) { word_[code / 64] |= std::uint64_t(1) << (code % 64); }
  // Lists the members, which are below n, and clears the set.
  void drain(std::size_t n, std::vector<std::uint32_t>& out) {
    out.clear();
    for (std::size_t w = 0; w * 64 < n; ++w)
      for (std::uint64_t rest = std::exchange(word_[w], 0); rest != 0; rest &= rest - 1)
        out.push_back(std::uint32_t(w * 64 + std::size_t(std::countr_zero(rest))));
  }

 private:
  std::vector<std::uint64_t> word_;
};

// A split of a node by a feature: bits is n G, info is n S. No split if bits is 0.
struct SplitCandidate {
  double bits = 0, info = 0;
  std::int32_t cut = -1, choices = 0;
};

// Weights of classes in a node.
template <class Cell>
struct NodeSums {
  const Cell* by_class;
  double total;
};

// Sums of a node by bin and class for one feature: cell[code * classes + y], for the codes in `present`, in increasing order.
template <class Cell>
struct BinSums {
  const Cell* cell;
  std::span<const std::uint32_t> present;
  std::size_t missing;  // the code of missing values
};

template <class Cell>
class SplitSearch {
 public:
  SplitSearch(std::size_t n_classes, double min_leaf, std::size_t most)
      : k_(n_classes), enough_(min_leaf * (1 - 1e-9)), xlogx_(most) {}

  // Returns the best split. Missing values count in the split information, as a branch of their own, but not in the gain.
  SplitCandidate best(const BinSums<Cell>& bins, bool is_category, const NodeSums<Cell>& node, std::vector<Cell>& room) const {
    const bool some_missing = !bins.present.empty() && bins.present.back() == bins.missing;
    const std::size_t known = bins.present.size() - std::size_t(some_missing);
    if (known < 2) return {};
    room.assign(2 * k_, Cell(0));
    Cell* const of_known = room.data() + k_;
    std::copy(node.by_class, node.by_class + k_, of_known);
    double lost = 0;
    if (some_missing) {
      const Cell* const out = bins.cell + bins.missing * k_;
      for (std::size_t y = 0; y < k_; ++y) {
        of_known[y] -= out[y];
        lost += double(out[y]);
      }
    }
    const BinSums<Cell> rest{bins.cell, bins.present.first(known), bins.missing};
    SplitCandidate found = is_category ? branches(rest, of_known)
                           : k_ == 2   ? cut<2>(rest, room.data())
                                       : cut<0>(rest, room.data());
    if (found.bits > 0) found.info += xlogx_(node.total) - xlogx_(lost);
    return found;
  }

  // Whether a node is large enough for two leaves, and not pure.
  bool is_splittable(const NodeSums<Cell>& node) const {
    if (node.total < 2 * enough_) return false;
    const Cell most = *std::max_element(node.by_class, node.by_class + k_);
    return node.total - double(most) > 1e-9 * node.total;
  }

 private:
  // Rounding error that must not count as a gain.
  static double noise(double bits) { return 1e-13 * (1 + bits); }
  // Sum over the classes of one bin.
  Cell sum(const Cell* cell) const {
    Cell total = 0;
    for (std::size_t y = 0; y < k_; ++y) total += cell[y];
    return total;
  }
  // all - part, but not below zero.
  static Cell less(Cell all, Cell part) { return part < all ? Cell(all - part) : Cell(0); }

  // n H for the class sums of a node.
  double impurity(const Cell* by_class) const {
    double bits = xlogx_(sum(by_class));
    for (std::size_t y = 0; y < k_; ++y) bits -= xlogx_(by_class[y]);
    return bits;
  }

  // A category: one branch for each code present. The terms of the whole node are added to the split information by best().
  SplitCandidate branches(const BinSums<Cell>& bins, const Cell* of_known) const {
    const double before = impurity(of_known);
    double after = 0, info = 0;
    int large = 0;
    for (const std::uint32_t code : bins.present) {
      const Cell* const cell = bins.cell + code * k_;
      const Cell total = sum(cell);
      after += impurity(cell);
      info -= xlogx_(total);
      large += double(total) >= enough_;
    }
    if (large < 2 || !(before - after > noise(xlogx_(sum(of_known))))) return {};
    return {before - after, info, -1, 1};
  }

  // Whether a cut between two bins that are pure in the same class can be skipped: the gain is convex in the rows of a class
  // that change sides, so one of the neighboring cuts is at least as good (Fayyad & Irani, 1992). Both must be allowed.
  bool is_between_equals(const Cell* before, const Cell* after, double left, double right) const {
    const bool is_pure = (before[0] == 0 && after[0] == 0) || (before[1] == 0 && after[1] == 0);
    return is_pure && left - double(before[0] + before[1]) >= enough_ && right - double(after[0] + after[1]) >= enough_;
  }

  // Finds the best cut of a numeric feature; `room` holds the sums on the left, then those of all known values. The cut is placed
  // in the middle of the gap between the two codes it separates.
  template <std::size_t Fixed>
  SplitCandidate cut(const BinSums<Cell>& bins, Cell* room) const {
    const std::size_t k = Fixed ? Fixed : k_;
    Cell* const left = room;
    const Cell* const all = room + k;
    const Cell total = sum(all);
    const double base = xlogx_(total), before = impurity(all), tie = noise(base);
    Cell so_far = 0, best_left = 0;
    double best = tie;
    std::size_t best_at = bins.present.size();
    for (std::size_t at = 0; at + 1 < bins.present.size(); ++at) {
      const Cell* const cell = bins.cell + bins.present[at] * k;
      for (std::size_t y = 0; y < k; ++y) {
        left[y] += cell[y];
        so_far += cell[y];
      }
      const Cell after = less(total, so_far);
      if (double(so_far) < enough_) continue;
      if (double(after) < enough_) break;
      if (Fixed == 2 && at + 2 < bins.present.size() &&
          is_between_equals(cell, bins.cell + bins.present[at + 1] * k, double(so_far), double(after)))
        continue;
      double bits = before - xlogx_(so_far) - xlogx_(after);
      for (std::size_t y = 0; y < k; ++y) bits += xlogx_(left[y]) + xlogx_(less(all[y], left[y]));
      if (bits > best + tie) {
        best = bits;
        best_at = at;
        best_left = so_far;
      }
    }
    if (best_at == bins.present.size()) return {};
    const std::uint32_t low = bins.present[best_at], high = bins.present[best_at + 1];
    return {best, -xlogx_(best_left) - xlogx_(less(total, best_left)), std::int32_t(low + (high - low + 1) / 2),
            std::int32_t(bins.present.size() - 1)};
  }

  std::size_t k_;
  double enough_;
  EntropyTable xlogx_;
};

}  // namespace vitalfew
