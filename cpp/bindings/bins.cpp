#include "vitalfew/bins.hpp"

#include <algorithm>

#include "arrays.hpp"

namespace vitalfew::bindings {
namespace {

template <class T>
Table<T> table_of(const Strided<T>& x) {
  return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

template <class T, class Code>
void bind_code(nb::module_& m) {
  m.def(
      "code_bins",
      [](const Strided<T>& table, const Vector<double>& cuts, const Vector<std::int64_t>& start,
         const nb::ndarray<Code, nb::ndim<2>, nb::f_contig, nb::device::cpu>& out, int threads) {
        PythonMonitor monitor;
        if (out.shape(0) != table.shape(0) || out.shape(1) != table.shape(1))
          throw std::invalid_argument("code_bins: the output must have the shape of the table");
        if (!is_aligned(out)) throw std::invalid_argument("code_bins: the output is not aligned");
        return give(without_gil([&] {
          const Cuts found{{cuts.data(), cuts.data() + cuts.size()}, {start.data(), start.data() + start.size()}};
          return code_bins<T, Code>(table_of(table), found, {out.data(), out.size()}, threads, monitor);
        }));
      },
      "table"_a.noconvert(), "cuts"_a.noconvert(), "start"_a.noconvert(), "out"_a.noconvert(), "threads"_a = 0,
      "Codes of numeric columns by their cuts; returns flags for the values of each column.");
}

template <class T>
void bind_table(nb::module_& m) {
  m.def(
      "bin_cuts",
      [](const Strided<T>& table, std::size_t most, int threads) {
        PythonMonitor monitor;
        // Memory is allocated for `most` values, but there are no more values than rows.
        const std::size_t limit = std::min(most, std::max<std::size_t>(table.shape(0), 2));
        return without_gil([&] { return bin_cuts(table_of(table), limit, threads, monitor); });
      },
      "table"_a.noconvert(), "most"_a, "threads"_a = 0, "Cuts between all values of each numeric column, or at quantiles.");
  bind_code<T, std::uint8_t>(m);
  bind_code<T, std::uint16_t>(m);
}

}  // namespace

void bind_bins(nb::module_& m) {
  bind_table<double>(m);
  bind_table<float>(m);
}

}  // namespace vitalfew::bindings
