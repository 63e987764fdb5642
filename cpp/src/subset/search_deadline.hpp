// Deadlines of searches.
#pragma once

#include <algorithm>
#include <chrono>

namespace vitalfew {

using Clock = std::chrono::steady_clock;

// Returns the time point this many seconds from now; negative and NaN count as zero, and 1e8 is the maximum.
inline Clock::time_point after(double seconds) {
  seconds = seconds > 0 ? std::min(seconds, 1e8) : 0;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace vitalfew
