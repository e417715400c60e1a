// Branch-parallel: groups of branches, chains of layers from one fork to one join, run side by side on
// several units where that is faster than one after the other. Everything else, the trunk, runs one layer
// after the other, each where the sum with all copies is least, or all on one unit that is named. A group
// stays in sequence as the trunk would run it, or on the unit that has the least sum; in parallel at most one
// unit runs more than one of its branches, so with more branches than units one of each and the rest
// together. All such assignments are tried, the best is kept. Tie-break: sequence before parallel, units in
// the order of the platform for the first branches. A unit takes the earliest of its tasks. Source: study
// 004.
#include <algorithm>

#include "policies/cutting/self_cutting.h"
#include "policies/cutting/sequential_pieces.h"
#include "policies/engine/exclusion.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/model/branch_groups.h"

namespace tandem::branch_parallel {
namespace {

constexpr std::int64_t kMostAssignments = 100'000;  // of one group; of more the best of these

struct BranchParameters : PolicyParameters {
  std::vector<UnitId> units;  // none: all
  std::optional<UnitId> trunk;
};

// Of no unit: the trunk's layers are where the sum is least.
CodecOf<std::optional<UnitId>> TrunkCodec() {
  return as::Custom<std::optional<UnitId>>(
      R"("type": "string", "default": "best")",
      [](const JsonReader& value, std::optional<UnitId>& into, Context context) {
        if (value.String() != "best") into = FindUnit(context.As<Scenario>(), value.String(), value);
      },
      [](const std::optional<UnitId>& from, std::string& text, Context context) {
        if (from) text += JsonString(context.As<Scenario>().platform->unit(*from).name);
      });
}

void CheckTrunk(const JsonReader& value, const BranchParameters& parameters, Context) {
  const auto& units = parameters.units;
  if (!parameters.trunk || units.empty()) return;
  if (std::find(units.begin(), units.end(), *parameters.trunk) != units.end()) return;
  const JsonReader trunk = value.Get("trunk");
  trunk.Fail("unit " + Quoted(trunk.String()) + " is not among \"units\"");
}

const Fields<BranchParameters>& Keys() {
  static const auto fields =
      Fields<BranchParameters>()
          .Optional("units", &BranchParameters::units, UnitsCodec(), kUnitsHelp)
          .Optional("trunk", &BranchParameters::trunk, TrunkCodec(),
                    "the unit that runs what is in no group; best: each layer where the sum is least")
          .Rule(CheckTrunk);
  return fields;
}

// A group as tasks of a cut.
struct TaskGroup {
  struct Branch {
    std::vector<std::size_t> tasks;  // ascending
    std::vector<LayerId> layers;
  };
  std::vector<Branch> branches;
  std::size_t join = 0;
};

// Branches on units, and the time from the fork to where the join may begin.
struct Assignment {
  Nanos time{0};
  std::vector<UnitId> units;  // per branch
};

class Brancher {
 public:
  Brancher(const PieceTimes& times, std::size_t index, const CutSegments& cut, const PlacerCase& wanted)
      : times_(times),
        index_(index),
        cut_(cut),
        wanted_(wanted),
        layers_(times, index, cut),
        excluded_(ExcludedUnits(*times.scenario().platform)) {}

  std::optional<std::pair<Nanos, AssignedPieces>> Make() {
    auto placement = layers_.Find(wanted_);
    if (!placement) return std::nullopt;
    placement_ = std::move(*placement);
    std::vector<char> apart(cut_.segments.size());
    AssignedPieces branches;
    Nanos total = placement_.total;
    for (const TaskGroup& group : Groups()) {
      const auto best = Best(group);
      const Nanos placed = AsPlaced(group);
      if (!best || best->time >= placed) continue;
      total -= placed - best->time;
      for (std::size_t b = 0; b < group.branches.size(); ++b) {
        branches.push_back({{group.branches[b].layers, std::nullopt}, best->units[b]});
        for (const std::size_t task : group.branches[b].tasks) apart[task] = 1;
      }
    }
    AssignedPieces pieces;
    for (AssignedPiece& piece : PiecesOf(times_, index_, cut_, placement_, apart)) {
      const bool of_branch = std::any_of(branches.begin(), branches.end(), [&](const AssignedPiece& branch) {
        return std::binary_search(branch.piece.layers.begin(), branch.piece.layers.end(),
                                  piece.piece.layers[0]);
      });
      if (!of_branch) pieces.push_back(std::move(piece));
    }
    pieces.insert(pieces.end(), branches.begin(), branches.end());
    return std::pair{total, std::move(pieces)};
  }

