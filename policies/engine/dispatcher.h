// Room policies/engine: the seam and the loop: policies above, runners below, the dispatcher between, the
// virtual runner, and what an instant needs.
//
// The one loop body of every engine: what an instant means. Completions, units that leave or come back,
// releases, drops, then the policy's decisions, in that order; docs/semantics.md has the rules. It never
// blocks and knows no clock but `now`.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "policies/engine/absences.h"
#include "policies/engine/ages.h"
#include "policies/engine/batches.h"
#include "policies/engine/copy_shares.h"
#include "policies/engine/drops.h"
#include "policies/engine/exclusion.h"
#include "policies/engine/handed_data.h"
#include "policies/engine/live_requests.h"
#include "policies/engine/memory_ledger.h"
#include "policies/engine/occupation.h"
#include "policies/engine/policy.h"
#include "policies/engine/rates.h"
#include "policies/engine/releases.h"
#include "policies/engine/runner.h"
#include "policies/engine/set_aside.h"
#include "policies/engine/shared_time.h"
#include "policies/engine/stages.h"
#include "policies/engine/transfers.h"
#include "policies/engine/unit_set.h"
#include "policies/engine/work_seen.h"
#include "policies/problem/problem.h"
#include "scenarios/trace/outcome.h"
#include "scenarios/trace/span.h"

namespace tandem {

struct RunOptions {
  SpanSink* spans = nullptr;  // outlives the run; nothing is recorded without one
  // What the task occupies its slot for beside copies and loads, where it is not the profiled time plus
  // dispatch: drawn from samples. `mapped`: it reads an input through a zero-copy mapping; `now`: when the
  // unit takes it.
  std::function<Nanos(const Task&, UnitId, bool mapped, Nanos now)> work_time;
  // The same of so many requests that are begun together; nothing: so many times what the first one takes as
  // the profile has it.
  std::function<std::optional<Nanos>(const Task& first, UnitId, std::int64_t size, bool mapped, Nanos now)>
      batch_time;
  // Instead of the problem's; they outlive the run.
  const Slowdowns* slowdowns = nullptr;
  const HandOvers* hand_overs = nullptr;
  const DrawnMoves* moves = nullptr;
  // Requests come by Submit alone, for as long as the run lasts: the outcome keeps no latency of each.
  bool from_outside = false;
  // Of these: null: nothing follows them, whatever the scenario says. Outlives the run.
  Followers* followers = nullptr;
  // Do requests read what those have made that they follow? Else all comes by the first memory.
  bool hands_on = true;
  // Called now and then with the requests that have ended; returning false cuts the run short.
  std::function<bool(std::int64_t ended)> progress;
};

// What a unit did before it takes a task, as far as that counts in the run.
struct UnitBefore {
  Nanos idled{0};
  bool has_switched = false;   // it has done another model's work since it last did this
  std::optional<Nanos> since;  // it last took one of this segment
};

class Dispatcher final : private Board {
 public:
  // All of them outlive it. Throws InputError where memory has no room for requests of a stream.
  Dispatcher(const Problem& problem, Policy& policy, const RunOptions& options = {});

  // `ended` ascending. Time 0 comes first, with nothing ended.
  void OnInstant(Runner& runner, Nanos instant, std::span<const PlaceId> ended);

  // A request from outside, released at the instant that comes next, which is at `instant`. Returns its
  // index. Throws InputError after 2^31 of one stream.
  std::int64_t Submit(StreamId stream, Nanos instant) { return releases_.Submit(stream, instant); }

  // From now on ends are noted and nothing is begun any more: the outcome is of what is complete by then.
  void CutShort() { cut_short_ = true; }

  // Is the model on the unit, loaded or there from the start?
  bool Holds(UnitId unit, ModelId model) const { return transfers_.Holds(unit, model); }

  // Are its streams programs of their own?
  bool leaves_alone() const { return policy_->LeavesAlone(); }

  // To what share of its speed heat holds the unit back.
  double SpeedByHeat(UnitId unit) const { return rates_.SpeedByHeat(unit); }

  // Who was begun together with the first of a batch, until that has ended.
  const std::vector<Task>& With(const Task& first) const { return batches_.With(first); }

  // After the run: what came out. Throws InputError where requests wait for ever.
  Outcome TakeOutcome();

  std::int64_t ended_requests() const { return ended_requests_; }
  const Places& places() const { return problem_->places(); }

 private:
  // What every task of a plain run comes to is compiled once more, without what it never comes to;
  // dispatcher_plain.cc says which runs are plain.
  static constexpr bool kAnyRun = false, kPlainRun = true;
  bool IsPlain() const;
  template <bool kPlain>
  void Instant(Runner& runner, Nanos instant, std::span<const PlaceId> ended);

