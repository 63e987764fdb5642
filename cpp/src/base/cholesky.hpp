// A Cholesky factor L of A = LLᵀ that grows and shrinks by one row at a time. O(k²) for each append, removal and solve.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "vitalfew/vectors.hpp"

namespace vitalfew {

class Cholesky {
 public:
  std::size_t size() const { return rows_.size(); }
  void clear() { rows_.clear(); }

  // Appends a row and column to A: `beside` are its entries with those present, `diagonal` is its own. Returns false, without
  // appending, if it is a combination of the others up to `floor` of its square. In either case half() holds L⁻¹ beside.
  bool append(std::span<const double> beside, double diagonal, double floor) {
    const std::size_t k = size();
    half_.assign(beside.begin(), beside.end());
    double left = diagonal;
    for (std::size_t i = 0; i < k; ++i) {
      half_[i] = (half_[i] - dot(rows_[i].data(), half_.data(), i)) / rows_[i][i];
      left -= half_[i] * half_[i];
    }
    if (!(left > floor * diagonal)) return false;
    rows_.emplace_back(half_.begin(), half_.end());
    rows_.back().push_back(std::sqrt(left));
    return true;
  }
  std::vector<double>& half() { return half_; }

  // Removes row and column p; Givens rotations restore the triangular form.
  void remove(std::size_t p) {
    rows_.erase(rows_.begin() + std::ptrdiff_t(p));
    const std::size_t k = size();
    cosine_.resize(k);
    sine_.resize(k);
    for (std::size_t i = p; i < k; ++i) {
      double* const row = rows_[i].data();
      double here = row[p];
      for (std::size_t j = p; j < i; ++j) {
        const double next = row[j + 1];
        row[j] = cosine_[j] * here + sine_[j] * next;
        here = cosine_[j] * next - sine_[j] * here;
      }
      const double norm = std::hypot(here, row[i + 1]);
      cosine_[i] = here / norm;
      sine_[i] = row[i + 1] / norm;
      row[i] = norm;
      rows_[i].pop_back();
    }
  }

  // Solves A x = b in place.
  void solve(std::span<double> b) const {
    for (std::size_t i = 0; i < size(); ++i) b[i] = (b[i] - dot(rows_[i].data(), b.data(), i)) / rows_[i][i];
    solve_upper(b);
  }
  // Solves Lᵀ x = b in place.
  void solve_upper(std::span<double> b) const {
    for (std::size_t i = size(); i-- > 0;) {
      b[i] /= rows_[i][i];
      axpy(-b[i], rows_[i].data(), b.data(), i);
    }
  }

 private:
  std::vector<std::vector<double>> rows_;
  std::vector<double> half_, cosine_, sine_;
};

}  // namespace vitalfew
