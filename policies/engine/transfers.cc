#include "policies/engine/transfers.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {

Transfers::Transfers(const Problem& problem, const HandedData& handed, const DrawnMoves* moves)
    : problem_(&problem), handed_(&handed), moves_(moves) {
  std::size_t engine = problem.units();
  for (const Link& link : problem.platform().links) {
    engine_of_link_.push_back(link.engine ? UnitId(engine++) : UnitId());
  }
  for (std::size_t u = 0; u < problem.units(); ++u) loaded_.push_back(problem.HeldBy(UnitId(u)));
  FindPlain();
}

void Transfers::FindPlain() {
  std::vector<char> loads;  // per unit
  for (std::size_t u = 0; u < problem_->units(); ++u)
    loads.push_back(problem_->LoadsModels(UnitId(u)) ? 1 : 0);
  if (std::ranges::count(loads, 1) > 0) counts_.resize(loads.size() * problem_->scenario().models.size());
  for (const Cut& cut : problem_->cuts()) {
    std::vector<char> away;  // per segment of it: may it run outside the first memory?
    for (std::int32_t i = 0; i < cut.segments; ++i)
      away.push_back(RunsAway(SegmentId(cut.first.index() + static_cast<std::size_t>(i))) ? 1 : 0);
    const bool handed = ReadsHanded(cut);
    const auto all_away = std::count(away.begin(), away.end(), 1);
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      const SegmentId segment(cut.first.index() + static_cast<std::size_t>(i));
      maps_ = maps_ || problem_->Maps(segment);
      const bool copies = problem_->Copies(segment);
      const bool others_away = all_away > away[static_cast<std::size_t>(i)];
      for (std::size_t u = 0; u < problem_->units(); ++u) {
        const UnitId unit(u);
        const bool there = problem_->Runs(segment, unit) && !loads[u] && problem_->Resident(cut.model, unit);
        // All units that can run any of the model in the first memory: nothing ever moves.
        const bool stays = !copies || (MemoryOf(unit) == MemoryId(0) && !others_away);
        plain_.push_back(there && stays && !handed ? 1 : 0);
      }
    }
  }
}

// Does any stream of it read what the request has made that it follows?
bool Transfers::ReadsHanded(const Cut& cut) const {
  for (std::size_t s = 0; s < problem_->scenario().streams.size(); ++s) {
    if (handed_->Reads(StreamId(s)) && &problem_->cut(StreamId(s)) == &cut) return true;
  }
  return false;
}

bool Transfers::RunsAway(SegmentId segment) const {
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    if (MemoryOf(UnitId(u)) != MemoryId(0) && problem_->Runs(segment, UnitId(u))) return true;
  }
  return false;
}

bool Transfers::ReadsOneMapped(const Task& task, UnitId unit, const LiveRequests& live) const {
  const MemoryId memory = MemoryOf(unit);
  const Segment& segment = problem_->segment(task.segment);
  for (std::size_t i = 0; i < segment.reads.size(); ++i) {
    if (segment.modes[i] != TransferMode::kZeroCopy) continue;
    const bool here = task.live < 0
                          ? memory == MemoryId(0)
                          : live.PlaceOf(task.live, segment.reads[i], memory) == LiveRequests::Place::kHere;
    if (!here) return true;
  }
  return false;
}

Nanos Transfers::HandedOverToIt(const Task& task, UnitId unit, const LiveRequests& live,
                                const HandOvers& known) const {
  const Segment& segment = problem_->segment(task.segment);
  std::vector<std::pair<UnitId, std::int64_t>> made;  // by whom, so many bytes
  for (std::size_t i = 0; i < segment.reads.size(); ++i) {
    const std::int32_t tensor = segment.reads[i];
    if (segment.modes[i] == TransferMode::kNone) continue;
    const UnitId from = live.MakerOf(task.live, tensor);
    if (!from.valid() || from == unit || MemoryOf(from) != MemoryOf(unit)) continue;
    auto of_it = std::find_if(made.begin(), made.end(), [&](const auto& of) { return of.first == from; });
    if (of_it == made.end()) of_it = made.insert(made.end(), {from, 0});
    of_it->second += BytesRead(task, tensor, live);
  }
  Nanos total{0};
  for (const auto& [from, bytes] : made) total += known.Time(from, unit, bytes);
  return total;
}

void Transfers::AddCopy(std::vector<Step>& steps, MemoryId from, MemoryId to, std::int32_t tensor,
                        std::int64_t bytes) const {
  const auto& way = problem_->routes().Way(from, to);
  TANDEM_CHECK(way.has_value(), "a unit takes only what a link can bring to it");
  const bool by_engines = problem_->routes().ByEngines(from, to);
  for (const Hop& hop : *way) {
    Step step;
    step.kind = by_engines ? StepKind::kEngineCopy : StepKind::kCopy;
    step.work = (moves_ ? moves_->routes : problem_->routes()).Time(hop, bytes);
    step.tensor = tensor;
    step.from = hop.from;
    step.to = hop.to;
    step.link = hop.link;
    if (hop.to == to) step.arrives = to;
    if (by_engines) step.engine = engine_of_link_[hop.link.index()];
    steps.push_back(step);
  }
}

