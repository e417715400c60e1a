#include "policies/engine/memory_ledger.h"

#include <algorithm>

#include "policies/engine/request_peaks.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::int64_t kUnlimited = INT64_MAX / 2;
constexpr std::int32_t kNobodysTurn = INT32_MAX;  // one of its tasks has a slot

}  // namespace

MemoryLedger::MemoryLedger(const Problem& problem) : problem_(&problem) {
  for (const Memory& memory : problem.platform().memories)
    room_.push_back(memory.capacity_bytes.value_or(kUnlimited));
  used_.resize(room_.size());
  free_ = room_;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const UnitId unit(u);
    std::int64_t held = 0;
    for (const ModelId model : problem.HeldBy(unit)) held += problem.WeightBytes(model, unit);
    held_.push_back(held);
    kept_.push_back(problem.WeightsKept(unit));
    room_[MemoryOf(unit).index()] -= kept_.back();
    free_[MemoryOf(unit).index()] -= std::max(held, kept_.back());
  }
  for (std::size_t m = 0; m < room_.size(); ++m) on_ = on_ || MayRunOut(MemoryId(m));
  in_order_.resize(problem.cuts().size());
  need_.resize(problem.cuts().size());
  if (on_) FindNeeds();
}

// Whole models on all slots at once are the most that is there at any time, unless others can be loaded;
// tensors between tasks may pile up.
bool MemoryLedger::MayRunOut(MemoryId memory) const {
  if (!problem_->platform().memories[memory.index()].capacity_bytes) return false;
  std::int64_t room = free_[memory.index()];
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    const UnitId unit(u);
    if (MemoryOf(unit) != memory) continue;
    if (problem_->LoadsModels(unit)) return true;
    std::int64_t most = 0;
    for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
      if (problem_->Runs(SegmentId(s), unit)) most = std::max(most, problem_->TaskBytes(SegmentId(s), unit));
    }
    room -= most * problem_->platform().unit(unit).slots;
  }
  const bool whole = std::all_of(problem_->cuts().begin(), problem_->cuts().end(),
                                 [](const Cut& cut) { return cut.segments == 1; });
  return !whole || room < 0;
}

void MemoryLedger::FindNeeds() {
  for (std::size_t c = 0; c < problem_->cuts().size(); ++c) {
    const Cut& cut = problem_->cuts()[c];
    if (cut.segments == 1) continue;
    RequestPeaks peaks = PeaksOf(*problem_, cut);
    for (std::size_t m = 0; m < room_.size(); ++m) {
      if (peaks.at_once[m] > room_[m]) in_order_[c] = 1;
    }
    need_[c] = std::move(in_order_[c] ? peaks.in_order : peaks.at_once);
    for (std::size_t m = 0; m < room_.size(); ++m) CheckFits(CutId(c), MemoryId(m), need_[c][m]);
  }
}

void MemoryLedger::CheckFits(CutId cut, MemoryId memory, std::int64_t need) const {
  const std::int64_t room = room_[memory.index()];
  if (need <= room) return;
  const auto& streams = problem_->scenario().streams;
  std::size_t s = 0;
  while (s + 1 < streams.size() && problem_->cut_of(StreamId(s)) != cut) ++s;
  throw InputError(problem_->scenario().file + ":/streams/" + std::to_string(s) + ": a request of stream " +
                   Quoted(streams[s].name) + ", cut into " +
                   std::to_string(problem_->cuts()[cut.index()].segments) + " tasks, holds up to " +
                   std::to_string(need) + " bytes in memory " +
                   Quoted(problem_->platform().memories[memory.index()].name) +
                   ", where weights leave room for " + std::to_string(std::max<std::int64_t>(room, 0)) +
                   ": " + std::to_string(need - std::max<std::int64_t>(room, 0)) + " bytes are missing");
}

std::int64_t MemoryLedger::Need(const Task& task, UnitId unit, MemoryId memory) const {
  if (!OfOneTask(task)) {
    const auto& need = need_[problem_->cut_of(task.stream).index()];
    return need.empty() ? 0 : need[memory.index()];
  }
  return memory == MemoryOf(unit) ? problem_->TaskBytes(task.segment, unit) : 0;
}

bool MemoryLedger::Fits(MemoryId memory, std::int64_t bytes) const {
  return bytes == 0 || bytes <= free_[memory.index()];
}

// Where no request holds anything, weights beyond what is kept for them make room.
bool MemoryLedger::MayBegin(const Task& task, UnitId unit, std::int64_t requests) const {
  for (std::size_t m = 0; m < room_.size(); ++m) {
    const std::int64_t need = Need(task, unit, MemoryId(m)) * requests;
    const bool alone = used_[m] == 0 && need <= room_[m];
    if (!alone && !Fits(MemoryId(m), need)) return false;
  }
  return true;
}

MemoryId MemoryLedger::Lacking(const Task& task, UnitId unit, std::int64_t requests) const {
  for (std::size_t m = 0; m < room_.size(); ++m) {
    if (!Fits(MemoryId(m), Need(task, unit, MemoryId(m)) * requests)) return MemoryId(m);
  }
  return MemoryId();
}

void MemoryLedger::Begin(const Task& task, UnitId unit) {
  for (std::size_t m = 0; m < room_.size(); ++m) Use(MemoryId(m), Need(task, unit, MemoryId(m)));
}

void MemoryLedger::Taken(const Task& task) {
  const auto at = static_cast<std::size_t>(task.live);
  if (at >= next_.size()) next_.resize(at + 1, kNotBegun);
  next_[at] = InOrder(task) ? kNobodysTurn : 0;
}

bool MemoryLedger::IsNext(const Task& task) const {
  return HasBegun(task) ? next_[static_cast<std::size_t>(task.live)] == Local(task) : Local(task) == 0;
}

void MemoryLedger::TaskEnded(const Task& task, UnitId unit) {
  if (OfOneTask(task)) return Use(MemoryOf(unit), -problem_->TaskBytes(task.segment, unit));
  if (InOrder(task)) next_[static_cast<std::size_t>(task.live)] = Local(task) + 1;
}

void MemoryLedger::TaskLost(const Task& task, UnitId unit) {
  if (OfOneTask(task)) return Use(MemoryOf(unit), -problem_->TaskBytes(task.segment, unit));
  if (InOrder(task)) next_[static_cast<std::size_t>(task.live)] = Local(task);
}

void MemoryLedger::RequestEnded(const Task& task) {
  if (!HasBegun(task)) return;
  next_[static_cast<std::size_t>(task.live)] = kNotBegun;
  for (std::size_t m = 0; m < room_.size(); ++m) Use(MemoryId(m), -Need(task, UnitId(), MemoryId(m)));
}

bool MemoryLedger::Load(ModelId model, UnitId unit) {
  const std::int64_t held = held_[unit.index()], kept = kept_[unit.index()];
  const std::int64_t more = held + problem_->WeightBytes(model, unit);
  if (!Fits(MemoryOf(unit), std::max(more, kept) - std::max(held, kept))) return false;
  ChangeHeld(unit, more - held);
  return true;
}

void MemoryLedger::Unload(ModelId model, UnitId unit) {
  ChangeHeld(unit, -problem_->WeightBytes(model, unit));
}

void MemoryLedger::ChangeHeld(UnitId unit, std::int64_t by) {
  std::int64_t& held = held_[unit.index()];
  const std::int64_t kept = kept_[unit.index()];
  free_[MemoryOf(unit).index()] += std::max(held, kept) - std::max(held + by, kept);
  held += by;
}

}  // namespace tandem
