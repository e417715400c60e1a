// HarnessUnits: the units of a problem are opened, and what copies between their memories.
#include <algorithm>
#include <functional>
#include <set>

#include "device/harness/units.h"
#include "policies/problem/copy_routes.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

bool AnyCopies(const Problem& problem) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (problem.Copies(SegmentId(s))) return true;
  }
  return false;
}

std::string NameOf(const Platform& platform, MemoryId memory) {
  return '"' + platform.memories[memory.index()].name + '"';
}

// What it needs for each of them is there before a run; it is left at the first.
void TakeUrgencies(const std::vector<int>& urgencies, Processor& processor) {
  for (const int urgency : std::set<int, std::greater<>>(urgencies.begin(), urgencies.end())) {
    processor.SetUrgency(urgency);
  }
}

}  // namespace

bool HarnessUnits::Uses(UnitId unit) const {
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    if (problem_->Runs(SegmentId(s), unit)) return true;
  }
  return false;
}

OpenRequest HarnessUnits::RequestFor(UnitId unit) const {
  OpenRequest request;
  request.platform = &*scenario_->platform;
  request.unit = unit;
  request.costs = &*scenario_->costs;
  request.models = model_names_;
  request.dispatch = problem_->Dispatch(unit);
  request.variant = VariantOf(unit);
  return request;
}

void HarnessUnits::Open(Slot& slot) {
  const Unit& unit = scenario_->platform->unit(slot.unit);
  OpenRequest request = RequestFor(slot.unit);
  for (const Slot* other = slots_.data(); other != &slot; ++other) request.slot += other->unit == slot.unit;
  slot.thread = std::make_unique<UnitThread>(backend_of_(unit, scenario_->file), std::move(request));
  if (unit.On(RunsOn::kNothing)) return;
  slot.thread->Do([&](Processor& processor) {
    slot.opened = {slot.unit, &processor.memory(), &processor.host_memory()};
    if (unit.preempts) TakeUrgencies(UrgencyOfStreams(*scenario_), processor);
  });
}

void HarnessUnits::OpenUnits() {
  std::vector<OpenedUnit> opened;
  for (Slot& slot : slots_) {
    if (!slot.thread && Uses(slot.unit)) Open(slot);
    if (slot.opened.memory) opened.push_back(slot.opened);
  }
  memories_ = MemoriesHere(*scenario_->platform, opened);
  for (Slot& slot : slots_) {
    if (!slot.opened.memory) continue;
    slot.thread->Do([&](Processor& processor) { OpenCopiers(slot, processor); });
  }
  for (const auto& engine : engines_) {
    engine->thread.Do([&] { OpenEngine(*engine); });
  }
}

// On the thread that will use it.
Copier* HarnessUnits::OpenCopier(PlaceCopiers& copiers, UnitId owner, MemoryId memory) const {
  Copier*& copier = copiers.of_memory[memory.index()];
  if (copier) return copier;
  const DeviceBackend& backend = backend_of_(scenario_->platform->unit(owner), scenario_->file);
  std::unique_ptr<Copier> opened = backend.OpenCopier(RequestFor(owner));
  copier = opened.get();
  if (opened) copiers.opened.push_back(std::move(opened));
  return copier;
}

void HarnessUnits::OpenCopiers(Slot& slot, Processor& processor) const {
  const Platform& platform = *scenario_->platform;
  const MemoryId own = platform.unit(slot.unit).memory;
  slot.copiers.of_memory.resize(memories_.size());
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    if (!memories_[m].owner.valid()) continue;
    if (memories_[m].memory == slot.opened.memory) slot.copiers.of_memory[m] = &processor;
    OpenCopier(slot.copiers, memories_[m].owner, MemoryId(m));
  }
  if (!AnyCopies(*problem_)) return;
  const CopyRoutes& routes = problem_->routes();
  for (const Slot& other : slots_) {
    const MemoryId from = platform.unit(other.unit).memory;
    const auto& way = routes.Way(from, own);
    if (!other.opened.memory || !way || routes.ByEngines(from, own)) continue;
    for (const Hop& hop : *way) {
      for (const MemoryId end : {hop.from, hop.to}) {
        if (!memories_[end.index()].owner.valid() || slot.copiers.Of(end)) continue;
        throw EnvironmentError("unit \"" + platform.unit(slot.unit).name +
                               "\": nothing here copies between " + NameOf(platform, hop.from) + " and " +
                               NameOf(platform, hop.to) + " for it; a copy engine may, or another unit");
      }
    }
  }
}

void HarnessUnits::OpenEngine(Engine& engine) const {
  const Platform& platform = *scenario_->platform;
  const Link& link = *engine.link;
  engine.copiers.of_memory.resize(memories_.size());
  if (!AnyCopies(*problem_) || OnlyEmulated(platform, link.from) || OnlyEmulated(platform, link.to)) return;
  for (const MemoryId end : {link.from, link.to}) {
    if (end == MemoryId(0)) continue;
    const auto there = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
      return slot.opened.memory && platform.unit(slot.unit).memory == end;
    });
    if (there == slots_.end() || OpenCopier(engine.copiers, there->unit, end)) continue;
    throw EnvironmentError("the link from " + NameOf(platform, link.from) + " to " +
                           NameOf(platform, link.to) +
                           ": no backend copies beside a unit's work here; \"engine\": false, or units "
                           "that are emulated");
  }
}

}  // namespace tandem
