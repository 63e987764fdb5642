// Binning of numeric columns into ordered codes, over which stumps and trees are searched.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/coding.hpp"
#include "vitalfew/cuts.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Finds the cuts of each column. A column of at most `most` distinct values has a cut between every two neighboring values; any
// other has at most most - 1 cuts at the quantiles of a sample of its rows. NaN is ignored. The code of x is the number of
// cuts < x. O(n) for a column of few values; otherwise O(m) with m = min(n, 64 most), or O(m log m) where values are crowded.
template <class T>
Cuts bin_cuts(const Table<T>& table, std::size_t most, int threads, Monitor& monitor);

// Writes the codes of every column to `out`, column by column; NaN has the code after the last, cuts + 1. Returns flags for each
// column (has_missing, has_infinite). O(n) per column, with a search among the cuts of one cell for each value.
template <class T, class Code>
std::vector<std::uint8_t> code_bins(const Table<T>& table, const Cuts& cuts, std::span<Code> out, int threads, Monitor& monitor);

}  // namespace vitalfew
