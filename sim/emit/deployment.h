// Room sim/emit: plans in the files of what people deploy with, a file a target.
//
// What a target is told of a plan: what was asked, what was decided, and what the simulation of it did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/kinds/prepared_run.h"
#include "scenarios/scenario/plan.h"
#include "sim/study/one_run.h"

namespace tandem {

// One task as the simulation ran it.
struct DeployedTask {
  StreamId stream;
  std::int64_t index = 0;  // of the request in its stream
  SegmentId segment;
  UnitId unit;
  std::int64_t slot = 0;
  Nanos release{0};  // of the request
  Nanos start{0}, end{0};
};

// How much of a stream's segment a unit ran. Where a policy decides as the run goes on, several units share
// a segment.
struct DeployedShare {
  StreamId stream;
  SegmentId segment;
  UnitId unit;
  std::int64_t tasks = 0;
  Nanos busy{0};
};

inline constexpr std::size_t kMostDeployedTasks = 1'000'000;

class Deployment {
 public:
  // Runs `plan` once more, in that engine. `scenario` outlives it and has a platform and costs.
  Deployment(const Scenario& scenario, Plan plan, Report predicted, Engine engine);
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  const Scenario& scenario() const { return scenario_; }
  const Platform& platform() const { return *scenario_.platform; }
  const Plan& plan() const { return plan_; }  // as plan.json has it
  const Report& predicted() const {
    return predicted_;
  }  // what a page or a script may set measurements beside
  const Problem& problem() const { return *run_.problem; }  // cuts, segments, times, residents

  // In order of start, then unit and slot; the first so many.
  const std::vector<DeployedTask>& tasks() const { return tasks_; }
  std::size_t tasks_in_all() const { return tasks_in_all_; }
  // In order of stream, segment and unit; of all tasks.
  const std::vector<DeployedShare>& shares() const { return shares_; }

  // So many of the stream's requests ran along in a batch that another one, of it or of another stream,
  // began; tasks are those of that one.
  std::int64_t RanAlong(StreamId stream) const { return along_[stream.index()]; }

  // The unit that ran the most of the segment for the stream, the first of equals; invalid: none of them ran.
  UnitId MainUnit(StreamId stream, SegmentId segment) const;
  // The layers of the segment that run, ascending; of a whole model all but its inputs.
  std::vector<LayerId> LayersOf(SegmentId segment) const;
  // "tandem plan mine.scenario.json --emit triton -o out", as it was given; empty in tests.
  std::string command() const;

 private:
  const Scenario& scenario_;
  Plan plan_;
  Report predicted_;
  PreparedRun run_;
  std::vector<DeployedTask> tasks_;
  std::vector<DeployedShare> shares_;
  std::size_t tasks_in_all_ = 0;
  std::vector<std::int64_t> along_;  // per stream
};

}  // namespace tandem
