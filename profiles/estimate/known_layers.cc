#include "profiles/estimate/known_layers.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/model_source.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

constexpr double kNanosInASecond = 1e9;

// FindFile says what is wrong, not where.
std::filesystem::path FindFor(const EstimateSpec& spec, const char* pointer, const std::string& name,
                              const char* suffix) {
  try {
    return FindFile(name, spec.file, "boards", suffix);
  } catch (const InputError& error) {
    throw InputError(spec.file + ":" + pointer + ": " + error.what());
  }
}

std::string PlaceOfUnit(const EstimateSpec& spec, std::size_t unit) {
  return spec.file + ":/units/" + std::to_string(unit);
}

// Its index among the units of the spec.
std::optional<std::size_t> FigureFor(const EstimateSpec& spec, const std::string& unit,
                                     const Variant& variant) {
  for (std::size_t i = 0; i < spec.units.size(); ++i) {
    const UnitEstimate& estimate = spec.units[i];
    const bool names_it =
        std::find(estimate.units.begin(), estimate.units.end(), unit) != estimate.units.end();
    if (names_it && (!estimate.variant || *estimate.variant == variant)) return i;
  }
  return std::nullopt;
}

std::vector<LayerId> LayersOf(const CostEntry& entry, const Model& model, const std::string& file) {
  std::vector<LayerId> layers;
  for (const std::string& name : entry.layers) {
    const LayerId id = model.Find(name);
    if (!id.valid()) {
      throw InputError(file + ": model " + Quoted(entry.model) + " has no layer " + Quoted(name));
    }
    layers.push_back(id);
  }
  return layers;
}

KnownModel& ModelIn(KnownUnit& unit, const CostEntry& entry) {
  for (KnownModel& model : unit.models) {
    if (model.name == entry.model && model.batch == entry.batch) return model;
  }
  return unit.models.emplace_back(KnownModel{entry.model, entry.batch, {}, 0});
}

// Adds what `entry` says; layers that compute nothing (dropout, the input) tell nothing.
void Add(const CostEntry& entry, const Profile& profile, ModelShelf& shelf, KnownUnit& unit) {
  const Model& model = shelf.Get(entry.model, profile.file, entry.batch, entry.input_shape);
  const std::vector<LayerId> layers = LayersOf(entry, model, profile.file);
  if (std::all_of(layers.begin(), layers.end(), [&](LayerId id) { return IsFree(model.layer(id).op); }))
    return;
  const double seconds = static_cast<double>(entry.time.median.count()) / kNanosInASecond;
  if (seconds <= 0) return;
  KnownModel& known = ModelIn(unit, entry);
  known.layers.push_back({WorkOfGroup(model, layers), unit.peak, seconds});
  known.total_seconds += seconds;
}

}  // namespace

const Model& ModelShelf::Get(const std::string& name, const std::filesystem::path& from, std::int64_t batch,
                             const Shape& input) {
  const auto key = std::tuple(ModelKey(name, from), batch, input);
  const auto found = models_.find(key);
  if (found != models_.end()) return found->second;
  ImportOptions options;
  options.want_weights = false;
  if (!input.empty()) {
    options.input = Shape{batch};
    options.input->insert(options.input->end(), input.begin(), input.end());
  }
  Model model = LoadModel(name, from, options).model;
  if (model.batch() != batch) model = model.WithBatch(batch);
  return models_.emplace(key, std::move(model)).first->second;
}

std::string KnownUnit::Text() const { return board + "/" + unit + "/" + variant.Text(); }

Platform PlatformOf(const EstimateSpec& spec) {
  return ReadPlatformFile(FindFor(spec, "/platform", spec.platform, ".platform.json"));
}

std::vector<Profile> ProfilesOf(const EstimateSpec& spec) {
  std::vector<Profile> profiles;
  for (const std::string& name : spec.profiles) {
    profiles.push_back(ReadProfileFile(FindFor(spec, "/profiles", name, ".profile.json")));
  }
  return profiles;
}

