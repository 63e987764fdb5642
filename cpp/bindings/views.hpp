// Matrix views of the core on Python's arrays.
#pragma once

#include "arrays.hpp"
#include "vitalfew/matrix.hpp"

namespace vitalfew::bindings {

inline Pattern pattern_of(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, std::size_t width) {
  return {view(indptr), view(indices), width};
}

template <class T>
DenseColumns<T> columns_of(const Columns<T>& x) {
  return {{x.data(), x.size()}, x.shape(0), x.shape(1)};
}

// The caller checks the bounds.
template <class T>
SparseColumns<T> columns_of(const Pattern& pattern, const Vector<T>& value) {
  if (value.size() != pattern.index.size())
    throw std::invalid_argument("sparse matrix: values and indices must have the same length");
  return {pattern, view(value)};
}

template <class Code>
Codes<Code> codes_of(const Strided<Code>& codes, const Vector<std::int64_t>& offset) {
  return {codes.data(), codes.shape(0), codes.shape(1), codes.stride(0), codes.stride(1), view(offset)};
}

}  // namespace vitalfew::bindings
