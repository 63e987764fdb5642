// Interaction information of all pairs of 0/1 features with a label (McGill, 1954),
//
//   I(X; Z | Y) - I(X; Z) = I(X, Z; Y) - I(X; Y) - I(Z; Y),
//
// from counts of rows that have both features, by class, on bit vectors. All entropies are sums of k log k over the cells of
// contingency tables, looked up in a table. O(d² n / 64) for d features and n rows, in parallel over strips of features.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "vitalfew/multiversion.hpp"
#include "vitalfew/pairs.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t strip = 64;  // features paired with all later ones together, while they are in the cache

// Counts the rows that have feature z and each of n_x features x, by class.
VITALFEW_HOT void count_both(const std::uint64_t* x, std::size_t n_x, const std::uint64_t* z, const std::int64_t* start,
                             std::size_t n_classes, std::int32_t* both) {
  for (std::size_t i = 0; i < n_x; ++i, x += start[n_classes], both += n_classes)
    for (std::size_t c = 0; c < n_classes; ++c) {
      std::int64_t sum = 0;
      for (auto w = start[c]; w < start[c + 1]; ++w) sum += __builtin_popcountll(x[w] & z[w]);
      both[c] = std::int32_t(sum);
    }
}

// Larger synergy first; ties by column.
bool is_better(const Pair& a, const Pair& b) {
  return a.synergy != b.synergy ? a.synergy > b.synergy : a.first != b.first ? a.first < b.first : a.second < b.second;
}

// Counts and k log k sums of single features, computed once.
class Search {
 public:
  explicit Search(const LabeledBits& data)
      : data_(data),
        classes_(data.n_classes()),
        count_(data.n_features * classes_),
        total_(data.n_features),
        own_(data.n_features) {
    for (const std::int64_t size : data.size) n_ += std::size_t(size);
    log_.resize(n_ + 1);
    for (std::size_t k = 1; k <= n_; ++k) log_[k] = double(k) * std::log(double(k));
    for (const std::int64_t size : data.size) constant_ += log_[std::size_t(size)];
    constant_ -= log_[n_];
    for (std::size_t j = 0; j < data.n_features; ++j) {
      std::int32_t* const count = count_.data() + j * classes_;
      count_both(data.of(j), 1, data.of(j), data.start.data(), classes_, count);
      for (std::size_t c = 0; c < classes_; ++c) {
        total_[j] += count[c];
        own_[j] += log_[std::size_t(count[c])] + log_[std::size_t(data.size[c] - count[c])];
      }
      own_[j] -= log_[std::size_t(total_[j])] + log_[n_ - std::size_t(total_[j])];
    }
  }

  // Counts the rows that have feature j and each of the features [begin, end).
  void count(std::size_t begin, std::size_t end, std::size_t j, std::int32_t* both) const {
    count_both(data_.of(begin), end - begin, data_.of(j), data_.start.data(), classes_, both);
  }
  // Returns the interaction information of two features, from k log k over the cells of their tables.
  double synergy(std::size_t i, std::size_t j, const std::int32_t* both) const {
    const std::int32_t *const x = count_.data() + i * classes_, *const z = count_.data() + j * classes_;
    double sum = constant_ - own_[i] - own_[j];
    std::int32_t all = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      sum += cells(both[c], x[c], z[c], std::size_t(data_.size[c]));
      all += both[c];
    }
    return (sum - cells(all, total_[i], total_[j], n_)) / double(n_);
  }

 private:
  // Sum of k log k over the four cells of a 2 x 2 table with margins x, z and total n.
  double cells(std::int32_t both, std::int32_t x, std::int32_t z, std::size_t n) const {
    return log_[std::size_t(both)] + log_[std::size_t(x - both)] + log_[std::size_t(z - both)] +
           log_[n + std::size_t(both) - std::size_t(x) - std::size_t(z)];
  }

  const LabeledBits& data_;
  std::size_t classes_, n_ = 0;
  double constant_ = 0;
  std::vector<double> log_;  // k log k
  std::vector<std::int32_t> count_, total_;
  std::vector<double> own_;
};

