// An explanation as JSON, file kind "explanation/1".
#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"
#include "scenarios/report/objective.h"
#include "sim/study/explanation.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kChangeNames = {"all", "half", "one", "earlier"};

template <class Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json LayersJson(const Problem& problem, SegmentId segment) {
  const std::vector<LayerId>& layers = problem.segment(segment).layers;
  if (layers.empty()) return "*";
  Json names = Json::array();
  const Model& model = *problem.scenario().model(problem.model_of(segment)).model;
  for (const LayerId layer : layers) names.push_back(model.layer(layer).name);
  return names;
}

// "layers", and "part" where it is one of what they make.
void AddLayers(const Problem& problem, SegmentId segment, Json& json) {
  json["layers"] = LayersJson(problem, segment);
  const auto& part = problem.segment(segment).part;
  if (part) json["part"] = part->Text();
}

Json PieceJson(const PathPiece& piece, const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  Json json = {{"cause", kPathCauseNames[static_cast<std::size_t>(piece.cause)]},
               {"from_ns", piece.from.count()},
               {"to_ns", piece.to.count()},
               {"stream", scenario.streams[piece.stream.index()].name},
               {"index", piece.index}};
  if (!piece.segment.valid()) return json;
  json["model"] = scenario.model(problem.model_of(piece.segment)).name;
  AddLayers(problem, piece.segment, json);
  json["unit"] = UnitOrEngineName(*scenario.platform, piece.unit);
  if (piece.tensor >= 0) {
    const CutTensor& tensor = problem.cut(piece.stream).tensors[static_cast<std::size_t>(piece.tensor)];
    json["tensor"] = scenario.model(problem.model_of(piece.segment)).model->layer(tensor.layer).name;
  }
  if (piece.cause != PathCause::kUnit) return json;
  json["behind"] = Json::array();
  for (const auto& [segment, time] : piece.behind) {
    Json there = {{"model", scenario.model(problem.model_of(segment)).name}};
    AddLayers(problem, segment, there);
    there["ns"] = time.count();
    json["behind"].push_back(std::move(there));
  }
  return json;
}

Json RunJson(const ExplainedRun& run, const Scenario& scenario) {
  const Report& report = run.report;
  Json json = {{"label", report.label},
               {"policy", report.policy},
               {"engine", report.engine},
               {"makespan_ns", report.makespan.count()},
               {"objective", OrNull(ObjectiveValue(report, scenario.objective))},
               {"bound_ns", report.bound ? Json(report.bound->count()) : Json()},
               {"causes", Json::object()},
               {"path", Json::array()},
               {"units", StoryJson(run.story, scenario)}};
  const auto causes = TimePerCause(run.path);
  for (std::size_t c = 0; c < kPathCauses; ++c) {
    json["causes"][std::string(kPathCauseNames[c]) + "_ns"] = causes[c].count();
  }
  for (const PathPiece& piece : run.path) json["path"].push_back(PieceJson(piece, *run.run.problem));
  return json;
}

Json ValueJson(const Valued& value) {
  return {{"makespan_ns", value.makespan.count()}, {"objective", value.objective}};
}

Json AlternativeJson(const Alternative& alternative, const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  Json json = {{"change", kChangeNames[static_cast<std::size_t>(alternative.change)]},
               {"model", scenario.model(alternative.model).name},
               {"layers", "*"}};
  if (alternative.segment.valid()) AddLayers(problem, alternative.segment, json);
  json["from"] = scenario.platform->unit(alternative.from).name;
  json["to"] = scenario.platform->unit(alternative.to).name;
  json["tasks"] = alternative.tasks;
  if (alternative.tasks == 1) {
    json["stream"] = scenario.streams[alternative.stream.index()].name;
    json["index"] = alternative.index;
  }
  json.update(ValueJson(alternative.value));
  return json;
}

Json AlternativesJson(const Alternatives& found, const Problem& problem) {
  Json json = {{"why_none", found.why_none.empty() ? Json() : Json(found.why_none)},
               {"tried", found.tried},
               {"impossible", found.impossible},
               {"unchanged", found.why_none.empty() ? ValueJson(found.base) : Json()},
               {"best", Json::array()}};
  for (const Alternative& alternative : found.best)
    json["best"].push_back(AlternativeJson(alternative, problem));
  return json;
}

}  // namespace

std::string ExplanationJson(const Explanation& explanation, const Scenario& scenario) {
  Json json = {{"tandem", "explanation/1"},
               {"scenario", scenario.name},
               {"objective", NameOf(kObjectiveNames, scenario.objective)},
               {"run", RunJson(explanation.policy, scenario)},
               {"versus", explanation.versus ? RunJson(*explanation.versus, scenario) : Json()},
               {"decisions", AlternativesJson(explanation.alternatives, *explanation.policy.run.problem)},
               {"keeps_plan", explanation.keeps_plan},
               {"faster", Json::array()}};
  for (const FasterPart& part : explanation.faster) {
    json["faster"].push_back({{part.is_link ? "link" : "unit", part.name},
                              {"makespan_ns", part.report.makespan.count()},
                              {"objective", OrNull(ObjectiveValue(part.report, scenario.objective))}});
  }
  return JsonOutput(json);
}

}  // namespace tandem
