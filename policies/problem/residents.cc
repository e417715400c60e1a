#include "policies/problem/residents.h"

#include <algorithm>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {

Residents::Residents(const Cuts& cuts, const Times& times)
    : scenario_(&cuts.scenario()),
      may_choose_(cuts.units()),
      at_(scenario_->models.size() * cuts.units()),
      bytes_held_(cuts.units()),
      used_(scenario_->platform->memories.size()) {
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    for (std::size_t u = 0; u < cuts.units(); ++u) Read(times, ModelId(m), UnitId(u));
  }
  for (std::size_t s = 0; s < cuts.segments().size(); ++s) {
    for (std::size_t u = 0; u < cuts.units(); ++u) Add(cuts, times, SegmentId(s), UnitId(u));
  }
  for (std::size_t u = 0; u < cuts.units(); ++u) HoldAtStart(UnitId(u));
  SettleLoads();
}

void Residents::Read(const Times& times, ModelId model, UnitId unit) {
  ModelOnUnit& of = Of(model, unit);
  const auto& variant = scenario_->units[unit.index()].variant;
  if (variant) of.load = scenario_->costs->LoadTime(model, unit, *variant);
  of.weights = scenario_->model(model).model->BytesOfWeights() / kFp32Bytes * times.HeldElementBytes(unit);
}

void Residents::Add(const Cuts& cuts, const Times& times, SegmentId segment, UnitId unit) {
  ModelOnUnit& of = Of(cuts.model_of(segment), unit);
  const Nanos time = times.Profiled(segment, unit);
  of.total = time == Times::kCannot || of.total == Times::kCannot ? Times::kCannot : of.total + time;
  if (time == Times::kCannot) return;
  of.runs = true;
  of.greatest_task = std::max(of.greatest_task, TaskBytes(cuts, times, segment, unit));
}

void Residents::HoldAtStart(UnitId unit) {
  std::vector<ModelId> models;
  if (const auto& named = scenario_->units[unit.index()].resident) {
    models = *named;
    if (!MayHoldTogether(unit, models)) {
      throw InputError(scenario_->file + ":/resident: " + TooMuchFor(unit, models));
    }
  } else {
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      if (Of(ModelId(m), unit).runs) models.emplace_back(m);
    }
    may_choose_[unit.index()] = ResidentLimit(unit) || !MayHoldTogether(unit, models) ? 1 : 0;
    if (MayChooseResidents(unit)) models = Default(unit, models);
  }
  SetHeld(unit, models);
}

void Residents::SetHeld(UnitId unit, const std::vector<ModelId>& models) {
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) Of(ModelId(m), unit).held = false;
  for (const ModelId model : models) Of(model, unit).held = true;
  const Platform& platform = *scenario_->platform;
  const std::size_t memory = platform.unit(unit).memory.index();
  if (!platform.memories[memory].capacity_bytes) return;
  const std::int64_t bytes = BytesToHold(unit, HeldBy(unit));
  used_[memory] += bytes - bytes_held_[unit.index()];
  bytes_held_[unit.index()] = bytes;
}

// The model's least total time elsewhere over its time on the unit; models that run nowhere else come first.
struct Residents::Advantage {
  double ratio = 0;
  bool only_here = false;
  ModelId model;
};

Residents::Advantage Residents::AdvantageOf(ModelId model, UnitId unit) const {
  Advantage advantage{0, true, model};
  const Nanos here = Of(model, unit).total;
  if (here == Times::kCannot) return {0, false, model};
  Nanos least{INT64_MAX};
  for (std::size_t u = 0; u < may_choose_.size(); ++u) {
    const Nanos there = Of(model, UnitId(u)).total;
    if (UnitId(u) == unit || there == Times::kCannot) continue;
    least = std::min(least, there);
    advantage.only_here = false;
  }
  if (!advantage.only_here) {
    advantage.ratio =
        static_cast<double>(least.count()) / static_cast<double>(std::max<std::int64_t>(here.count(), 1));
  }
  return advantage;
}

