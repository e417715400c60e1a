#include "device/profiler/samples/samples.h"

#include <algorithm>

#include "device/profiler/samples/reference_state.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/decimal.h"
#include "profiles/base/json_write.h"

namespace tandem {
namespace {

constexpr std::string_view kKind = "profile-samples/1";

std::string Micros(Nanos time) { return DecimalText(time.count(), 3); }

std::string TimesJson(const std::vector<Nanos>& samples) {
  std::string times;
  for (const Nanos time : Thinned(samples)) times += (times.empty() ? "" : ", ") + Micros(time);
  return "[" + times + "]";
}

// "0010", for so many of them, where one is so; as thin as the times beside them.
std::string FlagsText(const std::vector<bool>& held_back, std::size_t size) {
  if (std::find(held_back.begin(), held_back.end(), true) == held_back.end()) return {};
  std::vector<Nanos> all;
  for (std::size_t i = 0; i < std::max(held_back.size(), size); ++i) {
    all.emplace_back(WasHeldBack(held_back, i) ? 1 : 0);
  }
  std::string text;
  for (const Nanos one : Thinned(all)) text += one == Nanos{1} ? '1' : '0';
  return text;
}

std::string PartJson(const SampledPart& part) {
  JsonObject json;
  return json.Add("layers", JsonStrings(part.layers)).Add("samples_us", TimesJson(part.samples)).Text();
}

std::string SourceJson(const SampleSource& source, const SourceSamples& samples) {
  JsonObject json;
  json.AddString("model", source.model.model).Add("batch", std::to_string(source.model.batch));
  json.AddString("unit", source.unit);
  json.AddString("cut", NameOf(kProfileCutNames, source.cut));
  json.AddString("manner", NameOf(kProfileMannerNames, source.manner));
  json.AddString("precision", source.precision);
  json.Add("done", samples.done ? "true" : "false");
  std::string parts;
  for (const SampledPart& part : samples.parts) parts += (parts.empty() ? "" : ", ") + PartJson(part);
  const auto& readings = samples.readings;
  if (std::any_of(readings.begin(), readings.end(), [](Nanos reading) { return reading > Nanos{0}; })) {
    json.Add("readings_us", TimesJson(readings));
  }
  const std::string held_back = FlagsText(samples.held_back, readings.size());
  if (!held_back.empty()) json.AddString("held_back", held_back);
  return json.Add("parts", "[" + parts + "]").Text();
}

std::string TransferJson(const TransferSource& source, const TransferSamples& samples) {
  JsonObject json;
  json.AddString("from", source.from).AddString("to", source.to);
  json.Add("bytes", std::to_string(source.bytes)).Add("done", samples.done ? "true" : "false");
  return json.Add("samples_us", TimesJson(samples.samples)).Text();
}

std::string PairJson(const PairCheck& pair) {
  JsonObject json;
  json.AddString("unit", pair.unit).AddString("model", pair.model);
  json.AddString("beside", pair.beside).AddString("beside_model", pair.beside_model);
  return json.Add("measured", JsonNumber(pair.measured)).Add("curve", JsonNumber(pair.curve)).Text();
}

std::string EnergyJson(const std::string& unit, const MeteredEnergy& energy) {
  std::string joules;
  for (const auto& [model, of_model] : energy.joules) {
    JsonObject json;
    json.AddString("model", model.model).Add("batch", std::to_string(model.batch));
    joules += (joules.empty() ? "" : ", ") + json.Add("joules", JsonNumber(of_model)).Text();
  }
  JsonObject json;
  json.AddString("unit", unit).AddString("sensors", energy.sensors).AddString("why", energy.why);
  json.Add("idle_w", JsonNumber(energy.idle_w)).Add("busy_w", JsonNumber(energy.busy_w));
  return json.Add("joules", "[" + joules + "]").Text();
}

std::string RestJson(const ProfilerSamples& samples) {
  Profile rest;
  rest.platform = "unfinished";
  rest.origin.kind = OriginKind::kEstimated;
  rest.origin.method = "unfinished";
  rest.origin.machine = MachineWhile(samples);
  rest.parts = samples.parts;
  rest.loads = samples.loads;
  rest.kernels = samples.kernels;
  rest.dispatch = samples.dispatch;
  rest.co_running = samples.co_running;
  rest.traffic = samples.traffic;
  rest.background = samples.background;
  rest.together = samples.together;
  rest.hand_overs = samples.hand_overs;
  rest.after_idle = samples.after_idle;
  rest.after_other = samples.after_other;
  rest.repeated = samples.repeated;
  rest.sharing = samples.sharing;
  rest.memory = samples.memory;
  return ProfileJson(rest);
}

std::vector<Nanos> ReadTimes(const JsonReader& list) {
  std::vector<Nanos> times;
  for (const JsonReader time : list.Elements()) times.push_back(time.Micros());
  return times;
}

std::vector<bool> ReadHeldBack(const JsonReader& text) {
  std::vector<bool> held_back;
  for (const char one : text.String()) held_back.push_back(one == '1');
  return held_back;
}

SampledPart ReadPart(const JsonReader& value) {
  value.OnlyKeys({"layers", "samples_us"});
  SampledPart part;
  for (const JsonReader layer : value.Get("layers").Elements()) part.layers.push_back(layer.Name());
  part.samples = ReadTimes(value.Get("samples_us"));
  return part;
}

void ReadTransfer(const JsonReader& value, ProfilerSamples& samples) {
  value.OnlyKeys({"from", "to", "bytes", "done", "samples_us"});
  const TransferSource source{value.Get("from").Name(), value.Get("to").Name(),
                              value.Get("bytes").Integer(0)};
  samples.transfers[source] = {ReadTimes(value.Get("samples_us")), value.Get("done").Boolean()};
}

void ReadSource(const JsonReader& value, ProfilerSamples& samples) {
  value.OnlyKeys(
      {"model", "batch", "unit", "cut", "manner", "precision", "done", "readings_us", "held_back", "parts"});
  SampleSource source;
  source.model = {value.Get("model").Name(), value.Get("batch").Integer(1)};
  source.unit = value.Get("unit").Name();
  source.cut = value.Get("cut").OneOf(kProfileCutNames, "cut");
  source.manner = value.Get("manner").OneOf(kProfileMannerNames, "manner");
  source.precision = value.Get("precision").Name();
  SourceSamples& read = samples.sources[source];
  read.done = value.Get("done").Boolean();
  for (const JsonReader part : value.Get("parts").Elements()) read.parts.push_back(ReadPart(part));
  if (const auto readings = value.Find("readings_us")) read.readings = ReadTimes(*readings);
  if (const auto held_back = value.Find("held_back")) read.held_back = ReadHeldBack(*held_back);
}

PairCheck ReadPair(const JsonReader& value) {
  value.OnlyKeys({"unit", "model", "beside", "beside_model", "measured", "curve"});
  return {value.Get("unit").Name(),         value.Get("model").Name(),        value.Get("beside").Name(),
          value.Get("beside_model").Name(), value.Get("measured").Positive(), value.Get("curve").Number(0)};
}

void ReadEnergy(const JsonReader& value, ProfilerSamples& samples) {
  value.OnlyKeys({"unit", "sensors", "why", "idle_w", "busy_w", "joules"});
  MeteredEnergy& energy = samples.energy[value.Get("unit").Name()];
  energy.sensors = value.Get("sensors").String();
  energy.why = value.Get("why").String();
  energy.idle_w = value.Get("idle_w").Number(0);
  energy.busy_w = value.Get("busy_w").Number(0);
  for (const JsonReader of_model : value.Get("joules").Elements()) {
    of_model.OnlyKeys({"model", "batch", "joules"});
    const ProfiledModel model{of_model.Get("model").Name(), of_model.Get("batch").Integer(1)};
    energy.joules[model] = of_model.Get("joules").Number(0);
  }
}

std::vector<std::string> ReadStrings(const JsonReader& list) {
  std::vector<std::string> texts;
  for (const JsonReader text : list.Elements()) texts.emplace_back(text.String());
  return texts;
}

}  // namespace

std::vector<ProfileCut> CutsOf(const ProfileOrder& request) {
  std::vector<ProfileCut> cuts = {ProfileCut::kWhole};
  if (request.groups) cuts.push_back(ProfileCut::kGroups);
  if (request.layers) cuts.push_back(ProfileCut::kLayers);
  return cuts;
}

StateReading Worse(const StateReading& before, const StateReading& after) {
  return {std::max(before.took, after.took), before.held_back || after.held_back};
}

void NoteReading(const StateReading& reading, SourceSamples& source) {
  const std::size_t passes = source.parts.front().samples.size();
  source.readings.resize(passes, reading.took);
  source.held_back.resize(passes, reading.held_back);
}

bool WasHeldBack(const std::vector<bool>& held_back, std::size_t at) {
  return at < held_back.size() && held_back[at];
}

bool IsFinished(const ProfilerSamples& samples, std::string_view name) {
  return std::find(samples.finished.begin(), samples.finished.end(), name) != samples.finished.end();
}

std::string TextOf(const ProfiledModel& model) {
  return model.model + (model.batch == 1 ? "" : " with batch " + std::to_string(model.batch));
}

std::string LabelOf(const std::string& unit, const std::string& precision) {
  return unit + (precision == "fp32" ? "" : " in " + precision);
}

namespace {

std::string ReadingsJson(const std::map<std::string, std::vector<Nanos>>& all) {
  JsonObject json;
  for (const auto& [unit, readings] : all) {
    if (!readings.empty()) json.Add(unit, TimesJson(readings));
  }
  return json.Text();
}

// Beside the readings of the same units; some have none.
std::string HeldBackJson(const std::map<std::string, std::vector<bool>>& all,
                         const std::map<std::string, std::vector<Nanos>>& readings) {
  JsonObject json;
  for (const auto& [unit, held_back] : all) {
    const auto beside = readings.find(unit);
    const std::string text = FlagsText(held_back, beside == readings.end() ? 0 : beside->second.size());
    if (!text.empty()) json.AddString(unit, text);
  }
  return json.Text();
}

}  // namespace

std::string ProfilerSamplesJson(const ProfilerSamples& samples) {
  JsonObject libraries;
  for (const auto& [name, version] : samples.libraries) libraries.AddString(name, version);
  std::string sources, transfers, pairs, energy;
  for (const auto& [source, found] : samples.sources) {
    sources += (sources.empty() ? "\n  " : ",\n  ") + SourceJson(source, found);
  }
  for (const auto& [source, found] : samples.transfers) {
    transfers += (transfers.empty() ? "\n  " : ",\n  ") + TransferJson(source, found);
  }
  for (const PairCheck& pair : samples.pairs) pairs += (pairs.empty() ? "" : ", ") + PairJson(pair);
  for (const auto& [unit, of_unit] : samples.energy) {
    energy += (energy.empty() ? "" : ", ") + EnergyJson(unit, of_unit);
  }
  JsonObject json;
  json.AddString("tandem", kKind).Add("request", std::to_string(samples.request));
  json.AddString("host", samples.host).Add("libraries", libraries.Text());
  if (!samples.reading.empty()) json.AddString("reading", samples.reading);
  JsonObject rows;
  for (const auto& [unit, of_unit] : samples.yardstick_rows) rows.Add(unit, std::to_string(of_unit));
  json.Add("yardstick_rows", rows.Text());
  json.Add("yardsticks_us", ReadingsJson(samples.yardsticks));
  json.Add("yardsticks_at_once_us", ReadingsJson(samples.yardsticks_at_once));
  json.Add("held_back", HeldBackJson(samples.held_back, samples.yardsticks));
  json.Add("held_back_at_once", HeldBackJson(samples.held_back_at_once, samples.yardsticks_at_once));
  json.Add("sources", "[" + sources + "]").Add("transfers", "[" + transfers + "]");
  json.Add("pairs", "[" + pairs + "]");
  json.Add("energy", "[" + energy + "]");
  json.Add("finished", JsonStrings(samples.finished)).Add("notes", JsonStrings(samples.notes));
  return json.Add("rest", RestJson(samples)).Text() + "\n";
}

namespace {

std::map<std::string, std::vector<Nanos>> ReadReadings(const std::optional<JsonReader>& units) {
  std::map<std::string, std::vector<Nanos>> readings;
  if (!units) return readings;
  for (const JsonReader unit : units->Members()) readings.emplace(unit.key(), ReadTimes(unit));
  return readings;
}

std::map<std::string, std::vector<bool>> ReadAllHeldBack(const std::optional<JsonReader>& units) {
  std::map<std::string, std::vector<bool>> held_back;
  if (!units) return held_back;
  for (const JsonReader unit : units->Members()) held_back.emplace(unit.key(), ReadHeldBack(unit));
  return held_back;
}

}  // namespace

ProfilerSamples ReadProfilerSamples(const JsonReader& root) {
  ExpectFileKind(root, kKind);
  root.OnlyKeys({"tandem", "request", "host", "libraries", "reading", "yardstick_rows", "yardsticks_us",
                 "yardsticks_at_once_us", "held_back", "held_back_at_once", "sources", "transfers", "pairs",
                 "energy", "finished", "notes", "rest"});
  ProfilerSamples samples;
  samples.request = root.Get("request").Unsigned();
  samples.host = root.Get("host").Name();
  if (const auto reading = root.Find("reading")) samples.reading = reading->String();
  for (const JsonReader library : root.Get("libraries").Members()) {
    samples.libraries.emplace(library.key(), library.String());
  }
  if (const auto rows = root.Find("yardstick_rows")) {
    for (const JsonReader unit : rows->Members()) samples.yardstick_rows.emplace(unit.key(), unit.Integer(0));
  }
  samples.yardsticks = ReadReadings(root.Find("yardsticks_us"));
  samples.yardsticks_at_once = ReadReadings(root.Find("yardsticks_at_once_us"));
  samples.held_back = ReadAllHeldBack(root.Find("held_back"));
  samples.held_back_at_once = ReadAllHeldBack(root.Find("held_back_at_once"));
  for (const JsonReader source : root.Get("sources").Elements()) ReadSource(source, samples);
  for (const JsonReader transfer : root.Get("transfers").Elements()) ReadTransfer(transfer, samples);
  for (const JsonReader pair : root.Get("pairs").Elements()) samples.pairs.push_back(ReadPair(pair));
  for (const JsonReader unit : root.Get("energy").Elements()) ReadEnergy(unit, samples);
  samples.finished = ReadStrings(root.Get("finished"));
  samples.notes = ReadStrings(root.Get("notes"));
  Profile rest = ReadProfile(root.Get("rest"));
  samples.machine = std::move(rest.origin.machine);
  samples.parts = std::move(rest.parts);
  samples.loads = std::move(rest.loads);
  samples.kernels = std::move(rest.kernels);
  samples.dispatch = std::move(rest.dispatch);
  samples.co_running = std::move(rest.co_running);
  samples.traffic = std::move(rest.traffic);
  samples.background = std::move(rest.background);
  samples.together = std::move(rest.together);
  samples.hand_overs = std::move(rest.hand_overs);
  samples.after_idle = std::move(rest.after_idle);
  samples.after_other = std::move(rest.after_other);
  samples.repeated = std::move(rest.repeated);
  samples.sharing = std::move(rest.sharing);
  samples.memory = std::move(rest.memory);
  return samples;
}

}  // namespace tandem
