// Numerical parts of the group lasso: the eigendecomposition of a group's second moments and its exact update.
#include "linear/group_lasso.hpp"

namespace vitalfew {

// Cyclic Jacobi method, O(size³) per sweep; it stops once the off-diagonal part is below 1e-16 of the diagonal.
void diagonalise(std::vector<double>& a, std::vector<double>& q, std::size_t size) {
  q.assign(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) q[i * size + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, on = 0;
    for (std::size_t i = 0; i < size; ++i) {
      on += a[i * size + i] * a[i * size + i];
      for (std::size_t j = 0; j < i; ++j) off += a[i * size + j] * a[i * size + j];
    }
    if (off <= 1e-32 * on) break;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = i + 1; j < size; ++j) {
        const double across = a[i * size + j];
        if (across == 0) continue;
        const double theta = (a[j * size + j] - a[i * size + i]) / (2 * across);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double cosine = 1 / std::hypot(t, 1.0), sine = t * cosine;
        const auto rotate = [&](double& x, double& y) {
          const double old = x;
          x = cosine * old - sine * y;
          y = sine * old + cosine * y;
        };
        for (std::size_t k = 0; k < size; ++k) rotate(a[k * size + i], a[k * size + j]);
        for (std::size_t k = 0; k < size; ++k) rotate(a[i * size + k], a[j * size + k]);
        for (std::size_t k = 0; k < size; ++k) rotate(q[k * size + i], q[k * size + j]);
      }
  }
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::max(a[i * size + i], 0.0);
  a = std::move(values);
}

// With b in the eigenbasis, v = 0 if ‖b‖ <= l1; otherwise v_i = b_i / (e_i + l2 + l1 / t), where t = ‖v‖.
std::vector<double> shrink_group(std::span<const double> e, std::span<const double> q, std::span<const double> b, double l1,
                                 double l2) {
  const std::size_t size = b.size();
  std::vector<double> turned(size, 0.0), found(size, 0.0);
  double square = 0, widest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) turned[i] += q[k * size + i] * b[k];
    square += turned[i] * turned[i];
    widest = std::max(widest, e[i]);
  }
  if (std::sqrt(square) <= l1) return found;
  // In directions without curvature the gradient is only rounding.
  std::vector<double> bend(size);
  for (std::size_t i = 0; i < size; ++i) {
    bend[i] = e[i] + l2;
    if (e[i] <= 1e-13 * widest && l2 == 0) turned[i] = 0, bend[i] = widest;
  }
  // ‖v‖ = t solves Σ (b_i / (bend_i t + l1))² = 1, whose left side decreases in t: Newton's method on the inverse square root,
  // from the left.
  double t = 0;
  for (int turn = 0; l1 > 0 && turn < 100; ++turn) {
    double sum = 0, slope = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double part = turned[i] / (bend[i] * t + l1);
      sum += part * part;
      slope += part * part * bend[i] / (bend[i] * t + l1);
    }
    if (!(slope > 0)) break;
    const double step = (std::sqrt(sum) - 1) * sum / slope;
    t = std::max(t + step, 0.0);
    if (std::abs(step) <= 1e-15 * t) break;
  }
  if (l1 > 0 && t == 0) return found;
  for (std::size_t i = 0; i < size; ++i) {
    const double along = turned[i] / (bend[i] + (l1 > 0 ? l1 / t : 0.0));
    for (std::size_t k = 0; k < size; ++k) found[k] += q[k * size + i] * along;
  }
  return found;
}

}  // namespace vitalfew
