#include "profiles/costs/model_identity.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/entry_keys.h"
#include "profiles/model/model_source.h"
#include "profiles/model/structure.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

// Calls body(name) for every name of a model in the lists of the profile; it may change it.
template <class Body>
void ForEachModelName(Profile& profile, Body body) {
  ForEachList([&](const char*, auto member) {
    for (auto& entry : profile.*member) {
      if constexpr (requires { entry.model; }) {
        if (!entry.model.empty()) body(entry.model);
      }
      if constexpr (requires { entry.beside_model; }) {
        if (!entry.beside_model.empty()) body(entry.beside_model);
      }
    }
  });
}

// Nothing: it cannot be read here.
std::optional<Model> GraphOf(const std::string& name, const fs::path& from) {
  try {
    ImportOptions graph_alone;
    graph_alone.want_weights = false;
    return LoadModel(name, from, graph_alone).model;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// The models of which a profile has times, as it names them, each once.
std::vector<std::string> TimedModels(const Profile& profile) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const CostEntry& entry : profile.entries) {
    if (seen.insert(entry.model).second) names.push_back(entry.model);
  }
  return names;
}

// A profile, with what it knows of its models.
class Holder {
 public:
  explicit Holder(Profile& profile) : profile_(&profile), keys_(profile.file), timed_(TimedModels(profile)) {
    for (const std::string& name : timed_) timed_keys_.insert(keys_.Of(name));
  }

  Profile& profile() const { return *profile_; }
  bool Times(const std::string& key) const { return timed_keys_.contains(key); }

  // Throws InputError where the name says one network and the file here is another.
  void CheckStructure(const WantedModel& wanted) {
    for (std::size_t i = 0; i < profile_->models.size(); ++i) {
      const ModelStructure& known = profile_->models[i];
      if (keys_.Of(known.model) != wanted.key || known.structure == StructureOf(*wanted.model)) continue;
      throw InputError(profile_->At("/models/") + std::to_string(i) + "/structure: the model " +
                       Quoted(wanted.name) +
                       " is another network now than the one that was measured; measure it again");
    }
  }

  // The first of that structure, by its key.
  std::optional<std::string> Alike(const std::string& structure) {
    for (const std::string& name : timed_) {
      if (StructureNamed(name) == structure) return name;
    }
    return std::nullopt;
  }

  // Adds the entries of `name` once more, as the wanted model's. False: which of its layers is which is not
  // known here.
  bool TakeFor(const WantedModel& wanted, const std::string& name) {
    auto names = LayersOfTwin(wanted, name);
    if (!names) return false;
    if (!profile_->hash_as_read) profile_->hash_as_read = ProfileHash(*profile_);
    ForEachList([&](const char*, auto member) {
      auto& list = profile_->*member;
      const std::size_t before = list.size();
      for (std::size_t i = 0; i < before; ++i) {
        auto entry = list[i];
        if (Rename(entry, keys_.Of(name), wanted.key, *names)) list.push_back(std::move(entry));
      }
    });
    return true;
  }

 private:
  using LayerNames = std::map<std::string, std::string>;  // what its layers are called in the twin

  std::string StructureNamed(const std::string& name) {
    const std::string& key = keys_.Of(name);
    for (const ModelStructure& known : profile_->models) {
      if (keys_.Of(known.model) == key) return known.structure;
    }
    const auto graph = GraphOf(name, profile_->file);
    return graph ? StructureOf(*graph) : "";
  }

  // The layers that entries of the model name.
  std::set<std::string> NamedLayers(const std::string& name) {
    std::set<std::string> named;
    const auto add = [&](const auto& entries) {
      for (const auto& entry : entries) {
        if (entry.model == name) named.insert(entry.layers.begin(), entry.layers.end());
      }
    };
    add(profile_->entries);
    add(profile_->parts);
    return named;
  }