  Nanos Remaining(UnitId unit) const override;
  Nanos KeepsOffFor(UnitId unit) const override;
  Nanos WorkUnderWay(UnitId unit) const;
  Nanos Origin(const Task& task) const override {
    return releases_.HangsOn(task.stream) ? releases_.RootRelease(task.stream, task.index) : task.release;
  }
  InputsAt InputsOf(const Task& task) const override {
    return handed_.Reads(task.stream) ? InputsAt{handed_.MakerFor(task), handed_.InFirst(task)} : InputsAt{};
  }
  bool Stays(const Task& task) const override { return handed_.Stays(task); }
  std::span<const Occupation> SlotsOf(UnitId unit) const {
    return {&slots_[places().First(unit).index()], places().slots(unit)};
  }

  template <bool kPlain>
  void End(Runner& runner, PlaceId place);
  template <bool kPlain>
  void StepEnded(Runner& runner, Occupation& slot);
  void EndOfStep(const Occupation& slot, const Step& step);
  void Advance(Runner& runner, Occupation& slot);
  void PlanRest(Occupation& slot);
  bool IsThere(const Occupation& slot);
  bool MayLoad(const Occupation& slot);
  void Wait(Occupation& slot);
  void RetryWaiting(Runner& runner);
  template <bool kPlain>
  void StartStep(Runner& runner, Occupation& slot, Nanos work);
  template <bool kPlain>
  void EndTask(Runner& runner, Occupation& slot);
  [[gnu::noinline]] void ShareTime(UnitId unit);
  // What few runs need stays out of line: it would keep registers from what every task needs.
  [[gnu::noinline]] void HandOn(Runner& runner, const Task& task, UnitId unit, std::int64_t batch);
  void MakeFollowersReady(const Task& task);
  void OutputsArrived(const Task& task);
  // `with`: the first of the batch, with which it went along.
  template <bool kPlain>
  void EndRequest(const Task& task, bool completed, const Task* with = nullptr);
  [[gnu::noinline]] void Forget(const Task& task);
  [[gnu::noinline]] void NoteEndToEnd(const Task& task, Nanos latency);
  [[gnu::noinline]] void NoteAge(const Task& task, bool completed);
  [[gnu::noinline]] void Tell(const Task& task, bool completed, const Task* with);

  void QueueOnEngine(Runner& runner, Occupation& slot, const Step& step);
  void StartEngine(Runner& runner, std::size_t engine);
  void EngineEnded(Runner& runner, Occupation& slot);

  template <bool kPlain>
  void HandOutReady();
  void Begin(Task& task);
  [[gnu::noinline]] bool TakeStage(const Task& task);
  template <bool kPlain>
  Nanos BusyWith(const Occupation& slot) const;
  [[gnu::noinline]] void NoteEnd(const Occupation& slot);
  template <bool kPlain>
  void Release(Task& task);
  void Ready(const Task& task) {
    ++ready_tasks_;
    something_ready_ = true;
    policy_->Ready(task, *this);
  }
  void DropLate();
  template <bool kPlain>
  void Decide(Runner& runner);
  void Decline(UnitId unit);
  [[gnu::noinline]] void AskAllAgain();
  template <bool kPlain>
  bool TakeOne(Runner& runner, UnitId unit);
  template <bool kPlain>
  bool TakeTask(UnitId unit, Task& task);
  template <bool kPlain>
  void Occupy(Occupation& slot);
  Nanos WorkOf(const Occupation& slot);
  UnitBefore TakesAfter(const Occupation& slot);
  Nanos Idled(const Occupation& slot) const;
  bool HasSwitched(SegmentId segment, UnitId unit);
  bool SomethingWaits() const { return ready_tasks_ + set_aside_.size() + absences_.size() > 0; }

  // Batches that form: dispatcher_batches.cc.
  [[gnu::noinline]] void WaitForCompany(const Task& task);
  [[gnu::noinline]] void HandOutDue();
  [[gnu::noinline]] void TakeAlong(Occupation& slot);
  [[gnu::noinline]] void EndCompany(const Task& first);
  [[gnu::noinline]] void CountBatch(const Occupation& slot);
  [[gnu::noinline]] void ShareBusy(const Occupation& slot, Nanos busy);

  // Units that leave and come back: dispatcher_absences.cc.
  [[gnu::noinline]] void UnitsComeAndGo(Runner& runner);
  [[gnu::noinline]] Nanos NextAbsence() const;
  void LoseAllOf(Runner& runner, UnitId unit);
  void Lose(Runner& runner, Occupation& slot);
  void StopStep(Runner& runner, Occupation& slot);
  void StopCopiesFor(Runner& runner, const Occupation& slot);
  void OfferStranded(UnitId unit);
  [[gnu::noinline]] bool TakeAmongAbsences(Occupation& slot, bool& again);
  bool HasRoomAgain(const Absences::Lost& lost, UnitId unit);
  bool TakeFor(UnitId asked, UnitId unit, Task& task);
  bool CanStandIn(UnitId unit, UnitId other);
  void Strand(const Task& task);

