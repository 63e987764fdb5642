// Common parts of the bindings of paths: running a kernel on dense columns, sparse columns or second moments, and returning its
// result as arrays. A request is a Python object with the kernel's options() and a progress callback.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>

#include "views.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/subset_classes.hpp"

namespace vitalfew::bindings {

inline nb::dict arrays_of(CoefficientPath&& path) {
  nb::dict found;
  found["grid"] = give(std::move(path.grid));
  found["start"] = give(std::move(path.start));
  found["index"] = give(std::move(path.index));
  found["value"] = give(std::move(path.value));
  found["intercept"] = give(std::move(path.intercept));
  found["gap"] = give(std::move(path.gap));
  found["loss"] = give(std::move(path.loss));
  found["null_loss"] = path.null_loss;
  found["in_time"] = path.is_complete;
  return found;
}

inline nb::dict arrays_of(FittingSteps&& steps) {
  nb::dict found;
  found["column"] = give(std::move(steps.column));
  found["change"] = give(std::move(steps.change));
  found["loss"] = give(std::move(steps.loss));
  found["null_loss"] = steps.null_loss;
  found["in_time"] = steps.is_complete;
  return found;
}

inline nb::dict arrays_of(ClassSteps&& steps) {
  nb::dict found;
  found["column"] = give(std::move(steps.column));
  found["change"] = give(std::move(steps.change));
  found["loss"] = give(std::move(steps.loss));
  found["intercept"] = give(std::move(steps.intercept));
  found["null_loss"] = steps.null_loss;
  found["in_time"] = steps.is_complete;
  return found;
}

inline nb::dict arrays_of(NearSubsets&& near) {
  nb::dict found;
  found["start"] = give(std::move(near.start));
  found["index"] = give(std::move(near.index));
  found["loss"] = give(std::move(near.loss));
  found["is_complete"] = near.is_complete;
  return found;
}

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
nb::dict run(const Request& request, Kernel&& kernel) {
  PythonMonitor monitor(request.progress);
  const auto solve = [&] {
    const nb::gil_scoped_release released;
    return kernel(request.options(), monitor);
  };
  return arrays_of(solve());
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

// Binds a kernel (x, y, weight, options, monitor) for dense and for sparse columns; sparse columns of ones are passed as binary.
template <class T, class Request, class Kernel>
void bind_rows(nb::module_& m, const char* dense, const char* sparse, Kernel kernel) {
  m.def(
      dense,
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
      sparse,
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

// Binds a kernel (x, labels, weight, options, monitor) on rows with classes.
template <class T, class Request, class Kernel>
void bind_classes(nb::module_& m, const char* dense, const char* sparse, Kernel kernel) {
  m.def(
      dense,
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
      sparse,
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
