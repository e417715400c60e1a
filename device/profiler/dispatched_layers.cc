#include "device/profiler/dispatched_layers.h"

#include <algorithm>
#include <array>

#include "device/harness/device_runner.h"
#include "device/harness/serving_threads.h"
#include "device/host/clock.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/model/model_builder.h"
#include "scenarios/trace/span_log.h"

namespace tandem {
namespace {

constexpr std::int64_t kWarmUp = 4;
constexpr Nanos kWork{30'000};  // of a layer beside what it copies

// So long that nobody leaves it out, so plain that it takes as long everywhere.
void GoRound(std::int64_t turns) {
  volatile std::uint64_t state = 1;
  for (std::int64_t i = 0; i < turns; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
}

std::int64_t TurnsOf(Nanos time) {
  constexpr std::int64_t kTrial = 100'000;
  const Nanos begin = SteadyNow();
  GoRound(kTrial);
  const Nanos took = std::max(SteadyNow() - begin, Nanos{1});
  return std::max<std::int64_t>(kTrial * time.count() / took.count(), 1);
}

Model ModelOf(const std::vector<DispatchedLayer>& layers) {
  ModelBuilder builder("layers");
  builder.Input("in", {1, 1});
  for (const DispatchedLayer& layer : layers) {
    if (layer.reads.size() == 2) {
      builder.Sum(layer.name, layer.reads[0], layer.reads[1]);
    } else {
      builder.Relu(layer.name, layer.reads.empty() ? "in" : layer.reads[0]);
    }
  }
  return builder.Build();
}

}  // namespace

Scenario ScenarioOfLayers(const Platform& platform, const std::vector<DispatchedLayer>& layers,
                          const Arrival& arrival, std::int64_t requests) {
  Scenario scenario;
  scenario.file = scenario.name = "layers";
  scenario.transfer = TransferMode::kNone;
  scenario.platform = platform;
  scenario.units.resize(platform.units.size());
  scenario.models.push_back({"layers", "layers", std::make_shared<const Model>(ModelOf(layers))});
  Stream stream;
  stream.name = "requests";
  stream.model = ModelId(0);
  stream.arrival = arrival;
  stream.until.count = requests;
  scenario.streams.push_back(stream);
  Profile profile;
  profile.file = "layers";
  profile.platform = platform.name;
  for (const DispatchedLayer& layer : layers) {
    CostEntry entry;
    entry.model = "layers";
    entry.unit = platform.units[layer.unit].name;
    entry.layers = {layer.name};
    entry.time.median = kWork;
    profile.entries.push_back(std::move(entry));
  }
  scenario.profiles.push_back(std::move(profile));
  scenario.costs.emplace(*scenario.platform, std::vector<const Profile*>{&scenario.profiles[0]},
                         std::vector<CostTable::ModelRef>{{"layers", scenario.models[0].model.get()}});
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    const std::vector<Variant> variants = scenario.costs->Variants(UnitId(u));
    if (!variants.empty()) scenario.units[u].variant = variants.front();
  }
  return scenario;
}

class DispatchedLayers::Work final : public SlotWork {
 public:
  Work(const std::vector<DispatchedLayer>& layers, const Problem& problem, DispatchedLayers& of,
       std::int64_t bytes)
      : of_(of), block_(WholeBlock(static_cast<std::size_t>(bytes) / sizeof(float))) {
    for (std::size_t s = 0; s < problem.segments().size(); ++s) {
      const Model& model = *problem.scenario().models[0].model;
      const std::string& name = model.layer(problem.segment(SegmentId(s)).layers.back()).name;
      const auto at = [&](const std::string& wanted) {
        return static_cast<std::size_t>(
            std::find_if(layers.begin(), layers.end(),
                         [&](const DispatchedLayer& layer) { return layer.name == wanted; }) -
            layers.begin());
      };
      Task task{at(name), {}};
      for (const std::string& read : layers[task.makes].reads) task.reads.push_back(at(read));
      tasks_.push_back(std::move(task));
    }
  }