  // Memory: dispatcher_room.cc.
  bool HasRoom(const Task& task, UnitId unit);
  bool MakeRoomFor(const Task& task, UnitId unit, std::int64_t requests);
  void OthersFollow(const Task& task);
  void SetAside(const Task& task);
  void OfferAgain(UnitId unit);
  void RoomIsBack(const Task& task, UnitId unit);
  [[gnu::noinline]] void RoomOfAllIsBack(const Task& first, UnitId unit);
  void NextInOrder(const Task& task);
  void UpdateRates(Runner& runner);
  template <bool kPlain>
  void AskForWakeUp(Runner& runner);
  void Record(const Occupation& slot, const Occupation& owner, const Step& step, SpanKind kind);
  void CountProgress();
  void CheckNothingWaits() const;
  [[noreturn]] void FailForAbsence(const std::string& text) const;
  void CheckWithinTime(Nanos date) const {
    if (date > kLongestTime) FailTooLong();
  }
  [[noreturn]] void FailTooLong() const;

  // Copies that an engine makes one after the other: into a slot's unit, or back to the first memory.
  struct EngineJob {
    Task task;
    Nanos ready{0}, taken{0};
    std::vector<Step> steps;
    std::size_t step = 0;
    Occupation* owner = nullptr;  // the slot that waits for it; null: nobody does
  };

  const Problem* problem_;
  Policy* policy_;
  RunOptions options_;
  Releases releases_;
  Drops drops_;
  Ages ages_;
  Stages stages_;
  Batches batches_;
  LiveRequests live_;
  HandedData handed_;
  Transfers transfers_;
  MemoryLedger ledger_;
  SetAsideTasks set_aside_;  // that wait for room, or for their turn where there is little of it
  TaskRates rates_;
  CopyShares copies_;
  std::vector<Rate> rates_now_;  // per place, where copies share
  const Slowdowns* slowdowns_;
  const HandOvers* hand_overs_;
  SharedTime shared_time_;
  std::optional<WorkSeen> seen_;  // where the policy learns by it
  Exclusion exclusion_;
  Absences absences_;
  Outcome outcome_;

  std::vector<Occupation> slots_;                    // per place
  std::vector<std::deque<EngineJob>> engine_queue_;  // per engine; the first is under way
  bool changes_rates_;                               // may a task go faster or slower while it runs?
  bool tells_power_;                                 // may an energy be told of the run?
  bool notes_ends_;                                  // is anything noted of tasks that end?
  bool holds_back_;                                  // do critical streams keep units from others?
  bool as_profiled_;                                 // is the work of every task what its profile says?
  std::vector<Nanos> deadline_;                      // per stream, after the release; kNever: none
  std::vector<std::int32_t> idle_;                   // idle slots per unit, but for plain runs
  std::vector<Nanos> free_since_;                    // per unit: when its last task ended
  struct Models {                                    // that a unit has done
    ModelId last;
    std::int64_t switches = 0;             // from one to another
    std::vector<std::int64_t> at_segment;  // how many, when it last did that
  };
  std::vector<Models> models_;     // per unit, where that counts
  std::vector<Nanos> last_taken_;  // per unit and segment, where that counts
  UnitSet to_ask_;        // idle units for which the policy may have something: all that have not declined
  UnitSet has_declined_;  // since something became ready
  std::vector<UnitId> declined_;        // the same
  std::vector<Task> ready_;             // of this instant, made ready by the end of others
  std::vector<PlaceId> ended_at_once_;  // whose work was nothing
  Nanos wake_up_ = Runner::kNever;
  std::int64_t ready_tasks_ = 0;    // handed to the policy and not taken
  std::int64_t working_ = 0;        // steps that the runner has under way
  std::int64_t waiting_slots_ = 0;  // that cannot go on with their task yet
  std::int64_t ended_requests_ = 0;
  std::int64_t next_progress_;
  std::int64_t changes_ = 0;  // of what waits and runs: a unit is offered what was set aside once for each
  std::vector<std::int64_t> offered_at_;   // per unit
  std::vector<std::int64_t> stranded_at_;  // per unit: the same of what waits for who can stand in
  std::map<std::pair<UnitId, UnitId>, bool> stands_in_;  // who was asked for in whose place
  bool something_ready_ = false;
  bool cut_short_ = false;
  bool plain_;
};

}  // namespace tandem
