#include "sim/emit/onnxruntime_sessions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/model/model_export.h"
#include "sim/emit/left_out.h"
#include "sim/emit/segment_model.h"
#include "sim/emit/stage.h"

namespace tandem::onnxruntime {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMeansSomething = "(),;=";  // in an assignment of layers

SegmentId SegmentOf(const Cut& cut, std::size_t s) { return SegmentId(cut.first.index() + s); }

// The one that ran the most of it, over all streams of the cut; invalid: none did.
UnitId MainUnitOf(const Deployment& deployment, SegmentId segment) {
  std::map<UnitId, std::int64_t> tasks;
  for (const DeployedShare& share : deployment.shares()) {
    if (share.segment == segment) tasks[share.unit] += share.tasks;
  }
  UnitId unit;
  std::int64_t most = 0;
  for (const auto& [of, count] : tasks) {
    if (count <= most) continue;
    most = count;
    unit = of;
  }
  return unit;
}

std::vector<std::string> NamesOf(const Model& model, const std::vector<LayerId>& layers) {
  std::vector<std::string> names;
  for (const LayerId layer : layers) names.push_back(model.layer(layer).name);
  return names;
}

// Session options by the unit that runs it.
Json OptionsByUnit(const Deployment& deployment, SegmentId segment) {
  Json units = Json::object();
  for (std::size_t u = 0; u < deployment.platform().units.size(); ++u) {
    const bool runs = std::any_of(
        deployment.shares().begin(), deployment.shares().end(),
        [&](const DeployedShare& share) { return share.segment == segment && share.unit == UnitId(u); });
    if (runs) units[deployment.platform().units[u].name] = SessionOptions(deployment.platform().units[u]);
  }
  return units;
}

// Weights are read once for all files of a model.
using Loaded = std::shared_ptr<std::optional<DeployedModel>>;

EmittedFile FileOfSegment(const Deployment& deployment, const Cut& cut, const Loaded& loaded,
                          std::vector<LayerId> layers, std::string path, const std::string& name) {
  EmittedFile file;
  file.path = std::move(path);
  file.write = [&deployment, &cut, loaded, layers = std::move(layers),
                name](const std::filesystem::path& to) {
    if (!*loaded) *loaded = LoadDeployed(deployment.scenario(), cut.model, cut.batch);
    const SegmentModel part = SegmentModelOf((*loaded)->model, layers, name);
    ExportModel(to, part.model, WeightsOf(part.model, (*loaded)->weights));
  };
  return file;
}

void AddUnitProgram(const std::string& stage, Emitted& emitted) {
  constexpr const char* kFile = "unit_program.mjs";
  emitted.Lacks(stage + " starts the unit's own program until it is filled in, if run.mjs is given " +
                "--allow-commands: that takes as long, and what it makes is shown as zeros");
  const auto is_it = [&](const EmittedFile& file) { return file.path == kFile; };
  if (std::any_of(emitted.files.begin(), emitted.files.end(), is_it)) return;
  emitted.Add(kFile, EmitAsset(kFile));
}

// No session: run.mjs calls what is filled in there.
Json StageOf(const Deployment& deployment, const Cut& cut, std::size_t s, const std::string& name,
             const std::vector<LayerId>& layers, Emitted& emitted) {
  const Model model = deployment.scenario().model(cut.model).model->WithBatch(cut.batch);
  const std::vector<PartTensor> reads = TensorsOf(model, LayersRead(model, layers));
  const std::vector<PartTensor> makes = TensorsOf(model, LayersMade(model, layers));
  const std::vector<UnitId> units = UnitsThatRan(deployment, SegmentOf(cut, s));
  const std::string file = "stages/" + name + ".mjs";
  emitted.files.push_back(StageFile(file, StageModule(deployment, cut, reads, makes, units)));
  SayOfStage(model, file, emitted);
  if (HavePrograms(deployment.platform(), units)) AddUnitProgram(file, emitted);
  Json segment = {{"file", nullptr},
                  {"stage", file},
                  {"inputs", Json::array()},
                  {"outputs", Json::array()},
                  {"sizes", Json::object()}};
  for (const PartTensor& tensor : reads) segment["inputs"].push_back(tensor.name);
  for (const PartTensor& tensor : makes) {
    segment["outputs"].push_back(tensor.name);
    segment["sizes"][tensor.name] = Elements(tensor.shape);
  }
  return segment;
}

// One session over all of the model, for who wants no files of parts.
Json WholeOf(const Deployment& deployment, const Cut& cut, const std::string& file, Emitted& emitted) {
  const std::string assignment = LayerAssignment(deployment, cut, emitted);
  if (assignment.empty()) return Json();
  Json providers = Json::array();
  std::set<std::pair<std::string, std::int64_t>> known;
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const UnitId unit = MainUnitOf(deployment, SegmentOf(cut, static_cast<std::size_t>(s)));
    if (!unit.valid()) continue;
    const Provider provider = ProviderOf(deployment.platform().unit(unit));
    if (provider.name == "cpu" || !known.emplace(provider.name, provider.device).second) continue;
    providers.push_back({{"name", provider.name}, {"deviceId", provider.device}});
  }
  providers.push_back({{"name", "cpu"}});
  return {{"file", file},
          {"options",
           {{"executionProviders", providers},
            {"graphOptimizationLevel", "all"},
            {"executionMode", "sequential"},
            {"extra",
             {{"session.intra_op.allow_spinning", "0"},
              {"session.inter_op.allow_spinning", "0"},
              {"session.name_based_layer_assignment", assignment}}}}}};
}

