// Dispatch table of the vector loops, one instance for each processor type.
#pragma once

#include <cstddef>

#include "vitalfew/vectors.hpp"

namespace vitalfew {

struct VectorLoops {
  double (*dot_d)(const double*, const double*, std::size_t);
  double (*dot_f)(const float*, const double*, std::size_t);
  void (*axpy_d)(double, const double*, double*, std::size_t);
  void (*axpy_f)(double, const float*, double*, std::size_t);
  void (*dot4_d)(const double*, const double*, std::size_t, double*);
  void (*dot4_f)(const float*, const double*, std::size_t, double*);
  void (*products)(const double*, const double*, std::size_t, std::size_t, double*);
  double (*square_d)(const double*, const double*, double, std::size_t);
  double (*square_f)(const float*, const double*, double, std::size_t);
  std::size_t (*reaching)(const double*, const double*, double, std::size_t, std::size_t*);
  std::size_t (*may_reach)(const double*, const Drift&, const double*, double, std::size_t, std::size_t*);
  std::size_t (*reaching_ahead)(const double*, const double*, double, const double*, double, std::size_t, std::size_t*);
  Step (*step)(const double*, const double*, const double*, std::size_t);
  std::size_t (*not_finite_d)(const double*, std::size_t);
  std::size_t (*not_finite_f)(const float*, std::size_t);
  void (*axpy_pair_d)(double, const double*, const double*, double*, double*, std::size_t);
  void (*axpy_pair_f)(double, const float*, const double*, double*, double*, std::size_t);
  double (*logistic)(const double*, const double*, const double*, double*, double*, std::size_t);
  double (*entropy)(const double*, const double*, double, std::size_t);
  void (*scale_open)(double, const double*, const double*, double*, std::size_t);
};

namespace baseline {
extern const VectorLoops kLoops;
}
namespace haswell {
extern const VectorLoops kLoops;  // AVX2 and FMA
}

}  // namespace vitalfew
