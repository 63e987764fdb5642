// The perspective relaxation of best-subset regression, solved by ADMM, and the choice of its diagonal D (see relaxation.hpp).
// An iteration of ADMM costs O(p²), the choice of D O(p³).
#include "subset/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/cholesky.hpp"

namespace vitalfew {
namespace {

constexpr double kRidge = 1e-12;  // added to a singular diagonal of ones; the smallest that Cholesky pivots survive

// Returns the inverse of a symmetric matrix; empty if it is not positive definite.
std::vector<double> inverse_of(std::span<const double> a, std::size_t p) {
  Cholesky factor;
  for (std::size_t i = 0; i < p; ++i)
    if (!factor.append(a.subspan(i * p, i), a[i * p + i], 1e-13)) return {};
  std::vector<double> inverse(p * p, 0.0);
  for (std::size_t i = 0; i < p; ++i) {
    inverse[i * p + i] = 1;
    factor.solve({inverse.data() + i * p, p});
  }
  return inverse;
}

// Returns the t for which Σ clamp(t rise_j - start_j, 0, 1) = `wanted`, by safeguarded Newton steps on this piecewise linear
// function. `guess` is a starting value, or zero.
double step_for(std::span<const double> rise, std::span<const double> start, double wanted, double guess) {
  const double widest = *std::max_element(rise.begin(), rise.end());
  if (!(widest > 0)) return guess;
  double t = guess > 0 ? guess : 1 / widest, low = 0, high = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 60; ++turn) {
    double sum = 0, slope = 0;
    for (std::size_t j = 0; j < rise.size(); ++j) {
      const double z = t * rise[j] - start[j];
      sum += std::clamp(z, 0.0, 1.0);
      slope += z > 0 && z < 1 ? rise[j] : 0;
    }
    const double missing = wanted - sum;
    if (std::abs(missing) < 1e-7) break;
    (missing > 0 ? low : high) = t;
    double next = slope > 0 ? t + missing / slope : (missing > 0 ? 2 * t : 0.5 * t);
    if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2 * t;
    t = next;
    if (high - low < 1e-12 * high) break;
  }
  return t;
}

}  // namespace

Relaxation::Relaxation(std::vector<double> gram, std::vector<double> cross)
    : p_(cross.size()), gram_(std::move(gram)), cross_(std::move(cross)) {}

Relaxation Relaxation::restricted(std::span<const std::size_t> columns) const {
  std::vector<double> gram, cross, d;
  gram.reserve(columns.size() * columns.size());
  for (const std::size_t a : columns) {
    cross.push_back(cross_[a]);
    if (!d_.empty()) d.push_back(d_[a]);
    for (const std::size_t b : columns) gram.push_back(gram_[a * p_ + b]);
  }
  Relaxation part(std::move(gram), std::move(cross));
  part.d_ = std::move(d);
  part.ridge_ = ridge_;
  return part;
}

// If some column is a combination of others, a ridge makes the bound finite. The bound then misses at most ridge |β|² of what a
// linearly independent subset with coefficients β explains. The moments that losses are computed from have no ridge.
std::vector<double> Relaxation::inverse_of_gram() {
  std::vector<double> inverse = inverse_without(0);
  for (double ridge = kRidge; inverse.empty() && ridge < 1e-8; ridge *= 10) {
    ridge_ = ridge;
    inverse = inverse_without(0);
  }
  return inverse;
}

std::vector<double> Relaxation::inverse_without(double share) const {
  std::vector<double> shifted = gram_;
  for (std::size_t j = 0; j < p_; ++j) shifted[j * p_ + j] += ridge_ - (d_.empty() ? 0 : share * d_[j]);
  return inverse_of(shifted, p_);
}

