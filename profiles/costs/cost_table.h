// The profiled time of a segment: its own entry; without one, the least sum over ways to cut it into segments
// that have entries, which take what they take inside the model where that was measured of all of them.
// Nothing is extrapolated.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/costs/cheapest_cover.h"
#include "profiles/costs/on_chip.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "profiles/model/layer_parts.h"
#include "profiles/model/model.h"

namespace tandem {

using SampleList = std::shared_ptr<const std::vector<Nanos>>;  // null: a median alone

// What the time of a segment is made of: so much of each of these entries, and `fixed` beside them.
struct SegmentSamples {
  struct Source {
    Nanos time{0};    // what it adds to the segment's
    Nanos median{0};  // the entry's own, which is another where the segment is a part of its layers
    SampleList samples;
    std::size_t place = 0;    // as CostTable::Measured has it
    std::size_t profile = 0;  // which of the profiles has the entry
  };
  std::vector<Source> sources;
  Nanos fixed{0};
  bool estimated = false;  // as CostTable::PartCost has it
};

// Of what time is asked: in one batch of a model's requests, on one unit in one variant.
struct CostQuery {
  ModelId model;
  UnitId unit;
  Variant variant;
  std::int64_t batch = 1;
  std::span<const LayerId> layers = {};  // in ascending order, none twice; none: all of the model
  bool mapped = false;                   // by entries that read through a mapping
};

// Times of `models` on the units of `platform`. A model's position in the list is its ModelId here.
//
// A plan uses one variant per unit. A scenario may name it ("variants": {"gpu": "cudnn"}; see FindVariant).
// Where it does not, DefaultVariant takes, of the variants that have a time for the most (model, batch) that
// the scenario asks for, the one with the least total of their whole-model times, and of equals the first by
// name and precision.
class CostTable {
 public:
  struct ModelRef {
    std::string key;  // ModelKey
    const Model* model = nullptr;
  };
  struct Wanted {
    ModelId model;
    std::int64_t batch = 1;
  };

  // Throws InputError where the profiles contradict each other, name other units than the platform's or
  // layers that a model of the list has not. Keeps pointers to the models, not to the profiles.
  CostTable(const Platform& platform, const std::vector<const Profile*>& profiles,
            std::vector<ModelRef> models, CompiledTogether together = {});

  // All variants of a unit, in order of name and precision.
  const std::vector<Variant>& Variants(UnitId unit) const;
  // "cudnn/fp32", or "cudnn" where that is one alone. Throws InputError (the message without place).
  Variant FindVariant(UnitId unit, std::string_view text) const;
  std::string TextOf(UnitId unit, const Variant& variant) const;  // as FindVariant takes it, the shortest
  Variant DefaultVariant(UnitId unit, std::span<const Wanted> wanted) const;

  // What does not stay on the unit's chip is part of all times. Nothing: it cannot run there.
  std::optional<SegmentCost> Time(const CostQuery& query) const;

  // The least batch beyond the query's of which it has such a time, too.
  std::optional<std::int64_t> BatchBeyond(CostQuery query) const;

  // A part of these layers of `extent` channels or rows; between the sizes that were measured (the whole
  // among them) the straight line, below the least its time. Without any measured size the part takes its
  // share of the layers' time: `estimated`. What starting a part takes beyond starting a task is part of its
  // time. Nothing: these layers have no time there, or one that is of the whole model alone and says nothing
  // of parts.
  struct PartCost {
    Nanos time{0};
    std::optional<double> energy_j;  // its share
    bool estimated = false;
  };
  std::optional<PartCost> Part(const CostQuery& query, const LayerPart& part, std::int64_t extent) const;

  // Is the time of these layers, which are all of the model, known of the whole alone, and not made up of
  // layers'?
  bool KnownAsWholeAlone(const CostQuery& query) const;

  // The same as Time and as Part with the samples behind it. A part between the sizes that were measured
  // varies as the nearest of them does.
  std::optional<SegmentSamples> Samples(const CostQuery& query) const;
  std::optional<SegmentSamples> PartSamples(const CostQuery& query, const LayerPart& part,
                                            std::int64_t extent) const;

  // An entry of the profiles, its layers as numbers.
  struct Measured {
    std::size_t place = 0;  // in the order of the profiles
    UnitId unit;
    std::span<const std::int32_t> layers;  // ascending; none: all of the model
    Nanos time{0};
    bool mapped = false;
    std::optional<SplitAxis> axis = {};  // of a part of so many channels or rows
    std::int64_t size = 0;
    std::optional<Nanos> inside = {};  // among others of the model, where that is less
  };
  // All that the query's model has there in its batch and variant, in their order. Good as long as the table.
  std::vector<Measured> EntriesOf(const CostQuery& of) const;

  // Why a segment has no time: `unit "gpu" has no time for layer "conv9" of model "alexnet"`.
  std::string WhyNot(const CostQuery& query) const;

  // What starting a task costs, or one on a part of a layer: as measured, else as the platform has it.
  Nanos Dispatch(UnitId unit) const;
  Nanos PartDispatch(UnitId unit) const;
  // Putting the model there: as a profile says, else what stays on the unit's chip; nothing: neither. Loads:
  // in any variant?
  std::optional<Nanos> LoadTime(ModelId model, UnitId unit, const Variant& variant) const;
  bool Loads(ModelId model, UnitId unit) const;
  const OnChip& on_chip() const;

 private:
  struct Data;
  struct Choice;
  std::optional<Choice> Choose(const CostQuery& query) const;
  std::optional<Choice> ChooseOfLayers(const CostQuery& query) const;
  Nanos Streamed(const CostQuery& query) const;

  std::shared_ptr<const Data> data_;  // copies share it
};

}  // namespace tandem
