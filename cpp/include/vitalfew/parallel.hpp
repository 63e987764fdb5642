// Parallel execution of independent blocks, scheduled in order, each writing only to memory that it owns. The result of a block
// never depends on the thread that runs it, so results are the same for any number of threads.
//
// Threads live as long as the call: none is left behind after an interrupt or a fork, and none spins while other processes need
// the processor. OpenMP, where available, only determines how many threads there may be.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Returns the number of threads to use if the caller requests `requested`; 0 means all that OMP_NUM_THREADS, threadpoolctl and
// the processor affinity allow.
int thread_count(int requested);

// Calls with a default number of threads share the processors: if the caller itself runs several of them in threads, each would
// otherwise use all processors. Takes between one and `wanted` of the `allowed` threads, to be given back.
int take_threads(int wanted, int allowed) noexcept;
void give_back_threads(int taken) noexcept;

// Helper threads that kernels have started since the process began, and the largest number at one time.
struct Helpers {
  std::int64_t begun, most;
};
Helpers helpers_so_far() noexcept;
void count_helper(bool begins) noexcept;

// Returns the number of blocks for work of this many elementary operations: one if it is not worth a second thread.
inline std::size_t blocks_for(double operations, std::size_t most) {
  if (operations < 1e6) return most > 0 ? 1 : 0;
  return std::min(most, std::size_t(operations / 2e5));
}

// A pool of threads that wait for work between calls of run(), for kernels with many short parallel sections. They start with the
// first call and end with the team.
class Team {
 public:
  // As many threads as requested, but not more than `most`, the number of blocks.
  Team(int requested, std::size_t most)
      : allowed_(most > 1 ? thread_count(requested) : 1), size_(std::min(most, std::size_t(allowed_))), shares_(requested <= 0) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    is_over_ = true;
    wake();
    for (auto& helper : helpers_) {
      helper.join();
      count_helper(false);
    }
    if (taken_ > 0) give_back_threads(taken_);
  }

  std::size_t size() const { return size_; }  // including the caller's thread

  // Calls body(block) for each block. The caller's thread works too, and checks for Ctrl-C between blocks. The first exception
  // stops the others and is rethrown here.
  template <class Body>
  void run(std::size_t n_blocks, Monitor& monitor, Body&& body) {
    gather();
    n_blocks_ = n_blocks;
    body_ = const_cast<void*>(static_cast<const void*>(&body));
    call_ = [](void* what, std::size_t block) { (*static_cast<std::remove_reference_t<Body>*>(what))(block); };
    error_ = nullptr;
    stop_.store(false, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    busy_.store(std::int32_t(helpers_.size()), std::memory_order_relaxed);
    wake();
    work(&monitor);
    linger([&] { return busy_.load(std::memory_order_acquire) == 0; });
    for (std::int32_t busy; (busy = busy_.load(std::memory_order_acquire)) != 0;) busy_.wait(busy, std::memory_order_acquire);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Spins for a few microseconds before a thread goes to sleep: waking up takes longer than many parallel sections.
  template <class Condition>
  static void linger(Condition&& has_come) {
    for (int look = 0; look < 1500 && !has_come(); ++look) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  }
  // Starts the helper threads, on the first call.
  void gather() {
    if (shares_ && size_ > 1 && taken_ == 0) size_ = std::size_t(taken_ = take_threads(int(size_), allowed_));
    if (helpers_.size() + 1 >= size_) return;
    // The first exception of a thread needs memory, without which glibc terminates the process. Threads allocate it when they
    // start, in addition to their stacks. If that much memory is not available, fail here with an exception.
    ::operator delete(::operator new((size_ - 1) << 25));
    try {
      while (helpers_.size() + 1 < size_) {
        helpers_.emplace_back([this, seen = turn_.load()] { wait_for_work(seen); });
        count_helper(true);
      }
    } catch (const std::system_error&) {
      size_ = helpers_.size() + 1;  // no more threads available: the existing ones do the work
    }
    linger([&] { return n_begun_.load(std::memory_order_relaxed) == helpers_.size(); });
  }
  void wake() {
    turn_.fetch_add(1, std::memory_order_release);
    turn_.notify_all();
  }
  void wait_for_work(std::int32_t seen) {
    (void)std::current_exception();  // allocates the memory for this thread's exceptions
    n_begun_.fetch_add(1, std::memory_order_relaxed);
    for (;;) {
      linger([&] { return turn_.load(std::memory_order_acquire) != seen; });
      turn_.wait(seen, std::memory_order_acquire);
      seen = turn_.load(std::memory_order_acquire);
      if (is_over_.load(std::memory_order_acquire)) return;
      work(nullptr);
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
  }
  // Takes the next block until none is left; only the caller's thread has a monitor.
  void work(Monitor* monitor) {
    for (;;) {
      const std::size_t block = next_.fetch_add(1, std::memory_order_relaxed);
      if (block >= n_blocks_ || stop_.load(std::memory_order_relaxed)) return;
      try {
        call_(body_, block);
        if (monitor != nullptr) monitor->check();
      } catch (...) {
        if (!stop_.exchange(true)) error_ = std::current_exception();
        return;
      }
    }
  }

  int allowed_;
  std::size_t size_;
  bool shares_;
  int taken_ = 0;
  std::vector<std::thread> helpers_;
  std::atomic<std::int32_t> turn_{0}, busy_{0};
  std::atomic<std::size_t> next_{0}, n_begun_{0};
  std::atomic<bool> stop_{false}, is_over_{false};
  std::exception_ptr error_;
  std::size_t n_blocks_ = 0;
  void* body_ = nullptr;
  void (*call_)(void*, std::size_t) = nullptr;
};

// Runs the blocks once, with its own team of threads.
template <class Body>
void parallel_blocks(std::size_t n_blocks, int threads, Monitor& monitor, Body&& body) {
  Team(threads, n_blocks).run(n_blocks, monitor, body);
}

}  // namespace vitalfew