// Results of one strip of features.
struct Part {
  std::vector<Pair> best;  // a heap with the worst pair first
  std::vector<double> most;
  std::vector<std::int32_t> partner;

  void meet(std::size_t j, std::size_t with, double synergy) {
    if (synergy > most[j] || (synergy == most[j] && std::int32_t(with) < partner[j])) {
      most[j] = synergy;
      partner[j] = std::int32_t(with);
    }
  }
  void keep(const Pair& pair, std::size_t most_pairs) {
    if (best.size() == most_pairs && !is_better(pair, best.front())) return;
    if (best.size() == most_pairs) {
      std::pop_heap(best.begin(), best.end(), is_better);
      best.pop_back();
    }
    best.push_back(pair);
    std::push_heap(best.begin(), best.end(), is_better);
  }
};

}  // namespace

void LabeledBits::validate() const {
  if (start.size() != size.size() + 1 || start[0] != 0)
    throw std::invalid_argument("pairs: start must have n_classes + 1 entries and begin with 0");
  std::int64_t n = 0;
  for (std::size_t c = 0; c < size.size(); ++c) {
    if (size[c] < 0 || start[c + 1] - start[c] != (size[c] + 63) / 64)
      throw std::invalid_argument("pairs: the bit words do not match the class sizes");
    n += size[c];
  }
  if (n == 0 || n > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("pairs: the number of rows must be between 1 and 2^31 - 1");
  if (n_features > std::size_t(std::numeric_limits<std::int32_t>::max()) || bit.size() != n_features * n_words())
    throw std::invalid_argument("pairs: every feature must have the same number of bit words, given by start");
  for (std::size_t j = 0; j < n_features; ++j)
    for (std::size_t c = 0; c < size.size(); ++c)
      if (size[c] % 64 != 0 && (of(j)[start[c + 1] - 1] >> (size[c] % 64)) != 0)
        throw std::invalid_argument("pairs: padding bits of a class must be zero");
}

PairSearch best_pairs(const LabeledBits& data, std::size_t keep, int threads, Monitor& monitor) {
  data.validate();
  const std::size_t d = data.n_features, strips = (d + strip - 1) / strip;
  const Search search(data);
  std::vector<Part> part(strips);
  // Each strip pairs its features with all later ones. The first strips have the most work and are scheduled first.
  const auto one = [&](std::size_t s) {
    const std::size_t begin = s * strip, end = std::min(d, begin + strip);
    part[s].most.assign(d - begin, -HUGE_VAL);
    part[s].partner.assign(d - begin, -1);
    std::vector<std::int32_t> both(strip * data.n_classes());
    for (std::size_t j = begin + 1; j < d; ++j) {
      const std::size_t last = std::min(end, j);
      search.count(begin, last, j, both.data());
      for (std::size_t i = begin; i < last; ++i) {
        const double synergy = search.synergy(i, j, both.data() + (i - begin) * data.n_classes());
        part[s].meet(i - begin, j, synergy);
        part[s].meet(j - begin, i, synergy);
        if (keep > 0) part[s].keep({std::int32_t(i), std::int32_t(j), synergy}, keep);
      }
    }
  };
  parallel_blocks(strips, double(d) * double(d) * double(data.n_words()) < 1e5 ? 1 : threads, monitor, one);
  PairSearch found{{}, std::vector<double>(d, -HUGE_VAL), std::vector<std::int32_t>(d, -1)};
  for (std::size_t s = 0; s < strips; ++s) {
    found.best.insert(found.best.end(), part[s].best.begin(), part[s].best.end());
    for (std::size_t j = s * strip; j < d; ++j) {
      const double synergy = part[s].most[j - s * strip];
      const std::int32_t with = part[s].partner[j - s * strip];
      if (synergy > found.most[j] || (synergy == found.most[j] && with >= 0 && with < found.partner[j])) {
        found.most[j] = synergy;
        found.partner[j] = with;
      }
    }
  }
  std::sort(found.best.begin(), found.best.end(), is_better);
  found.best.resize(std::min(found.best.size(), keep));
  return found;
}

}  // namespace vitalfew
