// The rules of trace_check.h, a file each.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/check/checked_run.h"
#include "scenarios/check/findings.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {

using Times = std::vector<std::pair<Nanos, Nanos>>;

// What viewers show is what the nanoseconds say; release <= ready <= start <= end.
void CheckDates(const CheckedRun& run, Findings& findings);
// Nothing overlaps on a slot or copy engine, and a slot ends a task before it takes the next.
void CheckTracks(const CheckedRun& run, Findings& findings);
// Units that share cores or a device are never at work at the same time.
void CheckExclusion(const CheckedRun& run, Findings& findings);
bool SharesCores(const Unit& a, const Unit& b);  // or a device
// Per unit: these, and all that share with any of them. Of platforms of thousands of units, too.
std::vector<char> WithSharers(const Platform& platform, std::vector<char> units);
// What happens on units that share with others.
class ExcludedWork {
 public:
  explicit ExcludedWork(const CheckedRun& run);  // which outlives it

  // When others that share with the unit are at work, so that it may not be: apart and ascending.
  Times TimesOf(UnitId unit) const;

 private:
  const CheckedRun* run_;
  std::vector<const TracedSpan*> spans_;  // by start, then end
};
// Each request's tasks cover its model exactly once. Sets CheckedRequest::done.
void CheckLayers(CheckedRun& run, Findings& findings);
// The requests that the scenario asks for are there, each once and at its date, and no others; those that are
// dropped may be.
void CheckRequests(const CheckedRun& run, Findings& findings);
// Requests that ran at once may have: as many, and as soon, as their stream says.
void CheckBatches(const CheckedRun& run, Findings& findings);
// Nothing is done on a unit that is not there, and what is lost is so when its unit leaves.
void CheckAway(const CheckedRun& run, Findings& findings);
// A task runs where the profiles have its time.
void CheckUnits(const CheckedRun& run, Findings& findings);
// From when to when a unit must hold a model, whichever it lets go to make room: from the start or a load to
// the last task before the model's next load.
struct ModelStay {
  ModelId model;
  Nanos from{0}, to{0};
  const CheckedTask* first = nullptr;  // that loads it; null: it is there from the start
};
std::map<UnitId, std::vector<ModelStay>> ModelStays(const CheckedRun& run);

// A unit holds the models that it runs, from the start or since a load, and no more than its limit; and loads
// none that is there.
void CheckResidents(const CheckedRun& run, Findings& findings);
// Work, copies and loads last as long as profiles and platform say.
void CheckOccupation(const CheckedRun& run, Findings& findings);
// A task starts after those that make its inputs, which are in its memory by then; outputs come back.
void CheckInputs(const CheckedRun& run, Findings& findings);
// No slot is idle while a task waits that its policy would give it.
void CheckIdle(const CheckedRun& run, Findings& findings);
// What a unit takes comes first by the policy's rule, where the declaration tells it (fcfs and sjf).
void CheckOrder(const CheckedRun& run, Findings& findings);
// No unit takes a task while one of a critical stream waits that it could run.
void CheckCritical(const CheckedRun& run, Findings& findings);
// Per unit: when it may be kept from what is not critical; apart and ascending.
std::vector<Times> KeptTimes(const CheckedRun& run);
// Where tasks may have had to wait for room in their memory they are held_up from then on: where that is not
// told, when such a task took its slot is unknown.
void MarkWaitsForRoom(CheckedRun& run);

// When which requests may have waited for room in memory. A request is begun only where it can be finished:
// where there is room for the most that it may ever hold, beside what those hold that have begun.
struct RoomTimes {
  // When not all requests that were there may have had room together: apart and ascending.
  std::vector<std::pair<Nanos, Nanos>> narrow;
  // Per stream: its requests alone may be too much for a memory, so that their tasks follow each other.
  std::vector<char> one_by_one;
  std::vector<Nanos> begun;  // per request: when the first of its tasks got its slot

  bool NarrowAt(Nanos time) const;
};
RoomTimes FindRoomTimes(const CheckedRun& run);
// Resident weights and live tensors fit the memories.
void CheckMemory(const CheckedRun& run, Findings& findings);

bool Contains(const Times& times, Nanos date);         // of times apart and ascending
bool Meets(const Times& times, Nanos from, Nanos to);  // the same: any from the one to the other?
// When units are away, or have been so that it may still matter to who takes what: apart and ascending.
Times TimesOfAbsences(const CheckedRun& run);
// Per task what a unit took first of it: what was lost, where it was.
std::vector<const CheckedTask*> FirstAttempts(const CheckedRun& run);
// Per unit: may it take what waits for company, or does it share cores or a device with one that may?
std::vector<char> UnitsOfBatches(const CheckedRun& run);

// The run's policy, whatever its label; null where it is unknown.
const PolicyDeclaration* PolicyOf(const CheckedRun& run);
// Can the unit run the task, as things may be loaded and copied?
bool CanTake(const CheckedRun& run, const CheckedTask& task, UnitId unit);

// The same whatever the unit holds: a load in a memory of limited room may be too much for it.
bool SurelyTakes(const CheckedRun& run, const CheckedTask& task, UnitId unit);
// When the task waited for a slot and could have had it: its request had begun, or there was room for it.
Times TimesOfWait(const CheckedRun& run, const RoomTimes& room, const CheckedTask& task);

// Bytes of an element of the layer's output that the unit makes: as the model says, else as the unit's
// variant has it, fp32 of backends that hand on floats; without a unit (model inputs): fp32.
std::int64_t ElementBytes(const CheckedRun& run, UnitId unit, const Model& model, LayerId layer);
std::int64_t WeightElementBytes(const CheckedRun& run, UnitId unit);  // as its variant has it
std::int64_t WeightBytes(const CheckedRun& run, ModelId model, UnitId unit);

}  // namespace tandem
