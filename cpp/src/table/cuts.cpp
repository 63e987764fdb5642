// Supervised discretization by recursive entropy minimization with the MDL stopping rule (Fayyad & Irani, 1993; formula in
// vitalfew/cuts.hpp). A column is sorted by radix sort, equal values and neighboring values of the same single class are merged
// into blocks, and each set is scanned once for its best boundary. Entropies are updated per entry in fixed-point arithmetic.
// O(n) to sort, then O(min(n, values x classes)) for each level of cuts.
#include "vitalfew/cuts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "vitalfew/checks.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

struct Item {
  std::uint64_t key;  // sorts like the value
  std::int32_t label;
  std::uint32_t row;
};

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

// Maps doubles to unsigned integers in the same order.
inline std::uint64_t key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // -0 and 0 are one value
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

inline double value_of(std::uint64_t key) { return std::bit_cast<double>((key & sign_bit) != 0 ? key & ~sign_bit : ~key); }

// Stable radix sort, least significant digit first; a digit that all keys share is skipped.
void sort_by_key(std::vector<Item>& items, std::vector<Item>& spare) {
  constexpr std::size_t bits = 11, n_digits = 6, base = std::size_t{1} << bits;
  const auto digit = [](std::uint64_t key, std::size_t d) { return std::size_t(key >> (bits * d)) & (base - 1); };
  std::array<std::array<std::uint32_t, base>, n_digits> count{};
  for (const Item& item : items)
    for (std::size_t d = 0; d < n_digits; ++d) ++count[d][digit(item.key, d)];
  spare.resize(items.size());
  for (std::size_t d = 0; d < n_digits; ++d) {
    auto& place = count[d];
    if (items.empty() || place[digit(items.front().key, d)] == items.size()) continue;
    std::exclusive_scan(place.begin(), place.end(), place.begin(), std::uint32_t{0});
    for (const Item& item : items) spare[place[digit(item.key, d)]++] = item;
    items.swap(spare);
  }
}

// x log2 x in fixed point. Sums are exact in any order, so a running sum over 10^8 rows does not drift and equal cuts compare
// equal. The scale puts N log2 N, the largest sum, just below 2^61.
class Scale {
 public:
  explicit Scale(double total) {
    const double n = std::max(total, 2.0);
    unit_ = std::exp2(60 - std::ceil(std::log2(n) + std::log2(std::log2(n))));
  }
  std::int64_t fixed(double x) const { return x > 0 ? std::int64_t(std::llrint(x * unit_ * std::log2(x))) : 0; }
  double bits(std::int64_t fixed) const { return double(fixed) / unit_; }

 private:
  double unit_;
};

// Costs closer than this are ties: 2^-44 of N log2 N, above the rounding of sums of weights and far below one row.
constexpr std::int64_t tie = std::int64_t{1} << 16;

// Unweighted rows: x log2 x comes from a table.
class RowMeasure {
 public:
  using Count = std::int64_t;
  explicit RowMeasure(std::size_t n) : scale(double(n)), x_log_x_(n + 1) {
    for (std::size_t x = 0; x <= n; ++x) x_log_x_[x] = scale.fixed(double(x));
  }
  Count weight(std::uint32_t /*row*/) const { return 1; }
  std::int64_t x_log_x(Count x) const { return x_log_x_[std::size_t(x)]; }
  Scale scale;

 private:
  std::vector<std::int64_t> x_log_x_;
};

// Weighted rows: x log2 x is computed.
class WeightMeasure {
 public:
  using Count = double;
  WeightMeasure(std::span<const double> w, double total) : scale(total), w_(w) {}
  Count weight(std::uint32_t row) const { return w_[row]; }
  std::int64_t x_log_x(Count x) const { return scale.fixed(x); }
  Scale scale;

 private:
  std::span<const double> w_;
};

// Weight of each class in a set, with the sums that its entropy needs.
template <class Measure>
struct ClassCounts {
  using Count = typename Measure::Count;
  std::vector<Count> of;
  Count total{};
  std::int64_t sum = 0;  // of x log2 x over classes
  int present = 0;

  void set(const Measure& measure, std::size_t c, Count to) {
    sum += measure.x_log_x(to) - measure.x_log_x(of[c]);
    present += int(to > 0) - int(of[c] > 0);
    of[c] = to;
  }
  // total x entropy
  std::int64_t cost(const Measure& measure) const { return measure.x_log_x(total) - sum; }
};

// A maximal run of sorted values that no optimal boundary separates: one value, or several of the same single class.
struct Block {
  double low, high;
  std::size_t end;  // end of its cells
};

