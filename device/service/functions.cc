#include "device/service/functions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

using Given = std::map<std::string, device::StageFunction>;

bool IsOpaque(const Model& model, LayerId layer) {
  return Declaration(model.layer(layer).op).kind == OpKind::kOpaque;
}

std::vector<LayerId> OpaqueOf(const Model& model, const Segment& segment) {
  std::vector<LayerId> layers = segment.layers.empty() ? WorkingLayers(model) : segment.layers;
  std::erase_if(layers, [&](LayerId layer) { return !IsOpaque(model, layer); });
  return layers;
}

// What a function for it may be called by: its model, where it is all of that, else its only layer.
std::vector<std::string> NamesOf(const ScenarioModel& named, const Segment& segment) {
  const Model& model = *named.model;
  const std::vector<LayerId> all = WorkingLayers(model);
  const std::vector<LayerId> layers = segment.layers.empty() ? all : segment.layers;
  if (layers.size() == all.size()) return {model.name(), named.name};
  if (layers.size() == 1) return {model.layer(layers[0]).name};
  return {};
}

// The stage, for messages: a stream that has it.
std::string StageOf(const Problem& problem, const Segment& segment) {
  const std::vector<Stream>& streams = problem.scenario().streams;
  std::size_t s = 0;
  while (s + 1 < streams.size() && problem.cut_of(StreamId(s)) != segment.cut) ++s;
  return "stage " + Quoted(streams[s].name) + " (model " +
         Quoted(problem.scenario().model(problem.cut(segment.cut).model).name) + ")";
}

// The unit on which nothing but a function can run it; null: there is none.
const Unit* NeedsFunction(const Problem& problem, SegmentId segment) {
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const Unit& unit = problem.platform().unit(UnitId(u));
    if (!problem.Runs(segment, UnitId(u)) || unit.backend == nullptr || unit.On(RunsOn::kNothing)) continue;
    if (unit.backend->command == KeyUse::kRefused) return &unit;
  }
  return nullptr;
}

void CheckTypes(const Model& model, const std::string& stage) {
  for (const Layer& layer : model.layers()) {
    if (model.ElementBytes(model.Find(layer.name)).value_or(4) <= 4) continue;
    throw InputError(
        stage + ": layer " + Quoted(layer.name) +
        " has a \"type\" of eight bytes; functions take and give types of up to four: write twice "
        "as many of four bytes");
  }
}

StageFunction CallOf(const Problem& problem, const device::StageFunction& function) {
  return [&problem, function](const FunctionCall& call) {
    device::StageCall own;
    own.stream = problem.scenario().streams[call.stream.index()].name;
    own.number = call.number;
    for (const auto& input : call.inputs) own.inputs.push_back({input.data(), input.size()});
    for (const auto& output : call.outputs) own.outputs.push_back({output.data(), output.size()});
    function(own);
  };
}

void CheckNoneIsLeft(const Given& given, const std::set<std::string>& known) {
  for (const auto& [name, function] : given) {
    const std::string place = "ServiceOptions::functions, " + Quoted(name) + ": ";
    if (!function) throw InputError(place + "the function is empty");
    if (known.contains(name)) continue;
    throw InputError(place + "the plan has no model of that name, nor a layer, that is \"opaque\"" +
                     Suggestion(name, std::vector<std::string>(known.begin(), known.end())));
  }
}

}  // namespace

std::vector<StageFunction> FunctionsOf(const Problem& problem, const Given& given) {
  std::vector<StageFunction> functions(problem.segments().size());
  std::set<std::string> known;
  for (std::size_t s = 0; s < functions.size(); ++s) {
    const Segment& segment = problem.segment(SegmentId(s));
    const ScenarioModel& named = problem.scenario().model(problem.cut(segment.cut).model);
    const std::vector<LayerId> opaque = OpaqueOf(*named.model, segment);
    if (opaque.empty()) continue;
    const std::vector<std::string> names = NamesOf(named, segment);
    known.insert(names.begin(), names.end());
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return given.contains(name); });
    const std::string stage = StageOf(problem, segment);
    if (found != names.end() && given.at(*found)) {
      CheckTypes(*named.model, stage);
      functions[s] = CallOf(problem, given.at(*found));
      continue;
    }
    const Unit* const unit = NeedsFunction(problem, SegmentId(s));
    if (!unit || found != names.end()) continue;  // what is empty is told below
    throw InputError(stage + ", unit " + Quoted(unit->name) + ": only your program knows what layer " +
                     Quoted(named.model->layer(opaque[0]).name) + " does; " +
                     (names.empty() ? "cut the plan so that it is a task of its own, for a function"
                                    : "give it as ServiceOptions::functions[" + Quoted(names[0]) + "]"));
  }
  CheckNoneIsLeft(given, known);
  return functions;
}

}  // namespace tandem
