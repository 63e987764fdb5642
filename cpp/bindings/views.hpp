// Python's arrays as the core's matrix views.
#pragma once

#include "arrays.hpp"
#include "vitalfew/matrix.hpp"

namespace vitalfew::bindings {

inline Pattern pattern_of(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, std::size_t width) {
  return {view(indptr), view(indices), width};
}

// Checked, so that a kernel may trust it.
inline BinaryRows binary_rows(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, std::size_t width) {
  const Pattern pattern = pattern_of(indptr, indices, width);
  pattern.validate();
  return {pattern};
}

template <class Code>
Codes<Code> codes_of(const Strided<Code>& codes, const Vector<std::int64_t>& offset) {
  Codes<Code> rows{codes.data(), codes.shape(0), codes.shape(1), codes.stride(0), codes.stride(1), view(offset)};
  rows.validate();
  return rows;
}

}  // namespace vitalfew::bindings