  // Nothing: not known. The same names are the same layers; else the position tells.
  std::optional<LayerNames> LayersOfTwin(const WantedModel& wanted, const std::string& name) {
    LayerNames names;
    const std::set<std::string> named = NamedLayers(name);
    const auto there = [&](const std::string& layer) { return wanted.model->Find(layer).valid(); };
    if (std::all_of(named.begin(), named.end(), there)) {
      for (const Layer& layer : wanted.model->layers()) names.emplace(layer.name, layer.name);
      return names;
    }
    const auto graph = GraphOf(name, profile_->file);
    if (!graph) return std::nullopt;
    const std::vector<LayerId> from = StructuralLayers(*graph), to = StructuralLayers(*wanted.model);
    for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
      names.emplace(graph->layer(from[i]).name, wanted.model->layer(to[i]).name);
    }
    return names;
  }

  // False: of layers that do nothing in the twin, which has none of them.
  static bool RenameLayers(std::vector<std::string>& layers, const LayerNames& names) {
    if (layers.empty()) return true;
    std::vector<std::string> renamed;
    for (const std::string& layer : layers) {
      const auto found = names.find(layer);
      if (found != names.end()) renamed.push_back(found->second);
    }
    layers = std::move(renamed);
    return !layers.empty();
  }

  // False: it does not speak of the model.
  template <class Entry>
  bool Rename(Entry& entry, const std::string& from, const std::string& to, const LayerNames& names) {
    bool speaks = false, whole = true;
    if constexpr (requires { entry.model; }) {
      if (!entry.model.empty() && keys_.Of(entry.model) == from) {
        speaks = true;
        entry.model = to;
        if constexpr (requires { entry.layers; }) whole = RenameLayers(entry.layers, names);
      }
    }
    if constexpr (requires { entry.beside_model; }) {
      if (!entry.beside_model.empty() && keys_.Of(entry.beside_model) == from) {
        speaks = true;
        entry.beside_model = to;
        if constexpr (requires { entry.beside_layers; })
          whole = RenameLayers(entry.beside_layers, names) && whole;
      }
    }
    return speaks && whole;
  }

  Profile* profile_;
  ModelKeys keys_;
  std::vector<std::string> timed_;
  std::set<std::string> timed_keys_;
};

std::string TakenText(const WantedModel& wanted, const std::string& as, const Profile& profile) {
  return "model " + Quoted(wanted.name) + ": taken as " + Quoted(as) + " of profile " + Quoted(profile.file) +
         ": the same structure";
}

}  // namespace

void AddStructures(Profile& profile) {
  std::set<std::string> known;
  for (const ModelStructure& model : profile.models) known.insert(model.model);
  ForEachModelName(profile, [&](const std::string& name) {
    if (!known.insert(name).second) return;
    if (const auto graph = GraphOf(name, profile.file)) profile.models.push_back({name, StructureOf(*graph)});
  });
}

std::string NameFrom(std::string_view name, const fs::path& from, const fs::path& to) {
  const std::string full = ModelKey(name, from);
  if (IsShippedName(name) || to.empty()) return full;
  const std::string way = WayTo(full, to);
  return way.find('/') == std::string::npos ? "./" + way : way;
}

void MoveProfile(Profile& profile, const fs::path& to) {
  const fs::path from = profile.file;
  const auto rename = [&](std::string& name) { name = NameFrom(name, from, to); };
  std::error_code error;  // a board that stands elsewhere has any name
  if (fs::exists(ResolvePath(profile.platform, from), error)) rename(profile.platform);
  ForEachModelName(profile, rename);
  for (ModelStructure& known : profile.models) rename(known.model);
  profile.file = to.string();
}

std::vector<std::string> TakeAlikeModels(const std::vector<Profile*>& profiles,
                                         const std::vector<WantedModel>& wanted) {
  std::vector<std::string> taken;
  std::vector<Holder> holders;
  for (Profile* profile : profiles) holders.emplace_back(*profile);
  for (const WantedModel& model : wanted) {
    for (Holder& holder : holders) holder.CheckStructure(model);
    const auto times = [&](const Holder& holder) { return holder.Times(model.key); };
    if (std::any_of(holders.begin(), holders.end(), times)) continue;
    const std::string structure = StructureOf(*model.model);
    for (Holder& holder : holders) {
      const auto as = holder.Alike(structure);
      if (as && holder.TakeFor(model, *as)) taken.push_back(TakenText(model, *as, holder.profile()));
    }
  }
  return taken;
}

std::string WhatProfilesHave(const std::vector<Profile>& profiles, const WantedModel& wanted) {
  std::vector<std::string> names;
  for (const Profile& profile : profiles) {
    ModelKeys keys(profile.file);
    for (std::string& name : TimedModels(profile)) {
      if (keys.Of(name) == wanted.key) return "";
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  if (names.empty()) return "";
  const auto same_file = [&](const std::string& name) {
    return fs::path(name).filename() == fs::path(wanted.name).filename();
  };
  const auto nearest = std::find_if(names.begin(), names.end(), same_file);
  if (nearest != names.end()) {
    return "; nearest in the profiles is " + Quoted(*nearest) +
           ", of which nothing tells that it is the same network: measure it again, or correct the path "
           "there";
  }
  constexpr std::size_t kMostTold = 12;  // so many fit a message
  return "; the profiles have times for " +
         (names.size() > kMostTold ? std::to_string(names.size()) + " other models" : Joined(names));
}

}  // namespace tandem
