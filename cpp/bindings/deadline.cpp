// Bindings of the calling thread's deadline, in seconds of the steady clock. Nesting is handled in vitalfew/support/deadline.py.
#include <algorithm>
#include <chrono>
#include <limits>

#include "arrays.hpp"

namespace vitalfew::bindings {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double never = std::numeric_limits<double>::infinity();

double seconds(Clock::time_point at) { return at == Clock::time_point::max() ? never : Seconds(at.time_since_epoch()).count(); }

double set_deadline(double at) {
  const double before = seconds(thread_deadline());
  // A time beyond the range of the clock means no deadline.
  const double latest = 0.5 * Seconds(Clock::duration::max()).count();
  thread_deadline() = at < latest ? Clock::time_point(std::chrono::duration_cast<Clock::duration>(Seconds(std::max(at, 0.0))))
                                  : Clock::time_point::max();
  return before;
}

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const DeadlineReached& reached) {
    PyErr_SetString(nb::module_::import_("vitalfew.exceptions").attr("TimeBudgetError").ptr(), reached.what());
  }
}

}  // namespace

void bind_deadline(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def("steady_time", [] { return seconds(Clock::now()); }, "Current time in seconds of the clock used for deadlines.");
  m.def(
      "deadline", [] { return seconds(thread_deadline()); },
      "Time by which kernels called by this thread must end; inf for no deadline.");
  m.def("set_deadline", &set_deadline, "at"_a, "Set the deadline of this thread and return the previous one.");
}

}  // namespace vitalfew::bindings
