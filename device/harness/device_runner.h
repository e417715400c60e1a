// Runs a plan by the wall clock, with a thread per slot. No thread dispatches for the others: whoever
// finishes calls Dispatcher::OnInstant, for all that have ended by then, and hands the others their work. A
// slot that is idle waits for the next release itself; while none is, nobody has to know of it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "policies/engine/dispatcher.h"
#include "policies/engine/occupation.h"
#include "policies/engine/runner.h"

namespace tandem {

// What the slots do.
struct SlotWork {
  // One call at a time, whatever the place: `slot` has come to a step; notes what it is to work on.
  virtual void Begin(std::size_t place, const Occupation& slot, Nanos work) = 0;
  // On the place's own thread: does it. What it throws ends the run.
  virtual void Do(std::size_t place) = 0;
  // One at a time again: what Do did has ended.
  virtual void Ended(std::size_t place) = 0;

 protected:
  ~SlotWork() = default;
};

struct DeviceRunnerOptions {
  // How long a place looks for new work before it sleeps; at other times its core belongs to others.
  std::function<Nanos(UnitId)> spin;
  // Called at every instant before the dispatcher is, one call at a time: may submit requests to it.
  std::function<void(Nanos now)> arrivals;
  // One call at a time too: may more of them come? Then the run goes on though there is nothing to do.
  std::function<bool()> open;
  // Called ten times a second with the requests that have ended; false: the run is to end.
  std::function<bool(std::int64_t ended)> keep_going;
};

class DeviceRunner final : public Runner {
 public:
  // `dispatcher` is the one that will be run; all outlive the runner.
  DeviceRunner(const Dispatcher& dispatcher, SlotWork& work, DeviceRunnerOptions options = {});

  // The loop of one place, for a thread of its own, from before Run until its end.
  void Serve(std::size_t place);
  std::size_t places() const { return mailboxes_.size(); }
  std::size_t serving() const { return serving_.load(std::memory_order_acquire); }  // threads in that loop

  // Of the next run: when time zero is, instead of at once.
  void BeginAt(std::chrono::steady_clock::time_point zero) { begin_ = zero; }
  // Time zero is now. A failure cuts the run short: what was under way comes to its end, nothing more begins.
  void Run(Dispatcher& dispatcher) override;
  // From any thread, while Run lasts: an instant now, for what comes from outside.
  void Ring();
  // From any thread, while Run lasts: what is under way comes to its end, nothing more begins.
  void AskToStop();
  // Lets Serve come back where Run was never called.
  void Dismiss();

  // As of the last instant that is over.
  std::int64_t ended_requests() const { return ended_requests_.load(std::memory_order_acquire); }

  std::exception_ptr failure() const { return failure_; }  // of the run: the first one
  // From inside OnInstant: had the unit an idle slot when the instant came?
  bool WasIdle(UnitId unit) const;
  // From the end of one piece of work to the start of the next of the same place, where that was waiting.
  std::vector<Nanos> gaps() const;

  bool Executes() const override { return true; }
  void Start(const Occupation& slot, Nanos work) override;
  void SetRate(const Occupation&) override {}  // the device has its own
  void Stop(const Occupation&) override {}     // nor is anything stopped
  void WakeAt(Nanos date) override;

 private:
  using Clock = std::chrono::steady_clock;
  enum Mail : int { kNothing, kAsleep, kLookAgain, kWork, kGoHome };
  struct alignas(64) Mailbox {
    std::atomic<int> mail{kNothing};
    std::atomic<bool> ended{false};
    std::exception_ptr failure;  // of what has ended
    bool working = false;        // the dispatcher's side of it
    bool just_ended = false;     // at this instant
    bool at_once = false;        // the work began at the instant at which that before it ended
    Nanos spin{0};
    bool watches = false;                // wakes at the date that is due: a slot of a unit
    std::atomic<std::int64_t> until{0};  // while it sleeps: when it wakes by itself
    Clock::time_point last_end;
    std::vector<Nanos> gaps;
  };

  int WaitForMail(Mailbox& box);
  int LookForMail(Mailbox& box);
  void Sleep(Mailbox& box) const;
  bool TakeDate();
  static void Post(Mailbox& box, int mail);
  void Attend();
  void Instant();
  void CollectEnded();
  void Stop(std::exception_ptr failure);
  void WaitForEnd();

  const Places* places_;
  SlotWork* work_;
  DeviceRunnerOptions options_;
  std::vector<Mailbox> mailboxes_;  // per place
  std::optional<Clock::time_point> begin_;
  Clock::time_point zero_;

  // Whoever makes it one from nought sees to everything, also to what the others add meanwhile.
  std::atomic<int> attention_{0};
  // From here on of use to that thread alone.
  Dispatcher* dispatcher_ = nullptr;
  std::vector<PlaceId> ended_;
  std::exception_ptr failure_;
  Nanos last_{-1};
  Nanos wake_up_ = kNever;
  std::int64_t working_ = 0;
  bool stopping_ = false, broken_ = false;

  std::atomic<std::size_t> serving_{0};
  std::atomic<std::int64_t> ended_requests_{0};
  std::atomic<bool> stop_asked_{false};
  std::atomic<int> done_{0};
  std::atomic<std::int64_t> due_{kNever.count()};  // when the dispatcher is to be called
  std::atomic<bool> rang_{false};
};

}  // namespace tandem
