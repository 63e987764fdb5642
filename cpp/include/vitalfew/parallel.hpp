// One way to use threads: independent blocks, handed out in order, each writing only what it owns. What a block
// computes never depends on the thread that runs it, so results are the same for any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

#include "vitalfew/monitor.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace vitalfew {

// Threads to use when the caller asks for `requested` (0: all that OpenMP allows); one in a forked child, where the
// OpenMP runtime of the parent is gone.
int thread_count(int requested);

template <class Body>
void parallel_blocks(std::size_t n_blocks, int threads, Monitor& monitor, Body&& body) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr error;
  const auto work = [&](bool is_caller) {
    for (;;) {
      const std::size_t block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= n_blocks || stop.load(std::memory_order_relaxed)) return;
      try {
        body(block);
        if (is_caller) monitor.check();
      } catch (...) {
        if (!stop.exchange(true)) error = std::current_exception();
        return;
      }
    }
  };
#ifdef _OPENMP
  const int team = n_blocks < 2 ? 1 : thread_count(threads);
  if (team > 1) {
#pragma omp parallel num_threads(team)
    work(omp_get_thread_num() == 0);
  } else {
    work(true);
  }
#else
  (void)threads;
  work(true);
#endif
  if (error) std::rethrow_exception(error);
}

}  // namespace vitalfew
