// Lists of (place, value), one for each row, that grow at the end. They are linked blocks from one pool, so that an append
// allocates no memory: O(1) on average.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vitalfew {

class RowLists {
 public:
  explicit RowLists(std::size_t n_rows = 0) : rows_(n_rows) {}

  bool empty() const { return rows_.empty(); }
  std::size_t length(std::size_t row) const { return std::size_t(rows_[row].length); }

  void append(std::size_t row, std::int32_t place, double value) {
    Row& r = rows_[row];
    const auto at = std::size_t(r.length) % kBlock;
    if (at == 0) {
      const auto block = std::int32_t(blocks_.size());
      blocks_.emplace_back();
      (r.length == 0 ? r.first : blocks_[std::size_t(r.last)].next) = block;
      r.last = block;
    }
    blocks_[std::size_t(r.last)].place[at] = place;
    blocks_[std::size_t(r.last)].value[at] = value;
    ++r.length;
  }

  // Appends a row with a copy of this row's list.
  void copy_row(std::size_t row) {
    const std::size_t to = rows_.size();
    rows_.emplace_back();
    const Row source = rows_[row];
    std::int32_t block = source.first;
    for (std::int32_t at = 0; at < source.length; ++at) {
      const Block b = blocks_[std::size_t(block)];
      append(to, b.place[std::size_t(at) % kBlock], b.value[std::size_t(at) % kBlock]);
      if (std::size_t(at) % kBlock == kBlock - 1) block = b.next;
    }
  }

  // Calls f(place, value) in the order of appending.
  template <class F>
  void visit(std::size_t row, F&& f) const {
    std::int32_t left = rows_[row].length, block = rows_[row].first;
    while (left > 0) {
      const Block& b = blocks_[std::size_t(block)];
      const std::size_t count = std::min<std::size_t>(kBlock, std::size_t(left));
      for (std::size_t at = 0; at < count; ++at) f(std::size_t(b.place[at]), b.value[at]);
      left -= std::int32_t(count);
      block = b.next;
    }
  }

 private:
  static constexpr std::size_t kBlock = 5;  // a block fills one cache line
  struct Block {
    std::int32_t next;
    std::int32_t place[kBlock];
    double value[kBlock];
  };
  struct Row {
    std::int32_t first = 0, last = 0, length = 0;
  };
  std::vector<Row> rows_;
  std::vector<Block> blocks_;
};

}  // namespace vitalfew
