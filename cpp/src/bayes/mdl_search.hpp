// Greedy and floating search for the feature set J with the least two-part description length (Rissanen, 1978)
//
//   DL(J) = data(J) + Σ_{j in J} cost_j + size_cost(|J|),
//
// one implementation for every storage and number of classes. An evaluator keeps the state of the rows:
//
//   data()               data part of DL for the present set
//   best_addition(skip)  feature outside `skip` with the least data part + cost
//   data_without(j)      data part if j left
//   apply(j, sign)       adds (+1) or removes (-1) j
//
// A step costs one best_addition and, in a floating search, one data_without for each selected feature.
#pragma once

#include <algorithm>
#include <limits>

#include "vitalfew/mdl.hpp"

namespace vitalfew {

struct Candidate {
  std::size_t feature = std::numeric_limits<std::size_t>::max();
  double value = std::numeric_limits<double>::infinity();
  // Ties go to the lower feature, so that the order of evaluation does not matter.
  void keep_better(const Candidate& other) {
    if (other.value < value || (other.value == value && other.feature < feature)) *this = other;
  }
  bool exists() const { return feature != std::numeric_limits<std::size_t>::max(); }
};

template <class Evaluator>
class MdlSearch {
 public:
  MdlSearch(Evaluator& evaluator, std::size_t n_features, const MdlOptions& options)
      : evaluator_(evaluator), options_(options), is_in_(n_features), best_of_size_(options.size_cost.size(), infinity) {
    if (options.feature_cost.size() != n_features || options.size_cost.size() <= options.max_features)
      throw std::invalid_argument("mdl: one cost per feature and per size is required");
  }

  // Adds features until max_features is reached, none is left, or `patience` additions in a row brought no new minimum.
  MdlTrace run(Monitor& monitor) {
    MdlTrace trace{{}, {}, {evaluator_.data()}};
    best_of_size_[0] = total();
    double best = objective();
    std::size_t steps_since = 0;
    const auto search = [&] {
      while (set_.size() < std::min(options_.max_features, is_in_.size()) && steps_since < options_.patience) {
        const Candidate next = evaluator_.best_addition(is_in_, monitor);
        if (!next.exists()) break;
        change(next.feature, +1, trace);
        if (options_.backward) drop_while_better(next.feature, trace);
        steps_since = objective() < best ? 0 : steps_since + 1;
        best = std::min(best, objective());
        monitor.report(double(set_.size()));
      }
    };
    trace.is_complete = ends_in_time(search, [&] { return !trace.feature.empty(); });
    return trace;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double total() const { return evaluator_.data() + cost_ + options_.size_cost[set_.size()]; }
  double objective() const { return options_.patience_on_data ? evaluator_.data() : total(); }

  // Adds or removes a feature, and records the event and the best DL of the new size.
  void change(std::size_t j, int sign, MdlTrace& trace) {
    evaluator_.apply(j, sign);
    is_in_[j] = sign > 0;
    cost_ += sign * options_.feature_cost[j];
    if (sign > 0)
      set_.push_back(j);
    else
      set_.erase(std::find(set_.begin(), set_.end(), j));
    trace.feature.push_back(std::int32_t(j));
    trace.sign.push_back(std::int8_t(sign));
    trace.data.push_back(evaluator_.data());
    best_of_size_[set_.size()] = std::min(best_of_size_[set_.size()], total());
  }

  // Floating search (Pudil, Novovicova & Kittler, 1994): removes features, other than the one just added, as long as the
  // smaller set beats the best set of its size seen so far.
  void drop_while_better(std::size_t just_added, MdlTrace& trace) {
    while (set_.size() > 2) {
      Candidate worst;
      for (const std::size_t j : set_)
        if (j != just_added) worst.keep_better({j, evaluator_.data_without(j) - options_.feature_cost[j]});
      const double smaller = worst.value + cost_ + options_.size_cost[set_.size() - 1];
      if (!(smaller < best_of_size_[set_.size() - 1] - 1e-9 * (1 + std::abs(smaller)))) return;
      change(worst.feature, -1, trace);
    }
  }

  Evaluator& evaluator_;
  const MdlOptions& options_;
  std::vector<char> is_in_;
  std::vector<std::size_t> set_;
  std::vector<double> best_of_size_;
  double cost_ = 0;
};

}  // namespace vitalfew
