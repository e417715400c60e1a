// Pipeline: every model is cut into stages, groups of layers that follow each other, each bound to a unit of
// its own, so that successive inferences overlap. The largest stage time is least: with dispatch, and with
// the copies of all tensors that cross a cut. Tie-break: the least sum of the stages, then the fewest. Of
// several models each sees what the others put on the units, the one with the most work first, and they
// choose again until none finds better. A unit takes the earliest of its tasks. Source: study 001.
#include "policies/cutting/pipeline_search.h"
#include "policies/cutting/self_cutting.h"
#include "policies/engine/exclusion.h"

namespace tandem::pipeline {
namespace {

constexpr std::int64_t kMostStages = 1000;
constexpr int kRevisits = 8;

struct PipelineParameters : PolicyParameters {
  std::vector<UnitId> units;           // none: all
  std::optional<std::int64_t> stages;  // nothing: as many as there are units
};

const Fields<PipelineParameters>& Keys() {
  static const auto fields =
      Fields<PipelineParameters>()
          .Optional("units", &PipelineParameters::units, UnitsCodec(), kUnitsHelp)
          .Optional("stages", &PipelineParameters::stages, as::Integer(1, kMostStages), "at most so many");
  return fields;
}

class PipelineCutter final : public ModelCutter {
 public:
  PipelineCutter(const PieceTimes& times, std::int64_t stages)
      : times_(times),
        stages_(stages),
        load_(times.cuts().size(), std::vector<double>(times.units())),
        searches_(times.cuts().size()),
        asked_(times.cuts().size()),
        found_(times.cuts().size()),
        excluded_(ExcludedUnits(*times.scenario().platform)) {}

  std::optional<AssignedPieces> Cut(std::size_t cut, const std::vector<char>& usable) override {
    auto& search = searches_[cut];
    if (!search) search = std::make_unique<PipelineSearch>(times_, cut);
    std::fill(load_[cut].begin(), load_[cut].end(), 0.0);
    PipelineCase wanted{usable, LoadOfOthers(), times_.cuts()[cut].requests, stages_};
    if (!asked_[cut] || !(*asked_[cut] == wanted)) {
      found_[cut] = search->Find(wanted);
      asked_[cut] = std::move(wanted);
    }
    const auto& stages = found_[cut];
    if (!stages) return std::nullopt;
    const std::vector<LayerId> layers = WorkingLayers(times_.model(cut));
    AssignedPieces pieces;
    for (const Stage& stage : *stages) {
      const auto begin = layers.begin();
      CutPiece piece{
          {begin + static_cast<std::ptrdiff_t>(stage.first), begin + static_cast<std::ptrdiff_t>(stage.end)},
          std::nullopt};
      pieces.push_back({std::move(piece), stage.unit});
      load_[cut][stage.unit.index()] += times_.cuts()[cut].requests * static_cast<double>(stage.time.count());
    }
    return pieces;
  }

 private:
  // Units that share cores wait for each other.
  std::vector<double> LoadOfOthers() const {
    std::vector<double> alone(times_.units());
    for (const auto& of_cut : load_) {
      for (std::size_t u = 0; u < alone.size(); ++u) alone[u] += of_cut[u];
    }
    std::vector<double> load = alone;
    for (std::size_t u = 0; u < load.size(); ++u) {
      for (const UnitId other : excluded_[u]) load[u] += alone[other.index()];
    }
    return load;
  }

  const PieceTimes& times_;
  std::int64_t stages_;
  std::vector<std::vector<double>> load_;  // per cut and unit: requests x time
  std::vector<std::unique_ptr<PipelineSearch>> searches_;
  std::vector<std::optional<PipelineCase>> asked_;  // per cut the last time, and what was found
  std::vector<std::optional<std::vector<Stage>>> found_;
  std::vector<std::vector<UnitId>> excluded_;
};

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  const auto& parameters = spec.As<PipelineParameters>();
  const PieceTimes times(problem);
  PipelineCutter cutter(times, parameters.stages.value_or(0));
  return MakeSelfCutting(spec, problem, {&times, UnitsToUse(parameters.units, problem), kRevisits}, cutter);
}

const PolicyRegistration kPipeline{
    {.name = "pipeline",
     .summary =
         "groups of layers that follow each other, each on a unit of its own; successive inferences overlap",
     .takes_granularity = false,
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::pipeline
