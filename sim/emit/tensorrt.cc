// TensorRT: an engine per model and chip by trtexec, whose layers are given to GPU and DLA as the plan has
// them, and how each is run.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "sim/emit/left_out.h"
#include "sim/emit/parts.h"
#include "sim/emit/stage.h"

namespace tandem::tensorrt {
namespace {

using Json = nlohmann::ordered_json;

struct EngineOf {
  std::string name, model, onnx;
  std::vector<UnitId> units;  // the first one is its main unit
  std::vector<std::string> build, run;
  bool stage = false;  // its owner's own: nothing builds it
};

class Writer {
 public:
  explicit Writer(const Deployment& deployment) : deployment_(deployment), cuts_(CutsOf(deployment)) {}

  Emitted Write() {
    for (const DeployedCut& cut : cuts_) {
      if (cut.whole()) {
        for (const UnitId unit : cut.parts[0].units) AddEngine(cut, cut.parts[0], {unit}, "");
      } else if (const auto devices = StageIn(cut) ? std::nullopt : DeviceTypes(cut)) {
        AddEngine(cut, cut.parts[0], UnitsOf(cut), *devices);
      } else {
        for (const DeployedPart& part : cut.parts) {
          for (const UnitId unit : part.units) AddEngine(cut, part, {unit}, "");
        }
      }
    }
    if (engines_.empty()) {
      throw InputError("--emit: the plan runs nothing on a GPU or DLA, and TensorRT knows no other units");
    }
    emitted_.files.push_back({"build.sh", Script(true), true});
    emitted_.files.push_back({"run.sh", Script(false), true});
    emitted_.Add("engines.json", JsonOutput(Listing()));
    SayOfWeights(deployment_, emitted_);
    return std::move(emitted_);
  }

 private:
  const Platform& platform() const { return deployment_.platform(); }
  bool Runs(UnitId unit) const {
    const Chip chip = ChipOf(platform(), unit);
    return chip == Chip::kGpu || chip == Chip::kDla;
  }
  bool StageIn(const DeployedCut& cut) const {
    return HasStage(*deployment_.scenario().model(cut.cut->model).model);
  }
  std::vector<UnitId> UnitsOf(const DeployedCut& cut) const {
    std::map<UnitId, std::int64_t> busy;
    for (const DeployedShare& share : deployment_.shares()) {
      if (deployment_.problem().segment(share.segment).cut ==
          deployment_.problem().segment(cut.cut->first).cut) {
        busy[share.unit] += share.busy.count();
      }
    }
    std::vector<std::pair<std::int64_t, UnitId>> order;
    for (const auto& [unit, time] : busy) order.emplace_back(-time, unit);
    std::sort(order.begin(), order.end());
    std::vector<UnitId> units;
    for (const auto& [time, unit] : order) units.push_back(unit);
    return units;
  }

  // "conv1:GPU,conv2:DLA", where a GPU and one DLA at most share the model; nothing: files of parts.
  std::optional<std::string> DeviceTypes(const DeployedCut& cut) {
    std::vector<UnitId> dlas, gpus;
    for (const UnitId unit : UnitsOf(cut)) {
      const Chip chip = ChipOf(platform(), unit);
      if (!Runs(unit)) return std::nullopt;
      (chip == Chip::kDla ? dlas : gpus).push_back(unit);
    }
    if (dlas.size() != 1 || gpus.size() > 1) return std::nullopt;
    std::string types;
    const Model& model = *deployment_.scenario().model(cut.cut->model).model;
    for (const DeployedPart& part : cut.parts) {
      if (part.units.size() > 1) return std::nullopt;
      for (const LayerId layer : part.layers) {
        const std::string& name = model.layer(layer).name;
        if (name.find_first_of(",:*") != std::string::npos) {
          emitted_.Lacks(
              "model " + Quoted(cut.name) + ": layer " + Quoted(name) +
              " has a name that --layerDeviceTypes cannot say: its parts are engines of their own");
          return std::nullopt;
        }
        const bool dla = !part.units.empty() && ChipOf(platform(), part.units[0]) == Chip::kDla;
        types += (types.empty() ? "" : ",") + name + (dla ? ":DLA" : ":GPU");
      }
    }
    emitted_.Lacks("model " + Quoted(cut.name) +
                   ": where the further nodes of a layer run that ONNX says by several (scale, gelu, dilated "
                   "pooling): --layerDeviceTypes names the node that has the layer's name");
    emitted_.Lacks("model " + Quoted(cut.name) +
                   ": that requests overlap in its parts: one engine runs a request's layers one after the "
                   "other; more streams (STREAMS=2 ./run.sh) let requests overlap");
    return types;
  }

