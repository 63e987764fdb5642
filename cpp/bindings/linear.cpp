// Bindings of the penalized linear paths.
#include "vitalfew/linear.hpp"

#include <atomic>

#include "path_arrays.hpp"

namespace vitalfew::bindings {
namespace {

// The arguments common to all paths, as one Python object.
struct Request {
  std::optional<Vector<double>> grid;
  std::size_t n_points;
  double ratio, l1_ratio;
  std::optional<Vector<double>> factor;
  std::optional<Vector<std::int32_t>> group;
  bool positive, intercept;
  double tol;
  int threads;
  nb::object progress;

  PathOptions options() const {
    if (!(ratio > 0 && ratio <= 1)) throw std::invalid_argument("path: the ratio must be in (0, 1]");
    if (!(tol >= 0)) throw std::invalid_argument("path: tol must not be negative");
    return {view(grid), n_points, ratio, l1_ratio, view(factor), view(group), positive, intercept, tol, threads};
  }
};

template <class T>
std::ptrdiff_t find_not_finite(const Vector<T>& x, int threads) {
  PythonMonitor monitor;
  const nb::gil_scoped_release released;
  const std::size_t n = x.size(), blocks = blocks_for(double(n), n);
  std::atomic<std::size_t> found{n};
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    const std::size_t begin = n * b / blocks, end = n * (b + 1) / blocks;
    if (begin > found.load(std::memory_order_relaxed)) return;
    const std::size_t at = begin + first_not_finite(x.data() + begin, end - begin);
    if (at == end) return;
    std::size_t before = found.load();
    while (at < before && !found.compare_exchange_weak(before, at)) {
    }
  });
  return found == n ? -1 : std::ptrdiff_t(found);
}

}  // namespace

void bind_linear(nb::module_& m) {
  ResultClass<PathPoints>(m, "PathPoints",
                          "Models at the points of a path: those of point p have the coefficients value[start[p]:start[p + "
                          "1]] of the columns index[...].")
      .vector("grid", &PathPoints::grid)
      .vector("start", &PathPoints::start)
      .vector("index", &PathPoints::index)
      .vector("value", &PathPoints::value)
      .vector("intercept", &PathPoints::intercept)
      .vector("gap", &PathPoints::gap)
      .vector("loss", &PathPoints::loss)
      .def_ro("null_loss", &PathPoints::null_loss)
      .def_ro("in_time", &PathPoints::is_complete);
  nb::class_<Request>(m, "PathRequest", "Penalties, penalty factors and tolerance of a path.")
      .def(nb::init<std::optional<Vector<double>>, std::size_t, double, double, std::optional<Vector<double>>,
                    std::optional<Vector<std::int32_t>>, bool, bool, double, int, nb::object>(),
           "grid"_a.none() = nb::none(), "n_points"_a = 100, "ratio"_a = 1e-3, "l1_ratio"_a = 1.0, "factor"_a.none() = nb::none(),
           "group"_a.none() = nb::none(), "positive"_a = false, "intercept"_a = true, "tol"_a = 1e-6, "threads"_a = 0,
           "progress"_a.none() = nb::none());
  m.def("find_not_finite", &find_not_finite<double>, "x"_a.noconvert(), "threads"_a,
        "Position of the first NaN or infinity, or -1.");
  m.def("find_not_finite", &find_not_finite<float>, "x"_a.noconvert(), "threads"_a, "The same for single precision.");
  const auto lasso = [](auto&&... given) { return lasso_path(given...); };
  bind_rows<Request>(m, "lasso_path", lasso);
  bind_moments<Request>(m, "lasso_path", lasso);
  bind_rows<Request>(m, "logistic_path", [](auto&&... given) { return logistic_path(given...); });
  bind_classes<Request>(m, "multinomial_path",
                        [](const auto& x, const ClassLabels& labels, auto weight, const PathOptions& options, Monitor& monitor) {
                          return multinomial_path(x, labels.label, labels.n_classes, weight, options, monitor);
                        });
}

}  // namespace vitalfew::bindings
