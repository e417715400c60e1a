#include "tests/support/device/harness_files.h"

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "scenarios/check/trace_check.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHost = "a test's host";

// Two branches that are added, so that outputs go wrong where a tensor does.
constexpr const char* kModel = R"("name": "NAME", "layers": [
  {"name": "in", "op": "input", "shape": [1, 2, 6, 6]},
  {"name": "a", "op": "conv", "inputs": ["in"], "out_channels": 4, "kernel": [3, 3], "pad": [1, 1, 1, 1]},
  {"name": "b", "op": "conv", "inputs": ["a"], "out_channels": 4, "kernel": [3, 3], "pad": [1, 1, 1, 1]},
  {"name": "c", "op": "conv", "inputs": ["a"], "out_channels": 4, "kernel": [1, 1]},
  {"name": "d", "op": "add", "inputs": ["b", "c"]},
  {"name": "e", "op": "fc", "inputs": ["d"], "out_features": 5}])";

std::string Replaced(std::string text, const std::string& word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}

class FakeExecutable final : public Executable {
 public:
  // `urgency`: its processor's, whatever that is by then.
  FakeExecutable(std::unique_ptr<Executable> kernels, ChosenKernels chosen, FakeKernels& fake,
                 std::string model, const int& urgency)
      : kernels_(std::move(kernels)),
        chosen_(std::move(chosen)),
        fake_(&fake),
        model_(std::move(model)),
        urgency_(&urgency) {}

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    const int run = ++fake_->runs;
    {
      const std::lock_guard lock(fake_->mutex);
      fake_->urgency[model_] = *urgency_;
    }
    if (!fake_->hash) kernels_->Run(inputs, outputs);
    if (fake_->hash) hash_ = fake_->hash(run);
    if (fake_->after) fake_->after(run, outputs);
  }
  std::vector<ExecutionStep> Steps() const override { return kernels_->Steps(); }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    kernels_->RunTimed(inputs, outputs, ends);
  }
  std::string OutputHash() const override { return hash_; }
  bool Computes() const override { return fake_->computes; }
  ChosenKernels Kernels() const override { return chosen_; }

 private:
  std::unique_ptr<Executable> kernels_;
  ChosenKernels chosen_;
  FakeKernels* fake_;
  std::string model_, hash_;
  const int* urgency_;
};

class FakeProcessor final : public Processor {
 public:
  FakeProcessor(std::unique_ptr<Processor> kernels, FakeKernels& fake)
      : kernels_(std::move(kernels)), fake_(&fake) {}
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return kernels_->Groups(model);
  }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    ++fake_->compiles;
    return std::make_unique<FakeExecutable>(kernels_->Compile(spec), Choose(spec), *fake_, spec.model->name(),
                                            urgency_);
  }
  void SetUrgency(int urgency) override { urgency_ = urgency; }
  std::string KernelLibrary() const override { return fake_->library; }

 private:
  ChosenKernels Choose(const SegmentSpec& spec) const {
    ChosenKernels chosen;
    for (const LayerId id : spec.layers) {
      const Layer& layer = spec.model->layer(id);
      if (fake_->library.empty() || layer.op != Op::kConv) continue;
      const auto said = spec.kernels.find(layer.name);
      const bool taken = said != spec.kernels.end() && (said->second == "fast" || said->second == "slow");
      const std::string choice = taken ? said->second : "fast";
      if (!taken) ++fake_->chosen_anew;
      if (choice == "slow") ++fake_->slow;
      chosen.anew = chosen.anew || !taken;
      chosen.choices[layer.name] = choice;
    }
    return chosen;
  }

  std::unique_ptr<Processor> kernels_;
  FakeKernels* fake_;
  int urgency_ = -1;
};

}  // namespace

void ExpectLawful(const RunOrder& request, const RunAnswer& result, const std::string& what) {
  const JsonDocument document = JsonDocument::Parse(result.trace, "trace");
  const Trace trace = ReadTrace(document.root());
  EXPECT_EQ(trace.runs.size(), result.runs.size());
  const TraceJudgement judgement = CheckTrace(request.plans[0].scenario, trace);
  for (const TraceFinding& finding : judgement.violations) {
    ADD_FAILURE() << what << finding.run << ": " << finding.rule << ", " << finding.request << ": "
                  << finding.what;
  }
}

