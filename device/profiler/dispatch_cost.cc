#include "device/profiler/dispatch_cost.h"

#include <algorithm>
#include <array>

#include "device/harness/device_runner.h"
#include "device/profiler/dispatched_layers.h"
#include "device/threads/unit_thread.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/base/statistics.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

// The unit alone, one slot, and a model of one layer with many requests at once.
Scenario ScenarioFor(const Platform& platform, UnitId id, std::int64_t tasks) {
  Platform alone = platform;
  Unit unit = platform.unit(id);
  unit.slots = 1;
  unit.resident_models.reset();
  alone.units = {unit};
  return ScenarioOfLayers(alone, {{"layer", {}, 0}}, OfflineArrival{}, tasks);
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

constexpr std::size_t kLayers = 8;

std::vector<DispatchedLayer> OnOne(std::size_t unit) {
  std::vector<DispatchedLayer> layers;
  for (std::size_t l = 0; l < kLayers; ++l) {
    layers.push_back({"a" + std::to_string(l), {}, unit});
    if (l > 0) layers.back().reads = {"a" + std::to_string(l - 1)};
  }
  return layers;
}

// Each part reads both parts of the layer before.
std::vector<DispatchedLayer> InTwoParts() {
  std::vector<DispatchedLayer> layers;
  for (std::size_t l = 0; l < kLayers; ++l) {
    std::vector<std::string> reads;
    if (l > 0) reads = {"a" + std::to_string(l - 1), "b" + std::to_string(l - 1)};
    layers.push_back({"a" + std::to_string(l), reads, 0});
    layers.push_back({"b" + std::to_string(l), reads, 1});
  }
  return layers;
}

// From the start of a layer to the start of the next, the median.
Nanos PeriodOf(DispatchedLayers& layers, const std::vector<DispatchedLayer>& model, std::int64_t requests) {
  const auto spans = layers.Run(model, requests, 0);
  std::vector<Nanos> periods;
  for (std::size_t l = 1; l < kLayers; ++l) {
    const auto &before = spans.at("a" + std::to_string(l - 1)), &here = spans.at("a" + std::to_string(l));
    for (std::size_t r = 0; r < here.size(); ++r) periods.push_back(here[r].start - before[r].start);
  }
  return LowerMedian(periods);
}

}  // namespace

std::vector<Nanos> MeasureDispatch(const Platform& platform, UnitId unit, const DispatchMeasurement& how,
                                   const FindBackend& backend_of) {
  constexpr std::int64_t kNotCounted = 64;  // tasks whose gaps do not count
  const Scenario scenario = ScenarioFor(platform, unit, how.tasks + kNotCounted + 1);
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
  gaps.erase(gaps.begin(), gaps.begin() + std::min<std::ptrdiff_t>(kNotCounted, std::ssize(gaps)));
  return gaps;
}

std::vector<Nanos> MeasureSplitDispatch(const Platform& platform, UnitId first, UnitId second,
                                        const SplitDispatchMeasurement& how, std::uint64_t seed,
                                        const FindBackend& backend_of) {
  DispatchedLayers layers(platform, first, second, 0, backend_of);
  StreamRandom random("parts of layers", seed);
  std::vector<Nanos> samples;
  for (std::size_t round = 0; round < how.rounds; ++round) {
    std::array<Nanos, 3> period{};  // on the first alone, on the second alone, in two parts
    for (const std::size_t kind : ShuffledOrder(period.size(), random)) {
      period[kind] = PeriodOf(layers, kind == 2 ? InTwoParts() : OnOne(kind), how.requests);
    }
    samples.push_back(std::max(period[2] - std::max(period[0], period[1]), Nanos{0}));
  }
  return samples;
}

}  // namespace tandem
