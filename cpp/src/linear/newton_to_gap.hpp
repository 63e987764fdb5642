// Proximal Newton iteration at one penalty, for any loss, until the duality gap is small. Steps are repeated until they are
// small; then the gap is computed on the columns in use, then likely violators are checked, and last all other columns. The
// threshold for "small" is adapted along the grid.
//
// The solver provides
//   step(target, anew)             one step; returns {decrease of the objective, largest change};
//   look(), gap(fell)              refresh the columns in use; the duality gap on the refreshed columns;
//   use_likely(), use_violators()  add violating columns to those in use and report what changed;
//   look_at_others()               compute the columns not in use that may violate.
#pragma once

#include <algorithm>
#include <limits>

#include "vitalfew/monitor.hpp"

namespace vitalfew {

// Result of adding columns to those in use: whether any is new, and whether any resting column was woken.
struct Changed {
  bool is_fresh = false, has_woken = false;
};

// Returns the gap reached, over all columns, also if the iterations run out before it is small. The target gap is tol * unit, and
// a decrease of the objective below 1e-14 * unit counts as none.
template <class Solver>
double approach(Solver&& solver, double tol, double unit, int most_turns, double& small, Monitor& monitor) {
  constexpr double never = std::numeric_limits<double>::max();
  const double wanted = tol * unit;
  double gap = never, least = never, last_fell = 0;
  bool is_current = false;  // whether the gap is that of all columns at the present coefficients
  int stalled = 0;          // consecutive steps that did not lower the objective, though they may still lower the gap
  for (int turn = 0; turn < most_turns; ++turn) {
    // 1. Newton steps until they are small or stall; every third one uses fresh second moments.
    const auto [fell, most] = solver.step(small * wanted, turn > 0 && turn % 3 == 0);
    last_fell = fell;
    is_current = false;
    stalled = fell <= 1e-14 * unit ? stalled + 1 : 0;
    monitor.check();
    if (most > small * wanted && stalled < 2) continue;
    // 2. The gap on the columns in use. If it is too large, "small" was too generous.
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
    // 3. Likely violators first; all columns are checked only when these are settled.
    const Changed likely = solver.use_likely();
    if (likely.is_fresh) continue;
    // 4. All other columns: the gap is now that of the whole problem.
    solver.look_at_others();
    gap = solver.gap(fell);
    is_current = true;
    if (gap <= wanted) break;
    const Changed others = solver.use_violators();
    if (others.is_fresh || others.has_woken || likely.has_woken) {
      least = never;
      stalled = 0;
    } else if (stalled >= 2) {
      break;
    }
  }
  if (!is_current) {
    solver.look();
    solver.look_at_others();
    gap = solver.gap(last_fell);
  }
  return gap;
}

}  // namespace vitalfew
