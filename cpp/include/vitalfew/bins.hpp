// Numeric columns to ordered bins: what stumps and trees search over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/coding.hpp"
#include "vitalfew/cuts.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Cuts between the values of each column. A column of at most `most` distinct values has a cut between every two of them;
// another has at most most - 1 cuts at the quantiles of a sample of its rows. NaN is left out. The code of x is the number
// of cuts < x. O(n) for a column of few values; for another one O(m) with m = min(n, 64 most), or O(m log m) where values crowd.
template <class T>
Cuts bin_cuts(const Table<T>& table, std::size_t most, int threads, Monitor& monitor);

// Codes of every column, column by column in `out`; NaN has the code after the last, cuts + 1. Returns what each column
// holds (has_missing, has_infinite). O(n) a column, and a search among the cuts of one of its cells for each value.
template <class T, class Code>
std::vector<std::uint8_t> code_bins(const Table<T>& table, const Cuts& cuts, std::span<Code> out, int threads, Monitor& monitor);

}  // namespace vitalfew
