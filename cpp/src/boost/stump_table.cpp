// Storage of binned data for boosting, and the update of sums of weights by slot and class: sums[y, slot of (i, j)] += Δw_i for
// every changed row i and feature j. O(features) for each changed row, or O(stored codes) where most codes are the usual ones.
#include "boost/stump_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "vitalfew/checks.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t together = 4;  // columns updated in one pass over the list of rows
constexpr double mostly = 0.75;      // share of the most frequent code above which a column is stored by rows

// Counts each code. Neighboring rows use different counters, so that an increment does not wait for the previous one.
template <class Code>
std::vector<std::size_t> count_codes(const Code* x, std::size_t n, std::size_t n_codes) {
  constexpr std::size_t lanes = 4;
  std::vector<std::size_t> count(lanes * n_codes);
  for (std::size_t i = 0; i < n; ++i) ++count[(i % lanes) * n_codes + x[i]];
  for (std::size_t c = n_codes; c < lanes * n_codes; ++c) count[c % n_codes] += count[c];
  count.resize(n_codes);
  return count;
}

}  // namespace

template <class Code>
StumpTable<Code>::StumpTable(const BinnedColumns<Code>& columns, int threads, Monitor& monitor)
    : n_rows_(columns.n_rows),
      features_(columns.features),
      usual_(features_.n_features(), none),
      column_(features_.n_features()) {
  columns.validate();
  const std::size_t d = features_.n_features();
  line_.assign(d + 1, 0);
  const std::size_t blocks = blocks_for(double(n_rows_ * d), d);
  const auto each_column = [&](auto&& body) {
    parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
      for (std::size_t j = d * b / blocks; j < d * (b + 1) / blocks; ++j) body(j, columns.column(j));
    });
  };
  // 1. Find the columns that mostly have one code, and count their other entries.
  each_column([&](std::size_t j, const Code* x) {
    const std::vector<std::size_t> count = count_codes(x, n_rows_, features_.n_bins(j) + 1);
    const auto most = std::max_element(count.begin(), count.end() - 1);
    const bool is_usual = double(*most) > mostly * double(n_rows_);
    if (is_usual) usual_[j] = std::int32_t(most - count.begin());
    if (!is_usual) column_[j] = x;
    line_[j + 1] = is_usual ? std::int64_t(n_rows_ - *most) : 0;
  });
  for (std::size_t j = 0; j < d; ++j) {
    if (usual_[j] == none) full_.push_back(j);
    line_[j + 1] += line_[j];
  }
  line_row_.resize(std::size_t(line_[d]));
  line_code_.resize(std::size_t(line_[d]));
  // 2. List these entries: each one is written, and the position advances only if the code is not the usual one.
  each_column([&](std::size_t j, const Code* x) {
    auto at = std::size_t(line_[j]);
    const auto end = std::size_t(line_[j + 1]);
    for (std::size_t i = 0; at < end; ++i) {
      line_row_[at] = std::uint32_t(i);
      line_code_[at] = x[i];
      at += x[i] != Code(usual_[j]);
    }
  });
  turn_lines();
}

template <class Code>
StumpTable<Code>::StumpTable(const BinnedRows& rows, int threads, Monitor& monitor)
    : n_rows_(rows.n_rows),
      features_(rows.features),
      usual_(rows.usual.begin(), rows.usual.end()),
      column_(features_.n_features()) {
  features_.validate();
  if (usual_.size() != features_.n_features()) throw std::invalid_argument("bins: expected one most frequent code per feature");
  for (std::size_t j = 0; j < usual_.size(); ++j)
    if (usual_[j] < 0 || std::size_t(usual_[j]) >= features_.n_bins(j)) throw std::invalid_argument("bins: code out of range");
  if (rows.pattern.width != features_.n_slots()) throw std::invalid_argument("bins: the number of slots must match the offsets");
  check_shape(rows.pattern);
  const std::size_t blocks = blocks_for(double(rows.pattern.index.size()), std::min<std::size_t>(n_rows_, 256));
  parallel_blocks(blocks, threads, monitor,
                  [&](std::size_t b) { check_rows(rows.pattern, n_rows_ * b / blocks, n_rows_ * (b + 1) / blocks); });
  start_.assign(rows.pattern.start.begin(), rows.pattern.start.end());
  slot_.assign(rows.pattern.index.begin(), rows.pattern.index.end());
  turn_rows();
}

// Builds the slots of each row from the rows of each feature (a counting sort).
template <class Code>
void StumpTable<Code>::turn_lines() {
  start_.assign(n_rows_ + 1, 0);
  for (const std::uint32_t i : line_row_) ++start_[i + 1];
  for (std::size_t i = 0; i < n_rows_; ++i) start_[i + 1] += start_[i];
  slot_.resize(line_row_.size());
  std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t j = 0; j < features_.n_features(); ++j)
    for (auto at = std::size_t(line_[j]); at < std::size_t(line_[j + 1]); ++at)
      slot_[std::size_t(next[line_row_[at]]++)] = std::int32_t(features_.first(j) + line_code_[at]);
}

