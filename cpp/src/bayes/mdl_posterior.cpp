// MDL search for naive Bayes features with any number of classes. With p_t the posterior of row t under the present set and
// r_c = P(value | c) for the value of a candidate feature in that row, adding the feature changes the loss of row t to
//
//   -log p_t(y_t) + log sum_c p_t(c) r_c - log r_(y_t).
//
// The last term depends only on counts and is computed once (`fixed_`). The evaluators below compute the middle term: for
// dense codes over all rows, O(rows x classes) for each candidate; for sparse 0/1 features from the stored entries, with bounds
// that exclude most candidates from the sum over all rows.
#include <cmath>
#include <numeric>

#include "bayes/mdl_search.hpp"
#include "vitalfew/counts.hpp"
#include "vitalfew/log_product.hpp"
#include "vitalfew/multiversion.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// Returns the sum over rows of w log(p_t . r[code_t]); r is (values + 1) x classes, with a last line of ones for missing values.
// Without weights, `per_lane` factors are multiplied before an exponent is taken out (see log_product.hpp); 0 means that
// products are not safe.
template <class Code>
inline double sum_log_dots(const double* p, std::size_t n, std::size_t classes, const Code* code, std::ptrdiff_t stride,
                           std::size_t n_values, const double* r, const double* weight, std::size_t per_lane) {
  double sum = 0;
  LogProduct product;
  std::size_t left = per_lane * LogProduct::lanes;
  for (std::size_t i = 0; i < n; ++i) {
    const Code v = code == nullptr ? Code{0} : code[std::ptrdiff_t(i) * stride];
    const double* line = r + (v == Codes<Code>::missing ? n_values : std::size_t(v)) * classes;
    double dot = 0;
    for (std::size_t c = 0; c < classes; ++c) dot += p[i * classes + c] * line[c];
    if (weight != nullptr || per_lane == 0) {
      sum += (weight != nullptr ? weight[i] : 1.0) * std::log(dot);
      continue;
    }
    product.mantissa[i % LogProduct::lanes] *= dot;
    if (--left == 0) {
      product.normalize();
      left = per_lane * LogProduct::lanes;
    }
  }
  return sum + product.log();
}

VITALFEW_HOT double sum_log_dots8(const double* p, std::size_t n, std::size_t classes, const std::uint8_t* code,
                                  std::ptrdiff_t stride, std::size_t n_values, const double* r, const double* weight,
                                  std::size_t per_lane) {
  return sum_log_dots(p, n, classes, code, stride, n_values, r, weight, per_lane);
}
VITALFEW_HOT double sum_log_dots32(const double* p, std::size_t n, std::size_t classes, const std::uint32_t* code,
                                   std::ptrdiff_t stride, std::size_t n_values, const double* r, const double* weight,
                                   std::size_t per_lane) {
  return sum_log_dots(p, n, classes, code, stride, n_values, r, weight, per_lane);
}

// Returns the sum over the listed rows of w (log p_t . present - log p_t . absent).
VITALFEW_HOT double sum_log_ratios(const double* p, std::size_t classes, std::span<const std::int32_t> rows,
                                   const double* present, const double* absent, const double* weight, std::size_t per_lane) {
  double sum = 0, over = 1, under = 1;
  std::int64_t exponent = 0;
  std::size_t left = per_lane;
  for (const std::int32_t row : rows) {
    const double* q = p + std::size_t(row) * classes;
    double with = 0, without = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      with += q[c] * present[c];
      without += q[c] * absent[c];
    }
    if (weight != nullptr || per_lane == 0) {
      sum += (weight != nullptr ? weight[row] : 1.0) * std::log(with / without);
      continue;
    }
    over *= with;
    under *= without;
    if (--left == 0) {
      exponent += take_exponent(over) - take_exponent(under);
      left = per_lane;
    }
  }
  return sum + std::log(over / under) + ln2 * double(exponent);
}

