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
  split_dispatch_.resize(units());
  for (const Profile& profile : scenario_->profiles) {
    for (const DispatchEntry& entry : profile.dispatch) {
      const UnitId unit = scenario_->platform->FindUnit(entry.unit);
      if (!unit.valid() || !entry.split) continue;
      split_dispatch_[unit.index()] = std::max(entry.time.median - Dispatch(unit), Nanos{0});
    }
  }
}

std::optional<Nanos> PieceTimes::Time(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                                      bool mapped) const {
  const auto& variant = scenario_->units[unit.index()].variant;
  if (!variant || !Reachable(unit)) return std::nullopt;
  const ModelToCut& of = cuts_[cut];
  for (const bool through : {mapped, false}) {
    const auto cost = scenario_->costs->Segment(of.model, unit, *variant, of.batch, layers, through);
    if (cost) return cost->time;
  }
  return std::nullopt;
}

std::optional<Nanos> PieceTimes::WholeModel(std::size_t cut, UnitId unit, bool mapped) const {
  std::vector<LayerId> all;
  for (std::size_t l = 0; l < model(cut).size(); ++l) all.emplace_back(l);
  return Time(cut, unit, all, mapped);
}

std::optional<Nanos> PieceTimes::Part(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                                      const LayerPart& part, std::int64_t extent, bool mapped) const {
  const auto& variant = scenario_->units[unit.index()].variant;
  if (!variant || !Reachable(unit)) return std::nullopt;
  const ModelToCut& of = cuts_[cut];
  for (const bool through : {mapped, false}) {
    const auto cost =
        scenario_->costs->Part(of.model, unit, *variant, of.batch, layers, part, extent, through);
    if (cost) return cost->time + split_dispatch_[unit.index()];
  }
  return std::nullopt;
}

}  // namespace tandem