// Builds the rows of each feature from the slots of each row.
template <class Code>
void StumpTable<Code>::turn_rows() {
  const std::size_t d = features_.n_features();
  line_.assign(d + 1, 0);
  if (slot_.empty()) return;
  std::vector<std::int32_t> owner(features_.n_slots());
  for (std::size_t j = 0; j < d; ++j)
    std::fill(owner.begin() + features_.offset[j], owner.begin() + features_.offset[j + 1], std::int32_t(j));
  for (const std::int32_t slot : slot_) ++line_[std::size_t(owner[std::size_t(slot)]) + 1];
  for (std::size_t j = 0; j < d; ++j) line_[j + 1] += line_[j];
  line_row_.resize(slot_.size());
  line_code_.resize(slot_.size());
  std::vector<std::int64_t> next(line_.begin(), line_.end() - 1);
  for (std::size_t i = 0; i < n_rows_; ++i) {
    for (auto k = std::size_t(start_[i]); k < std::size_t(start_[i + 1]); ++k) {
      const auto j = std::size_t(owner[std::size_t(slot_[k])]);
      const auto at = std::size_t(next[j]++);
      line_row_[at] = std::uint32_t(i);
      line_code_[at] = Code(std::size_t(slot_[k]) - features_.first(j));
    }
  }
}

// Columns stored in full are updated in groups of up to four, balanced over the threads; sparse rows by class.
template <class Code>
void StumpTable<Code>::add(const Changes& changes, std::size_t n_classes, std::span<double> sums, Team& team,
                           Monitor& monitor) const {
  std::size_t rows = 0;
  for (const auto& [begin, end] : changes.stretches) rows += end - begin;
  const std::size_t full = full_.size();
  const std::size_t turns = (full + together * team.size() - 1) / (together * team.size()), groups = turns * team.size();
  const double entries = double(full) + double(slot_.size()) / double(n_rows_);
  const bool is_shared = team.size() > 1 && double(rows) * entries >= 5e5;
  // Threads divide the columns stored by rows among them by class; a single thread makes one pass for all classes.
  const std::size_t shares = slot_.empty() ? 0 : is_shared ? n_classes : 1, each = is_shared ? 1 : n_classes;
  const auto work = [&](std::size_t b) {
    if (b >= groups) return add_rows((b - groups) * each, each, changes, sums);
    const std::size_t begin = full * b / groups, width = full * (b + 1) / groups - begin;
    if (width == 1) add_columns<1>(begin, changes, sums);
    if (width == 2) add_columns<2>(begin, changes, sums);
    if (width == 3) add_columns<3>(begin, changes, sums);
    if (width == 4) add_columns<4>(begin, changes, sums);
  };
  if (is_shared) return team.run(groups + shares, monitor, work);
  for (std::size_t b = 0; b < groups + shares; ++b) work(b);
  monitor.check();
}

// Updates the sums of the columns [begin, begin + width) of those stored in full.
template <class Code>
template <std::size_t width>
void StumpTable<Code>::add_columns(std::size_t begin, const Changes& changes, std::span<double> sums) const {
  const std::size_t plane = features_.n_slots();
  std::array<const Code*, width> x;
  std::array<double*, width> sum;
  for (std::size_t c = 0; c < width; ++c) {
    x[c] = column_[full_[begin + c]];
    sum[c] = sums.data() + features_.first(full_[begin + c]);
  }
  for (const auto& stretch : changes.stretches)
    for (std::size_t k = stretch.begin; k < stretch.end; ++k) {
      const std::size_t i = changes.row[k], of_class = plane * changes.label[k];
      const double w = changes.weight[k];
      for (std::size_t c = 0; c < width; ++c) sum[c][of_class + x[c][i]] += w;
    }
}

// Updates the sums of the columns stored by rows, for the classes [label, label + n_labels).
template <class Code>
void StumpTable<Code>::add_rows(std::size_t label, std::size_t n_labels, const Changes& changes, std::span<double> sums) const {
  const std::size_t plane = features_.n_slots();
  for (const auto& stretch : changes.stretches)
    for (std::size_t k = stretch.begin; k < stretch.end; ++k) {
      const std::size_t y = changes.label[k];
      if (y - label >= n_labels) continue;  // also for y < label, where the difference wraps around
      const std::size_t i = changes.row[k];
      const double w = changes.weight[k];
      double* const sum = sums.data() + y * plane;
      for (auto s = std::size_t(start_[i]); s < std::size_t(start_[i + 1]); ++s) sum[std::size_t(slot_[s])] += w;
    }
}

// Columns stored by rows: all rows get the side of the usual code first, then the listed ones get their own.
template <class Code>
void StumpTable<Code>::sides(std::size_t j, std::span<const std::uint8_t> of_code, std::span<std::uint8_t> side,
                             std::size_t begin, std::size_t end) const {
  if (const Code* const x = column_[j]) {
    for (std::size_t i = begin; i < end; ++i) side[i] = of_code[x[i]];
    return;
  }
  std::fill(side.begin() + std::ptrdiff_t(begin), side.begin() + std::ptrdiff_t(end), of_code[std::size_t(usual_[j])]);
  const auto first = line_row_.begin() + line_[j], last = line_row_.begin() + line_[j + 1];
  for (auto at = std::lower_bound(first, last, std::uint32_t(begin)); at != last && *at < end; ++at)
    side[*at] = of_code[line_code_[std::size_t(at - line_row_.begin())]];
}

template class StumpTable<std::uint8_t>;
template class StumpTable<std::uint16_t>;

}  // namespace vitalfew
