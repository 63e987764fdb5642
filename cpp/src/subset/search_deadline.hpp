// When a search must end.
#pragma once

#include <algorithm>
#include <chrono>

namespace vitalfew {

using Clock = std::chrono::steady_clock;

inline Clock::time_point after(double seconds) {
  seconds = seconds > 0 ? std::min(seconds, 1e8) : 0;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace vitalfew
