#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/mistakes.h"
#include "profiles/base/sent_files.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/profile.h"
#include "profiles/model/model_source.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

// A value of one entry; its place is put together only when something is wrong with it.
struct Place {
  const Profile& profile;
  const char* list;
  std::size_t index;

  [[noreturn]] void Fail(std::string_view key, const std::string& what) const {
    throw InputError(profile.At("/") + list + "/" + std::to_string(index) + "/" + std::string(key) + ": " +
                     what);
  }
};

// What is wrong with one entry is kept while the others are looked at.
class EntriesRead {
 public:
  explicit EntriesRead(const Profile& profile) : profile_(profile) {}

  template <class Entry, class Body>
  void ForEach(const char* list, const std::vector<Entry>& entries, Body body) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      mistakes_.Try([&] { body(entries[i], Place{profile_, list, i}); });
    }
  }
  void Tell() const { mistakes_.Tell(); }

 private:
  const Profile& profile_;
  Mistakes mistakes_;
};

// Names that were complained of: once is enough, however many entries have them.
class Complaints {
 public:
  void SilentAfterFirst(std::string_view name) {
    if (!names_.emplace(name).second) throw NotJudged();
  }

 private:
  std::set<std::string> names_;
};

void CheckUnit(const Platform& platform, const UnitNames& units, std::string_view unit, const Place& place,
               const char* key, Complaints& complaints) {
  if (units.Find(unit).valid()) return;
  complaints.SilentAfterFirst(unit);
  place.Fail(key, "the platform " + Quoted(platform.name) + " has no unit " + Quoted(unit) +
                      Suggestion(unit, platform.UnitNames()));
}

void CheckMemory(const Platform& platform, std::string_view memory, const Place& place, const char* key) {
  if (platform.FindMemory(memory).valid()) return;
  std::vector<std::string> names;
  for (const Memory& known : platform.memories) names.push_back(known.name);
  place.Fail(key, "the platform " + Quoted(platform.name) + " has no memory " + Quoted(memory) +
                      Suggestion(memory, names));
}

// Loads each model once. Entries of one model follow each other, so the last one is looked at first.
class Models {
 public:
  explicit Models(const Profile& profile) : profile_(profile) {}

  void Check(const std::string& name, const std::vector<std::string>& layers, const Place& place,
             const char* model_key, const char* layers_key) {
    if (name.empty()) return;
    const Model* loaded = Load(name, place, model_key);
    if (loaded == nullptr) return;
    const Model& model = *loaded;
    for (std::size_t k = 0; k < layers.size(); ++k) {
      if (model.Find(layers[k]).valid()) continue;
      std::vector<std::string> names;
      for (const Layer& layer : model.layers()) names.push_back(layer.name);
      place.Fail(
          std::string(layers_key) + "/" + std::to_string(k),
          "the model " + Quoted(name) + " has no layer " + Quoted(layers[k]) + Suggestion(layers[k], names));
    }
  }

  // After Check.
  void CheckSplits(const PartEntry& entry, const Place& place) {
    const auto found = models_.find(entry.model);
    if (found == models_.end()) return;
    const Model& model = found->second;
    std::vector<LayerId> layers;
    for (const std::string& name : entry.layers) layers.push_back(model.Find(name));
    std::sort(layers.begin(), layers.end());
    const SplitRange range = SplitRangeOf(model, layers, entry.axis);
    const std::string along = " along " + std::string(NameOf(kSplitAxisNames, entry.axis));
    if (range.extent == 0) place.Fail("layers", "these layers cannot be split" + along);
    if (entry.size <= range.extent && entry.size % range.granule == 0) return;
    place.Fail("size", "of " + std::to_string(range.extent) + along + ", in multiples of " +
                           std::to_string(range.granule));
  }

 private:
  // Null: a file that is elsewhere, whose structure tells which network it was.
  const Model* Load(const std::string& name, const Place& place, const char* key) {
    const auto found = models_.find(name);
    if (found != models_.end()) return &found->second;
    if (KnownElsewhere(name)) return nullptr;
    try {
      ImportOptions graph_alone;
      graph_alone.want_weights = false;
      return &models_.emplace(name, LoadModel(name, profile_.file, graph_alone).model).first->second;
    } catch (const InputError& error) {
      complaints_.SilentAfterFirst(name);
      place.Fail(key, error.what());
    }
  }

  bool KnownElsewhere(const std::string& name) const {
    std::error_code error;
    const auto same = [&](const ModelStructure& known) { return known.model == name; };
    return !IsShippedName(name) && std::any_of(profile_.models.begin(), profile_.models.end(), same) &&
           !fs::exists(ResolvePath(name, profile_.file), error);
  }

  const Profile& profile_;
  std::map<std::string, Model, std::less<>> models_;
  Complaints complaints_;
};

}  // namespace

std::optional<Platform> FindProfilePlatform(const Profile& profile) {
  const bool shipped = IsShippedName(profile.platform);
  if (shipped) {
    const std::vector<std::string> names = ShippedNames("boards", ".platform.json");
    if (std::find(names.begin(), names.end(), profile.platform) == names.end()) return std::nullopt;
  }
  try {
    return ReadPlatformFile(FindFile(profile.platform, profile.file, "boards", ".platform.json"));
  } catch (const InputError& error) {
    throw InputError(profile.At("/platform: ") + error.what());
  }
}

