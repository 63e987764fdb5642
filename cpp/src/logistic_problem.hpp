// The logistic loss of one class against the rest, seen through the rows, and proximal Newton steps on the columns in use.
// The quadratic model of a step is solved exactly from its second moments where these are cheap (few columns, or strongly
// correlated ones), else by coordinate descent on the rows. With an offset it is one class of a multinomial model, the
// others held: log Σ_l exp f_l as a function of f_k is log(1 + exp(f_k - log Σ_{l≠k} exp f_l)) up to a constant.
#pragma once

#include <algorithm>
#include <cmath>

#include "active_set.hpp"
#include "rows_problem.hpp"

namespace vitalfew {

template <ColumnMatrix M>
class LogisticProblem : public WeightedColumns<M> {
  using Base = WeightedColumns<M>;
  using Base::x_, Base::intercept_, Base::threads_, Base::monitor_, Base::n_, Base::w_, Base::r_, Base::rw_;

 public:
  LogisticProblem(const M& x, std::span<const double> label, std::span<const double> weight, const PathOptions& options,
                  Monitor& monitor)
      : Base(x, weight, options, monitor), t_(label.begin(), label.end()), f_(n_), d_(n_), u_(n_), z_(n_), row_loss_(n_) {
    if (label.size() != n_) throw std::invalid_argument("labels: one for each row is needed");
    for (const double t : label)
      if (t != 0 && t != 1) throw std::invalid_argument("labels must be 0 or 1");
    if constexpr (!is_dense_v<M>) entries_.resize(n_);
    start_at(0);
    const double share = vitalfew::dot(t_.data(), w_.data(), n_);
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
  std::span<const std::size_t> used() const { return used_; }
  // Other coefficients and intercept, with their linear predictor.
  void move_to(std::span<const double> v, std::span<const double> f, double intercept) {
    std::copy(v.begin(), v.end(), v_.begin());
    std::copy(f.begin(), f.end(), f_.begin());
    b_ = intercept;
  }
  std::span<const double> residual() const { return r_; }

  double null_loss() const { return null_loss_; }
  double loss() const { return loss_; }
  double intercept() const { return b_; }
  std::span<const double> values() const { return v_; }

  void use(std::span<const std::size_t> columns) {
    for (const std::size_t j : columns) {
      if constexpr (!is_dense_v<M>) {
        const auto at = std::int32_t(used_.size());
        visit_column(x_, j, [&](std::size_t i, double value) { entries_[i].emplace_back(at, value); });
      }
      used_.push_back(j);
      v_.push_back(0);
      old_.push_back(0);
    }
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
    for (std::size_t i = 0; i < n_; ++i) f_[i] += ahead * (f_[i] - old_f_[i]);
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
  // `anew`: from second moments at this very point, where they are used at all.
  std::pair<double, double> step(double l1, double l2, std::span<const double> factor, bool positive, double target,
                                 bool anew = false) {
    const double before = loss_ + penalty(v_, l1, l2, factor);
    for (std::size_t i = 0; i < n_; ++i) {
      const double p = t_[i] - r_[i];
      d_[i] = w_[i] * std::max(p * (1 - p), 1e-9);
    }
    std::fill(z_.begin(), z_.end(), 0.0);
    shift_ = 0;
    from_ = v_;
    if (prefers_moments())
      solve_by_moments(l1, l2, factor, positive, anew);
    else
      descend(l1, l2, factor, positive, target);

    // Along the step, until the objective falls as it should.
    double slope = 0;
    for (std::size_t i = 0; i < n_; ++i) slope -= rw_[i] * z_[i];
    slope += penalty(v_, l1, l2, factor) - penalty(from_, l1, l2, factor);
    const std::vector<double> f = f_, full = v_;
    const double b = b_;
    double length = 1;
    for (int trial = 0; trial < 30; ++trial, length /= 2) {
      for (std::size_t i = 0; i < n_; ++i) f_[i] = f[i] + length * z_[i];
      if (length < 1)
        for (std::size_t e = 0; e < v_.size(); ++e) v_[e] = from_[e] + length * (full[e] - from_[e]);
      b_ = b + length * shift_;
      evaluate();
      const double after = loss_ + penalty(v_, l1, l2, factor);
      if (after <= before + 1e-4 * length * std::min(slope, 0.0) + 1e-15 * before) return {before - after, first_};
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
      for (std::size_t i = 0; i < n_; ++i) {
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
  double dual(double scale) const { return -entropy(r_.data(), w_.data(), scale, n_); }

  double penalty(std::span<const double> v, double l1, double l2, std::span<const double> factor) const {
    double sum = 0;
    for (std::size_t e = 0; e < v.size(); ++e)
      if (v[e] != 0) sum += factor_of(factor, used_[e]) * (l1 * std::abs(v[e]) + 0.5 * l2 * v[e] * v[e]);
    return sum;
  }

 private:
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
      total_.resize(n_);
      for (std::size_t i = 0; i < n_; ++i) total_[i] = f_[i] + offset_[i];
      f = total_.data();
    }
    loss_ = logistic_loss(f, t_.data(), w_.data(), r_.data(), rw_.data(), row_loss_.data(), n_);
  }

  // Second moments cost a product of columns for each pair and the factor; descent some passes over the columns.
  bool prefers_moments() const {
    // Moments at hand are mostly used again, so that building them is worth more than one step.
    double pairs = 0, single = 0;
    const auto k = double(used_.size());
    if constexpr (is_dense_v<M>) {
      single = double(n_) * k;
      pairs = 0.35 * single * k;
    } else {
      for (const std::size_t j : used_) single += 3 * double(this->length(j));
      for (const auto& row : entries_) pairs += double(row.size()) * double(row.size());
    }
    return pairs + k * k * k / 4 <= 2.5 * passes_ * single;
  }

  // Second moments weighted by the curvature at some point: used again while the curvature has changed little since,
  // and only extended by columns that came into use.
  struct WeightedMoments {
    std::vector<double> d, mean;            // the curvature; the columns' means weighted by it
    std::vector<std::vector<double>> rows;  // lower triangle of Σ D (x_j - m_j)(x_k - m_k)
    double total = 0;                       // ΣD
  };
  bool is_stale() const {
    if (moments_.rows.empty()) return true;
    double change = 0, total = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      change += std::abs(d_[i] - moments_.d[i]);
      total += d_[i];
    }
    return change > 0.1 * total;
  }
  void refresh_moments(bool anew);
  void solve_by_moments(double l1, double l2, std::span<const double> factor, bool positive, bool anew);
  void descend(double l1, double l2, std::span<const double> factor, bool positive, double target);

  std::vector<double> t_, f_, d_, u_, z_,
      row_loss_;  // labels, predictor, curvature weights, model's residual, step of the predictor
  std::vector<std::size_t> used_;
  std::vector<std::vector<std::pair<std::int32_t, double>>> entries_;
  std::vector<double> v_, from_, old_, old_f_, h_, offset_, total_;
  double b_ = 0, old_b_ = 0, shift_ = 0, first_ = 0, loss_ = 0, null_loss_ = 0;
  WeightedMoments moments_;
  double passes_ = 6;  // of descent that a step takes, as seen so far
};

template <ColumnMatrix M>
void LogisticProblem<M>::refresh_moments(bool anew) {
  if (anew || is_stale()) {
    moments_ = {d_, {}, {}, 0};
    for (const double d : d_) moments_.total += d;
  }
  auto& [d, mean, rows, total] = moments_;
  const std::size_t before = rows.size(), k = used_.size();
  if (before == k) return;
  rows.resize(k);
  for (std::size_t e = before; e < k; ++e) {
    rows[e].assign(e + 1, 0.0);
    mean.push_back(intercept_ ? x_.dot(used_[e], d) / total : 0.0);
  }
  if constexpr (is_dense_v<M>) {
    const std::size_t groups = (k - before + 3) / 4;
    const std::size_t blocks = blocks_for(4 * double(groups) * double(k) * double(n_), groups);
    parallel_blocks(blocks, threads_, monitor_, [&](std::size_t block) {
      std::vector<double> v(4 * n_);
      for (std::size_t g = block; g < groups; g += blocks) {
        const std::size_t first = before + 4 * g, count = std::min<std::size_t>(4, k - first);
        for (std::size_t q = 0; q < count; ++q) {
          const auto* column = x_.data.data() + used_[first + q] * n_;
          for (std::size_t i = 0; i < n_; ++i) v[q * n_ + i] = d[i] * (double(column[i]) - mean[first + q]);
        }
        for (std::size_t e = 0; e < first + count; ++e) {
          double out[4];
          dot4(x_.data.data() + used_[e] * n_, v.data(), n_, out);
          for (std::size_t q = 0; q < count; ++q)
            if (e <= first + q) rows[first + q][e] = out[q];
        }
      }
    });
  } else {
    const std::size_t blocks = std::min<std::size_t>(4, blocks_for(4 * double(x_.pattern.index.size()), n_));
    const std::size_t size = k * (k + 1) / 2 - before * (before + 1) / 2;
    std::vector<std::vector<double>> parts(blocks, std::vector<double>(size));
    parallel_blocks(blocks, threads_, monitor_, [&](std::size_t block) {
      double* const sum = parts[block].data();
      for (std::size_t i = n_ * block / blocks; i < n_ * (block + 1) / blocks; ++i) {
        const auto& row = entries_[i];
        for (std::size_t a = row.size(); a-- > 0;) {  // positions rise within a row
          const auto e = std::size_t(row[a].first);
          if (e < before) break;
          double* const line = sum + e * (e + 1) / 2 - before * (before + 1) / 2;
          const double weighted = d[i] * row[a].second;
          for (std::size_t c = 0; c <= a; ++c) line[row[c].first] += weighted * row[c].second;
        }
      }
    });
    for (std::size_t e = before; e < k; ++e)
      for (std::size_t c = 0; c <= e; ++c) {
        double sum = 0;
        for (const auto& part : parts) sum += part[e * (e + 1) / 2 - before * (before + 1) / 2 + c];
        rows[e][c] = sum - total * mean[e] * mean[c];
      }
  }
}

template <ColumnMatrix M>
void LogisticProblem<M>::solve_by_moments(double l1, double l2, std::span<const double> factor, bool positive, bool anew) {
  refresh_moments(anew);
  const auto& [d, mean, rows, total] = moments_;
  const std::size_t k = used_.size();
  double off = 0;
  if (intercept_)
    for (const double r : rw_) off += r;
  ActiveSet set;
  for (std::size_t e = 0; e < k; ++e)
    set.add(rows[e], factor_of(factor, used_[e]), x_.dot(used_[e], rw_) - mean[e] * off, positive);
  set.start(v_, l2);
  set.solve(l1, l2);
  std::copy(set.values().begin(), set.values().end(), v_.begin());
  first_ = 0;
  for (std::size_t e = 0; e < k; ++e) {
    const double change = v_[e] - from_[e];
    if (change == 0) continue;
    first_ = std::max(first_, rows[e][e] * change * change);
    x_.axpy(change, used_[e], z_);
    shift_ -= change * mean[e];
  }
  if (!intercept_) return;
  shift_ += off / total;
  for (double& z : z_) z += shift_;
}

// Cyclic descent on the model ½ Σ D z² - Σ rw z: u = rw - D z is its residual.
template <ColumnMatrix M>
void LogisticProblem<M>::descend(double l1, double l2, std::span<const double> factor, bool positive, double target) {
  const std::size_t k = used_.size();
  u_ = rw_;
  h_.assign(k, 0.0);
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
      for (std::size_t i = 0; i < n_; ++i) u_[i] -= change * d_[i], z_[i] += change;
      most = total * change * change;
    }
    for (std::size_t e = 0; e < k; ++e) {
      if (pass > 1 && v_[e] == 0 && pass % 5 != 0) continue;  // at zero it mostly stays
      const std::size_t j = used_[e];
      double g = 0;
      if (pass == 1) {
        if constexpr (is_dense_v<M>) {
          const auto* column = x_.data.data() + j * n_;
          g = vitalfew::dot(column, u_.data(), n_);
          h_[e] = weighted_square(column, d_.data(), 0, n_);
        } else {
          visit_column(x_, j, [&](std::size_t i, double value) {
            g += value * u_[i];
            h_[e] += d_[i] * value * value;
          });
        }
      } else {
        g = x_.dot(j, u_);
      }
      const double f = factor_of(factor, j), to = h_[e] * v_[e] + g, held = l1 * f;
      double next = 0;
      if (to > held)
        next = (to - held) / (h_[e] + l2 * f);
      else if (to < -held && !positive)
        next = (to + held) / (h_[e] + l2 * f);
      const double change = next - v_[e];
      if (change == 0) continue;
      v_[e] = next;
      if constexpr (is_dense_v<M>) {
        axpy_pair(change, x_.data.data() + j * n_, d_.data(), u_.data(), z_.data(), n_);
      } else {
        visit_column(x_, j, [&](std::size_t i, double value) {
          u_[i] -= change * value * d_[i];
          z_[i] += change * value;
        });
      }
      most = std::max(most, h_[e] * change * change);
    }
    if (pass == 1) first_ = most;
    if (most <= std::max(0.1 * first_, target)) break;
    monitor_.check();
  }
  passes_ = std::clamp(0.5 * passes_ + 0.5 * pass, 3.0, 100.0);
}

}  // namespace vitalfew
