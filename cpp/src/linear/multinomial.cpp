// L1 and elastic-net paths of multinomial logistic regression: minimize
//
//   Σ_i w_i (log Σ_c exp f_ic - f_i,y(i)) + α Σ_c Σ_j f_j (ρ |β_cj| + ½ (1 - ρ) β_cj²),   f_ic = b_c + x_iᵀβ_c.
//
// Proximal Newton steps on one class after the other with the others held (Friedman, Hastie & Tibshirani, 2010), or, where the
// full second-derivative matrix of the m coefficients in use is affordable (O(n m²)), on all classes jointly. Each class has
// its own screen; the duality gap covers all classes.
#include <algorithm>
#include <cmath>
#include <memory>

#include "linear/active_set.hpp"
#include "linear/logistic_problem.hpp"
#include "linear/newton_to_gap.hpp"
#include "linear/screening.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/linear.hpp"

namespace vitalfew {
namespace {

template <ColumnMatrix M>
class MultinomialSolver {
  using Problem = LogisticProblem<M>;

 public:
  MultinomialSolver(const M& x, std::span<const std::int32_t> label, std::size_t n_classes, std::span<const double> weight,
                    const PathOptions& options, Monitor& monitor)
      : x_(x), options_(options), monitor_(monitor), n_(x.n_rows), d_(x.n_cols), k_(n_classes), label_(label), w_(n_, 1.0) {
    std::copy(weight.begin(), weight.end(), w_.begin());
    double total = 0;
    for (const double w : w_) total += w;
    for (double& w : w_) w /= total;
    std::vector<double> own(n_), share(k_);
    for (std::size_t i = 0; i < n_; ++i) share[std::size_t(label[i])] += w_[i];
    // The null model has intercepts log share_c, and its loss is the entropy of the shares.
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t i = 0; i < n_; ++i) own[i] = std::size_t(label[i]) == c ? 1 : 0;
      problems_.push_back(std::make_unique<Problem>(x, own, weight, options, monitor, false));
      problems_.back()->start_at(options.intercept && share[c] > 0 ? std::log(share[c]) : 0);
      if (share[c] > 0) null_loss_ -= share[c] * std::log(options.intercept ? share[c] : 1.0 / double(k_));
    }
    power_.resize(n_ * k_);
    offset_.resize(n_);
    exponentiate();
    for (std::size_t c = 0; c < k_; ++c) hold_others(c);
    for (auto& problem : problems_) screens_.emplace_back(*problem, options);
  }