std::vector<ModelId> Residents::Default(UnitId unit, const std::vector<ModelId>& candidates) const {
  std::vector<Advantage> order;
  for (const ModelId model : candidates) order.push_back(AdvantageOf(model, unit));
  std::stable_sort(order.begin(), order.end(), [](const Advantage& a, const Advantage& b) {
    return a.only_here != b.only_here ? a.only_here : a.ratio > b.ratio;
  });
  std::vector<ModelId> chosen;
  for (const Advantage& advantage : order) {
    chosen.push_back(advantage.model);
    if (!MayHoldTogether(unit, chosen)) chosen.pop_back();
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<ModelId> Residents::HeldBy(UnitId unit) const {
  std::vector<ModelId> held;
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    if (Resident(ModelId(m), unit)) held.emplace_back(m);
  }
  return held;
}

// A unit that the scenario restricts holds as many as it names, at least.
std::optional<std::int64_t> Residents::ResidentLimit(UnitId unit) const {
  const auto& limit = scenario_->platform->unit(unit).resident_models;
  const auto& named = scenario_->units[unit.index()].resident;
  if (limit || !named) return limit;
  return std::max<std::int64_t>(static_cast<std::int64_t>(named->size()), 1);
}

// Weights, and room for the greatest task: others may wait.
Residents::Area Residents::AreaOf(UnitId unit, const std::vector<ModelId>& models) const {
  Area area;
  for (const ModelId model : models) {
    area.weights += WeightBytes(model, unit);
    area.task = std::max(area.task, Of(model, unit).greatest_task);
  }
  return area;
}

std::int64_t Residents::BytesToHold(UnitId unit, const std::vector<ModelId>& models) const {
  const Area area = AreaOf(unit, models);
  return area.weights + area.task;
}

bool Residents::AreOnOneChip(UnitId unit, const std::vector<ModelId>& models) const {
  return std::ranges::all_of(models, [&](ModelId model) { return MayShare(unit, models.front(), model); });
}

bool Residents::MayHoldTogether(UnitId unit, const std::vector<ModelId>& models) const {
  const auto limit = ResidentLimit(unit);
  if (limit && static_cast<std::int64_t>(models.size()) > *limit) return false;
  return AreOnOneChip(unit, models) && BytesMissing(unit, models) == 0;
}

std::int64_t Residents::BytesMissing(UnitId unit, const std::vector<ModelId>& models) const {
  const Platform& platform = *scenario_->platform;
  const MemoryId memory = platform.unit(unit).memory;
  const auto capacity = platform.memories[memory.index()].capacity_bytes;
  if (!capacity) return 0;
  const std::int64_t used = used_[memory.index()] - bytes_held_[unit.index()] + BytesToHold(unit, models);
  return std::max<std::int64_t>(used - *capacity, 0);
}

std::string Residents::TooMuchFor(UnitId unit, const std::vector<ModelId>& models) const {
  const Platform& platform = *scenario_->platform;
  return "the " + std::to_string(models.size()) + " models of unit " + Quoted(platform.unit(unit).name) +
         " and their tasks need " + std::to_string(BytesToHold(unit, models)) + " bytes, more than memory " +
         Quoted(platform.memories[platform.unit(unit).memory.index()].name) +
         " has room for beside what other units hold there";
}

// The model, and those that could not come back.
std::vector<ModelId> Residents::StayingWith(ModelId model, UnitId unit) const {
  std::vector<ModelId> stay = {model};
  for (const ModelId held : HeldBy(unit)) {
    if (!LoadTime(held, unit)) stay.push_back(held);
  }
  return stay;
}

// Of units that load into one memory each has room for its greatest load and its greatest task, whatever the
// others hold: units and models in their order, a load for which that leaves no room is none.
void Residents::SettleLoads() {
  Areas areas{{}, std::vector<std::int64_t>(used_.size())};
  for (std::size_t u = 0; u < may_choose_.size(); ++u) {
    const Area area = AreaOf(UnitId(u), HeldBy(UnitId(u)));
    areas.of_unit.push_back(area);
    areas.used[scenario_->platform->units[u].memory.index()] += area.weights + area.task;
  }
  for (std::size_t u = 0; u < may_choose_.size(); ++u) {
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      Of(ModelId(m), UnitId(u)).loads = SettleLoad(ModelId(m), UnitId(u), areas);
    }
  }
}

bool Residents::SettleLoad(ModelId model, UnitId unit, Areas& areas) const {
  if (!LoadTime(model, unit)) return false;
  const auto limit = ResidentLimit(unit);
  const std::vector<ModelId> stay = StayingWith(model, unit);
  if (limit && static_cast<std::int64_t>(stay.size()) > *limit) return false;
  const Area with = AreaOf(unit, stay);
  Area& area = areas.of_unit[unit.index()];
  const Area wanted{std::max(area.weights, with.weights), std::max(area.task, with.task)};
  const Platform& platform = *scenario_->platform;
  const MemoryId memory = platform.unit(unit).memory;
  std::int64_t& used = areas.used[memory.index()];
  const std::int64_t more = wanted.weights + wanted.task - area.weights - area.task;
  const auto capacity = platform.memories[memory.index()].capacity_bytes;
  if (capacity && used + more > *capacity) return false;
  area = wanted;
  used += more;
  return true;
}

