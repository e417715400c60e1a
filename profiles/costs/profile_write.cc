#include "profiles/base/decimal.h"
#include "profiles/base/hash.h"
#include "profiles/base/json_write.h"
#include "profiles/costs/profile.h"

namespace tandem {
namespace {

void AddTiming(JsonObject& json, const Timing& time) {
  if (time.samples.empty()) {
    json.Add("median_us", DecimalText(time.median.count(), 3));
    return;
  }
  std::string list;
  for (const Nanos sample : time.samples) {
    list += (list.empty() ? "" : ", ") + DecimalText(sample.count(), 3);
  }
  json.Add("samples_us", "[" + list + "]");
}

void AddText(JsonObject& json, const char* key, const std::string& text) {
  if (!text.empty()) json.AddString(key, text);
}

void AddLayers(JsonObject& json, const char* key, const std::vector<std::string>& layers) {
  if (!layers.empty()) json.Add(key, JsonStrings(layers));
}

void AddVariant(JsonObject& json, const Variant& variant) {
  if (variant.precision != "fp32") json.AddString("precision", variant.precision);
  AddText(json, "variant", variant.name);
}

std::string EntryJson(const CostEntry& entry) {
  JsonObject json;
  json.AddString("model", entry.model).AddString("unit", entry.unit);
  json.Add("layers", entry.layers.empty() ? "\"*\"" : JsonStrings(entry.layers));
  if (entry.batch != 1) json.Add("batch", std::to_string(entry.batch));
  AddVariant(json, entry.variant);
  if (entry.mapped) json.Add("mapped", "true");
  AddTiming(json, entry.time);
  if (entry.energy_j) json.Add("energy_j", JsonNumber(*entry.energy_j));
  if (!entry.input_shape.empty()) json.Add("input_shape", JsonIntegers(entry.input_shape));
  if (entry.cold) json.Add("cold_us", DecimalText(entry.cold->count(), 3));
  if (entry.inside) json.Add("inside_us", DecimalText(entry.inside->count(), 3));
  if (entry.device) json.Add("device_us", DecimalText(entry.device->count(), 3));
  if (entry.unstable) json.Add("unstable", "true");
  return json.Text();
}

std::string EntryJson(const PartEntry& entry) {
  JsonObject json;
  json.AddString("model", entry.model).AddString("unit", entry.unit);
  json.Add("layers", JsonStrings(entry.layers));
  json.AddString("axis", NameOf(kSplitAxisNames, entry.axis)).Add("size", std::to_string(entry.size));
  if (entry.batch != 1) json.Add("batch", std::to_string(entry.batch));
  AddVariant(json, entry.variant);
  AddTiming(json, entry.time);
  if (entry.unstable) json.Add("unstable", "true");
  return json.Text();
}

std::string EntryJson(const TransferEntry& entry) {
  JsonObject json;
  json.AddString("from", entry.from).AddString("to", entry.to);
  json.Add("bytes", std::to_string(entry.bytes));
  AddTiming(json, entry.time);
  if (entry.unstable) json.Add("unstable", "true");
  return json.Text();
}

std::string EntryJson(const LoadEntry& entry) {
  JsonObject json;
  json.AddString("model", entry.model).AddString("unit", entry.unit);
  AddVariant(json, entry.variant);
  AddTiming(json, entry.time);
  return json.Text();
}

std::string EntryJson(const DispatchEntry& entry) {
  JsonObject json;
  json.AddString("unit", entry.unit);
  AddTiming(json, entry.time);
  if (entry.split) json.Add("split", "true");
  return json.Text();
}

std::string EntryJson(const CoRunningEntry& entry) {
  JsonObject json;
  json.AddString("unit", entry.unit);
  AddText(json, "model", entry.model);
  AddLayers(json, "layers", entry.layers);
  json.AddString("beside", entry.beside);
  AddText(json, "beside_model", entry.beside_model);
  AddLayers(json, "beside_layers", entry.beside_layers);
  if (entry.beside_traffic_bytes_per_s) {
    json.Add("beside_traffic_bytes_per_s", JsonNumber(*entry.beside_traffic_bytes_per_s));
  }
  return json.Add("slowdown", JsonNumber(entry.slowdown)).Text();
}

std::string EntryJson(const TrafficEntry& entry) {
  JsonObject json;
  json.AddString("model", entry.model);
  AddLayers(json, "layers", entry.layers);
  json.AddString("unit", entry.unit);
  return json.Add("bytes_per_s", JsonNumber(entry.bytes_per_s)).Text();
}

std::string EntryJson(const BackgroundEntry& entry) {
  JsonObject json;
  json.AddString("unit", entry.unit).Add("load_pct", std::to_string(entry.load_pct));
  AddText(json, "model", entry.model);
  AddLayers(json, "layers", entry.layers);
  return json.Add("slowdown", JsonNumber(entry.slowdown)).Text();
}

std::string TextsJson(const std::map<std::string, std::string>& texts) {
  JsonObject json;
  for (const auto& [key, text] : texts) json.AddString(key, text);
  return json.Text();
}

std::string OriginJson(const Origin& origin) {
  const bool measured = origin.kind == OriginKind::kMeasured;
  JsonObject json;
  json.AddString("kind", NameOf(kOriginKindNames, origin.kind));
  AddText(json, "source", origin.source);
  AddText(json, "method", origin.method);
  AddText(json, "host", origin.host);
  AddText(json, "date", origin.date);
  if (measured || !origin.clocks.empty()) json.Add("clocks", TextsJson(origin.clocks));
  if (measured || !origin.libraries.empty()) json.Add("libraries", TextsJson(origin.libraries));
  if (measured || !origin.threads.empty()) {
    JsonObject threads;
    for (const auto& [unit, cores] : origin.threads) threads.Add(unit, JsonIntegers(cores));
    json.Add("threads", threads.Text());
  }
  if (origin.cache_mode) json.AddString("cache_mode", NameOf(kCacheModeNames, *origin.cache_mode));
  AddText(json, "note", origin.note);
  return json.Text();
}

template <class Entry>
void AddList(std::string& text, const char* key, const std::vector<Entry>& list, bool always) {
  if (list.empty() && !always) return;
  text += ",\n  \"" + std::string(key) + "\": [";
  const char* separator = "\n    ";
  for (const Entry& entry : list) {
    text += separator + EntryJson(entry);
    separator = ",\n    ";
  }
  text += list.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string ProfileJson(const Profile& profile) {
  std::string text = "{\n  \"tandem\": \"profile/1\",\n  \"platform\": " + JsonString(profile.platform);
  if (!profile.note.empty()) text += ",\n  \"note\": " + JsonString(profile.note);
  text += ",\n  \"origin\": " + OriginJson(profile.origin);
  AddList(text, "entries", profile.entries, true);
  AddList(text, "parts", profile.parts, false);
  AddList(text, "transfers", profile.transfers, false);
  AddList(text, "loads", profile.loads, false);
  AddList(text, "dispatch", profile.dispatch, false);
  AddList(text, "co_running", profile.co_running, false);
  AddList(text, "traffic", profile.traffic, false);
  AddList(text, "background", profile.background, false);
  return text + "\n}\n";
}

std::uint64_t ProfileHash(const Profile& profile) { return Fnv1a64(ProfileJson(profile)); }

}  // namespace tandem
