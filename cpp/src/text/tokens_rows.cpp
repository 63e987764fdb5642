// Output of the word matrix: vocabulary, row starts and sorted column indices, in parallel over blocks. O(stored entries), with a
// bitmap sort for the rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "vitalfew/parallel.hpp"
#include "vitalfew/tokens.hpp"

namespace vitalfew {
namespace {

// Sorts distinct numbers below `width` by setting bits and reading them back: two operations a number. A second bitmap marks the
// nonzero words of the first one.
class BitSorter {
 public:
  explicit BitSorter(std::size_t width) : bit_(width / 64 + 1), full_(width / 4096 + 1) {}

  void sort(std::span<std::int32_t> numbers) {
    // For few numbers, scanning the second bitmap would cost more than a sort.
    if (numbers.size() < 8 || numbers.size() * 4 < full_.size()) {
      std::sort(numbers.begin(), numbers.end());
      return;
    }
    for (const std::int32_t number : numbers) {
      const auto j = std::size_t(number);
      bit_[j / 64] |= std::uint64_t{1} << (j % 64);
      full_[j / 4096] |= std::uint64_t{1} << (j / 64 % 64);
    }
    std::int32_t* to = numbers.data();
    for (std::size_t f = 0; f < full_.size(); ++f) {
      for (std::uint64_t full = full_[f]; full != 0; full &= full - 1) {
        const std::size_t b = f * 64 + std::size_t(std::countr_zero(full));
        for (std::uint64_t bit = bit_[b]; bit != 0; bit &= bit - 1)
          *to++ = std::int32_t(b * 64 + std::size_t(std::countr_zero(bit)));
        bit_[b] = 0;
      }
      full_[f] = 0;
    }
  }

 private:
  std::vector<std::uint64_t> bit_, full_;
};

}  // namespace

std::size_t WordRows::bytes_of(std::span<const std::int32_t> columns, std::span<std::int64_t> start) const {
  start[0] = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) start[k + 1] = start[k] + length_[std::size_t(columns[k])];
  return std::size_t(start.back());
}

void WordRows::write_words(std::span<const std::int32_t> columns, std::span<const std::int64_t> start, std::span<char> bytes,
                           Monitor& monitor) const {
  constexpr std::size_t words_per_block = 16384;
  parallel_blocks(columns.size() / words_per_block + 1, options_.threads, monitor, [&](std::size_t b) {
    for (std::size_t k = b * words_per_block; k < std::min(columns.size(), (b + 1) * words_per_block); ++k) {
      if (k + 16 < columns.size()) prefetch_line(word_[std::size_t(columns[k + 16])]);
      const std::string_view text = word_[std::size_t(columns[k])]->text();
      std::memcpy(bytes.data() + start[k], text.data(), text.size());
    }
  });
}

// Returns for each worker the map from its word ids to the final columns.
std::vector<std::vector<std::int32_t>> WordRows::to_columns(std::span<const std::int32_t> column) const {
  std::vector<std::vector<std::int32_t>> to(workers_.size());
  for (std::size_t w = 0; w < to.size(); ++w) {
    if (fixed_) {
      to[w].assign(column.begin(), column.end());
      continue;
    }
    to[w].resize(column_[w].size());
    for (std::size_t id = 0; id < to[w].size(); ++id) to[w][id] = column[std::size_t(column_[w][id])];
  }
  return to;
}

// Counts the kept words of each row, then cumulates.
void WordRows::write_starts(std::span<const std::int32_t> column, std::span<std::int64_t> start, Monitor& monitor) const {
  const bool is_all_kept = std::none_of(column.begin(), column.end(), [](std::int32_t j) { return j < 0; });
  const auto to = is_all_kept ? std::vector<std::vector<std::int32_t>>{} : to_columns(column);
  start[0] = 0;
  parallel_blocks(blocks_.size(), options_.threads, monitor, [&](std::size_t b) {
    const Block& block = blocks_[b];
    std::int64_t* length = start.data() + block.first_row + 1;
    const std::uint32_t* id = block.id.data();
    for (const std::uint32_t n : block.length) {
      *length = n;
      if (!is_all_kept) *length = std::count_if(id, id + n, [&](std::uint32_t i) { return to[block.worker][i] >= 0; });
      ++length;
      id += n;
    }
  });
  std::partial_sum(start.begin(), start.end(), start.begin());
}

// Maps the ids of each row to columns and sorts them. Each block writes its own rows.
void WordRows::write_rows(std::span<const std::int32_t> column, std::span<const std::int64_t> start,
                          std::span<std::int32_t> index, std::size_t width, Monitor& monitor) const {
  const auto to = to_columns(column);
  parallel_blocks(blocks_.size(), options_.threads, monitor, [&](std::size_t b) {
    const Block& block = blocks_[b];
    const std::int32_t* const map = to[block.worker].data();
    BitSorter sorter(width);
    const std::uint32_t* id = block.id.data();
    for (std::size_t k = 0; k < block.length.size(); ++k) {
      const std::size_t row = block.first_row + k;
      std::int32_t* const begin = index.data() + start[row];
      std::int32_t* const end = index.data() + start[row + 1];
      std::int32_t* at = begin;
      for (const std::uint32_t* const stop = id + block.length[k]; id < stop; ++id)
        if (map[*id] >= 0) *at++ = map[*id];
      sorter.sort({begin, end});
    }
  });
}

void write_unit_rows(const Pattern& rows, std::span<const double> weight, std::span<double> value, int threads,
                     Monitor& monitor) {
  constexpr std::size_t rows_per_block = 4096;
  const std::size_t n = rows.lines();
  parallel_blocks((n + rows_per_block - 1) / rows_per_block, threads, monitor, [&](std::size_t b) {
    for (std::size_t i = b * rows_per_block; i < std::min(n, (b + 1) * rows_per_block); ++i) {
      double* const out = value.data() + rows.start[i];
      double sum = 0;
      std::size_t k = 0;
      for (const std::int32_t j : rows.line(i)) {
        out[k] = weight[std::size_t(j)];
        sum += out[k] * out[k];
        ++k;
      }
      const double norm = std::sqrt(sum);
      for (std::size_t v = 0; v < k; ++v) out[v] /= norm;
    }
  });
}

}  // namespace vitalfew
