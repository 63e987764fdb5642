#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "active_set.hpp"
#include "rows_problem.hpp"
#include "vitalfew/linear.hpp"

namespace vitalfew {
namespace {

// The squared loss seen through second moments alone.
class MomentsProblem {
 public:
  MomentsProblem(std::span<const double> gram, std::span<const double> cross, double square)
      : gram_(gram), cross_(cross), square_(square), d_(cross.size()) {}

  std::size_t n_cols() const { return d_; }
  double curvature(std::size_t j) const { return gram_[j * d_ + j]; }
  double null_loss() const { return 0.5 * square_; }
  double loss() const { return loss_; }
  double intercept() const { return 0; }

  void correlations(std::span<const std::size_t> columns, std::span<double> c) const {
    for (const std::size_t j : columns) c[j] = cross_[j] - product(j);
  }
  std::vector<std::vector<double>> moments(std::span<const std::size_t> columns) {
    std::vector<std::vector<double>> rows;
    for (const std::size_t j : columns) {
      used_.push_back(j);
      rows.emplace_back();
      for (const std::size_t e : used_) rows.back().push_back(gram_[j * d_ + e]);
    }
    return rows;
  }
  void set(std::span<const double> v) {
    held_.clear();
    for (std::size_t e = 0; e < v.size(); ++e)
      if (v[e] != 0) held_.emplace_back(used_[e], v[e]);
    double sum = 0;
    for (const auto& [j, value] : held_) sum += value * (cross_[j] - 0.5 * product(j));
    loss_ = std::max(0.0, 0.5 * square_ - sum);
  }
  void keep_reference() {}
  std::pair<double, double> distance() const { return {0, std::numeric_limits<double>::infinity()}; }
  static constexpr bool has_bounds = false;

 private:
  double product(std::size_t j) const {
    double sum = 0;
    for (const auto& [k, value] : held_) sum += gram_[j * d_ + k] * value;
    return sum;
  }

  std::span<const double> gram_, cross_;
  double square_, loss_ = 0.5 * square_;
  std::size_t d_;
  std::vector<std::size_t> used_;
  std::vector<std::pair<std::size_t, double>> held_;
};

// Goes down the grid. At each penalty it solves the problem on the columns in use exactly, then asks which other columns
// violate optimality: first those that are likely to, then all whose bound |x_jᵀr₀| s + ‖x_j‖ ‖r - s r₀‖ allows it.
template <class Problem>
class PathSolver {
 public:
  PathSolver(Problem& problem, const PathOptions& options, Monitor& monitor)
      : problem_(problem),
        options_(options),
        monitor_(monitor),
        d_(problem.n_cols()),
        c_(d_),
        c0_(d_),
        before_(d_),
        norm_(d_),
        hold_(d_, kNever) {
    for (std::size_t j = 0; j < d_; ++j) {
      norm_[j] = std::sqrt(problem_.curvature(j));
      if (norm_[j] > 0 && factor(j) < kNever) {
        hold_[j] = factor(j);
        candidates_.push_back(j);
      }
    }
  }

