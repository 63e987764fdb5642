// The extension module vitalfew._core.
#include "arrays.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew::bindings {
void bind_counts(nb::module_& m);
void bind_coding(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_tokens(nb::module_& m);
void bind_cuts(nb::module_& m);
void bind_mdl(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_subset(nb::module_& m);
void bind_bins(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_posterior(nb::module_& m);
void bind_products(nb::module_& m);
void bind_deadline(nb::module_& m);
}  // namespace vitalfew::bindings

NB_MODULE(_core, m) {
  using namespace vitalfew::bindings;
  m.doc() = "Compiled kernels of vitalfew. Private: the public names are in the package itself.";
  m.def("thread_count", &vitalfew::thread_count, "requested"_a = 0,
        "Number of threads that a kernel uses for the given request; 0 means all.");
  m.def(
      "helper_threads",
      [] {
        const auto found = vitalfew::helpers_so_far();
        return nb::make_tuple(found.begun, found.most);
      },
      nb::sig("def helper_threads() -> tuple[int, int]"),
      "Number of helper threads that kernels have started in this process, and the largest number at one time.");
  bind_deadline(m);
  bind_counts(m);
  bind_coding(m);
  bind_scores(m);
  bind_tokens(m);
  bind_cuts(m);
  bind_mdl(m);
  bind_linear(m);
  bind_subset(m);
  bind_bins(m);
  bind_boost(m);
  bind_tree(m);
  bind_pairs(m);
  bind_posterior(m);
  bind_products(m);
}
