// What a task has to do beside its work: bring its inputs into the unit's memory, load its model, bring
// outputs back to the first memory.
#pragma once

#include <vector>

#include "policies/engine/drawn_moves.h"
#include "policies/engine/handed_data.h"
#include "policies/engine/live_requests.h"
#include "policies/engine/memory_ledger.h"
#include "policies/engine/occupation.h"
#include "policies/problem/problem.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

class Transfers {
 public:
  // All of them outlive it. Without `moves` copies and loads take what the problem says.
  Transfers(const Problem& problem, const HandedData& handed, const DrawnMoves* moves);

  // Has no task of it anything to do there beside its work, whatever has run before?
  bool Plain(SegmentId segment, UnitId unit) const {
    return plain_[segment.index() * problem_->units() + unit.index()] != 0;
  }
  bool maps() const { return maps_; }  // does any task read anything through a mapping?
  // Does it read an input through a zero-copy mapping there?
  bool ReadsMapped(const Task& task, UnitId unit, const LiveRequests& live) const {
    return maps_ && ReadsOneMapped(task, unit, live);
  }
  // What it takes longer there because other units of the memory have made what it reads: the bytes of one
  // unit add up, and so do the times of several.
  Nanos HandedOver(const Task& task, UnitId unit, const LiveRequests& live, const HandOvers& known) const {
    return known.any() && task.live >= 0 ? HandedOverToIt(task, unit, live, known) : Nanos{0};
  }
  // The steps of the slot's task up to its work and after it, in order; marks what they bring in as coming.
  // Where a load comes first, what a request of several tasks brings in is left open until the model is
  // there: so nobody ever waits for a copy by a slot that waits to load.
  void Plan(Occupation& slot, Nanos work, LiveRequests& live);
  void PlanRest(Occupation& slot, LiveRequests& live);
  // Who was to bring in what the slot waits for does so no more: the slot itself does. Returns what its own
  // steps take.
  Nanos BringInstead(Occupation& slot, LiveRequests& live) const;
  // The copies that bring outputs of so many requests back, in order, by the slot or by an engine: their kind
  // says it.
  std::vector<Step> WayBack(const Task& task, UnitId unit, std::int64_t batch) const;
  // Takes room for the model that the slot's task needs loaded, from models that no slot of the unit uses
  // where it must; false where there is none. A slot that itself waits to load uses none.
  bool MakeRoom(const Occupation& slot, const std::vector<Occupation>& all, MemoryLedger& ledger);
  // Puts out one model that no slot uses and that a unit of the memory holds beyond what is kept for its
  // weights; false where there is none.
  bool PutOutOne(MemoryId memory, const std::vector<Occupation>& all, MemoryLedger& ledger);
  void Loaded(UnitId unit, ModelId model);
  // The model is used: others are put out before it.
  void Use(UnitId unit, ModelId model);
  bool Holds(UnitId unit, ModelId model) const;
  std::vector<LoadCount> LoadCounts() const;
  // What the task makes is there now, in the unit's memory.
  void Made(const Task& task, UnitId unit, LiveRequests& live) const;

 private:
  bool ReadsOneMapped(const Task& task, UnitId unit, const LiveRequests& live) const;
  Nanos HandedOverToIt(const Task& task, UnitId unit, const LiveRequests& live, const HandOvers& known) const;
  void FindPlain();
  bool ReadsHanded(const Cut& cut) const;
  bool RunsAway(SegmentId segment) const;
  MemoryId MemoryOf(UnitId unit) const { return problem_->MemoryOf(unit); }
  MemoryId Nearest(const Task& task, std::int32_t tensor, MemoryId to, const LiveRequests& live,
                   std::int64_t bytes) const;
  void AddCopy(std::vector<Step>& steps, MemoryId from, MemoryId to, std::int32_t tensor,
               std::int64_t bytes) const;
  void AddBringIn(const Occupation& slot, std::int32_t tensor, std::vector<Step>& steps,
                  LiveRequests& live) const;
  void AddBringIns(Occupation& slot, LiveRequests& live) const;
  void AddLoad(Occupation& slot);
  void AddWork(Occupation& slot, Nanos work, LiveRequests& live) const;
  // Does no other slot use the model, and could it come back?
  bool MayGo(ModelId model, UnitId unit, const Occupation* but, const std::vector<Occupation>& all) const;
  bool PutOutUnused(UnitId unit, const Occupation* but, const std::vector<Occupation>& all,
                    MemoryLedger& ledger);
  void PutOut(UnitId unit, ModelId model, MemoryLedger& ledger);
  // Puts out what cannot be on the unit's chip together with what the slot's task needs; false while some of
  // that is in use.
  bool ClearChip(const Occupation& slot, const std::vector<Occupation>& all, MemoryLedger& ledger);
  std::int64_t BytesRead(const Task& task, std::int32_t tensor, const LiveRequests& live) const;
  std::int64_t BytesMade(const Task& task, std::int32_t tensor, UnitId unit) const;

  // So far, where the unit loads models at all.
  LoadCount& CountOf(UnitId unit, ModelId model) {
    return counts_[unit.index() * problem_->scenario().models.size() + model.index()];
  }

  const Problem* problem_;
  const HandedData* handed_;
  const DrawnMoves* moves_;
  bool maps_ = false;
  std::vector<UnitId> engine_of_link_;
  std::vector<char> plain_;                   // per segment and unit
  std::vector<std::vector<ModelId>> loaded_;  // per unit with a limit, the least recently used first
  std::vector<LoadCount> counts_;             // per unit and model; empty: no unit loads any
};

}  // namespace tandem