template <class Measure>
class ColumnCutter {
 public:
  using Count = typename Measure::Count;

  ColumnCutter(const Measure& measure, std::size_t n_classes) : measure_(measure) {
    for (auto* side : {&all_, &left_, &right_}) side->of.resize(n_classes);
    slot_.resize(n_classes, none);
  }

  // Returns the cuts of a column, in increasing order. Sets still to be cut are kept on a stack.
  std::vector<double> cut(std::vector<Item>& items) {
    sort_by_key(items, spare_);
    make_blocks(items);
    std::vector<double> cuts;
    todo_.assign(1, {0, blocks_.size()});
    while (!todo_.empty()) {
      const auto [begin, end] = todo_.back();
      todo_.pop_back();
      const std::size_t at = best_cut(begin, end);
      if (at == none) continue;
      cuts.push_back(between(blocks_[at - 1].high, blocks_[at].low));
      todo_.emplace_back(begin, at);
      todo_.emplace_back(at, end);
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

 private:
  static constexpr std::size_t none = std::size_t(-1);
  struct Cell {
    Count weight;
    std::size_t label;
  };
  struct Side {
    std::int64_t cost = 0;
    Count total{};
    int present = 0;
  };

  std::size_t cells_before(std::size_t block) const { return block == 0 ? 0 : blocks_[block - 1].end; }

  // Builds the blocks of a sorted column, and for each block one cell (weight, label) per class.
  void make_blocks(const std::vector<Item>& items) {
    blocks_.clear();
    cells_.clear();
    for (std::size_t i = 0; i < items.size();) {
      const std::size_t first = cells_.size();
      const std::uint64_t key = items[i].key;
      for (; i < items.size() && items[i].key == key; ++i) add(items[i]);
      for (std::size_t cell = first; cell < cells_.size(); ++cell) slot_[cells_[cell].label] = none;
      const double x = value_of(key);
      if (is_pure_again(first)) {
        cells_[first - 1].weight += cells_.back().weight;
        cells_.pop_back();
        blocks_.back().high = x;
      } else {
        blocks_.push_back({x, x, cells_.size()});
      }
    }
  }

  // Adds an item to the cell of its class, which slot_ locates.
  void add(const Item& item) {
    const auto c = std::size_t(item.label);
    if (slot_[c] == none) {
      slot_[c] = cells_.size();
      cells_.push_back({measure_.weight(item.row), c});
    } else {
      cells_[slot_[c]].weight += measure_.weight(item.row);
    }
  }

  // An optimal cut never separates two values of the same single class (Fayyad & Irani, theorem 1): they become one block.
  bool is_pure_again(std::size_t first) const {
    if (blocks_.empty() || cells_.size() - first != 1) return false;
    const std::size_t last = blocks_.size() - 1;
    return blocks_[last].end - cells_before(last) == 1 && cells_[first - 1].label == cells_[first].label;
  }

  // Finds the best cut of the blocks [begin, end). Returns the first block on its right, or `none` if the cut does not pay.
  std::size_t best_cut(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return none;
    const std::size_t first = cells_before(begin), last = cells_before(end);
    load(first, last);
    std::size_t at = none;
    Side left, right;
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (std::size_t block = begin, cell = first; block + 1 < end; ++block) {
      for (; cell < blocks_[block].end; ++cell) move_left(cells_[cell]);
      right_.total = all_.total - left_.total;
      const Side l{left_.cost(measure_), left_.total, left_.present}, r{right_.cost(measure_), right_.total, right_.present};
      if (l.cost + r.cost >= best - tie) continue;
      best = l.cost + r.cost;
      at = block + 1;
      left = l;
      right = r;
    }
    const Side whole{all_.cost(measure_), all_.total, all_.present};
    unload(first, last);
    return pays(whole, left, right) ? at : none;
  }

  // Puts all cells of the set on the right side.
  void load(std::size_t first, std::size_t last) {
    for (std::size_t cell = first; cell < last; ++cell) {
      const auto& [weight, c] = cells_[cell];
      all_.set(measure_, c, all_.of[c] + weight);
      all_.total += weight;
    }
    for (std::size_t cell = first; cell < last; ++cell) right_.of[cells_[cell].label] = all_.of[cells_[cell].label];
    right_.sum = all_.sum;
    right_.present = all_.present;
  }

  void move_left(const Cell& cell) {
    const std::size_t c = cell.label;
    left_.set(measure_, c, left_.of[c] + cell.weight);
    // Computed as a difference, so that it is exactly 0 once the whole class is on the left.
    right_.set(measure_, c, all_.of[c] - left_.of[c]);
    left_.total += cell.weight;
  }

  // Clears only the classes of the set, so that many small sets of many classes stay cheap.
  void unload(std::size_t first, std::size_t last) {
    for (auto* side : {&all_, &left_, &right_}) {
      for (std::size_t cell = first; cell < last; ++cell) side->of[cells_[cell].label] = Count{};
      side->total = Count{};
      side->sum = 0;
      side->present = 0;
    }
  }

  // The MDL criterion: N Gain > log2(N - 1) + log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2)).
  bool pays(const Side& all, const Side& left, const Side& right) const {
    const auto n = double(all.total);
    if (!(n >= 2)) return false;
    const auto labels = [&](const Side& s) { return s.present * measure_.scale.bits(s.cost) / double(s.total); };
    const double k = all.present;
    const double log_partitions = k * std::log2(3.0) + std::log1p(-2 * std::pow(3.0, -k)) / std::log(2.0);
    const double gain = measure_.scale.bits(all.cost - left.cost - right.cost);
    return gain > std::log2(n - 1) + log_partitions - (labels(all) - labels(left) - labels(right));
  }

  const Measure& measure_;
  ClassCounts<Measure> all_, left_, right_;
  std::vector<std::size_t> slot_;
  std::vector<Item> spare_;
  std::vector<Block> blocks_;
  std::vector<Cell> cells_;
  std::vector<std::pair<std::size_t, std::size_t>> todo_;
};

// Collects the items of a column, without NaN and rows of weight zero.
void gather(const Table<double>& table, std::size_t j, std::span<const std::int32_t> label, std::span<const double> weight,
            std::vector<Item>& items) {
  items.clear();
  const double* x = table.data + std::ptrdiff_t(j) * table.col_stride;
  for (std::size_t i = 0; i < table.n_rows; ++i, x += table.row_stride) {
    if (std::isnan(*x) || (!weight.empty() && weight[i] == 0)) continue;
    if (std::isinf(*x)) throw std::invalid_argument("mdl_cuts: column " + std::to_string(j) + " has an infinite value");
    items.push_back({key_of(*x), label[i], std::uint32_t(i)});
  }
}

template <class Measure>
Cuts cut_all(const Table<double>& table, std::span<const std::int32_t> label, std::span<const double> weight,
             const CutOptions& options, const Measure& measure, Monitor& monitor) {
  const std::size_t d = table.n_cols;
  // Short columns share a block and its memory; a long column has its own block, so that Ctrl-C is noticed soon.
  const std::size_t width = std::clamp<std::size_t>(500'000 / std::max<std::size_t>(table.n_rows, 1), 1, 8);
  std::vector<std::vector<double>> of_column(d);
  parallel_blocks((d + width - 1) / width, options.threads, monitor, [&](std::size_t b) {
    ColumnCutter<Measure> cutter(measure, options.n_classes);
    std::vector<Item> items;
    items.reserve(table.n_rows);
    for (std::size_t j = b * width; j < std::min(d, (b + 1) * width); ++j) {
      gather(table, j, label, weight, items);
      of_column[j] = cutter.cut(items);
    }
  });
  Cuts cuts{{}, {0}};
  for (const auto& column : of_column) {
    cuts.value.insert(cuts.value.end(), column.begin(), column.end());
    cuts.start.push_back(std::int64_t(cuts.value.size()));
  }
  return cuts;
}

}  // namespace

Cuts mdl_cuts(const Table<double>& table, std::span<const std::int32_t> label, std::span<const double> weight,
              const CutOptions& options, Monitor& monitor) {
  const std::size_t n = table.n_rows;
  if (label.size() != n || (!weight.empty() && weight.size() != n))
    throw std::invalid_argument("mdl_cuts: labels and weights must have one entry per row");
  if (n > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("mdl_cuts: more than 2^32 - 1 rows");
  if (!are_labels(label, options.n_classes)) throw std::invalid_argument("mdl_cuts: labels must be in [0, n_classes)");
  if (weight.empty()) return cut_all(table, label, weight, options, RowMeasure(n), monitor);
  double total = 0;
  for (const double w : weight) {
    if (!(w >= 0)) throw std::invalid_argument("mdl_cuts: weights must not be negative or NaN");
    total += w;
  }
  if (!(total < 1e300)) throw std::invalid_argument("mdl_cuts: the sum of weights must be below 1e300");
  return cut_all(table, label, weight, options, WeightMeasure(weight, total), monitor);
}

}  // namespace vitalfew
