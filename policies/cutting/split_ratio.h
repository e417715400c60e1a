// How a layer is divided over units that work on it at once, so that the last of them ends soonest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "policies/cutting/piece_times.h"

namespace tandem {

struct SplitUnit {
  UnitId unit;
  Nanos before{0};      // what it begins with: dispatch and bring-ins
  bool mapped = false;  // does it read its inputs through a mapping?
};

struct SplitShares {
  Nanos time{0};                    // until the last part has ended
  std::vector<std::int64_t> sizes;  // per unit, in channels or rows; 0: the unit has no part
};

class SplitRatios {
 public:
  SplitRatios(const PieceTimes& times, std::size_t cut) : times_(times), cut_(cut) {}

  // Parts are multiples of the range's granule. Exact, for units whose parts take the longer the larger they
  // are; for two units in any case, which have parts that were measured where these take hardly longer: times
  // between sizes are a straight line, kernels are not. Nothing: a unit has no times for parts, or there is
  // only one granule.
  std::optional<SplitShares> Divide(std::span<const LayerId> layers, SplitAxis axis,
                                    const std::vector<SplitUnit>& units);

 private:
  struct Curve {
    std::int64_t granule = 1, steps = 0;  // in granules
    bool rising = true;
    std::map<std::int64_t, Nanos> known;
  };
  struct Key {
    LayerId first, last;
    SplitAxis axis = SplitAxis::kChannels;
    UnitId unit;
    bool mapped = false;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Side;

  Curve* CurveOf(std::span<const LayerId> layers, SplitAxis axis, const SplitUnit& unit);
  bool Rises(std::span<const LayerId> layers, SplitAxis axis, UnitId unit, bool mapped, Curve& curve);
  std::optional<Nanos> Time(std::span<const LayerId> layers, SplitAxis axis, UnitId unit, bool mapped,
                            Curve& curve, std::int64_t steps);
  std::optional<SplitShares> OfMeasured(std::vector<Side>& sides);
  SplitShares Scan(std::vector<Side>& sides);
  SplitShares Fill(std::vector<Side>& sides);

  struct MeasuredPart {
    SplitAxis axis = SplitAxis::kChannels;
    std::int64_t size = 0;
  };
  using PartsOfLayer = std::multimap<std::int32_t, MeasuredPart>;
  const PartsOfLayer& PartsOn(UnitId unit);

  const PieceTimes& times_;
  std::size_t cut_;
  std::map<UnitId, PartsOfLayer> parts_;  // by layer: of a long model all entries are looked at once
  std::map<Key, std::optional<Curve>> curves_;
};

}  // namespace tandem
