#include <algorithm>
#include <unordered_set>

#include "profiles/costs/profile.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 52;
constexpr std::int64_t kLargestExtent = 1'000'000;
constexpr std::int64_t kMostCores = 65536;
constexpr std::size_t kMostReserved = std::size_t{1} << 18;  // what a file says is not yet to be trusted
constexpr double kMostJoules = 1e9;
constexpr double kMostTraffic = 1e15;
constexpr double kMostSlowdown = 1000;  // rates are 1..1000 thousandths

// "2026-11-20", or the same with a time behind it: "2026-11-20T09:15:00Z".
bool IsDate(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != 10 && text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  return number(5) >= 1 && number(5) <= 12 && number(8) >= 1 && number(8) <= 31;
}

std::string ReadText(const JsonReader& value) {
  if (value.String().empty()) value.Fail("must not be empty");
  return std::string(value.String());
}

std::map<std::string, std::string> ReadTexts(const JsonReader& value) {
  std::map<std::string, std::string> texts;
  for (const JsonReader member : value.Members()) texts.emplace(member.key(), ReadText(member));
  return texts;
}

std::map<std::string, std::vector<std::int64_t>> ReadThreads(const JsonReader& value) {
  std::map<std::string, std::vector<std::int64_t>> threads;
  for (const JsonReader unit : value.Members()) {
    auto& cores = threads[std::string(unit.key())];
    for (const JsonReader core : unit.Elements()) cores.push_back(core.Integer(0, kMostCores - 1));
  }
  return threads;
}

void CheckOriginIsWhole(const JsonReader& value, OriginKind kind) {
  const auto needs = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (value.Find(key)) continue;
      value.Fail("the key \"" + std::string(key) + "\" is missing, which the origin " +
                 std::string(NameOf(kOriginKindNames, kind)) + " needs");
    }
  };
  if (kind == OriginKind::kMeasured) needs({"host", "clocks", "libraries", "threads", "date", "cache_mode"});
  if (kind == OriginKind::kPublished) needs({"source"});
  if (kind == OriginKind::kEstimated) needs({"method"});
}

Origin ReadOrigin(const JsonReader& value) {
  value.OnlyKeys(
      {"kind", "source", "method", "host", "date", "clocks", "libraries", "threads", "cache_mode", "note"});
  Origin origin;
  origin.kind = value.Get("kind").OneOf(kOriginKindNames, "origin");
  CheckOriginIsWhole(value, origin.kind);
  if (const auto source = value.Find("source")) origin.source = ReadText(*source);
  if (const auto method = value.Find("method")) origin.method = ReadText(*method);
  if (const auto host = value.Find("host")) origin.host = ReadText(*host);
  if (const auto date = value.Find("date")) {
    origin.date = date->String();
    if (!IsDate(origin.date)) date->Fail("expected a date such as 2026-11-20 or 2026-11-20T09:15:00Z");
  }
  if (const auto clocks = value.Find("clocks")) origin.clocks = ReadTexts(*clocks);
  if (const auto libraries = value.Find("libraries")) origin.libraries = ReadTexts(*libraries);
  if (const auto threads = value.Find("threads")) origin.threads = ReadThreads(*threads);
  if (const auto mode = value.Find("cache_mode"))
    origin.cache_mode = mode->OneOf(kCacheModeNames, "cache mode");
  if (const auto note = value.Find("note")) origin.note = note->String();
  return origin;
}

Timing ReadTiming(const JsonReader& value) {
  const auto median = value.Find("median_us");
  const auto samples = value.Find("samples_us");
  if (median && samples) value.Fail("has both median_us and samples_us; an entry has exactly one of them");
  if (median) return Timing{median->Micros(), {}};
  if (!samples) value.Fail("has neither median_us nor samples_us; an entry has exactly one of them");
  std::vector<Nanos> times;
  for (const JsonReader sample : samples->Elements()) times.push_back(sample.Micros());
  if (times.empty()) samples->Fail("needs at least one sample");
  return Timing::OfSamples(std::move(times));
}

// "*", or no list at all where that is allowed, is an empty one.
std::vector<std::string> ReadLayers(const JsonReader& value) {
  std::vector<std::string> layers;
  if (value.IsString()) {
    if (value.String() == "*") return layers;
    value.Fail("expected \"*\" (the whole model) or a list of layers, found the string " +
               Quoted(value.String()));
  }
  std::unordered_set<std::string_view> seen;
  for (const JsonReader layer : value.Elements()) {
    layers.push_back(layer.Name());
    if (!seen.insert(layer.String()).second) {
      layer.Fail("the layer " + Quoted(layer.String()) + " is given twice");
    }
  }
  if (layers.empty()) value.Fail("needs at least one layer; \"*\" is the whole model");
  return layers;
}

