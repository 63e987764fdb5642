// L1 and elastic-net paths of two-class logistic regression (formula in vitalfew/linear.hpp).
//
// Each penalty starts from the linear extrapolation of the last two solutions, takes proximal Newton steps on the columns in
// use (LogisticProblem::step) and screens the others by sequential strong rules and correlation bounds (screening.hpp). The
// duality gap, with the dual point s (t - p), certifies the result. Cost: a few passes over the columns in use per step.
#include <algorithm>
#include <cmath>

#include "linear/logistic_problem.hpp"
#include "linear/newton_to_gap.hpp"
#include "linear/screening.hpp"
#include "vitalfew/linear.hpp"

namespace vitalfew {
namespace {

// Solves down the grid; newton_to_gap.hpp drives the steps at each penalty.
template <ColumnMatrix M>
class LogisticSolver {
 public:
  LogisticSolver(LogisticProblem<M>& problem, const PathOptions& options, Monitor& monitor)
      : problem_(problem), options_(options), monitor_(monitor), screen_(problem, options) {}

  PathPoints run() {
    PathPoints path;
    path.null_loss = problem_.null_loss();
    screen_.start();
    if (const auto free = screen_.unpenalized(); !free.empty()) {
      use(free);  // fitted to convergence before the grid starts
      for (int turn = 0; turn < 100; ++turn)
        if (problem_.step(0, 0, options_.factor, options_.positive, 0, screen_.resting()).first <= 1e-14 * path.null_loss) break;
      screen_.start();
    }
    path.grid = screen_.grid();
    double previous = 0, before = 0;
    each_penalty(path, [&](double alpha) {
      const double l1 = alpha * options_.l1_ratio, l2 = alpha * (1 - options_.l1_ratio);
      problem_.extrapolate(before > previous ? (previous - alpha) / (before - previous) : 0, l1, l2, options_.factor);
      const double gap = point(alpha, l1, l2);
      screen_.done_with(alpha);
      before = previous > 0 ? previous : std::max(alpha, screen_.largest());
      previous = alpha;
      store(path, screen_.used(), problem_.values(), problem_.intercept(), problem_.loss(), gap);
      monitor_.report(double(path.gap.size()));
    });
    return path;
  }

 private:
  Changed use(std::span<const std::size_t> columns) {
    const auto [fresh, has_woken] = screen_.use(columns);
    problem_.use(fresh);
    return {!fresh.empty(), has_woken};
  }

  // The interface that `approach` (newton_to_gap.hpp) requires, at one penalty.
  struct AtPenalty {
    LogisticSolver& solver;
    double alpha, l1, l2;

    auto step(double target, bool anew) {
      const PathOptions& options = solver.options_;
      return solver.problem_.step(l1, l2, options.factor, options.positive, target, solver.screen_.resting(), anew);
    }
    void look() {
      solver.problem_.settle_intercept();
      solver.screen_.look_at_used(solver.problem_.values());
    }
    double gap(double fell) const { return alpha > 0 ? solver.gap_at(l1, l2) : std::abs(fell); }
    Changed use_likely() { return solver.use(solver.screen_.likely_violators(alpha)); }
    void look_at_others() { solver.screen_.look_at_others(alpha); }
    Changed use_violators() { return solver.use(solver.screen_.violators(alpha)); }
  };

  double point(double alpha, double l1, double l2) {
    use(screen_.foresee(alpha));
    return approach(AtPenalty{*this, alpha, l1, l2}, options_.tol, problem_.null_loss(), 200, small_, monitor_);
  }

  // Duality gap: the objective minus the dual objective at s r.
  double gap_at(double l1, double l2) const {
    const auto [scale, conjugate] = screen_.excess(l1, l2);
    const double primal = problem_.loss() + problem_.penalty(problem_.values(), l1, l2, options_.factor);
    return std::max(0.0, primal - problem_.dual(scale) + conjugate);
  }

  LogisticProblem<M>& problem_;
  const PathOptions& options_;
  Monitor& monitor_;
  Screen<LogisticProblem<M>> screen_;
  double small_ = 1e-2;  // step size below which the gap is computed, as a share of the target gap
};

}  // namespace

template <ColumnMatrix M>
PathPoints logistic_path(const M& x, std::span<const double> label, std::span<const double> weight, const PathOptions& options,
                         Monitor& monitor) {
  check(options, x.n_cols);
  LogisticProblem<M> problem(x, label, weight, options, monitor, true);
  return LogisticSolver<M>(problem, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M) \
  template PathPoints logistic_path<M>(const M&, std::span<const double>, std::span<const double>, const PathOptions&, Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)
VITALFEW_INSTANTIATE(BinaryColumns)

}  // namespace vitalfew
