// Greedy selection of naive Bayes features by description length:
//
//   DL(J) = sum_t w_t (-log P(y_t | x_t, J)) + sum_{j in J} cost_j + size_cost(|J|)
//
// (Jaakkola, 6.867 Machine Learning, 2006, lecture 12, eqs. 10-15). Every candidate is evaluated at every step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"

namespace vitalfew {

struct MdlOptions {
  std::size_t max_features = 0;
  std::size_t patience = 10;             // additions without a new minimum before the search ends
  bool patience_on_data = false;         // minimum of the data part alone instead of the whole
  bool backward = false;                 // after each addition, remove features while that is better (floating search)
  std::span<const double> feature_cost;  // per feature
  std::span<const double> size_cost;     // for |J| = 0 .. max_features
  int threads = 0;
};

// Events of a search, in order.
struct MdlTrace {
  std::vector<std::int32_t> feature;
  std::vector<std::int8_t> sign;  // +1 enters, -1 leaves
  std::vector<double> data;       // data part of DL without features and after each event
  bool is_complete = true;        // false if the deadline was reached before the search ended
};

// Labels and the naive Bayes model. `log_prior` holds log P(y = c) for each class, `table` log P(value | c) for each slot and
// class.
struct MdlProblem {
  std::span<const std::int32_t> label;
  std::span<const double> weight;     // empty: 1
  std::span<const double> log_prior;  // per class
  std::span<const double> table;
  std::size_t n_classes;
};

// Two classes, sparse 0/1 features; `table` holds log P(absent | c) and log P(present | c) for each feature.
// O(stored entries + rows) per step.
MdlTrace mdl_two_class(const BinaryRows& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor);

// Any number of classes, sparse 0/1 features. O(stored entries x classes + features x classes^2) per step, and
// O(rows x classes) for each feature that bounds cannot exclude.
MdlTrace mdl_multi_class(const BinaryRows& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor);

// Any number of classes, dense codes. O(rows x features x classes) per step.
template <std::unsigned_integral Code>
MdlTrace mdl_codes(const Codes<Code>& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor);

}  // namespace vitalfew