// Log joint probabilities (scores) and posteriors of the rows, and the data part, maintained as features enter and leave.
class Posterior {
 public:
  Posterior(std::size_t n_rows, const MdlProblem& problem, int threads, Monitor& monitor)
      : problem_(problem), n_rows_(n_rows), classes_(problem.n_classes), threads_(threads), monitor_(monitor) {
    score_.resize(n_rows * classes_);
    for (std::size_t i = 0; i < n_rows; ++i) std::copy_n(problem.log_prior.data(), classes_, score_.data() + i * classes_);
    refresh();
  }

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_classes() const { return classes_; }
  double data() const { return data_; }
  const double* p() const { return p_.data(); }
  const double* weight() const { return problem_.weight.empty() ? nullptr : problem_.weight.data(); }
  double weight(std::size_t i) const { return problem_.weight.empty() ? 1.0 : problem_.weight[i]; }
  double* score(std::size_t i) { return score_.data() + i * classes_; }
  const double* log_values(std::size_t slot) const { return problem_.table.data() + slot * classes_; }
  std::int32_t label(std::size_t i) const { return problem_.label[i]; }

  // -log P(y_i | x_i) for a row with these scores.
  double loss(std::size_t i, const double* score) const {
    const double most = *std::max_element(score, score + classes_);
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) sum += std::exp(score[c] - most);
    return std::log(sum) + most - score[problem_.label[i]];
  }

  // Calls f(begin, end, block) for blocks of rows whose number depends only on the data, so that sums do not depend on threads.
  template <class F>
  std::size_t by_rows(double operations_a_row, F&& f) const {
    const std::size_t blocks = blocks_for(double(n_rows_) * operations_a_row, 64);
    parallel_blocks(blocks, threads_, monitor_, [&](std::size_t b) { f(n_rows_ * b / blocks, n_rows_ * (b + 1) / blocks, b); });
    return blocks;
  }

  // Returns the data part after `change(i, score)` is applied to a copy of each row's scores.
  template <class Change>
  double data_if(Change&& change) const {
    std::vector<double> part(64);
    by_rows(20 * double(classes_), [&](std::size_t begin, std::size_t end, std::size_t b) {
      std::vector<double> score(classes_);
      for (std::size_t i = begin; i < end; ++i) {
        std::copy_n(score_.data() + i * classes_, classes_, score.begin());
        change(i, score.data());
        part[b] += weight(i) * loss(i, score.data());
      }
    });
    return std::accumulate(part.begin(), part.end(), 0.0);
  }

  // Recomputes the posteriors and the data part from the scores.
  void refresh() {
    p_.resize(score_.size());
    by_rows(20 * double(classes_), [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) {
        const double* s = score_.data() + i * classes_;
        const double most = *std::max_element(s, s + classes_);
        double sum = 0;
        for (std::size_t c = 0; c < classes_; ++c) sum += p_[i * classes_ + c] = std::exp(s[c] - most);
        for (std::size_t c = 0; c < classes_; ++c) p_[i * classes_ + c] /= sum;
      }
    });
    data_ = data_if([](std::size_t, double*) {});
  }

 private:
  const MdlProblem& problem_;
  std::size_t n_rows_, classes_;
  int threads_;
  Monitor& monitor_;
  std::vector<double> score_, p_;
  double data_ = 0;
};

// Common part of the evaluators on posteriors. `Derived::add(i, j, sign, score)` adds sign times the evidence of feature j in
// row i to the scores.
template <class Derived>
class PosteriorEvaluator {
 public:
  double data() const { return rows_.data(); }
  double data_without(std::size_t j) const {
    return rows_.data_if([&](std::size_t i, double* score) { derived().add(i, j, -1, score); });
  }
  void apply(std::size_t j, int sign) {
    for (std::size_t i = 0; i < rows_.n_rows(); ++i) derived().add(i, j, sign, rows_.score(i));
    rows_.refresh();
  }

 protected:
  PosteriorEvaluator(std::size_t n_rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor)
      : options_(options), rows_(n_rows, problem, options.threads, monitor) {}

