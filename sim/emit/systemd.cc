// systemd: a slice per unit with its cores, a service per stream with its cores and how urgent it is, and the
// same as plain commands for control groups.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/printable.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "sim/emit/left_out.h"
#include "sim/emit/parts.h"
#include "sim/emit/segment_model.h"
#include "sim/emit/stage.h"

namespace tandem::systemd {
namespace {

const std::string kModels = "/usr/local/share/tandem/models/";
const std::string kStages = "/usr/local/share/tandem/stages/";
constexpr std::int64_t kUsualWeight = 100, kMostWeight = 10000;

// '%' means something in unit files, and who installs them reads them before.
std::string Plain(const std::string& text) {
  std::string plain;
  for (const char c : PrintableLine(text)) {
    plain += c;
    if (c == '%') plain += '%';
  }
  return plain;
}

struct Service {
  const Stream* stream = nullptr;
  std::string name;   // "tandem-camera.service"
  std::string model;  // as tandem-device is to find it
  std::string stage;  // what is started instead where only a program of its own can look into it
  std::vector<std::int64_t> cores;
  UnitId unit;  // the slice that it is in; invalid: none has cores
  std::int64_t nice = 0, weight = kUsualWeight;
};

class Writer {
 public:
  explicit Writer(const Deployment& deployment) : deployment_(deployment) {}

  Emitted Write() {
    for (std::size_t u = 0; u < platform().units.size(); ++u) {
      // "-" in the name of a slice is a step down.
      std::string name = PlainNames().Of(platform().units[u].name);
      std::replace(name.begin(), name.end(), '-', '_');
      slice_of_.push_back("tandem-" + slices_.Of(name) + ".slice");
    }
    for (std::size_t s = 0; s < scenario().streams.size(); ++s) AddService(StreamId(s));
    emitted_.Add("units/tandem.slice", "[Unit]\nDescription=" + Plain("tandem: " + scenario().name) +
                                           "\n\n[Slice]\nCPUAccounting=yes\n");
    for (std::size_t u = 0; u < platform().units.size(); ++u) AddSlice(UnitId(u));
    for (const Service& service : services_) emitted_.Add("units/" + service.name, UnitFile(service));
    emitted_.Add("units/tandem.target", Target());
    emitted_.files.push_back({"install.sh", Install(), true});
    emitted_.files.push_back({"cpusets.sh", CpuSets(), true});
    Say();
    return std::move(emitted_);
  }

 private:
  const Scenario& scenario() const { return deployment_.scenario(); }
  const Platform& platform() const { return deployment_.platform(); }
  bool HasCores(UnitId unit) const { return !platform().unit(unit).cores.empty(); }
  const std::string& SliceOf(UnitId unit) const { return slice_of_[unit.index()]; }
  std::string CoresOf(UnitId unit) const { return Joined(platform().unit(unit).cores, ","); }

  std::vector<std::int64_t> Urgencies() const {  // the most urgent first
    std::set<std::int64_t, std::greater<>> priorities;
    for (const Stream& stream : scenario().streams) priorities.insert(stream.priority);
    return {priorities.begin(), priorities.end()};
  }

  // Nice 0 and the greatest weight for the most urgent; steps of 5 and halves, as far as there is room.
  void SetUrgency(Service& service) {
    const std::vector<std::int64_t> urgencies = Urgencies();
    const auto levels = static_cast<std::int64_t>(urgencies.size());
    const auto level =
        std::find(urgencies.begin(), urgencies.end(), service.stream->priority) - urgencies.begin();
    constexpr std::int64_t kLeastUrgent = 19, kStep = 5;
    const std::int64_t step =
        levels < 2 ? 0 : std::max<std::int64_t>(std::min(kStep, kLeastUrgent / (levels - 1)), 1);
    service.nice = std::min(kLeastUrgent, level * step);
    for (std::int64_t below = level + 1; below < levels; ++below) {
      service.weight = std::min(kMostWeight, 2 * service.weight);
    }
    const bool lost = levels - 1 > kLeastUrgent;
    if (lost) emitted_.Lacks(std::to_string(levels) + " priorities of streams: Nice= has 20 steps for them");
  }

