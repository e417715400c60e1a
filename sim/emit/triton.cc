// Triton Inference Server: a model repository with instances, rate limiter and priorities, an ensemble for a
// model that is cut, how the server is started, and the load for perf_analyzer and Model Analyzer.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/emit/left_out.h"
#include "sim/emit/parts.h"
#include "sim/emit/perf_load.h"
#include "sim/emit/stage.h"
#include "sim/emit/text_proto.h"
#include "sim/emit/triton_scripts.h"

namespace tandem::triton_server {
namespace {

class Writer {
 public:
  explicit Writer(const Deployment& deployment)
      : deployment_(deployment), cuts_(CutsOf(deployment)), serving_(ServingOf()) {}

  Emitted Write() {
    for (const DeployedCut& cut : cuts_) folder_of_.push_back(names_.Of(cut.name));
    for (std::size_t c = 0; c < cuts_.size(); ++c) AddCut(c);
    if (served_.empty()) throw InputError("--emit: the plan runs nothing, so there is nothing to serve");
    for (const Served& served : served_) AddConfig(served);
    emitted_.files.push_back(
        {"start.sh", StartScript(platform(), ensembles_, served_, serving_.takes_turns, resources_), true});
    if (has_engines_) emitted_.files.push_back({"build_engines.sh", EngineScript(scenario(), served_), true});
    emitted_.Add("model_analyzer.yaml", AnalyzerConfig(platform(), served_));
    AddPerfLoad(deployment_, folder_of_, emitted_);
    Say();
    return std::move(emitted_);
  }

 private:
  const Platform& platform() const { return deployment_.platform(); }
  const Scenario& scenario() const { return deployment_.scenario(); }
  const std::string& UnitName(UnitId unit) const { return platform().unit(unit).name; }

  const PolicySpec& Rule() const {
    const Plan& plan = deployment_.plan();
    return plan.decisions.rule ? *plan.decisions.rule : plan.policy;
  }
  bool AsSimulated() const {
    return !deployment_.plan().decisions.schedule && Rule().declaration->serving != nullptr;
  }

  // As the policy was simulated; of another policy who ran what, with an instance per slot.
  Serving ServingOf() const {
    if (AsSimulated()) return Rule().declaration->serving(Rule(), deployment_.problem());
    Serving serving;
    std::set<std::pair<ModelId, UnitId>> ran;
    for (const DeployedShare& share : deployment_.shares()) {
      ran.emplace(deployment_.problem().model_of(share.segment), share.unit);
    }
    for (const auto& [model, unit] : ran)
      serving.groups.push_back({model, unit, platform().unit(unit).slots});
    serving.weights.assign(scenario().models.size(), 1);
    for (const Stream& stream : scenario().streams) {
      std::set<std::int64_t> above, all;
      for (const Stream& other : scenario().streams) {
        if (other.model != stream.model) continue;
        all.insert(other.priority);
        if (other.priority > stream.priority) above.insert(other.priority);
      }
      serving.levels.push_back(static_cast<std::int64_t>(above.size()) + 1);
      serving.of_levels.resize(scenario().models.size(), 1);
      serving.of_levels[stream.model.index()] = static_cast<std::int64_t>(all.size());
    }
    return serving;
  }

  // Of a cut model a unit serves the parts that it ran, or, by the policy's own rule, those that it can.
  bool Serves(const DeployedPart& part, UnitId unit) const {
    if (AsSimulated()) return deployment_.problem().Runs(part.segment, unit);
    return std::find(part.units.begin(), part.units.end(), unit) != part.units.end();
  }

  void AddCut(std::size_t c) {
    const DeployedCut& cut = cuts_[c];
    const auto is_served = [&](const Serving::Group& group) {
      return group.model == cut.cut->model &&
             std::any_of(cut.parts.begin(), cut.parts.end(),
                         [&](const DeployedPart& part) { return Serves(part, group.unit); });
    };
    if (std::none_of(serving_.groups.begin(), serving_.groups.end(), is_served)) {
      folder_of_[c].clear();  // none of its requests ran
      return;
    }
    std::vector<std::string> folders;
    for (const DeployedPart& part : cut.parts) {
      if (part.layers.empty()) {
        folders.emplace_back();  // of a split
        continue;
      }
      const std::string folder =
          cut.whole() ? folder_of_[c] : names_.Of(folder_of_[c] + "." + NumberIn(part, cut));
      AddPart(cut, part, folder);
      folders.push_back(folder);
    }
    if (!cut.whole()) AddEnsemble(cut, folder_of_[c], folders);
  }

  static std::string NumberIn(const DeployedPart& part, const DeployedCut& cut) {
    return std::to_string(part.segment.index() - cut.cut->first.index());
  }

