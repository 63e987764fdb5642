// Forward fitting for the logistic and multinomial loss: each step fits one coefficient by itself, then the intercepts. The step
// with the largest gain is found exactly: gains are bounded from slope and curvature at zero (self-concordance), and only
// coefficients whose bound exceeds the best gain are fitted. O(stored entries x outputs) per step for the bounds, a few readings
// of a column for each fit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linear/rows_problem.hpp"
#include "vitalfew/subset_classes.hpp"

namespace vitalfew {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTie = 1e-10;     // relative differences below this are ties, which the first column wins
constexpr double kNoGain = 1e-14;  // share of the null loss that counts as no gain

// The loss along one coefficient, with p the probabilities of its class and t the change:
//   φ(t) = Σ w_i log(1 + p_i (e^{t x_i} - 1)) - t Σ_{own} w_i x_i.
template <ColumnMatrix M>
class ClassFitting {
 public:
  ClassFitting(const M& x, const ClassLabels& labels, std::span<const double> weight, const FittingOptions& options,
               Monitor& monitor)
      : x_(x),
        options_(options),
        monitor_(monitor),
        n_(x.n_rows),
        m_(labels.n_classes == 2 ? 1 : labels.n_classes),
        label_(labels.label.begin(), labels.label.end()),
        w_(n_, 1.0 / double(n_)),
        f_(n_ * m_, 0.0),
        p_(n_ * m_),
        b_(m_, 0.0),
        reach_(x.n_cols, 0.0) {
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    for (std::size_t i = 0; i < weight.size(); ++i) w_[i] = weight[i] / total;
    for (std::size_t j = 0; j < x.n_cols; ++j)
      visit_column(x_, j, [&](std::size_t, double value) { reach_[j] = std::max(reach_[j], std::abs(value)); });
  }

  ClassSteps run() {
    ClassSteps steps;
    refresh();
    fit_intercepts();
    steps.null_loss = loss_;
    steps.intercept.insert(steps.intercept.end(), b_.begin(), b_.end());
    const auto all = [&] {
      while (steps.column.size() < options_.steps && take_step(steps)) monitor_.report(double(steps.column.size()));
    };
    steps.is_complete = ends_in_time(all, [&] { return !steps.column.empty(); });
    return steps;
  }

 private:
  // Takes one step. Returns false if it does not lower the loss.
  bool take_step(ClassSteps& steps) {
    const Candidate best = options_.myopic ? steepest() : most_gaining();
    if (best.place == kNone) return false;
    const double before = loss_, change = options_.rate * best.change;
    const std::size_t c = best.place / x_.n_cols, j = best.place % x_.n_cols;
    x_.axpy(change, j, {f_.data() + c * n_, n_});
    refresh();
    fit_intercepts();
    if (!(before - loss_ > kNoGain * steps.null_loss)) return false;
    steps.column.push_back(std::int32_t(best.place));
    steps.change.push_back(change);
    steps.loss.push_back(loss_);
    steps.intercept.insert(steps.intercept.end(), b_.begin(), b_.end());
    return true;
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Candidate {
    std::size_t place = kNone;
    double change = 0, gain = 0;
  };

  bool is_own(std::size_t i, std::size_t c) const { return std::size_t(label_[i]) == (m_ == 1 ? 1 : c); }

  // Computes probabilities and loss from the linear predictors.
  void refresh() {
    loss_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double top = m_ == 1 ? 0 : -kNever, own = 0;
      for (std::size_t c = 0; c < m_; ++c) {
        const double f = f_[c * n_ + i] + b_[c];
        top = std::max(top, f);
        if (is_own(i, c)) own = f;
      }
      double sum = m_ == 1 ? std::exp(-top) : 0;
      for (std::size_t c = 0; c < m_; ++c) sum += p_[c * n_ + i] = std::exp(f_[c * n_ + i] + b_[c] - top);
      for (std::size_t c = 0; c < m_; ++c) p_[c * n_ + i] /= sum;
      loss_ += w_[i] * (std::log(sum) + top - own);
    }
  }