// A model and its layers where an entry may leave both out: any model, any layer.
void ReadScope(const JsonReader& value, const char* model_key, const char* layers_key, std::string& model,
               std::vector<std::string>& layers) {
  if (const auto found = value.Find(model_key)) model = found->Name();
  const auto found = value.Find(layers_key);
  if (found && model.empty()) found->Fail("layers need a \"" + std::string(model_key) + "\" beside them");
  if (found) layers = ReadLayers(*found);
}

Variant ReadVariant(const JsonReader& value) {
  Variant variant;
  if (const auto name = value.Find("variant")) {
    variant.name = name->Name();
    // "/" separates the precision where a scenario names a variant.
    if (variant.name.find('/') != std::string::npos) name->Fail("the name of a variant must not hold \"/\"");
  }
  if (const auto precision = value.Find("precision")) {
    precision->OneOf(kPrecisions, "precision");
    variant.precision = precision->String();
  }
  return variant;
}

CostEntry ReadCost(const JsonReader& value) {
  value.OnlyKeys({"model", "unit", "layers", "batch", "precision", "variant", "mapped", "median_us",
                  "samples_us", "energy_j", "input_shape", "cold_us", "inside_us", "device_us", "unstable"});
  CostEntry entry;
  entry.model = value.Get("model").Name();
  entry.unit = value.Get("unit").Name();
  entry.layers = ReadLayers(value.Get("layers"));
  if (const auto batch = value.Find("batch")) entry.batch = batch->Integer(1, kMostBatch);
  entry.variant = ReadVariant(value);
  if (const auto mapped = value.Find("mapped")) entry.mapped = mapped->Boolean();
  entry.time = ReadTiming(value);
  if (const auto energy = value.Find("energy_j")) entry.energy_j = energy->Number(0, kMostJoules);
  if (const auto shape = value.Find("input_shape")) {
    for (const JsonReader extent : shape->Elements()) {
      entry.input_shape.push_back(extent.Integer(1, kLargestExtent));
    }
    if (entry.input_shape.empty()) shape->Fail("needs at least one extent");
  }
  if (const auto cold = value.Find("cold_us")) entry.cold = cold->Micros();
  if (const auto inside = value.Find("inside_us")) entry.inside = inside->Micros();
  if (const auto device = value.Find("device_us")) entry.device = device->Micros();
  if (const auto unstable = value.Find("unstable")) entry.unstable = unstable->Boolean();
  return entry;
}

PartEntry ReadPart(const JsonReader& value) {
  value.OnlyKeys({"model", "unit", "layers", "axis", "size", "batch", "precision", "variant", "median_us",
                  "samples_us", "unstable"});
  PartEntry entry;
  entry.model = value.Get("model").Name();
  entry.unit = value.Get("unit").Name();
  entry.layers = ReadLayers(value.Get("layers"));
  if (entry.layers.empty()) value.Get("layers").Fail("a whole model is not split; name one layer or a few");
  if (const auto axis = value.Find("axis")) entry.axis = axis->OneOf(kSplitAxisNames, "axis");
  entry.size = value.Get("size").Integer(1, kLargestExtent);
  if (const auto batch = value.Find("batch")) entry.batch = batch->Integer(1, kMostBatch);
  entry.variant = ReadVariant(value);
  entry.time = ReadTiming(value);
  if (const auto unstable = value.Find("unstable")) entry.unstable = unstable->Boolean();
  return entry;
}

TransferEntry ReadTransfer(const JsonReader& value) {
  value.OnlyKeys({"from", "to", "bytes", "median_us", "samples_us", "unstable"});
  TransferEntry entry;
  entry.from = value.Get("from").Name();
  entry.to = value.Get("to").Name();
  if (entry.from == entry.to) value.Fail("a transfer joins two memories, this one joins one with itself");
  entry.bytes = value.Get("bytes").Integer(0, kMostBytes);
  entry.time = ReadTiming(value);
  if (const auto unstable = value.Find("unstable")) entry.unstable = unstable->Boolean();
  return entry;
}

