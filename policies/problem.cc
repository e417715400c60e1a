#include "policies/problem.h"

#include <algorithm>
#include <map>

#include "policies/copy_routes.h"
#include "profiles/check.h"
#include "profiles/input_error.h"

namespace tandem {

Problem::Problem(const Scenario& scenario, Granularity granularity)
    : scenario_(&scenario), granularity_(granularity), units_(scenario.platform->units.size()) {
  TANDEM_CHECK(scenario.costs.has_value(), "only a scenario with profiles can be simulated");
  CutStreams();
  ReadDispatch();
  ReadTimes();
  ReadLoads();
  TakeUnreachableOut();
  resident_.assign(scenario.models.size() * units_, 0);
  time_ = profiled_;
  for (std::size_t u = 0; u < units_; ++u) HoldAtStart(UnitId(u));
  ApplyResidents();
  CheckAllRun();
}

void Problem::CutStreams() {
  std::map<std::pair<ModelId, std::int64_t>, CutId> known;
  for (const Stream& stream : scenario_->streams) {
    const auto [found, is_new] = known.try_emplace({stream.model, stream.batch}, CutId(cuts_.size()));
    cut_of_stream_.push_back(found->second);
    if (!is_new) continue;
    CutSegments made = CutModel(*scenario_, stream.model, stream.batch, granularity_);
    const std::size_t base = segments_.size();
    const auto shift = [&](SegmentId& id) { id = SegmentId(id.index() + base); };
    made.cut.first = SegmentId(base);
    for (SegmentId& source : made.cut.sources) shift(source);
    for (CutTensor& tensor : made.cut.tensors) {
      if (tensor.producer.valid()) shift(tensor.producer);
      for (SegmentId& consumer : tensor.consumers) shift(consumer);
    }
    for (Segment& segment : made.segments) {
      segment.cut = found->second;
      for (SegmentId& next : segment.feeds) shift(next);
      segments_.push_back(std::move(segment));
    }
    cuts_.push_back(std::move(made.cut));
  }
}

// What a profile measured counts instead of the platform's.
void Problem::ReadDispatch() {
  for (const Unit& unit : platform().units) dispatch_.push_back(unit.dispatch);
  for (const Profile& profile : scenario_->profiles) {
    for (const DispatchEntry& entry : profile.dispatch) {
      const UnitId unit = platform().FindUnit(entry.unit);
      if (unit.valid()) dispatch_[unit.index()] = entry.time.median;
    }
  }
}

void Problem::ReadTimes() {
  const CostTable& costs = *scenario_->costs;
  const bool mapping = scenario_->transfer == TransferMode::kZeroCopy;
  for (const Segment& segment : segments_) {
    const Cut& of = cut(segment.cut);
    for (std::size_t u = 0; u < units_; ++u) {
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

// With copies a unit whose memory no link reaches gets no inputs.
void Problem::TakeUnreachableOut() {
  if (scenario_->transfer != TransferMode::kCopy) return;
  const CopyRoutes routes(*scenario_);
  for (std::size_t u = 0; u < units_; ++u) {
    if (routes.Way(MemoryId(0), platform().units[u].memory)) continue;
    for (std::size_t s = 0; s < segments_.size(); ++s) profiled_[s * units_ + u] = kCannot;
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
  } else {
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      if (Choosable(ModelId(m), unit)) models.emplace_back(m);
    }
    if (MayChooseResidents(unit)) models = DefaultResidents(*this, unit, models);
  }
  for (const ModelId model : models) resident_[model.index() * units_ + unit.index()] = 1;
}

void Problem::ApplyResidents() {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const ModelId model = model_of(SegmentId(s));
    for (std::size_t u = 0; u < units_; ++u) {
      const std::size_t at = At(SegmentId(s), UnitId(u));
      const bool may = Resident(model, UnitId(u)) || LoadTime(model, UnitId(u));
      time_[at] = may ? profiled_[at] : kCannot;
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

bool Problem::MayChooseResidents(UnitId unit) const {
  return platform().unit(unit).resident_models && !scenario_->units[unit.index()].resident;
}

std::optional<Nanos> Problem::LoadTime(ModelId model, UnitId unit) const {
  return load_[model.index() * units_ + unit.index()];
}

void Problem::ChooseResidents(UnitId unit, const std::vector<ModelId>& models) {
  TANDEM_CHECK(MayChooseResidents(unit), "residents are chosen where the scenario leaves them open");
  TANDEM_CHECK(static_cast<std::int64_t>(models.size()) <= *ResidentLimit(unit),
               "a unit holds what its limit allows");
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
        const bool open = MayChooseResidents(UnitId(u)) && profiled_[At(id, UnitId(u))] != kCannot;
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
  const std::string first = Quoted(model.model->layer(of.layers.front()).name);
  if (of.layers.size() == 1) return "layer " + first + " of model " + Quoted(model.name);
  return "layers " + first + " to " + Quoted(model.model->layer(of.layers.back()).name) + " of model " +
         Quoted(model.name);
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
    } else {
      text += scenario_->costs->WhyNot(cut(of.cut).model, UnitId(u), *variant, cut(of.cut).batch, of.layers);
    }
  }
  return text;
}

}  // namespace tandem