MemoryId Transfers::Nearest(const Task& task, std::int32_t tensor, MemoryId to, const LiveRequests& live,
                            std::int64_t bytes) const {
  if (task.live < 0) return MemoryId(0);
  MemoryId nearest;
  Nanos least{INT64_MAX};
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    const MemoryId from(m);
    if (live.PlaceOf(task.live, tensor, from) != LiveRequests::Place::kHere ||
        !problem_->routes().Way(from, to))
      continue;
    const Nanos time = problem_->routes().Time(from, to, bytes);
    if (time >= least) continue;
    least = time;
    nearest = from;
  }
  TANDEM_CHECK(nearest.valid(), "an input of a ready task lies in some memory that links reach");
  return nearest;
}

// From the nearest memory that has it.
void Transfers::AddBringIn(const Occupation& slot, std::int32_t tensor, std::vector<Step>& steps,
                           LiveRequests& live) const {
  const Task& task = slot.task;
  const MemoryId memory = MemoryOf(slot.unit);
  const std::int64_t bytes = BytesRead(task, tensor, live) * slot.batch;
  AddCopy(steps, Nearest(task, tensor, memory, live, bytes), memory, tensor, bytes);
  if (task.live >= 0) live.SetPlace(task.live, tensor, memory, LiveRequests::Place::kComing);
}

void Transfers::AddBringIns(Occupation& slot, LiveRequests& live) const {
  const Task& task = slot.task;
  const MemoryId memory = MemoryOf(slot.unit);
  const Segment& segment = problem_->segment(task.segment);
  for (std::size_t i = 0; i < segment.reads.size(); ++i) {
    if (segment.modes[i] != TransferMode::kCopy) continue;
    const std::int32_t tensor = segment.reads[i];
    using Place = LiveRequests::Place;
    const Place place = task.live >= 0          ? live.PlaceOf(task.live, tensor, memory)
                        : memory == MemoryId(0) ? Place::kHere
                                                : Place::kAbsent;
    if (place == Place::kHere) continue;
    if (place == Place::kComing) {
      Step step;
      step.kind = StepKind::kAwait;
      step.tensor = tensor;
      step.arrives = memory;
      slot.steps.push_back(step);
      continue;
    }
    AddBringIn(slot, tensor, slot.steps, live);
  }
}

Nanos Transfers::BringInstead(Occupation& slot, LiveRequests& live) const {
  std::vector<Step> copies;
  AddBringIn(slot, slot.steps[slot.step].tensor, copies, live);
  Nanos own{0};
  for (const Step& copy : copies) own += copy.kind == StepKind::kCopy ? copy.work : Nanos{0};
  const auto await = slot.steps.begin() + static_cast<std::ptrdiff_t>(slot.step);
  slot.steps.insert(slot.steps.erase(await), copies.begin(), copies.end());
  return own;
}

std::int64_t Transfers::BytesRead(const Task& task, std::int32_t tensor, const LiveRequests& live) const {
  const Cut& cut = problem_->cut(problem_->segment(task.segment).cut);
  const std::int64_t element = task.live >= 0 ? live.ElementBytes(task.live, tensor) : kFp32Bytes;
  return cut.tensors[static_cast<std::size_t>(tensor)].Bytes(element);
}

std::int64_t Transfers::BytesMade(const Task& task, std::int32_t tensor, UnitId unit) const {
  const Cut& cut = problem_->cut(problem_->segment(task.segment).cut);
  return cut.tensors[static_cast<std::size_t>(tensor)].Bytes(problem_->ElementBytes(unit));
}

std::vector<Step> Transfers::WayBack(const Task& task, UnitId unit, std::int64_t batch) const {
  std::vector<Step> steps;
  const MemoryId memory = MemoryOf(unit);
  if (memory == MemoryId(0) || handed_->Stays(task)) return steps;
  const Cut& cut = problem_->cut(problem_->segment(task.segment).cut);
  for (const std::int32_t tensor : problem_->segment(task.segment).makes) {
    const CutTensor& made = cut.tensors[static_cast<std::size_t>(tensor)];
    if (!made.leaves || made.back != TransferMode::kCopy) continue;
    AddCopy(steps, memory, MemoryId(0), tensor, BytesMade(task, tensor, unit) * batch);
  }
  return steps;
}

void Transfers::Use(UnitId unit, ModelId model) {
  auto& loaded = loaded_[unit.index()];
  const auto found = std::find(loaded.begin(), loaded.end(), model);
  if (found != loaded.end()) std::rotate(found, found + 1, loaded.end());  // the last is the most recent
}

void Transfers::AddLoad(Occupation& slot) {
  const ModelId model = problem_->model_of(slot.task.segment);
  if (!problem_->LoadsModels(slot.unit)) return;
  if (Holds(slot.unit, model)) return Use(slot.unit, model);
  const auto time = problem_->LoadTime(model, slot.unit);
  TANDEM_CHECK(time.has_value(), "a unit takes only models that it holds or can load");
  Step step;
  step.kind = StepKind::kLoad;
  step.work = moves_ ? moves_->Load(model, slot.unit, *time) : *time;
  slot.steps.push_back(step);
}