// Once for the model, however many of its layers are split.
void SayWhatIsSplit(const Deployment& deployment, const Cut& cut, Emitted& emitted) {
  const Model& model = *deployment.scenario().model(cut.model).model;
  std::vector<std::string> splits;
  for (std::size_t s = 0; s < static_cast<std::size_t>(cut.segments); ++s) {
    const Segment& segment = deployment.problem().segment(SegmentOf(cut, s));
    if (!segment.part) continue;
    const std::string split = Joined(NamesOf(model, segment.layers), " + ");
    if (std::find(splits.begin(), splits.end(), split) == splits.end()) splits.push_back(split);
  }
  if (splits.empty()) return;
  emitted.Lacks(
      "model " + Quoted(model.name()) +
      ": layers are split into parts, which ONNX does not have: the unit of the first part runs them "
      "whole: " +
      Joined(splits));
}

}  // namespace

Provider ProviderOf(const Unit& unit) {
  if (unit.On(RunsOn::kNvidiaCard) || unit.kind == UnitKind::kGpu) return {"cuda", unit.device.value_or(0)};
  if (unit.kind == UnitKind::kCpu) return {"cpu", 0};
  return {};
}

Json SessionOptions(const Unit& unit) {
  const Provider provider = ProviderOf(unit);
  Json options = {{"executionProviders", Json::array()},
                  {"graphOptimizationLevel", "all"},
                  {"executionMode", "sequential"}};
  if (provider.name == "cpu") options["executionProviders"] = {{{"name", "cpu"}}};
  if (provider.name == "cuda") {
    options["executionProviders"] = {{{"name", "cuda"}, {"deviceId", provider.device}}};
  }
  const bool on_cores = provider.name == "cpu" && !unit.cores.empty();
  if (on_cores || provider.name == "cuda") {
    options["intraOpNumThreads"] = on_cores ? unit.cores.size() : 1;
    options["interOpNumThreads"] = 1;
  }
  Json extra = {{"session.intra_op.allow_spinning", "0"}, {"session.inter_op.allow_spinning", "0"}};
  if (on_cores && unit.cores.size() > 1) {
    // ONNX Runtime counts processors from 1, and the first thread is the caller's.
    const std::vector<std::int64_t> others(unit.cores.begin() + 1, unit.cores.end());
    extra["session.intra_op_thread_affinities"] =
        Joined(others, ";", [](std::int64_t core) { return core + 1; });
  }
  options["extra"] = std::move(extra);
  return options;
}

