#include "vitalfew/posterior.hpp"

#include <nanobind/stl/tuple.h>

#include "views.hpp"

namespace vitalfew::bindings {
namespace {

using Values = std::optional<Vector<double>>;

auto expect(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Values& value,
            const Matrix<double>& table, const Vector<double>& base, const Values& weight, int threads) {
  PythonMonitor monitor;
  const WeightedRows rows{pattern_of(indptr, indices, table.shape(0)), view(value)};
  Expectation found;
  {
    const nb::gil_scoped_release released;
    found = expect_rows(rows, {view(table), view(base)}, view(weight), threads, monitor);
  }
  return std::make_tuple(give(std::move(found.count), {table.shape(0), table.shape(1)}), give(std::move(found.total)),
                         found.log_likelihood);
}

auto classify(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Values& value,
              const Matrix<double>& table, const Vector<double>& base, std::size_t n_reasons, int threads) {
  PythonMonitor monitor;
  const WeightedRows rows{pattern_of(indptr, indices, table.shape(0)), view(value)};
  Classified found;
  {
    const nb::gil_scoped_release released;
    found = classify_rows(rows, {view(table), view(base)}, n_reasons, threads, monitor);
  }
  const std::size_t n = found.label.size();
  return std::make_tuple(give(std::move(found.label)), give(std::move(found.probability)),
                         give(std::move(found.reason), {n, n_reasons}));
}

}  // namespace

void bind_posterior(nb::module_& m) {
  m.def("expect_rows", &expect, "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert().none(),
        "table"_a.noconvert(), "base"_a.noconvert(), "weight"_a.noconvert().none(), "threads"_a = 0,
        "One E-step over sparse rows: expected counts (features, classes), expected rows of each class, log-likelihood.");
  m.def("classify_rows", &classify, "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert().none(),
        "table"_a.noconvert(), "base"_a.noconvert(), "n_reasons"_a = 0, "threads"_a = 0,
        "The most probable class of sparse rows, its probability, and the features that speak most for it.");
}

}  // namespace vitalfew::bindings