  PathPoints run() {
    PathPoints path;
    path.null_loss = null_loss_;
    double largest = 0;
    for (auto& screen : screens_) {
      screen.start();
      largest = std::max(largest, screen.largest());
    }
    use([](auto& screen) { return screen.unpenalized(); });
    if (!screens_.front().unpenalized().empty()) {
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
    each_penalty(path, [&](double alpha) {
      const double gap = point(alpha);
      for (auto& screen : screens_) screen.done_with(alpha, largest);
      keep(path, gap);
      monitor_.report(double(path.gap.size()));
    });
    return path;
  }

 private:
  // Adds the columns that `which(screen)` returns for each class to those in use.
  template <class Which>
  Changed use(Which&& which) {
    Changed changed;
    for (std::size_t c = 0; c < k_; ++c) {
      const auto [fresh, has_woken] = screens_[c].use(which(screens_[c]));
      problems_[c]->use(fresh);
      changed.is_fresh |= !fresh.empty();
      changed.has_woken |= has_woken;
    }
    return changed;
  }

  // Computes exp(f_ic - max_c f_ic) for all classes.
  void exponentiate() {
    for (std::size_t i = 0; i < n_; ++i) {
      double most = problems_[0]->predictor()[i];
      for (std::size_t c = 1; c < k_; ++c) most = std::max(most, problems_[c]->predictor()[i]);
      offset_[i] = most;
    }
    top_ = offset_;
    for (std::size_t c = 0; c < k_; ++c) refresh(c);
  }
  // The same for class c alone, with the maxima of before; the exponent is capped against overflow.
  void refresh(std::size_t c) {
    const auto f = problems_[c]->predictor();
    for (std::size_t i = 0; i < n_; ++i) power_[c * n_ + i] = std::exp(std::min(f[i] - top_[i], 600.0));
  }
  // Sets the offset of class c to -log Σ_{l≠c} exp f_l: its two-class problem with the other classes held.
  void hold_others(std::size_t c) {
    std::fill(offset_.begin(), offset_.end(), 0.0);
    for (std::size_t other = 0; other < k_; ++other)
      if (other != c)
        for (std::size_t i = 0; i < n_; ++i) offset_[i] += power_[other * n_ + i];
    for (std::size_t i = 0; i < n_; ++i) offset_[i] = -(std::log(std::max(offset_[i], 1e-290)) + top_[i]);
    problems_[c]->set_offset(offset_);
  }

  // Takes a step for each class in turn, or for all jointly where that is cheap. Returns the decrease of the objective and the
  // largest change.
  std::pair<double, double> sweep(double l1, double l2, double target, bool anew = false) {
    if (is_small()) return joint_step(l1, l2);
    double fell = 0, most = 0;
    exponentiate();
    for (std::size_t c = 0; c < k_; ++c) {
      hold_others(c);
      const auto [by, change] =
          problems_[c]->step(l1, l2, options_.factor, options_.positive, target, screens_[c].resting(), anew);
      fell += by;
      most = std::max(most, change);
      refresh(c);
    }
    return {fell, most};
  }

  // Whether the second derivatives of all coefficients in use, of all classes, are affordable.
  bool is_small() const {
    std::size_t m = options_.intercept ? k_ - 1 : 0;
    for (const auto& problem : problems_) m += problem->used().size();
    return m <= 600 && double(n_) * double(m) <= 5e6 && double(n_) * double(m) * double(m) <= 4e8;
  }

  struct Coordinate {
    std::size_t output;
    std::vector<double> column;
  };

  // Coefficients in use and intercepts, with their columns. The intercept of the last class stays fixed, since only
  // differences between classes matter.
  std::vector<Coordinate> coordinates() const {
    std::vector<Coordinate> found;
    for (std::size_t c = 0; c < k_; ++c) {
      for (const std::size_t j : problems_[c]->used()) {
        found.push_back({c, std::vector<double>(n_, 0.0)});
        x_.axpy(1.0, j, found.back().column);
      }
      if (options_.intercept && c + 1 < k_) found.push_back({c, std::vector<double>(n_, 1.0)});
    }
    return found;
  }

  double objective(double l1, double l2) {
    double sum = 0;
    measure();
    for (const auto& problem : problems_) sum += problem->penalty(problem->values(), l1, l2, options_.factor);
    return loss_ + sum;
  }

  // The quadratic model of the loss in all coordinates: its gradient, and the lower triangle of its second derivatives.
  struct QuadraticModel {
    std::vector<double> gradient;
    std::vector<std::vector<double>> rows;
  };

  // Takes a proximal Newton step on all classes jointly: minimizes the quadratic model by ActiveSet, then searches along the
  // step. O(n m²) for m coordinates.
  std::pair<double, double> joint_step(double l1, double l2) {
    exponentiate();
    const double before = objective(l1, l2);
    const auto all = coordinates();
    const std::size_t m = all.size();
    QuadraticModel model = quadratic_model(all, probabilities());
    std::vector<double> from(m), factor(m, 0.0);
    gather(from, factor);
    // Minimum of the model. A relative ridge of 1e-13 is added, since the matrix is singular over the classes.
    ActiveSet set;
    for (std::size_t a = 0; a < m; ++a) {
      model.rows[a][a] += 1e-13 * model.rows[a][a];
      set.add(model.rows[a], factor[a], model.gradient[a], false);
    }
    set.start(from, l2);
    set.solve(l1, l2);
    // Predicted decrease (`slope`), and the change z of the linear predictors.
    double slope = 0, most = 0;
    std::vector<double> change(m), z(n_ * k_, 0.0);
    for (std::size_t a = 0; a < m; ++a) {
      const double to = set.values()[a];
      change[a] = to - from[a];
      slope += factor[a] * (l1 * (std::abs(to) - std::abs(from[a])) + 0.5 * l2 * (to * to - from[a] * from[a]));
      slope -= model.gradient[a] * change[a];
      most = std::max(most, model.rows[a][a] * change[a] * change[a]);
      if (change[a] != 0) axpy(change[a], all[a].column.data(), z.data() + all[a].output * n_, n_);
    }
    // Backtracking line search (Armijo rule); without success the coefficients are restored.
    std::vector<std::vector<double>> f(k_);
    for (std::size_t c = 0; c < k_; ++c) f[c].assign(problems_[c]->predictor().begin(), problems_[c]->predictor().end());
    double length = 1;
    for (int trial = 0; trial < 40; ++trial, length /= 2) {
      place(from, change, length, f, z);
      const double after = objective(l1, l2);
      if (after <= before + 1e-4 * length * std::min(slope, 0.0) + 1e-14 * before) return {before - after, most};
    }
    place(from, change, 0, f, z);
    measure();
    return {0, most};
  }

  // Class probabilities at the last evaluated predictors, class by class.
  std::vector<double> probabilities() const {
    std::vector<double> p(n_ * k_), total(n_, 0.0);
    for (std::size_t c = 0; c < k_; ++c)
      for (std::size_t i = 0; i < n_; ++i) total[i] += power_[c * n_ + i];
    for (std::size_t c = 0; c < k_; ++c)
      for (std::size_t i = 0; i < n_; ++i) p[c * n_ + i] = power_[c * n_ + i] / total[i];
    return p;
  }

  // Computes
  //
  //   gradient_a = Σ_i w_i (t_ic - p_ic) x_ia,   H_ab = Σ_i w_i p_ic (δ_co - p_io) x_ia x_ib   (a of class c, b of class o),
  //
  // with the rows of H assigned to blocks in turn.
  QuadraticModel quadratic_model(const std::vector<Coordinate>& all, const std::vector<double>& p) const {
    const std::size_t m = all.size();
    QuadraticModel model{std::vector<double>(m), std::vector<std::vector<double>>(m)};
    const std::size_t blocks = blocks_for(double(m) * double(m) * double(n_), m);
    parallel_blocks(blocks, options_.threads, monitor_, [&](std::size_t block) {
      std::vector<double> weighted(n_);
      for (std::size_t a = block; a < m; a += blocks) {
        model.rows[a].resize(a + 1);
        const std::size_t c = all[a].output;
        for (std::size_t i = 0; i < n_; ++i) weighted[i] = w_[i] * ((std::size_t(label_[i]) == c ? 1.0 : 0.0) - p[c * n_ + i]);
        model.gradient[a] = dot(all[a].column.data(), weighted.data(), n_);
        for (std::size_t b = 0; b <= a; ++b) {
          if (b == 0 || all[b].output != all[b - 1].output) {  // the weights depend on the pair of classes
            const std::size_t o = all[b].output;
            for (std::size_t i = 0; i < n_; ++i)
              weighted[i] = w_[i] * p[c * n_ + i] * ((o == c ? 1.0 : 0.0) - p[o * n_ + i]) * all[a].column[i];
          }
          model.rows[a][b] = dot(all[b].column.data(), weighted.data(), n_);
        }
      }
    });
    return model;
  }

  // Writes the present values of all coordinates, and the penalty factors of those that are not intercepts.
  void gather(std::span<double> from, std::span<double> factor) const {
    std::size_t at = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t e = 0; e < problems_[c]->used().size(); ++e, ++at) {
        from[at] = problems_[c]->values()[e];
        factor[at] = screens_[c].factor(problems_[c]->used()[e]);
      }
      if (options_.intercept && c + 1 < k_) from[at++] = problems_[c]->intercept();
    }
  }

  // Sets the coefficients of all classes to from + length * change.
  void place(std::span<const double> from, std::span<const double> change, double length,
             const std::vector<std::vector<double>>& f, std::span<const double> z) {
    std::size_t at = 0;
    std::vector<double> v, predictor(n_);
    for (std::size_t c = 0; c < k_; ++c) {
      v.resize(problems_[c]->used().size());
      for (double& value : v) {
        value = from[at] + length * change[at];
        ++at;
      }
      for (std::size_t i = 0; i < n_; ++i) predictor[i] = f[c][i] + length * z[c * n_ + i];
      double b = problems_[c]->intercept();
      if (options_.intercept && c + 1 < k_) {
        b = from[at] + length * change[at];
        ++at;
      }
      problems_[c]->move_to(v, predictor, b);
    }
  }

  // Computes the residuals of all classes at the same point, and the loss there.
  void settle() {
    if (options_.intercept) settle_intercepts();
    measure();
    for (std::size_t c = 0; c < k_; ++c) hold_others(c);
  }
  // Computes the loss.
  void measure() {
    exponentiate();
    loss_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < k_; ++c) sum += power_[c * n_ + i];
      loss_ += w_[i] * (std::log(sum) - (problems_[std::size_t(label_[i])]->predictor()[i] - top_[i]));
    }
  }
  // Moves all intercepts until every class's residual has mean zero.
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

  // The interface that `approach` (newton_to_gap.hpp) requires, at one penalty.
  struct AtPenalty {
    MultinomialSolver& solver;
    double alpha, l1, l2;

    auto step(double target, bool anew) { return solver.sweep(l1, l2, target, anew); }
    void look() {
      solver.settle();
      for (std::size_t c = 0; c < solver.k_; ++c) solver.screens_[c].look_at_used(solver.problems_[c]->values());
    }
    double gap(double fell) const { return alpha > 0 ? solver.gap_at(l1, l2) : std::abs(fell); }
    Changed use_likely() {
      return solver.use([&](auto& screen) { return screen.likely_violators(alpha); });
    }
    void look_at_others() {
      for (auto& screen : solver.screens_) screen.look_at_others(alpha);
    }
    Changed use_violators() {
      return solver.use([&](auto& screen) { return screen.violators(alpha); });
    }
  };

  double point(double alpha) {
    use([&](auto& screen) { return screen.foresee(alpha); });
    const double l1 = alpha * options_.l1_ratio, l2 = alpha * (1 - options_.l1_ratio);
    return approach(AtPenalty{*this, alpha, l1, l2}, options_.tol, null_loss_, 500, small_, monitor_);
  }

  // Duality gap. The dual objective at s (t - p) is the weighted sum of the entropies of (1 - s) t + s p.
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

  // Appends the present solution to the path; coefficient j of class c is column c * d + j.
  void keep(PathPoints& path, double gap) const {
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

  const M& x_;
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
PathPoints multinomial_path(const M& x, std::span<const std::int32_t> label, std::size_t n_classes,
                            std::span<const double> weight, const PathOptions& options, Monitor& monitor) {
  check(options, x.n_cols);
  if (label.size() != x.n_rows) throw std::invalid_argument("labels must have one entry per row");
  if (!weight.empty() && weight.size() != x.n_rows) throw std::invalid_argument("weights must have one entry per row");
  if (n_classes < 2 || double(n_classes) * double(x.n_cols) >= 2147483648.0)
    throw std::invalid_argument("expected at least two classes and fewer than 2^31 coefficients");
  if (!are_labels(label, n_classes)) throw std::invalid_argument("labels must be in [0, n_classes)");
  return MultinomialSolver<M>(x, label, n_classes, weight, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M)                                                                                          \
  template PathPoints multinomial_path<M>(const M&, std::span<const std::int32_t>, std::size_t, std::span<const double>, \
                                          const PathOptions&, Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)

}  // namespace vitalfew
