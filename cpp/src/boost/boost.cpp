// AdaBoost with decision stumps on binned data: the discrete version (Freund & Schapire, 1997), confidence-rated votes
// (Schapire & Singer, 1999), SAMME for more than two classes (Zhu et al., 2009), and the logistic loss in place of the
// exponential one.
//
// A round finds the stump with the least Z = Σ_i w_i exp(-α y_i h(x_i)), adds α h to the scores and sets
// w_i <- w_i exp(-α y_i h(x_i)) / Z. Stumps are searched on sums of weights by slot (feature and code) and class. These sums are
// maintained rather than recomputed: within a class, rows on the larger side of the stump share one factor, which is applied to
// all sums of the class, and only the rows on the other side are added one by one. A round costs O(slots + n), and O(features)
// for each row that is reweighted on its own.
#include "vitalfew/boost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boost/boost_rows.hpp"
#include "boost/boost_votes.hpp"
#include "boost/stump_search.hpp"
#include "boost/stump_table.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t rebuild_after = 64;  // rounds after which the sums are recomputed
constexpr double rebuild_growth = 60;      // or once some weight may have grown by exp(60)
// Rounding errors of the sums could show in the vote of a stump with a smaller error, or once weights may have grown by exp(20):
// side sums are then taken from the rows.
constexpr double exact_below = 0.05, exact_growth = 20;

// Runs rounds of boosting. `sums_` holds weights by slot and class, from which each stump is found; it is updated as weights
// change.
template <class Code>
class Booster {
 public:
  template <class Table>
  Booster(const Table& table, std::span<const std::int32_t> label, std::span<const double> weight, std::span<const double> score,
          double before, const BoostOptions& options, Monitor& monitor)
      : options_(options),
        monitor_(monitor),
        team_(options.threads, std::numeric_limits<std::size_t>::max()),
        table_(table, options.threads, monitor),
        rows_(table_.n_rows(), label, weight, score, before, options, team_, monitor),
        k_(options.n_classes),
        sums_(table_.features().n_slots() * k_),
        factor_(k_, 1.0),
        total_(k_),
        search_(table_.features(), k_, options.votes) {
    search_.smooth(rows_.half_row());
    rebuild();
  }

