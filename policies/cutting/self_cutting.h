// Room policies/cutting: for policies that cut models themselves: pipelines, splits, branches.
//
// What the policies that cut models themselves have in common: they choose pieces and the unit of each before
// the run; then every unit takes the earliest of its tasks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/cutting/piece_times.h"
#include "policies/engine/policy.h"

namespace tandem {

struct AssignedPiece {
  CutPiece piece;
  UnitId unit;
  friend bool operator==(const AssignedPiece&, const AssignedPiece&) = default;
};
using AssignedPieces = std::vector<AssignedPiece>;

// How one policy cuts one model.
class ModelCutter {
 public:
  virtual ~ModelCutter() = default;
  // The pieces of PieceTimes::cuts()[cut], on units that `usable` has; nothing: these have no times for all
  // of the model. Asked again, it answers anew: the other cuts may have changed since.
  virtual std::optional<AssignedPieces> Cut(std::size_t cut, const std::vector<char>& usable) = 0;
};

struct SelfCuttingRule {
  const PieceTimes* times = nullptr;
  std::vector<char> units;  // per unit: may the policy use it?
  int revisits = 0;         // so many times every cut is made again, while anything changes
};

// Models with the most work choose first; of units that hold few models each takes those that have room left.
// It decides on the problem of these cuts, where units whose residents are open hold what is bound to them.
Prepared MakeSelfCutting(const PolicySpec& spec, const Problem& problem, const SelfCuttingRule& rule,
                         ModelCutter& cutter);

// The "units" of such policies: those named, in the order of the platform; without the key all of them.
CodecOf<std::vector<UnitId>> UnitsCodec();
inline constexpr std::string_view kUnitsHelp = "those that it may use; without it all";
std::vector<char> UnitsToUse(const std::vector<UnitId>& named, const Problem& problem);

}  // namespace tandem