  const MdlOptions& options_;
  Posterior rows_;

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

// Returns how many factors p . r may be multiplied safely when r lies within [low, high] and p sums to one.
std::size_t safe_factors(double low, double high) {
  if (!(low > 0) || !std::isfinite(high)) return 0;
  return factors_per_lane(std::max(std::abs(std::log2(low)), std::abs(std::log2(high))) + 1);
}

// Returns the best of n candidates; `value(k)` evaluates candidate k and costs `operations_each`.
template <class Value>
Candidate best_of(std::size_t n, double operations_each, int threads, Monitor& monitor, Value&& value) {
  const std::size_t blocks = blocks_for(double(n) * operations_each, n);
  std::vector<Candidate> best(blocks);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    for (std::size_t k = n * b / blocks; k < n * (b + 1) / blocks; ++k) best[b].keep_better(value(k));
  });
  Candidate winner;
  for (const auto& c : best) winner.keep_better(c);
  return winner;
}

// Dense codes: each step evaluates every candidate exactly. O(rows x features x classes) per step.
template <std::unsigned_integral Code>
class CodesEvaluator : public PosteriorEvaluator<CodesEvaluator<Code>> {
  using Base = PosteriorEvaluator<CodesEvaluator<Code>>;
  using Base::options_;
  using Base::rows_;

 public:
  CodesEvaluator(const Codes<Code>& codes, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor)
      : Base(codes.n_rows, problem, options, monitor),
        codes_(codes),
        ratio_(codes.n_features()),
        fixed_(codes.n_features()),
        safe_(codes.n_features()) {
    const std::size_t classes = problem.n_classes;
    for (std::size_t j = 0; j < codes.n_features(); ++j) {
      const auto first = std::size_t(codes.offset[j]), values = std::size_t(codes.offset[j + 1]) - first;
      ratio_[j].assign((values + 1) * classes, 1.0);
      double low = 1, high = 1;
      for (std::size_t k = 0; k < values * classes; ++k) {
        ratio_[j][k] = std::exp(problem.table[first * classes + k]);
        low = std::min(low, ratio_[j][k]);
        high = std::max(high, ratio_[j][k]);
      }
      safe_[j] = safe_factors(low, high);
      for (std::size_t i = 0; i < codes.n_rows; ++i) {
        const Code v = codes.at(i, j);
        if (v != Codes<Code>::missing) fixed_[j] += rows_.weight(i) * rows_.log_values(first + v)[rows_.label(i)];
      }
    }
  }

  Candidate best_addition(const std::vector<char>& skip, Monitor& monitor) {
    const double operations = double(rows_.n_rows() * rows_.n_classes());
    return best_of(codes_.n_features(), operations, options_.threads, monitor, [&](std::size_t j) -> Candidate {
      if (skip[j]) return {};
      const auto values = std::size_t(codes_.offset[j + 1] - codes_.offset[j]);
      double sum;
      if constexpr (sizeof(Code) == 1)
        sum = sum_log_dots8(rows_.p(), rows_.n_rows(), rows_.n_classes(), codes_.column(j), codes_.row_stride, values,
                            ratio_[j].data(), rows_.weight(), safe_[j]);
      else
        sum = sum_log_dots32(rows_.p(), rows_.n_rows(), rows_.n_classes(), codes_.column(j), codes_.row_stride, values,
                             ratio_[j].data(), rows_.weight(), safe_[j]);
      return {j, rows_.data() + sum - fixed_[j] + options_.feature_cost[j]};
    });
  }

  void add(std::size_t i, std::size_t j, int sign, double* score) const {
    const Code v = codes_.at(i, j);
    if (v == Codes<Code>::missing) return;
    const double* log_value = rows_.log_values(std::size_t(codes_.offset[j]) + v);
    for (std::size_t c = 0; c < rows_.n_classes(); ++c) score[c] += sign * log_value[c];
  }

 private:
  const Codes<Code>& codes_;
  std::vector<std::vector<double>> ratio_;  // P(value | c), and a line of ones for missing values
  std::vector<double> fixed_;               // sum over rows of w log P(value | y)
  std::vector<std::size_t> safe_;
};

