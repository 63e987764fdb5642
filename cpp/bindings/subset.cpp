// Bindings of the subset searches; each request object holds the options of one kernel.
#include "path_arrays.hpp"
#include "vitalfew/subset_classes.hpp"

namespace vitalfew::bindings {
namespace {

struct SubsetRequest {
  std::size_t most;
  Direction direction;
  std::optional<Vector<std::int32_t>> group;
  bool intercept;
  int threads;
  nb::object progress;

  SubsetOptions options() const {
    if (direction == Direction::exchange && group)
      throw std::invalid_argument("direction 'exchange' is not supported with groups");
    return {most, direction, view(group), intercept, threads};
  }
};

struct BestRequest {
  std::size_t most;
  double seconds;
  bool largest_first;
  int threads;
  bool intercept;
  nb::object progress;

  BestOptions options() const { return {most, seconds, largest_first, threads, intercept}; }
};

struct NearRequest {
  std::size_t k;
  double loss;
  std::size_t most;
  double seconds;
  int threads;
  bool intercept;
  nb::object progress;

  NearOptions options() const {
    if (most == 0) throw std::invalid_argument("near subsets: the maximum number must be at least 1");
    return {k, loss, most, seconds, threads, intercept};
  }
};

struct FittingRequest {
  std::size_t steps;
  bool myopic;
  double rate;
  bool intercept;
  int threads;
  nb::object progress;

  FittingOptions options() const { return {steps, myopic, rate, intercept, threads}; }
};

template <class T>
void bind_columns(nb::module_& m) {
  bind_classes<T, SubsetRequest>(m, "greedy_classes_dense", "greedy_classes_sparse",
                                 [](const auto& x, const ClassLabels& labels, auto w, const SubsetOptions& o, Monitor& mon) {
                                   return greedy_classes(x, labels, w, o, mon);
                                 });
  bind_classes<T, BestRequest>(m, "best_classes_dense", "best_classes_sparse",
                               [](const auto& x, const ClassLabels& labels, auto w, const BestOptions& o, Monitor& mon) {
                                 return best_classes(x, labels, w, o, mon);
                               });
  bind_classes<T, NearRequest>(m, "near_classes_dense", "near_classes_sparse",
                               [](const auto& x, const ClassLabels& labels, auto w, const NearOptions& o, Monitor& mon) {
                                 return near_classes(x, labels, w, o, mon);
                               });
  bind_classes<T, FittingRequest>(m, "fitting_classes_dense", "fitting_classes_sparse",
                                  [](const auto& x, const ClassLabels& labels, auto w, const FittingOptions& o, Monitor& mon) {
                                    return forward_fitting_classes(x, labels, w, o, mon);
                                  });
  bind_rows<T, SubsetRequest>(
      m, "greedy_dense", "greedy_sparse",
      [](const auto& x, auto y, auto w, const SubsetOptions& o, Monitor& mon) { return greedy_path(x, y, w, o, mon); });
  bind_rows<T, FittingRequest>(
      m, "fitting_dense", "fitting_sparse",
      [](const auto& x, auto y, auto w, const FittingOptions& o, Monitor& mon) { return forward_fitting(x, y, w, o, mon); });
}

}  // namespace

void bind_subset(nb::module_& m) {
  nb::enum_<Direction>(m, "Direction", "Which way a greedy search goes.")
      .value("forward", Direction::forward)
      .value("backward", Direction::backward)
      .value("both", Direction::both)
      .value("exchange", Direction::exchange);
  nb::class_<SubsetRequest>(m, "SubsetRequest", "Size and direction of a search for subsets.")
      .def(nb::init<std::size_t, Direction, std::optional<Vector<std::int32_t>>, bool, int, nb::object>(), "most"_a,
           "direction"_a = Direction::forward, "group"_a.none() = nb::none(), "intercept"_a = true, "threads"_a = 0,
           "progress"_a.none() = nb::none());
  nb::class_<BestRequest>(m, "BestRequest", "Largest size and time of a search for the best subsets.")
      .def(nb::init<std::size_t, double, bool, int, bool, nb::object>(), "most"_a, "seconds"_a = 60.0, "largest_first"_a = false,
           "threads"_a = 0, "intercept"_a = true, "progress"_a.none() = nb::none());
  nb::class_<NearRequest>(m, "NearRequest", "Size and loss of the subsets that are wanted.")
      .def(nb::init<std::size_t, double, std::size_t, double, int, bool, nb::object>(), "k"_a, "loss"_a, "most"_a = 100,
           "seconds"_a = 60.0, "threads"_a = 0, "intercept"_a = true, "progress"_a.none() = nb::none());
  bind_moments<BestRequest>(m, "best_moments", [](auto gram, auto cross, double square, const BestOptions& o, Monitor& mon) {
    return best_subsets(gram, cross, square, o, mon);
  });
  bind_moments<NearRequest>(m, "near_moments", [](auto gram, auto cross, double square, const NearOptions& o, Monitor& mon) {
    return near_subsets(gram, cross, square, o, mon);
  });
  nb::class_<FittingRequest>(m, "FittingRequest", "Steps of forward-fitting.")
      .def(nb::init<std::size_t, bool, double, bool, int, nb::object>(), "steps"_a, "myopic"_a = false, "rate"_a = 1.0,
           "intercept"_a = true, "threads"_a = 0, "progress"_a.none() = nb::none());
  bind_columns<double>(m);
  bind_columns<float>(m);
  bind_moments<SubsetRequest>(m, "greedy_moments",
                              [](auto gram, auto cross, double square, const SubsetOptions& o, Monitor& mon) {
                                return greedy_path(gram, cross, square, o, mon);
                              });
  bind_moments<FittingRequest>(m, "fitting_moments",
                               [](auto gram, auto cross, double square, const FittingOptions& o, Monitor& mon) {
                                 return forward_fitting(gram, cross, square, o, mon);
                               });
}

}  // namespace vitalfew::bindings
