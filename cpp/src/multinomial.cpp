// Multinomial logistic regression: proximal Newton steps on one class after the other, the others held.
#include <algorithm>
#include <cmath>
#include <memory>

#include "logistic_problem.hpp"
#include "screen.hpp"
#include "vitalfew/linear.hpp"

namespace vitalfew {
namespace {

template <ColumnMatrix M>
class MultinomialSolver {
  using Problem = LogisticProblem<M>;

 public:
  MultinomialSolver(const M& x, std::span<const std::int32_t> label, std::size_t n_classes, std::span<const double> weight,
                    const PathOptions& options, Monitor& monitor)
      : options_(options), monitor_(monitor), n_(x.n_rows), d_(x.n_cols), k_(n_classes), label_(label), w_(n_, 1.0) {
    std::copy(weight.begin(), weight.end(), w_.begin());
    double total = 0;
    for (const double w : w_) total += w;
    for (double& w : w_) w /= total;
    std::vector<double> own(n_), share(k_);
    for (std::size_t i = 0; i < n_; ++i) share[std::size_t(label[i])] += w_[i];
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t i = 0; i < n_; ++i) own[i] = std::size_t(label[i]) == c ? 1 : 0;
      problems_.push_back(std::make_unique<Problem>(x, own, weight, options, monitor));
      problems_.back()->start_at(options.intercept && share[c] > 0 ? std::log(share[c]) : 0);
      if (share[c] > 0) null_loss_ -= share[c] * std::log(options.intercept ? share[c] : 1.0 / double(k_));
    }
    power_.resize(n_ * k_);
    offset_.resize(n_);
    exponentiate();
    for (std::size_t c = 0; c < k_; ++c) hold_others(c);
    for (auto& problem : problems_) screens_.emplace_back(*problem, options);
  }

  CoefficientPath run() {
    CoefficientPath path;
    path.null_loss = null_loss_;
    double largest = 0;
    for (auto& screen : screens_) {
      screen.start();
      largest = std::max(largest, screen.largest());
    }
    for (std::size_t c = 0; c < k_; ++c) use(c, screens_[c].unpenalised());
    if (!screens_.front().unpenalised().empty()) {
      for (int turn = 0; turn < 200; ++turn)
        if (sweep(0, 0, 0).first <= 1e-12 * null_loss_) break;
      largest = 0;
      for (auto& screen : screens_) {
        screen.start();
        largest = std::max(largest, screen.largest());
      }
    }
    const auto widest = std::max_element(screens_.begin(), screens_.end(),
                                         [](const auto& a, const auto& b) { return a.largest() < b.largest(); });
    path.grid = widest->grid();
    for (const double alpha : path.grid) {
      const double gap = point(alpha);
      for (auto& screen : screens_) screen.done_with(alpha, largest);
      keep(path, gap);
      monitor_.report(double(path.gap.size()));
    }
    return path;
  }

 private:
  bool use(std::size_t c, std::span<const std::size_t> columns) {
    problems_[c]->use(columns);
    for (const std::size_t j : columns) screens_[c].use(j);
    return !columns.empty();
  }

  // exp(f_ik - max_k f_ik), row by row.
  void exponentiate() {
    for (std::size_t i = 0; i < n_; ++i) {
      double most = problems_[0]->predictor()[i];
      for (std::size_t c = 1; c < k_; ++c) most = std::max(most, problems_[c]->predictor()[i]);
      offset_[i] = most;
    }
    top_ = offset_;
    for (std::size_t c = 0; c < k_; ++c) refresh(c);
  }
  void refresh(std::size_t c) {
    const auto f = problems_[c]->predictor();
    for (std::size_t i = 0; i < n_; ++i) power_[c * n_ + i] = std::exp(std::min(f[i] - top_[i], 600.0));
  }
  void hold_others(std::size_t c) {
    std::fill(offset_.begin(), offset_.end(), 0.0);
    for (std::size_t other = 0; other < k_; ++other)
      if (other != c)
        for (std::size_t i = 0; i < n_; ++i) offset_[i] += power_[other * n_ + i];
    for (std::size_t i = 0; i < n_; ++i) offset_[i] = -(std::log(std::max(offset_[i], 1e-290)) + top_[i]);
    problems_[c]->set_offset(offset_);
  }

  // A step for every class; by how much the objective fell, and the largest change.
  std::pair<double, double> sweep(double l1, double l2, double target, bool anew = false) {
    double fell = 0, most = 0;
    exponentiate();
    for (std::size_t c = 0; c < k_; ++c) {
      hold_others(c);
      const auto [by, change] = problems_[c]->step(l1, l2, options_.factor, options_.positive, target, anew);
      fell += by;
      most = std::max(most, change);
      refresh(c);
    }
    return {fell, most};
  }

