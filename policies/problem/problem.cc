#include "policies/problem/problem.h"

#include <algorithm>

#include "policies/problem/copy_routes.h"
#include "policies/problem/slowdowns.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kFp32Bytes = 4;

// "fp32", "tf32", "fp16", "int8", ...: a number of bits stands in the name.
std::int64_t BytesOfPrecision(std::string_view precision) {
  if (precision.find("64") != std::string_view::npos) return 8;
  if (precision.find("16") != std::string_view::npos) return 2;
  if (precision.find('8') != std::string_view::npos) return 1;
  return kFp32Bytes;
}

}  // namespace

Problem::Problem(const Scenario& scenario, Granularity granularity, std::shared_ptr<const CutPlan> cuts)
    : scenario_(&scenario),
      granularity_(granularity),
      cut_plan_(cuts && !cuts->empty() ? std::move(cuts) : nullptr),
      units_(scenario.platform->units.size()),
      places_(*scenario.platform) {
  TANDEM_CHECK(scenario.costs.has_value(), "only a scenario with profiles can be simulated");
  CheckChosen();
  CutStreams();
  ReadDispatch();
  ReadTimes();
  ReadLoads();
  TakeUnreachableOut();
  slowdowns_ = std::make_shared<const Slowdowns>(*this);
  for (const UnitUse& use : scenario.units) {
    element_bytes_.push_back(use.variant ? BytesOfPrecision(use.variant->precision) : kFp32Bytes);
  }
  resident_.assign(scenario.models.size() * units_, 0);
  may_choose_.assign(units_, 0);
  time_ = profiled_;
  for (std::size_t u = 0; u < units_; ++u) HoldAtStart(UnitId(u));
  ApplyResidents();
  CheckAllRun();
}

// What a profile measured counts instead of the platform's.
void Problem::ReadDispatch() {
  for (const Unit& unit : platform().units) dispatch_.push_back(unit.dispatch);
  std::vector<std::optional<Nanos>> of_parts(units_);
  for (const Profile& profile : scenario_->profiles) {
    for (const DispatchEntry& entry : profile.dispatch) {
      const UnitId unit = platform().FindUnit(entry.unit);
      if (!unit.valid()) continue;
      if (entry.split) {
        of_parts[unit.index()] = entry.time.median;
      } else {
        dispatch_[unit.index()] = entry.time.median;
      }
    }
  }
  for (std::size_t u = 0; u < units_; ++u) {
    split_dispatch_.push_back(std::max(of_parts[u].value_or(Nanos{0}) - dispatch_[u], Nanos{0}));
  }
}

void Problem::ReadTimes() {
  const CostTable& costs = *scenario_->costs;
  for (const Segment& segment : segments_) {
    const Cut& of = cut(segment.cut);
    const bool mapping =
        std::find(segment.modes.begin(), segment.modes.end(), TransferMode::kZeroCopy) != segment.modes.end();
    for (std::size_t u = 0; u < units_; ++u) {
      if (segment.part) {
        ReadPartTime(segment, UnitId(u), mapping);
        continue;
      }
      estimated_.push_back(0);
      const auto& variant = scenario_->units[u].variant;
      const auto cost = [&](bool mapped) -> std::optional<SegmentCost> {
        if (!variant) return std::nullopt;
        if (!segment.layers.empty()) {
          return costs.Segment(of.model, UnitId(u), *variant, of.batch, segment.layers, mapped);
        }
        if (!mapped) return costs.WholeModel(of.model, UnitId(u), *variant, of.batch);
        std::vector<LayerId> all;
        for (std::size_t l = 0; l < scenario_->model(of.model).model->size(); ++l) all.emplace_back(l);
        return costs.Segment(of.model, UnitId(u), *variant, of.batch, all, true);
      };
      const auto plain = cost(false);
      profiled_.push_back(plain ? plain->time : kCannot);
      joules_.push_back(plain && plain->energy_j ? *plain->energy_j : -1.0);
      const auto mapped = mapping && plain ? cost(true) : std::nullopt;
      mapped_.push_back(mapped ? mapped->time : profiled_.back());
    }
  }
}

// What starting a part takes beyond starting a task is part of its time.
void Problem::ReadPartTime(const Segment& segment, UnitId unit, bool mapping) {
  const Cut& of = cut(segment.cut);
  const auto& variant = scenario_->units[unit.index()].variant;
  const Model& model = *scenario_->model(of.model).model;
  const SplitRange range = SplitRangeOf(model, segment.layers, segment.part->axis);
  const auto cost = [&](bool mapped) -> std::optional<CostTable::PartCost> {
    if (!variant) return std::nullopt;
    auto found = scenario_->costs->Part(of.model, unit, *variant, of.batch, segment.layers, *segment.part,
                                        range.extent, mapped);
    if (found) found->time += split_dispatch_[unit.index()];
    return found;
  };
  const auto plain = cost(false);
  profiled_.push_back(plain ? plain->time : kCannot);
  joules_.push_back(plain && plain->energy_j ? *plain->energy_j : -1.0);
  estimated_.push_back(plain && plain->estimated ? 1 : 0);
  const auto mapped = mapping && plain ? cost(true) : std::nullopt;
  mapped_.push_back(mapped ? mapped->time : profiled_.back());
}