 private:
  // Groups of which two branches at least are whole tasks of the cut.
  std::vector<TaskGroup> Groups() const {
    const Model& model = times_.model(index_);
    std::vector<std::ptrdiff_t> task_of(model.size(), -1);
    for (std::size_t t = 0; t < cut_.segments.size(); ++t) {
      for (const LayerId layer : cut_.segments[t].layers)
        task_of[layer.index()] = static_cast<std::ptrdiff_t>(t);
    }
    std::vector<TaskGroup> groups;
    for (const BranchGroup& found : FindBranchGroups(model)) {
      TaskGroup group;
      const std::ptrdiff_t join = task_of[found.join.index()];
      for (const auto& layers : found.branches) {
        TaskGroup::Branch branch = BranchOf(layers, task_of);
        if (!branch.tasks.empty()) group.branches.push_back(std::move(branch));
      }
      if (join < 0 || group.branches.size() < 2) continue;
      group.join = static_cast<std::size_t>(join);
      groups.push_back(std::move(group));
    }
    return groups;
  }

  // A layer that costs nothing may be one task with the fork: then the branch begins behind it. Fused with
  // what follows, it is none.
  TaskGroup::Branch BranchOf(const std::vector<LayerId>& layers,
                             const std::vector<std::ptrdiff_t>& task_of) const {
    TaskGroup::Branch branch;
    for (const LayerId layer : layers) {
      if (task_of[layer.index()] < 0) return {};
      const auto task = static_cast<std::size_t>(task_of[layer.index()]);
      const auto& all = cut_.segments[task].layers;
      const bool inside = std::all_of(all.begin(), all.end(), [&](LayerId other) {
        return std::find(layers.begin(), layers.end(), other) != layers.end();
      });
      if (!inside && branch.tasks.empty()) continue;
      if (!inside) return {};
      if (branch.tasks.empty() || branch.tasks.back() != task) branch.tasks.push_back(task);
      branch.layers.push_back(layer);
    }
    return branch;
  }

  UnitId Trunk(std::size_t task) const { return placement_.tasks[task][0].unit; }

  // Where a tensor lies while the trunk runs as it is placed: with its maker, or where the model's inputs
  // are.
  TensorPlace PlaceOf(std::size_t tensor) const {
    const SegmentId maker = cut_.cut.tensors[tensor].producer;
    return maker.valid() ? layers_.MadeBy(tensor, placement_.tasks[maker.index()]) : layers_.Input(tensor);
  }

  // All tasks of the group as the trunk has them, and what the join begins with.
  Nanos AsPlaced(const TaskGroup& group) const {
    const std::size_t join = group.join;
    Nanos time = placement_.times[join] - *layers_.Time(join, Trunk(join)) -
                 layers_.WayBack(join, placement_.tasks[join][0]) - BroughtFromElsewhere(group);
    for (const auto& branch : group.branches) {
      for (const std::size_t task : branch.tasks) time += placement_.times[task];
    }
    return time;
  }

  // What the join reads beside the branches.
  Nanos BroughtFromElsewhere(const TaskGroup& group) const {
    Nanos time{0};
    for (const std::int32_t t : cut_.segments[group.join].reads) {
      const auto tensor = static_cast<std::size_t>(t);
      const SegmentId maker = cut_.cut.tensors[tensor].producer;
      const bool of_branch = std::any_of(
          group.branches.begin(), group.branches.end(),
          [&](const auto& branch) { return maker.valid() && branch.tasks.back() == maker.index(); });
      if (of_branch || !times_.copies()) continue;
      time += layers_.BringIn(PlaceOf(tensor), Trunk(group.join));
    }
    return time;
  }

  // All branches on one unit, or, where that is faster, side by side.
  std::optional<Assignment> Best(const TaskGroup& group) {
    best_.reset();
    for (std::size_t u = 0; u < times_.units(); ++u) {
      if (!wanted_.usable[u] || (wanted_.preferred.valid() && wanted_.preferred != UnitId(u))) continue;
      Look(group, std::vector<UnitId>(group.branches.size(), UnitId(u)));
    }
    left_ = kMostAssignments;
    for (std::size_t u = 0; u < times_.units(); ++u) {
      std::vector<UnitId> units;
      if (wanted_.usable[u]) Assign(group, UnitId(u), units);
    }
    return best_;
  }

  void Look(const TaskGroup& group, const std::vector<UnitId>& units) {
    const auto time = TimeOf(group, units);
    if (time && (!best_ || *time < best_->time)) best_ = Assignment{*time, units};
  }

