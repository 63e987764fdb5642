// Passes over the boosted rows: weights from scores, sums by side of a stump, and score, margin and weight updates of a round.
// All sums are taken in fixed blocks of rows, so that results do not depend on the number of threads. O(n) per pass.
#include "boost/boost_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "vitalfew/checks.hpp"
#include "vitalfew/multiversion.hpp"
#include "vitalfew/vectors.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t rows_together = 4096;        // rows in a block
constexpr std::size_t rows_worth_threads = 50000;  // with fewer rows one thread is faster
constexpr double small_loss = 1e-9;                // below this, residuals are computed without cancellation
constexpr double largest_margin = 700;             // exp of it does not overflow

void check(std::size_t n, std::span<const std::int32_t> label, std::span<const double> weight, std::span<const double> score,
           const BoostOptions& options) {
  const std::size_t k = options.n_classes, outputs = options.votes == Votes::classes ? k : 1;
  if (n == 0 || k < 2 || k > 65535)
    throw std::invalid_argument("boosting: expected at least one row and between 2 and 65535 classes");
  if (n > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("boosting: too many rows");
  if ((options.votes == Votes::classes) != (k > 2))
    throw std::invalid_argument("boosting: votes must be numbers for two classes, and classes for more");
  if (options.votes == Votes::classes && options.loss == BoostLoss::logistic)
    throw std::invalid_argument("boosting: the logistic loss requires two classes");
  if (label.size() != n || (!weight.empty() && weight.size() != n) || (!score.empty() && score.size() != n * outputs))
    throw std::invalid_argument("boosting: labels, weights and scores must have one entry per row");
  if (!are_labels(label, k)) throw std::invalid_argument("boosting: labels must be in [0, n_classes)");
  if (!are_weights(weight)) throw std::invalid_argument("boosting: weights and their sum must be finite and not negative");
  for (const double f : score)
    if (!std::isfinite(f)) throw std::invalid_argument("boosting: scores must be finite");
}

// Adds a stump's votes to the scores of two classes. place[i] becomes twice the bin of the row's margin, plus one if it is wrong.
VITALFEW_HOT void vote(double* __restrict score, const std::uint8_t* __restrict side, const std::uint16_t* __restrict label,
                       double left, double right, double scale, std::size_t n, std::int32_t* __restrict place) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_positive = label[i] != 0;
    const double f = score[i] + (side[i] != 0 ? right : left);
    const double margin = (is_positive ? f : -f) * scale + margin_bins / 2.0;
    const auto bin = std::int32_t(std::min(std::max(0.0, margin), double(margin_bins - 1)));
    score[i] = f;
    place[i] = 2 * bin + std::int32_t((f > 0) != is_positive);
  }
}

// Returns slope and curvature of the logistic loss along a stump's votes: -Σ w r h and Σ w p (1 - p) h², with
// |r| (1 - |r|) = p (1 - p). Four lanes, so that an addition does not wait for the previous one.
VITALFEW_HOT VoteSlope slope_of(const double* __restrict weighted, const double* __restrict residual,
                                const std::uint8_t* __restrict side, double left, double right, std::size_t n) {
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> slope{}, curve{};
  const auto add = [&](std::size_t i, std::size_t lane) {
    const double vote = side[i] != 0 ? right : left, along = weighted[i] * vote;
    slope[lane] -= along;
    curve[lane] += std::abs(along * vote) * (1 - std::abs(residual[i]));
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(i + lane, lane);
  for (; i < n; ++i) add(i, i % lanes);
  return {(slope[0] + slope[1]) + (slope[2] + slope[3]), (curve[0] + curve[1]) + (curve[2] + curve[3])};
}

VITALFEW_HOT void add_votes(const double* __restrict score, const std::uint8_t* __restrict side, double left, double right,
                            std::size_t n, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = score[i] + (side[i] != 0 ? right : left);
}

}  // namespace