void Problem::ReadLoads() {
  load_.resize(scenario_->models.size() * units_);
  for (const Profile& profile : scenario_->profiles) {
    for (const LoadEntry& entry : profile.loads) {
      const UnitId unit = platform().FindUnit(entry.unit);
      if (!unit.valid() || scenario_->units[unit.index()].variant != entry.variant) continue;
      const std::string key = ModelKey(entry.model, profile.file);
      for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
        if (scenario_->models[m].key == key) load_[m * units_ + unit.index()] = entry.time.median;
      }
    }
  }
}

// A unit whose memory no link reaches gets no inputs that are to be copied.
void Problem::TakeUnreachableOut() {
  const CopyRoutes routes(*scenario_);
  for (std::size_t u = 0; u < units_; ++u) {
    if (routes.Way(MemoryId(0), platform().units[u].memory)) continue;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      if (Copies(SegmentId(s))) profiled_[s * units_ + u] = kCannot;
    }
  }
}

bool Problem::Choosable(ModelId model, UnitId unit) const {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    if (model_of(SegmentId(s)) == model && profiled_[At(SegmentId(s), unit)] != kCannot) return true;
  }
  return false;
}

void Problem::HoldAtStart(UnitId unit) {
  std::vector<ModelId> models;
  if (const auto& named = scenario_->units[unit.index()].resident) {
    models = *named;
    if (!MayHoldTogether(unit, models)) {
      throw InputError(scenario_->file + ":/resident: " + TooMuchFor(unit, models));
    }
  } else {
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      if (Choosable(ModelId(m), unit)) models.emplace_back(m);
    }
    may_choose_[unit.index()] = ResidentLimit(unit) || !MayHoldTogether(unit, models) ? 1 : 0;
    if (MayChooseResidents(unit)) models = DefaultResidents(*this, unit, models);
  }
  for (const ModelId model : models) resident_[model.index() * units_ + unit.index()] = 1;
}

std::int64_t Problem::WeightBytes(ModelId model, UnitId unit) const {
  return scenario_->model(model).model->BytesOfWeights() / kFp32Bytes * ElementBytes(unit);
}

std::int64_t Problem::TaskBytes(SegmentId id, UnitId unit) const {
  const Segment& of = segment(id);
  const Cut& whole = cut(of.cut);
  std::int64_t bytes = 0;
  for (const std::int32_t t : of.reads) {
    const CutTensor& tensor = whole.tensors[static_cast<std::size_t>(t)];
    if (Occupies(tensor, platform().unit(unit).memory)) bytes += tensor.elements * kFp32Bytes;
  }
  for (const std::int32_t t : of.makes) {
    bytes += whole.tensors[static_cast<std::size_t>(t)].elements * ElementBytes(unit);
  }
  return bytes;
}

// Weights, and room for the greatest task: others may wait.
std::int64_t Problem::BytesToHold(UnitId unit, const std::vector<ModelId>& models) const {
  std::int64_t bytes = 0, most = 0;
  for (const ModelId model : models) {
    bytes += WeightBytes(model, unit);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const SegmentId id(s);
      if (model_of(id) == model && profiled_[At(id, unit)] != kCannot)
        most = std::max(most, TaskBytes(id, unit));
    }
  }
  return bytes + most;
}

bool Problem::MayHoldTogether(UnitId unit, const std::vector<ModelId>& models) const {
  const auto limit = ResidentLimit(unit);
  if (limit && static_cast<std::int64_t>(models.size()) > *limit) return false;
  const MemoryId memory = platform().unit(unit).memory;
  const auto capacity = platform().memories[memory.index()].capacity_bytes;
  if (!capacity) return true;
  std::int64_t used = BytesToHold(unit, models);
  for (std::size_t u = 0; u < units_; ++u) {
    if (UnitId(u) == unit || platform().units[u].memory != memory) continue;
    std::vector<ModelId> held;
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      if (Resident(ModelId(m), UnitId(u))) held.emplace_back(m);
    }
    used += BytesToHold(UnitId(u), held);
  }
  return used <= *capacity;
}

std::string Problem::TooMuchFor(UnitId unit, const std::vector<ModelId>& models) const {
  return "the " + std::to_string(models.size()) + " models of unit " + Quoted(platform().unit(unit).name) +
         " and their tasks need " + std::to_string(BytesToHold(unit, models)) + " bytes, more than memory " +
         Quoted(platform().memories[platform().unit(unit).memory.index()].name) +
         " has room for beside what other units hold there";
}

