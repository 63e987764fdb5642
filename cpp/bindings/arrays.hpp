// Array types at the boundary between Python and the core: the type states the contract. Arrays are never copied silently, except
// misaligned ones, such as those in the bytes of a message.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vitalfew::bindings {

// Returns whether the numbers of an array are at addresses that are multiples of their size.
template <class... Contract>
bool is_aligned(const nb::ndarray<Contract...>& array) {
  return array.size() == 0 || reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
}

// An array whose numbers are aligned in this way.
template <class... Contract>
struct Aligned : nb::ndarray<Contract...> {
  using Array = nb::ndarray<Contract...>;
  using Array::Array;
  Aligned() = default;
  explicit Aligned(Array&& array) : Array(std::move(array)) {}
};

template <class T>
using Vector = Aligned<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = Aligned<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Columns = Aligned<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using Strided = Aligned<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T>;

template <class T>
std::span<const T> view(const Vector<T>& a) {
  return {a.data(), a.size()};
}
template <class T>
std::span<const T> view(const Matrix<T>& a) {
  return {a.data(), a.size()};
}
template <class T>
std::span<const T> view(const std::optional<Vector<T>>& a) {
  return a ? view(*a) : std::span<const T>{};
}

// Moves a vector into a NumPy array without a copy.
template <class T>
Output<T> give(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(owned->data(), shape, owner);
}
template <class T>
Output<T> give(std::vector<T>&& values) {
  const std::size_t n = values.size();
  return give(std::move(values), {n});
}

// The class of a kernel's results in Python. Its vectors become arrays that share the memory of the result and keep it alive.
template <class Result>
class ResultClass : public nb::class_<Result> {
 public:
  using nb::class_<Result>::class_;

  template <class T>
  ResultClass& vector(const char* name, std::vector<T> Result::* field) {
    return array(name, field, [field](const Result& self) { return std::array{(self.*field).size()}; });
  }
  // An array of more dimensions; `shape` computes them from the result.
  template <class T, class Shape>
  ResultClass& array(const char* name, std::vector<T> Result::* field, Shape shape) {
    const auto get = [field, shape](Result& self) {
      const auto sizes = shape(self);
      return Output<T>((self.*field).data(), sizes.size(), sizes.data());
    };
    this->def_prop_ro(name, get, nb::rv_policy::reference_internal);
    return *this;
  }
};

// Runs a kernel without the GIL and returns its result.
template <class Kernel>
auto without_gil(Kernel&& kernel) {
  const nb::gil_scoped_release released;
  return kernel();
}

// Checks for signals (Ctrl-C) and calls `progress(done)`, both with the GIL held, while the kernel runs without it.
class PythonMonitor : public Monitor {
 public:
  explicit PythonMonitor(nb::object progress = nb::none()) : progress_(std::move(progress)) {}

 protected:
  void poll(double done) override {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress_.is_none()) progress_(done);
  }

 private:
  nb::object progress_;
};

}  // namespace vitalfew::bindings

namespace nanobind::detail {

// Converts arrays from Python; a misaligned array is replaced by an aligned copy.
template <class... Contract>
struct type_caster<vitalfew::bindings::Aligned<Contract...>> {
  using Array = typename vitalfew::bindings::Aligned<Contract...>::Array;
  NB_TYPE_CASTER(vitalfew::bindings::Aligned<Contract...>, make_caster<Array>::Name)

  bool from_python(handle source, auto flags, cleanup_list* cleanup) noexcept {
    if (!read(source, flags, cleanup)) return false;
    if (vitalfew::bindings::is_aligned(static_cast<const Array&>(value))) return true;
    try {
      return read(module_::import_("numpy").attr("require")(source, none(), "A"), flags, cleanup);
    } catch (python_error& error) {
      error.discard_as_unraisable("vitalfew: a misaligned array could not be copied");
      return false;
    }
  }

 private:
  bool read(handle source, auto flags, cleanup_list* cleanup) noexcept {
    make_caster<Array> plain;
    if (!plain.from_python(source, flags, cleanup)) return false;
    value = Value(static_cast<Array&&>(plain));
    return true;
  }
};

}  // namespace nanobind::detail
