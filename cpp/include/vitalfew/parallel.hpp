// One way to use threads: independent blocks, handed out in order, each writing only what it owns. What a block
// computes never depends on the thread that runs it, so results are the same for any number of threads.
//
// Threads live as long as the call: nothing is left behind after an interrupt or a fork, and nobody spins while other
// processes want the processor. OpenMP, where there is one, only says how many there may be.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Threads to use when the caller asks for `requested`; 0 stands for all that OMP_NUM_THREADS, threadpoolctl and the
// processor affinity allow.
int thread_count(int requested);

// Into how many blocks to cut work of so many elementary operations: one if it is not worth a second thread.
inline std::size_t blocks_for(double operations, std::size_t most) {
  if (operations < 1e6) return most > 0 ? 1 : 0;
  return std::min(most, std::size_t(operations / 2e5));
}

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
  const std::size_t team = std::min(n_blocks, std::size_t(thread_count(threads)));
  std::vector<std::thread> helpers;
  helpers.reserve(team);
  try {
    while (helpers.size() + 1 < team) helpers.emplace_back(work, false);
  } catch (const std::system_error&) {
    // The system has no more threads to give: those there are do the work.
  }
  work(true);
  for (auto& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace vitalfew
