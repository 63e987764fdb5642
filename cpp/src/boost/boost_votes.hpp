// Evaluation of a stump: its weighted error, whether it beats chance, its vote, and the effect on the weights.
#pragma once

#include <span>
#include <vector>

#include "boost/boost_rows.hpp"
#include "boost/stump_search.hpp"
#include "vitalfew/boost.hpp"

namespace vitalfew {

// Returns the weight of misclassified rows; `weight` holds sums by side and class, as in SideSums.
double wrong_weight(const StumpSplit& split, std::span<const double> weight, const BoostOptions& options);

// Returns true if a stump with this weighted error is no better than chance; `sum` is the sum of all weights.
bool is_guess(const StumpSplit& split, double error, double sum, const BoostOptions& options);

// Returns the vote that minimizes the loss. For a stump without errors it would be infinite: such a stump counts as wrong on
// half a row or, where the minimum is found iteratively, gets the vote 1. `rows` must hold the sides of this stump.
double vote_of(const StumpSplit& split, double error, std::span<const double> weight, BoostRows& rows,
               const BoostOptions& options);

// Returns the exponents by which weights change, by side and class.
std::vector<double> weight_exponents(const StumpSplit& split, double alpha, const BoostOptions& options);

}  // namespace vitalfew
