// The best stump of one feature from sums of weights by code and class, in one pass over the codes: the edge Σ w y h for sign
// votes (Freund & Schapire, 1997), Z = 2 Σ_sides sqrt(W₊ W₋) for confidence votes (Schapire & Singer, 1999), the weight of
// correct rows for class votes. O(bins classes); O(bins log bins) for categories with confidence votes, which are sorted, and
// O(bins classes²) for categories with class votes.
#include "boost/stump_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vitalfew {

// Weights of one feature by code and class; the last code is for missing values.
struct StumpSearch::Sums {
  std::vector<double> value;
  std::size_t n_bins, n_classes;
  bool is_category;
  double all_0, all_1;  // total weight of the first two classes

  const double* of(std::size_t code) const { return value.data() + code * n_classes; }
  const double* missing() const { return of(n_bins); }
};

StumpSplit StumpSearch::best(std::size_t j, std::int32_t usual, std::span<const double> sums, std::span<const double> factor,
                             std::span<const double> total) const {
  const std::size_t k = n_classes_, bins = features_.n_bins(j);
  Sums own{std::vector<double>((bins + 1) * k), bins, k, features_.is_category[j] != 0, total[0], total[1]};
  for (std::size_t y = 0; y < k; ++y) {
    const double* const given = sums.data() + y * features_.n_slots() + features_.first(j);
    for (std::size_t c = 0; c <= bins; ++c) own.value[c * k + y] = std::max(0.0, given[c] * factor[y]);
  }
  // The sum of the usual code is the total minus those of the other codes.
  if (usual >= 0) {
    double* const left = own.value.data() + std::size_t(usual) * k;
    for (std::size_t y = 0; y < k; ++y) {
      left[y] = 0;
      double others = 0;
      for (std::size_t c = 0; c <= bins; ++c) others += own.value[c * k + y];
      left[y] = std::max(0.0, total[y] - others);
    }
  }
  StumpSplit split;
  split.feature = j;
  split.side.assign(bins + 1, 0);
  if (votes_ == Votes::sign)
    by_sign(own, split);
  else if (votes_ == Votes::confidence)
    by_confidence(own, split);
  else if (own.is_category)
    by_class_pairs(own, split);
  else
    by_class(own, split);
  if (!own.is_category)
    for (std::size_t c = 0; c < bins; ++c) split.side[c] = c >= split.cut;
  split.side[bins] = split.missing_right;
  return split;
}

// The gain is the edge Σ w y h = 1 - 2ε. Missing values, and each value of a category, vote with the majority of their weight;
// values that occur in no row vote with the majority of all rows.
void StumpSearch::by_sign(const Sums& sums, StumpSplit& split) const {
  const auto signed_sum = [&](std::size_t code) { return sums.of(code)[1] - sums.of(code)[0]; };
  const double lost = signed_sum(sums.n_bins), majority = sums.all_1 - sums.all_0;
  const auto is_positive = [&](double s) { return s > 0 || (s == 0 && majority > 0); };
  if (sums.is_category) {
    split.left = -1;
    split.right = 1;
    split.gain = std::abs(lost);
    for (std::size_t c = 0; c < sums.n_bins; ++c) {
      split.gain += std::abs(signed_sum(c));
      split.side[c] = is_positive(signed_sum(c));
    }
  } else {
    // With L the signed sum on the left, the edge of a cut is |all - 2 L|; its sign decides which side votes positive.
    double all = 0;
    for (std::size_t c = 0; c < sums.n_bins; ++c) all += signed_sum(c);
    double left = 0;
    for (std::size_t c = 0; c < sums.n_bins; ++c) {
      if (const double edge = std::abs(all - 2 * left); edge > split.gain + tie) {
        split.gain = edge;
        split.cut = c;
        split.right = all - 2 * left >= 0 ? 1 : -1;
      }
      left += signed_sum(c);
    }
    split.left = -split.right;
    split.gain += std::abs(lost);
  }
  split.missing_right = is_positive(lost) == (split.right > 0);
}

