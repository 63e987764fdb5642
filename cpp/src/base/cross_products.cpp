// Sums Σ w (x - s) and Σ w (x - s)(x - s)ᵀ of columns of any numeric type, as a cache-blocked matrix product. Rows are packed
// into panels of four interleaved columns, and tiles of 4 x 12 products are accumulated in registers. A column of ones yields the
// first moments. O(n d²), each number read from memory once.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "vitalfew/parallel.hpp"
#include "vitalfew/products.hpp"
#include "vitalfew/vectors.hpp"

namespace vitalfew {
namespace {

// A panel fits into the second-level cache, four of its columns into the first-level cache.
constexpr std::size_t kPanelNumbers = 1 << 16, kMostRows = 128, kLeastRows = 16;
// Rows are divided into parts with separate sums, so that threads can share the work: rows of a part at a time, largest number of
// parts, and numbers that all their sums may take.
constexpr std::size_t kTurnRows = 1024, kMostParts = 16, kSumNumbers = 1 << 23;

// Packs a column into its position among four: out[4 k] = (x[k] − shift) scale[k].
template <class T>
void place(const T* x, std::ptrdiff_t stride, double shift, const double* scale, std::size_t n, double* out) {
  for (std::size_t k = 0; k < n; ++k, x += stride) out[4 * k] = double(*x) - shift;
  if (scale != nullptr)
    for (std::size_t k = 0; k < n; ++k) out[4 * k] *= scale[k];
}

// Packed panels of the columns, followed by a column of ones and zeros up to whole tiles, and the accumulated 4 x 12 tiles.
class Panels {
 public:
  explicit Panels(std::size_t n_columns)
      : size_(n_columns),
        quads_((n_columns + 1 + 3) / 4),
        rows_(std::clamp(kPanelNumbers / (4 * quads_), kLeastRows, kMostRows)),
        panel_((quads_ + 2) * 4 * rows_),
        scale_(rows_),
        tile_(n_tiles() * 48) {}

  void add(const NumberColumns& data, std::span<const double> shift, std::span<const double> weight, std::size_t begin,
           std::size_t end) {
    for (; begin < end; begin += rows_) add_panel(data, shift, weight, begin, std::min(rows_, end - begin));
  }

  void add(const Panels& other) { std::transform(tile_.begin(), tile_.end(), other.tile_.begin(), tile_.begin(), std::plus<>()); }

  Products sums() const {
    Products found{std::vector<double>(size_), std::vector<double>(size_ * size_)};
    const double* tile = tile_.data();
    for (std::size_t q = 0; q < quads_; ++q)
      for (std::size_t p = q; p < quads_; p += 3, tile += 48)
        for (std::size_t a = 0; a < 48; ++a) put(found, 4 * q + a / 12, 4 * p + a % 12, tile[a]);
    return found;
  }

 private:
  // Packs n rows, scaled by the roots of their weights, and adds their products to all tiles of the upper triangle.
  void add_panel(const NumberColumns& data, std::span<const double> shift, std::span<const double> weight, std::size_t begin,
                 std::size_t n) {
    const double* scale = nullptr;
    if (!weight.empty()) {
      for (std::size_t k = 0; k < n; ++k) scale_[k] = std::sqrt(weight[begin + k]);
      scale = scale_.data();
    }
    for (std::size_t j = 0; j < size_; ++j) {
      const auto& [number, stride] = data.column[j];
      std::visit(
          [&, stride = stride](const auto* x) { place(x + std::ptrdiff_t(begin) * stride, stride, shift[j], scale, n, at(j)); },
          number);
    }
    for (std::size_t k = 0; k < n; ++k) at(size_)[4 * k] = scale == nullptr ? 1.0 : scale[k];
    double* tile = tile_.data();
    for (std::size_t q = 0; q < quads_; ++q)
      for (std::size_t p = q; p < quads_; p += 3, tile += 48) add_products(of(q), of(p), 4 * rows_, n, tile);
  }

  std::size_t n_tiles() const {
    std::size_t n = 0;
    for (std::size_t q = 0; q < quads_; ++q) n += (quads_ - q + 2) / 3;
    return n;
  }
  double* of(std::size_t quad) { return panel_.data() + quad * 4 * rows_; }
  double* at(std::size_t j) { return of(j / 4) + j % 4; }
  void put(Products& found, std::size_t i, std::size_t j, double value) const {
    if (i >= size_ || j > size_ || j < i) return;
    if (j == size_)
      found.first[i] = value;
    else
      found.second[i * size_ + j] = found.second[j * size_ + i] = value;
  }

  std::size_t size_, quads_, rows_;
  std::vector<double> panel_, scale_, tile_;
};

}  // namespace

// The parts and their order depend only on the data, so that sums do not depend on the number of threads.
Products column_products(const NumberColumns& data, std::span<const double> shift, std::span<const double> weight, int threads,
                         Monitor& monitor) {
  const std::size_t d = data.column.size(), n = data.n_rows;
  if (shift.size() != d) throw std::invalid_argument("products: shift must have one entry per column");
  if (!weight.empty() && weight.size() != n) throw std::invalid_argument("products: weights must have one entry per row");
  const std::size_t n_turns = (n + kTurnRows - 1) / kTurnRows;
  const std::size_t most = std::clamp<std::size_t>(kSumNumbers / ((d + 1) * (d + 1)), 1, kMostParts);
  std::vector<Panels> part(std::clamp<std::size_t>(n_turns, 1, most), Panels(d));
  Team team(threads, part.size());
  for (std::size_t first = 0; first < n_turns; first += part.size())
    team.run(std::min(part.size(), n_turns - first), monitor, [&](std::size_t p) {
      const std::size_t begin = (first + p) * kTurnRows;
      part[p].add(data, shift, weight, begin, std::min(n, begin + kTurnRows));
    });
  for (std::size_t p = 1; p < part.size(); ++p) part[0].add(part[p]);
  return part[0].sums();
}

}  // namespace vitalfew