LoadEntry ReadLoad(const JsonReader& value) {
  value.OnlyKeys({"model", "unit", "precision", "variant", "median_us", "samples_us"});
  LoadEntry entry;
  entry.model = value.Get("model").Name();
  entry.unit = value.Get("unit").Name();
  entry.variant = ReadVariant(value);
  entry.time = ReadTiming(value);
  return entry;
}

DispatchEntry ReadDispatch(const JsonReader& value) {
  value.OnlyKeys({"unit", "median_us", "samples_us", "split"});
  const auto split = value.Find("split");
  return {value.Get("unit").Name(), ReadTiming(value), split && split->Boolean()};
}

CoRunningEntry ReadCoRunning(const JsonReader& value) {
  value.OnlyKeys({"unit", "model", "layers", "beside", "beside_model", "beside_layers",
                  "beside_traffic_bytes_per_s", "slowdown"});
  CoRunningEntry entry;
  entry.unit = value.Get("unit").Name();
  ReadScope(value, "model", "layers", entry.model, entry.layers);
  entry.beside = value.Get("beside").Name();
  ReadScope(value, "beside_model", "beside_layers", entry.beside_model, entry.beside_layers);
  if (const auto traffic = value.Find("beside_traffic_bytes_per_s")) {
    if (!entry.beside_model.empty()) {
      traffic->Fail("beside_model and beside_traffic_bytes_per_s exclude each other");
    }
    entry.beside_traffic_bytes_per_s = traffic->Number(0, kMostTraffic);
  }
  entry.slowdown = value.Get("slowdown").Number(1, kMostSlowdown);
  return entry;
}

TrafficEntry ReadTraffic(const JsonReader& value) {
  value.OnlyKeys({"model", "layers", "unit", "bytes_per_s"});
  TrafficEntry entry;
  (void)value.Get("model");
  ReadScope(value, "model", "layers", entry.model, entry.layers);
  entry.unit = value.Get("unit").Name();
  entry.bytes_per_s = value.Get("bytes_per_s").Number(0, kMostTraffic);
  return entry;
}

BackgroundEntry ReadBackground(const JsonReader& value) {
  value.OnlyKeys({"unit", "load_pct", "model", "layers", "slowdown"});
  BackgroundEntry entry;
  entry.unit = value.Get("unit").Name();
  entry.load_pct = value.Get("load_pct").Integer(1, 99);
  ReadScope(value, "model", "layers", entry.model, entry.layers);
  entry.slowdown = value.Get("slowdown").Number(1, kMostSlowdown);
  return entry;
}

template <class Entry>
void ReadList(const JsonReader& value, const char* key, std::vector<Entry>& list,
              Entry (*read)(const JsonReader&)) {
  const auto entries = value.Find(key);
  if (!entries) return;
  list.reserve(std::min(entries->size(), kMostReserved));
  for (const JsonReader entry : entries->Elements()) list.push_back(read(entry));
}

}  // namespace

Profile ReadProfile(const JsonReader& value) {
  // In place, inside a scenario, the kind goes without saying.
  const std::string place = value.Where();
  const bool whole_file = place == value.file();
  if (whole_file || value.Find("tandem")) ExpectFileKind(value, "profile/1");
  value.OnlyKeys({"tandem", "platform", "note", "origin", "entries", "parts", "transfers", "loads",
                  "dispatch", "co_running", "traffic", "background"});
  Profile profile;
  profile.file = value.file();
  if (!whole_file) profile.inside = place.substr(profile.file.size() + 1);
  profile.platform = value.Get("platform").Name();
  if (const auto note = value.Find("note")) profile.note = note->String();
  profile.origin = ReadOrigin(value.Get("origin"));
  (void)value.Get("entries");
  ReadList(value, "entries", profile.entries, ReadCost);
  ReadList(value, "parts", profile.parts, ReadPart);
  ReadList(value, "transfers", profile.transfers, ReadTransfer);
  ReadList(value, "loads", profile.loads, ReadLoad);
  ReadList(value, "dispatch", profile.dispatch, ReadDispatch);
  ReadList(value, "co_running", profile.co_running, ReadCoRunning);
  ReadList(value, "traffic", profile.traffic, ReadTraffic);
  ReadList(value, "background", profile.background, ReadBackground);
  CheckTogether({&profile});
  return profile;
}

Profile ReadProfileFile(const std::filesystem::path& path) {
  return ReadProfile(JsonDocument::ReadFile(path).root());
}

}  // namespace tandem
