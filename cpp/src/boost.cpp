#include "vitalfew/boost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "stump_search.hpp"
#include "stump_table.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/vectors.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t rows_together = 4096;
constexpr std::size_t rows_worth_threads = 50000;
constexpr double chance = 1e-10;           // an advantage over guessing below which there is none
constexpr std::size_t rebuild_after = 64;  // rounds after which sums are computed anew
constexpr double rebuild_growth = 60;      // or once some weight may have grown by e to this

// Stretches of rows that do not depend on the number of threads, so that sums do not either.
struct RowBlocks {
  std::size_t n;
  std::size_t count() const { return (n + rows_together - 1) / rows_together; }
  template <class Body>
  void run(Team& team, Monitor& monitor, Body&& body) const {
    const auto one = [&](std::size_t b) { body(b, b * rows_together, std::min(n, (b + 1) * rows_together)); };
    if (n < rows_worth_threads)
      for (std::size_t b = 0; b < count(); ++b) one(b);
    else
      team.run(count(), monitor, one);
  }
};

template <class Code>
class Booster {
 public:
  template <class Table>
  Booster(const Table& table, std::span<const std::int32_t> label, std::span<const double> weight, std::span<const double> score,
          double before, const BoostOptions& options, Monitor& monitor)
      : options_(options),
        monitor_(monitor),
        team_(std::size_t(thread_count(options.threads))),
        table_(table, options.threads, monitor),
        n_(table_.n_rows()),
        k_(options.n_classes),
        outputs_(options.votes == Votes::classes ? k_ : 1),
        blocks_{n_},
        label_(n_),
        given_(n_, 1.0),
        weight_(n_),
        score_(n_ * outputs_),
        side_(n_),
        sums_(table_.features().n_slots() * k_),
        factor_(k_, 1.0),
        total_(k_),
        votes_(before),
        search_(table_.features(), k_, options.votes) {
    check(label, weight, score);
    for (std::size_t i = 0; i < n_; ++i) label_[i] = std::uint16_t(label[i]);
    if (!weight.empty()) std::copy(weight.begin(), weight.end(), given_.begin());
    const double sum = std::accumulate(given_.begin(), given_.end(), 0.0);
    if (!(sum > 0)) throw std::invalid_argument("boosting: the weights add up to nothing");
    half_row_ = std::min(0.5 / sum, 1 / (1 + std::exp(2.0)));  // so that its vote is at least 1
    search_.smooth(half_row_);
    for (double& w : given_) w /= sum;
    is_uniform_ = std::all_of(given_.begin(), given_.end(), [&](double w) { return w == given_[0]; });
    if (!score.empty()) std::copy(score.begin(), score.end(), score_.begin());
    if (options.loss == BoostLoss::logistic) {
      target_.assign(label_.begin(), label_.end());
      for (auto* space : {&residual_, &weighted_, &trial_}) space->resize(n_);
    }
    changes_.row.resize(n_);
    changes_.label.resize(n_);
    changes_.weight.resize(n_);
    changes_.stretches.resize(blocks_.count());
    rebuild();
  }

  // The best split of every feature, or of the best one alone.
  std::vector<StumpSplit> all_splits() const {
    std::vector<StumpSplit> split(table_.features().n_features());
    each_feature([&](std::size_t j) { split[j] = split_of(j); });
    return split;
  }
  StumpSplit best_split() const {
    const std::size_t d = table_.features().n_features();
    std::vector<double> gain(d);
    each_feature([&](std::size_t j) { gain[j] = gain_of(j); });
    const double best = *std::max_element(gain.begin(), gain.end());
    const auto first = std::find_if(gain.begin(), gain.end(), [&](double g) { return g >= best - tie; });
    return split_of(std::size_t(first - gain.begin()));
  }

  BoostRounds run() {
    BoostRounds found;
    for (std::size_t round = 0; round < options_.rounds && found.stop == BoostStop::rounds; ++round) {
      take(best_split(), found);
      monitor_.report(double(round + 1));
    }
    found.score = std::move(score_);
    found.drift = drift_;
    return found;
  }

  // The error of a split on its own, with the weights of now.
  double error_of(const StumpSplit& split) { return wrong(split, weigh_sides(split).weight); }