  void Enter(std::size_t place, Processor& processor) { processors_[place] = &processor; }
  void Begin(std::size_t place, const Occupation& slot, Nanos) override {
    now_[place] = slot.task.segment.index();
  }
  void Do(std::size_t place) override {
    const Task& task = tasks_[now_[place]];
    for (const std::size_t read : task.reads) Copy(place, of_.own_[place], of_.tensors_[read]);
    GoRound(of_.turns_);
    Copy(place, of_.tensors_[task.makes], of_.own_[place]);
  }
  void Ended(std::size_t) override {}

 private:
  struct Task {
    std::size_t makes = 0;
    std::vector<std::size_t> reads;
  };
  void Copy(std::size_t place, Buffer& to, const Buffer& from) const {
    if (block_.length > 0) processors_[place]->Copy(to.data(), from.data(), block_);
  }

  DispatchedLayers& of_;
  TensorBlock block_;
  std::vector<Task> tasks_;  // per segment
  std::array<Processor*, 2> processors_{};
  std::array<std::size_t, 2> now_{};
};

DispatchedLayers::DispatchedLayers(const Platform& platform, UnitId first, UnitId second,
                                   std::int64_t most_bytes, const FindBackend& backend_of)
    : platform_(platform), most_bytes_(most_bytes), turns_(TurnsOf(kWork)) {
  platform_.units.clear();
  for (const UnitId id : {first, second}) {
    Unit unit = platform.unit(id);
    unit.slots = 1;
    unit.resident_models.reset();
    platform_.units.push_back(std::move(unit));
    OpenRequest request;
    request.platform = &platform;
    request.unit = id;
    threads_.push_back(std::make_unique<UnitThread>(backend_of(platform.unit(id), platform.name), request));
    threads_.back()->Do([&](Processor& processor) {
      own_.emplace_back(static_cast<std::size_t>(most_bytes) / sizeof(float), processor.memory());
    });
  }
}

DispatchedLayers::~DispatchedLayers() {
  threads_[0]->Do([&](Processor&) { tensors_.clear(); });
  for (std::size_t u = 0; u < threads_.size(); ++u) {
    threads_[u]->Do([&](Processor&) { own_[u] = Buffer(); });
  }
}

std::map<std::string, std::vector<Span>> DispatchedLayers::Run(const std::vector<DispatchedLayer>& layers,
                                                               std::int64_t requests, std::int64_t bytes) {
  while (tensors_.size() < layers.size()) {
    threads_[0]->Do([&](Processor& processor) {
      tensors_.emplace_back(static_cast<std::size_t>(most_bytes_) / sizeof(float), processor.memory());
    });
  }
  const Scenario scenario = ScenarioOfLayers(platform_, layers, ClosedArrival{}, kWarmUp + requests);
  PolicySpec spec = PolicyByName(BaselinePolicy().name, scenario, scenario.file);
  spec.granularity = Granularity::kLayer;
  const PreparedRun prepared = Prepare(scenario, spec);
  SpanLog spans;
  RunOptions run_options;
  run_options.spans = &spans;
  Dispatcher dispatcher(*prepared.problem, *prepared.policy, run_options);
  Work work(layers, *prepared.problem, *this, bytes);
  DeviceRunnerOptions options;
  options.spin = [&](UnitId unit) { return SpinOf(*prepared.problem, unit); };
  DeviceRunner runner(dispatcher, work, options);
  for (std::size_t place = 0; place < threads_.size(); ++place) {
    threads_[place]->Begin([&, place](Processor& processor) {
      work.Enter(place, processor);
      runner.Serve(place);
    });
  }
  try {
    runner.Run(dispatcher);
  } catch (...) {
    runner.Dismiss();  // the threads are not to wait for ever
    throw;
  }
  for (const auto& thread : threads_) thread->Wait();
  if (runner.failure()) std::rethrow_exception(runner.failure());
  std::map<std::string, std::vector<Span>> of_layer;
  for (const Span& span : spans.spans()) {
    if (span.index < kWarmUp) continue;
    const SegmentId segment(static_cast<std::size_t>(span.segment));
    const LayerId layer = prepared.problem->segment(segment).layers.back();
    of_layer[scenario.models[0].model->layer(layer).name].push_back(span);
  }
  return of_layer;
}

}  // namespace tandem
