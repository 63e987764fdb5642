// Number of threads that kernels may use, and the count of those in use.
#include "vitalfew/parallel.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace vitalfew {

namespace {

constexpr int most_threads = 1024;
std::atomic<int> at_work{0};  // threads in use by calls that share the processors, including those of their callers
std::atomic<std::int64_t> helpers_begun{0}, helpers_now{0}, helpers_most{0};

#if defined(__unix__) || defined(__APPLE__)
// A forked child has none of the working threads of its parent.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { at_work = 0, helpers_now = 0; });
#endif

}  // namespace

int thread_count(int requested) {
  if (requested > 0) return std::min(requested, most_threads);
#ifdef _OPENMP
  return std::max(1, omp_get_max_threads());
#else
  return std::max(1, int(std::thread::hardware_concurrency()));
#endif
}

// At least one thread is always granted, so that calls never wait for each other.
int take_threads(int wanted, int allowed) noexcept {
  int now = at_work.load(std::memory_order_relaxed), taken = 1;
  do {
    taken = std::max(1, std::min(wanted, allowed - now));
  } while (!at_work.compare_exchange_weak(now, now + taken, std::memory_order_relaxed));
  return taken;
}

void give_back_threads(int taken) noexcept { at_work.fetch_sub(taken, std::memory_order_relaxed); }

Helpers helpers_so_far() noexcept { return {helpers_begun, helpers_most}; }

void count_helper(bool begins) noexcept {
  if (!begins) {
    --helpers_now;
    return;
  }
  ++helpers_begun;
  const std::int64_t now = ++helpers_now;
  for (std::int64_t seen = helpers_most; now > seen && !helpers_most.compare_exchange_weak(seen, now);) {
  }
}

}  // namespace vitalfew
