#include "vitalfew/pairs.hpp"

#include "arrays.hpp"

namespace vitalfew::bindings {
namespace {

Output<std::int32_t> columns_of(const PairSearch& found) {
  std::vector<std::int32_t> column;
  for (const Pair& pair : found.best) column.insert(column.end(), {pair.first, pair.second});
  return give(std::move(column), {found.best.size(), 2});
}

Output<double> synergies_of(const PairSearch& found) {
  std::vector<double> synergy;
  for (const Pair& pair : found.best) synergy.push_back(pair.synergy);
  return give(std::move(synergy));
}

}  // namespace

void bind_pairs(nb::module_& m) {
  ResultClass<PairSearch>(m, "PairSearch", "The best pairs of features, and the best partner of each feature.")
      .vector("most", &PairSearch::most)
      .vector("partner", &PairSearch::partner)
      .def_prop_ro("pair", &columns_of, nb::rv_policy::reference)
      .def_prop_ro("synergy", &synergies_of, nb::rv_policy::reference);
  m.def(
      "best_pairs",
      [](const Matrix<std::uint64_t>& bits, const Vector<std::int64_t>& start, const Vector<std::int64_t>& size, std::size_t keep,
         int threads) {
        PythonMonitor monitor;
        const LabeledBits data{view(bits), view(start), view(size), bits.shape(0)};
        return without_gil([&] { return best_pairs(data, keep, threads, monitor); });
      },
      "bits"_a.noconvert(), "start"_a.noconvert(), "size"_a.noconvert(), "keep"_a, "threads"_a = 0,
      "Pairs of 0/1 features with the largest interaction information about the class, in nats; and each feature's largest, "
      "with its partner.");
}

}  // namespace vitalfew::bindings
