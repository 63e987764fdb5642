// The same searches for the multinomial loss, which for two classes is the logistic one.
//
//   minimise  Σ w_i (log Σ_c exp f_ic - f_i,y(i)) / Σw,   f_ic = b_c + x_iᵀβ_c,   β_c zero outside k variables
//
// without a penalty. The first class has f = 0: it is the one the others are compared with.
#pragma once

#include "vitalfew/subset.hpp"

namespace vitalfew {

struct ClassLabels {
  std::span<const std::int32_t> label;  // below n_classes, one for each row
  std::size_t n_classes;
};

// Coefficient j of class c is column (c - 1) n_cols + j of the result, for all classes but the first; it has so many
// intercepts for each point. Where the classes are separated the coefficients have no end: the path stops there, at numbers
// that are large enough to say so.
template <ColumnMatrix M>
CoefficientPath greedy_classes(const M& x, const ClassLabels& labels, std::span<const double> weight,
                               const SubsetOptions& options, Monitor& monitor);

}  // namespace vitalfew
