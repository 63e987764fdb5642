// What a stump says: how much of it is wrong, whether it is more than a guess, its vote, and what that does to weights.
#pragma once

#include <span>
#include <vector>

#include "boost/boost_rows.hpp"
#include "boost/stump_search.hpp"
#include "vitalfew/boost.hpp"

namespace vitalfew {

// `weight` holds sums by side and class, as in SideSums.
double wrong_weight(const StumpSplit& split, std::span<const double> weight, const BoostOptions& options);

// Whether a stump with this share of wrong weight is no better than chance; `sum` is that of all weights.
bool is_guess(const StumpSplit& split, double error, double sum, const BoostOptions& options);

// The vote that makes the loss least. Without errors it would have no bound: the stump then counts as wrong on half a row or,
// where the least is found by steps, votes with 1. `rows` must know the sides of this stump.
double vote_of(const StumpSplit& split, double error, std::span<const double> weight, BoostRows& rows,
               const BoostOptions& options);

// By which weights change, as exponents, by side and class.
std::vector<double> weight_exponents(const StumpSplit& split, double alpha, const BoostOptions& options);

}  // namespace vitalfew