  // Fits the intercepts by Newton steps, one after the other.
  void fit_intercepts() {
    for (int turn = 0; options_.intercept && turn < 50; ++turn) {
      double moved = 0;
      for (std::size_t c = 0; c < m_; ++c) {
        double slope = 0, bend = 0;
        for (std::size_t i = 0; i < n_; ++i) {
          const double p = p_[c * n_ + i];
          slope += w_[i] * (double(is_own(i, c)) - p);
          bend += w_[i] * p * (1 - p);
        }
        if (!(bend > 1e-300) || std::abs(slope) < 1e-15) continue;
        const double step = std::clamp(slope / bend, -2.0, 2.0);
        b_[c] += step;
        moved = std::max(moved, std::abs(step));
        refresh();
      }
      if (moved < 1e-10) break;
    }
  }

  // Returns minus the slope, and the curvature, of the loss in a coefficient.
  std::pair<double, double> derivatives(std::size_t c, std::size_t j) const {
    double slope = 0, bend = 0;
    visit_column(x_, j, [&](std::size_t i, double value) {
      const double p = p_[c * n_ + i], weighted = w_[i] * value;
      slope += weighted * (double(is_own(i, c)) - p);
      bend += weighted * value * p * (1 - p);
    });
    return {slope, bend};
  }

  // Returns the best change of one coefficient and its gain, by Newton steps with backtracking.
  Candidate fit_one(std::size_t c, std::size_t j) const {
    double t = 0, value = 0;
    const auto at = [&](double step, double& slope, double& bend) {
      double sum = 0;
      slope = bend = 0;
      visit_column(x_, j, [&](std::size_t i, double x) {
        const double p = p_[c * n_ + i], a = step * x;
        // p e^a / (1 - p + p e^a), and the logarithm of its denominator, without overflow
        const double part = a > 0 ? p / (p + (1 - p) * std::exp(-a)) : p * std::exp(a) / (1 - p + p * std::exp(a));
        const double log_sum = a > 0 ? a + std::log(p + (1 - p) * std::exp(-a)) : std::log1p(p * std::expm1(a));
        sum += w_[i] * (log_sum - (is_own(i, c) ? a : 0));
        slope += w_[i] * x * (double(is_own(i, c)) - part);
        bend += w_[i] * x * x * part * (1 - part);
      });
      return sum;
    };
    double slope, bend, next_slope, next_bend;
    value = at(0, slope, bend);
    // Where a column separates the classes the minimum is at infinity: |t x| is limited to 40.
    const double farthest = 40 / std::max(reach_[j], 1e-300);
    for (int turn = 0; turn < 60; ++turn) {
      double step = bend > 1e-300 ? slope / bend : (slope > 0 ? farthest : -farthest);
      step = std::clamp(t + step, -farthest, farthest) - t;
      if (std::abs(step) <= 1e-13 * (std::abs(t) + 1e-300) || std::abs(slope * step) < 1e-18 * null()) break;
      double next = at(t + step, next_slope, next_bend);
      while (next > value - 0.1 * slope * step && std::abs(step) > 1e-14 * (std::abs(t) + 1e-12)) {
        step *= 0.5;
        next = at(t + step, next_slope, next_bend);
      }
      if (!(next < value)) break;
      t += step;
      value = next;
      slope = next_slope;
      bend = next_bend;
    }
    return {c * x_.n_cols + j, t, -value};
  }
  double null() const { return std::max(loss_, 1e-300); }

  // Myopic choice: the coefficient with the largest slope.
  Candidate steepest() const {
    std::vector<double> slopes = each([&](std::size_t c, std::size_t j) { return std::abs(derivatives(c, j).first); });
    const double most = *std::max_element(slopes.begin(), slopes.end());
    if (!(most > 0)) return {};
    const auto at = std::size_t(std::find_if(slopes.begin(), slopes.end(), [&](double s) { return s >= most * (1 - kTie); }) -
                                slopes.begin());
    return fit_one(at / x_.n_cols, at % x_.n_cols);
  }

