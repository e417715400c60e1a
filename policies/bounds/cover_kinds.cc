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
    for (CoverKind& kind : found.kinds) {
      const std::vector<std::int32_t> costing = CostingLayers(kind.model);
      // Entries that read through a mapping too: it may be an edge's own choice.
      for (const CostTable::Measured& entry : scenario_.Entries(kind.model, kind.batch)) {
        if ((parts_ || !entry.axis) && scenario_.MayHold(kind.model, entry.unit)) Add(entry, costing, kind);
      }
    }
    return found;
  }

 private:
  std::vector<std::int32_t> CostingLayers(ModelId id) const {
    const Model& model = *scenario_.model(id).model;
    std::vector<std::int32_t> layers;
    for (std::size_t l = 0; l < model.size(); ++l) {
      if (!IsFree(model.layers()[l].op)) layers.push_back(static_cast<std::int32_t>(l));
    }
    return layers;
  }

  // Looks at no more layers than the entry has.
  void Add(const CostTable::Measured& entry, const std::vector<std::int32_t>& costing,
           CoverKind& kind) const {
    const Model& model = *scenario_.model(kind.model).model;
    Nanos time = entry.inside.value_or(entry.time);
    if (entry.axis) {
      const std::vector<LayerId> layers(entry.layers.begin(), entry.layers.end());
      const std::int64_t extent = SplitRangeOf(model, layers, *entry.axis).extent;
      if (extent < entry.size) return;
      const Wide whole = Wide{time.count()} * extent / entry.size;
      time = Nanos{static_cast<std::int64_t>(std::min<Wide>(whole, kLongestTime.count()))};
    }
    // What lies between two measured parts is rounded to a nanosecond.
    CoverEntry cover{entry.unit, {}, parts_ ? std::max(time - Nanos{1}, Nanos{0}) : time, Nanos{0}};
    cover.whole = entry.layers.empty();
    if (cover.whole) cover.layers = costing;
    for (const std::int32_t layer : entry.layers) {
      if (!IsFree(model.layers()[static_cast<std::size_t>(layer)].op)) cover.layers.push_back(layer);
    }
    if (cover.layers.empty()) return;
    const Nanos dispatch = dispatch_[entry.unit.index()];
    // A task has all of the model's layers at most: its dispatch divided over them never exceeds itself.
    cover.dispatch =
        dispatch / static_cast<std::int64_t>(costing.size()) * static_cast<std::int64_t>(cover.layers.size());
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