std::unique_ptr<Processor> FakeBackend::Open(const OpenRequest& request) const {
  {
    const std::lock_guard lock(fake_->mutex);
    fake_->slots.insert(request.slot);
  }
  return std::make_unique<FakeProcessor>(kernels_->Open(request), *fake_);
}

HarnessFiles::HarnessFiles()
    : memories(R"([{"name": "dram"}, {"name": "far"}])"),
      links(R"([{"from": "dram", "to": "far", "bandwidth_bytes_per_s": 1000000000}])"),
      units(R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
                {"name": "two", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 2}])"),
      streams(R"([{"name": "x", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}},
                  {"name": "y", "model": "./m1.json", "count": 4, "batch": 2, "arrival": {"type": "closed"}}])"),
      origin(std::string(R"({"kind": "measured", "host": ")") + kHost +
             R"(", "date": "2026-11-20", "libraries": {"numbers": "1.0"}, "clocks": {}, "threads": {},
                "cache_mode": "warm"})") {}

void HarnessFiles::Write(const std::string& name, const std::string& kind, const std::string& members) const {
  WriteFile(folder / name, R"({"tandem": ")" + kind + R"(", )" + members + "}");
}

fs::path HarnessFiles::WriteScenario() const {
  Write("board.platform.json", "platform/1",
        R"("name": "board", "memories": )" + memories + R"(, "links": )" + links + R"(, "units": )" + units);
  const JsonDocument platform = JsonDocument::ReadFile(folder / "board.platform.json");
  std::string entries;
  for (const std::string model : {"m0", "m1"}) {
    Write(model + ".json", "model/1", Replaced(kModel, "NAME", model));
    for (const std::string& unit : ReadPlatform(platform.root()).UnitNames()) {
      if (stages.contains(unit)) continue;
      const auto other = precisions.find(unit);
      for (const char* layers :
           {R"("*")", R"(["a"])", R"(["b"])", R"(["c"])", R"(["d"])", R"(["e"])", R"(["b", "c", "d"])"}) {
        for (const std::string& batch : batches) {
          entries += (entries.empty() ? "" : ",\n") + (R"({"model": "./)" + model) + R"(.json", "unit": ")" +
                     unit + R"(", "precision": ")" + (other == precisions.end() ? "fp32" : other->second) +
                     R"(", "layers": )" + layers + R"(, "batch": )" + batch + R"(, "median_us": )" +
                     (layers[1] == '*' ? "100" : "30") + "}";
        }
      }
    }
  }
  Write("times.profile.json", "profile/1",
        R"("platform": "board.platform.json", "origin": )" + origin + R"(, "entries": [)" + entries + times +
            "]" + loads);
  Write("run.scenario.json", "scenario/1",
        R"("name": "run", "platform": "board.platform.json", "profiles": ["times.profile.json"],
           "policies": [], "streams": )" +
            streams + more);
  return folder / "run.scenario.json";
}

std::string HarnessFiles::WritePlan(const std::string& policy) const {
  const fs::path file = WriteScenario();
  const Scenario scenario = ReadScenarioFile(file);
  const JsonDocument document = JsonDocument::Parse(policy, "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Outcome outcome = RunVirtual(*made.problem, *made.policy);
  const PlanPrediction predicted{"virtual", std::nullopt, outcome.makespan(), std::nullopt};
  static int plans = 0;
  const fs::path path = folder / ("plan" + std::to_string(++plans) + ".json");
  WriteFile(path, PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, file, path));
  return path.string();
}

PlanFile HarnessFiles::Plan(const std::string& policy) const {
  const JsonDocument document = JsonDocument::ReadFile(WritePlan(policy));
  return ReadPlan(document.root());
}

RunOrder HarnessFiles::Request(const std::vector<std::string>& policies) const {
  RunOrder request;
  for (const std::string& policy : policies) request.plans.push_back(Plan(policy));
  return request;
}

HarnessHost HarnessFiles::Place(FakeKernels* fake) {
  HarnessHost place;
  place.host = kHost;
  place.libraries = {{"numbers", "1.0"}};
  place.pause = Nanos{0};
  if (!fake) return place;
  Unit unit;
  unit.backend = &DeclaredBackend("reference");
  backend_ = std::make_unique<FakeBackend>(BackendOf(unit, ""), *fake);
  place.backend_of = [this](const Unit& of, const std::string& where) -> const DeviceBackend& {
    return of.name == "fake" ? *backend_ : BackendOf(of, where);
  };
  return place;
}

}  // namespace tandem
