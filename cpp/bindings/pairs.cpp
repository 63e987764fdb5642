#include "vitalfew/pairs.hpp"

#include "arrays.hpp"

namespace vitalfew::bindings {

void bind_pairs(nb::module_& m) {
  m.def(
      "best_pairs",
      [](const Matrix<std::uint64_t>& bits, const Vector<std::int64_t>& start, const Vector<std::int64_t>& size, std::size_t keep,
         int threads) {
        PythonMonitor monitor;
        PairSearch found;
        {
          const nb::gil_scoped_release released;
          found = best_pairs({view(bits), view(start), view(size), bits.shape(0)}, keep, threads, monitor);
        }
        std::vector<std::int32_t> pair;
        std::vector<double> synergy;
        for (const Pair& one : found.best) {
          pair.push_back(one.first);
          pair.push_back(one.second);
          synergy.push_back(one.synergy);
        }
        const std::size_t n = synergy.size();
        return nb::make_tuple(give(std::move(pair), {n, 2}), give(std::move(synergy)), give(std::move(found.most)),
                              give(std::move(found.partner)));
      },
      "bits"_a.noconvert(), "start"_a.noconvert(), "size"_a.noconvert(), "keep"_a, "threads"_a = 0,
      "Pairs of 0/1 features with the largest interaction information about the class, in nats; and each feature's largest, "
      "with its partner.");
}

}  // namespace vitalfew::bindings