BoostRows::BoostRows(std::size_t n, std::span<const std::int32_t> label, std::span<const double> weight,
                     std::span<const double> score, double before, const BoostOptions& options, Team& team, Monitor& monitor)
    : options_(options),
      team_(team),
      monitor_(monitor),
      n_(n),
      k_(options.n_classes),
      outputs_(options.votes == Votes::classes ? k_ : 1),
      blocks_((n + rows_together - 1) / rows_together),
      votes_(before) {
  check(n, label, weight, score, options);
  label_.assign(label.begin(), label.end());
  n_positive_ = std::size_t(std::count(label.begin(), label.end(), 1));
  given_.assign(n, 1.0);
  if (!weight.empty()) std::copy(weight.begin(), weight.end(), given_.begin());
  const double sum = std::accumulate(given_.begin(), given_.end(), 0.0);
  if (!(sum > 0)) throw std::invalid_argument("boosting: the sum of weights must be positive");
  half_row_ = std::min(0.5 / sum, 1 / (1 + std::exp(2.0)));  // with this error, a vote is at least 1
  for (double& w : given_) w /= sum;
  is_uniform_ = std::all_of(given_.begin(), given_.end(), [&](double w) { return w == given_[0]; });
  weight_.resize(n);
  score_.resize(n * outputs_);
  if (!score.empty()) std::copy(score.begin(), score.end(), score_.begin());
  side_.resize(n);
  if (options.loss == BoostLoss::logistic) {
    target_.assign(label_.begin(), label_.end());
    for (auto* space : {&residual_, &weighted_, &trial_}) space->resize(n);
  }
  changes_.row.resize(n);
  changes_.label.resize(n);
  changes_.weight.resize(n);
  changes_.stretches.resize(blocks_);
}

// Calls body(block, begin, end) for blocks of rows that do not depend on the number of threads, so that sums do not either.
template <class Body>
void BoostRows::each_block(Body&& body) const {
  const auto one = [&](std::size_t b) { body(b, b * rows_together, std::min(n_, (b + 1) * rows_together)); };
  if (n_ < rows_worth_threads)
    for (std::size_t b = 0; b < blocks_; ++b) one(b);
  else
    team_.run(blocks_, monitor_, one);
}

// Returns the exponent of a row's weight: minus its margin, or minus the score of its class.
double BoostRows::against(std::size_t i) const {
  if (options_.votes != Votes::classes) return -(label_[i] ? 1.0 : -1.0) * score_[i];
  return -score_[i * k_ + label_[i]];
}

// Computes weights from the scores, up to a factor, and returns their sum: |w (t - p)| for the logistic loss, otherwise
// w exp(against - max), where the maximum prevents overflow.
double BoostRows::make_weights() {
  const bool is_logistic = options_.loss == BoostLoss::logistic;
  if (is_logistic) try_scores(score_);
  std::vector<double> part(blocks_);
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < n_ && !is_logistic; ++i)
    if (given_[i] > 0) most = std::max(most, against(i));
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_logistic)
        part[b] += weight_[i] = std::abs(weighted_[i]);
      else  // the maximum ignores rows of weight zero, whose exponent may be larger
        part[b] += weight_[i] = given_[i] > 0 ? given_[i] * std::exp(against(i) - most) : 0;
  });
  return std::accumulate(part.begin(), part.end(), 0.0);
}

// Normalizes the weights, and lists all rows as changed by their full weight, so that sums are rebuilt from zero.
void BoostRows::weigh(std::span<double> total) {
  const double sum = make_weights();
  std::vector<double> by_class(blocks_ * k_);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      weight_[i] /= sum;
      by_class[b * k_ + label_[i]] += weight_[i];
      changes_.row[i] = std::uint32_t(i);
      changes_.label[i] = label_[i];
      changes_.weight[i] = weight_[i];
    }
    changes_.stretches[b] = {begin, end};
  });
  std::fill(total.begin(), total.end(), 0.0);
  for (std::size_t b = 0; b < blocks_; ++b)
    for (std::size_t y = 0; y < k_; ++y) total[y] += by_class[b * k_ + y];
}

