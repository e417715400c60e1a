// Plans that cut one model in any way: pieces by chance, splits by both axes, any unit for any task. For
// tests that compare what comes out with one unit alone.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "profiles/model/layer_parts.h"
#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/plan.h"

namespace tandem {

// Own formulas: the same everywhere.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}
  std::int64_t Below(std::int64_t count) {
    return static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(count));
  }
  bool Percent(std::int64_t percent) { return Below(100) < percent; }
  template <class T>
  const T& Of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(Below(static_cast<std::int64_t>(list.size())))];
  }

 private:
  std::mt19937_64 bits_;
};

// Convolutions of all kinds, poolings, branches that are added or joined, perhaps several outputs.
Model RandomNetwork(Chance& chance, std::int64_t layers);

// Layers that follow each other in the order of ids; most of what can be split is, into two or three parts.
std::vector<CutPiece> RandomPieces(const Model& model, Chance& chance);
// These groups; `percent` of those that can be split are.
std::vector<CutPiece> SplitSome(const Model& model, const std::vector<std::vector<LayerId>>& groups,
                                std::int64_t percent, Chance& chance);

// `model`: a name of the zoo or a file. `units`: the JSON list of a platform. Requests of the stream are all
// there at once; tasks go to units by chance, or as `unit_of` says, piece by piece.
struct PlanToCut {
  std::string model, units;
  std::int64_t batch = 1, requests = 3;
  std::vector<CutPiece> pieces;
  std::vector<std::size_t> unit_of;
  std::filesystem::path file = {};  // where the scenario is to stand; empty: nowhere
  std::string memories = R"([{"name": "dram"}])", links = "[]";
  std::vector<EdgeMode> edges = {};
};
PlanFile PlanOf(const PlanToCut& cut, Chance& chance);

}  // namespace tandem
