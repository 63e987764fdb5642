// Subset searches for the multinomial loss, which for two classes is the logistic loss.
//
//   minimize  Σ w_i (log Σ_c exp f_ic - f_i,y(i)) / Σw,   f_ic = b_c + x_iᵀβ_c,   β_c zero outside k variables
//
// without a penalty. The first class is the reference, with f = 0.
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
  if (labels.label.size() != n_rows) throw std::invalid_argument("labels must have one entry per row");
  if (labels.n_classes < 2) throw std::invalid_argument("expected at least two classes");
  if (!are_labels(labels.label, labels.n_classes)) throw std::invalid_argument("labels must be in [0, n_classes)");
}

// Greedy search. Coefficient j of class c is column (c - 1) n_cols + j of the result, for all classes but the first; each point
// has n_classes - 1 intercepts. Where the classes are separated the coefficients are unbounded: the path ends there, with
// coefficients large enough to show it.
template <ColumnMatrix M>
PathPoints greedy_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const SubsetOptions& options,
                          Monitor& monitor);

// Finds the best subset of every size by leaps and bounds (Furnival & Wilson, 1974), from the models of a floating search and
// exchanges. The bound: no subset of some columns has a smaller loss than all of them together. Gaps as in `best_subsets`.
template <ColumnMatrix M>
PathPoints best_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const BestOptions& options,
                        Monitor& monitor);

// Finds all subsets of a size up to a given loss, by the same leaps and bounds.
template <ColumnMatrix M>
NearSubsets near_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const NearOptions& options,
                         Monitor& monitor);

// Forward fitting for classes: a step fits the coefficient of one column and one output by itself, and then the intercepts. Two
// classes have one output, that of the second class; more classes have one output each. Column j of output c is c n_cols + j.
struct ClassSteps {
  std::vector<std::int32_t> column;
  std::vector<double> change, loss;
  std::vector<double> intercept;  // before the first step and after each step, output by output
  double null_loss = 0;
  bool is_complete = true;  // false if the deadline was reached before the last step
};
template <ColumnMatrix M>
ClassSteps forward_fitting_classes(const M& x, const ClassLabels& labels, std::span<const double> weight,
                                   const FittingOptions& options, Monitor& monitor);

}  // namespace vitalfew
