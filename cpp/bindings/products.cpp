#include "vitalfew/products.hpp"

#include <nanobind/stl/vector.h>

#include "arrays.hpp"

namespace vitalfew::bindings {
namespace {

using AnyColumn = Aligned<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <class... T>
NumberColumn number_column(const AnyColumn& array, std::variant<const T*...>) {
  NumberColumn found{Numbers{}, std::ptrdiff_t(array.stride(0))};
  const bool is_number = ((array.dtype() == nb::dtype<T>() && (found.number = static_cast<const T*>(array.data()), true)) || ...);
  if (!is_number && array.dtype() != nb::dtype<bool>()) throw std::invalid_argument("products: columns must be numeric");
  if (!is_number) found.number = static_cast<const std::uint8_t*>(array.data());
  return found;
}

}  // namespace

void bind_products(nb::module_& m) {
  ResultClass<Products>(m, "Products", "Sums of columns minus their shifts (d,), and of the products of these (d, d).")
      .vector("first", &Products::first)
      .array("second", &Products::second, [](const Products& self) { return std::array{self.first.size(), self.first.size()}; });
  m.def(
      "column_products",
      [](const std::vector<AnyColumn>& columns, const Vector<double>& shift, const std::optional<Vector<double>>& weight,
         int threads) {
        PythonMonitor monitor;
        std::vector<NumberColumn> column;
        const std::size_t n_rows = columns.empty() ? 0 : columns.front().size();
        for (const AnyColumn& one : columns) {
          if (one.size() != n_rows) throw std::invalid_argument("products: columns must have the same length");
          column.push_back(number_column(one, Numbers{}));
        }
        return without_gil([&] { return column_products({column, n_rows}, view(shift), view(weight), threads, monitor); });
      },
      "columns"_a, "shift"_a.noconvert(), "weight"_a.noconvert().none(), "threads"_a = 0,
      "Sums of columns minus their shifts, and of their products, weighted: (d,) and (d, d).");
}

}  // namespace vitalfew::bindings
