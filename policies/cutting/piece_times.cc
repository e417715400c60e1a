#include "policies/cutting/piece_times.h"

#include <algorithm>

#include "policies/problem/request_weights.h"

namespace tandem {

PieceTimes::PieceTimes(const Problem& problem) : CopyCosts(problem) {
  const std::vector<double> weights = RequestWeights(scenario());
  for (std::size_t s = 0; s < scenario().streams.size(); ++s) {
    const Stream& stream = scenario().streams[s];
    const auto same = [&](const ModelToCut& c) { return c.model == stream.model && c.batch == stream.batch; };
    const auto known = std::find_if(cuts_.begin(), cuts_.end(), same);
    if (known == cuts_.end()) {
      cuts_.push_back({stream.model, stream.batch, weights[s]});
    } else {
      known->requests += weights[s];
    }
  }
}

std::optional<Nanos> PieceTimes::Time(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                                      bool mapped) const {
  if (!Reachable(unit)) return std::nullopt;
  const ModelToCut& of = cuts_[cut];
  for (const bool through : {mapped, false}) {
    const auto cost = scenario().Time(of.model, unit, of.batch, layers, through);
    if (cost) return cost->time;
  }
  return std::nullopt;
}

std::optional<Nanos> PieceTimes::WholeModel(std::size_t cut, UnitId unit, bool mapped) const {
  return Time(cut, unit, {}, mapped);
}

std::optional<Nanos> PieceTimes::Part(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                                      const LayerPart& part, std::int64_t extent, bool mapped) const {
  if (!Reachable(unit)) return std::nullopt;
  const ModelToCut& of = cuts_[cut];
  for (const bool through : {mapped, false}) {
    const auto query = scenario().Query(of.model, unit, of.batch, layers, through);
    const auto cost = query ? scenario().costs->Part(*query, part, extent) : std::nullopt;
    if (cost) return cost->time;
  }
  return std::nullopt;
}

std::vector<CostTable::Measured> PieceTimes::Entries(std::size_t cut, UnitId unit) const {
  const auto query = scenario().Query(cuts_[cut].model, unit, cuts_[cut].batch);
  return query ? scenario().costs->EntriesOf(*query) : std::vector<CostTable::Measured>{};
}

}  // namespace tandem
