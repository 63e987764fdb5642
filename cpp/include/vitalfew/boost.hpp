// AdaBoost with decision stumps on binned data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/binned.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

// How a stump votes. `sign`: -1 or 1. `confidence`: a real number for each side, half the log odds of its rows. `classes`: one
// of more than two classes.
enum class Votes { sign, confidence, classes };
enum class BoostLoss { exponential, logistic };
enum class BoostStop : std::int32_t { rounds, perfect, chance };

struct BoostOptions {
  std::size_t rounds = 1;
  std::size_t n_classes = 2;
  Votes votes = Votes::sign;
  BoostLoss loss = BoostLoss::exponential;
  int threads = 0;
};

inline constexpr std::size_t margin_bins = 200;  // of equal width, from -1 to 1

// Stumps in the order in which they were found. A row is on the right of a stump if its code is at least `cut` or, for a
// category, if its code is marked in side[start .. start + bins); missing values go right if `missing_right` is set. `left` and
// `right` are votes or classes.
struct Stumps {
  std::vector<std::int32_t> feature, cut;
  std::vector<std::uint8_t> missing_right, side;
  std::vector<std::int64_t> start{0};
  std::vector<double> left, right;
};

struct BoostRounds {
  Stumps stumps;
  std::vector<double> error;    // weighted error of the round's stump, with the weights before the round
  std::vector<double> alpha;    // its vote
  std::vector<double> z;        // normalizer of the weights; for the logistic loss, the mean loss
  std::vector<double> trained;  // training error of the ensemble after the round
  std::vector<double> margins;  // (rounds, margin_bins): weight of rows by margin
  double drift = 0;             // largest deviation of a maintained sum of weights from its recomputed value
  BoostStop stop = BoostStop::rounds;
};

// Runs rounds of boosting. Rows have labels 0 .. n_classes - 1 (of two classes, 1 is the positive one), weights (empty: all
// equal), and scores of earlier rounds (empty: none; `before` is the sum of their votes). A round costs O(slots + n), and
// O(features) for each row whose weight does not change like that of most rows of its class: mostly those on the wrong side of
// the stump. With the logistic loss it costs O(features) for every row.
// Throws std::invalid_argument for sizes that do not agree, labels out of range, weights that are negative or not finite.
template <class Table>
BoostRounds boost(const Table& table, std::span<const std::int32_t> label, std::span<const double> weight,
                  std::span<const double> score, double before, const BoostOptions& options, Monitor& monitor);

// Returns the best stump of each feature for one round, best first, at most `most` of them.
template <class Table>
BoostRounds best_stumps(const Table& table, std::span<const std::int32_t> label, std::span<const double> weight, std::size_t most,
                        const BoostOptions& options, Monitor& monitor);

}  // namespace vitalfew