  std::string OnnxOf(const DeployedCut& cut, const DeployedPart& part, bool whole) {
    const std::string path = "onnx/" + (whole ? cut.name : part.name) + ".onnx";
    const auto is_it = [&](const EmittedFile& file) { return file.path == path; };
    if (std::any_of(emitted_.files.begin(), emitted_.files.end(), is_it)) return path;
    emitted_.files.push_back(whole ? OnnxFile(deployment_.scenario(), cut.cut->model, cut.cut->batch, path)
                                   : FileOf(deployment_, cut, part, path));
    return path;
  }

  // `units`: all that it runs on, and where there are several `devices` says which layers where.
  void AddEngine(const DeployedCut& cut, const DeployedPart& part, const std::vector<UnitId>& units,
                 const std::string& devices) {
    if (part.layers.empty()) return;
    const UnitId main = units[0];
    if (!Runs(main)) {
      emitted_.Lacks(UnitText(platform(), main) + ": TensorRT runs on GPU and DLA, not on a unit of kind " +
                     std::string(NameOf(kUnitKindNames, platform().unit(main).kind)) + ": " +
                     Quoted(part.name) + " has no engine for it");
      return;
    }
    const bool whole = cut.whole() || !devices.empty();
    EngineOf engine;
    engine.model = whole ? cut.name : part.name;
    engine.stage = IsStage(deployment_, part.segment);
    if (!engine.stage) engine.onnx = OnnxOf(cut, part, whole);
    engine.units = units;
    engine.name = names_.Of(engine.model + "." +
                            Joined(units, "+", [&](UnitId unit) { return platform().unit(unit).name; }));
    engine.build = {"--onnx=" + engine.onnx, "--saveEngine=engines/" + engine.name + ".engine"};
    engine.run = {"--loadEngine=engines/" + engine.name + ".engine"};
    AddDevice(units, engine);
    AddPrecision(units, engine);
    if (!devices.empty()) engine.build.push_back("--layerDeviceTypes=" + devices);
    const std::int64_t slots = platform().unit(main).slots;
    if (slots > 1) engine.run.push_back("--infStreams=" + std::to_string(slots));
    engine.run.push_back("--exportProfile=profiles/" + engine.name + ".json");
    engine.run.push_back("--exportTimes=profiles/" + engine.name + ".times.json");
    if (engine.stage) {
      engine.build.clear();
      SayOfStage(*deployment_.scenario().model(cut.cut->model).model, "engines/" + engine.name + ".engine",
                 emitted_);
    }
    engines_.push_back(std::move(engine));
  }

  void AddDevice(const std::vector<UnitId>& units, EngineOf& engine) const {
    for (const UnitId unit : units) {
      const std::string number = std::to_string(NumberOf(platform(), unit));
      if (ChipOf(platform(), unit) == Chip::kDla) {
        engine.build.insert(engine.build.end(), {"--useDLACore=" + number, "--allowGPUFallback"});
        engine.run.push_back("--useDLACore=" + number);
      } else if (number != "0") {
        engine.build.push_back("--device=" + number);
        engine.run.push_back("--device=" + number);
      }
    }
  }

  void AddPrecision(const std::vector<UnitId>& units, EngineOf& engine) {
    std::string precision = "fp32";
    bool dla = false;
    for (const UnitId unit : units) {
      const std::string of = PrecisionOf(deployment_.scenario(), unit);
      if (of != "fp32") precision = of;
      dla = dla || ChipOf(platform(), unit) == Chip::kDla;
    }
    if (dla && precision == "fp32") {
      emitted_.Lacks("engine " + Quoted(engine.name) +
                     ": fp32, which a DLA does not compute in: it is built for fp16");
      precision = "fp16";
    }
    if (precision == "fp16") engine.build.emplace_back("--fp16");
    if (precision == "int8") {
      engine.build.insert(engine.build.end(), {"--int8", "--fp16"});
      emitted_.Lacks("engine " + Quoted(engine.name) +
                     ": the scales of int8: without --calib=FILE trtexec takes made-up ones, whose times are "
                     "right and whose outputs are not");
    }
    if (precision == "fp32") engine.build.emplace_back("--noTF32");
    if (precision != "fp32" && precision != "fp16" && precision != "int8" && precision != "tf32") {
      emitted_.Lacks("engine " + Quoted(engine.name) + ": precision " + Quoted(precision) +
                     ", which is none of trtexec's: it is built without");
    }
  }

