// The logistic loss of one class against the rest, and proximal Newton steps on the columns in use. With p the probability,
// r = t - p the residual and D = w p (1 - p), a step minimizes over (v, b) the quadratic model
//
//   ½ Σ D z² - Σ w r z + penalty(v),   z the change of the linear predictor,
//
// and ends with a backtracking line search (Friedman, Hastie & Tibshirani, 2010; Lee, Sun & Saunders, 2014). The model is
// solved exactly from its second moments where these are cheap (few columns, or strongly correlated ones), otherwise by
// coordinate descent on the rows. With an offset this is one class of a multinomial model, the others held: as a function of
// f_k, log Σ_l exp f_l is log(1 + exp(f_k - log Σ_{l≠k} exp f_l)) up to a constant.
//
// Rows that agree in all columns in use and in the label have the same predictor and residual. All vectors here are therefore
// by kind of row; single rows are read only for correlations with columns not in use. A pass of descent costs one reading of
// the columns in use, second moments one product for each pair of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "linear/active_set.hpp"
#include "linear/row_groups.hpp"

namespace vitalfew {

template <ColumnMatrix M>
class LogisticProblem : public WeightedColumns<M> {
  using Base = WeightedColumns<M>;
  using Base::x_, Base::intercept_, Base::threads_, Base::monitor_;

 public:
  // With `merge`, equal rows are merged into one kind; without it each row is a kind, as an offset by row requires.
  LogisticProblem(const M& x, std::span<const double> label, std::span<const double> weight, const PathOptions& options,
                  Monitor& monitor, bool merge)
      : Base(x, weight, options, monitor), rows_(x, label, merge), place_(x.n_cols, kUnused) {
    for (const double t : label)
      if (t != 0 && t != 1) throw std::invalid_argument("labels must be 0 or 1");
    t_.resize(rows_.n_kinds());
    for (std::size_t i = 0; i < label.size(); ++i) t_[std::size_t(rows_.kind()[i])] = label[i];
    w_ = rows_.sums(Base::w_);
    f_.resize(t_.size());
    start_at(0);
    const double share = vitalfew::dot(t_.data(), w_.data(), t_.size());
    if (intercept_ && share > 0 && share < 1) start_at(std::log(share / (1 - share)));
    null_loss_ = loss_;
  }

  // Sets the model to this intercept alone.
  void start_at(double intercept) {
    b_ = intercept;
    std::fill(f_.begin(), f_.end(), b_);
    evaluate();
  }

  // Sets an offset that is added to the linear predictor, and recomputes the residual.
  void set_offset(std::span<const double> offset) {
    offset_.assign(offset.begin(), offset.end());
    evaluate();
  }
  std::span<const double> predictor() const { return f_; }
  std::span<const std::size_t> used() const { return rows_.columns(); }
  // Sets coefficients and intercept, given their linear predictor. The residual is not recomputed.
  void move_to(std::span<const double> v, std::span<const double> f, double intercept) {
    std::copy(v.begin(), v.end(), v_.begin());
    std::copy(f.begin(), f.end(), f_.begin());
    b_ = intercept;
  }

  double null_loss() const { return null_loss_; }
  double loss() const { return loss_; }
  double intercept() const { return b_; }
  std::span<const double> values() const { return v_; }

  // Adds columns to those in use. If they split kinds of rows, every vector by kind is expanded.
  void use(std::span<const std::size_t> columns) {
    for (const std::size_t j : columns) {
      place_[j] = std::int32_t(v_.size());
      v_.push_back(0);
      old_.push_back(0);
    }
    const auto origin = rows_.use(columns);
    if (origin.empty()) return;
    for (auto* by_kind : {&t_, &f_, &r_, &old_f_, &moments_.curvature, &h_curvature_})
      if (!by_kind->empty()) *by_kind = taken(*by_kind, origin);
    w_ = rows_.sums(Base::w_);
    rw_.resize(r_.size());
    for (std::size_t i = 0; i < r_.size(); ++i) rw_[i] = w_[i] * r_[i];
  }

  // Products of columns with the weighted residual; for columns in use, by kind of row.
  void correlations(std::span<const std::size_t> columns, std::span<double> c) {
    if (std::any_of(columns.begin(), columns.end(), [&](std::size_t j) { return place_[j] == kUnused; })) spread();
    this->correlate(columns, c, [&](std::size_t j) {
      return place_[j] == kUnused ? x_.dot(j, Base::rw_) : rows_.dot(std::size_t(place_[j]), rw_);
    });
  }
  Step moved() {
    spread();
    return Base::moved();
  }

