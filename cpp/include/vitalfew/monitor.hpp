// How a long kernel hears of Ctrl-C and tells how far it is.
#pragma once

#include <chrono>
#include <exception>

namespace vitalfew {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// check() and report() are called by the thread that called the kernel, as often as it likes: poll() runs at most
// every 30 ms. poll() throws to stop the kernel.
class Monitor {
 public:
  virtual ~Monitor() = default;
  void check() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(30)) return;
    last_ = now;
    poll(done_);
  }
  void report(double done) {
    done_ = done;
    check();
  }

 protected:
  virtual void poll(double /*done*/) {}

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double done_ = 0;
};

}  // namespace vitalfew
