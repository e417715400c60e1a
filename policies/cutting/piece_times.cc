#include "policies/cutting/piece_times.h"

#include <algorithm>

#include "policies/problem/request_weights.h"

namespace tandem {

PieceTimes::PieceTimes(const Problem& problem)
    : problem_(&problem), scenario_(&problem.scenario()), routes_(problem.scenario()) {
  const std::vector<double> weights = RequestWeights(*scenario_);
  for (std::size_t s = 0; s < scenario_->streams.size(); ++s) {
    const Stream& stream = scenario_->streams[s];
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
    const auto cost = scenario_->Time(of.model, unit, of.batch, layers, through);
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
    const auto query = scenario_->Query(of.model, unit, of.batch, layers, through);
    const auto cost = query ? scenario_->costs->Part(*query, part, extent) : std::nullopt;
    if (cost) return cost->time;
  }
  return std::nullopt;
}

}  // namespace tandem
