// Is a backend one folder and nothing else? What such a folder holds stands here: a declaration, as about.cc
// has it, and a factory. Platforms, profiler, harness and, on their own, the contract tests take it up.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "device/machine/device_info.h"
#include "device/profiler/profiler.h"
#include "profiles/costs/platform.h"
#include "scenarios/exchange/profile_order.h"
#include "tests/support/device/harness_files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

const BackendDeclared kDeclared{{.name = "abacus",
                                 .summary = "beads on wires",
                                 .cores = KeyUse::kRefused,
                                 .device = KeyUse::kNeeded,
                                 .lacks = {"lrn"}}};

// Reckons as the reference does.
class AbacusProcessor final : public Processor {
 public:
  AbacusProcessor(const BackendDeclaration& about, std::unique_ptr<Processor> reckons)
      : about_(&about), reckons_(std::move(reckons)) {}
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return reckons_->Groups(model);
  }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    RefuseLacking(*about_, spec);
    return reckons_->Compile(spec);
  }

 private:
  const BackendDeclaration* about_;
  std::unique_ptr<Processor> reckons_;
};

class AbacusBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("abacus"); }
  BackendState Look(const HostInfo&, Platform& platform) const override {
    Unit unit;
    unit.name = "abacus0";
    unit.kind = UnitKind::kNpu;
    unit.memory = MemoryId(0);
    unit.backend = &about();
    unit.device = 0;
    platform.units.push_back(unit);
    return {{{"wires", "1.2"}}, {"abacus0: 10 beads"}, ""};
  }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    Unit plain;
    plain.backend = &DeclaredBackend("reference");
    return std::make_unique<AbacusProcessor>(about(), BackendOf(plain, "").Open(request));
  }
};

const BackendRegistration kAbacus{std::make_unique<AbacusBackend>()};

constexpr const char* kUnits = R"([
    {"name": "beads", "kind": "npu", "memory": "dram", "backend": "abacus", "device": 0},
    {"name": "cores", "kind": "cpu", "memory": "dram", "backend": "reference"}])";

std::string PlatformWith(const std::string& units) {
  return R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}], "units": )" + units +
         "}";
}

// What the reader says of a platform whose unit has these members.
std::string ComplaintOf(const std::string& members) {
  const std::string text =
      PlatformWith(R"([{"name": "u", "kind": "npu", "memory": "dram", )" + members + "}]");
  return ErrorOf([&] { (void)ReadPlatform(JsonDocument::Parse(text, "p").root()); });
}

TEST(AnAddedBackend, IsAWordOfPlatforms) {
  const Platform platform = ReadPlatform(JsonDocument::Parse(PlatformWith(kUnits), "p").root());
  EXPECT_EQ(platform.units[0].backend, &DeclaredBackend("abacus"));
  EXPECT_NE(PlatformJson(platform).find(R"("backend": "abacus", "device": 0)"), std::string::npos);
  EXPECT_EQ(ComplaintOf(R"("backend": "abakus", "device": 0)"),
            "p:/units/0/backend: unknown backend \"abakus\"; did you mean \"abacus\"?");
  EXPECT_NE(BackendKeysSchema().find(R"({"if": {"properties": {"backend": {"const": "abacus"}}, )"
                                     R"("required": ["backend"]}, "then": {"required": ["device"], )"
                                     R"("properties": {"cores": false, "command": false}}})"),
            std::string::npos)
      << BackendKeysSchema();
}

TEST(AnAddedBackend, HasTheKeysThatItDeclares) {
  EXPECT_EQ(ComplaintOf(R"("backend": "abacus")"),
            "p:/units/0: the key \"device\" is missing, which the backend abacus needs");
  EXPECT_EQ(ComplaintOf(R"("backend": "abacus", "device": 0, "cores": [1])"),
            "p:/units/0/cores: a unit with \"backend\": \"abacus\" has no cores");
  EXPECT_EQ(ComplaintOf(R"("backend": "abacus", "device": 0, "command": ["count"])"),
            "p:/units/0/command: only a unit with \"backend\": \"command\" has this key");
  EXPECT_EQ(
      ComplaintOf(R"("backend": "reference", "device": 0)"),
      "p:/units/0/device: only a unit with \"backend\": \"abacus\" or \"backend\": \"cuda\", or without any, "
      "has a device");
}

TEST(AnAddedBackend, IsLookedFor) {
  const DeviceInfo info = LookAtDevice();
  const auto found = std::find_if(info.backends.begin(), info.backends.end(),
                                  [](const BackendInfo& backend) { return backend.name == "abacus"; });
  ASSERT_NE(found, info.backends.end());
  EXPECT_EQ(found->state.found, std::vector<std::string>{"abacus0: 10 beads"});
  EXPECT_TRUE(info.platform.FindUnit("abacus0").valid());
}

using AnAddedBackendOnABoard = HarnessFiles;

TEST_F(AnAddedBackendOnABoard, IsProfiled) {
  Write("lrn.json", "model/1", R"("name": "lrn", "layers": [
      {"name": "in", "op": "input", "shape": [1, 4, 6, 6]},
      {"name": "act", "op": "relu", "inputs": ["in"]},
      {"name": "norm", "op": "lrn", "inputs": ["act"], "size": 3}])");
  Write("relu.json", "model/1", R"("name": "relu", "layers": [
      {"name": "in", "op": "input", "shape": [1, 4, 6, 6]},
      {"name": "act", "op": "relu", "inputs": ["in"]}])");
  const std::string text =
      R"({"tandem": "profile-request/1", "platform": )" + PlatformWith(kUnits) +
      R"(, "models": ["./relu.json", "./lrn.json"], "co_running": "none", "groups": false,
         "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.2})";
  const JsonDocument document = JsonDocument::Parse(text, (folder / "request.json").string());
  const ProfilerOutcome outcome = MeasureProfile(ReadProfileOrder(document.root()), {});
  std::set<std::string> measured;
  for (const CostEntry& entry : outcome.profile.entries) {
    measured.insert(entry.unit + " " + std::filesystem::path(entry.model).filename().string());
  }
  EXPECT_EQ(measured, (std::set<std::string>{"beads relu.json", "cores relu.json", "cores lrn.json"}));
  EXPECT_EQ(outcome.profile.origin.libraries.at("wires"), "1.2");
  // What it has no kernel for is refused by name.
  const auto& notes = outcome.samples.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("lrn: norm: the backend \"abacus\" has no kernel for lrn") != std::string::npos;
  }));
}

TEST_F(AnAddedBackendOnABoard, RunsAPlan) {
  units = kUnits;
  const RunAnswer result = RunPlans(Request({R"("single:beads")", R"("heft")"}), Place());
  ASSERT_EQ(result.runs.size(), 2u);
  for (const DeviceRun& run : result.runs) {
    EXPECT_TRUE(run.complete) << run.label << ": " << run.failure;
    EXPECT_EQ(run.outputs.checked, 10) << run.label;
    EXPECT_EQ(run.outputs.wrong, 0) << run.label << ", worst " << run.outputs.worst;
  }
}

}  // namespace
}  // namespace tandem
