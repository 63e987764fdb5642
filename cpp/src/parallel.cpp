#include "vitalfew/parallel.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace vitalfew {

int thread_count(int requested) {
  if (requested > 0) return requested;
#ifdef _OPENMP
  return std::max(1, omp_get_max_threads());
#else
  return std::max(1, int(std::thread::hardware_concurrency()));
#endif
}

}  // namespace vitalfew
