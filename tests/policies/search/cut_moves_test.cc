// Does a moved cut keep every layer, and every task its place? Does the search find by it what it would not
// find else?
#include "policies/search/cut_moves.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "tests/support/cut_run.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_cuts.h"
#include "tests/support/random_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

// How often each layer of each request is made, counted in channels or rows of parts.
using Made = std::map<std::tuple<StreamId, std::int32_t, LayerId>, std::int64_t>;

Made MadeBy(const Problem& problem, const std::vector<Decision>& tasks) {
  Made made;
  for (const Decision& task : tasks) {
    const Segment& segment = problem.segment(task.segment);
    std::vector<LayerId> layers = segment.layers;
    if (layers.empty())
      layers = WorkingLayers(*problem.scenario().model(problem.model_of(task.segment)).model);
    for (const LayerId layer : layers) {
      if (IsFree(problem.scenario().model(problem.model_of(task.segment)).model->layer(layer).op)) continue;
      made[{task.stream, task.index, layer}] += segment.part ? segment.part->size() : 1;
    }
  }
  return made;
}

TEST(CutMoves, KeepEveryLayerOfEveryRequest) {
  std::int64_t moved = 0, more_tasks = 0, other_parts = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    StreamRandom random("moves", seed);
    try {
      const Decisions plan = RandomPlan(scenario, seed, "eft", true);
      const Prepared made = MakeDecided(plan, Problem(scenario, plan.granularity, plan.cuts));
      RecordingPolicy recording(*made.policy, 10'000);
      RunVirtual(*made.problem, recording);
      const std::vector<Decision> taken = recording.TakeAll();
      for (int tries = 0; tries < 10; ++tries) {
        const auto move = MoveCut(*made.problem, random);
        if (!move) continue;
        std::optional<Problem> cut;
        try {
          cut.emplace(scenario, plan.granularity, move->cuts);
        } catch (const InputError&) {
          continue;  // nothing runs it so
        }
        const std::vector<Decision> tasks = MovedTasks(*made.problem, *cut, *move, taken);
        ++moved;
        more_tasks += tasks.size() > taken.size() ? 1 : 0;
        other_parts += CountParts(*cut) > 0 ? 1 : 0;
        EXPECT_EQ(MadeBy(*cut, tasks), MadeBy(*made.problem, taken)) << seed;
      }
    } catch (const InputError&) {
      continue;  // nowhere to run, as things are cut
    }
  }
  EXPECT_GT(moved, 100);
  EXPECT_GT(more_tasks, 10);
  EXPECT_GT(other_parts, 10);
}

// Split into 2 and 2 of 4 channels though one unit is three times as fast: a step gives it one more.
TEST(CutMoves, ChangeTheRatioOfASplit) {
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "dram"}])";
  json.profile = R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 8},
                                {"model": "m0.json", "unit": "u1", "layers": ["a"], "median_us": 24}])";
  json.models = {
      R"([{"name": "in", "op": "input", "shape": [1, 4, 8, 8]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"};
  json.scenario =
      R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])";
  const Scenario scenario = json.Read();
  const LayerId a = scenario.models[0].model->Find("a");
  const auto part = [&](std::int64_t first, std::int64_t end) {
    return CutPiece{{a}, LayerPart{SplitAxis::kChannels, first, end}};
  };
  auto cuts = std::make_shared<CutPlan>();
  cuts->cuts.push_back({ModelId(0), 1, {part(0, 2), part(2, 4)}});
  const Problem problem(scenario, Granularity::kLayer, cuts);
  StreamRandom random("ratio", 1);
  std::set<std::int64_t> firsts;
  for (int tries = 0; tries < 100; ++tries) {
    const auto move = MoveCut(problem, random);
    if (move) firsts.insert(move->cuts->cuts[0].pieces[0].part->size());
  }
  EXPECT_EQ(firsts, (std::set<std::int64_t>{1, 3}));
}

}  // namespace
}  // namespace tandem
