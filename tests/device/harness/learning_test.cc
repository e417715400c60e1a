// Does a policy that learns hear the same of a board as of a simulation: what work took by the clock against
// its profile, without the copies?
#include <gtest/gtest.h>

#include <thread>

#include "device/harness/device_runner.h"
#include "device/harness/late_releases.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

// Notes what it is told, behind what the harness puts before a policy.
class Listener final : public Policy {
 public:
  explicit Listener(Policy& decides) : decides_(&decides) {}

  void Ready(const Task& task, const Board& board) override { decides_->Ready(task, board); }
  bool Take(UnitId unit, const Board& board, Task& task) override {
    return decides_->Take(unit, board, task);
  }
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    told.emplace_back(unit, board.times.value_or(0));
    return decides_->Ended(task, unit, board);
  }
  bool Learns() const override { return true; }
  void Drop(const Task& task) override { decides_->Drop(task); }

  std::vector<std::pair<UnitId, double>> told;

 private:
  Policy* decides_;
};

// The first unit works three times as long as it should, the second as long; every copy takes for ever.
class SleepingWork final : public SlotWork {
 public:
  void Begin(std::size_t place, const Occupation& slot, Nanos work) override {
    const bool copy = !slot.steps.empty() && slot.steps[slot.step].kind != StepKind::kCompute;
    sleeps_[place] = copy ? milliseconds{300} : work * (slot.unit == UnitId(0) ? 3 : 1);
    copies += copy ? 1 : 0;
  }
  void Do(std::size_t place) override { std::this_thread::sleep_for(sleeps_[place]); }
  void Ended(std::size_t) override {}

  int copies = 0;

 private:
  std::array<Nanos, 2> sleeps_{};
};

TEST(APolicyThatLearns, HearsOfADeviceHowLongWorkTook) {
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}, {"name": "vram"}],
                      "links": [{"from": "dram", "to": "vram", "latency_us": 1, "bandwidth_bytes_per_s": 1e9}],
                      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                {"name": "u1", "kind": "gpu", "memory": "vram"}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 20000},
                                  {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 20000}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]},
                        {"name": "a", "op": "relu", "inputs": ["in"]}])"},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])"}
          .Read();
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  Listener listener(*made.policy);
  LateReleases policy(*made.problem, listener, [](UnitId) { return false; });
  SleepingWork work;
  Dispatcher dispatcher(*made.problem, policy);
  DeviceRunner runner(dispatcher, work);
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < runner.places(); ++p) threads.emplace_back([&runner, p] { runner.Serve(p); });
  runner.Run(dispatcher);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(work.copies, 2);  // in and out
  ASSERT_EQ(listener.told.size(), 2U);
  for (const auto& [unit, times] : listener.told) {
    EXPECT_GE(times, unit == UnitId(0) ? 3 : 1);
    EXPECT_LT(times, 12);  // with the copies it would be 31
  }
}

}  // namespace
}  // namespace tandem