  void keep(const StumpSplit& split, BoostRounds& found) const {
    Stumps& stumps = found.stumps;
    stumps.feature.push_back(std::int32_t(split.feature));
    stumps.cut.push_back(std::int32_t(split.cut));
    stumps.missing_right.push_back(split.missing_right);
    stumps.left.push_back(split.left);
    stumps.right.push_back(split.right);
    if (table_.features().is_category[split.feature])
      stumps.side.insert(stumps.side.end(), split.side.begin(), split.side.end() - 1);
    stumps.start.push_back(std::int64_t(stumps.side.size()));
  }

 private:
  void check(std::span<const std::int32_t> label, std::span<const double> weight, std::span<const double> score) const {
    if (n_ == 0 || k_ < 2 || k_ > 65535) throw std::invalid_argument("boosting: rows of at least two classes are needed");
    if (n_ > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("boosting: too many rows");
    if ((options_.votes == Votes::classes) != (k_ > 2)) throw std::invalid_argument("boosting: two classes vote with numbers");
    if (options_.votes == Votes::classes && options_.loss == BoostLoss::logistic)
      throw std::invalid_argument("boosting: the logistic loss is for two classes");
    if (label.size() != n_ || (!weight.empty() && weight.size() != n_) || (!score.empty() && score.size() != n_ * outputs_))
      throw std::invalid_argument("boosting: one label, weight and score for each row are needed");
    if (!are_labels(label, k_)) throw std::invalid_argument("boosting: a label is out of range");
    if (!are_weights(weight)) throw std::invalid_argument("boosting: a weight is negative or not finite");
    for (const double f : score)
      if (!std::isfinite(f)) throw std::invalid_argument("boosting: a score is not finite");
  }

  template <class Body>
  void each_feature(Body&& body) const {
    const std::size_t d = table_.features().n_features();
    const std::size_t blocks = blocks_for(3.0 * double(table_.features().n_slots() * k_), d);
    const auto some = [&](std::size_t b) {
      for (std::size_t j = d * b / blocks; j < d * (b + 1) / blocks; ++j) body(j);
    };
    if (blocks == 1)
      some(0);
    else
      team_.run(blocks, monitor_, some);
  }
  StumpSplit split_of(std::size_t j) const { return search_.best(j, table_.usual(j), sums_, factor_, total_); }
  // The gain of the best split alone. That of numbers which vote with a sign takes one reading of their sums.
  double gain_of(std::size_t j) const {
    const BinFeatures& features = table_.features();
    if (options_.votes != Votes::sign || features.is_category[j]) return split_of(j).gain;
    const double* const negative = sums_.data() + features.first(j);
    const double* const positive = negative + features.n_slots();
    const std::size_t bins = features.n_bins(j);
    const auto at = [&](std::size_t c) { return positive[c] * factor_[1] - negative[c] * factor_[0]; };
    const double lost = at(bins), all = total_[1] - total_[0] - lost;
    const auto usual = std::size_t(table_.usual(j));  // beyond all bins where there is none
    double rest = all;
    for (std::size_t c = 0; c < bins && table_.usual(j) >= 0; ++c) rest -= c == usual ? 0 : at(c);
    double best = std::abs(all), left = 0;
    for (std::size_t c = 0; c + 1 < bins; ++c) {
      left += c == usual ? rest : at(c);
      best = std::max(best, std::abs(all - 2 * left));
    }
    return best + std::abs(lost);
  }

  double sign_of(std::size_t i) const { return label_[i] ? 1.0 : -1.0; }

  // The exponent of a row's weight: what its score says against it.
  double against(std::size_t i) const {
    if (options_.votes != Votes::classes) return -sign_of(i) * score_[i];
    return -score_[i * k_ + label_[i]];
  }

  // Weights from the scores, up to a factor; returns their sum.
  double weigh() {
    std::vector<double> part(blocks_.count()), loss(blocks_.count());
    double most = -HUGE_VAL;
    for (std::size_t i = 0; i < n_ && options_.loss == BoostLoss::exponential; ++i)
      if (given_[i] > 0) most = std::max(most, against(i));
    blocks_.run(team_, monitor_, [&](std::size_t b, std::size_t begin, std::size_t end) {
      if (options_.loss == BoostLoss::logistic) {
        loss[b] = logistic(score_.data(), begin, end);
        for (std::size_t i = begin; i < end; ++i) part[b] += weight_[i] = std::abs(weighted_[i]);
      } else {
        for (std::size_t i = begin; i < end; ++i) part[b] += weight_[i] = given_[i] * std::exp(against(i) - most);
      }
    });
    loss_ = std::accumulate(loss.begin(), loss.end(), 0.0);
    return std::accumulate(part.begin(), part.end(), 0.0);
  }

  // The logistic loss of some rows with scores; residuals, and residuals times weights, stay behind.
  double logistic(const double* score, std::size_t begin, std::size_t end) {
    return logistic_loss(score + begin, target_.data() + begin, given_.data() + begin, residual_.data() + begin,
                         weighted_.data() + begin, end - begin);
  }

  // Weights and sums from the scores. What the sums were is compared with what they should be.
  void rebuild() {
    const double sum = weigh();
    std::vector<double> by_class(blocks_.count() * k_);
    blocks_.run(team_, monitor_, [&](std::size_t b, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        weight_[i] /= sum;
        by_class[b * k_ + label_[i]] += weight_[i];
        changes_.row[i] = std::uint32_t(i);
        changes_.label[i] = label_[i];
        changes_.weight[i] = weight_[i];
      }
      changes_.stretches[b] = {begin, end};
    });
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::size_t b = 0; b < blocks_.count(); ++b)
      for (std::size_t y = 0; y < k_; ++y) total_[y] += by_class[b * k_ + y];
    std::vector<double> before;
    if (since_rebuild_ > 0 && options_.loss == BoostLoss::exponential) before = sums_;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    table_.add(changes_, k_, sums_, team_, monitor_);
    const std::size_t plane = table_.features().n_slots();
    for (std::size_t s = 0; s < before.size(); ++s)
      drift_ = std::max(drift_, std::abs(before[s] * factor_[s / plane] - sums_[s]));
    std::fill(factor_.begin(), factor_.end(), 1.0);
    since_rebuild_ = 0;
    growth_ = 0;
  }

  // Weights and numbers of rows by side and class.
  struct Sides {
    std::vector<double> weight;
    std::vector<std::size_t> count;
  };
  Sides weigh_sides(const StumpSplit& split) {
    constexpr std::size_t lanes = 4;  // one sum alone would wait for each addition to end
    const std::size_t cells = 2 * k_;
    std::vector<double> weight(blocks_.count() * cells);
    std::vector<std::size_t> count(blocks_.count() * cells);
    blocks_.run(team_, monitor_, [&](std::size_t b, std::size_t begin, std::size_t end) {
      table_.sides(split.feature, split.side, side_, begin, end);
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
    Sides found{std::vector<double>(cells), std::vector<std::size_t>(cells)};
    for (std::size_t b = 0; b < blocks_.count(); ++b)
      for (std::size_t cell = 0; cell < cells; ++cell) {
        found.weight[cell] += weight[b * cells + cell] * factor_[cell % k_];
        found.count[cell] += count[b * cells + cell];
      }
    return found;
  }

  static bool votes_positive(double vote) { return vote > 0; }
  double wrong(const StumpSplit& split, const std::vector<double>& w) const {
    if (options_.votes == Votes::classes) {
      double sum = 0;
      for (std::size_t y = 0; y < k_; ++y)
        sum += (double(y) == split.left ? 0 : w[y]) + (double(y) == split.right ? 0 : w[k_ + y]);
      return sum;
    }
    return w[votes_positive(split.left) ? 0 : 1] + w[2 + (votes_positive(split.right) ? 0 : 1)];
  }

  // One round: the stump, its vote, the new weights.
  void take(const StumpSplit& split, BoostRounds& found) {
    const Sides sides = weigh_sides(split);
    const double sum = std::accumulate(sides.weight.begin(), sides.weight.end(), 0.0), error = wrong(split, sides.weight) / sum;
    const bool is_perfect = error <= 0;
    double alpha = 0;
    if (options_.votes == Votes::classes) {
      if (error >= 1 - 1 / double(k_) - chance) return void(found.stop = BoostStop::chance);
      const double e = is_perfect ? half_row_ : error;
      alpha = std::log((1 - e) / e) + std::log(double(k_) - 1);
    } else {
      if (options_.votes == Votes::sign && error >= 0.5 - chance / 2) return void(found.stop = BoostStop::chance);
      if (options_.votes == Votes::confidence && -split.gain >= sum * (1 - chance)) return void(found.stop = BoostStop::chance);
      const double e = is_perfect ? half_row_ : error;
      if (options_.loss == BoostLoss::logistic)
        alpha = is_perfect ? 1 : least_logistic(split);
      else if (options_.votes == Votes::sign)
        alpha = 0.5 * std::log((1 - e) / e);
      else
        alpha = is_perfect ? 1 : least_z(split, sides.weight);
    }
    if (is_perfect) found.stop = BoostStop::perfect;
    std::vector<double> change(2 * k_);  // exponents by which weights change, by side and class
    for (std::size_t y = 0; y < k_; ++y) {
      if (options_.votes == Votes::classes) {
        change[y] = double(y) == split.left ? -alpha : 0;
        change[k_ + y] = double(y) == split.right ? -alpha : 0;
      } else {
        change[y] = (y ? -1 : 1) * alpha * split.left;
        change[k_ + y] = (y ? -1 : 1) * alpha * split.right;
      }
    }
    double z = 0;
    for (std::size_t cell = 0; cell < 2 * k_; ++cell) z += sides.weight[cell] / sum * std::exp(change[cell]);
    votes_ += alpha * (options_.votes == Votes::confidence ? std::max(std::abs(split.left), std::abs(split.right)) : 1.0);
    move_rows(split, alpha, sides, change, z * sum, found);
    keep(split, found);
    found.error.push_back(error);
    found.alpha.push_back(alpha);
    // Correct rows of SAMME keep their weight, so that its Z is of wrong ones growing.
    found.z.push_back(options_.loss == BoostLoss::logistic ? loss_ : options_.votes == Votes::classes ? z * std::exp(alpha) : z);
  }

  // The vote that makes Z = Σ w exp(-α y h) least: Newton's method on a convex function of one number.
  double least_z(const StumpSplit& split, const std::vector<double>& w) const {
    const std::array<double, 4> against{split.left, -split.left, split.right, -split.right};
    double alpha = 1;
    for (int step = 0; step < 100; ++step) {
      double slope = 0, curve = 0;
      for (std::size_t cell = 0; cell < 4; ++cell) {
        const double e = w[cell] * std::exp(alpha * against[cell]);
        slope += e * against[cell];
        curve += e * against[cell] * against[cell];
      }
      if (!(curve > 0)) break;
      const double most = std::max(1.0, alpha), move = std::clamp(-slope / curve, -most / 2, most);
      alpha += move;
      if (std::abs(move) < 1e-14 * most) break;
    }
    return alpha;
  }

  // The vote that makes the mean logistic loss least: Newton's method, with sums over the two sides.
  double least_logistic(const StumpSplit& split) {
    const std::array<double, 2> vote{split.left, split.right};
    struct Sums {
      std::array<double, 2> along{}, curve{};
    };
    double alpha = 1;
    for (int step = 0; step < 50; ++step) {
      std::vector<Sums> part(blocks_.count());
      blocks_.run(team_, monitor_, [&](std::size_t b, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) trial_[i] = score_[i] + alpha * vote[side_[i]];
        logistic(trial_.data(), begin, end);
        Sums& own = part[b];
        for (std::size_t i = begin; i < end; ++i) {
          own.along[side_[i]] += weighted_[i];
          own.curve[side_[i]] += std::abs(weighted_[i]) * (1 - std::abs(residual_[i]));
        }
      });
      double slope = 0, bend = 0;
      for (const Sums& own : part)
        for (std::size_t s = 0; s < 2; ++s) {
          slope -= own.along[s] * vote[s];
          bend += own.curve[s] * vote[s] * vote[s];
        }
      if (!(bend > 0)) break;
      const double most = std::max(1.0, alpha), move = std::clamp(-slope / bend, -most / 2, most);
      alpha += move;
      if (std::abs(move) < 1e-6 * most) break;  // the next would be about the square of it
    }
    return alpha;
  }

  // Scores of rows after a round, and the weight of those it leaves wrong; adds their margins to a distribution.
  double score_two(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin) {
    if (!is_uniform_) return score_two<double>(split, alpha, begin, end, margin, [&](std::size_t i) { return given_[i]; }, 1.0);
    return score_two<std::uint32_t>(split, alpha, begin, end, margin, [](std::size_t) { return 1u; }, given_[0]);
  }
  template <class Count, class Weight>
  double score_two(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin, Weight&& weight,
                   double unit) {
    constexpr std::size_t lanes = 4;  // neighbours often fall in the same bin, and would wait for each other
    std::array<std::array<Count, margin_bins>, lanes> count{};
    const std::array<double, 2> vote{alpha * split.left, alpha * split.right}, sign{-1, 1};
    const double half = margin_bins / 2.0, scale = votes_ > 0 ? half / votes_ : 0;
    constexpr int last = int(margin_bins) - 1;
    Count missed{};
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t y = label_[i];
      const double f = score_[i] + vote[side_[i]];
      const Count w = weight(i);
      score_[i] = f;
      missed += w * Count(std::size_t(f > 0) != y);  // without a branch, which nobody could foresee
      count[i % lanes][std::size_t(std::clamp(int(sign[y] * f * scale + half), 0, last))] += w;
    }
    for (const auto& lane : count)
      for (std::size_t c = 0; c < margin_bins; ++c) margin[c] += unit * double(lane[c]);
    return unit * double(missed);
  }

  // The same for classes: a margin is the distance to the best wrong class.
  double score_many(const StumpSplit& split, double alpha, std::size_t begin, std::size_t end, double* margin) {
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
      margin[std::size_t(std::clamp(at, 0.0, double(margin_bins) - 1))] += given_[i];
    }
    return missed;
  }

  // New weights of rows that do not stay, which are noted down; returns where the notes end.
  std::size_t reweigh(const std::vector<std::uint8_t>& stays, const std::vector<double>& ratio, std::size_t begin,
                      std::size_t end) {
    std::vector<std::uint8_t> moves(2 * k_);
    for (std::size_t y = 0; y < k_; ++y) moves[(1 - stays[y]) * k_ + y] = ratio[y] != 1;
    std::size_t place = begin;
    for (std::size_t i = begin; i < end; ++i) {
      changes_.row[place] = std::uint32_t(i);
      place += moves[side_[i] * k_ + label_[i]];
    }
    for (std::size_t at = begin; at < place; ++at) {
      const std::size_t i = changes_.row[at], y = label_[i];
      const double old = weight_[i];
      weight_[i] = old * ratio[y];
      changes_.label[at] = std::uint32_t(y);
      changes_.weight[at] = weight_[i] - old;
    }
    return place;
  }

  // Scores, weights, sums, training error and margins after a round. Of each class the rows on the side with more of them
  // keep their weight but for a common factor; the others are changed one by one.
  void move_rows(const StumpSplit& split, double alpha, const Sides& sides, const std::vector<double>& change, double z,
                 BoostRounds& found) {
    const bool is_incremental = options_.loss == BoostLoss::exponential;
    std::vector<std::uint8_t> stays(k_);
    std::vector<double> ratio(k_, 1.0);
    double growth = 0;
    for (std::size_t y = 0; y < k_ && is_incremental; ++y) {
      stays[y] = sides.count[k_ + y] >= sides.count[y];
      const double base = change[stays[y] * k_ + y], other = change[(1 - stays[y]) * k_ + y];
      ratio[y] = std::exp(other - base);
      factor_[y] *= std::exp(base) / z;
      growth = std::max(growth, std::abs(other - base) + std::abs(base - std::log(z)));
      total_[y] = (sides.weight[y] * std::exp(change[y]) + sides.weight[k_ + y] * std::exp(change[k_ + y])) / z;
    }
    growth_ += growth;
    std::vector<double> wrong(blocks_.count());
    std::vector<double> margins(blocks_.count() * margin_bins);
    blocks_.run(team_, monitor_, [&](std::size_t b, std::size_t begin, std::size_t end) {
      double* const margin = margins.data() + b * margin_bins;
      wrong[b] = outputs_ == 1 ? score_two(split, alpha, begin, end, margin) : score_many(split, alpha, begin, end, margin);
      if (is_incremental) changes_.stretches[b] = {begin, reweigh(stays, ratio, begin, end)};
    });
    found.trained.push_back(std::accumulate(wrong.begin(), wrong.end(), 0.0));
    found.margins.resize(found.margins.size() + margin_bins);
    double* const last = found.margins.data() + found.margins.size() - margin_bins;
    for (std::size_t b = 0; b < blocks_.count(); ++b)
      for (std::size_t c = 0; c < margin_bins; ++c) last[c] += margins[b * margin_bins + c];
    ++since_rebuild_;
    if (is_incremental) table_.add(changes_, k_, sums_, team_, monitor_);
    if (!is_incremental || since_rebuild_ >= rebuild_after || growth_ > rebuild_growth) rebuild();
  }

  BoostOptions options_;
  Monitor& monitor_;
  mutable Team team_;
  StumpTable<Code> table_;
  std::size_t n_, k_, outputs_;
  RowBlocks blocks_;
  std::vector<std::uint16_t> label_;
  std::vector<double> given_, weight_, score_;  // a row's weight is weight_[i] factor_[label_[i]]
  std::vector<std::uint8_t> side_;
  std::vector<double> sums_, factor_, total_;
  std::vector<double> target_, residual_, weighted_, trial_;  // of the logistic loss
  double loss_ = 0;
  double votes_, growth_ = 0, drift_ = 0;
  double half_row_ = 0;  // the weight of half a row, of all weights
  std::size_t since_rebuild_ = 0;
  bool is_uniform_ = false;
  StumpSearch search_;
  Changes changes_;
};

