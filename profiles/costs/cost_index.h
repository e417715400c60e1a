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
    std::optional<Nanos> inside;  // among others of the model
  };
  std::vector<Group> groups;
  struct Parts {                       // of the same layers
    std::vector<std::int32_t> layers;  // ascending
    SplitAxis axis = SplitAxis::kChannels;
    std::map<std::int64_t, Nanos> times;  // by size
    std::map<std::int64_t, std::size_t> places;
    std::map<std::int64_t, SampleList> samples;
  };
  std::vector<Parts> parts;
  std::multimap<std::int32_t, std::size_t> parts_by_first;  // by the least layer: positions in `parts`
  // Those of just these layers, ids or numbers; `parts.size()`: there are none.
  template <class Layers>
  std::size_t FindParts(const Layers& layers, SplitAxis axis) const {
    if (layers.empty()) return parts.size();
    const LayerId least(layers.front());
    const auto [begin, end] = parts_by_first.equal_range(least.value);
    for (auto at = begin; at != end; ++at) {
      const Parts& of = parts[at->second];
      const auto same = [](std::int32_t a, auto b) { return a == LayerId(b).value; };
      if (of.axis == axis &&
          std::equal(of.layers.begin(), of.layers.end(), layers.begin(), layers.end(), same)) {
        return at->second;
      }
    }
    return parts.size();
  }
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

inline SampleList SamplesOf(const Timing& time) {
  return time.samples.empty() ? nullptr : std::make_shared<const std::vector<Nanos>>(time.samples);
}

struct CostIndex {
  std::vector<std::string> unit_names;
  std::vector<CostTable::ModelRef> models;
  std::map<CostIndexKey, Entries> entries;
  std::size_t place = 0;                       // of the next one
  std::vector<std::size_t> first_places;       // per profile
  std::vector<std::vector<Variant>> variants;  // per unit
  struct StartCost {
    Nanos task{0};
    std::optional<Nanos> part;
  };
  std::vector<StartCost> dispatch;                                                // per unit
  std::map<std::pair<std::size_t, std::size_t>, std::map<Variant, Nanos>> loads;  // per model and unit
  OnChip on_chip;

  void Add(const Profile& profile, const Platform& platform);
  void AddPart(CostIndexKey key, const PartEntry& entry, std::vector<std::int32_t> layers) {
    Entries& known = entries[std::move(key)];
    const std::size_t at = known.FindParts(layers, entry.axis);
    if (at == known.parts.size()) {
      known.parts_by_first.emplace(layers.at(0), at);
      known.parts.push_back({std::move(layers), entry.axis, {}, {}, {}});
    }
    known.parts[at].times.emplace(entry.size, entry.time.median);
    known.parts[at].places.emplace(entry.size, place);
    known.parts[at].samples.emplace(entry.size, SamplesOf(entry.time));
  }
  std::size_t ProfileOf(std::size_t entry_place) const {
    const auto after = std::upper_bound(first_places.begin(), first_places.end(), entry_place);
    return static_cast<std::size_t>(after - first_places.begin()) - 1;
  }
  const Entries* Find(const CostIndexKey& key) const {
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
  }
  // The groups that lie inside the segment, their members as positions of it.
  struct UsableGroups {
    std::vector<CoverGroup> groups;
    std::vector<SampleList> samples;  // of each
    std::vector<std::size_t> places;  // the same
    std::vector<std::optional<Nanos>> inside;
  };
  UsableGroups Usable(const Entries& known, const SegmentLayers& segment) const;
  // "; it has cuda/fp32 at batch 2", or nothing where it has no entry of the model at all.
  std::string OtherEntries(const CostIndexKey& wanted) const;
};

}  // namespace tandem
