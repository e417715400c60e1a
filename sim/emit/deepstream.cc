// DeepStream: properties for nvinfer of each model and chip, and an application's configuration per stream
// with a source of its rate.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/emit/left_out.h"
#include "sim/emit/parts.h"
#include "sim/emit/stage.h"

namespace tandem::deepstream {
namespace {

constexpr std::int64_t kUsualFps = 30;  // of cameras

class Ini {
 public:
  void Comment(const std::string& text) { text_ += "# " + text + "\n"; }
  void Group(const std::string& name) { text_ += (text_.empty() ? "[" : "\n[") + name + "]\n"; }
  void Key(std::string_view key, const std::string& value) { text_.append(key) += "=" + value + "\n"; }
  void Key(std::string_view key, std::int64_t value) { Key(key, std::to_string(value)); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Frames per second as a fraction, and how many batches are left out between two that are inferred.
struct Rate {
  std::int64_t numerator = kUsualFps, denominator = 1, interval = 0;
};

class Writer {
 public:
  explicit Writer(const Deployment& deployment) : deployment_(deployment), cuts_(CutsOf(deployment)) {}

  Emitted Write() {
    for (std::size_t s = 0; s < scenario().streams.size(); ++s) AddStream(StreamId(s));
    if (apps_.empty()) {
      throw InputError(
          "--emit: no model runs on one GPU or DLA alone, and DeepStream's nvinfer knows no other way");
    }
    emitted_.files.push_back({"run.sh", RunScript(), true});
    SayOfWeights(deployment_, emitted_);
    return std::move(emitted_);
  }

 private:
  const Scenario& scenario() const { return deployment_.scenario(); }
  const Platform& platform() const { return deployment_.platform(); }
  const Stream& Of(StreamId stream) const { return scenario().streams[stream.index()]; }

  void AddStream(StreamId id) {
    const Stream& stream = Of(id);
    const DeployedCut& cut = cuts_[deployment_.problem().cut_of(id).index()];
    const std::string of = "stream " + Quoted(stream.name) + ": ";
    const std::optional<UnitId> unit = UnitOf(id, cut, of);
    if (!unit) {
      emitted_.Lacks(of + "no file is written for it, since no GPU and no DLA runs any of it");
      return;
    }
    const Rate rate = RateOf(stream, of);
    if (Shape4(cut).empty()) {
      emitted_.Lacks(
          of + "model " + Quoted(cut.name) +
          " does not read one image (batch, channels, height, width), which is what nvinfer feeds");
      return;
    }
    const std::string name = names_.Of(stream.name);
    const std::string config = "config_infer_" + name + ".txt";
    emitted_.Add(config, Inference(cut, *unit, rate));
    emitted_.Add("app_" + name + ".txt", App(stream, cut, *unit, rate, config));
    apps_.push_back("app_" + name + ".txt");
    const Model& model = *scenario().model(stream.model).model;
    if (HasStage(model)) {
      SayOfStage(model, "model-engine-file of " + config, emitted_);
    } else {
      AddOnnx(cut);
    }
  }

  // nvinfer runs a model on one chip: the one that did most of it.
  std::optional<UnitId> UnitOf(StreamId stream, const DeployedCut& cut, const std::string& of) {
    std::map<UnitId, Nanos> busy;
    for (const DeployedShare& share : deployment_.shares()) {
      if (share.stream == stream) busy[share.unit] += share.busy;
    }
    std::optional<UnitId> best;
    for (const auto& [unit, time] : busy) {
      const Chip chip = ChipOf(platform(), unit);
      if (chip != Chip::kGpu && chip != Chip::kDla) {
        emitted_.Lacks(of + "that " + UnitText(platform(), unit) +
                       " runs some of it: nvinfer runs on GPU and DLA");
      } else if (!best || busy[*best] < time) {
        best = unit;
      }
    }
    if (best && (busy.size() > 1 || !cut.whole())) {
      emitted_.Lacks(
          of + "that " +
          (cut.whole() ? "requests go to one unit or the other" : "parts of the model run on their own") +
          ": nvinfer runs all of it on " + UnitText(platform(), *best));
    }
    return best;
  }

  // Of the one input; empty where it is none of an image.
  static Shape Shape4(const DeployedCut& cut) {
    if (cut.inputs.size() != 1 || cut.inputs[0].shape.size() != 4) return {};
    return cut.inputs[0].shape;
  }

  // Slower than a usual camera by a whole factor: frames of one are left out.
  Rate RateOf(const Stream& stream, const std::string& of) {
    Rate rate;
    const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival);
    if (!periodic) {
      emitted_.Lacks(of + "when its requests come: its source is a camera of " + std::to_string(kUsualFps) +
                     " frames per second");
      return rate;
    }
    if (periodic->jitter > Nanos{0} || periodic->phase > Nanos{0}) {
      emitted_.Lacks(of + "its phase and jitter: a camera has its own");
    }
    const std::int64_t up = kNanosPerSecond * periodic->divisor, down = periodic->period_ns;
    const std::int64_t common = std::gcd(up, down);
    rate.numerator = up / common;
    rate.denominator = down / common;
    if (kUsualFps * rate.denominator % rate.numerator == 0 && kUsualFps * rate.denominator > rate.numerator) {
      rate.interval = kUsualFps * rate.denominator / rate.numerator - 1;
      rate.numerator = kUsualFps;
      rate.denominator = 1;
      emitted_.Lacks(of + "its source: taken is a camera of " + std::to_string(kUsualFps) +
                     " frames per second, of which " + std::to_string(rate.interval) +
                     " are left out between two (interval)");
    }
    return rate;
  }

  static bool IsHalfOrByte(const std::string& precision) {
    return precision == "fp16" || precision == "int8";
  }

  std::string Inference(const DeployedCut& cut, UnitId unit, const Rate& rate) {
    const bool dla = ChipOf(platform(), unit) == Chip::kDla;
    const Shape shape = Shape4(cut);
    std::string precision = PrecisionOf(scenario(), unit);
    if (dla && precision == "fp32") {
      emitted_.Lacks(UnitText(platform(), unit) +
                     ": fp32, which a DLA does not compute in: fp16 is asked for");
      precision = "fp16";
    }
    Ini ini;
    ini.Comment("nvinfer: model " + cut.name + " on unit " + PlainNames().Of(platform().unit(unit).name));
    ini.Group("property");
    ini.Key("gpu-id", dla ? 0 : NumberOf(platform(), unit));
    if (dla) {
      ini.Key("enable-dla", 1);
      ini.Key("use-dla-core", NumberOf(platform(), unit));
    }
    const bool stage = HasStage(*scenario().model(cut.cut->model).model);
    if (stage) {
      ini.Comment("FILL IN: only a program of its own can look into this model. Put your engine there.");
    } else {
      ini.Key("onnx-file", "onnx/" + cut.name + ".onnx");
    }
    // Where nvinfer itself puts the engine that it builds, so that the next start finds it.
    ini.Key("model-engine-file", "onnx/" + cut.name + ".onnx_b" + std::to_string(cut.cut->batch) +
                                     (dla ? "_dla" : "_gpu") + std::to_string(NumberOf(platform(), unit)) +
                                     "_" + (IsHalfOrByte(precision) ? precision : "fp32") + ".engine");
    ini.Key("batch-size", cut.cut->batch);
    ini.Key("interval", rate.interval);
    ini.Key("network-mode", precision == "int8" ? 1 : precision == "fp16" ? 2 : 0);
    if (precision == "int8" && !stage) {
      ini.Key("int8-calib-file", "onnx/" + cut.name + ".calib");
      emitted_.Lacks("model " + Quoted(cut.name) + ": the scales of int8: put a calibration table at onnx/" +
                     cut.name + ".calib");
    }
    ini.Key("infer-dims", Joined(Shape(shape.begin() + 1, shape.end()), ";"));
    ini.Key("gie-unique-id", 1);
    ini.Key("process-mode", 1);
    ini.Comment("What comes out is handed on as it is: boxes and labels need a parser of yours.");
    ini.Key("network-type", 100);
    ini.Key("output-tensor-meta", 1);
    return ini.Take();
  }

  // A batch is of as many cameras.
  std::string App(const Stream& stream, const DeployedCut& cut, UnitId unit, const Rate& rate,
                  const std::string& config) {
    const std::int64_t gpu = ChipOf(platform(), unit) == Chip::kGpu ? NumberOf(platform(), unit) : 0;
    const Shape shape = Shape4(cut);
    Ini ini;
    ini.Group("application");
    ini.Key("enable-perf-measurement", 1);
    ini.Key("perf-measurement-interval-sec", 5);
    for (std::int64_t camera = 0; camera < stream.batch; ++camera) {
      ini.Group("source" + std::to_string(camera));
      ini.Key("enable", 1);
      ini.Comment("A camera (V4L2); for a file: type=2 and uri=file://...");
      ini.Key("type", 1);
      ini.Key("camera-v4l2-dev-node", next_camera_++);
      ini.Key("camera-width", 1280);
      ini.Key("camera-height", 720);
      ini.Key("camera-fps-n", rate.numerator);
      ini.Key("camera-fps-d", rate.denominator);
    }
    ini.Group("streammux");
    ini.Key("gpu-id", gpu);
    ini.Key("live-source", 1);
    ini.Key("batch-size", stream.batch);
    ini.Key("batched-push-timeout", 1'000'000 * rate.denominator / rate.numerator);
    ini.Key("width", shape[3]);
    ini.Key("height", shape[2]);
    ini.Group("primary-gie");
    ini.Key("enable", 1);
    ini.Key("gpu-id", gpu);
    ini.Key("gie-unique-id", 1);
    ini.Key("batch-size", stream.batch);
    ini.Key("interval", rate.interval);
    ini.Key("config-file", config);
    ini.Group("sink0");
    ini.Key("enable", 1);
    ini.Comment("Nothing is shown.");
    ini.Key("type", 1);
    ini.Key("sync", 0);
    return ini.Take();
  }

  void AddOnnx(const DeployedCut& cut) {
    const std::string path = "onnx/" + cut.name + ".onnx";
    const auto is_it = [&](const EmittedFile& file) { return file.path == path; };
    if (std::any_of(emitted_.files.begin(), emitted_.files.end(), is_it)) return;
    emitted_.files.push_back(OnnxFile(scenario(), cut.cut->model, cut.cut->batch, path));
  }

  // One process: GPU and DLAs then work side by side.
  std::string RunScript() const {
    std::string text =
        "#!/bin/sh\n# All streams in one process, so that GPU and DLAs work side by side.\nset -e\n"
        "cd \"$(dirname \"$0\")\"\n"
        "export CUDA_DEVICE_MAX_CONNECTIONS=32\n"
        "exec \"${DEEPSTREAM_APP:-deepstream-app}\"";
    for (const std::string& app : apps_) text += " -c " + ShellText(app);
    return text + " \"$@\"\n";
  }

  const Deployment& deployment_;
  std::vector<DeployedCut> cuts_;
  PlainNames names_;
  std::vector<std::string> apps_;
  std::int64_t next_camera_ = 0;
  Emitted emitted_;
};

Emitted Emit(const Deployment& deployment) { return Writer(deployment).Write(); }

const FeatureAnswers kAnswers = {
    {"schedule", Expressed::kNo},
    {"slack", Expressed::kNo},
    {"rule", Expressed::kNo},
    {"replicas", Expressed::kPartly},
    {"cuts", Expressed::kPartly},
    {"splits", Expressed::kNo, "nvinfer runs all of a model on one chip"},
    {"stages", Expressed::kPartly},
    {"edges", Expressed::kNo},
    {"zero_copy", Expressed::kNo},
    {"copies_beside", Expressed::kNo},
    {"memory", Expressed::kNo},
    {"programs", Expressed::kNo},
    {"clock_states", Expressed::kNo},
    {"precision", Expressed::kPartly},
    {"slots", Expressed::kNo},
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
    {"arrivals", Expressed::kPartly},
    {"in_flight", Expressed::kNo, "its source is a camera"},
    {"depends_on", Expressed::kNo, "each stream has a camera of its own"},
    {"probability", Expressed::kNo, "each stream has a camera of its own"},
    {"every", Expressed::kNo, "each stream has a camera of its own"},
    {"joins", Expressed::kNo, "each stream has a camera of its own"},
    {"times", Expressed::kNo, "each stream has a camera of its own"},
    {"data", Expressed::kNo, "each stream has a camera of its own"},
    {"priorities", Expressed::kNo},
    {"critical", Expressed::kNo},
    {"deadline", Expressed::kNo},
    {"end_to_end_deadline", Expressed::kNo},
    {"drop_late", Expressed::kNo},
    {"keep_latest", Expressed::kNo},
    {"batch", Expressed::kYes},
    {"batching", Expressed::kNo, "its batch-size is 1, one camera"},
    {"batching_wait", Expressed::kNo},
    {"batching_preferred", Expressed::kNo, "its batch-size is 1, one camera"},
    {"batching_across", Expressed::kNo, "its batch-size is 1, one camera"},
};

const EmitterRegistration kDeepStream{
    {.name = "deepstream",
     .summary = "nvinfer properties (chip, batch, interval) and an application per stream for DeepStream",
     .emit = Emit,
     .called = "DeepStream",
     .answers = kAnswers}};

}  // namespace
}  // namespace tandem::deepstream
