#include "vitalfew/scores.hpp"

#include <nanobind/stl/tuple.h>

#include "views.hpp"

namespace vitalfew::bindings {
namespace {

using Segments = std::optional<std::tuple<Vector<std::int64_t>, Vector<std::int32_t>, Vector<std::int8_t>, std::size_t>>;

template <class Rows>
Output<double> score(const Rows& rows, const Matrix<double>& table, const Segments& segments, int threads) {
  PythonMonitor monitor;
  Events events;
  if (segments)
    events = {view(std::get<0>(*segments)), view(std::get<1>(*segments)), view(std::get<2>(*segments)), std::get<3>(*segments)};
  const Events* const given = segments ? &events : nullptr;
  return give(without_gil([&] { return score_rows(rows, view(table), table.shape(1), given, threads, monitor); }),
              {rows.n_rows, events.n_segments, table.shape(1)});
}

template <class Code>
void bind_score_codes(nb::module_& m) {
  m.def(
      "score_codes",
      [](const Strided<Code>& codes, const Vector<std::int64_t>& offset, const Matrix<double>& table, const Segments& events,
         int threads) { return score(codes_of(codes, offset), table, events, threads); },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "table"_a.noconvert(), "events"_a.none(), "threads"_a = 0,
      "Sum of table lines of the values of each row, at each point of a path: (rows, points, classes).");
}

}  // namespace

void bind_scores(nb::module_& m) {
  m.def(
      "score_binary",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, std::size_t width, const Matrix<double>& table,
         const Segments& events,
         int threads) { return score(BinaryRows{pattern_of(indptr, indices, width)}, table, events, threads); },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "width"_a, "table"_a.noconvert(), "events"_a.none(), "threads"_a = 0,
      "Sum of table lines of the features present in each row, at each point of a path: (rows, points, classes).");
  bind_score_codes<std::uint8_t>(m);
  bind_score_codes<std::uint32_t>(m);
}

}  // namespace vitalfew::bindings
