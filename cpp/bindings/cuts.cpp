#include "vitalfew/cuts.hpp"

#include "arrays.hpp"

namespace vitalfew::bindings {
namespace {

using Column = Aligned<const double, nb::ndim<1>, nb::device::cpu>;

Cuts cut(const Table<double>& table, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
         std::size_t n_classes, int threads) {
  PythonMonitor monitor;
  return without_gil([&] { return mdl_cuts(table, view(label), view(weight), {n_classes, threads}, monitor); });
}

}  // namespace

void bind_cuts(nb::module_& m) {
  ResultClass<Cuts>(m, "Cuts", "Cuts of columns: those of column j are value[start[j]:start[j + 1]].")
      .vector("value", &Cuts::value)
      .vector("start", &Cuts::start);
  m.def(
      "mdl_cuts",
      [](const Strided<double>& x, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
         std::size_t n_classes, int threads) {
        return cut({x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)}, label, weight, n_classes, threads);
      },
      "table"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(), "n_classes"_a, "threads"_a = 0,
      "Cuts of each numeric column by recursive entropy minimization with the MDL rule.");
  m.def(
      "mdl_cuts",
      [](const Column& x, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight, std::size_t n_classes,
         int threads) { return cut({x.data(), x.shape(0), 1, x.stride(0), 0}, label, weight, n_classes, threads); },
      "table"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(), "n_classes"_a, "threads"_a = 0,
      "The same for one column.");
}

}  // namespace vitalfew::bindings
