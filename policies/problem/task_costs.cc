#include "policies/problem/task_costs.h"

#include <algorithm>

namespace tandem {

Nanos TaskCosts::Work(SegmentId segment, UnitId unit, bool elsewhere) const {
  return problem().Work(segment, unit, maps() && elsewhere);
}

Nanos TaskCosts::WayBack(SegmentId segment, UnitId unit) const {
  const MemoryId memory = MemoryOf(unit), first(0);
  Nanos total{0};
  if (!copies() || memory == first || ByEngines(memory, first)) return total;
  const Cut& cut = problem().cut(problem().segment(segment).cut);
  for (const std::int32_t tensor : problem().segment(segment).makes) {
    if (!cut.tensors[static_cast<std::size_t>(tensor)].leaves) continue;
    total += Copy(memory, first, BytesOf(cut, tensor, problem().ElementBytes(unit)));
  }
  return total;
}

Nanos TaskCosts::Alone(SegmentId segment, UnitId unit, bool handed, bool stays) const {
  const MemoryId memory = MemoryOf(unit), first(0);
  const Cut& cut = problem().cut(problem().segment(segment).cut);
  Nanos inputs{0};
  bool elsewhere = false;
  for (const std::int32_t tensor : problem().segment(segment).reads) {
    if (cut.tensors[static_cast<std::size_t>(tensor)].producer.valid() || memory == first || handed) continue;
    elsewhere = true;
    if (copies()) inputs += Copy(first, memory, BytesOf(cut, tensor, kFp32Bytes));
  }
  return inputs + Work(segment, unit, elsewhere) + (stays ? Nanos{0} : WayBack(segment, unit));
}

Nanos TaskCosts::Transfer(SegmentId reader, std::int64_t elements, UnitId from, UnitId to) const {
  if (MemoryOf(from) == MemoryOf(to)) {
    if (!copies() && !maps()) return Nanos{0};
    return problem().hand_overs().Time(from, to, elements * problem().ElementBytes(from));
  }
  if (copies()) return Copy(MemoryOf(from), MemoryOf(to), elements * problem().ElementBytes(from));
  if (!maps()) return Nanos{0};
  return std::max(problem().MappedTime(reader, to) - problem().Time(reader, to), Nanos{0});
}

HeldModels::HeldModels(const Problem& problem) : problem_(&problem) {
  for (std::size_t u = 0; u < problem.units(); ++u) {
    loads_.push_back(problem.LoadsModels(UnitId(u)) ? 1 : 0);
    held_.push_back(problem.HeldBy(UnitId(u)));
  }
}

Nanos HeldModels::LoadTime(ModelId model, UnitId unit) const {
  if (!Loads(unit)) return Nanos{0};
  const std::vector<ModelId>& held = held_[unit.index()];
  if (std::find(held.begin(), held.end(), model) != held.end()) return Nanos{0};
  return problem_->LoadTime(model, unit).value_or(Nanos{0});
}

void HeldModels::Use(ModelId model, UnitId unit) {
  if (!Loads(unit)) return;
  std::vector<ModelId>& held = held_[unit.index()];
  const auto found = std::find(held.begin(), held.end(), model);
  if (found != held.end()) {
    std::rotate(found, found + 1, held.end());
    return;
  }
  std::erase_if(held, [&](ModelId there) { return !problem_->MayShare(unit, model, there); });
  const auto limit = problem_->ResidentLimit(unit);
  while (limit && static_cast<std::int64_t>(held.size()) >= *limit) {
    const auto out = std::find_if(held.begin(), held.end(), [&](ModelId there) {
      return problem_->LoadTime(there, unit).has_value();  // the others could not come back
    });
    if (out == held.end()) break;
    held.erase(out);
  }
  held.push_back(model);
}

}  // namespace tandem
