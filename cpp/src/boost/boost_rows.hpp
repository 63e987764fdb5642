// The boosted rows: labels, weights w_i, scores F(x_i), and the passes over them.
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

// Weights and counts of rows by side of a stump and class: [side * n_classes + class].
struct SideSums {
  std::vector<double> weight;
  std::vector<std::size_t> count;
};

// Changes of weights after a round, up to a common factor for each class.
struct WeightMoves {
  std::vector<std::uint8_t> moves;  // by side and class: whether these rows change
  std::vector<double> ratio;        // by class: what the weights of rows that change are multiplied by
};

// First and second derivative of a loss in the vote of a stump.
struct VoteSlope {
  double slope = 0, curve = 0;
};

class BoostRows {
 public:
  // `before` is the sum of the votes of earlier rounds that are in the scores.
  BoostRows(std::size_t n, std::span<const std::int32_t> label, std::span<const double> weight, std::span<const double> score,
            double before, const BoostOptions& options, Team& team, Monitor& monitor);

  double half_row() const { return half_row_; }        // half a row's share of all weights
  double loss() const { return loss_; }                // the logistic loss at the last evaluation
  const Changes& changes() const { return changes_; }  // weight changes of the last pass that made any

  // Computes weights, which add up to 1, from the scores; `total` receives their sums by class. All rows count as changed.
  void weigh(std::span<double> total);
  // Determines the side of each row, which later passes read, and counts the rows of two classes on each side.
  template <class Code>
  std::vector<std::size_t> count_sides(const StumpTable<Code>& table, const StumpSplit& split);
  // The same for any number of classes, with weights. The weight of a row of class y is factor[y] times the stored one.
  template <class Code>
  SideSums weigh_sides(const StumpTable<Code>& table, const StumpSplit& split, std::span<const double> factor);
  // Slope and curvature of the mean logistic loss in a stump's vote: at the last evaluated scores, or at the vote alpha, which
  // takes a pass over all rows.
  VoteSlope logistic_slope(const StumpSplit& split) const;
  VoteSlope logistic_slope(const StumpSplit& split, double alpha);
  // Adds a stump to the scores, `vote` to the sum of votes, and training error and margins to the result. With the exponential
  // loss it also updates the weights.
  void take(const StumpSplit& split, double alpha, double vote, const WeightMoves& how, BoostRounds& found);

 private:
  template <class Body>
  void each_block(Body&& body) const;
  double against(std::size_t i) const;
  double make_weights();
  void try_scores(const std::vector<double>& score);
  void sharpen(const std::vector<double>& score);
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
  std::vector<double> target_, residual_, weighted_, trial_;  // for the logistic loss
  double loss_ = 0, votes_, half_row_ = 0;
  bool is_uniform_ = false;
  Changes changes_;
};

}  // namespace vitalfew
