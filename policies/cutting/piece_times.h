// What the tasks of a policy that cuts models itself would take: any layers, any part of them, and the copies
// between them; whatever units hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/problem/copy_routes.h"
#include "policies/problem/problem.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// Requests of one model and batch: they are cut alike.
struct ModelToCut {
  ModelId model;
  std::int64_t batch = 1;
  double requests = 0;  // as RequestWeights counts
};

class PieceTimes {
 public:
  // `problem` outlives it; how it is cut does not matter.
  explicit PieceTimes(const Problem& problem);

  const Scenario& scenario() const { return *scenario_; }
  std::size_t units() const { return problem_->units(); }
  // In order of their first streams.
  const std::vector<ModelToCut>& cuts() const { return cuts_; }
  const Model& model(std::size_t cut) const { return *scenario_->model(cuts_[cut].model).model; }

  Nanos Dispatch(UnitId unit) const { return problem_->Dispatch(unit); }
  MemoryId MemoryOf(UnitId unit) const { return scenario_->platform->unit(unit).memory; }
  std::int64_t ElementBytes(UnitId unit) const { return problem_->ElementBytes(unit); }

  // The profiled time alone. `mapped`: through a zero-copy mapping, the plain time where none is known.
  std::optional<Nanos> Time(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                            bool mapped = false) const;
  std::optional<Nanos> WholeModel(std::size_t cut, UnitId unit, bool mapped = false) const;
  std::optional<Nanos> Part(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                            const LayerPart& part, std::int64_t extent, bool mapped = false) const;

  // Does data have to be copied at all, or are mappings read?
  bool copies() const { return scenario_->transfer == TransferMode::kCopy; }
  bool maps() const { return scenario_->transfer == TransferMode::kZeroCopy; }
  Nanos Copy(MemoryId from, MemoryId to, std::int64_t bytes) const { return routes_.Time(from, to, bytes); }
  bool ByEngines(MemoryId from, MemoryId to) const { return routes_.ByEngines(from, to); }
  // Can inputs be brought to the unit?
  bool Reachable(UnitId unit) const {
    return !copies() || routes_.Way(MemoryId(0), MemoryOf(unit)).has_value();
  }

 private:
  const Problem* problem_;
  const Scenario* scenario_;
  CopyRoutes routes_;
  std::vector<ModelToCut> cuts_;
};

}  // namespace tandem
