#include "vitalfew/products.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "vitalfew/vectors.hpp"

namespace vitalfew {
namespace {

// Rows of a panel: four columns of it stay in the first level of the cache.
constexpr std::size_t kRows = 128;

// A column in its place among four: out[4 k] = (x[k] − shift) scale[k].
template <class T>
void place(const T* x, double shift, const double* scale, std::size_t n, double* out) {
  if (scale == nullptr)
    for (std::size_t k = 0; k < n; ++k) out[4 * k] = double(x[k]) - shift;
  else
    for (std::size_t k = 0; k < n; ++k) out[4 * k] = (double(x[k]) - shift) * scale[k];
}

// The columns, a column of ones after them, and zeros up to whole panels; tiles of products of four columns with twelve.
class Panels {
 public:
  explicit Panels(std::size_t n_columns)
      : size_(n_columns), quads_((n_columns + 1 + 3) / 4), panel_((quads_ + 2) * 4 * kRows), tile_(n_tiles() * 48) {}

  void add(const NumberColumns& data, std::span<const double> shift, const double* scale, std::size_t begin, std::size_t n) {
    for (std::size_t j = 0; j < size_; ++j)
      std::visit([&](const auto* x) { place(x + begin, shift[j], scale, n, at(j)); }, data.column[j]);
    for (std::size_t k = 0; k < n; ++k) at(size_)[4 * k] = scale == nullptr ? 1.0 : scale[k];
    double* tile = tile_.data();
    for (std::size_t q = 0; q < quads_; ++q)
      for (std::size_t p = q; p < quads_; p += 3, tile += 48) add_products(of(q), of(p), 4 * kRows, n, tile);
  }

  Products sums() const {
    Products found{std::vector<double>(size_), std::vector<double>(size_ * size_)};
    const double* tile = tile_.data();
    for (std::size_t q = 0; q < quads_; ++q)
      for (std::size_t p = q; p < quads_; p += 3, tile += 48)
        for (std::size_t a = 0; a < 48; ++a) put(found, 4 * q + a / 12, 4 * p + a % 12, tile[a]);
    return found;
  }

 private:
  std::size_t n_tiles() const {
    std::size_t n = 0;
    for (std::size_t q = 0; q < quads_; ++q) n += (quads_ - q + 2) / 3;
    return n;
  }
  double* of(std::size_t quad) { return panel_.data() + quad * 4 * kRows; }
  double* at(std::size_t j) { return of(j / 4) + j % 4; }
  void put(Products& found, std::size_t i, std::size_t j, double value) const {
    if (i >= size_ || j > size_ || j < i) return;
    if (j == size_)
      found.first[i] = value;
    else
      found.second[i * size_ + j] = found.second[j * size_ + i] = value;
  }

  std::size_t size_, quads_;
  std::vector<double> panel_, tile_;
};

}  // namespace

Products column_products(const NumberColumns& data, std::span<const double> shift, std::span<const double> weight) {
  if (shift.size() != data.column.size()) throw std::invalid_argument("products: there must be one shift for each column");
  if (!weight.empty() && weight.size() != data.n_rows)
    throw std::invalid_argument("products: there must be one weight for each row");
  Panels panels(data.column.size());
  std::vector<double> scale(weight.empty() ? 0 : kRows);
  for (std::size_t begin = 0; begin < data.n_rows; begin += kRows) {
    const std::size_t n = std::min(kRows, data.n_rows - begin);
    if (!weight.empty())
      std::transform(weight.begin() + std::ptrdiff_t(begin), weight.begin() + std::ptrdiff_t(begin + n), scale.begin(),
                     [](double w) { return std::sqrt(w); });
    panels.add(data, shift, weight.empty() ? nullptr : scale.data(), begin, n);
  }
  return panels.sums();
}

}  // namespace vitalfew
