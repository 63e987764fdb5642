// The logistic loss of one class against the rest, seen through the rows, and proximal Newton steps on the columns in use.
// The quadratic model of a step is solved exactly from its second moments where these are cheap (few columns, or strongly
// correlated ones), else by coordinate descent on the rows. With an offset it is one class of a multinomial model, the
// others held: log Σ_l exp f_l as a function of f_k is log(1 + exp(f_k - log Σ_{l≠k} exp f_l)) up to a constant.
//
// Rows that look alike through the columns in use have the same predictor and residual, so all vectors here are by kind of row;
// rows themselves are looked at only for correlations with columns not in use.
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
  // `merge`: rows alike may be one; else there are as many kinds as rows, as an offset for each row asks.
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

  // No column, this intercept.
  void start_at(double intercept) {
    b_ = intercept;
    std::fill(f_.begin(), f_.end(), b_);
    evaluate();
  }

  // Added to the linear predictor; the residual is that with it.
  void set_offset(std::span<const double> offset) {
    offset_.assign(offset.begin(), offset.end());
    evaluate();
  }
  std::span<const double> predictor() const { return f_; }
  std::span<const std::size_t> used() const { return rows_.columns(); }
  // Other coefficients and intercept, with their linear predictor.
  void move_to(std::span<const double> v, std::span<const double> f, double intercept) {
    std::copy(v.begin(), v.end(), v_.begin());
    std::copy(f.begin(), f.end(), f_.begin());
    b_ = intercept;
  }

  double null_loss() const { return null_loss_; }
  double loss() const { return loss_; }
  double intercept() const { return b_; }
  std::span<const double> values() const { return v_; }

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

  // Products of columns with the weighted residual; those in use are known by kind of row.
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

  // Where the solution would be if it went on as it went from the penalty before the last to the last.
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

  // One proximal Newton step. Returns by how much the objective fell, and the largest h (change)² of its first pass.
  // Descent leaves columns that rest at zero. `anew`: from second moments at this very point, where they are used at all.
  std::pair<double, double> step(double l1, double l2, std::span<const double> factor, bool positive, double target,
                                 std::span<const char> is_resting, bool anew = false) {
    const double before = loss_ + penalty(v_, l1, l2, factor);
    const std::size_t m = f_.size();
    curvature_.resize(m);
    d_.resize(m);
    for (std::size_t i = 0; i < m; ++i) {
      const double p = t_[i] - r_[i];
      curvature_[i] = std::max(p * (1 - p), 1e-9);
      d_[i] = w_[i] * curvature_[i];
    }
    z_.assign(m, 0.0);
    shift_ = 0;
    from_ = v_;
    if (prefers_moments())
      solve_by_moments(l1, l2, factor, positive, anew);
    else
      descend(l1, l2, factor, positive, target, is_resting);

    // Along the step, until the objective falls as it should.
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

  // The intercept at which the residual has mean zero, which the dual needs. Returns the mean it had.
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

  // -Σ w h(s |r|) with the entropy h: the dual objective at s r.
  double dual(double scale) const { return -entropy(r_.data(), w_.data(), scale, r_.size()); }

  double penalty(std::span<const double> v, double l1, double l2, std::span<const double> factor) const {
    double sum = 0;
    for (std::size_t e = 0; e < v.size(); ++e)
      if (v[e] != 0) sum += factor_of(factor, used()[e]) * (l1 * std::abs(v[e]) + 0.5 * l2 * v[e] * v[e]);
    return sum;
  }

 private:
  static constexpr std::int32_t kUnused = -1;

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

  // Residual t - p and mean loss at the linear predictor f.
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

  // The residual by row, from that by kind.
  void spread() {
    if (is_spread_) return;
    const auto kind = rows_.kind();
    for (std::size_t i = 0; i < kind.size(); ++i) {
      Base::r_[i] = r_[std::size_t(kind[i])];
      Base::rw_[i] = Base::w_[i] * Base::r_[i];
    }
    is_spread_ = true;
  }

  // Second moments cost a product of columns for each pair and the factor; descent some passes over the columns.
  bool prefers_moments() const {
    // Moments at hand are mostly used again, so that building them is worth more than one step.
    const auto k = double(rows_.size());
    return rows_.pairs() + k * k * k / 4 <= 2.5 * passes_ * rows_.pass();
  }

  // Second moments weighted by the curvature at some point: used again while the curvature has changed little since,
  // and only extended by columns that came into use.
  struct WeightedMoments {
    std::vector<double> curvature, mean;    // p (1 - p); the columns' means weighted by it
    std::vector<std::vector<double>> rows;  // lower triangle of Σ D (x_j - m_j)(x_k - m_k)
    double total = 0;                       // ΣD
  };
  // By what share the curvature has changed since it was this.
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
  std::vector<std::int32_t> place_;  // of a column among those in use
  // By kind of row: weight, label, predictor, residual, weighted residual; curvature, weighted curvature, residual of the
  // model, step of the predictor.
  std::vector<double> w_, t_, f_, r_, rw_, curvature_, d_, u_, z_;
  bool is_spread_ = false;
  std::vector<double> v_, from_, old_, old_f_, h_, h_curvature_, offset_, total_;
  double b_ = 0, old_b_ = 0, shift_ = 0, first_ = 0, loss_ = 0, null_loss_ = 0;
  WeightedMoments moments_;
  double passes_ = 6;  // of descent that a step takes, as seen so far
};

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

// Cyclic descent on the model ½ Σ D z² - Σ rw z: u = rw - D z is its residual.
template <ColumnMatrix M>
void LogisticProblem<M>::descend(double l1, double l2, std::span<const double> factor, bool positive, double target,
                                 std::span<const char> is_resting) {
  const std::size_t k = rows_.size(), m = f_.size();
  u_ = rw_;
  if (change_since(h_curvature_) > 0.02) {  // else what is known of the columns' curvature will do
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
      if (v_[e] == 0 && (is_resting[e] || (pass > 1 && pass % 5 != 0))) continue;  // at zero it mostly stays
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