// Maximizes Σ want_j D_j + μ (log det(G - D) + Σ log D_j) by coordinate ascent, a barrier method for max wantᵀD subject to
// G - D positive semidefinite. Each coordinate has a closed form, and a rank-one update maintains the inverse of G - D.
void Relaxation::split(std::span<const double> want) {
  if (d_.empty()) return;
  std::vector<double> inverse, old(p_);
  for (double& value : d_) value *= 0.7;  // start well inside the feasible region
  const double most = *std::max_element(want.begin(), want.end());
  for (int sweep = 0; sweep < 3; ++sweep) {
    inverse = inverse_without(1);
    if (inverse.empty()) break;
    double total = 0;
    for (std::size_t j = 0; j < p_; ++j) total += (want[j] / most + 1e-3) * d_[j];
    const double mu = total / double(p_);
    for (std::size_t j = 0; j < p_; ++j) {
      std::copy_n(inverse.data() + j * p_, p_, old.data());
      // g - μ P / (1 - δP) + μ / (D + δ) = 0, the root with 0 < D + δ and δP < 1: with y = D + δ and e = 1 + DP,
      // g y (e - yP) - μ P y + μ (e - yP) = 0.
      const double pivot = old[j], g = want[j] / most + 1e-3, e = 1 + d_[j] * pivot;
      const double a = g * pivot, b = g * e - 2 * mu * pivot, c = mu * e;
      const double y = (b + std::sqrt(b * b + 4 * a * c)) / (2 * a);
      const double delta = std::clamp(y - d_[j], -0.9 * d_[j], 0.9 / pivot), times = delta / (1 - delta * pivot);
      d_[j] += delta;
      for (std::size_t i = 0; i < p_; ++i) axpy(times * old[i], old.data(), inverse.data() + i * p_, p_);
    }
  }
  settle(1 - 1e-6);
}

// D_j = 1 / ((G⁻¹)_jj λ), where λ is the largest eigenvalue of G⁻¹ scaled to a unit diagonal, by power iteration.
void Relaxation::split_evenly() {
  d_.clear();
  const std::vector<double> inverse = inverse_of_gram();
  if (inverse.empty()) return;
  std::vector<double> root, v(p_, 1.0), next(p_);
  for (std::size_t j = 0; j < p_; ++j) root.push_back(1 / std::sqrt(inverse[j * p_ + j]));
  double largest = 1;  // eigenvalue of the inverse with ones on its diagonal
  for (int turn = 0; turn < 40; ++turn) {
    for (std::size_t j = 0; j < p_; ++j) next[j] = v[j] * root[j];
    for (std::size_t j = 0; j < p_; ++j) v[j] = root[j] * dot(inverse.data() + j * p_, next.data(), p_);
    largest = std::sqrt(dot(v.data(), v.data(), p_));
    for (double& value : v) value /= largest;
  }
  for (std::size_t j = 0; j < p_; ++j) d_.push_back(root[j] * root[j] / largest);
  settle(0.98);
}

// Scales D until Q = G - D is positive definite, and prepares what bounds need: ρ and (Q + ρI)⁻¹. If no scale works, as with
// overflow, D is cleared and there are no bounds.
void Relaxation::settle(double share) {
  while (inverse_without(share).empty()) {
    share *= 0.9;
    if (share < 1e-12) return d_.clear();
  }
  double mean = 0;
  for (double& value : d_) mean += (value *= share) / double(p_);
  rho_ = 2 * std::sqrt(std::max(mean, 1e-12));  // between the curvatures that ADMM meets
  root_.resize(p_);
  for (std::size_t j = 0; j < p_; ++j) root_[j] = std::sqrt(d_[j]);
  std::vector<double> shifted = gram_;
  for (std::size_t j = 0; j < p_; ++j) shifted[j * p_ + j] += ridge_ + rho_ - d_[j];
  inverse_ = inverse_of(shifted, p_);
}