  void AddService(StreamId id) {
    const Stream& stream = scenario().streams[id.index()];
    Service service;
    service.stream = &stream;
    service.name = "tandem-" + names_.Of(stream.name) + ".service";
    if (HasStage(*scenario().model(stream.model).model)) {
      service.model = scenario().model(stream.model).name;
      service.stage = kStages + StageOf(id);
    } else {
      service.model = ModelOf(stream);
    }
    std::map<UnitId, Nanos> busy;
    for (const DeployedShare& share : deployment_.shares()) {
      if (share.stream == id) busy[share.unit] += share.busy;
    }
    std::set<std::int64_t> cores;
    for (const auto& [unit, time] : busy) {
      cores.insert(platform().unit(unit).cores.begin(), platform().unit(unit).cores.end());
      if (HasCores(unit) && (!service.unit.valid() || busy[service.unit] < time)) service.unit = unit;
    }
    service.cores.assign(cores.begin(), cores.end());
    SayOfUnits(stream, busy, service);
    SetUrgency(service);
    services_.push_back(std::move(service));
  }

  // One that tandem ships by its name; a file of the user's goes along.
  std::string ModelOf(const Stream& stream) {
    const std::string& name = scenario().model(stream.model).name;
    if (IsShippedName(name)) return name;
    std::string& file = files_[{stream.model, stream.batch}];
    if (file.empty()) {
      const std::string& model = scenario().model(stream.model).model->name();
      file =
          names_of_files_.Of(model + (stream.batch > 1 ? "_b" + std::to_string(stream.batch) : "")) + ".onnx";
      emitted_.files.push_back(OnnxFile(scenario(), stream.model, stream.batch, "models/" + file));
      SayOfWeights(deployment_, stream.model, emitted_);
    }
    return kModels + file;
  }

  // A script that its owner fills in, once for each model and batch.
  std::string StageOf(StreamId id) {
    const Stream& stream = scenario().streams[id.index()];
    std::string& file = stages_[{stream.model, stream.batch}];
    if (!file.empty()) return file;
    const Model model = scenario().model(stream.model).model->WithBatch(stream.batch);
    file = names_of_stages_.Of(model.name() + (stream.batch > 1 ? "_b" + std::to_string(stream.batch) : ""));
    const std::vector<LayerId> layers = WorkingLayers(model);
    EmittedFile script =
        StageFile("stages/" + file, "#!/bin/sh\n" +
                                        StageComment(model, TensorsOf(model, LayersRead(model, layers)),
                                                     TensorsOf(model, LayersMade(model, layers)), "# ") +
                                        "echo 'the stage is not filled in' >&2  # FILL IN\nexit 1\n");
    script.executable = true;
    emitted_.files.push_back(std::move(script));
    SayOfStage(model, "stages/" + file, emitted_);
    return file;
  }

  void SayOfUnits(const Stream& stream, const std::map<UnitId, Nanos>& busy, Service& service) {
    const std::string of = "stream " + Quoted(stream.name) + ": ";
    std::size_t with_cores = 0;
    for (const auto& [unit, time] : busy) {
      with_cores += HasCores(unit) ? 1 : 0;
      if (HasCores(unit)) continue;
      emitted_.Lacks(
          of + "that " + UnitText(platform(), unit) + " runs it: systemd places processes on cores, and " +
          (ChipOf(platform(), unit) == Chip::kCpu ? "the platform names none of this unit"
                                                  : "this unit is no core: the command has to ask for it"));
    }
    if (with_cores < 2) return;
    emitted_.Lacks(of +
                   "which of its requests run on which unit: its service may use the cores of all of them");
    service.unit = UnitId();  // a slice of one unit would keep it from the others
  }