void CheckEstimateSpec(const EstimateSpec& spec) {
  const Platform platform = PlatformOf(spec);
  for (std::size_t i = 0; i < spec.units.size(); ++i) {
    PeakOf(spec, i, platform);
    for (const auto& [model, time] : spec.units[i].whole_models) {
      if (std::find(spec.models.begin(), spec.models.end(), model) != spec.models.end()) continue;
      throw InputError(PlaceOfUnit(spec, i) + "/whole_model_ms: the model " + Quoted(model) +
                       " is not among \"models\"" + Suggestion(model, spec.models));
    }
  }
  ModelShelf shelf;
  for (std::size_t i = 0; i < spec.models.size(); ++i) {
    try {
      shelf.Get(spec.models[i], spec.file, spec.batch);
    } catch (const InputError& error) {
      throw InputError(spec.file + ":/models/" + std::to_string(i) + ": " + error.what());
    }
  }
  if (spec.models.empty()) KnownUnitsOf(spec, shelf);
}

Rates PeakOf(const EstimateSpec& spec, std::size_t unit, const Platform& platform) {
  const UnitEstimate& estimate = spec.units[unit];
  for (const std::string& name : estimate.units) {
    if (platform.FindUnit(name).valid()) continue;
    throw InputError(PlaceOfUnit(spec, unit) + "/units: " + Quoted(spec.platform) + " has no unit " +
                     Quoted(name) + Suggestion(name, platform.UnitNames()));
  }
  const MemoryId memory = platform.unit(platform.FindUnit(estimate.units.front())).memory;
  const auto bandwidth = estimate.bandwidth_bytes_per_s
                             ? estimate.bandwidth_bytes_per_s
                             : platform.memories[memory.index()].bandwidth_bytes_per_s;
  if (!bandwidth) {
    throw InputError(PlaceOfUnit(spec, unit) +
                     ": needs bandwidth_bytes_per_s; the platform does not give it");
  }
  return {estimate.peak_macs_per_s.value_or(0), *bandwidth, static_cast<double>(estimate.gemm_threads)};
}

std::vector<KnownUnit> KnownUnitsOf(const EstimateSpec& spec, ModelShelf& shelf) {
  const Platform platform = PlatformOf(spec);
  std::map<std::pair<std::string, Variant>, KnownUnit> units;
  for (const Profile& profile : ProfilesOf(spec)) {
    for (const CostEntry& entry : profile.entries) {
      const auto figure = FigureFor(spec, entry.unit, entry.variant);
      if (!figure || !spec.units[*figure].peak_macs_per_s || entry.layers.empty()) continue;
      const auto [at, is_new] = units.try_emplace(std::pair(entry.unit, entry.variant));
      if (is_new) {
        const UnitId id = platform.FindUnit(entry.unit);
        if (!id.valid()) throw InputError(profile.file + ": unknown unit " + Quoted(entry.unit));
        at->second = {spec.platform,
                      entry.unit,
                      entry.variant,
                      platform.unit(id).kind,
                      PeakOf(spec, *figure, platform),
                      {}};
      }
      Add(entry, profile, shelf, at->second);
    }
  }
  std::vector<KnownUnit> list;
  for (auto& [key, unit] : units) {
    if (!unit.models.empty()) list.push_back(std::move(unit));
  }
  return list;
}

std::vector<EstimateSpec> ShippedKnownBoards() {
  std::vector<EstimateSpec> boards;
  for (const std::string& name : ShippedNames("boards", ".estimate.json")) {
    EstimateSpec spec = ReadEstimateSpecFile(ShippedDirectory() / "boards" / (name + ".estimate.json"));
    if (spec.models.empty()) boards.push_back(std::move(spec));
  }
  return boards;
}

bool Matches(const KnownUnitRef& wanted, const Variant& variant) {
  return !wanted.variant || *wanted.variant == variant.name || *wanted.variant == variant.Text();
}

}  // namespace tandem