std::int64_t Residents::WeightsKept(UnitId unit) const {
  std::int64_t kept = 0;
  bool loads = false;
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    if (!Of(ModelId(m), unit).loads) continue;
    loads = true;
    kept = std::max(kept, AreaOf(unit, StayingWith(ModelId(m), unit)).weights);
  }
  return loads ? kept : AreaOf(unit, HeldBy(unit)).weights;
}

bool Residents::LoadsModels(UnitId unit) const {
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    if (LoadTime(ModelId(m), unit)) return true;
  }
  return false;
}

void Residents::Hold(UnitId unit, const std::vector<ModelId>& models) {
  TANDEM_CHECK(MayChooseResidents(unit), "residents are chosen where the scenario leaves them open");
  TANDEM_CHECK(MayHoldTogether(unit, models), "a unit holds what its limit and its memory allow");
  SetHeld(unit, models);
}

// The first unit that has no room; invalid: all have.
UnitId Residents::HoldAll(const ResidentOption& option) {
  for (std::size_t u = 0; u < option.size(); ++u) {  // what they hold now must not stand in the way
    if (option[u] && MayChooseResidents(UnitId(u))) Hold(UnitId(u), {});
  }
  for (std::size_t u = 0; u < option.size(); ++u) {
    if (!option[u] || !MayChooseResidents(UnitId(u))) continue;
    if (!MayHoldTogether(UnitId(u), *option[u])) return UnitId(u);
    Hold(UnitId(u), *option[u]);
  }
  SettleLoads();
  return UnitId();
}

std::optional<Residents> Residents::Holding(const ResidentOption& option) const {
  Residents next = *this;
  if (next.HoldAll(option).valid()) return std::nullopt;
  return next;
}

std::string Residents::WhyNotHolding(const ResidentOption& option) const {
  Residents next = *this;
  const UnitId unit = next.HoldAll(option);
  if (!unit.valid()) return "";
  const auto limit = ResidentLimit(unit);
  const std::vector<ModelId>& models = *option[unit.index()];
  if (!next.AreOnOneChip(unit, models)) {
    return "unit " + Quoted(scenario_->platform->unit(unit).name) +
           " is to hold models that put each other out of its chip, since they are not compiled together";
  }
  if (!limit || static_cast<std::int64_t>(models.size()) <= *limit) return next.TooMuchFor(unit, models);
  return "unit " + Quoted(scenario_->platform->unit(unit).name) + " is to hold " +
         std::to_string(models.size()) + " models, its limit is " + std::to_string(*limit);
}

Residents Residents::HoldingBound(const std::vector<std::vector<ModelId>>& models_of_unit) const {
  Residents next = *this;
  for (std::size_t u = 0; u < models_of_unit.size(); ++u) {
    if (MayChooseResidents(UnitId(u))) next.Hold(UnitId(u), {});
  }
  for (std::size_t u = 0; u < models_of_unit.size(); ++u) {
    const UnitId unit(u);
    if (!MayChooseResidents(unit)) continue;
    std::vector<ModelId> models = models_of_unit[u], held;
    std::stable_partition(models.begin(), models.end(),
                          [&](ModelId model) { return !LoadTime(model, unit); });
    for (const ModelId model : models) {
      held.push_back(model);
      if (!next.MayHoldTogether(unit, held)) held.pop_back();
    }
    next.Hold(unit, held);
  }
  next.SettleLoads();
  return next;
}

std::int64_t TaskBytes(const Cuts& cuts, const Times& times, SegmentId segment, UnitId unit) {
  const Segment& of = cuts.segment(segment);
  const Cut& whole = cuts.cut(of.cut);
  std::int64_t bytes = 0;
  for (const std::int32_t t : of.reads) {
    const CutTensor& tensor = whole.tensors[static_cast<std::size_t>(t)];
    if (Cuts::Occupies(tensor, cuts.MemoryOf(unit))) bytes += tensor.Bytes(kFp32Bytes);
  }
  for (const std::int32_t t : of.makes) {
    bytes += whole.tensors[static_cast<std::size_t>(t)].Bytes(times.ElementBytes(unit));
  }
  return bytes;
}

}  // namespace tandem
