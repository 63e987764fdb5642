// Newton steps towards the solution at one penalty, whatever the loss: steps until they are small, then a look at the gap, at
// columns that are likely to violate, and at all others. What "small" must be is learned on the way down the grid.
//
// The solver gives step(target, anew) = {by how much the objective fell, the largest change}, look() after which gap() counts the
// columns in use, use_likely() and use_violators(), which take columns into use and say which, and look_at_others().
#pragma once

#include <algorithm>
#include <limits>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Whether columns came into use that were not, and whether some that rested are awake again.
struct Changed {
  bool is_fresh = false, has_woken = false;
};

// The gap that was reached. `wanted` and what counts as a fall of the objective are shares of `unit`.
template <class Solver>
double approach(Solver&& solver, double tol, double unit, int most_turns, double& small, Monitor& monitor) {
  constexpr double never = std::numeric_limits<double>::max();
  const double wanted = tol * unit;
  double gap = 0, least = never;
  int stalled = 0;  // steps that did not lower the objective, though they may still lower the gap
  for (int turn = 0; turn < most_turns; ++turn) {
    const auto [fell, most] = solver.step(small * wanted, turn > 0 && turn % 3 == 0);
    stalled = fell <= 1e-14 * unit ? stalled + 1 : 0;
    monitor.check();
    if (most > small * wanted && stalled < 2) continue;
    solver.look();
    gap = solver.gap(fell);
    if (gap < 0.5 * least) {
      least = gap;
      stalled = 0;
    }
    if (gap > wanted && stalled < 2) {
      small /= 4;
      continue;
    }
    if (gap < 0.1 * wanted) small = std::min(2 * small, 1.0);
    const Changed likely = solver.use_likely();
    if (likely.is_fresh) continue;
    solver.look_at_others();
    gap = solver.gap(fell);
    if (gap <= wanted) break;
    const Changed others = solver.use_violators();
    if (others.is_fresh || others.has_woken || likely.has_woken) {
      least = never;
      stalled = 0;
    } else if (stalled >= 2) {
      break;
    }
  }
  return gap;
}

}  // namespace vitalfew
