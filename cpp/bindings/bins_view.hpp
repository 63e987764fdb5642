// Views of binned data in arrays owned by Python.
#pragma once

#include "arrays.hpp"
#include "vitalfew/binned.hpp"

namespace vitalfew::bindings {

template <class Code>
using CodeColumns = Columns<Code>;

inline BinFeatures features_of(const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category) {
  return {view(offset), view(is_category)};
}

template <class Code>
BinnedColumns<Code> binned_of(const CodeColumns<Code>& codes, const BinFeatures& features) {
  if (codes.shape(1) != features.n_features()) throw std::invalid_argument("bins: expected one offset per column");
  return {{codes.data(), codes.size()}, codes.shape(0), features};
}

}  // namespace vitalfew::bindings