  CoefficientPath run() {
    CoefficientPath path;
    path.null_loss = problem_.null_loss();
    start();
    path.grid = grid();
    double previous = path.grid.empty() ? 0 : std::max(path.grid.front(), largest_);
    double before_previous = previous;
    for (const double alpha : path.grid) {
      point(alpha, previous, before_previous);
      before_previous = previous;
      previous = alpha;
      store(path);
      monitor_.report(double(path.gap.size()));
    }
    return path;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  double factor(std::size_t j) const { return options_.factor.empty() ? 1.0 : options_.factor[j]; }
  double size_of(double c) const { return options_.positive ? c : std::abs(c); }

  // The null model: unpenalised columns only.
  void start() {
    problem_.correlations(candidates_, c_);
    std::vector<std::size_t> free;
    for (const std::size_t j : candidates_)
      if (factor(j) == 0) free.push_back(j);
    if (!free.empty()) {
      use(free);
      set_.solve(std::numeric_limits<double>::max(), 0);
      problem_.set(set_.values());
      problem_.correlations(candidates_, c_);
    }
    c0_ = c_;
    before_ = c_;
    problem_.keep_reference();
    for (const std::size_t j : candidates_)
      if (factor(j) > 0) largest_ = std::max(largest_, size_of(c_[j]) / (factor(j) * options_.l1_ratio));
  }

  std::vector<double> grid() const {
    if (!options_.grid.empty()) return {options_.grid.begin(), options_.grid.end()};
    const double top = largest_ > 0 ? largest_ : std::numeric_limits<double>::min() * 1e10;
    std::vector<double> grid(options_.n_points, top);
    for (std::size_t p = 1; p < grid.size(); ++p) grid[p] = top * std::pow(options_.ratio, double(p) / double(grid.size() - 1));
    return grid;
  }

  void use(std::span<const std::size_t> columns) {
    const auto rows = problem_.moments(columns);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t j = columns[k];
      set_.add(rows[k], factor(j), c_[j], options_.positive);
      used_.push_back(j);
      hold_[j] = kNever;
    }
  }

  void point(double alpha, double previous, double before_previous) {
    const double l1 = alpha * options_.l1_ratio, l2 = alpha * (1 - options_.l1_ratio);
    foresee(l1, before_previous > previous ? (previous - alpha) / (before_previous - previous) : 0);
    before_ = c_;
    for (int round = 0; round < 100; ++round) {
      set_.solve(l1, l2);
      problem_.set(set_.values());
      // Likely ones first, so that a look at all columns is not spent on a solution that will change.
      reaching(before_, norm_, 1, 0, hold_, options_.l1_ratio * (2 * alpha - previous), asked_);
      problem_.correlations(asked_, c_);
      if (!take_violators(asked_, l1)) {
        problem_.correlations(used_, c_);
        for (std::size_t e = 0; e < used_.size(); ++e) set_.gradient(e) = c_[used_[e]];
        look_at_all(l1);
        gap_ = gap(l1, l2);
        if (gap_ <= options_.tol * problem_.null_loss()) return;
        if (!take_violators(asked_, l1) && round >= 3) return;
      }
      monitor_.check();
    }
  }

  // Columns whose correlation, going on as it went, will reach the penalty.
  void foresee(double l1, double ahead) {
    for (std::size_t j = 0; j < d_; ++j) before_[j] = c_[j] + ahead * (c_[j] - before_[j]);
    reaching(before_, norm_, 1, 0, hold_, l1, asked_);
    if (options_.positive) std::erase_if(asked_, [&](std::size_t j) { return before_[j] < 0; });
    use(asked_);
  }

  // Exact correlations of all columns that might violate; for the others the bound is below the penalty.
  void look_at_all(double l1) {
    auto [share, distance] = problem_.distance();
    reaching(c0_, norm_, share, distance, hold_, l1, asked_);
    if (2 * asked_.size() > candidates_.size()) {  // the reference has grown old
      problem_.correlations(candidates_, c_);
      c0_ = c_;
      problem_.keep_reference();
      reaching(c_, norm_, 1, 0, hold_, l1, asked_);
      return;
    }
    for (std::size_t j = 0; j < d_; ++j)
      if (hold_[j] != kNever) c_[j] = share * c0_[j];
    problem_.correlations(asked_, c_);
  }

  bool take_violators(std::span<const std::size_t> among, double l1) {
    std::vector<std::size_t> coming;
    for (const std::size_t j : among)
      if (hold_[j] != kNever && size_of(c_[j]) > (1 + 1e-9) * l1 * factor(j)) coming.push_back(j);
    use(coming);
    return !coming.empty();
  }

