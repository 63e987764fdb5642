// The same searches for the multinomial loss, which for two classes is the logistic one.
//
//   minimise  Σ w_i (log Σ_c exp f_ic - f_i,y(i)) / Σw,   f_ic = b_c + x_iᵀβ_c,   β_c zero outside k variables
//
// without a penalty. The first class has f = 0: it is the one the others are compared with.
#pragma once

#include <stdexcept>

#include "vitalfew/checks.hpp"
#include "vitalfew/subset.hpp"

namespace vitalfew {

struct ClassLabels {
  std::span<const std::int32_t> label;  // below n_classes, one for each row
  std::size_t n_classes;
};

inline void check_labels(const ClassLabels& labels, std::size_t n_rows) {
  if (labels.label.size() != n_rows) throw std::invalid_argument("labels: one for each row is needed");
  if (labels.n_classes < 2) throw std::invalid_argument("there must be at least two classes");
  if (!are_labels(labels.label, labels.n_classes)) throw std::invalid_argument("a label is not below the number of classes");
}

// Coefficient j of class c is column (c - 1) n_cols + j of the result, for all classes but the first; it has so many
// intercepts for each point. Where the classes are separated the coefficients have no end: the path stops there, at numbers
// that are large enough to say so.
template <ColumnMatrix M>
CoefficientPath greedy_classes(const M& x, const ClassLabels& labels, std::span<const double> weight,
                               const SubsetOptions& options, Monitor& monitor);

// The best subset of every size: leaps and bounds from what the greedy search both ways and exchanges find. No subset of some
// columns has a smaller loss than all of them together. Gaps are those of `best_subsets`.
template <ColumnMatrix M>
CoefficientPath best_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const BestOptions& options,
                             Monitor& monitor);

// All subsets of a size up to a loss, by the same leaps and bounds.
template <ColumnMatrix M>
NearSubsets near_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const NearOptions& options,
                         Monitor& monitor);

// Forward-fitting for classes: a step changes the coefficient of one column and one class, fitted by itself, and then the
// intercepts. Two classes have one output, that of the second; more have one each. Column j of output c is c n_cols + j.
struct ClassSteps {
  std::vector<std::int32_t> column;
  std::vector<double> change, loss;
  std::vector<double> intercept;  // after each step, and before the first: output by output
  double null_loss = 0;
  bool is_complete = true;  // false: the deadline came before the last step
};
template <ColumnMatrix M>
ClassSteps forward_fitting_classes(const M& x, const ClassLabels& labels, std::span<const double> weight,
                                   const FittingOptions& options, Monitor& monitor);

}  // namespace vitalfew
