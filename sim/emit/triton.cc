// Triton Inference Server: a model repository with instances, rate limiter and priorities, an ensemble for a
// model that is cut, how the server is started, and the load for perf_analyzer and Model Analyzer.
#include <algorithm>
#include <set>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/emit/left_out.h"
#include "sim/emit/parts.h"
#include "sim/emit/perf_load.h"
#include "sim/emit/stage.h"
#include "sim/emit/triton_config.h"

namespace tandem::triton_server {
namespace {

class Writer {
 public:
  explicit Writer(const Deployment& deployment)
      : deployment_(deployment),
        cuts_(CutsOf(deployment)),
        serving_(ServingOf()),
        queues_(deployment, serving_, cuts_),
        configs_(deployment, serving_, queues_) {}

  Emitted Write() {
    for (const DeployedCut& cut : cuts_) folder_of_.push_back(names_.Of(cut.name));
    for (std::size_t c = 0; c < cuts_.size(); ++c) AddCut(c);
    if (served_.empty()) throw InputError("--emit: the plan runs nothing, so there is nothing to serve");
    for (const Served& served : served_) AddModel(served);
    emitted_.files.push_back(
        {"start.sh", StartScript(platform(), ensembles_, served_, serving_.takes_turns, configs_.resources()),
         true});
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

  void AddModel(const Served& served) {
    const std::string folder = "models/" + served.name + "/";
    emitted_.Add(folder + "config.pbtxt", configs_.ModelText(served, emitted_));
    const DeployedCut& cut = *served.cut;
    if (served.stage) {
      const Model& model = *scenario().model(cut.cut->model).model;
      emitted_.files.push_back(StageFile(folder + "1/model.py", StageScript(model, *served.part)));
      SayOfStage(model, folder + "1/model.py", emitted_);
    } else if (served.engine) {
      emitted_.files.push_back(FileOf(deployment_, cut, *served.part, "onnx/" + served.name + ".onnx"));
      has_engines_ = true;
    } else if (queues_.BatchingOf(served) != nullptr) {
      emitted_.files.push_back(OnnxFileOfAnyBatch(scenario(), cut.cut->model, folder + "1/model.onnx"));
    } else {
      emitted_.files.push_back(FileOf(deployment_, cut, *served.part, folder + "1/model.onnx"));
    }
  }

  void AddEnsemble(const DeployedCut& cut, const std::string& folder, const std::vector<std::string>& parts) {
    emitted_.Add("models/" + folder + "/config.pbtxt", configs_.EnsembleText(cut, folder, parts));
    emitted_.files.push_back(
        {"models/" + folder + "/1/.keep", ""});  // a version has a folder, if an empty one
    ensembles_.push_back(folder);
  }

  void Say() {
    if (AsSimulated()) {
      for (const char* const feature : {"rule", "replicas"}) emitted_.Expresses(feature);
    }
    queues_.Say(served_, emitted_);
    SayOfWeights(deployment_, emitted_);
    for (const Served& served : served_) {
      for (const Serving::Group& group : served.groups) SayOfGroup(served, group);
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
    if (configs_.InFp16(served)) {
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
  Queues queues_;
  ConfigWriter configs_;
  PlainNames names_;
  std::vector<std::string> folder_of_;  // per cut
  std::vector<Served> served_;
  bool has_engines_ = false;
  std::vector<std::string> ensembles_;
  Emitted emitted_;
};

Emitted Emit(const Deployment& deployment) { return Writer(deployment).Write(); }

const FeatureAnswers kAnswers = {
    {"schedule", Expressed::kNo},
    {"slack", Expressed::kNo},
    {"rule", Expressed::kPartly, "Triton has rules of its own, so the prediction is not of what it will do"},
    {"replicas", Expressed::kPartly, "whichever instance is free takes one"},
    {"cuts", Expressed::kYes},
    {"splits", Expressed::kNo},
    {"stages", Expressed::kPartly},
    {"edges", Expressed::kNo},
    {"zero_copy", Expressed::kNo},
    {"copies_beside", Expressed::kNo},
    {"memory", Expressed::kNo},
    {"programs", Expressed::kNo},
    {"clock_states", Expressed::kNo},
    {"precision", Expressed::kPartly},
    {"slots", Expressed::kYes},
    {"time_shared", Expressed::kNo},
    {"time_slices", Expressed::kNo},
    {"preempts", Expressed::kNo},
    {"cores", Expressed::kPartly},
    {"device", Expressed::kYes},
    {"exclusion", Expressed::kNo},
    {"commands", Expressed::kNo},
    {"residents", Expressed::kNo},
    {"on_chip", Expressed::kNo},
    {"loads", Expressed::kNo},
    {"speeds", Expressed::kNo},
    {"heat", Expressed::kNo},
    {"away", Expressed::kNo},
    {"arrivals", Expressed::kYes},
    {"in_flight", Expressed::kPartly},
    {"depends_on", Expressed::kNo, "perf/run.sh sends none of its requests, who sends others has to do it"},
    {"probability", Expressed::kNo},
    {"every", Expressed::kNo},
    {"joins", Expressed::kNo},
    {"times", Expressed::kNo},
    {"data", Expressed::kNo},
    {"priorities", Expressed::kPartly},
    {"critical", Expressed::kNo},
    {"deadline", Expressed::kNo},
    {"end_to_end_deadline", Expressed::kNo},
    {"drop_late", Expressed::kPartly,
     "Triton drops what waits too long only where all streams of a level of the model say the same"},
    {"keep_latest", Expressed::kNo, "Triton's max_queue_size would reject the newest, so none is written"},
    {"batch", Expressed::kYes},
    {"batching", Expressed::kPartly},
    {"batching_wait", Expressed::kPartly},
    {"batching_preferred", Expressed::kPartly},
    {"batching_across", Expressed::kPartly},
};

const EmitterRegistration kTriton{
    {.name = "triton",
     .summary =
         "a model repository for Triton: instances, rate limiter, priorities, ensembles, its start, and "
         "loads for perf_analyzer",
     .emit = Emit,
     .called = "Triton",
     .answers = kAnswers}};

}  // namespace
}  // namespace tandem::triton_server
