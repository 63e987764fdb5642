// Lasso and elastic-net paths for the squared loss (formula in vitalfew/linear.hpp).
//
// At each penalty the problem on the columns in use is solved exactly from its second moments (ActiveSet). Sequential strong
// rules (Tibshirani et al., 2012) and correlation bounds (screening.hpp) find the columns that violate optimality, and the
// duality gap P(β) - D(θ) at the scaled residual θ certifies the result. Each column added to those in use costs one row of the
// second moments, O(n k) for k columns in use; columns excluded by a bound are not read.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "linear/active_set.hpp"
#include "linear/group_lasso.hpp"
#include "linear/moments_problem.hpp"
#include "linear/rows_problem.hpp"
#include "linear/screening.hpp"
#include "vitalfew/linear.hpp"

namespace vitalfew {
namespace {

// Solves down the grid: at each penalty, the problem on the columns in use exactly, then the check for other columns that
// violate optimality, until the duality gap is small.
template <class Problem>
class PathSolver {
 public:
  PathSolver(Problem& problem, const PathOptions& options, Monitor& monitor)
      : problem_(problem), options_(options), monitor_(monitor), screen_(problem, options) {}

  PathPoints run() {
    PathPoints path;
    path.null_loss = problem_.null_loss();
    screen_.start();
    // Unpenalized columns are fitted first: the grid starts at the largest penalty of interest given these.
    if (const auto free = screen_.unpenalized(); !free.empty()) {
      use(free);
      set_.solve(std::numeric_limits<double>::max(), 0);
      problem_.set(set_.values());
      screen_.start();
    }
    path.grid = screen_.grid();
    double previous = screen_.largest();
    each_penalty(path, [&](double alpha) {
      // A large drop of the penalty is taken in steps of one half: otherwise too many columns would enter at once.
      while (alpha < 0.4 * previous && previous > 1e-9 * screen_.largest()) {
        previous *= 0.5;
        point(previous);
        screen_.done_with(previous);
      }
      previous = alpha;
      const double gap = point(alpha);
      screen_.done_with(alpha);
      store(path, screen_.used(), set_.values(), problem_.intercept(), problem_.loss(), gap);
      monitor_.report(double(path.gap.size()));
    });
    return path;
  }

 private:
  // Adds columns to those in use. Returns true if there are any.
  bool use(std::span<const std::size_t> columns) {
    screen_.use(columns);
    const auto rows = problem_.moments(columns);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t j = columns[k];
      set_.add(rows[k], screen_.factor(j), screen_[j], options_.positive);
    }
    return !columns.empty();
  }

  // Solves for one penalty and returns the duality gap.
  double point(double alpha) {
    const double l1 = alpha * options_.l1_ratio, l2 = alpha * (1 - options_.l1_ratio);
    use(screen_.foresee(alpha));
    double gap = 0;
    bool is_descending = false;
    for (int round = 0; round < 100; ++round) {
      if (!is_descending) set_.solve(l1, l2);
      problem_.set(set_.values());
      // Likely violators first, so that the check of all columns is not spent on a solution that will change.
      if (!use(screen_.likely_violators(alpha))) {
        screen_.look_at_used();
        screen_.look_at_others(alpha);
        for (std::size_t e = 0; e < screen_.used().size(); ++e) set_.gradient(e) = screen_[screen_.used()[e]];
        gap = gap_at(l1, l2);
        if (gap <= options_.tol * problem_.null_loss()) break;
        if (!use(screen_.violators(alpha)) && round >= 2) {  // Newton steps stalled by rounding: coordinate descent
          if (round >= 60) break;
          set_.descend(l1, l2, 100);
          is_descending = true;
        }
      }
      monitor_.check();
    }
    return gap;
  }

  // Duality gap P(β) - D(θ) at θ = s r, with s = 1 for λ₂ > 0 and otherwise the largest feasible s <= 1.
  double gap_at(double l1, double l2) const {
    const auto [scale, conjugate] = screen_.excess(l1, l2);
    double gap = (1 - scale) * (1 - scale) * problem_.loss() + conjugate;
    for (std::size_t e = 0; e < screen_.used().size(); ++e) {
      const std::size_t j = screen_.used()[e];
      const double v = set_.values()[e], f = screen_.factor(j);
      if (f > 0) gap += l1 * f * std::abs(v) + 0.5 * l2 * f * v * v - scale * v * screen_[j];
    }
    return std::max(gap, 0.0);
  }

  Problem& problem_;
  const PathOptions& options_;
  Monitor& monitor_;
  Screen<Problem> screen_;
  ActiveSet set_;
};

}  // namespace

template <ColumnMatrix M>
PathPoints lasso_path(const M& x, std::span<const double> y, std::span<const double> weight, const PathOptions& options,
                      Monitor& monitor) {
  check(options, x.n_cols);
  RowsProblem<M> problem(x, y, weight, options, monitor);
  if (!options.group.empty()) return GroupSolver(problem, options, monitor).run();
  return PathSolver(problem, options, monitor).run();
}

PathPoints lasso_path(std::span<const double> gram, std::span<const double> cross, double square, const PathOptions& options,
                      Monitor& monitor) {
  check(options, cross.size());
  if (gram.size() != cross.size() * cross.size()) throw std::invalid_argument("the moment matrix must be square");
  MomentsProblem problem(gram, cross, square);
  if (!options.group.empty()) return GroupSolver(problem, options, monitor).run();
  return PathSolver(problem, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M) \
  template PathPoints lasso_path<M>(const M&, std::span<const double>, std::span<const double>, const PathOptions&, Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)
VITALFEW_INSTANTIATE(BinaryColumns)

}  // namespace vitalfew
