// The entries of profiles as a cost table looks them up: by model, unit, variant and batch; layers
// are numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/costs/cost_table.h"

namespace tandem {

using SampleList = std::shared_ptr<const std::vector<Nanos>>;  // null: a median alone

// The entries of one model on one unit at one batch in one variant.
struct Entries {
  struct Whole {
    SegmentCost cost;
    SampleList samples;
    std::size_t place = 0;  // as CostTable::Measured has it
  };
  std::array<std::optional<Whole>, 2> whole;  // "*", [1] through a mapping
  struct Group {
    std::vector<std::int32_t> layers;  // ascending
    SegmentCost cost;
    SampleList samples;
    bool mapped = false;
    std::size_t place = 0;
  };
  std::vector<Group> groups;
  struct Parts {                       // of the same layers
    std::vector<std::int32_t> layers;  // ascending
    SplitAxis axis = SplitAxis::kChannels;
    std::map<std::int64_t, Nanos> times;  // by size
    std::map<std::int64_t, std::size_t> places;
  };
  std::vector<Parts> parts;
  bool Empty() const { return groups.empty() && !whole[0] && !whole[1]; }  // but for parts
  std::vector<std::vector<std::size_t>> by_first;  // per layer: the groups whose least layer it is
};

struct CostIndexKey {
  std::size_t model = 0, unit = 0;
  Variant variant;
  std::int64_t batch = 1;
  friend auto operator<=>(const CostIndexKey&, const CostIndexKey&) = default;
};

// Layers of a model, with a quick answer to "is this one among them, and where?". It costs what the segment
// holds, not what the model does: of a long model every layer is a segment.
struct SegmentLayers {
  SegmentLayers(const Model& of, std::span<const LayerId> chosen, bool through_mapping)
      : model(of), layers(chosen), mapped(through_mapping) {
    for (std::size_t i = 1; i < layers.size(); ++i) {
      TANDEM_CHECK(layers[i - 1] < layers[i], "a segment lists its layers in order, each once");
    }
  }
  // Where the layer stands in the segment; -1: outside.
  std::int32_t Position(std::int32_t layer) const {
    const LayerId wanted(static_cast<std::size_t>(layer));
    const auto at = std::lower_bound(layers.begin(), layers.end(), wanted);
    return at == layers.end() || wanted < *at ? -1 : static_cast<std::int32_t>(at - layers.begin());
  }
  bool Has(std::int32_t layer) const { return Position(layer) >= 0; }

  // Reads a tensor that is not made inside the segment: through the mapping, where there is one. An input
  // layer makes nothing; whoever reads it reads what came from outside.
  bool ReadsFromOutside(const std::vector<std::int32_t>& group) const {
    return std::any_of(group.begin(), group.end(), [&](std::int32_t layer) {
      const auto& inputs = model.layer(LayerId(static_cast<std::size_t>(layer))).inputs;
      return std::any_of(inputs.begin(), inputs.end(), [&](LayerId input) {
        return model.layer(input).op == Op::kInput || !Has(input.value);
      });
    });
  }

  const Model& model;
  std::span<const LayerId> layers;
  bool mapped;
};

struct CostIndex {
  std::vector<std::string> unit_names;
  std::vector<CostTable::ModelRef> models;
  std::map<CostIndexKey, Entries> entries;
  std::size_t place = 0;                       // of the next one
  std::vector<std::vector<Variant>> variants;  // per unit
  struct StartCost {
    Nanos task{0};
    std::optional<Nanos> part;
  };
  std::vector<StartCost> dispatch;                                                // per unit
  std::map<std::pair<std::size_t, std::size_t>, std::map<Variant, Nanos>> loads;  // per model and unit

  void Add(const Profile& profile, const Platform& platform);
  void AddPart(CostIndexKey key, const PartEntry& entry, std::vector<std::int32_t> layers) {
    auto& parts = entries[std::move(key)].parts;
    const auto same = [&](const Entries::Parts& p) { return p.axis == entry.axis && p.layers == layers; };
    auto found = std::find_if(parts.begin(), parts.end(), same);
    if (found == parts.end()) found = parts.insert(found, {std::move(layers), entry.axis, {}, {}});
    found->times.emplace(entry.size, entry.time.median);
    found->places.emplace(entry.size, place);
  }
  const Entries* Find(const CostIndexKey& key) const {
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
  }
  // The groups that lie inside the segment, their members as positions of it.
  struct UsableGroups {
    std::vector<CoverGroup> groups;
    std::vector<SampleList> samples;  // of each
  };
  UsableGroups Usable(const Entries& known, const SegmentLayers& segment) const;
  // "; it has cuda/fp32 at batch 2", or nothing where it has no entry of the model at all.
  std::string OtherEntries(const CostIndexKey& wanted) const;
};

}  // namespace tandem
