// Bindings of the class counts and of the inspection of sparse matrices.
#include "vitalfew/counts.hpp"

#include "views.hpp"
#include "vitalfew/checks.hpp"

namespace vitalfew::bindings {
namespace {

template <class Rows>
Output<double> count(const Rows& rows, const std::optional<Vector<std::int32_t>>& label,
                     const std::optional<Vector<double>>& weight, std::size_t n_classes, int threads) {
  PythonMonitor monitor;
  return give(without_gil([&] { return count_slots(rows, view(label), view(weight), {n_classes, threads}, monitor); }),
              {rows.n_slots(), n_classes});
}

template <class Code>
void bind_count_codes(nb::module_& m) {
  m.def(
      "count_codes",
      [](const Strided<Code>& codes, const Vector<std::int64_t>& offset, const std::optional<Vector<std::int32_t>>& label,
         const std::optional<Vector<double>>& weight, std::size_t n_classes,
         int threads) { return count(codes_of(codes, offset), label, weight, n_classes, threads); },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "label"_a.noconvert().none(), "weight"_a.noconvert().none(), "n_classes"_a,
      "threads"_a = 0, "Weighted counts of each value of each column with each class: (slots, classes).");
}

template <class T>
void bind_inspect(nb::module_& m) {
  m.def(
      "inspect_pattern",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const std::optional<Vector<T>>& value,
         std::size_t width, int threads) {
        PythonMonitor monitor;
        const Pattern pattern = pattern_of(indptr, indices, width);
        return without_gil([&] { return inspect_pattern<T>(pattern, view(value), threads, monitor); });
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert().none(), "width"_a, "threads"_a = 0,
      "Inspects a sparse pattern and its values.");
}

template <class Index>
void bind_copy_indices(nb::module_& m) {
  m.def(
      "copy_indices",
      [](const Vector<Index>& indices, const nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out,
         int threads) {
        PythonMonitor monitor;
        const nb::gil_scoped_release released;
        return copy_indices(view(indices), std::span(out.data(), out.size()), threads, monitor);
      },
      "indices"_a.noconvert(), "out"_a.noconvert(), "threads"_a = 0,
      "Copies indices and returns the largest as an unsigned number: 2^32 - 1 if one of them does not fit.");
}

}  // namespace

void bind_counts(nb::module_& m) {
  nb::class_<PatternReport>(m, "PatternReport", "Properties of a sparse pattern and its values.")
      .def_ro("is_sorted", &PatternReport::is_sorted)
      .def_ro("has_zero", &PatternReport::has_zero)
      .def_ro("has_nan", &PatternReport::has_nan);
  m.def(
      "count_binary",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, std::size_t width,
         const std::optional<Vector<std::int32_t>>& label, const std::optional<Vector<double>>& weight, std::size_t n_classes,
         int threads) { return count(BinaryRows{pattern_of(indptr, indices, width)}, label, weight, n_classes, threads); },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "width"_a, "label"_a.noconvert().none(), "weight"_a.noconvert().none(),
      "n_classes"_a, "threads"_a = 0, "Weighted counts of each present feature with each class: (features, classes).");
  bind_count_codes<std::uint8_t>(m);
  bind_count_codes<std::uint32_t>(m);
  bind_copy_indices<std::int32_t>(m);
  bind_copy_indices<std::int64_t>(m);
  bind_inspect<double>(m);
  bind_inspect<float>(m);
  bind_inspect<std::int8_t>(m);
  bind_inspect<std::int32_t>(m);
  bind_inspect<std::int64_t>(m);
}

}  // namespace vitalfew::bindings
