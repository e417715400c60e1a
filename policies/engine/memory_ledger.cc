#include "policies/engine/memory_ledger.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::int64_t kUnlimited = INT64_MAX / 2;

}  // namespace

MemoryLedger::MemoryLedger(const Problem& problem)
    : problem_(&problem), memories_(problem.platform().memories.size()) {
  for (const Memory& memory : problem.platform().memories)
    free_.push_back(memory.capacity_bytes.value_or(kUnlimited));
  for (const Cut& cut : problem.cuts()) tensors_ = std::max(tensors_, cut.tensors.size());
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const MemoryId memory = MemoryOf(UnitId(u));
    for (const ModelId model : problem.HeldBy(UnitId(u))) {
      free_[memory.index()] -= problem.WeightBytes(model, UnitId(u));
    }
  }
  for (std::size_t m = 0; m < memories_; ++m) on_ = on_ || MayRunOut(MemoryId(m));
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

void MemoryLedger::Begin(const Task& task) {
  const std::size_t size = (static_cast<std::size_t>(task.live) + 1) * tensors_;
  if (readers_.size() < size) {
    readers_.resize(size);
    held_.resize(size * memories_);
  }
  const Cut& cut = problem_->cut(task.stream);
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    readers_[TensorAt(task, static_cast<std::int32_t>(t))] =
        static_cast<std::int32_t>(cut.tensors[t].consumers.size());
  }
}

bool MemoryLedger::Reserve(const Task& task, UnitId unit, const LiveRequests& live) {
  const MemoryId memory = MemoryOf(unit);
  std::int64_t& room = free_[memory.index()];
  if (task.live < 0) {
    const std::int64_t need = problem_->TaskBytes(task.segment, unit);
    if (need > room) return false;
    room -= need;
    return true;
  }
  const Segment& segment = problem_->segment(task.segment);
  const Cut& cut = problem_->cut(segment.cut);
  const auto need_of = [&](std::int32_t t, std::int64_t element) {
    const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(t)];
    const bool held = held_[TensorAt(task, t) * memories_ + memory.index()] > 0;
    return held || !Problem::Occupies(tensor, memory) ? 0 : tensor.elements * element;
  };
  std::int64_t need = 0;
  for (const std::int32_t t : segment.reads) need += need_of(t, live.ElementBytes(task.live, t));
  for (const std::int32_t t : segment.makes) need += need_of(t, problem_->ElementBytes(unit));
  if (need > room) return false;
  room -= need;
  const auto hold = [&](std::int32_t t, std::int64_t element) {
    held_[TensorAt(task, t) * memories_ + memory.index()] += need_of(t, element);
  };
  for (const std::int32_t t : segment.reads) hold(t, live.ElementBytes(task.live, t));
  for (const std::int32_t t : segment.makes) hold(t, problem_->ElementBytes(unit));
  return true;
}

void MemoryLedger::Free(std::size_t tensor_at) {
  for (std::size_t m = 0; m < memories_; ++m) {
    free_[m] += held_[tensor_at * memories_ + m];
    held_[tensor_at * memories_ + m] = 0;
  }
}

void MemoryLedger::TaskEnded(const Task& task, UnitId unit) {
  if (task.live < 0) {
    free_[MemoryOf(unit).index()] += problem_->TaskBytes(task.segment, unit);
    return;
  }
  const Cut& cut = problem_->cut(task.stream);
  for (const std::int32_t t : problem_->segment(task.segment).reads) {
    const bool read = --readers_[TensorAt(task, t)] == 0;
    if (read && !cut.tensors[static_cast<std::size_t>(t)].leaves) Free(TensorAt(task, t));
  }
}

void MemoryLedger::RequestEnded(const Task& task) {
  if (task.live < 0) return;
  const std::size_t tensors = problem_->cut(task.stream).tensors.size();
  for (std::size_t t = 0; t < tensors; ++t) Free(TensorAt(task, static_cast<std::int32_t>(t)));
}

bool MemoryLedger::Load(ModelId model, UnitId unit) {
  std::int64_t& room = free_[MemoryOf(unit).index()];
  const std::int64_t need = problem_->WeightBytes(model, unit);
  if (need > room) return false;
  room -= need;
  return true;
}

void MemoryLedger::Unload(ModelId model, UnitId unit) {
  free_[MemoryOf(unit).index()] += problem_->WeightBytes(model, unit);
}

}  // namespace tandem
