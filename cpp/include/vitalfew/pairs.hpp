// Synergy of all pairs of 0/1 features: information about a label beyond that of the two features taken separately.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Bit vectors of features, with rows sorted by class. Each class begins with a new word: class c has the words
// start[c] .. start[c + 1) of every feature, and size[c] rows. Bits beyond the rows of a class are zero.
struct LabeledBits {
  std::span<const std::uint64_t> bit;  // features x words
  std::span<const std::int64_t> start;
  std::span<const std::int64_t> size;
  std::size_t n_features;

  std::size_t n_words() const { return std::size_t(start[n_classes()]); }
  std::size_t n_classes() const { return size.size(); }
  const std::uint64_t* of(std::size_t j) const { return bit.data() + j * n_words(); }
  void validate() const;
};

struct Pair {
  std::int32_t first, second;
  double synergy;
};

struct PairSearch {
  std::vector<Pair> best;    // by decreasing synergy, ties by column
  std::vector<double> most;  // synergy of each feature with its best partner
  std::vector<std::int32_t> partner;
};

// Computes the interaction information I(X; Z | Y) - I(X; Z) = I(X, Z; Y) - I(X; Y) - I(Z; Y), in nats, of all pairs of
// features, and returns the `keep` best. O(d² n / 64).
PairSearch best_pairs(const LabeledBits& data, std::size_t keep, int threads, Monitor& monitor);

}  // namespace vitalfew