  // Fits all coefficients whose gain may be the largest. The third derivative is at most R = max |x| times the second, so with
  // slope g and curvature h at zero the gain is at most g t + g / R - h t / R, t = -log(1 - g R / h) / R.
  Candidate most_gaining() const {
    const std::vector<double> most = each([&](std::size_t c, std::size_t j) {
      const auto [slope, bend] = derivatives(c, j);
      const double g = std::abs(slope), reach = reach_[j];
      if (g == 0 || reach == 0) return 0.0;
      if (!(g * reach < bend * (1 - 1e-9))) return kNever;
      const double t = -std::log1p(-g * reach / bend) / reach;
      return g * t + g / reach - bend * t / reach;
    });
    // Candidates in order of their bound, 64 at a time, until the next bound is below the best gain.
    std::vector<std::size_t> order(most.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return most[a] > most[b]; });
    Candidate best;
    std::vector<Candidate> found(order.size());
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t first = 0; first < order.size() && most[order[first]] > 0; first += kAtOnce) {
      if (best.place != kNone && most[order[first]] < best.gain * (1 - kTie)) break;
      const std::size_t count = std::min(kAtOnce, order.size() - first);
      parallel_blocks(blocks_for(double(count) * double(n_) * 20, count), options_.threads, monitor_, [&](std::size_t b) {
        const std::size_t blocks = blocks_for(double(count) * double(n_) * 20, count);
        for (std::size_t e = count * b / blocks; e < count * (b + 1) / blocks; ++e) {
          const std::size_t place = order[first + e];
          found[first + e] = fit_one(place / x_.n_cols, place % x_.n_cols);
        }
      });
      for (std::size_t e = first; e < first + count; ++e) {
        const bool is_tie = std::abs(found[e].gain - best.gain) <= kTie * best.gain;
        if (best.place == kNone || (is_tie ? found[e].place < best.place : found[e].gain > best.gain)) best = found[e];
      }
    }
    return best.gain > 0 ? best : Candidate{};
  }

  // f(output, column) for all coefficients, in parallel.
  template <class F>
  std::vector<double> each(F&& f) const {
    std::vector<double> values(m_ * x_.n_cols);
    const std::size_t blocks = blocks_for(4 * double(values.size()) * double(n_), values.size());
    parallel_blocks(blocks, options_.threads, monitor_, [&](std::size_t b) {
      for (std::size_t e = values.size() * b / blocks; e < values.size() * (b + 1) / blocks; ++e)
        values[e] = f(e / x_.n_cols, e % x_.n_cols);
    });
    return values;
  }

  const M& x_;
  const FittingOptions& options_;
  Monitor& monitor_;
  std::size_t n_, m_;
  std::vector<std::int32_t> label_;
  std::vector<double> w_, f_, p_, b_;  // weights; linear predictors and probabilities by output; intercepts
  std::vector<double> reach_;          // largest absolute value of each column
  double loss_ = 0;
};

}  // namespace

template <ColumnMatrix M>
ClassSteps forward_fitting_classes(const M& x, const ClassLabels& labels, std::span<const double> weight,
                                   const FittingOptions& options, Monitor& monitor) {
  check_labels(labels, x.n_rows);
  if (x.n_cols == 0) throw std::invalid_argument("expected at least one column");
  if (!(options.rate > 0 && options.rate <= 1)) throw std::invalid_argument("the learning rate must be in (0, 1]");
  if (!weight.empty() && weight.size() != x.n_rows) throw std::invalid_argument("weights must have one entry per row");
  return ClassFitting<M>(x, labels, weight, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M)                                                                                                \
  template ClassSteps forward_fitting_classes<M>(const M&, const ClassLabels&, std::span<const double>, const FittingOptions&, \
                                                 Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)

}  // namespace vitalfew