// Counts in integers: rows on the right, and positive ones among them; the left side follows from the totals.
template <class Code>
std::vector<std::size_t> BoostRows::count_sides(const StumpTable<Code>& table, const StumpSplit& split) {
  std::vector<std::size_t> right(blocks_), positive(blocks_);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    table.sides(split.feature, split.side, side_, begin, end);
    std::uint32_t on_right = 0, of_those = 0;
    for (std::size_t i = begin; i < end; ++i) {
      on_right += side_[i];
      of_those += side_[i] & label_[i];
    }
    right[b] = on_right;
    positive[b] = of_those;
  });
  const std::size_t on_right = std::accumulate(right.begin(), right.end(), std::size_t{0});
  const std::size_t of_those = std::accumulate(positive.begin(), positive.end(), std::size_t{0});
  return {n_ - n_positive_ - (on_right - of_those), n_positive_ - of_those, on_right - of_those, of_those};
}

template <class Code>
SideSums BoostRows::weigh_sides(const StumpTable<Code>& table, const StumpSplit& split, std::span<const double> factor) {
  constexpr std::size_t lanes = 4;  // with one sum, each addition would wait for the previous one
  const std::size_t cells = 2 * k_;
  std::vector<double> weight(blocks_ * cells);
  std::vector<std::size_t> count(blocks_ * cells);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    table.sides(split.feature, split.side, side_, begin, end);
    std::vector<double> w(lanes * cells);
    std::vector<std::uint32_t> c(lanes * cells);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t cell = (i % lanes) * cells + side_[i] * k_ + label_[i];
      w[cell] += weight_[i];
      ++c[cell];
    }
    for (std::size_t cell = 0; cell < lanes * cells; ++cell) {
      weight[b * cells + cell % cells] += w[cell];
      count[b * cells + cell % cells] += c[cell];
    }
  });
  SideSums found{std::vector<double>(cells), std::vector<std::size_t>(cells)};
  for (std::size_t b = 0; b < blocks_; ++b)
    for (std::size_t cell = 0; cell < cells; ++cell) {
      found.weight[cell] += weight[b * cells + cell] * factor[cell % k_];
      found.count[cell] += count[b * cells + cell];
    }
  return found;
}

// Computes the logistic loss for some scores; leaves residuals and weighted residuals in residual_ and weighted_.
void BoostRows::try_scores(const std::vector<double>& score) {
  std::vector<double> part(blocks_);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    part[b] = logistic_loss(score.data() + begin, target_.data() + begin, given_.data() + begin, residual_.data() + begin,
                            weighted_.data() + begin, end - begin);
  });
  loss_ = std::accumulate(part.begin(), part.end(), 0.0);
  if (loss_ < small_loss) sharpen(score);
}

// Recomputes residuals as ±1 / (1 + exp(margin)): where all margins are large, 1 - p rounds to zero.
void BoostRows::sharpen(const std::vector<double>& score) {
  each_block([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double sign = label_[i] ? 1.0 : -1.0;
      residual_[i] = sign / (1 + std::exp(std::min(sign * score[i], largest_margin)));
      weighted_[i] = given_[i] * residual_[i];
    }
  });
}

// Evaluates the loss at scores + alpha h, which replaces residual_ and weighted_.
VoteSlope BoostRows::logistic_slope(const StumpSplit& split, double alpha) {
  each_block([&](std::size_t, std::size_t begin, std::size_t end) {
    add_votes(score_.data() + begin, side_.data() + begin, alpha * split.left, alpha * split.right, end - begin,
              trial_.data() + begin);
  });
  try_scores(trial_);
  return logistic_slope(split);
}

VoteSlope BoostRows::logistic_slope(const StumpSplit& split) const {
  std::vector<VoteSlope> part(blocks_);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    part[b] =
        slope_of(weighted_.data() + begin, residual_.data() + begin, side_.data() + begin, split.left, split.right, end - begin);
  });
  VoteSlope found;
  for (const VoteSlope& own : part) {
    found.slope += own.slope;
    found.curve += own.curve;
  }
  return found;
}

// One pass over the rows: scores, margins, training error and, for the exponential loss, weights.
void BoostRows::take(const StumpSplit& split, double alpha, double vote, const WeightMoves& how, BoostRounds& found) {
  votes_ += vote;
  std::vector<double> wrong(blocks_);
  std::vector<double> margins(blocks_ * margin_bins);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    double* const margin = margins.data() + b * margin_bins;
    wrong[b] = outputs_ == 1 ? score_two(split, alpha, begin, end, margin) : score_many(split, alpha, begin, end, margin);
    if (options_.loss == BoostLoss::exponential) changes_.stretches[b] = {begin, reweigh(how, begin, end)};
  });
  found.trained.push_back(std::accumulate(wrong.begin(), wrong.end(), 0.0));
  found.margins.resize(found.margins.size() + margin_bins);
  double* const last = found.margins.data() + found.margins.size() - margin_bins;
  for (std::size_t b = 0; b < blocks_; ++b)
    for (std::size_t c = 0; c < margin_bins; ++c) last[c] += margins[b * margin_bins + c];
}

