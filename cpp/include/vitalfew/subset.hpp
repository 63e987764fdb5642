// Least squares on subsets of the columns: for every number k of variables one model, found by a search.
//
//   minimise  ½ Σ w_i (y_i - b - x_iᵀβ)² / Σw   over β that is zero outside k variables
//
// A variable is a column, or a group of columns that enter together.
#pragma once

#include <cstdint>
#include <span>

#include "vitalfew/linear.hpp"

namespace vitalfew {

enum class Direction { forward, backward, both, exchange };

struct SubsetOptions {
  std::size_t most = 1;  // variables of the largest model
  Direction direction = Direction::forward;
  std::span<const std::int32_t> group = {};  // the variable of each column, 0, 1, …; empty: every column is one
  bool intercept = true;
  int threads = 0;
};

// Greedy search: a step takes the variable in whose refitted model has the least loss (forward), takes that one out whose
// loss rises least (backward, from all columns), or does either (both: after each variable that enters, others leave as long
// as a model of their number gets better than the best so far), or exchanges columns as long as that lowers the loss, on the
// way up to the largest model and down again (exchange, for single columns). The grid of the result is k = 0, 1, …; it ends where
// no column that is left would lower the loss.
template <ColumnMatrix M>
CoefficientPath greedy_path(const M& x, std::span<const double> y, std::span<const double> weight, const SubsetOptions& options,
                            Monitor& monitor);

// The same from second moments, as for the lasso. Backward needs them.
CoefficientPath greedy_path(std::span<const double> gram, std::span<const double> cross, double square,
                            const SubsetOptions& options, Monitor& monitor);

struct BestOptions {
  std::size_t most = 1;
  double seconds = 60;         // after so long the best so far stands, and how much better another may be
  bool largest_first = false;  // the time is for the largest size first; else all sizes share it
  int threads = 0;
  bool intercept = true;  // where the rows are at hand
};

// The best subset of every size, from second moments: branch and bound, starting from what exchanges find. The gap of a size
// is what its loss may still be above that of the best, as a share of the null model's loss; zero is a proof.
CoefficientPath best_subsets(std::span<const double> gram, std::span<const double> cross, double square,
                             const BestOptions& options, Monitor& monitor);

struct NearOptions {
  std::size_t k = 1;
  double loss = 0;         // subsets up to this loss are wanted
  std::size_t most = 100;  // but no more than so many, the best
  double seconds = 60;
  int threads = 0;
  bool intercept = true;  // of classes; moments have it already or not
};

// All subsets of a size with at most this loss, the best first; `is_complete` if none was missed.
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
  double rate = 1;  // share of each step that is taken, in (0, 1]
  bool intercept = true;
  int threads = 0;
};

// What each step of forward-fitting did: the coefficient of one column changed, all others stayed. A column may come again.
// The loss is that after the step. It ends early where no step would lower the loss.
struct FittingSteps {
  std::vector<std::int32_t> column;
  std::vector<double> change, loss;
  double null_loss = 0;
  bool is_complete = true;  // false: the deadline came before the last step
};

// Forward-fitting: a step takes the column whose own coefficient alone lowers the loss most; myopic: the column with the
// largest |∂loss/∂β_j|. With an intercept, columns and y are centred: it is fitted along.
template <ColumnMatrix M>
FittingSteps forward_fitting(const M& x, std::span<const double> y, std::span<const double> weight, const FittingOptions& options,
                             Monitor& monitor);
FittingSteps forward_fitting(std::span<const double> gram, std::span<const double> cross, double square,
                             const FittingOptions& options, Monitor& monitor);

}  // namespace vitalfew
