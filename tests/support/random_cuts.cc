#include "tests/support/random_cuts.h"

#include <algorithm>
#include <map>
#include <random>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/recording_policy.h"
#include "policies/problem/cut_model.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

class CutDrawer {
 public:
  CutDrawer(const Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario), bits_(seed * 0x9e3779b9U + 7) {}

  CutPlan Draw() {
    std::map<std::pair<ModelId, std::int64_t>, bool> known;
    for (const Stream& stream : scenario_.streams) {
      if (!known.emplace(std::pair(stream.model, stream.batch), true).second) continue;
      if (Chance(80)) cuts_.cuts.push_back(DrawCut(stream.model, stream.batch));
      DrawEdges(stream.model, stream.batch);
    }
    return std::move(cuts_);
  }

 private:
  std::int64_t Between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool Chance(int percent) { return Between(1, 100) <= percent; }

  ModelPieces DrawCut(ModelId id, std::int64_t batch) {
    const Model& model = *scenario_.model(id).model;
    for (int attempt = 0; attempt < 6; ++attempt) {
      ModelPieces cut{id, batch, {}};
      for (const std::vector<LayerId>& group : DrawGroups(model, attempt == 5)) Split(model, group, cut);
      try {
        CutAsPlanned(scenario_, cut);
        return cut;
      } catch (const InputError&) {
        continue;  // groups that need each other
      }
    }
    ModelPieces cut{id, batch, {}};
    for (const std::vector<LayerId>& group : DrawGroups(model, true)) cut.pieces.push_back({group, {}});
    return cut;
  }

  std::vector<std::vector<LayerId>> DrawGroups(const Model& model, bool single) {
    std::map<std::int64_t, std::vector<LayerId>> groups;
    const std::int64_t most = Between(1, 4);
    for (std::size_t l = 0; l < model.size(); ++l) {
      if (model.layers()[l].op == Op::kInput) continue;
      groups[single ? static_cast<std::int64_t>(l) : Between(0, most)].emplace_back(l);
    }
    std::vector<std::vector<LayerId>> list;
    for (auto& [group, layers] : groups) list.push_back(std::move(layers));
    std::shuffle(list.begin(), list.end(), bits_);
    return list;
  }

  void Split(const Model& model, const std::vector<LayerId>& group, ModelPieces& cut) {
    const SplitAxis axis = Chance(50) ? SplitAxis::kChannels : SplitAxis::kRows;
    const SplitRange range = SplitRangeOf(model, group, axis);
    const std::int64_t pieces = range.extent / range.granule;
    if (pieces < 2 || Chance(40)) return cut.pieces.push_back({group, {}});
    std::vector<std::int64_t> ends = {Between(1, pieces - 1), pieces};
    if (pieces > 2 && Chance(40)) ends.push_back(Between(1, pieces - 1));
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::int64_t first = 0;
    for (const std::int64_t end : ends) {
      cut.pieces.push_back({group, LayerPart{axis, first * range.granule, end * range.granule}});
      first = end;
    }
  }

  void DrawEdges(ModelId id, std::int64_t batch) {
    const Model& model = *scenario_.model(id).model;
    for (std::size_t l = 0; l < model.size(); ++l) {
      const LayerId from(l);
      for (const LayerId to : model.users(from)) {
        if (Chance(30)) cuts_.edges.push_back({id, batch, from, to, DrawMode()});
      }
      if (model.users(from).empty() && Chance(30)) cuts_.edges.push_back({id, batch, from, {}, DrawMode()});
    }
  }

  TransferMode DrawMode() {
    return kTransferModeNames[static_cast<std::size_t>(Between(0, kTransferModeNames.size() - 1))].value;
  }

  const Scenario& scenario_;
  std::mt19937_64 bits_;
  CutPlan cuts_;
};

}  // namespace

std::shared_ptr<const CutPlan> RandomCuts(const Scenario& scenario, std::uint64_t seed) {
  return std::make_shared<CutPlan>(CutDrawer(scenario, seed).Draw());
}

std::size_t CountParts(const Problem& problem) {
  std::size_t parts = 0;
  for (const Segment& segment : problem.segments()) parts += segment.part ? 1 : 0;
  return parts;
}

Decisions RandomPlan(const Scenario& scenario, std::uint64_t seed, const char* policy, bool schedule) {
  Decisions decisions;
  decisions.cuts = RandomCuts(scenario, seed);
  decisions.granularity = kGranularityNames[seed % kGranularityNames.size()].value;
  decisions.rule = std::make_shared<PolicySpec>(PolicyByName(policy, scenario, "test"));
  if (!schedule) return decisions;
  const Prepared rule = MakeDecided(decisions, Problem(scenario, decisions.granularity, decisions.cuts));
  constexpr std::size_t kMostTasks = 100000;
  RecordingPolicy recording(*rule.policy, kMostTasks);
  RunVirtual(*rule.problem, recording);
  decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(recording.TakeAll(), *rule.problem));
  decisions.rule = nullptr;
  return decisions;
}

}  // namespace tandem
