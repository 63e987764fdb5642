// Binned data in the layout that boosting reads: columns that mostly have one code (the "usual" one) are stored by rows, without
// that code; the others are stored in full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitalfew/binned.hpp"
#include "vitalfew/monitor.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {

// Rows whose weight changed, in stretches that were filled independently by threads.
struct Changes {
  std::vector<std::uint32_t> row;
  std::vector<std::uint32_t> label;
  std::vector<double> weight;  // change of the weight
  struct Stretch {
    std::size_t begin, end;
  };
  std::vector<Stretch> stretches;
};

template <class Code>
class StumpTable {
 public:
  explicit StumpTable(const BinnedColumns<Code>& columns, int threads, Monitor& monitor);
  explicit StumpTable(const BinnedRows& rows, int threads, Monitor& monitor);

  static constexpr std::int32_t none = -1;
  std::size_t n_rows() const { return n_rows_; }
  const BinFeatures& features() const { return features_; }
  // The most frequent code, whose sums are not stored: they are the total minus the others. `none` for columns stored in full.
  std::int32_t usual(std::size_t j) const { return usual_[j]; }

  // sums[label * n_slots + slot] += weight, for all slots of the changed rows except usual ones.
  void add(const Changes& changes, std::size_t n_classes, std::span<double> sums, Team& team, Monitor& monitor) const;
  // side[i] = of_code[code of row i in column j].
  void sides(std::size_t j, std::span<const std::uint8_t> of_code, std::span<std::uint8_t> side, std::size_t begin,
             std::size_t end) const;

 private:
  template <std::size_t width>
  void add_columns(std::size_t begin, const Changes& changes, std::span<double> sums) const;
  void add_rows(std::size_t label, std::size_t n_labels, const Changes& changes, std::span<double> sums) const;
  void turn_lines();
  void turn_rows();

  std::size_t n_rows_;
  BinFeatures features_;
  std::vector<std::int32_t> usual_;
  std::vector<const Code*> column_;  // null for columns stored by rows
  std::vector<std::size_t> full_;    // columns stored in full
  std::vector<std::int64_t> start_;  // slots of row i: slot_[start_[i] .. start_[i + 1])
  std::vector<std::int32_t> slot_;
  std::vector<std::int64_t> line_;  // line_row_ and line_code_[line_[j] .. line_[j + 1]): rows of feature j with another code
  std::vector<std::uint32_t> line_row_;
  std::vector<Code> line_code_;
};

}  // namespace vitalfew
