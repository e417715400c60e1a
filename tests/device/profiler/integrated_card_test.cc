// Is a card that works from the board's memory measured where plans have its tensors, and started as in
// plans?
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "device/backends/cuda/gpu/processor.h"
#include "device/harness/harness.h"
#include "device/profiler/profiler.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "tests/support/device/gpu_fixture.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using gpu::CardCall;
using gpu::HostCard;
using gpu::Space;

// Where the tensors lay that executables were called with.
struct SeenSpaces {
  std::mutex mutex;
  std::set<std::optional<Space>> spaces;
};

class SeeingExecutable final : public Executable {
 public:
  // A part may write to scratch of its own first.
  SeeingExecutable(std::unique_ptr<Executable> inner, bool part, const HostCard& card, SeenSpaces& seen)
      : inner_(std::move(inner)), part_(part), card_(card), seen_(seen) {}
  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    {
      const std::lock_guard lock(seen_.mutex);
      for (const float* input : inputs) seen_.spaces.insert(card_.SpaceOf(input));
      for (const float* output : part_ ? std::span<float* const>() : outputs)
        seen_.spaces.insert(card_.SpaceOf(output));
    }
    inner_->Run(inputs, outputs);
  }
  std::vector<ExecutionStep> Steps() const override { return inner_->Steps(); }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    inner_->RunTimed(inputs, outputs, ends);
  }
  ChosenKernels Kernels() const override { return inner_->Kernels(); }

 private:
  std::unique_ptr<Executable> inner_;
  bool part_;
  const HostCard& card_;
  SeenSpaces& seen_;
};

class SeeingProcessor final : public Processor {
 public:
  SeeingProcessor(std::unique_ptr<Processor> inner, const HostCard& card, SeenSpaces& seen)
      : inner_(std::move(inner)), card_(card), seen_(seen) {}
  TensorMemory& memory() override { return inner_->memory(); }
  TensorMemory& host_memory() override { return inner_->host_memory(); }
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    inner_->Copy(to, from, block);
  }
  void Spread(float* to, const float* dense, const TensorBlock& block) override {
    inner_->Spread(to, dense, block);
  }
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return inner_->Groups(model);
  }
  std::string KernelLibrary() const override { return inner_->KernelLibrary(); }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    return std::make_unique<SeeingExecutable>(inner_->Compile(spec), spec.part, card_, seen_);
  }

 private:
  std::unique_ptr<Processor> inner_;
  const HostCard& card_;
  SeenSpaces& seen_;
};

// Its unit lies where the card says: in the board's memory, or in one of its own.
class SeenCard final : public DeviceBackend {
 public:
  SeenCard(const std::string& name, bool integrated) : card(name, {.integrated = integrated}) {}
  const BackendDeclaration& about() const override { return DeclaredBackend("reference"); }
  BackendState Look(const HostInfo&, Platform&) const override { return {}; }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    return std::make_unique<SeeingProcessor>(gpu::OpenGpuUnit(card, request, {{}, {}, 1, 1}), card, seen);
  }
  std::unique_ptr<Copier> OpenCopier(const OpenRequest&) const override { return gpu::OpenGpuCopier(card); }
  std::string PlatformText() const {
    const bool own = !card.info().integrated;
    return std::string(R"({"name": "board", "memories": [{"name": "dram"})") +
           (own ? R"(, {"name": "vram"}], "links": [{"from": "dram", "to": "vram", "latency_us": 10,
                     "bandwidth_bytes_per_s": 1000000000, "engine": true}])"
                : "]") +
           R"(, "units": [{"name": "gpu", "kind": "gpu", "backend": "reference", "memory": ")" +
           (own ? "vram" : "dram") + "\"}]}";
  }
  FindBackend Found() const {
    return [this](const Unit&, const std::string&) -> const DeviceBackend& { return *this; };
  }

  mutable HostCard card;
  mutable SeenSpaces seen;
};

constexpr const char* kIntegratedModel = R"({"tandem": "model/1", "name": "tiny", "layers": [
  {"name": "data", "op": "input", "shape": [1, 4, 8, 8]},
  {"name": "conv", "op": "conv", "inputs": ["data"], "out_channels": 8, "kernel": [3, 3]},
  {"name": "relu", "op": "relu", "inputs": ["conv"]},
  {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 5}]})";

