// Bindings of boosting: stumps and rounds as a dictionary of arrays.
#include "vitalfew/boost.hpp"

#include "bins_view.hpp"
#include "views.hpp"

namespace vitalfew::bindings {
namespace {

nb::dict arrays_of(BoostRounds&& found, std::size_t outputs) {
  nb::dict out;
  const std::size_t rounds = found.error.size();
  out["feature"] = give(std::move(found.stumps.feature));
  out["cut"] = give(std::move(found.stumps.cut));
  out["missing_right"] = give(std::move(found.stumps.missing_right));
  out["side"] = give(std::move(found.stumps.side));
  out["start"] = give(std::move(found.stumps.start));
  out["left"] = give(std::move(found.stumps.left));
  out["right"] = give(std::move(found.stumps.right));
  out["error"] = give(std::move(found.error));
  out["alpha"] = give(std::move(found.alpha));
  out["z"] = give(std::move(found.z));
  out["trained"] = give(std::move(found.trained));
  out["margins"] = found.margins.empty() ? give(std::move(found.margins), {0, margin_bins})
                                         : give(std::move(found.margins), {rounds, margin_bins});
  const std::size_t rows = found.score.size() / outputs;
  out["score"] = give(std::move(found.score), {rows, outputs});
  out["drift"] = found.drift;
  out["stop"] = int(found.stop);
  return out;
}

struct BoostRequest {
  BoostOptions options;
  nb::object progress;
};

template <class Table>
nb::dict run_boost(const Table& table, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
                   const std::optional<Vector<double>>& score, double before, const BoostRequest& request) {
  PythonMonitor monitor(request.progress);
  BoostRounds found;
  {
    const nb::gil_scoped_release released;
    found = boost(table, view(label), view(weight), view(score), before, request.options, monitor);
  }
  return arrays_of(std::move(found), request.options.votes == Votes::classes ? request.options.n_classes : 1);
}

template <class Table>
nb::dict run_stumps(const Table& table, const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
                    const BoostRequest& request) {
  PythonMonitor monitor(request.progress);
  BoostRounds found;
  {
    const nb::gil_scoped_release released;
    found = best_stumps(table, view(label), view(weight), request.options.rounds, request.options, monitor);
  }
  return arrays_of(std::move(found), 1);
}

template <class Code>
void bind_columns(nb::module_& m) {
  m.def(
      "boost_dense",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight,
         const std::optional<Vector<double>>& score, double before, const BoostRequest& request) {
        return run_boost(binned_of(codes, features_of(offset, is_category)), label, weight, score, before, request);
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "score"_a.noconvert().none(), "before"_a, "request"_a,
      "Rounds of AdaBoost with stumps on dense bins.");
  m.def(
      "stumps_dense",
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

}  // namespace

void bind_boost(nb::module_& m) {
  nb::enum_<Votes>(m, "Votes").value("sign", Votes::sign).value("confidence", Votes::confidence).value("classes", Votes::classes);
  nb::enum_<BoostLoss>(m, "BoostLoss").value("exponential", BoostLoss::exponential).value("logistic", BoostLoss::logistic);
  nb::class_<BoostRequest>(m, "BoostRequest", "How to boost.")
      .def(
          "__init__",
          [](BoostRequest* self, std::size_t rounds, std::size_t n_classes, Votes votes, BoostLoss loss, int threads,
             nb::object progress) { new (self) BoostRequest{{rounds, n_classes, votes, loss, threads}, std::move(progress)}; },
          nb::kw_only(), "rounds"_a, "n_classes"_a = 2, "votes"_a = Votes::sign, "loss"_a = BoostLoss::exponential,
          "threads"_a = 0, "progress"_a.none() = nb::none());
  bind_columns<std::uint8_t>(m);
  bind_columns<std::uint16_t>(m);
  m.def(
      "boost_sparse",
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
      "stumps_sparse",
      [](const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& slot, const Vector<std::int32_t>& usual,
         const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category, const Vector<std::int32_t>& label,
         const std::optional<Vector<double>>& weight, const BoostRequest& request) {
        return run_stumps(rows_of(indptr, slot, usual, features_of(offset, is_category)), label, weight, request);
      },
      "indptr"_a.noconvert(), "slot"_a.noconvert(), "usual"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(),
      "label"_a.noconvert(), "weight"_a.noconvert().none(), "request"_a, "The best stumps of different features on sparse bins.");
}

}  // namespace vitalfew::bindings
