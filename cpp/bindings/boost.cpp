// Bindings of boosting.
#include "vitalfew/boost.hpp"

#include "bins_view.hpp"
#include "views.hpp"

namespace vitalfew::bindings {
namespace {

struct BoostRequest {
  BoostOptions options;
  nb::object progress;
};

template <class Table>
BoostRounds run_boost(const Table& table, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
                      const std::optional<Vector<double>>& score, double before, const BoostRequest& request) {
  PythonMonitor monitor(request.progress);
  return without_gil([&] { return boost(table, view(label), view(weight), view(score), before, request.options, monitor); });
}

template <class Table>
BoostRounds run_stumps(const Table& table, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
                       const BoostRequest& request) {
  PythonMonitor monitor(request.progress);
  return without_gil(
      [&] { return best_stumps(table, view(label), view(weight), request.options.rounds, request.options, monitor); });
}

template <class Code>
void bind_columns(nb::module_& m) {
  m.def(
      "boost",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
         const std::optional<Vector<double>>& score, double before, const BoostRequest& request) {
        return run_boost(binned_of(codes, features_of(offset, is_category)), label, weight, score, before, request);
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "score"_a.noconvert().none(), "before"_a, "request"_a,
      "Rounds of AdaBoost with stumps on dense bins.");
  m.def(
      "best_stumps",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight, const BoostRequest& request) {
        return run_stumps(binned_of(codes, features_of(offset, is_category)), label, weight, request);
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "request"_a, "The best stumps of different features on dense bins.");
}

BinnedRows rows_of(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& slot, const Vector<std::int32_t>& usual,
                   const BinFeatures& features) {
  features.validate();
  return {pattern_of(indptr, slot, features.n_slots()), view(usual), features};
}

void bind_results(nb::module_& m) {
  ResultClass<Stumps>(m, "Stumps", "Stumps in the order in which they were found.")
      .vector("feature", &Stumps::feature)
      .vector("cut", &Stumps::cut)
      .vector("missing_right", &Stumps::missing_right)
      .vector("side", &Stumps::side)
      .vector("start", &Stumps::start)
      .vector("left", &Stumps::left)
      .vector("right", &Stumps::right);
  ResultClass<BoostRounds>(m, "BoostRounds", "Rounds of boosting.")
      .vector("error", &BoostRounds::error)
      .vector("alpha", &BoostRounds::alpha)
      .vector("z", &BoostRounds::z)
      .vector("trained", &BoostRounds::trained)
      .array("margins", &BoostRounds::margins,
             [](const BoostRounds& self) { return std::array{self.margins.size() / margin_bins, margin_bins}; })
      .def_ro("stumps", &BoostRounds::stumps)
      .def_ro("drift", &BoostRounds::drift)
      .def_prop_ro("stop", [](const BoostRounds& self) { return int(self.stop); });
}

}  // namespace

void bind_boost(nb::module_& m) {
  bind_results(m);
  nb::enum_<Votes>(m, "Votes").value("sign", Votes::sign).value("confidence", Votes::confidence).value("classes", Votes::classes);
  nb::enum_<BoostLoss>(m, "BoostLoss").value("exponential", BoostLoss::exponential).value("logistic", BoostLoss::logistic);
  nb::class_<BoostRequest>(m, "BoostRequest", "Settings of boosting.")
      .def(
          "__init__",
          [](BoostRequest* self, std::size_t rounds, std::size_t n_classes, Votes votes, BoostLoss loss, int threads,
             nb::object progress) { new (self) BoostRequest{{rounds, n_classes, votes, loss, threads}, std::move(progress)}; },
          nb::kw_only(), "rounds"_a, "n_classes"_a = 2, "votes"_a = Votes::sign, "loss"_a = BoostLoss::exponential,
          "threads"_a = 0, "progress"_a.none() = nb::none());
  bind_columns<std::uint8_t>(m);
  bind_columns<std::uint16_t>(m);
  m.def(
      "boost",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& slot, const Vector<std::int32_t>& usual,
         const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category, const Vector<std::int32_t>& label,
         const std::optional<Vector<double>>& weight, const std::optional<Vector<double>>& score, double before,
         const BoostRequest& request) {
        return run_boost(rows_of(indptr, slot, usual, features_of(offset, is_category)), label, weight, score, before, request);
      },
      "indptr"_a.noconvert(), "slot"_a.noconvert(), "usual"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(),
      "label"_a.noconvert(), "weight"_a.noconvert().none(), "score"_a.noconvert().none(), "before"_a, "request"_a,
      "Rounds of AdaBoost with stumps on sparse bins.");
  m.def(
      "best_stumps",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& slot, const Vector<std::int32_t>& usual,
         const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category, const Vector<std::int32_t>& label,
         const std::optional<Vector<double>>& weight, const BoostRequest& request) {
        return run_stumps(rows_of(indptr, slot, usual, features_of(offset, is_category)), label, weight, request);
      },
      "indptr"_a.noconvert(), "slot"_a.noconvert(), "usual"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(),
      "label"_a.noconvert(), "weight"_a.noconvert().none(), "request"_a, "The best stumps of different features on sparse bins.");
}

}  // namespace vitalfew::bindings
