#include "policies/bounds/cover_kinds.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tandem {
namespace {

__extension__ using Wide = __int128;

class Collector {
 public:
  Collector(const Scenario& scenario, bool parts) : scenario_(scenario), parts_(parts) {
    const CostTable& costs = *scenario.costs;
    for (std::size_t u = 0; u < scenario.platform->units.size(); ++u) {
      const Nanos of_task = costs.Dispatch(UnitId(u)), of_part = costs.PartDispatch(UnitId(u));
      dispatch_.push_back(parts ? std::min(of_task, of_part) : of_task);
    }
  }

  CoverKinds Collect() {
    CoverKinds found;
    std::map<std::pair<ModelId, std::int64_t>, std::size_t> known;
    for (const Stream& stream : scenario_.streams) {
      const auto [kind, is_new] = known.try_emplace({stream.model, stream.batch}, found.kinds.size());
      found.of_stream.push_back(kind->second);
      if (is_new) found.kinds.push_back({stream.model, stream.batch, {}, Nanos{0}});
    }
    for (const Profile& profile : scenario_.profiles) {
      ModelKeys keys(profile.file);
      const auto for_kinds = [&](const auto& entry) {
        for (CoverKind& kind : found.kinds) {
          if (entry.batch == kind.batch && keys.Of(entry.model) == scenario_.model(kind.model).key) {
            Add(entry, kind);
          }
        }
      };
      for (const CostEntry& entry : profile.entries) for_kinds(entry);
      if (!parts_) continue;
      for (const PartEntry& entry : profile.parts) for_kinds(entry);
    }
    return found;
  }

 private:
  // Entries that read through a mapping too: it may be an edge's own choice.
  template <class Entry>
  bool Counts(const Entry& entry, const CoverKind& kind, UnitId unit) const {
    if (!unit.valid()) return false;
    return scenario_.units[unit.index()].variant == entry.variant && scenario_.MayHold(kind.model, unit);
  }

  void Add(const CostEntry& entry, CoverKind& kind) const {
    const UnitId unit = scenario_.platform->FindUnit(entry.unit);
    if (Counts(entry, kind, unit)) AddCover(unit, entry.layers, entry.time.median, kind);
  }

  void Add(const PartEntry& entry, CoverKind& kind) const {
    const UnitId unit = scenario_.platform->FindUnit(entry.unit);
    if (!Counts(entry, kind, unit)) return;
    const Model& model = *scenario_.model(kind.model).model;
    std::vector<LayerId> layers;
    for (const std::string& name : entry.layers) layers.push_back(model.Find(name));
    std::sort(layers.begin(), layers.end());
    const std::int64_t extent = SplitRangeOf(model, layers, entry.axis).extent;
    if (extent < entry.size) return;
    const Wide whole = Wide{entry.time.median.count()} * extent / entry.size;
    const Nanos time{static_cast<std::int64_t>(std::min<Wide>(whole, kLongestTime.count()))};
    AddCover(unit, entry.layers, time, kind);
  }

  // No layers: the whole model.
  void AddCover(UnitId unit, const std::vector<std::string>& layers, Nanos time, CoverKind& kind) const {
    const Model& model = *scenario_.model(kind.model).model;
    // What lies between two measured parts is rounded to a nanosecond.
    CoverEntry cover{unit, {}, parts_ ? std::max(time - Nanos{1}, Nanos{0}) : time, Nanos{0}};
    std::int64_t costing = 0;
    for (std::size_t l = 0; l < model.size(); ++l) {
      if (IsFree(model.layers()[l].op)) continue;
      ++costing;
      if (layers.empty()) cover.layers.push_back(static_cast<std::int32_t>(l));
    }
    for (const std::string& name : layers) {
      const LayerId layer = model.Find(name);
      if (layer.valid() && !IsFree(model.layer(layer).op)) cover.layers.push_back(layer.value);
    }
    if (cover.layers.empty()) return;
    std::sort(cover.layers.begin(), cover.layers.end());
    const Nanos dispatch = dispatch_[unit.index()];
    // A task has all of the model's layers at most: its dispatch divided over them never exceeds itself.
    cover.dispatch = dispatch / costing * static_cast<std::int64_t>(cover.layers.size());
    kind.least_dispatch = kind.entries.empty() ? dispatch : std::min(kind.least_dispatch, dispatch);
    kind.entries.push_back(std::move(cover));
  }

  const Scenario& scenario_;
  bool parts_;
  std::vector<Nanos> dispatch_;  // per unit; of a part where that is less
};

}  // namespace

CoverKinds FindCoverKinds(const Scenario& scenario, bool parts) {
  return Collector(scenario, parts).Collect();
}

}  // namespace tandem
