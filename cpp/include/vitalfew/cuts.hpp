// Supervised cut points of numeric columns.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "vitalfew/coding.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

struct CutOptions {
  std::size_t n_classes = 1;
  int threads = 0;
};

struct Cuts {
  std::vector<double> value;        // increasing within each column
  std::vector<std::int64_t> start;  // column j owns value[start[j]] .. value[start[j + 1] - 1]
};

// Returns the cut between two values: their midpoint, or the lower one if the midpoint rounds to the upper one.
inline double between(double low, double high) {
  const double middle = std::midpoint(low, high);
  return middle < high ? middle : low;
}

// Recursive entropy minimization with the MDL stopping rule (Fayyad & Irani, 1993). A set S of weight N is cut into S1, S2 at
// the value with the least N1 Ent(S1) + N2 Ent(S2), the lowest such value if tied, if
//   N Gain > log2(N - 1) + log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2)),
// entropies in bits, k the number of classes present; then S1 and S2 are cut in turn. A set of weight below 2 is not cut.
// The code of x is the number of cuts < x, so x <= cut goes left; a cut is the midpoint of the two values it separates, or the
// lower one if the midpoint rounds to the upper one. NaN and rows of weight 0 are ignored; an empty weight means 1.
// O(n) for the radix sort of a column, then O(min(n, values x classes)) for each level of cuts.
// Throws std::invalid_argument for an infinite value, a label not in 0..n_classes-1, a negative or not finite weight.
Cuts mdl_cuts(const Table<double>& table, std::span<const std::int32_t> label, std::span<const double> weight,
              const CutOptions& options, Monitor& monitor);

}  // namespace vitalfew