  // P(β) - D(θ) at θ = s r, with s = 1 for λ₂ > 0 and else the largest s <= 1 that is feasible. Columns that were not asked
  // are within their limits.
  double gap(double l1, double l2) const {
    double scale = 1, beyond = 0;
    const auto look = [&](std::size_t j) {
      const double limit = l1 * factor(j), c = size_of(c_[j]);
      if (factor(j) == 0 || !(c > limit)) return;
      scale = std::min(scale, limit / c);
      if (l2 > 0) beyond += (c - limit) * (c - limit) / (2 * l2 * factor(j));
    };
    for (const std::size_t j : used_) look(j);
    for (const std::size_t j : asked_) look(j);
    if (l2 > 0) scale = 1;
    double gap = (1 - scale) * (1 - scale) * problem_.loss() + beyond;
    for (std::size_t e = 0; e < used_.size(); ++e) {
      const double v = set_.values()[e], f = factor(used_[e]);
      if (f > 0) gap += l1 * f * std::abs(v) + 0.5 * l2 * f * v * v - scale * v * c_[used_[e]];
    }
    return std::max(gap, 0.0);
  }

  void store(CoefficientPath& path) const {
    const auto v = set_.values();
    std::vector<std::size_t> order;
    for (std::size_t e = 0; e < used_.size(); ++e)
      if (v[e] != 0) order.push_back(e);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return used_[a] < used_[b]; });
    for (const std::size_t e : order) {
      path.index.push_back(std::int32_t(used_[e]));
      path.value.push_back(v[e]);
    }
    path.start.push_back(std::int64_t(path.index.size()));
    path.intercept.push_back(problem_.intercept());
    path.loss.push_back(problem_.loss());
    path.gap.push_back(problem_.null_loss() > 0 ? gap_ / problem_.null_loss() : 0);
  }

  Problem& problem_;
  const PathOptions& options_;
  Monitor& monitor_;
  std::size_t d_;
  std::vector<double> c_, c0_, before_;  // correlations: now, at the reference, at the penalty before
  std::vector<double> norm_, hold_;      // of the columns: norm; penalty factor, or infinity for those in use or out
  std::vector<std::size_t> candidates_, used_, asked_;
  ActiveSet set_;
  double largest_ = 0, gap_ = 0;
};

void check(const PathOptions& options, std::size_t n_cols) {
  if (!options.factor.empty() && options.factor.size() != n_cols)
    throw std::invalid_argument("penalty factors: one for each column is needed");
  for (const double f : options.factor)
    if (!(f >= 0)) throw std::invalid_argument("penalty factors must not be negative");
  if (!(options.l1_ratio > 0 && options.l1_ratio <= 1)) throw std::invalid_argument("l1_ratio must be in (0, 1]");
}

}  // namespace

template <ColumnMatrix M>
CoefficientPath lasso_path(const M& x, std::span<const double> y, std::span<const double> weight, const PathOptions& options,
                           Monitor& monitor) {
  check(options, x.n_cols);
  if (y.size() != x.n_rows || (!weight.empty() && weight.size() != x.n_rows))
    throw std::invalid_argument("y and the weights must have one entry for each row");
  RowsProblem<M> problem(x, y, weight, options, monitor);
  return PathSolver(problem, options, monitor).run();
}

CoefficientPath lasso_path(std::span<const double> gram, std::span<const double> cross, double square, const PathOptions& options,
                           Monitor& monitor) {
  check(options, cross.size());
  if (gram.size() != cross.size() * cross.size()) throw std::invalid_argument("the matrix of moments must be square");
  MomentsProblem problem(gram, cross, square);
  return PathSolver(problem, options, monitor).run();
}

#define VITALFEW_INSTANTIATE(M)                                                                                          \
  template CoefficientPath lasso_path<M>(const M&, std::span<const double>, std::span<const double>, const PathOptions&, \
                                         Monitor&);
VITALFEW_INSTANTIATE(DenseColumns<double>)
VITALFEW_INSTANTIATE(DenseColumns<float>)
VITALFEW_INSTANTIATE(SparseColumns<double>)
VITALFEW_INSTANTIATE(SparseColumns<float>)

}  // namespace vitalfew