  // Residuals of all classes at the same point, and the loss there.
  void settle() {
    if (options_.intercept) settle_intercepts();
    exponentiate();
    for (std::size_t c = 0; c < k_; ++c) hold_others(c);
    loss_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < k_; ++c) sum += power_[c * n_ + i];
      loss_ += w_[i] * (std::log(sum) - (problems_[std::size_t(label_[i])]->predictor()[i] - top_[i]));
    }
  }
  void settle_intercepts() {
    for (int turn = 0; turn < 50; ++turn) {
      exponentiate();
      double most = 0;
      for (std::size_t c = 0; c < k_; ++c) {
        hold_others(c);
        most = std::max(most, problems_[c]->settle_intercept());
        refresh(c);
      }
      if (most <= 1e-13) return;
    }
  }

  double point(double alpha) {
    const double l1 = alpha * options_.l1_ratio, l2 = alpha * (1 - options_.l1_ratio);
    const double wanted = options_.tol * null_loss_;
    for (std::size_t c = 0; c < k_; ++c) use(c, screens_[c].foresee(alpha));
    double gap = 0;
    int stalled = 0;
    for (int turn = 0; turn < 500; ++turn) {
      const auto [fell, most] = sweep(l1, l2, small_ * wanted, turn > 0 && turn % 3 == 0);
      stalled = fell <= 1e-14 * null_loss_ ? stalled + 1 : 0;
      monitor_.check();
      if (most > small_ * wanted && stalled < 2) continue;
      settle();
      for (auto& screen : screens_) screen.look_at_used();
      gap = gap_at(l1, l2);
      if (gap > wanted && stalled < 2) {
        small_ /= 4;
        continue;
      }
      if (gap < 0.1 * wanted) small_ = std::min(2 * small_, 1.0);
      bool is_violated = false;
      for (std::size_t c = 0; c < k_; ++c) is_violated |= use(c, screens_[c].likely_violators(alpha));
      if (is_violated) continue;
      for (auto& screen : screens_) screen.look_at_others(alpha);
      gap = gap_at(l1, l2);
      if (gap <= wanted) break;
      for (std::size_t c = 0; c < k_; ++c) is_violated |= use(c, screens_[c].violators(alpha));
      if (!is_violated && stalled >= 2) break;
    }
    return gap;
  }

  // The dual at s (t - p) is the entropy of the mixture (1 - s) t + s p.
  double gap_at(double l1, double l2) const {
    double scale = 1, value = loss_;
    for (std::size_t c = 0; c < k_; ++c) {
      const auto excess = screens_[c].excess(l1, l2);
      scale = std::min(scale, excess.scale);
      value += excess.conjugate + problems_[c]->penalty(problems_[c]->values(), l1, l2, options_.factor);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0, entropy = 0;
      for (std::size_t c = 0; c < k_; ++c) sum += power_[c * n_ + i];
      for (std::size_t c = 0; c < k_; ++c) {
        const double q = scale * power_[c * n_ + i] / sum + (std::size_t(label_[i]) == c ? 1 - scale : 0.0);
        if (q > 0) entropy -= q * std::log(q);
      }
      value -= w_[i] * entropy;
    }
    return std::max(value, 0.0);
  }

  void keep(CoefficientPath& path, double gap) const {
    for (std::size_t c = 0; c < k_; ++c) {
      const auto v = problems_[c]->values();
      std::vector<std::pair<std::size_t, double>> entries;
      for (std::size_t e = 0; e < v.size(); ++e)
        if (v[e] != 0) entries.emplace_back(screens_[c].used()[e], v[e]);
      std::sort(entries.begin(), entries.end());
      for (const auto& [j, value] : entries) {
        path.index.push_back(std::int32_t(c * d_ + j));
        path.value.push_back(value);
      }
      path.intercept.push_back(problems_[c]->intercept());
    }
    path.start.push_back(std::int64_t(path.index.size()));
    path.loss.push_back(loss_);
    path.gap.push_back(null_loss_ > 0 ? gap / null_loss_ : 0);
  }

  const PathOptions& options_;
  Monitor& monitor_;
  std::size_t n_, d_, k_;
  std::span<const std::int32_t> label_;
  std::vector<double> w_, power_, offset_, top_;
  std::vector<std::unique_ptr<Problem>> problems_;
  std::vector<Screen<Problem>> screens_;
  double null_loss_ = 0, loss_ = 0, small_ = 1e-2;
};

}  // namespace

template <ColumnMatrix M>
CoefficientPath multinomial_path(const M& x, std::span<const std::int32_t> label, std::size_t n_classes,
                                 std::span<const double> weight, const PathOptions& options, Monitor& monitor) {
  check(options, x.n_cols);
  if (label.size() != x.n_rows) throw std::invalid_argument("labels: one for each row is needed");
  if (n_classes < 2 || double(n_classes) * double(x.n_cols) >= 2147483648.0)
    throw std::invalid_argument("classes: at least two, and with the columns fewer than 2^31 coefficients");
  for (const std::int32_t c : label)
    if (c < 0 || std::size_t(c) >= n_classes) throw std::invalid_argument("a label is not below the number of classes");
  return MultinomialSolver<M>(x, label, n_classes, weight, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M)                                                                                               \
  template CoefficientPath multinomial_path<M>(const M&, std::span<const std::int32_t>, std::size_t, std::span<const double>, \
                                               const PathOptions&, Monitor&);
VITALFEW_INSTANTIATE(DenseColumns<double>)
VITALFEW_INSTANTIATE(DenseColumns<float>)
VITALFEW_INSTANTIATE(SparseColumns<double>)
VITALFEW_INSTANTIATE(SparseColumns<float>)

}  // namespace vitalfew
