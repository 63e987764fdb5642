// Cancellation, deadlines and progress of long kernels.
#pragma once

#include <chrono>
#include <exception>
#include <thread>

namespace vitalfew {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Thrown when the deadline of the calling thread has passed.
struct DeadlineReached : std::exception {
  const char* what() const noexcept override { return "the deadline has passed"; }
};

// The time by which kernels called by this thread must end; max() means no deadline.
inline std::chrono::steady_clock::time_point& thread_deadline() noexcept {
  static thread_local auto deadline = std::chrono::steady_clock::time_point::max();
  return deadline;
}

// A kernel may call check() and report() as often as it likes: poll() runs at most every 30 ms, and only in the thread that
// called the kernel; in helper threads both do nothing. poll() throws to stop the kernel. Both throw DeadlineReached once the
// deadline has passed, and so does the constructor: no kernel starts after it.
class Monitor {
 public:
  Monitor() { heed_deadline(last_); }
  virtual ~Monitor() = default;
  void check() {
    if (!is_caller()) return;
    const auto now = std::chrono::steady_clock::now();
    heed_deadline(now);
    if (now - last_ < std::chrono::milliseconds(30)) return;
    last_ = now;
    poll(done_);
  }
  void report(double done) {
    if (!is_caller()) return;
    done_ = done;
    check();
  }

 protected:
  virtual void poll(double /*done*/) {}

 private:
  void heed_deadline(std::chrono::steady_clock::time_point now) const {
    if (now >= deadline_) throw DeadlineReached();
  }
  bool is_caller() const { return std::this_thread::get_id() == caller_; }

  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double done_ = 0;
  const std::chrono::steady_clock::time_point& deadline_ = thread_deadline();  // the caller's; a progress callback may change it
};

// Runs steps whose partial results are valid on their own. Returns whether they finished before the deadline; rethrows if the
// deadline was reached before the first result.
template <class Steps, class HasResult>
bool ends_in_time(Steps&& steps, HasResult&& has_result) {
  try {
    steps();
    return true;
  } catch (const DeadlineReached&) {
    if (!has_result()) throw;
    return false;
  }
}

}  // namespace vitalfew