class IntegratedCard : public ::testing::Test {
 protected:
  IntegratedCard() { WriteFile(folder_ / "tiny.json", kIntegratedModel); }

  Profile Measure(const SeenCard& card) const {
    const std::string text = R"({"tandem": "profile-request/1", "platform": )" + card.PlatformText() +
                             R"(, "models": ["./tiny.json"], "min_samples": 3, "noise": 0.5, "warm_up_ms": 0,
                             "parts": {"shares": [0.5], "least_us": 0}, "budget_s": 0.05, "mapped": true})";
    ProfilerOptions options;
    options.backend_of = card.Found();
    return MeasureProfile(
               ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root()),
               options)
        .profile;
  }

  // A run of groups, with the profile's kernels; its warnings.
  std::vector<std::string> RunGroups(const SeenCard& card, const Profile& profile) const {
    WriteFile(folder_ / "times.profile.json", ProfileJson(profile));
    const std::string text = R"({"tandem": "scenario/1", "name": "run", "platform": )" + card.PlatformText() +
                             R"(, "profiles": ["times.profile.json"], "policies": [], "streams": [
                             {"name": "x", "model": "./tiny.json", "count": 4, "arrival": {"type": "offline"}}]})";
    WriteFile(folder_ / "run.scenario.json", text);
    const Scenario scenario = ReadScenarioFile(folder_ / "run.scenario.json");
    const JsonDocument policy = JsonDocument::Parse(R"({"name": "fcfs", "granularity": "group"})", "policy");
    const PolicySpec spec = ReadPolicy(policy.root(), scenario);
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    WriteFile(folder_ / "plan.json",
              PlanJson(MakePlan(*made.problem, spec, *made.policy, {"virtual", {}, Nanos{1}, {}}), scenario,
                       folder_ / "run.scenario.json", folder_ / "plan.json"));
    RunOrder request;
    request.plans.push_back(ReadPlan(JsonDocument::ReadFile(folder_ / "plan.json").root()));
    HarnessHost host;
    host.host = profile.origin.host;
    host.libraries = profile.origin.libraries;
    host.backend_of = card.Found();
    host.pause = Nanos{0};
    const RunAnswer answer = RunPlans(request, host);
    EXPECT_EQ(answer.runs.at(0).outputs.wrong, 0);
    EXPECT_EQ(answer.runs.at(0).outputs.checked, 4);
    return answer.warnings;
  }

  TempFolder folder_;
};

using Spaces = std::set<std::optional<Space>>;

TEST_F(IntegratedCard, IsMeasuredWherePlansHaveItsTensorsAndWithoutGraphs) {
  const SeenCard card("integrated", true);
  const Profile profile = Measure(card);
  EXPECT_FALSE(profile.entries.empty());
  EXPECT_FALSE(profile.parts.empty());
  EXPECT_TRUE(profile.transfers.empty());
  EXPECT_EQ(card.seen.spaces, Spaces{Space::kPinned});
  EXPECT_EQ(card.card.Count(CardCall::kGraph), 0);
  for (const CostEntry& entry : profile.entries) EXPECT_FALSE(entry.mapped) << "it is no other place";
  for (const KernelEntry& entry : profile.kernels) {
    const auto whole = entry.choices.find(kWholeSegment);
    if (whole == entry.choices.end()) continue;
    EXPECT_TRUE(whole->second.ends_with("one by one")) << whole->second;
  }
  card.seen.spaces.clear();
  EXPECT_EQ(RunGroups(card, profile), std::vector<std::string>{});
  EXPECT_EQ(card.seen.spaces, Spaces{Space::kPinned});
  EXPECT_EQ(card.card.Count(CardCall::kGraph), 0);
}

TEST_F(IntegratedCard, WithAMemoryOfItsOwnIsMeasuredThere) {
  const SeenCard card("with memory", false);
  const Profile profile = Measure(card);
  EXPECT_EQ(card.seen.spaces, (Spaces{Space::kCard, Space::kPinned})) << "pinned: mapped";
  EXPECT_FALSE(profile.transfers.empty());
  EXPECT_GT(card.card.Count(CardCall::kGraph), 0);
  card.seen.spaces.clear();
  EXPECT_EQ(RunGroups(card, profile), std::vector<std::string>{});
  EXPECT_EQ(card.seen.spaces, Spaces{Space::kCard});
}

}  // namespace
}  // namespace tandem
