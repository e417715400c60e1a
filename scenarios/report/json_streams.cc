// A report's streams as JSON.
#include <optional>
#include <vector>

#include "scenarios/report/json_draws.h"
#include "scenarios/report/json_fields.h"

namespace tandem {
namespace {

const Fields<XrbenchScore>& XrbenchFields() {
  static const auto fields = Fields<XrbenchScore>("report_xrbench")
                                 .Needed("real_time", &XrbenchScore::real_time, as::Number(0, 1))
                                 .Needed("energy", &XrbenchScore::energy, as::OrNull(as::Number(0, 1)))
                                 .Needed("qoe", &XrbenchScore::qoe, as::Number(0, 1),
                                         "Quality of experience: what was not dropped.");
  return fields;
}

std::optional<std::vector<double>> EnergyEnds(const XrbenchDraws& of) { return Ends(of.energy); }
template <DrawnFigure<double> XrbenchDraws::*kFigure>
std::vector<double> ScoreEnds(const XrbenchDraws& of) {
  return {(of.*kFigure).low, (of.*kFigure).high};
}
const Fields<XrbenchDraws>& XrbenchIntervalFields() {
  const auto ends = IntervalOf(as::Number(0, 1));
  static const auto fields = Fields<XrbenchDraws>("report_xrbench_interval")
                                 .Says("real_time", ends, ScoreEnds<&XrbenchDraws::real_time>)
                                 .Says("energy", as::OrNull(ends), EnergyEnds)
                                 .Says("qoe", ends, ScoreEnds<&XrbenchDraws::qoe>);
  return fields;
}
std::optional<XrbenchScore> XrbenchMedian(const StreamReport& stream) {
  const auto drawn = DrawnIn<&StreamDraws::xrbench>(stream);
  if (!drawn) return std::nullopt;
  return XrbenchScore{drawn->real_time.median, Median(drawn->energy), drawn->qoe.median};
}

// Said where there is one.
template <Latency StreamReport::*kTimes>
std::optional<Latency> TimesOf(const StreamReport& stream) {
  if (!(stream.*kTimes)) return std::nullopt;
  return std::optional<Latency>(std::in_place, stream.*kTimes);
}

template <auto kFigure>
auto OfDropsDrawn(const StreamReport& stream) {
  const auto drawn = DrawnIn<kFigure>(stream);
  return stream.may_drop ? drawn : decltype(drawn)();
}

// A run that drops none has no age of which the draws could tell.
std::optional<DrawnFigure<LatencySummary>> DropAgeDrawn(const StreamReport& stream) {
  return stream.drop_age ? DrawnIn<&StreamDraws::drop_age>(stream) : std::nullopt;
}

template <double StreamReport::*kFigure>
std::optional<double> OfDrops(const StreamReport& stream) {
  return stream.may_drop ? std::optional(stream.*kFigure) : std::nullopt;
}

const Fields<BatchSize>& BatchFields() {
  static const auto fields = Fields<BatchSize>("report_batch")
                                 .Needed("size", &BatchSize::size, as::Integer(1))
                                 .Needed("count", &BatchSize::count, as::Integer(1));
  return fields;
}
std::optional<std::vector<BatchSize>> BatchesOf(const StreamReport& stream) {
  return stream.batches.empty() ? std::nullopt : std::optional(stream.batches);
}

// With what the draws of its stream say of it.
struct DrawnStage {
  StageReport stage;
  std::optional<StageDraws> draws;
};

const Fields<StageReport>& PlainStageFields() {
  static const auto fields =
      Fields<StageReport>()
          .Needed("stream", &StageReport::stream, as::Words(), "As the file calls it.")
          .Needed("requests", &StageReport::requests, Count(), "Whose way leads through it.")
          .Says(
              "waiting_ns", as::ObjectOf(LatencyFields()),
              [](const StageReport& stage) { return std::optional(stage.waiting); },
              "From the end of what was waited for, or the release, until a unit takes it.")
          .Says(
              "work_ns", as::ObjectOf(LatencyFields()),
              [](const StageReport& stage) { return std::optional(stage.work); }, "From then until its end.");
  return fields;
}
const Fields<DrawnStage>& StageFields() {
  using D = DrawnStage;
  static const auto fields = [] {
    Fields<D> all("report_stage");
    all.Part(&D::stage, PlainStageFields());
    MaySayDrawnLatency(all, {"waiting_interval_ns", "waiting_median_ns"}, DrawnIn<&StageDraws::waiting, D>);
    return MaySayDrawnLatency(all, {"work_interval_ns", "work_median_ns"}, DrawnIn<&StageDraws::work, D>);
  }();
  return fields;
}
std::optional<std::vector<DrawnStage>> WayOf(const StreamReport& stream) {
  if (stream.stages.empty()) return std::nullopt;
  std::vector<DrawnStage> stages;
  for (std::size_t i = 0; i < stream.stages.size(); ++i) {
    const bool drawn = stream.draws && i < stream.draws->stages.size();
    stages.push_back({stream.stages[i], drawn ? std::optional(stream.draws->stages[i]) : std::nullopt});
  }
  return stages;
}

}  // namespace

const Fields<StreamReport>& StreamFields() {
  using S = StreamReport;
  using D = StreamDraws;
  static const auto fields = [] {
    Fields<S> all("report_stream");
    all.Needed("name", &S::name, as::Words())
        .Needed("completed", &S::completed, Count())
        .Needed("dropped", &S::dropped, Count())
        .Needed("missed", &S::missed, Count())
        .Needed("first_release_ns", &S::first_release, as::WholeNanos())
        .Needed("last_completion_ns", &S::last_completion, as::WholeNanos())
        .Needed("throughput_per_s", &S::throughput_per_s, Figure())
        .Needed("latency_ns", &S::latency, as::ObjectOf(LatencyFields()))
        .MaySay("dropped_per_s", Figure(), OfDrops<&S::dropped_per_s>,
                "Over the makespan; of streams that may drop requests.")
        .MaySay("dropped_share", as::Number(0, 1), OfDrops<&S::dropped_share>, "Of those released.")
        .Optional("skipped", &S::skipped, Count(),
                  "Completed requests of the stream that it follows that its `every` leaves out.")
        .MaySay(
            "age_ns", as::ObjectOf(LatencyFields()), TimesOf<&S::age>,
            "How old the newest result was, since the release of what it tells of, each time that a newer "
            "one replaced it. Of streams that leave requests out, or are asked.")
        .MaySay("drop_age_ns", as::ObjectOf(LatencyFields()), TimesOf<&S::drop_age>,
                "How old requests were when they were dropped.")
        .MaySay("batches", as::ListOf(as::ObjectOf(BatchFields()), {.least = 1}), BatchesOf,
                "How many batches of each size have run; of streams whose requests go together.")
        .MaySay("end_to_end_ns", as::ObjectOf(LatencyFields()), TimesOf<&S::end_to_end>,
                "Since the release of the request that they follow in the end: how old the data is. Of "
                "requests that "
                "follow another stream's.")
        .MaySay("stages", as::ListOf(as::ObjectOf(StageFields()), {.least = 1}), WayOf,
                "Which stage costs what, of streams that nobody waits for, with all copies of one that fans "
                "out: over all their requests, 0 where the way leads through another. The means add up to "
                "that of end_to_end_ns, save for rounding.")
        .Optional("slowdown", &S::slowdown, Figure(),
                  "Its mean latency to the time of one request alone on the unit that is fastest.")
        .Optional("energy_above_idle_j", &S::energy_above_idle_j, Figure(),
                  "What its tasks took above the units' idle watts; where the run's energy is known.")
        .Optional("energy_above_idle_per_inference_j", &S::energy_above_idle_per_inference_j, Figure())
        .Needed("released", &S::released, Count())
        .Optional("loadgen", &S::loadgen, as::ObjectOf(LoadgenFields()))
        .Optional("xrbench", &S::xrbench, as::ObjectOf(XrbenchFields()));
    SayDrawn(all, {"throughput_interval_per_s", "throughput_median_per_s"}, Figure(),
             DrawnIn<&D::throughput_per_s, S>);
    SayDrawn(all, {"missed_interval", "missed_median"}, Count(), DrawnIn<&D::missed, S>);
    SayDrawnLatency(all, {"latency_interval_ns", "latency_median_ns"}, DrawnIn<&D::latency, S>);
    MaySayDrawn(all, {"dropped_interval", "dropped_median"}, Count(), OfDropsDrawn<&D::dropped>);
    MaySayDrawn(all, {"dropped_interval_per_s", "dropped_median_per_s"}, Figure(),
                OfDropsDrawn<&D::dropped_per_s>);
    MaySayDrawn(all, {"dropped_share_interval", "dropped_share_median"}, as::Number(0, 1),
                OfDropsDrawn<&D::dropped_share>);
    MaySayDrawnLatency(all, {"drop_age_interval_ns", "drop_age_median_ns"}, DropAgeDrawn);
    MaySayDrawnLatency(all, {"end_to_end_interval_ns", "end_to_end_median_ns"}, DrawnIn<&D::end_to_end, S>);
    MaySayDrawnLatency(all, {"age_interval_ns", "age_median_ns"}, DrawnIn<&D::age, S>);
    MaySayDrawn(all, {"slowdown_interval", "slowdown_median"}, Figure(), DrawnIn<&D::slowdown, S>);
    MaySayDrawn(all, {"energy_above_idle_interval_j", "energy_above_idle_median_j"}, Figure(),
                DrawnIn<&D::energy_above_idle_j, S>);
    MaySayDrawn(all,
                {"energy_above_idle_per_inference_interval_j", "energy_above_idle_per_inference_median_j"},
                Figure(), DrawnIn<&D::energy_above_idle_per_inference_j, S>);
    return all.MaySay("xrbench_interval", as::ObjectOf(XrbenchIntervalFields()), DrawnIn<&D::xrbench, S>)
        .MaySay("xrbench_median", as::ObjectOf(XrbenchFields()), XrbenchMedian)
        .MaySay("loadgen_valid_share", as::Number(0, 1), DrawnIn<&D::valid_share, S>,
                "Of the draws: what LoadGen calls VALID.");
  }();
  return fields;
}

}  // namespace tandem
