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

void bind_results(nb::module_& m) {
  ResultClass<NearSubsets>(m, "NearSubsets", "Subsets index[start[i]:start[i + 1]] with nearly the least loss, the best first.")
      .vector("start", &NearSubsets::start)
      .vector("index", &NearSubsets::index)
      .vector("loss", &NearSubsets::loss)
      .def_ro("is_complete", &NearSubsets::is_complete);
  ResultClass<FittingSteps>(m, "FittingSteps", "Steps of forward fitting: the column of each, its change, the loss after it.")
      .vector("column", &FittingSteps::column)
      .vector("change", &FittingSteps::change)
      .vector("loss", &FittingSteps::loss)
      .def_ro("null_loss", &FittingSteps::null_loss)
      .def_ro("in_time", &FittingSteps::is_complete);
  ResultClass<ClassSteps>(m, "ClassSteps", "Steps of forward fitting for classes, with the intercepts before and after each.")
      .vector("column", &ClassSteps::column)
      .vector("change", &ClassSteps::change)
      .vector("loss", &ClassSteps::loss)
      .vector("intercept", &ClassSteps::intercept)
      .def_ro("null_loss", &ClassSteps::null_loss)
      .def_ro("in_time", &ClassSteps::is_complete);
}

}  // namespace

void bind_subset(nb::module_& m) {
  bind_results(m);
  nb::enum_<Direction>(m, "Direction", "Direction of a greedy search.")
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
  nb::class_<NearRequest>(m, "NearRequest", "Size and largest loss of the subsets to find.")
      .def(nb::init<std::size_t, double, std::size_t, double, int, bool, nb::object>(), "k"_a, "loss"_a, "most"_a = 100,
           "seconds"_a = 60.0, "threads"_a = 0, "intercept"_a = true, "progress"_a.none() = nb::none());
  nb::class_<FittingRequest>(m, "FittingRequest", "Steps of forward-fitting.")
      .def(nb::init<std::size_t, bool, double, bool, int, nb::object>(), "steps"_a, "myopic"_a = false, "rate"_a = 1.0,
           "intercept"_a = true, "threads"_a = 0, "progress"_a.none() = nb::none());
  const auto greedy = [](auto&&... given) { return greedy_path(given...); };
  bind_rows<SubsetRequest>(m, "greedy_path", greedy);
  bind_moments<SubsetRequest>(m, "greedy_path", greedy);
  bind_classes<SubsetRequest>(m, "greedy_classes", [](auto&&... given) { return greedy_classes(given...); });
  bind_moments<BestRequest>(m, "best_subsets", [](auto&&... given) { return best_subsets(given...); });
  bind_classes<BestRequest>(m, "best_classes", [](auto&&... given) { return best_classes(given...); });
  bind_moments<NearRequest>(m, "near_subsets", [](auto&&... given) { return near_subsets(given...); });
  bind_classes<NearRequest>(m, "near_classes", [](auto&&... given) { return near_classes(given...); });
  const auto fitting = [](auto&&... given) { return forward_fitting(given...); };
  bind_rows<FittingRequest>(m, "forward_fitting", fitting);
  bind_moments<FittingRequest>(m, "forward_fitting", fitting);
  bind_classes<FittingRequest>(m, "forward_fitting_classes", [](auto&&... given) { return forward_fitting_classes(given...); });
}

}  // namespace vitalfew::bindings
