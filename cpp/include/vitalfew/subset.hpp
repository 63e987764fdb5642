// Least squares on subsets of the columns: one model for each number k of variables, found by a search.
//
//   minimize  ½ Σ w_i (y_i - b - x_iᵀβ)² / Σw   over β that are zero outside k variables
//
// A variable is a column, or a group of columns that enter together.
#pragma once

#include <cstdint>
#include <span>

#include "vitalfew/linear.hpp"

namespace vitalfew {

enum class Direction { forward, backward, both, exchange };

struct SubsetOptions {
  std::size_t most = 1;  // size of the largest model
  Direction direction = Direction::forward;
  std::span<const std::int32_t> group = {};  // the variable of each column, 0, 1, …; empty: each column is one
  bool intercept = true;
  int threads = 0;
};

// Greedy search, by direction:
//   forward   adds the variable whose refitted model has the least loss;
//   backward  starts from all columns and removes the variable whose removal raises the loss least;
//   both      adds, then removes variables as long as the smaller model is the best of its size so far;
//   exchange  adds, then swaps columns as long as that lowers the loss, on the way up to the largest model and down again (for
//             single columns).
// The grid of the result is k = 0, 1, …; it ends where no remaining column would lower the loss.
template <ColumnMatrix M>
PathPoints greedy_path(const M& x, std::span<const double> y, std::span<const double> weight, const SubsetOptions& options,
                       Monitor& monitor);

// The same from second moments, as for the lasso. A backward search requires them.
PathPoints greedy_path(std::span<const double> gram, std::span<const double> cross, double square, const SubsetOptions& options,
                       Monitor& monitor);

struct BestOptions {
  std::size_t most = 1;
  double seconds = 60;         // time limit, after which the best subset so far is returned with its gap
  bool largest_first = false;  // spend the time on the largest size first; otherwise all sizes share it
  int threads = 0;
  bool intercept = true;  // only used with rows
};

// Finds the best subset of every size from second moments, by branch and bound from the subsets that exchanges find. The gap of
// a size bounds how far its loss may be above the best one, as a share of the null model's loss; zero is a proof.
PathPoints best_subsets(std::span<const double> gram, std::span<const double> cross, double square, const BestOptions& options,
                        Monitor& monitor);

struct NearOptions {
  std::size_t k = 1;
  double loss = 0;         // largest loss of interest
  std::size_t most = 100;  // largest number of subsets, the best ones
  double seconds = 60;
  int threads = 0;
  bool intercept = true;  // only used for classes; second moments are centered or not
};

// All subsets of a size with at most a given loss, the best first; `is_complete` if none was missed.
struct NearSubsets {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> index;
  std::vector<double> loss;
  bool is_complete = false;
};
NearSubsets near_subsets(std::span<const double> gram, std::span<const double> cross, double square, const NearOptions& options,
                         Monitor& monitor);

struct FittingOptions {
  std::size_t steps = 100;
  bool myopic = false;
  double rate = 1;  // learning rate: share of each step that is taken, in (0, 1]
  bool intercept = true;
  int threads = 0;
};

// Steps of forward fitting: each changes the coefficient of one column and keeps all others; a column may recur. `loss` is the
// loss after the step. The steps end early where none would lower the loss.
struct FittingSteps {
  std::vector<std::int32_t> column;
  std::vector<double> change, loss;
  double null_loss = 0;
  bool is_complete = true;  // false if the deadline was reached before the last step
};

// Forward fitting: a step takes the column whose coefficient alone lowers the loss most; myopic: the column with the largest
// |∂loss/∂β_j|. With an intercept, columns and y are centered, which fits it along.
template <ColumnMatrix M>
FittingSteps forward_fitting(const M& x, std::span<const double> y, std::span<const double> weight, const FittingOptions& options,
                             Monitor& monitor);
FittingSteps forward_fitting(std::span<const double> gram, std::span<const double> cross, double square,
                             const FittingOptions& options, Monitor& monitor);

}  // namespace vitalfew
