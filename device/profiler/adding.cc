#include "device/profiler/adding.h"

#include <algorithm>
#include <optional>
#include <set>

#include "device/host/info.h"
#include "device/processor/backend.h"
#include "device/processor/provenance.h"
#include "device/profiler/reached_state.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "profiles/model/structure.h"

namespace tandem {
namespace {

void CheckMeasuredHere(const ProfileOrder& request, const Profile& known) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(known.file + ": " + what + "; what is measured now does not belong beside that");
  };
  const Origin& origin = known.origin;
  if (known.platform != request.platform.name) refuse("is a profile of platform " + Quoted(known.platform));
  if (origin.kind != OriginKind::kMeasured) refuse("was not measured");
  if (origin.host != HostText(ReadHost(UsableCores()))) refuse("was measured on " + Quoted(origin.host));
  if (origin.libraries != LibrariesOf(request.platform)) {
    refuse("was measured with other versions of the libraries");
  }
  const std::string state = request.clock_states.empty() ? "" : request.clock_states[0].name;
  if (StateOf(origin) != state) {
    refuse(StateOf(origin).empty() ? "was measured in no clock state"
                                   : "was measured in the clock state " + Quoted(StateOf(origin)));
  }
  for (const Unit& unit : request.platform.units) {
    const auto cores = origin.threads.find(unit.name);
    if (cores == origin.threads.end() || cores->second == unit.cores) continue;
    refuse("has unit " + Quoted(unit.name) + " on other cores");
  }
}

// What a profile has of one model in one batch.
class KnownTimes {
 public:
  KnownTimes(const ProfileOrder& request, const ProfiledModel& wish, const Profile& known)
      : request_(request), wish_(wish), known_(known), keys_(known.file) {
    ImportOptions graph_alone;
    graph_alone.want_weights = false;
    graph_ = LoadModel(wish.model, {}, graph_alone).model;
    for (const ModelStructure& model : known.models) {
      if (keys_.Of(model.model) != wish.model || model.structure == StructureOf(*graph_)) continue;
      throw InputError(known.file + ": the model " + Quoted(model.model) +
                       " is another network now than the one that was measured");
    }
  }

  bool AllOn(const Unit& unit, const std::string& precision) {
    Found found;
    for (const CostEntry& entry : known_.entries) {
      const bool same = entry.unit == unit.name && entry.batch == wish_.batch &&
                        entry.variant == Variant{"", precision} && keys_.Of(entry.model) == wish_.model;
      if (!same) continue;
      found.mapped = found.mapped || entry.mapped;
      if (entry.mapped) continue;
      found.whole = found.whole || entry.layers.empty();
      found.groups = found.groups || !entry.layers.empty();
      if (entry.layers.size() == 1) found.layers.insert(entry.layers.front());
    }
    return found.whole && (!request_.groups || found.groups) && (!request_.layers || EveryLayer(found)) &&
           (!MapsHere(unit) || found.mapped) && (!request_.parts || SomeParts(unit));
  }

 private:
  struct Found {
    bool whole = false, groups = false, mapped = false;
    std::set<std::string> layers;  // that have a time of their own
  };

  bool EveryLayer(const Found& found) const {
    const std::vector<LayerId> layers = StructuralLayers(*graph_);
    return std::all_of(layers.begin(), layers.end(),
                       [&](LayerId id) { return found.layers.contains(graph_->layer(id).name); });
  }
  // A unit that works from the first memory maps nothing.
  bool MapsHere(const Unit& unit) const { return request_.mapped && unit.memory != MemoryId(0); }
  bool SomeParts(const Unit& unit) {
    return std::any_of(known_.parts.begin(), known_.parts.end(), [&](const PartEntry& entry) {
      return entry.unit == unit.name && entry.batch == wish_.batch && keys_.Of(entry.model) == wish_.model;
    });
  }

  const ProfileOrder& request_;
  const ProfiledModel& wish_;
  const Profile& known_;
  ModelKeys keys_;
  std::optional<Model> graph_;
};

bool HasAll(const ProfileOrder& request, const ProfiledModel& wish, const Profile& known) {
  KnownTimes times(request, wish, known);
  for (const Unit& unit : request.platform.units) {
    const auto& named = request.units;
    const bool asked = named.empty() || std::find(named.begin(), named.end(), unit.name) != named.end();
    if (!asked || unit.backend == nullptr || !unit.backend->Measurable()) continue;
    const auto variants = request.variants.find(unit.name);
    const std::vector<std::string> plain = {"fp32"};
    for (const std::string& precision : variants == request.variants.end() ? plain : variants->second) {
      if (!times.AllOn(unit, precision)) return false;
    }
  }
  return true;
}

}  // namespace

ProfileOrder WhatIsMissing(ProfileOrder request, const Profile& known) {
  CheckMeasuredHere(request, known);
  const ProfileOrder all = request;
  std::erase_if(request.models, [&](const ProfiledModel& wish) { return HasAll(all, wish, known); });
  if (!request.parts || request.parts->of.empty()) return request;
  std::erase_if(request.parts->of, [&](const PartsWish::Piece& piece) {
    return std::none_of(request.models.begin(), request.models.end(),
                        [&](const ProfiledModel& wish) { return wish.model == piece.model; });
  });
  if (request.parts->of.empty()) request.parts.reset();  // none named: all would be measured
  return request;
}

}  // namespace tandem
