#include "vitalfew/posterior.hpp"

#include "views.hpp"

namespace vitalfew::bindings {
namespace {

using Values = std::optional<Vector<double>>;

Expectation expect(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Values& value,
                   const Matrix<double>& table, const Vector<double>& base, const Values& weight, int threads) {
  PythonMonitor monitor;
  const WeightedRows rows{pattern_of(indptr, indices, table.shape(0)), view(value)};
  return without_gil([&] { return expect_rows(rows, {view(table), view(base)}, view(weight), threads, monitor); });
}

Classified classify(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Values& value,
                    const Matrix<double>& table, const Vector<double>& base, std::size_t n_reasons, int threads) {
  PythonMonitor monitor;
  const WeightedRows rows{pattern_of(indptr, indices, table.shape(0)), view(value)};
  return without_gil([&] { return classify_rows(rows, {view(table), view(base)}, n_reasons, threads, monitor); });
}

}  // namespace

void bind_posterior(nb::module_& m) {
  ResultClass<Expectation>(m, "Expectation", "Expected counts (features, classes), expected rows of each class, log-likelihood.")
      .array("count", &Expectation::count,
             [](const Expectation& self) { return std::array{self.count.size() / self.total.size(), self.total.size()}; })
      .vector("total", &Expectation::total)
      .def_ro("log_likelihood", &Expectation::log_likelihood);
  ResultClass<Classified>(m, "Classified", "The most probable class of each row, its probability, and the reasons for it.")
      .vector("label", &Classified::label)
      .vector("probability", &Classified::probability)
      .array("reason", &Classified::reason, [](const Classified& self) { return std::array{self.label.size(), self.n_reasons}; });
  m.def("expect_rows", &expect, "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert().none(),
        "table"_a.noconvert(), "base"_a.noconvert(), "weight"_a.noconvert().none(), "threads"_a = 0,
        "One E-step over sparse rows: expected counts (features, classes), expected rows of each class, log-likelihood.");
  m.def("classify_rows", &classify, "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert().none(),
        "table"_a.noconvert(), "base"_a.noconvert(), "n_reasons"_a = 0, "threads"_a = 0,
        "The most probable class of sparse rows, its probability, and the features that favor it most.");
}

}  // namespace vitalfew::bindings
