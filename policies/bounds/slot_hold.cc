#include "policies/bounds/slot_hold.h"

#include <algorithm>

#include "profiles/base/suggest.h"

namespace tandem {

SlotHold SlotHolds::Of(SegmentId segment, UnitId unit, const Takes& takes) const {
  SlotHold hold;
  if (problem_->platform().memories.size() == 1 && !problem_->hand_overs().any()) return hold;
  for (std::size_t i = 0; i < problem_->segment(segment).reads.size(); ++i)
    AddRead(segment, i, unit, takes, hold);
  AddWayBack(segment, unit, hold);
  return hold;
}

// While all that may share its way copy, too.
Nanos SlotHolds::Copy(MemoryId from, MemoryId to, std::int64_t bytes) const {
  Nanos total{0};
  const auto& way = problem_->routes().Way(from, to);
  for (const Hop& hop : way.value_or(std::vector<Hop>{})) {
    const Rate rate = shares_.Least(hop.link);
    total += Nanos{(problem_->routes().Time(hop, bytes).count() * kFullRate + rate - 1) / rate};
  }
  return total;
}

// From there, or from where it is nearer by what it takes alone.
Nanos SlotHolds::Bring(MemoryId from, MemoryId to, std::int64_t bytes) const {
  const CopyRoutes& routes = problem_->routes();
  Nanos longest{0};
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    if (MemoryId(m) != to && routes.Time(MemoryId(m), to, bytes) <= routes.Time(from, to, bytes))
      longest = std::max(longest, Copy(MemoryId(m), to, bytes));
  }
  return longest;
}

void SlotHolds::AddRead(SegmentId segment, std::size_t read, UnitId unit, const Takes& takes,
                        SlotHold& hold) const {
  const Segment& of = problem_->segment(segment);
  const TransferMode mode = of.modes[read];
  if (mode == TransferMode::kNone) return;
  const CutTensor& tensor = problem_->cut(of.cut).tensors[static_cast<std::size_t>(of.reads[read])];
  const MemoryId memory = problem_->MemoryOf(unit);
  Nanos longest{0};
  bool brought = false;
  const auto from = [&](MemoryId there, std::int64_t element_bytes) {
    if (there == memory) return;
    hold.mapped = hold.mapped || mode == TransferMode::kZeroCopy;
    if (mode != TransferMode::kCopy) return;
    brought = true;
    longest = std::max(longest, Bring(there, memory, tensor.Bytes(element_bytes)));
  };
  if (!tensor.producer.valid()) from(MemoryId(0), kFp32Bytes);
  for (std::size_t u = 0; tensor.producer.valid() && u < problem_->units(); ++u) {
    const UnitId maker(u);
    if (!takes(tensor.producer, maker)) continue;
    if (maker != unit && problem_->MemoryOf(maker) == memory && problem_->hand_overs().any())
      hold.why = "what unit " + NameOf(maker) + " hands over to unit " + NameOf(unit) + " takes it longer";
    from(problem_->MemoryOf(maker), problem_->ElementBytes(maker));
  }
  hold.copies += longest;
  if (!brought) return;
  if (EnginesLeadTo(memory))
    hold.why = "it has unit " + NameOf(unit) + " while copy engines bring what it reads, which others delay";
  if (OthersBringIt(segment, tensor, unit, takes))
    hold.why = "it has unit " + NameOf(unit) + " while others bring what it reads, too";
}

// From any memory where a tensor may lie by then.
bool SlotHolds::EnginesLeadTo(MemoryId memory) const {
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    if (problem_->routes().ByEngines(MemoryId(m), memory)) return true;
  }
  return false;
}

// Then it waits for these, wherever they are with it.
bool SlotHolds::OthersBringIt(SegmentId segment, const CutTensor& tensor, UnitId unit,
                              const Takes& takes) const {
  return std::ranges::any_of(tensor.consumers, [&](SegmentId other) {
    for (std::size_t u = 0; other != segment && u < problem_->units(); ++u) {
      const bool at_once = UnitId(u) != unit || problem_->places().slots(unit) > 1;
      if (at_once && problem_->MemoryOf(UnitId(u)) == problem_->MemoryOf(unit) && takes(other, UnitId(u)))
        return true;
    }
    return false;
  });
}

// Copy engines bring outputs back when the slot is free again.
void SlotHolds::AddWayBack(SegmentId segment, UnitId unit, SlotHold& hold) const {
  const MemoryId memory = problem_->MemoryOf(unit);
  if (memory == MemoryId(0) || problem_->routes().ByEngines(memory, MemoryId(0))) return;
  const Segment& of = problem_->segment(segment);
  for (const std::int32_t made : of.makes) {
    const CutTensor& tensor = problem_->cut(of.cut).tensors[static_cast<std::size_t>(made)];
    if (!tensor.leaves || tensor.back != TransferMode::kCopy) continue;
    hold.copies += Copy(memory, MemoryId(0), tensor.Bytes(problem_->ElementBytes(unit)));
  }
}

std::string SlotHolds::NameOf(UnitId unit) const { return Quoted(problem_->platform().unit(unit).name); }

}  // namespace tandem
