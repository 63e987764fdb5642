// Posteriors of sparse rows under a linear model of classes: expected counts for EM, and labels with their reasons.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Compressed sparse rows; without values every stored entry is 1.
struct WeightedRows {
  Pattern pattern;
  std::span<const double> value;

  const std::int32_t* index(std::size_t i) const { return pattern.index.data() + pattern.start[i]; }
  const double* values(std::size_t i) const { return value.empty() ? nullptr : value.data() + pattern.start[i]; }
};

// log P(x_i, c) = base[c] + sum over entries (i, j, v) of v x table[j, c].
struct LinearClasses {
  std::span<const double> table;  // features x classes
  std::span<const double> base;   // classes

  std::size_t n_classes() const { return base.size(); }
};

struct Expectation {
  std::vector<double> count;    // features x classes: sum of w_i v_ij P(c | x_i)
  std::vector<double> total;    // classes: sum of w_i P(c | x_i)
  double log_likelihood = 0.0;  // sum of w_i log sum over c of P(x_i, c)
};

// One E-step. The partition of the rows depends only on the data, so that sums do not depend on the number of threads.
// O(entries x classes + parts x features x classes).
Expectation expect_rows(const WeightedRows& rows, const LinearClasses& model, std::span<const double> row_weight, int threads,
                        Monitor& monitor);

struct Classified {
  std::vector<std::int32_t> label;   // the most probable class of each row
  std::vector<double> probability;   // and its probability
  std::vector<std::int32_t> reason;  // rows x n_reasons: see classify_rows
  std::size_t n_reasons = 0;
};

// Classifies rows. The reasons of a row are the features with the largest evidence for its class against the mean of the other
// classes, best first; -1 where there are fewer. O(entries x classes).
Classified classify_rows(const WeightedRows& rows, const LinearClasses& model, std::size_t n_reasons, int threads,
                         Monitor& monitor);

}  // namespace vitalfew
