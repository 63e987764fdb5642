// Array types of the boundary between Python and the core: the contract is in the type, nothing is copied in silence.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <span>
#include <vector>

#include "vitalfew/monitor.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vitalfew::bindings {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using Strided = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
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

// Hands a vector to NumPy without a copy.
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

// Sees signals (Ctrl-C) and calls `progress(done)`, both with the GIL held, while the kernel runs without it.
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