// Updates the scores of rows, adds their margins to a histogram and returns the weight of misclassified rows. With equal
// weights it counts in integers.
double BoostRows::score_two(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin) {
  if (!is_uniform_) return score_two<double>(split, alpha, begin, end, margin, [&](std::size_t i) { return given_[i]; }, 1.0);
  return score_two<std::uint32_t>(split, alpha, begin, end, margin, [](std::size_t) { return 1u; }, given_[0]);
}
template <class Count, class Weight>
double BoostRows::score_two(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin,
                            Weight&& weight, double unit) {
  constexpr std::size_t lanes = 4;  // neighbors often fall into the same bin and would wait for each other
  std::array<std::array<Count, margin_bins>, lanes> count{};
  std::array<std::int32_t, rows_together> place;
  const double scale = votes_ > 0 ? margin_bins / 2.0 / votes_ : 0;
  vote(score_.data() + begin, side_.data() + begin, label_.data() + begin, alpha * split.left, alpha * split.right, scale,
       end - begin, place.data());
  Count missed{};
  for (std::size_t i = begin; i < end; ++i) {
    const auto at = std::size_t(place[i - begin]);
    const Count w = weight(i);
    missed += w * Count(at & 1);
    count[i % lanes][at >> 1] += w;
  }
  for (const auto& lane : count)
    for (std::size_t c = 0; c < margin_bins; ++c) margin[c] += unit * double(lane[c]);
  return unit * double(missed);
}

// The same for more than two classes: a margin is the distance to the best wrong class, divided by the sum of votes.
double BoostRows::score_many(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin) {
  const std::array<std::size_t, 2> vote{std::size_t(split.left), std::size_t(split.right)};
  double missed = 0;
  for (std::size_t i = begin; i < end; ++i) {
    double* const own = score_.data() + i * k_;
    const std::size_t y = label_[i];
    own[vote[side_[i]]] += alpha;
    double rival = -HUGE_VAL;
    std::size_t top = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      if (c != y) rival = std::max(rival, own[c]);
      if (own[c] > own[top]) top = c;
    }
    missed += top == y ? 0.0 : given_[i];
    const double at = ((own[y] - rival) / votes_ + 1) * (margin_bins / 2.0);
    margin[std::size_t(std::min(std::max(0.0, at), double(margin_bins - 1)))] += given_[i];  // NaN goes to bin 0
  }
  return missed;
}

// Updates the weights of rows that move and records the changes. Returns the end of the recorded changes.
std::size_t BoostRows::reweigh(const WeightMoves& how, std::size_t begin, std::size_t end) {
  std::size_t place = begin;
  for (std::size_t i = begin; i < end; ++i) {
    changes_.row[place] = std::uint32_t(i);
    place += how.moves[side_[i] * k_ + label_[i]];
  }
  // The rows above were listed without a branch; now their weights are updated.
  for (std::size_t at = begin; at < place; ++at) {
    const std::size_t i = changes_.row[at], y = label_[i];
    const double old = weight_[i];
    weight_[i] = old * how.ratio[y];
    changes_.label[at] = std::uint32_t(y);
    changes_.weight[at] = weight_[i] - old;
  }
  return place;
}

template std::vector<std::size_t> BoostRows::count_sides(const StumpTable<std::uint8_t>&, const StumpSplit&);
template std::vector<std::size_t> BoostRows::count_sides(const StumpTable<std::uint16_t>&, const StumpSplit&);
template SideSums BoostRows::weigh_sides(const StumpTable<std::uint8_t>&, const StumpSplit&, std::span<const double>);
template SideSums BoostRows::weigh_sides(const StumpTable<std::uint16_t>&, const StumpSplit&, std::span<const double>);

}  // namespace vitalfew
