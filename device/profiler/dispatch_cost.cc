#include "device/profiler/dispatch_cost.h"

#include <algorithm>
#include <thread>

#include "device/harness/device_runner.h"
#include "device/threads/unit_thread.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

// The unit alone, one slot, and a model of one layer with many requests at once.
Scenario ScenarioFor(const Platform& platform, UnitId id, std::int64_t tasks) {
  Scenario scenario;
  scenario.file = scenario.name = "dispatch";
  scenario.transfer = TransferMode::kNone;
  scenario.platform = platform;
  Unit unit = platform.unit(id);
  unit.slots = 1;
  unit.resident_models.reset();
  scenario.platform->units = {unit};
  scenario.units.resize(1);
  ModelBuilder builder("nothing");
  builder.Input("in", {1, 1});
  builder.Relu("layer");
  scenario.models.push_back({"nothing", "nothing", std::make_shared<const Model>(builder.Build())});
  Stream stream;
  stream.name = "requests";
  stream.model = ModelId(0);
  stream.arrival = OfflineArrival{};
  stream.until.count = tasks;
  scenario.streams.push_back(stream);
  Profile profile;
  profile.file = "dispatch";
  profile.platform = platform.name;
  CostEntry entry;
  entry.model = "nothing";
  entry.unit = unit.name;
  entry.time.median = Nanos{1000};
  profile.entries.push_back(entry);
  scenario.profiles.push_back(std::move(profile));
  scenario.costs.emplace(*scenario.platform, std::vector<const Profile*>{&scenario.profiles[0]},
                         std::vector<CostTable::ModelRef>{{"nothing", scenario.models[0].model.get()}});
  scenario.units[0].variant = scenario.costs->Variants(UnitId(0)).front();
  return scenario;
}

// Kernels that only read through memory.
class TouchingWork final : public SlotWork {
 public:
  explicit TouchingWork(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)), '\1') {}
  void Begin(std::size_t, const Occupation&, Nanos) override {}
  void Do(std::size_t) override {
    constexpr std::size_t kCacheLine = 64;
    int sum = 0;
    for (std::size_t i = 0; i < bytes_.size(); i += kCacheLine) sum += bytes_[i];
    sum_ = sum;
  }
  void Ended(std::size_t) override {}

 private:
  std::vector<char> bytes_;
  volatile int sum_ = 0;  // so that the reading is not left out
};

}  // namespace

std::vector<Nanos> MeasureDispatch(const Platform& platform, UnitId unit, const DispatchMeasurement& how,
                                   const FindBackend& backend_of) {
  constexpr std::int64_t kWarmUp = 64;  // tasks whose gaps do not count
  const Scenario scenario = ScenarioFor(platform, unit, how.tasks + kWarmUp + 1);
  const PolicySpec spec = PolicyByName(BaselinePolicy().name, scenario, scenario.file);
  const PreparedRun prepared = Prepare(scenario, spec);
  OpenRequest request;
  request.platform = &platform;
  request.unit = unit;
  UnitThread thread(backend_of(platform.unit(unit), platform.name), request);
  TouchingWork work(how.touched_bytes);
  Dispatcher dispatcher(*prepared.problem, *prepared.policy);
  DeviceRunner runner(dispatcher, work);
  thread.Begin([&runner](Processor&) { runner.Serve(0); });
  try {
    runner.Run(dispatcher);
  } catch (...) {
    runner.Dismiss();  // the thread is not to wait for ever
    throw;
  }
  thread.Wait();
  if (runner.failure()) std::rethrow_exception(runner.failure());
  std::vector<Nanos> gaps = runner.gaps();
  gaps.erase(gaps.begin(), gaps.begin() + std::min<std::ptrdiff_t>(kWarmUp, std::ssize(gaps)));
  return gaps;
}

}  // namespace tandem
