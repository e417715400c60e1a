// What the tasks of a policy that cuts models itself would take: any layers, any part of them, and the copies
// between them; whatever units hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/problem/copy_costs.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// Requests of one model and batch: they are cut alike.
struct ModelToCut {
  ModelId model;
  std::int64_t batch = 1;
  double requests = 0;  // as RequestWeights counts
};

class PieceTimes : public CopyCosts {
 public:
  // `problem` outlives it; how it is cut does not matter.
  explicit PieceTimes(const Problem& problem);

  const Scenario& scenario() const { return problem().scenario(); }
  std::size_t units() const { return problem().units(); }
  // In order of their first streams.
  const std::vector<ModelToCut>& cuts() const { return cuts_; }
  const Model& model(std::size_t cut) const { return *scenario().model(cuts_[cut].model).model; }

  Nanos Dispatch(UnitId unit) const { return problem().Dispatch(unit); }
  std::int64_t ElementBytes(UnitId unit) const { return problem().ElementBytes(unit); }

  // The profiled time alone. `mapped`: through a zero-copy mapping, the plain time where none is known.
  std::optional<Nanos> Time(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                            bool mapped = false) const;
  std::optional<Nanos> WholeModel(std::size_t cut, UnitId unit, bool mapped = false) const;
  std::optional<Nanos> Part(std::size_t cut, UnitId unit, std::span<const LayerId> layers,
                            const LayerPart& part, std::int64_t extent, bool mapped = false) const;
  // All that was measured of the model there.
  std::vector<CostTable::Measured> Entries(std::size_t cut, UnitId unit) const;

 private:
  std::vector<ModelToCut> cuts_;
};

}  // namespace tandem
