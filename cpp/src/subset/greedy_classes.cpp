// Greedy subset selection for the multinomial loss (formula in vitalfew/subset_classes.hpp); the search is in class_search.hpp.
#include "subset/class_search.hpp"

namespace vitalfew {

template <ColumnMatrix M>
PathPoints greedy_classes(const M& x, const ClassLabels& labels, std::span<const double> weight, const SubsetOptions& options,
                          Monitor& monitor) {
  check_labels(labels, x.n_rows);
  ClassSearch<M> search(x, labels, weight, options, monitor);
  // A backward search begins with the largest model: until it ends there is no path from the smallest.
  const bool is_complete =
      ends_in_time([&] { search.run(); }, [&] { return options.direction != Direction::backward && search.found().size() > 1; });
  PathPoints path = search.path(search.found());
  path.is_complete = is_complete;
  return path;
}

#define VITALFEW_INSTANTIATE(M) \
  template PathPoints greedy_classes<M>(const M&, const ClassLabels&, std::span<const double>, const SubsetOptions&, Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)

}  // namespace vitalfew