// The gain is -Z, Z = 2 Σ sqrt(W₊ W₋) over the two sides. Values of a category, including the missing one, are sorted by their
// odds: the best partition is then a cut in this order (Breiman et al., 1984). Missing numbers go to the better side.
void StumpSearch::by_confidence(const Sums& sums, StumpSplit& split) const {
  std::vector<std::size_t> order(sums.n_bins + std::size_t(sums.is_category));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sums.is_category) {
    const auto odds = [&](std::size_t c) { return (sums.of(c)[1] + smoothing_) / (sums.of(c)[0] + smoothing_); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return odds(a) < odds(b); });
  }
  const double lost_0 = sums.is_category ? 0 : sums.missing()[0], lost_1 = sums.is_category ? 0 : sums.missing()[1];
  double all_0 = 0, all_1 = 0;
  for (const std::size_t c : order) {
    all_0 += sums.of(c)[0];
    all_1 += sums.of(c)[1];
  }
  const auto mixed = [](double a, double b) { return std::sqrt(std::max(0.0, a) * std::max(0.0, b)); };
  const bool is_lost = lost_0 > 0 || lost_1 > 0;
  double left_0 = 0, left_1 = 0, best_0 = 0, best_1 = 0, least = HUGE_VAL;
  std::size_t at = 0;
  for (std::size_t c = 0; c < order.size(); ++c) {
    const double right_0 = all_0 - left_0, right_1 = all_1 - left_1;
    const double lost_right = mixed(left_0, left_1) + mixed(right_0 + lost_0, right_1 + lost_1);
    const double lost_left = is_lost ? mixed(left_0 + lost_0, left_1 + lost_1) + mixed(right_0, right_1) : lost_right;
    if (std::min(lost_left, lost_right) < least - tie) {
      least = std::min(lost_left, lost_right);
      at = c;
      best_0 = left_0;
      best_1 = left_1;
      split.missing_right = is_lost ? lost_right <= lost_left : right_0 + right_1 >= left_0 + left_1;
    }
    left_0 += sums.of(order[c])[0];
    left_1 += sums.of(order[c])[1];
  }
  // For a category the cut in the sorted order becomes a set of codes.
  split.gain = -2 * least;
  split.cut = at;
  if (sums.is_category) {
    for (std::size_t c = at; c < order.size(); ++c) split.side[order[c]] = 1;
    const bool is_known_lost = sums.missing()[0] > 0 || sums.missing()[1] > 0;
    split.missing_right = is_known_lost ? split.side[sums.n_bins] != 0 : all_0 + all_1 >= 2 * (best_0 + best_1);
    split.cut = 0;
  }
  // Votes are half the smoothed log odds of each side, missing values included.
  const double extra_0 = split.missing_right ? 0 : lost_0, extra_1 = split.missing_right ? 0 : lost_1;
  const auto half_odds = [&](double w_0, double w_1) {
    return 0.5 * std::log((std::max(0.0, w_1) + smoothing_) / (std::max(0.0, w_0) + smoothing_));
  };
  split.left = half_odds(best_0 + extra_0, best_1 + extra_1);
  split.right = half_odds(all_0 + lost_0 - best_0 - extra_0, all_1 + lost_1 - best_1 - extra_1);
}

// The gain is the weight of correctly classified rows. Each side votes for its heaviest class.
void StumpSearch::by_class(const Sums& sums, StumpSplit& split) const {
  const std::size_t k = sums.n_classes;
  const double* const lost = sums.missing();
  std::vector<double> left(k), right(k);
  for (std::size_t c = 0; c < sums.n_bins; ++c)
    for (std::size_t y = 0; y < k; ++y) right[y] += sums.of(c)[y];
  const bool is_lost = std::any_of(lost, lost + k, [](double w) { return w > 0; });
  const auto top = [&](const std::vector<double>& w, bool with_lost) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t y = 0; y < k; ++y)
      if (const double own = w[y] + (with_lost ? lost[y] : 0); own > most) {
        most = own;
        best = y;
      }
    return std::pair{most, best};
  };
  for (std::size_t c = 0; c < sums.n_bins; ++c) {
    for (const bool to_right : {true, false}) {
      if (!to_right && !is_lost) continue;
      const auto [on_left, vote_left] = top(left, !to_right);
      const auto [on_right, vote_right] = top(right, to_right);
      if (on_left + on_right > split.gain + tie) {
        split.gain = on_left + on_right;
        split.cut = c;
        split.left = double(vote_left);
        split.right = double(vote_right);
        split.missing_right =
            is_lost ? to_right
                    : std::accumulate(right.begin(), right.end(), 0.0) >= std::accumulate(left.begin(), left.end(), 0.0);
      }
    }
    for (std::size_t y = 0; y < k; ++y) {
      left[y] += sums.of(c)[y];
      right[y] -= sums.of(c)[y];
    }
  }
}

// Categories with class votes: for each pair of classes, every value, including the missing one, votes for the heavier of the
// two.
void StumpSearch::by_class_pairs(const Sums& sums, StumpSplit& split) const {
  std::size_t left = 0, right = 0;
  for (std::size_t a = 0; a < sums.n_classes; ++a)
    for (std::size_t b = a + 1; b < sums.n_classes; ++b) {
      double gain = 0;
      for (std::size_t c = 0; c <= sums.n_bins; ++c) gain += std::max(sums.of(c)[a], sums.of(c)[b]);
      if (gain > split.gain + tie) {
        split.gain = gain;
        left = a;
        right = b;
      }
    }
  double on_left = 0, on_right = 0;
  for (std::size_t c = 0; c <= sums.n_bins; ++c) {
    split.side[c] = sums.of(c)[right] > sums.of(c)[left];
    (split.side[c] ? on_right : on_left) += sums.of(c)[split.side[c] ? right : left];
  }
  split.left = double(left);
  split.right = double(right);
  const bool is_lost = sums.missing()[left] + sums.missing()[right] > 0;
  split.missing_right = is_lost ? split.side[sums.n_bins] != 0 : on_right > on_left;
}

}  // namespace vitalfew
