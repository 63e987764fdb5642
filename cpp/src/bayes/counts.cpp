// Counts of (feature, value) by class, N(slot, c) = Σ_i w_i [label_i = c and row i has the slot], the sufficient statistics of
// naive Bayes. Every entry is read once: O(entries + parts x table).
#include "vitalfew/counts.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "vitalfew/checks.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// Returns the number of parts into which rows are cut. It depends only on the data; each part has its own table, and the tables
// are added in order, so that weighted sums are the same for any number of threads.
std::size_t parts_for(std::size_t entries, std::size_t table_size, std::size_t bytes) {
  if (entries < 100'000) return 1;
  const std::size_t by_work = std::clamp<std::size_t>(entries / std::max<std::size_t>(table_size, 1), 2, 8);
  const std::size_t by_memory = std::max<std::size_t>(1, (std::size_t{512} << 20) / std::max<std::size_t>(table_size * bytes, 1));
  return std::min(by_work, by_memory);
}

// Adds rows to a table stored class by class, so that the entries of a row need no multiplication for their address.
template <class Count, SlotRows Rows>
void add_rows(const Rows& rows, const std::int32_t* label, const double* weight, Count* table) {
  const std::size_t slots = rows.n_slots();
  const auto add = [=](Count* line, std::size_t i, std::size_t slot) {
    if constexpr (std::is_integral_v<Count>)
      ++line[slot];
    else
      line[slot] += weight[i];
  };
  const auto line_of = [=](std::size_t i) { return label == nullptr ? table : table + std::size_t(label[i]) * slots; };
  if (!rows.is_by_row()) {
    rows.visit(0, rows.n_rows, [=](std::size_t i, std::size_t, std::size_t slot) { add(line_of(i), i, slot); });
    return;
  }
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    Count* const line = line_of(i);
    rows.visit(i, i + 1, [=](std::size_t, std::size_t, std::size_t slot) { add(line, i, slot); });
  }
}

// Counts each part in parallel, in blocks of checked rows, and adds the tables, transposed to slots x classes.
template <class Count, SlotRows Rows>
std::vector<double> count_in_parts(const Rows& rows, std::span<const std::int32_t> label, std::span<const double> weight,
                                   const CountOptions& options, Monitor& monitor) {
  const std::size_t classes = options.n_classes, slots = rows.n_slots(), size = table_size(slots, classes);
  const std::size_t parts = parts_for(rows.n_entries(), size, sizeof(Count));
  std::vector<std::vector<Count>> tables(parts);
  parallel_blocks(parts, options.threads, monitor, [&](std::size_t part) {
    auto& table = tables[part];
    table.assign(size, Count{0});
    CheckedRows<Rows> checked(rows);
    const std::size_t end = rows.n_rows * (part + 1) / parts, step = checked.block_rows();
    for (std::size_t begin = rows.n_rows * part / parts; begin < end; begin += step) {
      const Rows block = checked.take(begin, std::min(begin + step, end));
      add_rows(block, label.empty() ? nullptr : label.data() + begin, weight.empty() ? nullptr : weight.data() + begin,
               table.data());
      monitor.check();
    }
  });
  std::vector<double> total(size);
  for (const auto& table : tables)
    for (std::size_t c = 0; c < classes; ++c)
      for (std::size_t s = 0; s < slots; ++s) total[s * classes + c] += double(table[c * slots + s]);
  return total;
}

}  // namespace

template <SlotRows Rows>
std::vector<double> count_slots(const Rows& rows, std::span<const std::int32_t> label, std::span<const double> weight,
                                const CountOptions& options, Monitor& monitor) {
  if (!label.empty() && label.size() != rows.n_rows) throw std::invalid_argument("labels must have one entry per row");
  if (!weight.empty() && weight.size() != rows.n_rows) throw std::invalid_argument("weights must have one entry per row");
  check_shape(rows);
  if (options.n_classes == 0) throw std::invalid_argument("n_classes must be at least 1");
  if (!are_labels(label, options.n_classes)) throw std::invalid_argument("labels must be in [0, n_classes)");
  // A row adds at most one to a cell, so 32-bit counters suffice without weights; they halve the table.
  if (weight.empty() && rows.n_rows < std::numeric_limits<std::uint32_t>::max())
    return count_in_parts<std::uint32_t>(rows, label, weight, options, monitor);
  if (weight.empty()) return count_in_parts<std::uint64_t>(rows, label, weight, options, monitor);
  return count_in_parts<double>(rows, label, weight, options, monitor);
}

template std::vector<double> count_slots(const BinaryRows&, std::span<const std::int32_t>, std::span<const double>,
                                         const CountOptions&, Monitor&);
template std::vector<double> count_slots(const Codes<std::uint8_t>&, std::span<const std::int32_t>, std::span<const double>,
                                         const CountOptions&, Monitor&);
template std::vector<double> count_slots(const Codes<std::uint32_t>&, std::span<const std::int32_t>, std::span<const double>,
                                         const CountOptions&, Monitor&);

Transposed transpose(const Pattern& pattern) {
  Transposed out{std::vector<std::int64_t>(pattern.width + 1), std::vector<std::int32_t>(pattern.index.size())};
  for (const std::int32_t i : pattern.index) ++out.start[std::size_t(i) + 1];
  for (std::size_t w = 0; w < pattern.width; ++w) out.start[w + 1] += out.start[w];
  std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
  for (std::size_t l = 0; l < pattern.lines(); ++l)
    for (const std::int32_t i : pattern.line(l)) out.index[std::size_t(next[std::size_t(i)]++)] = std::int32_t(l);
  return out;
}

}  // namespace vitalfew
