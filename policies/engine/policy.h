// Who decides. A policy is one file, policies/rules/<name>.cc: it keeps the tasks that are ready and says
// which of them a unit takes next. The same object decides in both simulators and on the device.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "policies/problem/problem.h"
#include "policies/problem/task.h"
#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {

// Where the inputs of a request's model lie.
struct InputsAt {
  UnitId maker;          // which has run the request that hands them on; invalid: none does
  bool in_first = true;  // in the first memory (too)?
};

// What a policy may know of the present beside the tasks that it was given.
struct Board {
  Nanos now{0};
  // Profiled work that the running tasks of the unit still have to do, all slots together; of a unit that is
  // away as if it had very much to do.
  virtual Nanos Remaining(UnitId unit) const = 0;
  // The same as units see it that share cores with it: who is away keeps nobody off.
  virtual Nanos KeepsOffFor(UnitId unit) const { return Remaining(unit); }
  // When the request was released on which the task's hangs in the end; its own where it follows none.
  virtual Nanos Origin(const Task& task) const { return task.release; }
  virtual InputsAt InputsOf(const Task&) const { return {}; }
  // Is what the task makes left where it makes it, and not brought back to the first memory?
  virtual bool Stays(const Task&) const { return false; }
  // While a policy that learns is told that a task has ended: how many times as long its work took as was to
  // be expected by the profile; nothing: another unit has done it.
  std::optional<double> times;

 protected:
  ~Board() = default;
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // A task became ready. Those of one instant come in task order, but for those that were set aside.
  virtual void Ready(const Task& task, const Board& board) = 0;
  // A slot of the unit is idle: hands out one of the ready tasks, which `unit` can run, or returns false. The
  // answer no holds until another task becomes ready or another slot of the unit falls idle.
  virtual bool Take(UnitId unit, const Board& board, Task& task) = 0;
  // A task that was handed out has ended on the unit. Returns true where units that were given nothing may be
  // given something now.
  virtual bool Ended(const Task&, UnitId, const Board&) { return false; }
  // Does it ask how long tasks took?
  virtual bool Learns() const { return false; }
  // Are streams programs of their own, which it leaves alone?
  virtual bool LeavesAlone() const { return false; }
  // A task that is ready, or was set aside, is not to be handed out any more: its request is dropped.
  virtual void Drop(const Task& task) = 0;
  // A task for which memory has no room, handed out just now or not told of yet, is set aside: no unit is to
  // wait for what its request has. It becomes ready (again) when there is room.
  virtual void SetAside(const Task&) {}

  // What it has decided before the run; null where its rule decides as the run goes on.
  virtual const Decisions* decisions() const { return nullptr; }
};

// A policy that is ready to decide, good for one run, and the problem that it decides on: the one that it was
// made for, or, where it cuts models or chooses residents itself, the one that came of that.
struct Prepared {
  Prepared() = default;
  template <class P>
  Prepared(std::unique_ptr<P> who, std::shared_ptr<const Problem> of = nullptr)
      : problem(std::move(of)), policy(std::move(who)) {}

  std::shared_ptr<const Problem> problem;  // null only as a declaration's `make` returns it: the one given
  std::unique_ptr<Policy> policy;
};

// What the policy is asked to decide on: at its granularity, or, where it chooses that itself, at the
// coarsest at which all streams run. Throws InputError.
std::shared_ptr<const Problem> ProblemFor(const PolicySpec& spec, const Scenario& scenario);

// Throws InputError where the policy's parameters do not fit the problem.
Prepared MakePolicy(const PolicySpec& spec, std::shared_ptr<const Problem> problem);

// Decides as was decided before, on the problem that this speaks of; `problem` may be any of the scenario.
Prepared MakeDecided(const Decisions& decisions, const Problem& problem);

// InputError at the policy's place in the scenario, or by its label where it comes from elsewhere.
[[noreturn]] void FailPolicy(const PolicySpec& spec, const Problem& problem, const std::string& what);

}  // namespace tandem