  // Extrapolates the solution linearly from the last two penalties; kept only if the objective does not rise.
  void extrapolate(double ahead, double l1, double l2, std::span<const double> factor) {
    if (old_f_.empty() || ahead <= 0) {
      remember();
      return;
    }
    const double before = loss_ + penalty(v_, l1, l2, factor);
    const std::vector<double> v = v_, f = f_;
    const double b = b_;
    for (std::size_t e = 0; e < v_.size(); ++e) v_[e] += ahead * (v_[e] - old_[e]);
    for (std::size_t i = 0; i < f_.size(); ++i) f_[i] += ahead * (f_[i] - old_f_[i]);
    b_ += ahead * (b_ - old_b_);
    evaluate();
    if (!(loss_ + penalty(v_, l1, l2, factor) <= before)) {
      v_ = v;
      f_ = f;
      b_ = b;
      evaluate();
    }
    old_ = v;
    old_f_ = f;
    old_b_ = b;
  }

  // Takes one proximal Newton step. Returns the decrease of the objective and the largest h (change)² of its first pass.
  // Descent leaves resting columns at zero. With `anew`, second moments, where used, are computed at this point.
  std::pair<double, double> step(double l1, double l2, std::span<const double> factor, bool positive, double target,
                                 std::span<const char> is_resting, bool anew = false) {
    const double before = loss_ + penalty(v_, l1, l2, factor);
    // 1. Curvature p (1 - p) of the loss, bounded away from zero.
    const std::size_t m = f_.size();
    curvature_.resize(m);
    d_.resize(m);
    for (std::size_t i = 0; i < m; ++i) {
      const double p = t_[i] - r_[i];
      curvature_[i] = std::max(p * (1 - p), 1e-9);
      d_[i] = w_[i] * curvature_[i];
    }
    // 2. Minimum of the quadratic model.
    z_.assign(m, 0.0);
    shift_ = 0;
    from_ = v_;
    if (prefers_moments())
      solve_by_moments(l1, l2, factor, positive, anew);
    else
      descend(l1, l2, factor, positive, target, is_resting);

    // 3. Backtracking line search, until the objective falls by 1e-4 of the predicted decrease (Armijo rule).
    double slope = 0;
    for (std::size_t i = 0; i < m; ++i) slope -= rw_[i] * z_[i];
    slope += penalty(v_, l1, l2, factor) - penalty(from_, l1, l2, factor);
    const std::vector<double> f = f_, full = v_;
    const double b = b_;
    double length = 1;
    for (int trial = 0; trial < 30; ++trial, length /= 2) {
      for (std::size_t i = 0; i < m; ++i) f_[i] = f[i] + length * z_[i];
      if (length < 1)
        for (std::size_t e = 0; e < v_.size(); ++e) v_[e] = from_[e] + length * (full[e] - from_[e]);
      b_ = b + length * shift_;
      evaluate();
      const double after = loss_ + penalty(v_, l1, l2, factor);
      if (after <= before + 1e-4 * length * std::min(slope, 0.0) + 1e-14 * before) return {before - after, first_};
    }
    v_ = from_;
    f_ = f;
    b_ = b;
    evaluate();
    return {0, first_};
  }

  // Moves the intercept so that the residual has mean zero, as dual feasibility requires. Returns the mean it had before.
  double settle_intercept() {
    double first = 0;
    for (int turn = 0; intercept_ && turn < 20; ++turn) {
      double gradient = 0, curvature = 0;
      for (std::size_t i = 0; i < f_.size(); ++i) {
        const double p = t_[i] - r_[i];
        gradient += rw_[i];
        curvature += w_[i] * p * (1 - p);
      }
      if (turn == 0) first = std::abs(gradient);
      if (std::abs(gradient) <= 1e-14 || !(curvature > 1e-12)) break;
      const double shift = std::clamp(gradient / curvature, -1.0, 1.0);
      b_ += shift;
      for (double& f : f_) f += shift;
      evaluate();
    }
    this->drift_ = 0;
    if (intercept_)
      for (const double r : rw_) this->drift_ += r;
    return first;
  }