  std::string Script(bool builds) const {
    std::string text = "#!/bin/sh\n";
    text += builds
                ? "# Builds the engines, here on the board that is to run them.\n"
                : "# Runs each engine by itself and keeps its times, which `tandem profiles import` reads.\n";
    text += "set -e\ncd \"$(dirname \"$0\")\"\nmkdir -p ";
    text += builds ? "engines\n" : "profiles\n";
    text += "trtexec=${TRTEXEC:-$(command -v trtexec || echo /usr/src/tensorrt/bin/trtexec)}\n";
    if (!builds) {
      text +=
          "streams() {  # of older versions the option has another name\n"
          "  if \"$trtexec\" --help | grep -q -e --infStreams; then echo \"--infStreams=$1\"; "
          "else echo \"--streams=$1\"; fi\n}\n";
    }
    for (const EngineOf& engine : engines_) {
      if (engine.stage) text += StageGuard(engine, builds);
      if (engine.stage && builds) continue;
      text += "\"$trtexec\"";
      for (const std::string& word : builds ? engine.build : engine.run) {
        constexpr std::string_view kStreams = "--infStreams=";
        if (!word.starts_with(kStreams)) text += " " + ShellText(word);
      }
      if (!builds) text += " $(streams \"${STREAMS:-" + Slots(engine) + "}\")";
      text += "\n";
    }
    return text;
  }

  // A stage's engine is there or it is not.
  static std::string StageGuard(const EngineOf& engine, bool builds) {
    const std::string file = "engines/" + engine.name + ".engine";
    const std::string guard = "[ -f " + ShellText(file) + " ] || ";
    if (!builds)
      return guard + "echo " + ShellText("skipped: " + file + ", which is yours to put there") +
             " >&2\n[ ! -f " + ShellText(file) + " ] || ";
    return "# FILL IN: only a program of its own can look into " + PlainNames().Of(engine.model) + ".\n" +
           guard + "echo " + ShellText("FILL IN: put your engine at " + file) + " >&2\n";
  }

  std::string Slots(const EngineOf& engine) const {
    return std::to_string(platform().unit(engine.units[0]).slots);
  }

  Json Listing() const {
    Json list = Json::array();
    for (const EngineOf& engine : engines_) {
      Json units = Json::array();
      for (const UnitId unit : engine.units) units.push_back(platform().unit(unit).name);
      list.push_back({{"engine", "engines/" + engine.name + ".engine"},
                      {"model", engine.model},
                      {"units", std::move(units)},
                      {"onnx", engine.stage ? Json() : Json(engine.onnx)},
                      {"build", engine.build},
                      {"run", engine.run}});
    }
    return {{"engines", std::move(list)}};
  }

  const Deployment& deployment_;
  std::vector<DeployedCut> cuts_;
  std::vector<EngineOf> engines_;
  PlainNames names_;
  Emitted emitted_;
};

Emitted Emit(const Deployment& deployment) { return Writer(deployment).Write(); }

const FeatureAnswers kAnswers = {
    {"schedule", Expressed::kNo},
    {"slack", Expressed::kNo},
    {"rule", Expressed::kNo},
    {"replicas", Expressed::kPartly, "each has an engine, among which an application of yours chooses"},
    {"cuts", Expressed::kPartly,
     "an engine for each, or one with --layerDeviceTypes; who runs them hands on"},
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
    {"cores", Expressed::kNo},
    {"device", Expressed::kYes},
    {"exclusion", Expressed::kNo},
    {"commands", Expressed::kNo},
    {"residents", Expressed::kNo},
    {"on_chip", Expressed::kNo},
    {"loads", Expressed::kNo},
    {"speeds", Expressed::kNo},
    {"heat", Expressed::kNo},
    {"away", Expressed::kNo},
    {"arrivals", Expressed::kNo,
     "run.sh runs each engine again and again by itself; an application of yours feeds them"},
    {"in_flight", Expressed::kNo},
    {"depends_on", Expressed::kNo},
    {"probability", Expressed::kNo},
    {"every", Expressed::kNo},
    {"joins", Expressed::kNo},
    {"times", Expressed::kNo},
    {"data", Expressed::kNo},
    {"priorities", Expressed::kNo},
    {"critical", Expressed::kNo},
    {"deadline", Expressed::kNo},
    {"end_to_end_deadline", Expressed::kNo},
    {"drop_late", Expressed::kNo},
    {"keep_latest", Expressed::kNo},
    {"batch", Expressed::kYes},
    {"batching", Expressed::kNo, "the engine is of one request"},
    {"batching_wait", Expressed::kNo},
    {"batching_preferred", Expressed::kNo, "the engine is of one request"},
    {"batching_across", Expressed::kNo, "the engine is of one request"},
};

const EmitterRegistration kTensorRt{
    {.name = "tensorrt",
     .summary = "trtexec command lines that build and run an engine per model and chip, GPU and DLA",
     .emit = Emit,
     .called = "TensorRT",
     .answers = kAnswers}};

}  // namespace
}  // namespace tandem::tensorrt