  void AddPart(const DeployedCut& cut, const DeployedPart& part, const std::string& folder) {
    const bool stage = IsStage(deployment_, part.segment);
    Served plain{folder, &cut, &part, false, stage, {}};
    std::vector<Served> engines;
    for (const Serving::Group& group : serving_.groups) {
      if (group.model != cut.cut->model || !Serves(part, group.unit)) continue;
      if (ChipOf(platform(), group.unit) == Chip::kDla && !stage) {
        engines.push_back({"", &cut, &part, true, false, {group}});
      } else {
        plain.groups.push_back(group);
      }
    }
    if (!engines.empty()) {
      // Somebody has the name that requests ask for.
      if (plain.groups.empty()) engines[0].name = folder;
      for (Served& engine : engines) {
        if (!engine.name.empty()) continue;
        engine.name = names_.Of(folder + "." + UnitName(engine.groups[0].unit));
        emitted_.Lacks("model " + Quoted(folder) + ": that " + UnitText(platform(), engine.groups[0].unit) +
                       " takes its requests, too: an engine for a DLA is a model of its own, " +
                       Quoted(engine.name) + ", and whoever sends requests has to choose");
      }
    }
    if (!plain.groups.empty()) served_.push_back(std::move(plain));
    served_.insert(served_.end(), engines.begin(), engines.end());
  }

  static std::string TypeText(ElementType type) {
    std::string text = "TYPE_";
    for (const char c : NameOf(kElementTypeNames, type)) text += static_cast<char>(std::toupper(c));
    return text;
  }

  void AddTensors(TextProto& proto, std::string_view field, const std::vector<PartTensor>& tensors,
                  bool by_layer) const {
    for (const PartTensor& tensor : tensors) {
      proto.Open(field);
      proto.Text("name", by_layer ? tensor.of : tensor.name);
      proto.Word("data_type", TypeText(tensor.type));
      proto.Numbers("dims", tensor.shape.empty() ? Shape{1} : tensor.shape);
      proto.Close();
    }
  }

  // Requests of a fixed batch, which is in the dimensions: max_batch_size 0 puts none together.
  void AddConfig(const Served& served) {
    const std::string folder = "models/" + served.name + "/";
    TextProto proto;
    proto.Text("name", served.name);
    if (served.stage) {
      proto.Text("backend", "python");
    } else {
      proto.Text("platform", served.engine ? "tensorrt_plan" : "onnxruntime_onnx");
    }
    proto.Number("max_batch_size", 0);
    AddTensors(proto, "input", served.part->inputs, false);
    AddTensors(proto, "output", served.part->outputs, false);
    for (const Serving::Group& group : served.groups) AddGroup(proto, served, group);
    AddQueue(proto, served);
    if (!served.stage) AddThreads(proto, served);
    if (InFp16(served)) AddFp16(proto);
    emitted_.Add(folder + "config.pbtxt", proto.Take());
    if (served.stage) {
      const Model& model = *scenario().model(served.cut->cut->model).model;
      emitted_.files.push_back(StageFile(folder + "1/model.py", StageScript(model, *served.part)));
      SayOfStage(model, folder + "1/model.py", emitted_);
    } else if (served.engine) {
      const std::string onnx = "onnx/" + served.name + ".onnx";
      emitted_.files.push_back(FileOf(deployment_, *served.cut, *served.part, onnx));
      has_engines_ = true;
    } else {
      emitted_.files.push_back(FileOf(deployment_, *served.cut, *served.part, folder + "1/model.onnx"));
    }
  }

  // By level, how long a request waits for an instance before it is dropped: where all streams of the level
  // say the same drop_late, and that by its own release alone. Of a model that is cut each part has a queue,
  // and a request no time of its own.
  std::map<std::int64_t, Nanos> DropsOf(const DeployedCut& cut) const {
    std::map<std::int64_t, std::set<Nanos>> waits;
    for (std::size_t s = 0; s < scenario().streams.size() && cut.whole(); ++s) {
      const Stream& stream = scenario().streams[s];
      if (&deployment_.problem().cut(StreamId(s)) != cut.cut) continue;
      const bool of_own = stream.drop_late && !stream.end_to_end_deadline;
      waits[serving_.levels[s]].insert(of_own ? *stream.deadline : Nanos{0});
    }
    std::map<std::int64_t, Nanos> drops;
    for (const auto& [level, times] : waits) {
      if (times.size() == 1 && *times.begin() > Nanos{0}) drops[level] = *times.begin();
    }
    return drops;
  }

  bool Drops(StreamId stream) const {
    const DeployedCut& cut = cuts_[deployment_.problem().cut_of(stream).index()];
    return DropsOf(cut).contains(serving_.levels[stream.index()]);
  }

