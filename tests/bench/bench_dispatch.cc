// What does the harness take per task beside the kernels? At most 2 us in the median is the bar, with kernels
// that do nothing: with others, memory is what differs, not the harness.
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>

#include "device/harness/device_runner.h"
#include "device/profiler/dispatch_cost.h"
#include "policies/kinds/prepared_run.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr double kBarMicros = 2;

class NoWork final : public SlotWork {
 public:
  void Begin(std::size_t, const Occupation&, Nanos) override {}
  void Do(std::size_t) override {}
  void Ended(std::size_t) override {}
};

struct Micros {
  double median = 0, p99 = 0;
};

Micros Of(std::vector<Nanos> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](std::size_t hundredths) {
    return static_cast<double>(samples[(samples.size() - 1) * hundredths / 100].count()) / 1e3;
  };
  return {at(50), at(99)};
}

void Print(const char* what, const Micros& micros) {
  std::printf("%-44s median %7.3f us, p99 %7.3f us\n", what, micros.median, micros.p99);
}

std::vector<Nanos> OneUnit(std::int64_t touched) {
  Platform platform;
  platform.name = "one unit";
  platform.memories.push_back({"dram", std::nullopt, std::nullopt});
  Unit unit;
  unit.name = "one";
  unit.memory = MemoryId(0);
  unit.backend = &DeclaredBackend("reference");
  platform.units.push_back(unit);
  DispatchMeasurement how;
  how.tasks = 10'000;
  how.touched_bytes = touched;
  return MeasureDispatch(platform, UnitId(0), how);
}

// All of them at once want a task after a task.
std::vector<Nanos> SeveralUnits(std::size_t units, const char* policy, Granularity granularity,
                                std::int64_t requests = 2000, Nanos spin = Nanos{50'000}) {
  SmallScenario small(std::vector<std::int64_t>(units, 1));
  const std::vector<std::int64_t> times(units, 10);
  small.AddStream(small.AddModel({times, times, times}), requests);
  const Scenario scenario = small.Build();
  PolicySpec spec = PolicyByName(policy, scenario, "bench");
  spec.granularity = granularity;
  const PreparedRun prepared = Prepare(scenario, spec);
  NoWork work;
  Dispatcher dispatcher(*prepared.problem, *prepared.policy);
  DeviceRunnerOptions options;
  options.spin = [spin](UnitId) { return spin; };
  DeviceRunner runner(dispatcher, work, options);
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < units; ++p) threads.emplace_back([&runner, p] { runner.Serve(p); });
  runner.Run(dispatcher);
  for (std::thread& thread : threads) thread.join();
  return runner.gaps();
}

int Bench() {
  const Micros empty = Of(OneUnit(0));
  Print("one unit, kernels that do nothing", empty);
  Print("one unit, kernels that read 1 MiB", Of(OneUnit(1 << 20)));
  Print("two units, whole models, fcfs", Of(SeveralUnits(2, "fcfs", Granularity::kModel)));
  Print("two units, layers, eft", Of(SeveralUnits(2, "eft", Granularity::kLayer)));
  const bool met = empty.median <= kBarMicros;
  std::printf("%s: a task costs at most %.0f us beside its kernel\n", met ? "ok" : "MISSED", kBarMicros);
  return met ? 0 : 1;
}

// Of three tasks each on one unit, for whoever counts what that executes (scripts/bench/engine_instructions).
// Nobody spins: how long that takes is chance.
int Once(const std::string& requests) {
  SeveralUnits(1, "fcfs", Granularity::kLayer, std::stoll(requests), Nanos{0});
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int count, char** words) {
  if (count == 3 && std::string(words[1]) == "once") return tandem::Once(words[2]);
  return tandem::Bench();
}