template <class Table>
struct CodeOf {
  using type = std::uint16_t;
};
template <class Code>
struct CodeOf<BinnedColumns<Code>> {
  using type = Code;
};

}  // namespace

template <class Table>
BoostRounds boost(const Table& table, std::span<const std::int32_t> label, std::span<const double> weight,
                  std::span<const double> score, double before, const BoostOptions& options, Monitor& monitor) {
  return Booster<typename CodeOf<Table>::type>(table, label, weight, score, before, options, monitor).run();
}

template <class Table>
BoostRounds best_stumps(const Table& table, std::span<const std::int32_t> label, std::span<const double> weight, std::size_t most,
                        const BoostOptions& options, Monitor& monitor) {
  Booster<typename CodeOf<Table>::type> booster(table, label, weight, {}, 0, options, monitor);
  std::vector<StumpSplit> split = booster.all_splits();
  std::stable_sort(split.begin(), split.end(), [](const StumpSplit& a, const StumpSplit& b) { return a.gain > b.gain; });
  for (auto first = split.begin(); first != split.end();) {  // equals by column
    const auto last = std::find_if(first, split.end(), [&](const StumpSplit& other) { return other.gain < first->gain - tie; });
    std::sort(first, last, [](const StumpSplit& a, const StumpSplit& b) { return a.feature < b.feature; });
    first = last;
  }
  split.resize(std::min(split.size(), most));
  BoostRounds found;
  for (const StumpSplit& one : split) {
    booster.keep(one, found);
    found.error.push_back(booster.error_of(one));
  }
  return found;
}

#define VITALFEW_BOOST(TABLE)                                                                                               \
  template BoostRounds boost(const TABLE&, std::span<const std::int32_t>, std::span<const double>, std::span<const double>, \
                             double, const BoostOptions&, Monitor&);                                                        \
  template BoostRounds best_stumps(const TABLE&, std::span<const std::int32_t>, std::span<const double>, std::size_t,       \
                                   const BoostOptions&, Monitor&);
VITALFEW_BOOST(BinnedColumns<std::uint8_t>)
VITALFEW_BOOST(BinnedColumns<std::uint16_t>)
VITALFEW_BOOST(BinnedRows)
#undef VITALFEW_BOOST

}  // namespace vitalfew