  // Each unit runs its branches one after the other, the units beside each other; then the join brings in
  // what is not there.
  std::optional<Nanos> TimeOf(const TaskGroup& group, const std::vector<UnitId>& units) {
    std::vector<Nanos> busy(times_.units());
    std::vector<char> brought(times_.units());
    Nanos join = times_.Dispatch(Trunk(group.join));
    for (std::size_t b = 0; b < units.size(); ++b) {
      const std::size_t u = units[b].index();
      const auto& branch = group.branches[b];
      bool mapped = false;
      for (const std::int32_t t : cut_.segments[branch.tasks[0]].reads) {
        const TensorPlace place = PlaceOf(static_cast<std::size_t>(t));
        const bool here = layers_.IsIn(place, times_.MemoryOf(units[b]));
        mapped = mapped || (times_.maps() && !here);
        if (times_.copies() && !brought[u]) busy[u] += layers_.BringIn(place, units[b]);
      }
      brought[u] = 1;
      const auto work = WorkOf(branch, units[b], mapped);
      if (!work) return std::nullopt;
      busy[u] += times_.Dispatch(units[b]) + *work;
      for (const std::int32_t t : cut_.segments[branch.tasks.back()].makes) {
        const TensorPlace made =
            layers_.MadeBy(static_cast<std::size_t>(t), PlacedTask{{units[b], std::nullopt}});
        if (times_.copies()) join += layers_.BringIn(made, Trunk(group.join));
      }
    }
    return *std::max_element(busy.begin(), busy.end()) + join;
  }

  std::optional<Nanos> WorkOf(const TaskGroup::Branch& branch, UnitId unit, bool mapped) {
    const auto [known, is_new] = work_.try_emplace({branch.layers[0], unit, mapped});
    if (is_new) known->second = times_.Time(index_, unit, branch.layers, mapped);
    return known->second;
  }

  // The shared unit may run any number of branches, each other one a single one.
  void Assign(const TaskGroup& group, UnitId shared, std::vector<UnitId>& units) {
    if (units.size() == group.branches.size()) {
      const bool alone =
          std::all_of(units.begin(), units.end(), [&](UnitId unit) { return unit == units[0]; });
      if (!alone) Look(group, units);
      return;
    }
    for (std::size_t u = 0; u < times_.units() && left_ > 0; ++u) {
      const UnitId unit(u);
      if (!wanted_.usable[u]) continue;
      if (unit != shared && std::find(units.begin(), units.end(), unit) != units.end()) continue;
      if (!Beside(unit, units)) continue;
      --left_;
      units.push_back(unit);
      Assign(group, shared, units);
      units.pop_back();
    }
  }

  // Units that share cores cannot work at once.
  bool Beside(UnitId unit, const std::vector<UnitId>& units) const {
    const auto& excluded = excluded_[unit.index()];
    return std::none_of(units.begin(), units.end(), [&](UnitId other) {
      return std::find(excluded.begin(), excluded.end(), other) != excluded.end();
    });
  }

  const PieceTimes& times_;
  std::size_t index_;
  const CutSegments& cut_;
  const PlacerCase& wanted_;
  ChainPlacer layers_;
  std::vector<std::vector<UnitId>> excluded_;
  ChainPlacement placement_;
  std::optional<Assignment> best_;
  std::int64_t left_ = 0;
  std::map<std::tuple<LayerId, UnitId, bool>, std::optional<Nanos>> work_;  // of branches
};

class BranchCutter final : public ModelCutter {
 public:
  BranchCutter(const PieceTimes& times, UnitId trunk) : times_(times), trunk_(trunk) {}

  std::optional<AssignedPieces> Cut(std::size_t index, const std::vector<char>& usable) override {
    std::optional<std::pair<Nanos, AssignedPieces>> best;
    const PlacerCase wanted{usable, {}, trunk_};
    for (const CutSegments& cut : CutsToTry(times_, index)) {
      auto made = Brancher(times_, index, cut, wanted).Make();
      if (made && (!best || made->first < best->first)) best = std::move(made);
    }
    if (!best) return std::nullopt;
    return std::move(best->second);
  }

 private:
  const PieceTimes& times_;
  UnitId trunk_;  // invalid: each layer where it is best
};

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  const auto& parameters = spec.As<BranchParameters>();
  const PieceTimes times(problem);
  BranchCutter cutter(times, parameters.trunk.value_or(UnitId()));
  return MakeSelfCutting(spec, problem, {&times, UnitsToUse(parameters.units, problem), 0}, cutter);
}

const PolicyRegistration kBranchParallel{
    {.name = "branch_parallel",
     .summary = "branches between a fork and a join on several units at once, where that gains",
     .takes_granularity = false,
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::branch_parallel
