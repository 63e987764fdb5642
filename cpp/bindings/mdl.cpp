// Bindings of the MDL feature search for naive Bayes.
#include "vitalfew/mdl.hpp"

#include <algorithm>
#include <cmath>

#include "views.hpp"
#include "vitalfew/checks.hpp"

namespace vitalfew::bindings {
namespace {

// The arguments common to all forms of the search, as one Python object.
struct Search {
  Vector<std::int32_t> label;
  std::optional<Vector<double>> weight;
  Vector<double> log_prior;
  Matrix<double> table;
  Vector<double> feature_cost, size_cost;
  std::size_t max_features, patience;
  bool patience_on_data, backward;
  int threads;
  nb::object progress;
};

template <class Rows, class Kernel>
MdlTrace run(const Rows& rows, const Search& s, Kernel&& kernel) {
  const MdlProblem problem{view(s.label), view(s.weight), view(s.log_prior), view(s.table), s.log_prior.size()};
  if (problem.label.size() != rows.n_rows || (!problem.weight.empty() && problem.weight.size() != rows.n_rows))
    throw std::invalid_argument("mdl: labels and weights must have one entry per row");
  if (s.table.shape(1) != problem.n_classes) throw std::invalid_argument("mdl: the table must have one column per class");
  if (!are_labels(problem.label, problem.n_classes)) throw std::invalid_argument("mdl: labels must be in [0, n_classes)");
  const auto is_nan = [](double v) { return std::isnan(v); };
  for (const auto& numbers : {problem.table, problem.log_prior, view(s.feature_cost), view(s.size_cost)})
    if (std::any_of(numbers.begin(), numbers.end(), is_nan))
      throw std::invalid_argument("mdl: logarithms and costs must not be NaN");
  const MdlOptions options{s.max_features,       s.patience,        s.patience_on_data, s.backward,
                           view(s.feature_cost), view(s.size_cost), s.threads};
  PythonMonitor monitor(s.progress);
  return without_gil([&] {
    check_bounds(rows, s.threads, monitor);
    return kernel(rows, problem, options, monitor);
  });
}

template <class Code>
void bind_codes(nb::module_& m) {
  m.def(
      "mdl_codes",
      [](const Strided<Code>& codes, const Vector<std::int64_t>& offset, const Search& search) {
        const auto rows = codes_of(codes, offset);
        if (offset.size() != codes.shape(1) + 1 || search.table.shape(0) != rows.n_slots())
          throw std::invalid_argument("mdl: the table must have one row per value");
        return run(rows, search,
                   [](const auto& r, const auto& p, const auto& o, Monitor& mon) { return mdl_codes(r, p, o, mon); });
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "search"_a, "Greedy MDL search over dense codes.");
}

}  // namespace

void bind_mdl(nb::module_& m) {
  ResultClass<MdlTrace>(m, "MdlTrace", "Features that enter (sign 1) and leave (-1), and the data part of the length.")
      .vector("feature", &MdlTrace::feature)
      .vector("sign", &MdlTrace::sign)
      .vector("data", &MdlTrace::data)
      .def_ro("in_time", &MdlTrace::is_complete);
  nb::class_<Search>(m, "MdlSearch", "Inputs of an MDL search other than the features.")
      .def(nb::init<Vector<std::int32_t>, std::optional<Vector<double>>, Vector<double>, Matrix<double>, Vector<double>,
                    Vector<double>, std::size_t, std::size_t, bool, bool, int, nb::object>(),
           "label"_a.noconvert(), "weight"_a.noconvert().none(), "log_prior"_a.noconvert(), "table"_a.noconvert(),
           "feature_cost"_a.noconvert(), "size_cost"_a.noconvert(), "max_features"_a, "patience"_a, "patience_on_data"_a,
           "backward"_a, "threads"_a, "progress"_a.none());
  m.def(
      "mdl_binary",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, std::size_t width, const Search& search) {
        const BinaryRows rows{pattern_of(indptr, indices, width)};
        if (search.table.shape(0) / 2 != width || search.table.shape(0) % 2 != 0)
          throw std::invalid_argument("mdl: the table must have two rows per feature");
        return run(rows, search, [](const auto& r, const auto& p, const auto& o, Monitor& mon) {
          return p.n_classes == 2 ? mdl_two_class(r, p, o, mon) : mdl_multi_class(r, p, o, mon);
        });
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "width"_a, "search"_a, "Greedy MDL search over sparse 0/1 features.");
  bind_codes<std::uint8_t>(m);
  bind_codes<std::uint32_t>(m);
}

}  // namespace vitalfew::bindings