  void AddSlice(UnitId unit) {
    if (!HasCores(unit)) return;
    emitted_.Add("units/" + SliceOf(unit),
                 "[Unit]\nDescription=" + Plain("tandem: unit " + platform().unit(unit).name) +
                     "\n\n[Slice]\nAllowedCPUs=" + CoresOf(unit) + "\n");
  }

  std::string UnitFile(const Service& service) const {
    std::string text =
        "# " + Plain("stream " + service.stream->name + ", model " + service.model) + "\n[Unit]\n";
    text +=
        "Description=" + Plain("tandem: " + service.stream->name) + "\nPartOf=tandem.target\n\n[Service]\n";
    text += "Slice=" + (service.unit.valid() ? SliceOf(service.unit) : std::string("tandem.slice")) + "\n";
    if (!service.cores.empty()) {
      const std::string cores = Joined(service.cores, ",");
      text += "AllowedCPUs=" + cores + "\nCPUAffinity=" + cores + "\n";
    }
    text += "Nice=" + std::to_string(service.nice) + "\nCPUWeight=" + std::to_string(service.weight) + "\n";
    const std::string install = "\n\n[Install]\nWantedBy=tandem.target\n";
    if (!service.stage.empty()) return text + "ExecStart=" + Word(service.stage) + install;
    text += "# The program that serves the stream: yours, by `systemctl edit " + service.name + "`\n";
    text += "# (an empty ExecStart= and then your own), or this measurement of the model.\n";
    text += "ExecStart=/usr/bin/env tandem-device infer " + Word(service.model);
    if (!service.cores.empty()) text += " --cores " + Joined(service.cores, ",");
    if (service.stream->batch > 1 && !service.model.starts_with(kModels))
      text += " --batch " + std::to_string(service.stream->batch);
    return text + install;
  }

  // An argument of ExecStart: in quotes, '"' and '\' by a backslash, '%' and '$' twice, and what does not
  // show as systemd reads it back.
  static std::string Word(const std::string& text) {
    std::string word = "\"";
    for (std::string_view rest = text; !rest.empty();) {
      const Glyph glyph = FirstGlyph(rest);
      const char c = rest.front();
      if (c == '"' || c == '\\') word += '\\';
      if (c == '%' || c == '$') word += c;
      word += glyph.shows ? rest.substr(0, glyph.length) : glyph.written;
      rest.remove_prefix(glyph.length);
    }
    return word + "\"";
  }

  std::string Target() const {
    std::string wants;
    for (const Service& service : services_) wants += (wants.empty() ? "" : " ") + service.name;
    return "[Unit]\nDescription=" + Plain("tandem: " + scenario().name) + "\nWants=" + wants +
           "\n\n[Install]\nWantedBy=multi-user.target\n";
  }

  std::string Install() const {
    std::string text =
        "#!/bin/sh\n# Copies the units; then: systemctl start tandem.target\nset -e\ncd \"$(dirname "
        "\"$0\")\"\n"
        "install -D -m 644 -t \"${DESTDIR:-}/etc/systemd/system\" units/*\n";
    if (!files_.empty()) text += "install -D -m 644 -t \"${DESTDIR:-}" + kModels + "\" models/*\n";
    if (!stages_.empty()) text += "install -D -m 755 -t \"${DESTDIR:-}" + kStages + "\" stages/*\n";
    return text + "[ -n \"${DESTDIR:-}\" ] || systemctl daemon-reload\n";
  }

  // For boards without systemd.
  std::string CpuSets() const {
    std::string text =
        "#!/bin/sh\n# The same without systemd: control groups of version 2, as root. A program joins one "
        "by\n"
        "#   echo $$ > \"$root/camera/cgroup.procs\"\nset -e\nroot=${1:-/sys/fs/cgroup/tandem}\n"
        "mkdir -p \"$root\"\necho '+cpuset +cpu' > \"$root/../cgroup.subtree_control\"\n"
        "echo '+cpuset +cpu' > \"$root/cgroup.subtree_control\"\n";
    for (const Service& service : services_) {
      const std::string name = service.name.substr(7, service.name.size() - 7 - 8);
      text += "mkdir -p \"$root/" + name + "\"\n";
      if (!service.cores.empty()) {
        text += "echo " + Joined(service.cores, ",") + " > \"$root/" + name + "/cpuset.cpus\"\n";
      }
      text += "echo " + std::to_string(service.weight) + " > \"$root/" + name + "/cpu.weight\"\n";
    }
    return text;
  }