std::string LayerAssignment(const Deployment& deployment, const Cut& cut, Emitted& emitted) {
  const Model& model = *deployment.scenario().model(cut.model).model;
  const auto layers = LayersOfSegments(deployment.problem(), cut);
  std::map<std::string, std::set<LayerId>> by_device;
  std::map<std::string, std::set<UnitId>> units_of;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    const UnitId unit = MainUnitOf(deployment, SegmentOf(cut, s));
    if (!unit.valid() || layers[s].empty()) continue;
    const Provider provider = ProviderOf(deployment.platform().unit(unit));
    if (provider.name.empty()) {
      emitted.Lacks("model " + Quoted(model.name()) +
                    ": its layers are not assigned by node name, since unit " +
                    Quoted(deployment.platform().unit(unit).name) + " has no execution provider");
      return "";
    }
    const std::string device = provider.name == "cpu" ? "cpu" : "gpu:" + std::to_string(provider.device);
    by_device[device].insert(layers[s].begin(), layers[s].end());
    units_of[device].insert(unit);
  }
  const std::string of = "model " + Quoted(model.name()) + ": ";
  for (const auto& [device, units] : units_of) {
    if (units.size() < 2) continue;
    const auto name = [&](UnitId unit) { return Quoted(deployment.platform().unit(unit).name); };
    emitted.Lacks(
        of + "units " + Joined(units, ", ", name) + " are all " + Quoted(device) +
        " to the assignment of layers by node name, which cannot tell them apart; its parts are files of "
        "their own, which run.mjs runs");
  }
  if (by_device.size() < 2) return "";
  std::string text;
  for (const auto& [device, of_device] : by_device) {
    const std::vector<std::string> names = NamesOf(model, {of_device.begin(), of_device.end()});
    for (const std::string& name : names) {
      if (name.find_first_of(kMeansSomething) == std::string::npos) continue;
      emitted.Lacks(of + "layer " + Quoted(name) +
                    " has a name that the assignment of layers by node name cannot "
                    "say; its parts are files of their own, which run.mjs runs");
      return "";
    }
    text += (text.empty() ? "" : "; ") + device + "(" + Joined(names) + ")";
  }
  return text;
}

void AddSessions(const Deployment& deployment, const Cut& cut, const std::string& name, Emitted& emitted) {
  const Model& model = *deployment.scenario().model(cut.model).model;
  const std::string whole = "models/" + name + ".onnx";
  const Loaded loaded = std::make_shared<std::optional<DeployedModel>>();
  const bool is_cut = !deployment.problem().segment(cut.first).layers.empty();
  const auto layers = LayersOfSegments(deployment.problem(), cut);
  SayWhatIsSplit(deployment, cut, emitted);
  const bool has_stage = HasStage(model);
  SayOfWeights(deployment, cut.model, emitted);
  if (!has_stage) emitted.files.push_back(OnnxFile(deployment.scenario(), cut.model, cut.batch, whole));
  Json segments = Json::array();
  const Model batched = model.WithBatch(cut.batch);
  for (std::size_t s = 0; s < layers.size(); ++s) {
    const std::string part_name = is_cut ? name + "." + std::to_string(s) : name;
    Json segment = {{"file", nullptr}, {"layers", "*"}};
    if (IsStage(model, layers[s])) {
      segment.update(StageOf(deployment, cut, s, part_name, layers[s], emitted));
      if (is_cut) segment["layers"] = NamesOf(model, layers[s]);
    } else if (!layers[s].empty()) {
      const std::string file = is_cut ? "models/" + part_name + ".onnx" : whole;
      if (is_cut) {
        emitted.files.push_back(FileOfSegment(deployment, cut, loaded, layers[s], file, part_name));
      }
      const SegmentModel part = SegmentModelOf(batched, layers[s], name);
      segment["file"] = file;
      if (is_cut) segment["layers"] = NamesOf(model, layers[s]);
      segment["inputs"] = part.inputs;
      segment["outputs"] = part.outputs;
      segment["options"] = OptionsByUnit(deployment, SegmentOf(cut, s));
    } else {
      segment["layers"] = Json::array();  // of a split, whose first part has them
    }
    segments.push_back(std::move(segment));
  }
  Json inputs = Json::object();
  for (const LayerId input : batched.Inputs())
    inputs[batched.layer(input).name] = batched.layer(input).output;
  const Json session = {{"model", deployment.scenario().model(cut.model).name},
                        {"batch", cut.batch},
                        {"inputs", std::move(inputs)},
                        {"outputs", NamesOf(batched, batched.Outputs())},
                        {"segments", std::move(segments)},
                        {"whole", is_cut && !has_stage ? WholeOf(deployment, cut, whole, emitted) : Json()}};
  emitted.Add("sessions/" + name + ".json", JsonOutput(session));
}

}  // namespace tandem::onnxruntime
