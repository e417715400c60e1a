#include "tests/support/hand_made_run.h"

#include "tests/support/read_scenario.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

const PolicyDeclaration kMadeUp{.name = "made_up", .summary = "a policy of the tests"};

}  // namespace

HandMadeRun MakeRun(const std::string& members) {
  HandMadeRun run;
  run.scenario = ReadMini(members + R"("streams": [
      {"name": "a", "model": "mobilenet_v2", "count": 10, "arrival": {"type": "offline"}},
      {"name": "b", "model": "resnet50", "count": 3, "deadline_us": 2000,
       "arrival": {"type": "periodic", "fps": 100, "phase_ms": 1}}], "objective": "makespan")");
  run.scenario.streams[0].batch = 4;
  run.policy.declaration = &kMadeUp;
  run.policy.label = "made up";
  run.facts.engine = "virtual";
  run.facts.bound = milliseconds{15};

  StreamOutcome a, b;
  for (int i = 1; i <= 10; ++i) a.latencies.push_back(milliseconds{i});
  a.released = 10;
  a.last_completion = milliseconds{10};
  b.latencies = {milliseconds{1}, milliseconds{3}};
  b.released = 3;
  b.dropped = 1;
  b.missed = 2;
  b.first_release = milliseconds{1};
  b.last_completion = milliseconds{21};
  run.outcome.streams = {a, b};
  UnitOutcome cpu, gpu, npu;
  cpu.busy = cpu.unprofiled_busy = milliseconds{10};
  cpu.tasks = 10;
  gpu.busy = milliseconds{5};
  gpu.tasks = 2;
  gpu.task_joules = 0.25;
  run.outcome.units = {cpu, gpu, npu};
  run.outcome.last_completion = run.outcome.end = milliseconds{21};
  return run;
}

}  // namespace tandem