  void AddQueue(TextProto& proto, const Served& served) const {
    const std::int64_t levels = serving_.of_levels[served.cut->cut->model.index()];
    const auto drops = DropsOf(*served.cut);
    if (levels < 2 && drops.empty()) return;
    proto.Open("dynamic_batching");
    if (levels > 1) {
      proto.Number("priority_levels", levels);
      proto.Number("default_priority_level", levels);
    }
    for (const auto& [level, wait] : drops) {
      proto.Open(levels > 1 ? "priority_queue_policy" : "default_queue_policy");
      if (levels > 1) {
        proto.Number("key", level);
        proto.Open("value");
      }
      proto.Word("timeout_action", "REJECT");
      proto.Number("default_timeout_microseconds", std::max<std::int64_t>(wait.count() / 1000, 1));
      if (levels > 1) proto.Close();
      proto.Close();
    }
    proto.Close();
  }

  void AddGroup(TextProto& proto, const Served& served, const Serving::Group& group) {
    const Chip chip = ChipOf(platform(), group.unit);
    proto.Open("instance_group");
    proto.Text("name", served.name + "_" + UnitName(group.unit));
    proto.Number("count", group.count);
    proto.Word("kind", KindOf(served, chip));
    if (chip == Chip::kGpu) proto.Numbers("gpus", {NumberOf(platform(), group.unit)});
    if (chip == Chip::kDla && !served.stage) {
      proto.Numbers("gpus", {0});
      proto.Open("secondary_devices");
      proto.Word("kind", "KIND_NVDLA");
      proto.Number("device_id", NumberOf(platform(), group.unit));
      proto.Close();
    }
    if (HasCores(platform(), group.unit)) proto.Text("host_policy", PolicyName(group.unit));
    if (serving_.takes_turns) AddLimiter(proto, group);
    proto.Close();
    if (chip == Chip::kOther && !served.stage) {
      emitted_.Lacks(UnitText(platform(), group.unit) +
                     ": Triton has no kind of instance for a unit of kind " +
                     std::string(NameOf(kUnitKindNames, platform().unit(group.unit).kind)) +
                     ": KIND_MODEL leaves it to a backend of yours");
    }
  }

  void AddLimiter(TextProto& proto, const Serving::Group& group) {
    proto.Open("rate_limiter");
    AddResource(proto, UnitName(group.unit), 1, platform().unit(group.unit).slots);
    for (const Serving::Resource& resource : serving_.resources) {
      const std::int64_t needs = resource.needs[group.model.index()];
      if (needs > 0) AddResource(proto, resource.name, needs, resource.count);
    }
    proto.Number("priority", serving_.weights[group.model.index()]);
    proto.Close();
  }

  void AddResource(TextProto& proto, const std::string& name, std::int64_t needs, std::int64_t count) {
    if (!plain_resource_.contains(name)) plain_resource_[name] = resource_names_.Of(name);
    proto.Open("resources");
    proto.Text("name", plain_resource_[name]);
    proto.Word("global", "true");
    proto.Number("count", needs);
    proto.Close();
    resources_[plain_resource_[name]] = count;
  }

  // Does a GPU alone run it, in fp16? Then TensorRT does inside ONNX Runtime.
  bool InFp16(const Served& served) const {
    return !served.engine && !served.stage &&
           std::all_of(served.groups.begin(), served.groups.end(), [&](const Serving::Group& group) {
             return ChipOf(platform(), group.unit) == Chip::kGpu &&
                    PrecisionOf(scenario(), group.unit) == "fp16";
           });
  }

  static void AddFp16(TextProto& proto) {
    proto.Open("optimization");
    proto.Open("execution_accelerators");
    proto.Open("gpu_execution_accelerator");
    proto.Text("name", "tensorrt");
    proto.Open("parameters");
    proto.Text("key", "precision_mode");
    proto.Text("value", "FP16");
    for (int open = 0; open < 4; ++open) proto.Close();
  }

  // ONNX Runtime's own threads are of the model, not of an instance: of its units the one with the most
  // cores.
  void AddThreads(TextProto& proto, const Served& served) {
    std::size_t most = 0;
    std::set<std::size_t> counts;
    for (const Serving::Group& group : served.groups) {
      if (!HasCores(platform(), group.unit)) continue;
      counts.insert(platform().unit(group.unit).cores.size());
      most = std::max(most, platform().unit(group.unit).cores.size());
    }
    if (most == 0) return;
    proto.Open("parameters");
    proto.Text("key", "intra_op_thread_count");
    proto.Open("value");
    proto.Text("string_value", std::to_string(most));
    proto.Close();
    proto.Close();
    if (counts.size() > 1) {
      emitted_.Lacks("model " + Quoted(served.name) +
                     ": units with different numbers of cores: Triton has one number of threads per model");
    }
  }