  // Returns the best split of every feature.
  std::vector<StumpSplit> all_splits() const {
    std::vector<StumpSplit> split(table_.features().n_features());
    each_feature([&](std::size_t j) { split[j] = split_of(j); });
    return split;
  }
  // Returns the best split of all features; ties go to the first feature.
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
    found.drift = drift_;
    return found;
  }

  // Returns the weighted error of a split with the present weights.
  double error_of(const StumpSplit& split) {
    return wrong_weight(split, rows_.weigh_sides(table_, split, factor_).weight, options_);
  }

  // Appends a stump to the result.
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
  // Returns only the gain of feature j's best split. For numeric features with sign votes this is one pass over their sums:
  // max over cuts of |Σ_right w y - Σ_left w y|.
  double gain_of(std::size_t j) const {
    const BinFeatures& features = table_.features();
    if (options_.votes != Votes::sign || features.is_category[j]) return split_of(j).gain;
    const double* const negative = sums_.data() + features.first(j);
    const double* const positive = negative + features.n_slots();
    const std::size_t bins = features.n_bins(j);
    const auto at = [&](std::size_t c) { return positive[c] * factor_[1] - negative[c] * factor_[0]; };
    const double lost = at(bins), all = total_[1] - total_[0] - lost;
    const auto usual = std::size_t(table_.usual(j));  // -1 becomes larger than any bin
    double rest = all;
    for (std::size_t c = 0; c < bins && table_.usual(j) >= 0; ++c) rest -= c == usual ? 0 : at(c);
    double best = std::abs(all), left = 0;
    for (std::size_t c = 0; c + 1 < bins; ++c) {
      left += c == usual ? rest : at(c);
      best = std::max(best, std::abs(all - 2 * left));
    }
    return best + std::abs(lost);
  }

  // Recomputes weights and sums from the scores, and records how far the maintained sums had drifted.
  void rebuild() {
    rows_.weigh(total_);
    std::vector<double> before;
    if (since_rebuild_ > 0 && options_.loss == BoostLoss::exponential) before = sums_;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    table_.add(rows_.changes(), k_, sums_, team_, monitor_);
    const std::size_t plane = table_.features().n_slots();
    for (std::size_t s = 0; s < before.size(); ++s)
      drift_ = std::max(drift_, std::abs(before[s] * factor_[s / plane] - sums_[s]));
    std::fill(factor_.begin(), factor_.end(), 1.0);
    since_rebuild_ = 0;
    growth_ = 0;
  }

  // Counts rows and weights on both sides of a split. With two classes the weights follow from the sums, without another pass
  // over the rows, unless rounding could show.
  SideSums sides_of(const StumpSplit& split) {
    if (k_ == 2 && growth_ < exact_growth) {
      SideSums found{weight_by_side(split), rows_.count_sides(table_, split)};
      if (wrong_weight(split, found.weight, options_) > exact_below) return found;
    }
    return rows_.weigh_sides(table_, split, factor_);
  }
  // Weights by side and class from the sums; that of the usual code is the total minus the other codes.
  std::vector<double> weight_by_side(const StumpSplit& split) const {
    const BinFeatures& features = table_.features();
    const std::int32_t usual = table_.usual(split.feature);
    std::vector<double> weight(2 * k_);
    for (std::size_t y = 0; y < k_; ++y) {
      const double* const own = sums_.data() + y * features.n_slots() + features.first(split.feature);
      double rest = total_[y];
      for (std::size_t c = 0; c < split.side.size(); ++c) {  // the stored sum of the usual code is zero
        weight[split.side[c] * k_ + y] += own[c] * factor_[y];
        rest -= own[c] * factor_[y];
      }
      if (usual >= 0) weight[split.side[std::size_t(usual)] * k_ + y] += rest;
    }
    return weight;
  }

  // Performs one round with this stump: its error, its vote, the new weights.
  void take(const StumpSplit& split, BoostRounds& found) {
    // 1. The weighted error; a stump no better than chance ends the run.
    const SideSums sides = sides_of(split);
    const double sum = std::accumulate(sides.weight.begin(), sides.weight.end(), 0.0);
    const double error = wrong_weight(split, sides.weight, options_) / sum;
    if (is_guess(split, error, sum, options_)) return void(found.stop = BoostStop::chance);
    if (error <= 0) found.stop = BoostStop::perfect;
    // 2. The vote α, and Z, by which the weights must be divided.
    const double alpha = vote_of(split, error, sides.weight, rows_, options_);
    const std::vector<double> change = weight_exponents(split, alpha, options_);
    double z = 0;
    for (std::size_t cell = 0; cell < 2 * k_; ++cell) z += sides.weight[cell] / sum * std::exp(change[cell]);
    // 3. New scores and weights, then the sums: changes only, or from scratch.
    const double most = options_.votes == Votes::confidence ? std::max(std::abs(split.left), std::abs(split.right)) : 1.0;
    const bool is_incremental = options_.loss == BoostLoss::exponential;
    rows_.take(split, alpha, alpha * most, is_incremental ? moves_of(sides, change, z * sum) : WeightMoves{}, found);
    ++since_rebuild_;
    if (is_incremental) table_.add(rows_.changes(), k_, sums_, team_, monitor_);
    if (!is_incremental || since_rebuild_ >= rebuild_after || growth_ > rebuild_growth) rebuild();
    // 4. The record of the round.
    keep(split, found);
    found.error.push_back(error);
    found.alpha.push_back(alpha);
    // SAMME is defined by wrong rows growing by exp(α) and correct ones keeping their weight; here correct ones shrink.
    found.z.push_back(!is_incremental ? rows_.loss() : options_.votes == Votes::classes ? z * std::exp(alpha) : z);
  }

  // Plans the weight updates of a round. A row of class y on side s is to be multiplied by exp(change[s, y]) / z. In each class,
  // the side with more rows is updated only through the common factor of the class; rows on the other side, in addition, one by
  // one by the ratio of the two multipliers. Stored weights and sums times factor_[y] are the true ones.
  WeightMoves moves_of(const SideSums& sides, const std::vector<double>& change, double z) {
    WeightMoves how{std::vector<std::uint8_t>(2 * k_), std::vector<double>(k_)};
    double growth = 0;
    for (std::size_t y = 0; y < k_; ++y) {
      // 1. The larger side stays, the other one moves relative to it.
      const std::size_t stays = sides.count[k_ + y] >= sides.count[y], moves = 1 - stays;
      const double base = change[stays * k_ + y], other = change[moves * k_ + y];
      how.ratio[y] = std::exp(other - base);
      how.moves[moves * k_ + y] = how.ratio[y] != 1;
      // 2. The common factor of the class.
      factor_[y] *= std::exp(base) / z;
      // 3. A bound on the growth of weights and factors, which decides when to rebuild.
      growth = std::max(growth, std::abs(other - base) + std::abs(base - std::log(z)));
      // 4. The true total weight of the class.
      total_[y] = (sides.weight[y] * std::exp(change[y]) + sides.weight[k_ + y] * std::exp(change[k_ + y])) / z;
    }
    growth_ += growth;
    return how;
  }

  BoostOptions options_;
  Monitor& monitor_;
  mutable Team team_;
  StumpTable<Code> table_;
  BoostRows rows_;
  std::size_t k_;
  std::vector<double> sums_, factor_, total_;  // stored sums and row weights of a class times its factor are the true ones
  double growth_ = 0, drift_ = 0;
  std::size_t since_rebuild_ = 0;
  StumpSearch search_;
};

// Integer type of the codes of a table; sparse rows use 16 bits.
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
  for (auto first = split.begin(); first != split.end();) {  // ties by column
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
