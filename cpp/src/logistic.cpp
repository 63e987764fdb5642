#include <algorithm>
#include <cmath>
#include <limits>

#include "logistic_problem.hpp"
#include "screen.hpp"
#include "vitalfew/linear.hpp"

namespace vitalfew {
namespace {

template <ColumnMatrix M>
class LogisticSolver {
 public:
  LogisticSolver(LogisticProblem<M>& problem, const PathOptions& options, Monitor& monitor)
      : problem_(problem), options_(options), monitor_(monitor), screen_(problem, options) {}

  CoefficientPath run() {
    CoefficientPath path;
    path.null_loss = problem_.null_loss();
    screen_.start();
    if (const auto free = screen_.unpenalised(); !free.empty()) {
      use(free);
      for (int turn = 0; turn < 100; ++turn)
        if (problem_.step(0, 0, options_.factor, options_.positive, 0, screen_.resting()).first <= 1e-14 * path.null_loss) break;
      screen_.start();
    }
    path.grid = screen_.grid();
    double previous = 0, before = 0;
    for (const double alpha : path.grid) {
      const double l1 = alpha * options_.l1_ratio, l2 = alpha * (1 - options_.l1_ratio);
      problem_.extrapolate(before > previous ? (previous - alpha) / (before - previous) : 0, l1, l2, options_.factor);
      const double gap = point(alpha, l1, l2);
      screen_.done_with(alpha);
      before = previous > 0 ? previous : std::max(alpha, screen_.largest());
      previous = alpha;
      store(path, screen_.used(), problem_.values(), problem_.intercept(), problem_.loss(), gap);
      monitor_.report(double(path.gap.size()));
    }
    return path;
  }

 private:
  // Whether columns are new; those that have woken are noted.
  bool use(std::span<const std::size_t> columns) {
    const auto [fresh, has_woken] = screen_.use(columns);
    problem_.use(fresh);
    has_woken_ |= has_woken;
    return !fresh.empty();
  }

  // Steps until they are small, then a look at the gap; what "small" must be is learned on the way down the grid.
  double point(double alpha, double l1, double l2) {
    use(screen_.foresee(alpha));
    const double wanted = options_.tol * problem_.null_loss();
    double gap = 0, least = std::numeric_limits<double>::max();
    int stalled = 0;  // steps that did not lower the objective, though they may still lower the gap
    for (int turn = 0; turn < 200; ++turn) {
      has_woken_ = false;
      const auto [fell, most] = problem_.step(l1, l2, options_.factor, options_.positive, small_ * wanted, screen_.resting(),
                                              turn > 0 && turn % 3 == 0);
      stalled = fell <= 1e-14 * problem_.null_loss() ? stalled + 1 : 0;
      monitor_.check();
      if (most > small_ * wanted && stalled < 2) continue;
      problem_.settle_intercept();
      screen_.look_at_used(problem_.values());
      gap = alpha > 0 ? gap_at(l1, l2) : std::abs(fell);
      if (gap < 0.5 * least) {
        least = gap;
        stalled = 0;
      }
      if (gap > wanted && stalled < 2) {
        small_ /= 4;
        continue;
      }
      if (gap < 0.1 * wanted) small_ = std::min(2 * small_, 1.0);
      if (use(screen_.likely_violators(alpha))) continue;
      screen_.look_at_others(alpha);
      gap = alpha > 0 ? gap_at(l1, l2) : std::abs(fell);
      if (gap <= wanted) break;
      if (use(screen_.violators(alpha)) || has_woken_) {
        least = std::numeric_limits<double>::max();
        stalled = 0;
      } else if (stalled >= 2) {
        break;
      }
    }
    return gap;
  }

  // The objective minus that of the dual at s r.
  double gap_at(double l1, double l2) const {
    const auto [scale, conjugate] = screen_.excess(l1, l2);
    const double primal = problem_.loss() + problem_.penalty(problem_.values(), l1, l2, options_.factor);
    return std::max(0.0, primal - problem_.dual(scale) + conjugate);
  }

  LogisticProblem<M>& problem_;
  const PathOptions& options_;
  Monitor& monitor_;
  Screen<LogisticProblem<M>> screen_;
  double small_ = 1e-2;
  bool has_woken_ = false;
};

}  // namespace

template <ColumnMatrix M>
CoefficientPath logistic_path(const M& x, std::span<const double> label, std::span<const double> weight,
                              const PathOptions& options, Monitor& monitor) {
  check(options, x.n_cols);
  LogisticProblem<M> problem(x, label, weight, options, monitor, true);
  return LogisticSolver<M>(problem, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M)                                                                                             \
  template CoefficientPath logistic_path<M>(const M&, std::span<const double>, std::span<const double>, const PathOptions&, \
                                            Monitor&);
VITALFEW_INSTANTIATE(DenseColumns<double>)
VITALFEW_INSTANTIATE(DenseColumns<float>)
VITALFEW_INSTANTIATE(SparseColumns<double>)
VITALFEW_INSTANTIATE(SparseColumns<float>)
VITALFEW_INSTANTIATE(BinaryColumns)

}  // namespace vitalfew
