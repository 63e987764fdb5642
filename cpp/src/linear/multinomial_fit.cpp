// Newton's method for the unpenalized multinomial loss (see multinomial_fit.hpp).
#include "linear/multinomial_fit.hpp"

namespace vitalfew {

// Computes probabilities, loss and slopes. The maximum of each row's predictors is taken out of the exponents; the first class
// has predictor zero. O(n k m) for k columns and m outputs.
void ClassModel::evaluate(std::span<const double* const> columns, std::span<const double> theta, State& state) const {
  const std::size_t k = columns.size();
  state.p.assign(n_ * m_, 0.0);
  for (std::size_t c = 0; c < m_; ++c)
    for (std::size_t a = 0; a < k; ++a)
      if (theta[c * k + a] != 0) axpy(theta[c * k + a], columns[a], state.p.data() + c * n_, n_);
  double loss = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double top = 0;
    for (std::size_t c = 0; c < m_; ++c) top = std::max(top, state.p[c * n_ + i]);
    double sum = std::exp(-top);
    const double own = label_[i] == 0 ? 0 : state.p[std::size_t(label_[i] - 1) * n_ + i];
    for (std::size_t c = 0; c < m_; ++c) {
      double& p = state.p[c * n_ + i];
      p = std::exp(p - top);
      sum += p;
    }
    for (std::size_t c = 0; c < m_; ++c) state.p[c * n_ + i] /= sum;
    loss += w_[i] * (std::log(sum) + top - own);
  }
  state.loss = loss;
  state.slope.assign(m_ * k, 0.0);
  for (std::size_t c = 0; c < m_; ++c) {
    const Column r = residual(state, c);
    for (std::size_t a = 0; a < k; ++a) state.slope[c * k + a] = dot(columns[a], r.data(), n_);
  }
}

// Lower triangle of H, blocks (c, b): Σ_i w_i p_ic (δ_cb - p_ib) x_i x_iᵀ. O(n k² m²).
std::vector<double> ClassModel::curvature(std::span<const double* const> columns, const State& state) const {
  const std::size_t k = columns.size(), size = m_ * k;
  std::vector<double> bend(size * size, 0.0), weighted(n_), share(n_);
  for (std::size_t c = 0; c < m_; ++c)
    for (std::size_t b = 0; b <= c; ++b) {
      const double* const p = state.p.data() + c * n_;
      const double* const q = state.p.data() + b * n_;
      for (std::size_t i = 0; i < n_; ++i) share[i] = w_[i] * p[i] * (double(b == c) - q[i]);
      for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t i = 0; i < n_; ++i) weighted[i] = share[i] * columns[a][i];
        for (std::size_t e = 0; e < (b == c ? a + 1 : k); ++e)
          bend[(c * k + a) * size + b * k + e] = dot(columns[e], weighted.data(), n_);
      }
    }
  return bend;
}

// ½ θ_a² / (H⁻¹)_aa summed over the outputs of each column: the rise if the loss were its quadratic model.
std::vector<double> ClassModel::rises(std::span<const double* const> columns, std::span<const double> theta) const {
  const std::size_t k = columns.size(), size = m_ * k;
  State state;
  evaluate(columns, theta, state);
  const std::vector<double> bend = curvature(columns, state);
  Cholesky factor;
  std::vector<double> beside, unit(size), found(k, 0.0);
  std::vector<std::size_t> kept;
  for (std::size_t a = 0; a < size; ++a) {
    beside.clear();
    for (const std::size_t e : kept) beside.push_back(bend[a * size + e]);
    if (bend[a * size + a] > 0 && factor.append(beside, bend[a * size + a], 1e-12)) kept.push_back(a);
  }
  for (std::size_t t = 0; t < kept.size(); ++t) {
    unit.assign(kept.size(), 0.0);
    unit[t] = 1;
    factor.solve(unit);
    found[kept[t] % k] += 0.5 * theta[kept[t]] * theta[kept[t]] / unit[t];
  }
  return found;
}

// Solves H step = slope. A coordinate whose pivot is below 1e-12 of its diagonal depends on earlier ones and does not move.
double ClassModel::newton(std::span<const double* const> columns, const State& state, std::vector<double>& step) const {
  const std::size_t size = m_ * columns.size();
  const std::vector<double> bend = curvature(columns, state);
  Cholesky factor;
  std::vector<std::size_t> kept;
  std::vector<double> beside, b;
  for (std::size_t a = 0; a < size; ++a) {
    beside.clear();
    for (const std::size_t e : kept) beside.push_back(bend[a * size + e]);
    if (!(bend[a * size + a] > 0) || !factor.append(beside, bend[a * size + a], 1e-12)) continue;
    kept.push_back(a);
    b.push_back(state.slope[a]);
  }
  factor.solve(b);
  step.assign(size, 0.0);
  double promise = 0;
  for (std::size_t t = 0; t < kept.size(); ++t) {
    step[kept[t]] = b[t];
    promise += 0.5 * b[t] * state.slope[kept[t]];
  }
  return promise;
}

ClassFit ClassModel::fit(std::span<const double* const> columns, std::vector<double> start, double limit) const {
  const bool is_warm = std::any_of(start.begin(), start.end(), [](double value) { return value != 0; });
  ClassFit found = descend(columns, std::move(start), limit);
  if (found.is_converged || !is_warm) return found;
  // A warm start whose probabilities are near zero and one, as in a model that separates the classes, may have no curvature
  // left to move on: start again from zero.
  ClassFit again = descend(columns, std::vector<double>(found.theta.size(), 0.0), limit);
  return again.loss < found.loss ? again : found;
}

ClassFit ClassModel::descend(std::span<const double* const> columns, std::vector<double> start, double limit) const {
  State state, next;
  evaluate(columns, start, state);
  ClassFit found{std::move(start), state.loss};
  std::vector<double> step, tried;
  for (int turn = 0; turn < kMostSteps; ++turn) {
    const double promise = newton(columns, state, step);
    double steepest = 0;
    for (const double slope : state.slope) steepest = std::max(steepest, std::abs(slope));
    if (!(promise > kTight * std::log(double(m_ + 1)))) {
      found.is_converged = steepest < kFlat;  // otherwise the curvature vanished, not the slope
      break;
    }
    // Near the minimum the decrease of a step is close to the predicted one: if even four times the prediction leaves the loss
    // above the limit, stop.
    if (turn > 0 && state.loss - 4 * promise > limit) {
      found.is_converged = true;  // enough for the caller, who only compares the loss with the limit
      break;
    }
    // Backtracking line search, until the loss falls by 0.2 of the predicted decrease.
    double length = 1;
    for (;; length *= 0.5) {
      tried = found.theta;
      axpy(length, step.data(), tried.data(), tried.size());
      evaluate(columns, tried, next);
      if (next.loss <= state.loss - 0.2 * length * promise || length < 1e-6) break;
    }
    if (!(next.loss < state.loss)) {
      found.is_converged = steepest < kFlat;
      break;
    }
    std::swap(state, next);
    found.theta = tried;
    found.loss = state.loss;
    if (state.loss < kSeparated) {
      found.is_separated = found.is_converged = true;
      break;
    }
  }
  return found;
}

}  // namespace vitalfew
