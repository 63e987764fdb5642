#include "vitalfew/coding.hpp"

#include "arrays.hpp"

namespace vitalfew::bindings {
namespace {

template <class T>
void bind_code_small(nb::module_& m) {
  m.def(
      "code_small",
      [](const Strided<T>& table, std::optional<nb::ndarray<std::uint8_t, nb::ndim<2>, nb::device::cpu>> out, int threads) {
        if (out && (out->shape(0) != table.shape(0) || out->shape(1) != table.shape(1)))
          throw std::invalid_argument("code_small: the output must have the shape of the table");
        PythonMonitor monitor;
        ColumnReport report;
        {
          const nb::gil_scoped_release released;
          const Table<T> input{table.data(), table.shape(0), table.shape(1), table.stride(0), table.stride(1)};
          report = code_small(input, out ? out->data() : nullptr, out ? out->stride(0) : 0, out ? out->stride(1) : 0, threads,
                              monitor);
        }
        return nb::make_tuple(give(std::move(report.flag)), give(std::move(report.top)));
      },
      "table"_a.noconvert(), "out"_a.noconvert().none(), "threads"_a = 0,
      "Codes columns of small whole numbers; returns a flag and the largest code + 1 of each column.");
}

}  // namespace

void bind_coding(nb::module_& m) {
  bind_code_small<double>(m);
  bind_code_small<float>(m);
  bind_code_small<std::int64_t>(m);
  bind_code_small<std::int32_t>(m);
  bind_code_small<std::int16_t>(m);
  bind_code_small<std::int8_t>(m);
  bind_code_small<std::uint8_t>(m);
  m.attr("HAS_MISSING") = int(has_missing);
  m.attr("HAS_INFINITE") = int(has_infinite);
  m.attr("NEEDS_CODING") = int(needs_coding);
}

}  // namespace vitalfew::bindings