// At the solution of the relaxation, the bound falls by v_j² (1 / z_j - 1) for each unit of D_j.
std::vector<double> Relaxation::wanted(const Bound& bound, const Approach& at) const {
  std::vector<double> want(p_, 0.0);
  for (std::size_t j = 0; j < p_; ++j)
    if (bound.share[j] > 1e-6) want[j] = double(at.v[j]) * double(at.v[j]) * (1 / bound.share[j] - 1);
  if (*std::max_element(want.begin(), want.end()) <= 0) std::fill(want.begin(), want.end(), 1.0);
  return want;
}

// ADMM with the splitting x = v: x minimizes the quadratic part, v the perspective part with shares z, and w is the scaled dual.
Bound Relaxation::bound(std::span<const Fate> fate, std::size_t n_free, double needed, int turns, Approach& at) const {
  Bound best{std::numeric_limits<double>::infinity(), std::vector<double>(p_, 0.0), std::vector<double>(p_, 0.0)};
  if (at.v.size() != p_) at.v.assign(p_, 0), at.w.assign(p_, 0);
  if (d_.empty() || inverse_.empty()) return best;
  std::vector<double> v(at.v.begin(), at.v.end()), w(at.w.begin(), at.w.end()), x(p_), right(p_), term(p_), share(p_), open, rise,
      start;
  double step = 0;  // multiplier of the shares: z_j = clamp(step |a_j| sqrt(D_j) - D_j / ρ, 0, 1)
  int since = 0;
  for (int turn = 0; turn < turns; ++turn) {
    // 1. x = (Q + ρI)⁻¹ (c + ρ (v - w)).
    for (std::size_t j = 0; j < p_; ++j) right[j] = cross_[j] + rho_ * (v[j] - w[j]);
    for (std::size_t j = 0; j < p_; ++j) x[j] = dot(inverse_.data() + j * p_, right.data(), p_);
    // 2. The bound at u = x: uᵀQu, the terms of the columns that are in, and the n_free largest terms of the free ones.
    double most = 0;
    open.clear();
    for (std::size_t j = 0; j < p_; ++j) {
      const double q = right[j] - rho_ * x[j], left = cross_[j] - q;
      term[j] = left * left / d_[j];
      if (std::isnan(term[j])) return best;  // overflow: no bound
      most += x[j] * q;
      if (fate[j] == Fate::in) most += term[j];
      if (fate[j] == Fate::free) open.push_back(term[j]);
    }
    const std::size_t count = std::min(n_free, open.size());
    if (count < open.size()) std::nth_element(open.begin(), open.begin() + std::ptrdiff_t(count), open.end(), std::greater<>());
    for (std::size_t e = 0; e < count; ++e) most += open[e];
    since = most < best.most - 1e-2 * std::abs(best.most - needed) ? 0 : since + 1;
    if (most < best.most) {
      best.most = most;
      best.term = term;
    }
    // 3. v and the shares z that minimize the perspective part at a = x + w; the shares of free columns add up to n_free.
    rise.clear();
    start.clear();
    for (std::size_t j = 0; j < p_; ++j) {
      right[j] = x[j] + w[j];  // a
      if (fate[j] != Fate::free) continue;
      rise.push_back(std::abs(right[j]) * root_[j]);
      start.push_back(d_[j] / rho_);
    }
    if (rise.size() > n_free) step = step_for(rise, start, double(n_free), step);
    for (std::size_t j = 0; j < p_; ++j) {
      const double a = right[j];
      double z = fate[j] == Fate::in ? 1 : 0;
      if (fate[j] == Fate::free)
        z = rise.size() <= n_free ? 1 : std::clamp(step * std::abs(a) * root_[j] - d_[j] / rho_, 0.0, 1.0);
      share[j] = z;
      v[j] = z > 0 ? rho_ * a * z / (rho_ * z + d_[j]) : 0;
      w[j] = a - v[j];
    }
    if (best.most < needed || since > 3) break;
  }
  best.share = std::move(share);
  at.v.assign(v.begin(), v.end());
  at.w.assign(w.begin(), w.end());
  return best;
}

}  // namespace vitalfew