// A model is loaded in place of others that can be loaded again.
bool Problem::CanLoad(ModelId model, UnitId unit) const {
  if (!LoadTime(model, unit)) return false;
  std::vector<ModelId> stay = {model};
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    if (Resident(ModelId(m), unit) && !LoadTime(ModelId(m), unit)) stay.emplace_back(m);
  }
  return MayHoldTogether(unit, stay);
}

void Problem::ApplyResidents() {
  std::vector<char> may;  // per model and unit
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    for (std::size_t u = 0; u < units_; ++u) {
      may.push_back(Resident(ModelId(m), UnitId(u)) || CanLoad(ModelId(m), UnitId(u)) ? 1 : 0);
    }
  }
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::size_t model = model_of(SegmentId(s)).index();
    for (std::size_t u = 0; u < units_; ++u) {
      const std::size_t at = At(SegmentId(s), UnitId(u));
      time_[at] = may[model * units_ + u] ? profiled_[at] : kCannot;
    }
  }
}

bool Problem::Resident(ModelId model, UnitId unit) const {
  return resident_[model.index() * units_ + unit.index()] != 0;
}

// A unit that the scenario restricts holds as many as it names, at least.
std::optional<std::int64_t> Problem::ResidentLimit(UnitId unit) const {
  const auto& limit = platform().unit(unit).resident_models;
  const auto& named = scenario_->units[unit.index()].resident;
  if (limit || !named) return limit;
  return std::max<std::int64_t>(static_cast<std::int64_t>(named->size()), 1);
}

std::optional<Nanos> Problem::LoadTime(ModelId model, UnitId unit) const {
  return load_[model.index() * units_ + unit.index()];
}

bool Problem::LoadsModels(UnitId unit) const {
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
    if (LoadTime(ModelId(m), unit)) return true;
  }
  return false;
}

void Problem::ChooseResidents(UnitId unit, const std::vector<ModelId>& models) {
  TANDEM_CHECK(MayChooseResidents(unit), "residents are chosen where the scenario leaves them open");
  TANDEM_CHECK(MayHoldTogether(unit, models), "a unit holds what its limit and its memory allow");
  for (std::size_t m = 0; m < scenario_->models.size(); ++m) resident_[m * units_ + unit.index()] = 0;
  for (const ModelId model : models) resident_[model.index() * units_ + unit.index()] = 1;
  ApplyResidents();
}

// Residents that a policy may still choose otherwise do not count here.
void Problem::CheckAllRun() const {
  for (std::size_t i = 0; i < scenario_->streams.size(); ++i) {
    const Cut& of = cut(StreamId(i));
    for (std::int32_t s = 0; s < of.segments; ++s) {
      const SegmentId id(of.first.index() + static_cast<std::size_t>(s));
      bool runs = false;
      for (std::size_t u = 0; u < units_; ++u) {
        const bool open = MayChooseResidents(UnitId(u)) && profiled_[At(id, UnitId(u))] != kCannot &&
                          MayHoldTogether(UnitId(u), {of.model});
        runs = runs || Runs(id, UnitId(u)) || open;
      }
      if (runs) continue;
      throw InputError(scenario_->file + ":/streams/" + std::to_string(i) + ": no unit can run " +
                       NameOf(id) + " by itself; " + WhyNowhere(id));
    }
  }
}

std::string Problem::NameOf(SegmentId id) const {
  const Segment& of = segment(id);
  const ScenarioModel& model = scenario_->model(cut(of.cut).model);
  if (of.layers.empty()) return "model " + Quoted(model.name);
  const std::string part = of.part ? of.part->Text() + " of " : "";
  const std::string first = Quoted(model.model->layer(of.layers.front()).name);
  if (of.layers.size() == 1) return part + "layer " + first + " of model " + Quoted(model.name);
  return part + "layers " + first + " to " + Quoted(model.model->layer(of.layers.back()).name) +
         " of model " + Quoted(model.name);
}

std::string Problem::WhyNowhere(SegmentId id) const {
  const Segment& of = segment(id);
  std::string text;
  for (std::size_t u = 0; u < units_; ++u) {
    text += text.empty() ? "" : "; ";
    const auto& variant = scenario_->units[u].variant;
    const std::string& name = platform().units[u].name;
    if (!variant) {
      text += "unit " + Quoted(name) + " has no times";
    } else if (profiled_[At(id, UnitId(u))] != kCannot) {
      text += "unit " + Quoted(name) + " does not hold the model";
    } else if (Copies(id) && !CopyRoutes(*scenario_).Way(MemoryId(0), platform().units[u].memory)) {
      text += "no link leads to the memory of unit " + Quoted(name);
    } else {
      text += scenario_->costs->WhyNot(cut(of.cut).model, UnitId(u), *variant, cut(of.cut).batch, of.layers);
    }
  }
  return text;
}

}  // namespace tandem
