// Naive Bayes scores of rows, Σ_j table[slot of (i, j), c], for one model or for all points of a path at once (formula in
// vitalfew/scores.hpp). A path takes one pass over the entries: contributions are added at the points where features enter or
// leave, and then cumulated over the path.
#include "vitalfew/scores.hpp"

#include <algorithm>

#include "vitalfew/checks.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// Scores a block of rows. `Fixed` is the number of classes if known at compile time, otherwise 0.
template <std::size_t Fixed, SlotRows Rows>
void score_block(const Rows& rows, const double* table, std::size_t n_classes, const Events* events, double* out) {
  const std::size_t classes = Fixed ? Fixed : n_classes;
  if constexpr (Fixed > 0) {
    // The sums of a row stay in registers if its entries are contiguous.
    if (events == nullptr && rows.is_by_row()) {
      for (std::size_t i = 0; i < rows.n_rows; ++i) {
        double sum[Fixed] = {};
        rows.visit(i, i + 1, [&sum, table](std::size_t, std::size_t, std::size_t slot) {
          for (std::size_t c = 0; c < Fixed; ++c) sum[c] += table[slot * Fixed + c];
        });
        std::copy_n(sum, Fixed, out + i * Fixed);
      }
      return;
    }
  }
  if (events == nullptr) {
    rows.visit(0, rows.n_rows, [=](std::size_t i, std::size_t, std::size_t slot) {
      for (std::size_t c = 0; c < classes; ++c) out[i * classes + c] += table[slot * classes + c];
    });
    return;
  }
  const std::size_t segments = events->n_segments;
  rows.visit(0, rows.n_rows, [=](std::size_t i, std::size_t j, std::size_t slot) {
    for (auto e = std::size_t(events->start[j]); e < std::size_t(events->start[j + 1]); ++e) {
      double* const cell = out + (i * segments + std::size_t(events->segment[e])) * classes;
      for (std::size_t c = 0; c < classes; ++c) cell[c] += double(events->sign[e]) * table[slot * classes + c];
    }
  });
  // Cumulate over the segments of the path.
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    for (std::size_t k = classes; k < segments * classes; ++k)
      out[i * segments * classes + k] += out[i * segments * classes + k - classes];
}

void validate(const Events& events, std::size_t n_features) {
  if (events.start.size() != n_features + 1 || events.start.back() != std::int64_t(events.segment.size()) ||
      events.sign.size() != events.segment.size() || !std::is_sorted(events.start.begin(), events.start.end()) ||
      events.start[0] != 0)
    throw std::invalid_argument("path events: start must have n_features + 1 entries, and each event a segment and a sign");
  for (const std::int32_t g : events.segment)
    if (g < 0 || std::size_t(g) >= events.n_segments) throw std::invalid_argument("path events: segment out of bounds");
}

}  // namespace

template <SlotRows Rows>
std::vector<double> score_rows(const Rows& rows, std::span<const double> table, std::size_t n_classes, const Events* events,
                               int threads, Monitor& monitor) {
  check_shape(rows);
  if (table.size() != table_size(rows.n_slots(), n_classes)) throw std::invalid_argument("the table must have one row per slot");
  if (events != nullptr) validate(*events, rows.n_features());
  const std::size_t n = rows.n_rows, width = table_size(events != nullptr ? events->n_segments : 1, n_classes);
  std::vector<double> out(table_size(n, width));
  const std::size_t blocks = blocks_for(double(rows.n_entries() * n_classes + n * width), (n + 255) / 256);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    CheckedRows<Rows> checked(rows);
    const std::size_t end = n * (b + 1) / blocks, step = checked.block_rows();
    for (std::size_t begin = n * b / blocks; begin < end; begin += step) {
      const Rows block = checked.take(begin, std::min(begin + step, end));
      double* const line = out.data() + begin * width;
      if (n_classes == 2)
        score_block<2>(block, table.data(), n_classes, events, line);
      else
        score_block<0>(block, table.data(), n_classes, events, line);
    }
  });
  return out;
}

template std::vector<double> score_rows(const BinaryRows&, std::span<const double>, std::size_t, const Events*, int, Monitor&);
template std::vector<double> score_rows(const Codes<std::uint8_t>&, std::span<const double>, std::size_t, const Events*, int,
                                        Monitor&);
template std::vector<double> score_rows(const Codes<std::uint32_t>&, std::span<const double>, std::size_t, const Events*, int,
                                        Monitor&);

}  // namespace vitalfew
