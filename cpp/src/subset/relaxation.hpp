// Upper bound on what a subset of k columns can explain.
//
// With second moments G = Q + D, D diagonal and positive, Q positive semidefinite, every vector u bounds every subset S:
//
//   c_Sᵀ G_SS⁻¹ c_S  <=  uᵀQu + Σ_{j in S} (c - Qu)_j² / D_j,
//
// because βᵀQβ >= 2uᵀQβ - uᵀQu. So uᵀQu plus the k largest terms bounds all subsets at once; the terms of columns fixed in
// always count, those of columns fixed out never. The best u solves the perspective relaxation, which ADMM approximates; every
// iterate gives a valid bound. Günlük & Linderoth (2010), doi:10.1007/s10107-010-0360-z; Dong, Chen & Linderoth (2015),
// arXiv:1510.06083.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vitalfew {

enum class Fate : std::int8_t { free, in, out };

struct Bound {
  double most = 0;            // no subset explains more
  std::vector<double> term;   // (c - Qu)_j² / D_j
  std::vector<double> share;  // z of the relaxation, in [0, 1]: how far it includes each column
};

// State of ADMM; that of a similar problem is a warm start.
struct Approach {
  std::vector<float> v, w;
};

class Relaxation {
 public:
  // Second moments with ones on the diagonal, row by row.
  Relaxation(std::vector<double> gram, std::vector<double> cross);

  std::size_t size() const { return p_; }
  double gram(std::size_t a, std::size_t b) const { return gram_[a * p_ + b]; }
  std::span<const double> row(std::size_t a) const { return {gram_.data() + a * p_, p_}; }
  double cross(std::size_t j) const { return cross_[j]; }

  // Chooses D quickly: in proportion to what remains of each column after projection on all others.
  void split_evenly();
  // Chooses a better D, as large as possible where `want` is large.
  void split(std::span<const double> want);
  // Returns how much the bound would fall for a larger D_j, from the last solution of the relaxation.
  std::vector<double> wanted(const Bound& bound, const Approach& at) const;

  // Bounds the subsets that take n_free of the free columns. Stops early once the bound is below `needed`, or when it stops
  // falling.
  Bound bound(std::span<const Fate> fate, std::size_t n_free, double needed, int turns, Approach& at) const;

  Relaxation restricted(std::span<const std::size_t> columns) const;

 private:
  std::vector<double> inverse_of_gram();
  std::vector<double> inverse_without(double share) const;  // (G + ridge - share D)⁻¹, empty if not positive definite
  void settle(double share);

  std::size_t p_;
  std::vector<double> gram_, cross_, d_, root_, inverse_;  // roots of D, inverse of Q + ρI
  double rho_ = 1, ridge_ = 0;                             // ridge: added to the diagonal of G in bounds
};

}  // namespace vitalfew
