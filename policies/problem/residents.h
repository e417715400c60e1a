// What units hold at the start, and what they may hold instead. A unit that the scenario restricts, or that
// has no limit, holds what the scenario says; where that leaves a choice there is a default until a policy
// makes its own: the models for which the unit compares best with the fastest other unit, by the ratio of
// their times; ties go to the model that appears first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policies/problem/cuts.h"
#include "policies/problem/times.h"

namespace tandem {

using ResidentOption = std::vector<std::optional<std::vector<ModelId>>>;  // per unit; nothing: as before

class Residents {
 public:
  // The default. Throws InputError where the scenario names more than a unit can hold. The scenario outlives
  // it; nothing else is kept.
  Residents(const Cuts& cuts, const Times& times);

  bool Resident(ModelId model, UnitId unit) const { return Of(model, unit).held; }
  std::vector<ModelId> HeldBy(UnitId unit) const;
  // Or may the unit load it, in place of others that can be loaded again?
  bool MayBeOn(ModelId model, UnitId unit) const { return Resident(model, unit) || Of(model, unit).loads; }
  std::optional<std::int64_t> ResidentLimit(UnitId unit) const;
  bool MayChooseResidents(UnitId unit) const { return may_choose_[unit.index()] != 0; }
  // May the unit hold both at once? Of those with memory on their chips not what is compiled apart.
  bool MayShare(UnitId unit, ModelId a, ModelId b) const {
    return scenario_->costs->on_chip().MayShare(unit, a, b);
  }
  // May it have to put out one model for another, whatever room there is?
  bool HoldsSome(UnitId unit) const {
    return ResidentLimit(unit).has_value() || scenario_->costs->on_chip().Has(unit);
  }
  // Within the limit and the memory, beside what other units hold in it, and on the unit's chip?
  bool MayHoldTogether(UnitId unit, const std::vector<ModelId>& models) const;
  // What the memory is short of for that.
  std::int64_t BytesMissing(UnitId unit, const std::vector<ModelId>& models) const;
  std::int64_t WeightBytes(ModelId model, UnitId unit) const { return Of(model, unit).weights; }
  // Putting the model there, where a profile has the time.
  std::optional<Nanos> LoadTime(ModelId model, UnitId unit) const { return Of(model, unit).load; }
  bool LoadsModels(UnitId unit) const;  // any: then it may have to give up another
  // The room for weights that it is never without: of what it cannot load again, and of any model that it
  // can.
  std::int64_t WeightsKept(UnitId unit) const;

  // Units that leave a choice hold what the option says; nothing where one has no room for it.
  std::optional<Residents> Holding(const ResidentOption& option) const;
  // Which unit has no room for what the option says, and how much it would need.
  std::string WhyNotHolding(const ResidentOption& option) const;
  // Units that leave a choice hold, of the models that each is to run, those that it could not load, then the
  // others, as many as it may hold together.
  Residents HoldingBound(const std::vector<std::vector<ModelId>>& models_of_unit) const;

 private:
  struct ModelOnUnit {
    bool runs = false;  // any segment of it
    bool held = false;
    bool loads = false;  // it may be put there in place of others
    std::optional<Nanos> load;
    std::int64_t weights = 0, greatest_task = 0;  // bytes
    Nanos total{0};  // all segments, with nothing else there; kCannot where one cannot run
  };
  struct Advantage;
  struct Area {  // what a unit takes of its memory at most: bytes
    std::int64_t weights = 0, task = 0;
  };
  struct Areas {
    std::vector<Area> of_unit;
    std::vector<std::int64_t> used;  // per memory: what they add up to
  };

  const ModelOnUnit& Of(ModelId model, UnitId unit) const {
    return at_[model.index() * may_choose_.size() + unit.index()];
  }
  ModelOnUnit& Of(ModelId model, UnitId unit) {
    return at_[model.index() * may_choose_.size() + unit.index()];
  }
  bool AreOnOneChip(UnitId unit, const std::vector<ModelId>& models) const;
  void Read(const Times& times, ModelId model, UnitId unit);
  void Add(const Cuts& cuts, const Times& times, SegmentId segment, UnitId unit);
  void HoldAtStart(UnitId unit);
  void Hold(UnitId unit, const std::vector<ModelId>& models);
  void SetHeld(UnitId unit, const std::vector<ModelId>& models);
  UnitId HoldAll(const ResidentOption& option);
  Advantage AdvantageOf(ModelId model, UnitId unit) const;
  std::vector<ModelId> Default(UnitId unit, const std::vector<ModelId>& candidates) const;
  void SettleLoads();
  bool SettleLoad(ModelId model, UnitId unit, Areas& areas) const;
  Area AreaOf(UnitId unit, const std::vector<ModelId>& models) const;
  std::vector<ModelId> StayingWith(ModelId model, UnitId unit) const;
  std::int64_t BytesToHold(UnitId unit, const std::vector<ModelId>& models) const;
  std::string TooMuchFor(UnitId unit, const std::vector<ModelId>& models) const;

  const Scenario* scenario_;
  std::vector<char> may_choose_;  // per unit
  std::vector<ModelOnUnit> at_;   // per model and unit
  // Of memories with a capacity: what each unit needs for what it holds, and all units of a memory together.
  std::vector<std::int64_t> bytes_held_, used_;
};

// What a task reads and makes in the unit's memory.
std::int64_t TaskBytes(const Cuts& cuts, const Times& times, SegmentId segment, UnitId unit);

}  // namespace tandem