  // The dual objective at s r: -Σ w (a log a + (1 - a) log(1 - a)), a = s |r|.
  double dual(double scale) const { return -entropy(r_.data(), w_.data(), scale, r_.size()); }

  double penalty(std::span<const double> v, double l1, double l2, std::span<const double> factor) const {
    double sum = 0;
    for (std::size_t e = 0; e < v.size(); ++e)
      if (v[e] != 0) sum += factor_of(factor, used()[e]) * (l1 * std::abs(v[e]) + 0.5 * l2 * v[e] * v[e]);
    return sum;
  }

 private:
  static constexpr std::int32_t kUnused = -1;

  // found[i] = v[origin[i]].
  static std::vector<double> taken(std::span<const double> v, std::span<const std::int32_t> origin) {
    std::vector<double> found(origin.size());
    for (std::size_t i = 0; i < origin.size(); ++i) found[i] = v[std::size_t(origin[i])];
    return found;
  }
  static double factor_of(std::span<const double> factor, std::size_t j) { return factor.empty() ? 1.0 : factor[j]; }

  void remember() {
    old_ = v_;
    old_f_ = f_;
    old_b_ = b_;
  }

  // Computes the residual t - p and the mean loss at the linear predictor f.
  void evaluate() {
    const double* f = f_.data();
    if (!offset_.empty()) {
      total_.resize(f_.size());
      for (std::size_t i = 0; i < f_.size(); ++i) total_[i] = f_[i] + offset_[i];
      f = total_.data();
    }
    r_.resize(f_.size());
    rw_.resize(f_.size());
    loss_ = logistic_loss(f, t_.data(), w_.data(), r_.data(), rw_.data(), f_.size());
    is_spread_ = false;
  }

  // Expands the residual from kinds to rows.
  void spread() {
    if (is_spread_) return;
    const auto kind = rows_.kind();
    for (std::size_t i = 0; i < kind.size(); ++i) {
      Base::r_[i] = r_[std::size_t(kind[i])];
      Base::rw_[i] = Base::w_[i] * Base::r_[i];
    }
    is_spread_ = true;
  }

  // Whether second moments are cheaper: they cost a product for each pair of columns and a factorization, descent a few
  // passes over the columns.
  bool prefers_moments() const {
    // Moments are mostly reused in later steps, so building them may cost more than one step of descent.
    const auto k = double(rows_.size());
    return rows_.pairs() + k * k * k / 4 <= 2.5 * passes_ * rows_.pass();
  }

  // Second moments weighted by the curvature at some point. They are reused while the curvature has changed little, and then
  // only extended by columns added since.
  struct WeightedMoments {
    std::vector<double> curvature, mean;    // p (1 - p); the columns' means weighted by it
    std::vector<std::vector<double>> rows;  // lower triangle of Σ D (x_j - m_j)(x_k - m_k)
    double total = 0;                       // ΣD
  };
  // Relative change of the curvature since it had these values.
  double change_since(std::span<const double> curvature) const {
    if (curvature.empty()) return 1;
    double change = 0, total = 0;
    for (std::size_t i = 0; i < d_.size(); ++i) {
      change += w_[i] * std::abs(curvature_[i] - curvature[i]);
      total += d_[i];
    }
    return change / total;
  }
  void refresh_moments(bool anew);
  void solve_by_moments(double l1, double l2, std::span<const double> factor, bool positive, bool anew);
  void descend(double l1, double l2, std::span<const double> factor, bool positive, double target,
               std::span<const char> is_resting);

