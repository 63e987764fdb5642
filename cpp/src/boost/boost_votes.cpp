// The vote α of a stump h and its effect on weights. Two classes, sign votes: α = ½ log((1 - ε) / ε) (Freund & Schapire, 1997).
// More classes: α = log((1 - ε) / ε) + log(K - 1) (SAMME; Zhu et al., 2009). Confidence votes: α minimizes
// Z(α) = Σ w exp(-α y h) (Schapire & Singer, 1999). Logistic loss: α minimizes the mean loss along h. The last two are found by
// Newton's method: O(1) per step for Z, one pass over the rows for the logistic loss.
#include "boost/boost_votes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vitalfew {
namespace {

constexpr double chance = 1e-10;  // an advantage over guessing that counts as none
// Share of the loss by which a better vote must lower it. Where one side of a stump is pure and the other a tie, every larger
// vote would lower it by less and less.
constexpr double worth = 1e-10;

// Returns a Newton step of bounded length on a convex function of one variable.
double newton_step(const VoteSlope& at, double alpha) {
  const double most = std::max(1.0, alpha);
  return std::clamp(-at.slope / at.curve, -most / 2, most);
}

// Minimizes Z(α) = Σ w exp(-α y h) over the four cells (side, class).
double least_z(const StumpSplit& split, std::span<const double> weight) {
  const std::array<double, 4> against{split.left, -split.left, split.right, -split.right};
  double alpha = 1;
  for (int step = 0; step < 100; ++step) {
    VoteSlope at;
    double z = 0;
    for (std::size_t cell = 0; cell < 4; ++cell) {
      const double e = weight[cell] * std::exp(alpha * against[cell]);
      z += e;
      at.slope += e * against[cell];
      at.curve += e * against[cell] * against[cell];
    }
    if (!(at.curve > 0)) break;
    const double move = newton_step(at, alpha);
    alpha += move;
    if (std::abs(at.slope * move) <= worth * z) break;
  }
  return alpha;
}

// Estimates where the slope is zero: interpolates the vote as a cubic (Hermite) function of the slope, from two votes with their
// slopes and curvatures.
double between(double a, const VoteSlope& at_a, double b, const VoteSlope& at_b) {
  const double h = at_b.slope - at_a.slope, t = -at_a.slope / h, s = 1 - t;
  return s * s * ((1 + 2 * t) * a + t * h / at_a.curve) + t * t * ((3 - 2 * t) * b - s * h / at_b.curve);
}

// Minimizes the mean logistic loss. Each trial vote costs a pass over the rows, so cubic interpolation of the slope is used to
// save trials, safeguarded by the interval in which the slope changes its sign.
double least_logistic(const StumpSplit& split, BoostRows& rows) {
  double before = 0, low = 0, high = HUGE_VAL;  // a negative vote would contradict the stump
  VoteSlope at_before = rows.logistic_slope(split);
  if (!(at_before.curve > 0)) return 1;
  // At most 2 at first, which is the vote of the very first stump with confidence votes: these are half the log odds.
  double alpha = std::clamp(-at_before.slope / at_before.curve, 0.0, 2.0);
  for (int step = 0; step < 50; ++step) {
    const VoteSlope at = rows.logistic_slope(split, alpha);
    (at.slope < 0 ? low : high) = alpha;
    const double newton = newton_step(at, alpha), cubic = between(before, at_before, alpha, at) - alpha;
    // Use the cubic only where it is close to the Newton step; far from the minimum it is unreliable.
    double move = std::abs(cubic - newton) <= std::abs(newton) / 2 ? cubic : newton;
    if (!(at.curve > 0 && alpha + move > low && alpha + move < high)) move = (low + high) / 2 - alpha;
    if (!std::isfinite(move)) break;
    before = alpha;
    at_before = at;
    alpha += move;
    if (std::abs(at.slope * move) <= worth * rows.loss()) break;
  }
  return alpha;
}

}  // namespace

double wrong_weight(const StumpSplit& split, std::span<const double> weight, const BoostOptions& options) {
  if (options.votes != Votes::classes) return weight[split.left > 0 ? 0 : 1] + weight[2 + (split.right > 0 ? 0 : 1)];
  const std::size_t k = options.n_classes;
  double sum = 0;
  for (std::size_t y = 0; y < k; ++y)
    sum += (double(y) == split.left ? 0 : weight[y]) + (double(y) == split.right ? 0 : weight[k + y]);
  return sum;
}

bool is_guess(const StumpSplit& split, double error, double sum, const BoostOptions& options) {
  if (options.votes == Votes::classes) return error >= 1 - 1 / double(options.n_classes) - chance;
  if (options.votes == Votes::sign) return error >= 0.5 - chance / 2;
  return -split.gain >= sum * (1 - chance);
}

double vote_of(const StumpSplit& split, double error, std::span<const double> weight, BoostRows& rows,
               const BoostOptions& options) {
  const bool is_perfect = error <= 0;
  // If weights differ hugely, the error may be too small to divide by.
  const double e = std::max(is_perfect ? rows.half_row() : error, 1e-300), log_odds = std::log((1 - e) / e);
  if (options.votes == Votes::classes) return log_odds + std::log(double(options.n_classes) - 1);
  if (options.votes == Votes::sign && options.loss == BoostLoss::exponential) return 0.5 * log_odds;
  if (is_perfect) return 1;
  return options.loss == BoostLoss::logistic ? least_logistic(split, rows) : least_z(split, weight);
}

std::vector<double> weight_exponents(const StumpSplit& split, double alpha, const BoostOptions& options) {
  const std::size_t k = options.n_classes;
  std::vector<double> change(2 * k);
  for (std::size_t y = 0; y < k; ++y) {
    if (options.votes == Votes::classes) {
      change[y] = double(y) == split.left ? -alpha : 0;
      change[k + y] = double(y) == split.right ? -alpha : 0;
    } else {
      change[y] = (y ? -1 : 1) * alpha * split.left;
      change[k + y] = (y ? -1 : 1) * alpha * split.right;
    }
  }
  return change;
}

}  // namespace vitalfew