void CheckUnits(const Profile& profile, const Platform& platform) {
  EntriesRead all(profile);
  Complaints complaints;
  const UnitNames units(platform);
  const auto unit = [&](const auto& entry, const Place& place) {
    CheckUnit(platform, units, entry.unit, place, "unit", complaints);
  };
  all.ForEach("entries", profile.entries, unit);
  all.ForEach("parts", profile.parts, unit);
  all.ForEach("transfers", profile.transfers, [&](const TransferEntry& entry, const Place& place) {
    CheckMemory(platform, entry.from, place, "from");
    CheckMemory(platform, entry.to, place, "to");
  });
  all.ForEach("loads", profile.loads, unit);
  all.ForEach("dispatch", profile.dispatch, unit);
  all.ForEach("co_running", profile.co_running, [&](const CoRunningEntry& entry, const Place& place) {
    unit(entry, place);
    CheckUnit(platform, units, entry.beside, place, "beside", complaints);
  });
  all.ForEach("traffic", profile.traffic, unit);
  all.ForEach("background", profile.background, unit);
  all.ForEach("together", profile.together, [&](const TogetherEntry& entry, const Place& place) {
    unit(entry, place);
    for (std::size_t k = 0; k < entry.beside.size(); ++k) {
      CheckUnit(platform, units, entry.beside[k], place, ("beside/" + std::to_string(k)).c_str(), complaints);
    }
  });
  all.ForEach("hand_overs", profile.hand_overs, [&](const HandOverEntry& entry, const Place& place) {
    CheckUnit(platform, units, entry.from, place, "from", complaints);
    CheckUnit(platform, units, entry.to, place, "to", complaints);
  });
  all.ForEach("after_idle", profile.after_idle, unit);
  all.ForEach("after_other", profile.after_other, unit);
  all.ForEach("repeated", profile.repeated, unit);
  all.ForEach("sharing", profile.sharing, [&](const SharingEntry& entry, const Place& place) {
    unit(entry, place);
    const UnitId of = platform.FindUnit(entry.unit);
    if (of.valid() && !platform.unit(of).time_shared) {
      place.Fail("unit", "unit " + Quoted(entry.unit) +
                             " does one task after the other on each slot: only a unit with \"time_shared\": "
                             "true shares its time");
    }
    if (of.valid() && platform.unit(of).slice) {
      place.Fail("unit", "unit " + Quoted(entry.unit) +
                             " has a \"slice_us\": what its slots cost each other follows from their turns; "
                             "leave out one of the two");
    }
  });
  all.ForEach("memory", profile.memory, unit);
  all.ForEach("kernels", profile.kernels, unit);
  all.Tell();
}

void CheckModels(const Profile& profile) {
  EntriesRead all(profile);
  Models models(profile);
  all.ForEach("entries", profile.entries, [&](const CostEntry& entry, const Place& place) {
    models.Check(entry.model, entry.layers, place, "model", "layers");
  });
  all.ForEach("parts", profile.parts, [&](const PartEntry& entry, const Place& place) {
    models.Check(entry.model, entry.layers, place, "model", "layers");
    models.CheckSplits(entry, place);
  });
  all.ForEach("loads", profile.loads, [&](const LoadEntry& entry, const Place& place) {
    models.Check(entry.model, {}, place, "model", "layers");
  });
  all.ForEach("co_running", profile.co_running, [&](const CoRunningEntry& entry, const Place& place) {
    models.Check(entry.model, entry.layers, place, "model", "layers");
    models.Check(entry.beside_model, entry.beside_layers, place, "beside_model", "beside_layers");
  });
  all.ForEach("traffic", profile.traffic, [&](const TrafficEntry& entry, const Place& place) {
    models.Check(entry.model, entry.layers, place, "model", "layers");
  });
  const auto model = [&](const auto& entry, const Place& place) {
    models.Check(entry.model, entry.layers, place, "model", "layers");
  };
  all.ForEach("background", profile.background, model);
  all.ForEach("together", profile.together, model);
  const auto whole_model = [&](const auto& entry, const Place& place) {
    models.Check(entry.model, {}, place, "model", "layers");
  };
  all.ForEach("after_idle", profile.after_idle, whole_model);
  all.ForEach("after_other", profile.after_other, model);
  all.ForEach("repeated", profile.repeated, model);
  all.ForEach("sharing", profile.sharing, [&](const SharingEntry& entry, const Place& place) {
    whole_model(entry, place);
    models.Check(entry.beside_model, {}, place, "beside_model", "layers");
  });
  all.ForEach("memory", profile.memory, whole_model);
  all.ForEach("kernels", profile.kernels, model);
  all.Tell();
}

void CheckProfile(const Profile& profile) {
  Mistakes mistakes;
  mistakes.Try([&] {
    if (const auto platform = FindProfilePlatform(profile)) CheckUnits(profile, *platform);
  });
  mistakes.Try([&] { CheckModels(profile); });
  mistakes.Tell();
}

std::string ModelKey(std::string_view model, const fs::path& from) {
  if (model.empty() || IsShippedName(model)) return std::string(model);
  if (const SentFile* sent = FindSentFile(model)) return sent->key;
  std::error_code error;
  const fs::path file = fs::weakly_canonical(fs::absolute(ResolvePath(model, from), error), error);
  return error ? std::string(model) : file.string();
}

const std::string& ModelKeys::Of(const std::string& model) {
  const auto found = keys_.find(model);
  return found != keys_.end() ? found->second : keys_.emplace(model, ModelKey(model, from_)).first->second;
}

}  // namespace tandem
