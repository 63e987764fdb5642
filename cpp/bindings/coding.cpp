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
        const Table<T> input{table.data(), table.shape(0), table.shape(1), table.stride(0), table.stride(1)};
        return without_gil([&] {
          return code_small(input, out ? out->data() : nullptr, out ? out->stride(0) : 0, out ? out->stride(1) : 0, threads,
                            monitor);
        });
      },
      "table"_a.noconvert(), "out"_a.noconvert().none(), "threads"_a = 0, "Codes of columns of small integers.");
}

}  // namespace

void bind_coding(nb::module_& m) {
  ResultClass<ColumnReport>(m, "ColumnReport", "Flags for the values of each column, and its largest code + 1.")
      .vector("flag", &ColumnReport::flag)
      .vector("top", &ColumnReport::top);
  bind_code_small<double>(m);
  bind_code_small<float>(m);
  bind_code_small<std::int64_t>(m);
  bind_code_small<std::int32_t>(m);
  bind_code_small<std::int16_t>(m);
  bind_code_small<std::int8_t>(m);
  bind_code_small<std::uint8_t>(m);
  m.attr("HAS_INFINITE") = int(has_infinite);
  m.attr("NEEDS_CODING") = int(needs_coding);
}

}  // namespace vitalfew::bindings