// Sparse 0/1 features. The sum over all rows of log(p_t . q), q = P(absent | c), is bounded by its second-order expansion: with
// q = R (1 - delta), |delta| <= h < 1 and x_t = p_t . delta,
//
//   sum w log(p_t . q) = W log R - sum w x - sum w x^2 / 2 + rest,   |rest| <= h / (3 (1 - h)) sum w x^2,
//
// which needs only the sums of p and of p p'. Candidates whose lower bound exceeds the least upper bound are excluded; the
// others are evaluated in full, so the choice is exact.
class BinaryEvaluator : public PosteriorEvaluator<BinaryEvaluator> {
 public:
  BinaryEvaluator(const BinaryRows& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor)
      : PosteriorEvaluator(rows.n_rows, problem, options, monitor),
        columns_(transpose(rows.pattern)),
        n_features_(rows.n_features()),
        fixed_(n_features_) {
    const std::size_t classes = problem.n_classes;
    std::vector<double> class_weight(classes), present(classes);
    for (std::size_t i = 0; i < rows.n_rows; ++i) class_weight[std::size_t(rows_.label(i))] += rows_.weight(i);
    value_.resize(2 * n_features_ * classes);
    for (std::size_t k = 0; k < value_.size(); ++k) value_[k] = std::exp(problem.table[k]);
    for (std::size_t j = 0; j < n_features_; ++j) {
      std::fill(present.begin(), present.end(), 0.0);
      for (const std::int32_t i : column(j)) present[std::size_t(rows_.label(std::size_t(i)))] += rows_.weight(std::size_t(i));
      for (std::size_t c = 0; c < classes; ++c)
        fixed_[j] += (class_weight[c] - present[c]) * rows_.log_values(2 * j)[c] + present[c] * rows_.log_values(2 * j + 1)[c];
    }
    for (const double w : class_weight) total_weight_ += w;
    // Range of the factors, which decides whether products are safe.
    double low = 1, high = 1;
    for (const double v : value_) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
    safe_ = safe_factors(low, high);
  }

  // Bounds all candidates from the stored entries, then evaluates the contenders exactly.
  Candidate best_addition(const std::vector<char>& skip, Monitor& monitor) {
    sum_posteriors();
    std::vector<double> low(n_features_, std::numeric_limits<double>::infinity());
    std::vector<double> spread(n_features_);
    const auto classes = double(rows_.n_classes());
    const double operations = 2 * classes * double(columns_.index.size()) + classes * classes * double(n_features_);
    const std::size_t blocks = blocks_for(operations, std::min<std::size_t>(n_features_, 512));
    parallel_blocks(blocks, options_.threads, monitor, [&](std::size_t b) {
      for (std::size_t j = n_features_ * b / blocks; j < n_features_ * (b + 1) / blocks; ++j)
        if (!skip[j]) bound(j, low[j], spread[j]);
    });
    return exact_best(low, spread, monitor);
  }

  void add(std::size_t i, std::size_t j, int sign, double* score) const {
    const auto rows = column(j);
    const bool is_present = std::binary_search(rows.begin(), rows.end(), std::int32_t(i));
    const double* log_value = rows_.log_values(2 * j + is_present);
    for (std::size_t c = 0; c < rows_.n_classes(); ++c) score[c] += sign * log_value[c];
  }

 private:
  std::span<const std::int32_t> column(std::size_t j) const {
    return {columns_.index.data() + columns_.start[j], std::size_t(columns_.start[j + 1] - columns_.start[j])};
  }
  const double* absent(std::size_t j) const { return value_.data() + 2 * j * rows_.n_classes(); }
  const double* present(std::size_t j) const { return absent(j) + rows_.n_classes(); }

  // Sums w p and w p p' over the rows; blocks are added in order.
  void sum_posteriors() {
    const std::size_t classes = rows_.n_classes(), size = classes + classes * classes;
    std::vector<double> part(64 * size);
    rows_.by_rows(double(classes * classes), [&](std::size_t begin, std::size_t end, std::size_t b) {
      double *const first = part.data() + b * size, *const second = first + classes;
      for (std::size_t i = begin; i < end; ++i) {
        const double* p = rows_.p() + i * classes;
        for (std::size_t a = 0; a < classes; ++a) {
          const double wp = rows_.weight(i) * p[a];
          first[a] += wp;
          for (std::size_t c = 0; c < classes; ++c) second[a * classes + c] += wp * p[c];
        }
      }
    });
    first_.assign(classes, 0.0);
    second_.assign(classes * classes, 0.0);
    for (std::size_t b = 0; b < 64; ++b) {
      for (std::size_t k = 0; k < classes; ++k) first_[k] += part[b * size + k];
      for (std::size_t k = 0; k < classes * classes; ++k) second_[k] += part[b * size + classes + k];
    }
  }

