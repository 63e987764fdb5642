// Forward fitting (stagewise least squares; matching pursuit, Mallat & Zhang, 1993; L2 boosting, Bühlmann & Yu, 2003). A step
// changes one coefficient and keeps all others:
//
//   j = argmax (x_jᵀr)² / ‖x_j‖²  (myopic: |x_jᵀr|),   β_j += rate x_jᵀr / ‖x_j‖².
//
// The products x_jᵀr of all columns are updated by one column of the second moments: O(d) per step once that column is known.
#include <algorithm>
#include <cmath>

#include "linear/second_moments.hpp"
#include "vitalfew/subset.hpp"

namespace vitalfew {
namespace {

constexpr double kTie = 1e-12;     // relative differences below this are ties, which the first column wins
constexpr double kNoGain = 1e-26;  // share of y's square that counts as no gain

// Runs the steps; `product` holds x_jᵀr of all columns.
template <class Moments>
FittingSteps fit(Moments& moments, const FittingOptions& options, Monitor& monitor) {
  if (!(options.rate > 0 && options.rate <= 1)) throw std::invalid_argument("the learning rate must be in (0, 1]");
  const std::size_t d = moments.n_cols();
  std::vector<double> product(d), scale(d, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    const double square = moments.curvature(j);
    product[j] = moments.cross(j);
    if (square > 0) scale[j] = options.myopic ? 1 : 1 / std::sqrt(square);
  }
  FittingSteps steps;
  double loss = steps.null_loss = 0.5 * moments.square();
  const auto one = [&](std::size_t step) {
    double most = 0;
    for (std::size_t j = 0; j < d; ++j) most = std::max(most, std::abs(product[j]) * scale[j]);
    if (most == 0) return false;
    std::size_t j = 0;
    while (!(std::abs(product[j]) * scale[j] >= most * (1 - kTie))) ++j;
    const double square = moments.curvature(j), change = options.rate * product[j] / square;
    const double gain = change * (product[j] - 0.5 * change * square);
    if (!(gain > kNoGain * moments.square())) return false;
    loss = std::max(0.0, loss - gain);
    moments.subtract(change, j, product);
    steps.column.push_back(std::int32_t(j));
    steps.change.push_back(change);
    steps.loss.push_back(loss);
    monitor.report(double(step + 1));
    return true;
  };
  const auto all = [&] {
    for (std::size_t step = 0; step < options.steps && one(step);) ++step;
  };
  steps.is_complete = ends_in_time(all, [&] { return !steps.column.empty(); });
  return steps;
}

}  // namespace

template <ColumnMatrix M>
FittingSteps forward_fitting(const M& x, std::span<const double> y, std::span<const double> weight, const FittingOptions& options,
                             Monitor& monitor) {
  RowMoments<M> moments(x, y, weight, options.intercept, options.threads, monitor);
  return fit(moments, options, monitor);
}

FittingSteps forward_fitting(std::span<const double> gram, std::span<const double> cross, double square,
                             const FittingOptions& options, Monitor& monitor) {
  HeldMoments moments(gram, cross, square);
  return fit(moments, options, monitor);
}

#define VITALFEW_INSTANTIATE(M)                                                                                               \
  template FittingSteps forward_fitting<M>(const M&, std::span<const double>, std::span<const double>, const FittingOptions&, \
                                           Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)
VITALFEW_INSTANTIATE(BinaryColumns)

}  // namespace vitalfew
