// Does any cut of any model over units with memories of their own give what one unit alone gives: split
// layers, any way for any tensor, tasks anywhere?
#include <gtest/gtest.h>

#include <filesystem>

#include "profiles/base/files.h"
#include "profiles/model/model_json.h"
#include "tests/support/device/cut_plans.h"
#include "tests/support/device/distant_files.h"

namespace tandem {
namespace {

class DistantCuts : public Distant {
 protected:
  void ExpectCutsAsOneUnit(Wiring wiring, std::uint64_t seeds);
};

std::vector<EdgeMode> RandomEdges(const Model& model, std::int64_t batch, Chance& chance) {
  std::vector<EdgeMode> edges;
  const auto mode = [&] {
    return chance.Of<TransferMode>({TransferMode::kCopy, TransferMode::kZeroCopy, TransferMode::kNone});
  };
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto users = model.users(LayerId(i));
    for (const LayerId user : users) edges.push_back({ModelId(0), batch, LayerId(i), user, mode()});
    if (users.empty()) edges.push_back({ModelId(0), batch, LayerId(i), LayerId(), mode()});
  }
  return edges;
}

void DistantCuts::ExpectCutsAsOneUnit(Wiring wiring, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Chance chance(seed);
    const Model model = RandomNetwork(chance, 8);
    const std::filesystem::path file = folder / "cut.json";
    WriteFile(file, ModelJson(model, ""));
    PlanToCut cut;
    cut.model = file.string();
    cut.units = kDistantUnits;
    cut.memories = kDistantMemories;
    cut.links = LinksOf(wiring);
    cut.batch = 1 + chance.Below(2);
    cut.pieces = RandomPieces(model, chance);
    cut.requests = 4;
    if (chance.Percent(70)) cut.edges = RandomEdges(model, cut.batch, chance);
    RunOrder request;
    request.plans.push_back(PlanOf(cut, chance));
    request.force = request.trace = true;
    ExpectRight(request, cut.requests, "seed " + std::to_string(seed) + " ");
    EXPECT_EQ(distant.memory().in_use, 0) << "seed " << seed;
  }
}

TEST_F(DistantCuts, AnyCutGivesTheSameThroughSlots) { ExpectCutsAsOneUnit(Wiring::kSlots, 6); }
TEST_F(DistantCuts, AnyCutGivesTheSameThroughEngines) { ExpectCutsAsOneUnit(Wiring::kEngines, 6); }
TEST_F(DistantCuts, AnyCutGivesTheSameThroughBoth) { ExpectCutsAsOneUnit(Wiring::kMixed, 6); }
TEST_F(DistantCuts, AnyCutGivesTheSameOverAMemoryInBetween) { ExpectCutsAsOneUnit(Wiring::kDirect, 6); }

}  // namespace
}  // namespace tandem