  // Correction for the rows in which feature j is present, from the stored entries.
  double correction(std::size_t j) const {
    return sum_log_ratios(rows_.p(), rows_.n_classes(), column(j), present(j), absent(j), rows_.weight(), safe_);
  }

  // Computes the lower bound of a candidate's value and the width of its interval.
  void bound(std::size_t j, double& low, double& spread) const {
    const std::size_t classes = rows_.n_classes();
    const double* q = absent(j);
    // R is the mean of p . q over the rows; x1 and x2 are the sums of w x and w x^2.
    double mean = 0, x1 = 0, x2 = 0, h = 0;
    for (std::size_t c = 0; c < classes; ++c) mean += first_[c] * q[c];
    mean /= total_weight_;
    for (std::size_t a = 0; a < classes; ++a) {
      const double delta = 1 - q[a] / mean;
      h = std::max(h, std::abs(delta));
      x1 += first_[a] * delta;
      double line = 0;
      for (std::size_t c = 0; c < classes; ++c) line += second_[a * classes + c] * (1 - q[c] / mean);
      x2 += delta * line;
    }
    if (!(h < 0.999)) {  // no useful bound: always a contender
      low = -std::numeric_limits<double>::infinity();
      spread = std::numeric_limits<double>::infinity();
      return;
    }
    const double rest = h / (3 * (1 - h)) * std::max(x2, 0.0);
    const double value =
        rows_.data() + total_weight_ * std::log(mean) - x1 - x2 / 2 + correction(j) - fixed_[j] + options_.feature_cost[j];
    const double rounding = 1e-9 * (1 + std::abs(value));
    low = value - rest - rounding;
    spread = 2 * (rest + rounding);
  }

  // Evaluates all candidates whose lower bound does not exceed the least upper bound.
  Candidate exact_best(const std::vector<double>& low, const std::vector<double>& spread, Monitor& monitor) {
    double least_upper = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n_features_; ++j)
      if (std::isfinite(low[j])) least_upper = std::min(least_upper, low[j] + spread[j]);
    std::vector<std::size_t> contender;
    for (std::size_t j = 0; j < n_features_; ++j)
      if (low[j] <= least_upper && low[j] < std::numeric_limits<double>::infinity()) contender.push_back(j);
    const double operations = double(rows_.n_rows() * rows_.n_classes());
    return best_of(contender.size(), operations, options_.threads, monitor, [&](std::size_t k) -> Candidate {
      const std::size_t j = contender[k];
      const double all =
          sum_log_dots8(rows_.p(), rows_.n_rows(), rows_.n_classes(), nullptr, 0, 1, absent(j), rows_.weight(), safe_);
      return {j, rows_.data() + all + correction(j) - fixed_[j] + options_.feature_cost[j]};
    });
  }

  Transposed columns_;
  std::size_t n_features_;
  std::vector<double> value_;  // P(absent | c), P(present | c) for each feature
  std::vector<double> fixed_, first_, second_;
  double total_weight_ = 0;
  std::size_t safe_ = 0;
};

}  // namespace

MdlTrace mdl_multi_class(const BinaryRows& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor) {
  BinaryEvaluator evaluator(rows, problem, options, monitor);
  return MdlSearch(evaluator, rows.n_features(), options).run(monitor);
}

template <std::unsigned_integral Code>
MdlTrace mdl_codes(const Codes<Code>& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor) {
  CodesEvaluator<Code> evaluator(rows, problem, options, monitor);
  return MdlSearch(evaluator, rows.n_features(), options).run(monitor);
}

template MdlTrace mdl_codes(const Codes<std::uint8_t>&, const MdlProblem&, const MdlOptions&, Monitor&);
template MdlTrace mdl_codes(const Codes<std::uint32_t>&, const MdlProblem&, const MdlOptions&, Monitor&);

}  // namespace vitalfew
