#include "profiles/estimate/spec.h"

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000;
constexpr std::int64_t kMostThreads = 65536;
constexpr double kMostPerSecond = 1e18;

KnownUnitRef ReadKnown(const JsonReader& value) {
  value.OnlyKeys({"board", "unit", "variant"});
  KnownUnitRef known{value.Get("board").Name(), value.Get("unit").Name(), {}};
  if (const auto variant = value.Find("variant")) known.variant = variant->Name();
  return known;
}

double ReadRate(const JsonReader& value) {
  const double rate = value.Positive();
  if (rate > kMostPerSecond) value.Fail("is beyond any processor: at most 1e18 a second");
  return rate;
}

void ReadUnitNames(const JsonReader& value, std::vector<std::string>& names) {
  for (const JsonReader name : value.Elements()) {
    names.push_back(name.Name());
    if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1) {
      name.Fail("the unit " + Quoted(names.back()) + " is given twice");
    }
  }
  if (names.empty()) value.Fail("needs at least one unit");
}

UnitEstimate ReadUnit(const JsonReader& value) {
  value.OnlyKeys({"units", "precision", "variant", "peak_macs_per_s", "bandwidth_bytes_per_s", "gemm_threads",
                  "like", "layers_of", "whole_model_ms", "note"});
  UnitEstimate unit;
  ReadUnitNames(value.Get("units"), unit.units);
  const auto name = value.Find("variant");
  const auto precision = value.Find("precision");
  if (name || precision) unit.variant.emplace();
  if (name) unit.variant->name = name->Name();
  if (precision) unit.variant->precision = precision->Name();
  if (const auto peak = value.Find("peak_macs_per_s")) unit.peak_macs_per_s = ReadRate(*peak);
  if (const auto bandwidth = value.Find("bandwidth_bytes_per_s"))
    unit.bandwidth_bytes_per_s = ReadRate(*bandwidth);
  if (const auto threads = value.Find("gemm_threads")) unit.gemm_threads = threads->Integer(1, kMostThreads);
  if (const auto like = value.Find("like")) {
    for (const JsonReader known : like->Elements()) unit.like.push_back(ReadKnown(known));
    if (unit.like.empty()) like->Fail("needs at least one unit whose layers are known");
  }
  if (const auto known = value.Find("layers_of")) unit.layers_of = ReadKnown(*known);
  if (const auto whole = value.Find("whole_model_ms")) {
    for (const JsonReader model : whole->Members()) {
      unit.whole_models.emplace(model.key(), model.Millis(Nanos{1}));
    }
  }
  if (const auto note = value.Find("note")) unit.note = note->String();
  if (!unit.peak_macs_per_s && unit.whole_models.empty() && !unit.layers_of) {
    value.Fail("needs peak_macs_per_s, or whole_model_ms to find it from");
  }
  return unit;
}

void CheckOneDescriptionEach(const JsonReader& units, const std::vector<UnitEstimate>& list) {
  std::map<std::pair<std::string, std::string>, bool> seen;
  auto value = units.Elements().begin();
  for (const UnitEstimate& unit : list) {
    for (const std::string& name : unit.units) {
      const std::string variant = unit.variant ? unit.variant->Text() : "";
      if (!seen.emplace(std::pair(name, variant), true).second) {
        (*value).Fail("the unit " + Quoted(name) + " is described twice");
      }
    }
    ++value;
  }
}

}  // namespace

std::string KnownUnitRef::Text() const { return board + "/" + unit + (variant ? "/" + *variant : ""); }

EstimateSpec ReadEstimateSpec(const JsonReader& value) {
  ExpectFileKind(value, "estimate/1");
  value.OnlyKeys({"tandem", "platform", "note", "profiles", "units", "models", "batch"});
  EstimateSpec spec;
  spec.file = value.file();
  spec.platform = value.Get("platform").Name();
  if (const auto note = value.Find("note")) spec.note = note->String();
  if (const auto profiles = value.Find("profiles")) {
    for (const JsonReader profile : profiles->Elements()) spec.profiles.push_back(profile.Name());
  } else {
    spec.profiles.push_back(spec.platform);
  }
  const JsonReader units = value.Get("units");
  for (const JsonReader unit : units.Elements()) spec.units.push_back(ReadUnit(unit));
  if (spec.units.empty()) units.Fail("needs at least one unit");
  CheckOneDescriptionEach(units, spec.units);
  if (const auto models = value.Find("models")) {
    for (const JsonReader model : models->Elements()) {
      spec.models.push_back(model.Name());
      if (std::find(spec.models.begin(), spec.models.end() - 1, spec.models.back()) !=
          spec.models.end() - 1) {
        model.Fail("the model " + Quoted(spec.models.back()) + " is given twice");
      }
    }
  }
  if (const auto batch = value.Find("batch")) spec.batch = batch->Integer(1, kMostBatch);
  return spec;
}

EstimateSpec ReadEstimateSpecFile(const std::filesystem::path& path) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadEstimateSpec(document.root());
}

}  // namespace tandem