  AlikeRows<M> rows_;
  std::vector<std::int32_t> place_;  // position of a column among those in use
  // By kind of row: weight, label, predictor, residual, weighted residual; curvature, weighted curvature, residual of the
  // model, step of the predictor.
  std::vector<double> w_, t_, f_, r_, rw_, curvature_, d_, u_, z_;
  bool is_spread_ = false;
  std::vector<double> v_, from_, old_, old_f_, h_, h_curvature_, offset_, total_;
  double b_ = 0, old_b_ = 0, shift_ = 0, first_ = 0, loss_ = 0, null_loss_ = 0;
  WeightedMoments moments_;
  double passes_ = 6;  // running mean of the passes of descent a step takes
};

// Recomputes the moments if the curvature changed by more than 20 percent; otherwise adds the rows of new columns.
template <ColumnMatrix M>
void LogisticProblem<M>::refresh_moments(bool anew) {
  if (anew || change_since(moments_.curvature) > 0.2) moments_ = {curvature_, {}, {}, 0};
  auto& [curvature, mean, rows, total] = moments_;
  const std::size_t before = rows.size();
  if (before == rows_.size()) return;
  std::vector<double> d(curvature.size());
  total = 0;
  for (std::size_t i = 0; i < d.size(); ++i) total += d[i] = w_[i] * curvature[i];
  for (std::size_t e = before; e < rows_.size(); ++e) mean.push_back(intercept_ ? rows_.dot(e, d) / total : 0.0);
  for (auto& row : rows_.products(before, d, mean, threads_, monitor_)) rows.push_back(std::move(row));
}

// Exact minimum of the model. The intercept is eliminated by centering: its step is Σrw / ΣD - Σ_e m_e (change of v_e).
template <ColumnMatrix M>
void LogisticProblem<M>::solve_by_moments(double l1, double l2, std::span<const double> factor, bool positive, bool anew) {
  refresh_moments(anew);
  const auto& [curvature, mean, rows, total] = moments_;
  const std::size_t k = rows_.size();
  double off = 0;
  if (intercept_)
    for (const double r : rw_) off += r;
  ActiveSet set;
  for (std::size_t e = 0; e < k; ++e) set.add(rows[e], factor_of(factor, used()[e]), rows_.dot(e, rw_) - mean[e] * off, positive);
  set.start(v_, l2);
  set.solve(l1, l2);
  std::copy(set.values().begin(), set.values().end(), v_.begin());
  first_ = 0;
  for (std::size_t e = 0; e < k; ++e) {
    const double change = v_[e] - from_[e];
    if (change == 0) continue;
    first_ = std::max(first_, rows[e][e] * change * change);
    rows_.axpy(change, e, z_);
    shift_ -= change * mean[e];
  }
  if (!intercept_) return;
  shift_ += off / total;
  for (double& z : z_) z += shift_;
}

// Cyclic coordinate descent (Friedman et al., 2010) on the model ½ Σ D z² - Σ rw z, whose residual is u = rw - D z.
template <ColumnMatrix M>
void LogisticProblem<M>::descend(double l1, double l2, std::span<const double> factor, bool positive, double target,
                                 std::span<const char> is_resting) {
  const std::size_t k = rows_.size(), m = f_.size();
  u_ = rw_;
  if (change_since(h_curvature_) > 0.02) {  // otherwise the h_j = Σ D x_j² of earlier steps are close enough
    h_.clear();
    h_curvature_ = curvature_;
  }
  h_.resize(k, 0.0);
  double total = 0;
  for (const double d : d_) total += d;
  int pass = 0;
  while (++pass <= 100) {
    double most = 0;
    if (intercept_) {
      double sum = 0;
      for (const double u : u_) sum += u;
      const double change = sum / total;
      shift_ += change;
      for (std::size_t i = 0; i < m; ++i) u_[i] -= change * d_[i], z_[i] += change;
      most = total * change * change;
    }
    for (std::size_t e = 0; e < k; ++e) {
      if (v_[e] == 0 && (is_resting[e] || (pass > 1 && pass % 5 != 0))) continue;  // zeros mostly stay zero
      const std::size_t j = used()[e];
      double g = 0;
      if (h_[e] == 0)
        std::tie(g, h_[e]) = rows_.dot_and_square(e, u_, d_);
      else
        g = rows_.dot(e, u_);
      const double f = factor_of(factor, j), to = h_[e] * v_[e] + g, held = l1 * f;
      double next = 0;
      if (to > held)
        next = (to - held) / (h_[e] + l2 * f);
      else if (to < -held && !positive)
        next = (to + held) / (h_[e] + l2 * f);
      const double change = next - v_[e];
      if (change == 0) continue;
      v_[e] = next;
      rows_.axpy_pair(change, e, d_, u_, z_);
      most = std::max(most, h_[e] * change * change);
    }
    if (pass == 1) first_ = most;
    if (most <= std::max(0.1 * first_, target)) break;
    monitor_.check();
  }
  passes_ = std::clamp(0.5 * passes_ + 0.5 * pass, 3.0, 100.0);
}

}  // namespace vitalfew
