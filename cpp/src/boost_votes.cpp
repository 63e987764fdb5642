#include "boost_votes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vitalfew {
namespace {

constexpr double chance = 1e-10;  // an advantage over guessing below which there is none

// Newton's method on a convex function of one number, with steps of bounded length.
template <class SlopeAt>
double least_vote(SlopeAt&& slope_at, int most_steps, double precision) {
  double alpha = 1;
  for (int step = 0; step < most_steps; ++step) {
    const VoteSlope at = slope_at(alpha);
    if (!(at.curve > 0)) break;
    const double most = std::max(1.0, alpha), move = std::clamp(-at.slope / at.curve, -most / 2, most);
    alpha += move;
    if (std::abs(move) < precision * most) break;
  }
  return alpha;
}

// Z = Σ w exp(-α y h).
double least_z(const StumpSplit& split, std::span<const double> weight) {
  const std::array<double, 4> against{split.left, -split.left, split.right, -split.right};
  const auto slope_at = [&](double alpha) {
    VoteSlope at;
    for (std::size_t cell = 0; cell < 4; ++cell) {
      const double e = weight[cell] * std::exp(alpha * against[cell]);
      at.slope += e * against[cell];
      at.curve += e * against[cell] * against[cell];
    }
    return at;
  };
  return least_vote(slope_at, 100, 1e-14);
}

// The mean logistic loss. A step costs a pass over the rows; the next would be about the square of the last.
double least_logistic(const StumpSplit& split, BoostRows& rows) {
  return least_vote([&](double alpha) { return rows.logistic_slope(split, alpha); }, 50, 1e-6);
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
  // Where weights are huge, an error may be too small to divide by.
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