  void AddEnsemble(const DeployedCut& cut, const std::string& folder, const std::vector<std::string>& parts) {
    TextProto proto;
    proto.Text("name", folder);
    proto.Text("platform", "ensemble");
    proto.Number("max_batch_size", 0);
    AddTensors(proto, "input", cut.inputs, true);
    AddTensors(proto, "output", cut.outputs, true);
    proto.Open("ensemble_scheduling");
    for (std::size_t p = 0; p < cut.parts.size(); ++p) {
      if (parts[p].empty()) continue;
      proto.Open("step");
      proto.Text("model_name", parts[p]);
      proto.Number("model_version", -1);
      AddMap(proto, "input_map", cut.parts[p].inputs);
      AddMap(proto, "output_map", cut.parts[p].outputs);
      proto.Close();
    }
    proto.Close();
    emitted_.Add("models/" + folder + "/config.pbtxt", proto.Take());
    emitted_.files.push_back(
        {"models/" + folder + "/1/.keep", ""});  // a version has a folder, if an empty one
    ensembles_.push_back(folder);
  }

  static void AddMap(TextProto& proto, std::string_view field, const std::vector<PartTensor>& tensors) {
    for (const PartTensor& tensor : tensors) {
      proto.Open(field);
      proto.Text("key", tensor.name);
      proto.Text("value", tensor.of);
      proto.Close();
    }
  }

  void Say() {
    Expresses expresses{.turns = AsSimulated(), .priorities = true};
    for (std::size_t s = 0; s < scenario().streams.size(); ++s) {
      expresses.drops.push_back(Drops(StreamId(s)));
      if (!expresses.drops.back()) continue;
      emitted_.Lacks("stream " + Quoted(scenario().streams[s].name) +
                     ": drop_late: Triton drops what waits for an instance beyond its deadline; what an "
                     "instance has taken runs, however late");
    }
    SayWhatIsLeftOut(deployment_, "Triton", expresses, emitted_);
    for (const Served& served : served_) {
      for (const Serving::Group& group : served.groups) SayOfGroup(served, group);
    }
    for (std::size_t s = 0; s < scenario().streams.size(); ++s) {
      const Stream& stream = scenario().streams[s];
      if (serving_.of_levels[stream.model.index()] > 1) {
        emitted_.Lacks("stream " + Quoted(stream.name) + ": its priority is level " +
                       std::to_string(serving_.levels[s]) + " of its model, which each request has to say");
      }
    }
    if (AsSimulated() && serving_.takes_turns) {
      emitted_.Lacks(
          "what the rate limiter takes itself, a few milliseconds where requests are many, was not "
          "simulated");
    }
  }

  void SayOfGroup(const Served& served, const Serving::Group& group) {
    const std::string of = UnitText(platform(), group.unit) + ": ";
    const std::string precision = PrecisionOf(scenario(), group.unit);
    if (InFp16(served)) {
      emitted_.Lacks(of +
                     "fp16 by the library that the profile is of: TensorRT inside ONNX Runtime computes it");
    } else if (precision != "fp32" && !served.engine && !served.stage) {
      emitted_.Lacks(of + "computes in " + precision + ": the models are written in fp32");
    }
    if (served.engine && precision == "fp32") {
      emitted_.Lacks(of + "fp32, which a DLA does not compute in: engines are built for fp16");
    }
    std::vector<std::int64_t> cores = platform().unit(group.unit).cores;
    std::sort(cores.begin(), cores.end());
    const bool gaps =
        !cores.empty() && cores.back() - cores.front() + 1 != static_cast<std::int64_t>(cores.size());
    if (HasCores(platform(), group.unit) && gaps) {
      emitted_.Lacks(of + "its cores " + Joined(cores) +
                     " are no range, which is all that Triton's cpu-cores takes");
    }
  }

  const Deployment& deployment_;
  std::vector<DeployedCut> cuts_;
  Serving serving_;
  PlainNames names_, resource_names_;
  std::vector<std::string> folder_of_;  // per cut
  std::vector<Served> served_;
  bool has_engines_ = false;
  std::vector<std::string> ensembles_;
  std::map<std::string, std::string> plain_resource_;  // a unit's or resource's name
  std::map<std::string, std::int64_t> resources_;      // by plain name: how much there is
  Emitted emitted_;
};

Emitted Emit(const Deployment& deployment) { return Writer(deployment).Write(); }

const EmitterRegistration kTriton{
    {.name = "triton",
     .summary =
         "a model repository for Triton: instances, rate limiter, priorities, ensembles, its start, and "
         "loads for perf_analyzer",
     .emit = Emit}};

}  // namespace
}  // namespace tandem::triton_server