void Transfers::AddWork(Occupation& slot, Nanos work, LiveRequests& live) const {
  AddBringIns(slot, live);
  Step compute;
  compute.work = work;
  slot.steps.push_back(compute);
  for (const Step& step : WayBack(slot.task, slot.unit, slot.batch)) {
    if (step.kind == StepKind::kCopy) slot.steps.push_back(step);
  }
}

void Transfers::Plan(Occupation& slot, Nanos work, LiveRequests& live) {
  slot.steps.clear();
  slot.step = 0;
  AddLoad(slot);
  slot.rest_open = !slot.steps.empty() && slot.task.live >= 0;
  slot.work = work;
  if (!slot.rest_open) AddWork(slot, work, live);
}

void Transfers::PlanRest(Occupation& slot, LiveRequests& live) {
  slot.rest_open = false;
  AddWork(slot, slot.work, live);
}

bool Transfers::MayGo(ModelId model, UnitId unit, const Occupation* but,
                      const std::vector<Occupation>& all) const {
  if (!problem_->LoadTime(model, unit)) return false;  // it could not come back
  return std::none_of(all.begin(), all.end(), [&](const Occupation& other) {
    return &other != but && other.taken && other.unit == unit && !other.WaitsToLoad() &&
           problem_->model_of(other.task.segment) == model;
  });
}

bool Transfers::PutOutUnused(UnitId unit, const Occupation* but, const std::vector<Occupation>& all,
                             MemoryLedger& ledger) {
  auto& loaded = loaded_[unit.index()];
  const auto unused =
      std::find_if(loaded.begin(), loaded.end(), [&](ModelId model) { return MayGo(model, unit, but, all); });
  if (unused == loaded.end()) return false;
  PutOut(unit, *unused, ledger);
  return true;
}

void Transfers::PutOut(UnitId unit, ModelId model, MemoryLedger& ledger) {
  ledger.Unload(model, unit);
  ++CountOf(unit, model).evictions;
  std::erase(loaded_[unit.index()], model);
}

// All of them or none: what went while others are still in use would be missing for nothing.
bool Transfers::ClearChip(const Occupation& slot, const std::vector<Occupation>& all, MemoryLedger& ledger) {
  const ModelId wanted = problem_->model_of(slot.task.segment);
  std::vector<ModelId> others;
  for (const ModelId there : loaded_[slot.unit.index()]) {
    if (problem_->MayShare(slot.unit, wanted, there)) continue;
    if (!MayGo(there, slot.unit, &slot, all)) return false;
    others.push_back(there);
  }
  for (const ModelId model : others) PutOut(slot.unit, model, ledger);
  return true;
}

bool Transfers::MakeRoom(const Occupation& slot, const std::vector<Occupation>& all, MemoryLedger& ledger) {
  const auto limit = problem_->ResidentLimit(slot.unit);
  const ModelId wanted = problem_->model_of(slot.task.segment);
  const auto& loaded = loaded_[slot.unit.index()];
  if (!ClearChip(slot, all, ledger)) return false;
  for (;;) {
    const bool below = !limit || static_cast<std::int64_t>(loaded.size()) < *limit;
    if (below && ledger.Load(wanted, slot.unit)) return true;
    if (!PutOutUnused(slot.unit, &slot, all, ledger)) return false;
  }
}

bool Transfers::PutOutOne(MemoryId memory, const std::vector<Occupation>& all, MemoryLedger& ledger) {
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    const UnitId unit(u);
    if (MemoryOf(unit) != memory || !ledger.HoldsBeyond(unit)) continue;
    if (PutOutUnused(unit, nullptr, all, ledger)) return true;
  }
  return false;
}

void Transfers::Loaded(UnitId unit, ModelId model) {
  loaded_[unit.index()].push_back(model);
  ++CountOf(unit, model).loads;
}

std::vector<LoadCount> Transfers::LoadCounts() const {
  std::vector<LoadCount> some;
  const std::size_t models = problem_->scenario().models.size();
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto& [unit, model, loads, evictions] = counts_[i];
    if (loads + evictions > 0) some.push_back({UnitId(i / models), ModelId(i % models), loads, evictions});
  }
  return some;
}

bool Transfers::Holds(UnitId unit, ModelId model) const {
  const auto& loaded = loaded_[unit.index()];
  return std::find(loaded.begin(), loaded.end(), model) != loaded.end();
}

void Transfers::Made(const Task& task, UnitId unit, LiveRequests& live) const {
  for (const std::int32_t tensor : problem_->segment(task.segment).makes) {
    live.SetElementBytes(task.live, tensor, problem_->ElementBytes(unit));
    live.SetMaker(task.live, tensor, unit);
    live.SetPlace(task.live, tensor, MemoryOf(unit), LiveRequests::Place::kHere);
  }
}

}  // namespace tandem
