#include "vitalfew/parallel.hpp"

#include <algorithm>
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace vitalfew {
namespace {

std::atomic<bool> forked{false};

#if defined(__unix__) || defined(__APPLE__)
const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
#endif

}  // namespace

int thread_count([[maybe_unused]] int requested) {
#ifdef _OPENMP
  if (forked || omp_in_parallel()) return 1;
  const int most = std::max(1, omp_get_max_threads());
  return requested <= 0 ? most : std::min(requested, std::max(most, omp_get_num_procs()));
#else
  return 1;
#endif
}

}  // namespace vitalfew
