#include "profiles/costs/cost_index.h"

#include <string_view>
#include <unordered_map>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/op.h"

namespace tandem {
namespace {

using LayersByName = std::unordered_map<std::string_view, std::int32_t>;

LayersByName NamesOf(const Model& model) {
  LayersByName names;
  for (std::size_t i = 0; i < model.size(); ++i) {
    names.emplace(model.layer(LayerId(i)).name, static_cast<std::int32_t>(i));
  }
  return names;
}

template <class Entry>
std::vector<std::int32_t> FindLayers(const Entry& entry, const LayersByName& names,
                                     const std::string& place) {
  std::vector<std::int32_t> layers;
  for (std::size_t k = 0; k < entry.layers.size(); ++k) {
    const auto found = names.find(entry.layers[k]);
    if (found == names.end()) {
      throw InputError(place + "/layers/" + std::to_string(k) + ": the model " + Quoted(entry.model) +
                       " has no layer " + Quoted(entry.layers[k]));
    }
    layers.push_back(found->second);
  }
  std::sort(layers.begin(), layers.end());
  return layers;
}

}  // namespace

void CostIndex::Add(const Profile& profile, const Platform& platform) {
  // A model may be listed more than once: at several input shapes, say.
  std::unordered_map<std::string, std::vector<std::size_t>> listed;
  std::vector<LayersByName> names;
  ModelKeys keys(profile.file);
  const UnitNames units(platform);
  first_places.push_back(place);
  for (std::size_t i = 0; i < models.size(); ++i) {
    listed[models[i].key].push_back(i);
    names.push_back(NamesOf(*models[i].model));
  }
  for (std::size_t i = 0; i < profile.entries.size(); ++i, ++place) {
    const CostEntry& entry = profile.entries[i];
    const auto found = listed.find(keys.Of(entry.model));
    if (found == listed.end()) continue;
    const UnitId unit = units.Find(entry.unit);
    const SegmentCost cost{entry.time.median, entry.energy_j, 1};
    const SampleList samples = SamplesOf(entry.time);
    for (const std::size_t model : found->second) {
      Entries& known = entries[{model, unit.index(), entry.variant, entry.batch}];
      if (entry.layers.empty()) {
        known.whole[entry.mapped ? 1 : 0] = {cost, samples, place};
        continue;
      }
      const std::string at = profile.At("/entries/") + std::to_string(i);
      known.by_first.resize(models[model].model->size());
      auto layers = FindLayers(entry, names[model], at);
      known.by_first[static_cast<std::size_t>(layers[0])].push_back(known.groups.size());
      known.groups.push_back({std::move(layers), cost, samples, entry.mapped, place, entry.inside});
    }
  }
  for (std::size_t i = 0; i < profile.parts.size(); ++i, ++place) {
    const PartEntry& entry = profile.parts[i];
    const auto found = listed.find(keys.Of(entry.model));
    if (found == listed.end()) continue;
    const UnitId unit = units.Find(entry.unit);
    const std::string at = profile.At("/parts/") + std::to_string(i);
    for (const std::size_t model : found->second) {
      AddPart({model, unit.index(), entry.variant, entry.batch}, entry, FindLayers(entry, names[model], at));
    }
  }
  for (const DispatchEntry& entry : profile.dispatch) {
    StartCost& of_unit = dispatch[units.Find(entry.unit).index()];
    if (entry.split) {
      of_unit.part = entry.time.median;
    } else {
      of_unit.task = entry.time.median;
    }
  }
  for (const LoadEntry& entry : profile.loads) {
    const auto found = listed.find(keys.Of(entry.model));
    if (found == listed.end()) continue;
    const std::size_t unit = units.Find(entry.unit).index();
    for (const std::size_t model : found->second) loads[{model, unit}][entry.variant] = entry.time.median;
  }
}

CostIndex::UsableGroups CostIndex::Usable(const Entries& known, const SegmentLayers& segment) const {
  UsableGroups usable;
  if (known.by_first.empty()) return usable;
  for (const LayerId first : segment.layers) {
    for (const std::size_t index : known.by_first[first.index()]) {
      const Entries::Group& group = known.groups[index];
      const auto inside = [&](std::int32_t layer) { return segment.Has(layer); };
      if (!std::all_of(group.layers.begin(), group.layers.end(), inside)) continue;
      if (group.mapped != (segment.mapped && segment.ReadsFromOutside(group.layers))) continue;
      CoverGroup local{{}, group.cost};
      for (const std::int32_t layer : group.layers) {
        local.members.push_back(segment.Position(layer));
      }
      usable.groups.push_back(std::move(local));
      usable.samples.push_back(group.samples);
      usable.places.push_back(group.place);
      usable.inside.push_back(group.inside);
    }
  }
  return usable;
}

std::string CostIndex::OtherEntries(const CostIndexKey& wanted) const {
  std::string text;
  for (const auto& [key, known] : entries) {
    if (key.model != wanted.model || key.unit != wanted.unit || known.Empty()) continue;
    text +=
        (text.empty() ? "; it has " : ", ") + key.variant.Text() + " at batch " + std::to_string(key.batch);
  }
  return text;
}

}  // namespace tandem
