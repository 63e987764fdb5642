// Common parts of the bindings of paths. A function has one overload for each form of the data: dense columns, sparse columns
// and, for the squared loss, second moments. A request is a Python object with the kernel's options() and a progress callback.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>

#include "views.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/subset_classes.hpp"

namespace vitalfew::bindings {

// Checks that weights and values are finite. O(rows), which is little compared with any path; with values that are not finite the
// result of a search would be arbitrary.
inline void check_weights(std::span<const double> weight) {
  const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (!weight.empty() && !(are_weights(weight) && sum > 0))
    throw std::invalid_argument("weights must be finite and not negative, with a positive sum");
}
template <class T>
void check_finite(std::span<const T> values, const char* name) {
  if (first_not_finite(values.data(), values.size()) != values.size())
    throw std::invalid_argument(std::string(name) + ": values must be finite");
}

// Runs a kernel (options, monitor) without the GIL.
template <class Request, class Kernel>
auto run(const Request& request, Kernel&& kernel) {
  PythonMonitor monitor(request.progress);
  return without_gil([&] { return kernel(request.options(), monitor); });
}

template <class T>
SparseColumns<T> checked_columns(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Vector<T>& value,
                                 std::size_t n_rows, int threads, Monitor& monitor) {
  const Pattern pattern = pattern_of(indptr, indices, n_rows);
  const PatternReport seen = inspect_pattern<T>(pattern, view(value), threads, monitor);
  if (!seen.is_sorted) throw std::invalid_argument("sparse matrix: the indices of a column must be sorted");
  if (seen.has_nan) throw std::invalid_argument("sparse matrix: values must be finite");
  return columns_of(pattern, value);
}

template <class T, class Request, class Kernel>
void bind_rows_of(nb::module_& m, const char* name, Kernel kernel) {
  m.def(
      name,
      [kernel](const Columns<T>& x, const Vector<double>& y, const std::optional<Vector<double>>& weight,
               const Request& request) {
        return run(request, [&](const auto& options, Monitor& monitor) {
          check_finite(view(y), "y");
          check_weights(view(weight));
          return kernel(columns_of(x), view(y), view(weight), options, monitor);
        });
      },
      "x"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "request"_a, "From dense columns.");
  m.def(
      name,
      [kernel](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Vector<T>& value,
               std::size_t n_rows, const Vector<double>& y, const std::optional<Vector<double>>& weight, const Request& request) {
        return run(request, [&](const auto& options, Monitor& monitor) {
          const auto columns = checked_columns(indptr, indices, value, n_rows, options.threads, monitor);
          check_finite(view(y), "y");
          check_weights(view(weight));
          const bool is_binary = std::all_of(columns.value.begin(), columns.value.end(), [](T v) { return v == 1; });
          if (is_binary) return kernel(BinaryColumns{columns.pattern}, view(y), view(weight), options, monitor);
          return kernel(columns, view(y), view(weight), options, monitor);
        });
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert(), "n_rows"_a, "y"_a.noconvert(),
      "weight"_a.noconvert().none(), "request"_a, "From sparse columns.");
}

// Binds a kernel (x, y, weight, options, monitor) for dense and for sparse columns; sparse columns of ones are passed as binary.
template <class Request, class Kernel>
void bind_rows(nb::module_& m, const char* name, Kernel kernel) {
  bind_rows_of<double, Request>(m, name, kernel);
  bind_rows_of<float, Request>(m, name, kernel);
}

template <class T, class Request, class Kernel>
void bind_classes_of(nb::module_& m, const char* name, Kernel kernel) {
  m.def(
      name,
      [kernel](const Columns<T>& x, const Vector<std::int32_t>& label, std::size_t n_classes,
               const std::optional<Vector<double>>& weight, const Request& request) {
        return run(request, [&](const auto& options, Monitor& monitor) {
          check_finite(std::span<const T>(x.data(), x.size()), "x");
          check_weights(view(weight));
          return kernel(columns_of(x), ClassLabels{view(label), n_classes}, view(weight), options, monitor);
        });
      },
      "x"_a.noconvert(), "label"_a.noconvert(), "n_classes"_a, "weight"_a.noconvert().none(), "request"_a, "From dense columns.");
  m.def(
      name,
      [kernel](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Vector<T>& value,
               std::size_t n_rows, const Vector<std::int32_t>& label, std::size_t n_classes,
               const std::optional<Vector<double>>& weight, const Request& request) {
        return run(request, [&](const auto& options, Monitor& monitor) {
          const auto columns = checked_columns(indptr, indices, value, n_rows, options.threads, monitor);
          check_weights(view(weight));
          return kernel(columns, ClassLabels{view(label), n_classes}, view(weight), options, monitor);
        });
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "value"_a.noconvert(), "n_rows"_a, "label"_a.noconvert(), "n_classes"_a,
      "weight"_a.noconvert().none(), "request"_a, "From sparse columns.");
}

// Binds a kernel (x, labels, weight, options, monitor) on rows with classes.
template <class Request, class Kernel>
void bind_classes(nb::module_& m, const char* name, Kernel kernel) {
  bind_classes_of<double, Request>(m, name, kernel);
  bind_classes_of<float, Request>(m, name, kernel);
}

// Binds a kernel (gram, cross, square, options, monitor) on second moments.
template <class Request, class Kernel>
void bind_moments(nb::module_& m, const char* name, Kernel kernel) {
  m.def(
      name,
      [kernel](const Matrix<double>& gram, const Vector<double>& cross, double square, const Request& request) {
        return run(request, [&](const auto& options, Monitor& monitor) {
          check_finite(view(gram), "moments");
          check_finite(view(cross), "moments");
          check_finite(std::span<const double>(&square, 1), "moments");
          return kernel(view(gram), view(cross), std::max(square, 0.0), options, monitor);
        });
      },
      "gram"_a.noconvert(), "cross"_a.noconvert(), "square"_a, "request"_a, "From second moments.");
}

}  // namespace vitalfew::bindings