  void Say() {
    if (Urgencies().size() > 1) {
      emitted_.Lacks(
          "priorities of streams are shares of the cores (Nice=, CPUWeight=): a less urgent one is slowed "
          "down, "
          "not held back until the others are done");
    }
  }

  const Deployment& deployment_;
  PlainNames names_, slices_, names_of_files_, names_of_stages_;
  std::map<std::pair<ModelId, std::int64_t>, std::string> files_, stages_;  // by model and batch
  std::vector<std::string> slice_of_;                                       // per unit
  std::vector<Service> services_;
  Emitted emitted_;
};

Emitted Emit(const Deployment& deployment) { return Writer(deployment).Write(); }

constexpr std::string_view kOneCommand = "its service runs one program, yours or a measurement of the model";

const FeatureAnswers kAnswers = {
    {"schedule", Expressed::kNo},
    {"slack", Expressed::kNo},
    {"rule", Expressed::kNo},
    {"replicas", Expressed::kPartly},
    {"cuts", Expressed::kNo, "systemd places processes, not parts of a model"},
    {"splits", Expressed::kNo, "systemd places processes, not parts of a model"},
    {"stages", Expressed::kPartly},
    {"edges", Expressed::kNo},
    {"zero_copy", Expressed::kNo},
    {"copies_beside", Expressed::kNo},
    {"memory", Expressed::kNo},
    {"programs", Expressed::kNo},
    {"clock_states", Expressed::kNo},
    {"precision", Expressed::kNo, "the command has to ask for it"},
    {"slots", Expressed::kNo},
    {"time_shared", Expressed::kNo},
    {"time_slices", Expressed::kNo},
    {"preempts", Expressed::kNo, "a less urgent stream is slowed down, not stopped"},
    {"cores", Expressed::kYes},
    {"device", Expressed::kNo, "the command has to ask for it"},
    {"exclusion", Expressed::kNo},
    {"commands", Expressed::kNo},
    {"residents", Expressed::kNo},
    {"on_chip", Expressed::kNo},
    {"loads", Expressed::kNo},
    {"speeds", Expressed::kNo},
    {"heat", Expressed::kNo},
    {"away", Expressed::kNo},
    {"arrivals", Expressed::kNo, "each service runs a program of yours, which has to know that"},
    {"in_flight", Expressed::kNo, kOneCommand},
    {"depends_on", Expressed::kNo},
    {"probability", Expressed::kNo},
    {"every", Expressed::kNo},
    {"joins", Expressed::kNo},
    {"times", Expressed::kNo},
    {"data", Expressed::kNo},
    {"priorities", Expressed::kPartly},
    {"critical", Expressed::kNo},
    {"deadline", Expressed::kNo},
    {"end_to_end_deadline", Expressed::kNo},
    {"drop_late", Expressed::kNo},
    {"keep_latest", Expressed::kNo},
    {"batch", Expressed::kYes},
    {"batching", Expressed::kNo, kOneCommand},
    {"batching_wait", Expressed::kNo, kOneCommand},
    {"batching_preferred", Expressed::kNo, kOneCommand},
    {"batching_across", Expressed::kNo, kOneCommand},
};

const EmitterRegistration kSystemd{
    {.name = "systemd",
     .summary = "slices and services with cores, Nice and CPUWeight per stream, and the same as cpusets",
     .emit = Emit,
     .called = "systemd",
     .answers = kAnswers}};

}  // namespace
}  // namespace tandem::systemd
