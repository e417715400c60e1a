#include "policies/problem/times.h"

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kMostTimes = std::size_t{1} << 26;  // some 40 bytes each

std::optional<CostTable::PartCost> CostOf(const Cuts& cuts, const Segment& segment, UnitId unit,
                                          bool mapped) {
  const Scenario& scenario = cuts.scenario();
  const Cut& of = cuts.cut(segment.cut);
  const auto query = scenario.Query(of.model, unit, of.batch, segment.layers, mapped);
  if (!query) return std::nullopt;
  if (segment.part) {
    const Model& model = *scenario.model(of.model).model;
    const SplitRange range = SplitRangeOf(model, segment.layers, segment.part->axis);
    return scenario.costs->Part(*query, *segment.part, range.extent);
  }
  const auto cost = scenario.costs->Time(*query);
  return cost ? std::optional(CostTable::PartCost{cost->time, cost->energy_j}) : std::nullopt;
}

}  // namespace

Times::Times(const Cuts& cuts) : units_(cuts.units()) {
  const Scenario& scenario = cuts.scenario();
  CheckSize(cuts);
  for (std::size_t u = 0; u < cuts.units(); ++u) {
    const auto& variant = scenario.units[u].variant;
    const BackendDeclaration* backend = scenario.platform->unit(UnitId(u)).backend;
    dispatch_.push_back(scenario.costs->Dispatch(UnitId(u)));
    held_bytes_.push_back(BytesOfPrecision(variant ? variant->precision : "fp32"));
    element_bytes_.push_back(backend && backend->HandsOnFloats() ? kFp32Bytes : held_bytes_.back());
  }
  for (const Segment& segment : cuts.segments()) {
    for (std::size_t u = 0; u < cuts.units(); ++u) Read(cuts, segment, UnitId(u));
  }
  // A unit whose memory no link reaches gets no inputs that are to be copied.
  for (std::size_t u = 0; u < cuts.units(); ++u) {
    if (cuts.routes().Way(MemoryId(0), cuts.MemoryOf(UnitId(u)))) continue;
    for (std::size_t s = 0; s < cuts.segments().size(); ++s) {
      if (cuts.Copies(SegmentId(s))) profiled_[At(SegmentId(s), UnitId(u))] = kCannot;
    }
  }
}

void Times::CheckSize(const Cuts& cuts) {
  const std::size_t segments = cuts.segments().size();
  if (segments <= kMostTimes / cuts.units()) return;
  throw InputError(cuts.scenario().file + ": " + std::to_string(segments) + " tasks of all models on " +
                   std::to_string(cuts.units()) + " units are more than " + std::to_string(kMostTimes) +
                   " times, which is as many as are kept; coarser tasks (\"granularity\") are fewer");
}

void Times::Read(const Cuts& cuts, const Segment& segment, UnitId unit) {
  const auto plain = CostOf(cuts, segment, unit, false);
  profiled_.push_back(plain ? plain->time : kCannot);
  joules_.push_back(plain && plain->energy_j ? *plain->energy_j : -1.0);
  estimated_.push_back(plain && plain->estimated ? 1 : 0);
  const bool maps =
      std::find(segment.modes.begin(), segment.modes.end(), TransferMode::kZeroCopy) != segment.modes.end();
  const auto mapped = maps && plain ? CostOf(cuts, segment, unit, true) : std::nullopt;
  mapped_.push_back(mapped ? mapped->time : profiled_.back());
}

}  // namespace tandem
