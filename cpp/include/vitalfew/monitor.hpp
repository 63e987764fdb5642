// How a long kernel hears of Ctrl-C and tells how far it is.
#pragma once

#include <chrono>
#include <exception>
#include <thread>

namespace vitalfew {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// check() and report() are called as often as a kernel likes: poll() runs at most every 30 ms, and only in the thread that
// called the kernel; in its helpers both do nothing. poll() throws to stop the kernel.
class Monitor {
 public:
  virtual ~Monitor() = default;
  void check() {
    if (!is_caller()) return;
    const auto now = std::chrono::steady_clock::now();
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
  bool is_caller() const { return std::this_thread::get_id() == caller_; }

  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double done_ = 0;
};

}  // namespace vitalfew
