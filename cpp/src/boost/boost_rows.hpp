// The rows that are boosted: their labels, weights and scores, and the passes over them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boost/stump_search.hpp"
#include "boost/stump_table.hpp"
#include "vitalfew/boost.hpp"
#include "vitalfew/monitor.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {

// Weights and numbers of rows by side of a stump and class: [side * n_classes + class].
struct SideSums {
  std::vector<double> weight;
  std::vector<std::size_t> count;
};

// How weights change after a round, but for a factor that a class has in common.
struct WeightMoves {
  std::vector<std::uint8_t> moves;  // whether those of a side and class do
  std::vector<double> ratio;        // by class
};

// Slope and curvature of a loss in the vote of a stump.
struct VoteSlope {
  double slope = 0, curve = 0;
};

class BoostRows {
 public:
  // `before` is the sum of the votes that made the scores.
  BoostRows(std::size_t n, std::span<const std::int32_t> label, std::span<const double> weight, std::span<const double> score,
            double before, const BoostOptions& options, Team& team, Monitor& monitor);

  double half_row() const { return half_row_; }        // the weight of half a row, of all weights
  double loss() const { return loss_; }                // the logistic one, when weights were last made
  const Changes& changes() const { return changes_; }  // of weights, by the last pass that made any
  std::vector<double> give_score() { return std::move(score_); }

  // Makes weights from the scores. They add up to 1; `total` is their sum by class, and all of them are changes.
  void weigh(std::span<double> total);
  // Finds the sides of rows, which later passes read. How many of two classes are on each,
  template <class Code>
  std::vector<std::size_t> count_sides(const StumpTable<Code>& table, const StumpSplit& split);
  // or of any number of classes, with their weights. The weight of a row of class y is factor[y] times what is stored.
  template <class Code>
  SideSums weigh_sides(const StumpTable<Code>& table, const StumpSplit& split, std::span<const double> factor);
  // Of the mean logistic loss along a stump's vote: where the weights were last made, and were the vote alpha, which is tried on
  // all rows.
  VoteSlope logistic_slope(const StumpSplit& split) const;
  VoteSlope logistic_slope(const StumpSplit& split, double alpha);
  // Adds a stump to the scores, `vote` to the sum of votes; training error and margins to what is found. Weights move with
  // the exponential loss.
  void take(const StumpSplit& split, double alpha, double vote, const WeightMoves& how, BoostRounds& found);

 private:
  template <class Body>
  void each_block(Body&& body) const;
  double against(std::size_t i) const;
  double make_weights();
  void try_scores(const std::vector<double>& score);
  double score_two(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin);
  template <class Count, class Weight>
  double score_two(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin, Weight&& weight,
                   double unit);
  double score_many(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin);
  std::size_t reweigh(const WeightMoves& how, std::size_t begin, std::size_t end);

  const BoostOptions options_;
  Team& team_;
  Monitor& monitor_;
  std::size_t n_, k_, outputs_, blocks_, n_positive_ = 0;
  std::vector<std::uint16_t> label_;
  std::vector<double> given_, weight_, score_;
  std::vector<std::uint8_t> side_;
  std::vector<double> target_, residual_, weighted_, trial_;  // of the logistic loss
  double loss_ = 0, votes_, half_row_ = 0;
  bool is_uniform_ = false;
  Changes changes_;
};

}  // namespace vitalfew
