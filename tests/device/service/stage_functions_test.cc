// Does the library run stages that only an application knows by its functions, and say what is wrong with
// them?
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>

#include "tests/support/device/pipeline_plan.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

using device::BadRequest;
using device::PlanService;
using device::RequestStatus;
using device::ServiceOptions;
using device::StageCall;

constexpr const char* kDecode =
    R"([{"name": "camera", "model": "./decode.json", "count": 4, "arrival": {"type": "offline"}}])";

class StageFunctions : public testing::Test {
 protected:
  StageFunctions() {
    options.force = true;  // the profile is made up
    options.drift = 1e9;
  }

  // What the service says of it at its start.
  std::string WhyNot(const std::string& streams) {
    const std::string file = plan.Write(streams);
    try {
      const PlanService service(file, options);
    } catch (const BadRequest& error) {
      return error.what();
    }
    return "accepted";
  }

  PipelinePlan plan;
  ServiceOptions options;
};

TEST_F(StageFunctions, AreCalledOncePerRequestWithBytesOfTheModelsSizes) {
  std::mutex mutex;
  std::set<std::uint64_t> called;
  options.functions["decode"] = [&](const StageCall& call) {
    ASSERT_EQ(call.inputs.size(), 1U);
    ASSERT_EQ(call.outputs.size(), 1U);
    EXPECT_EQ(call.inputs[0].size, 3U) << "of uint8";
    EXPECT_EQ(call.outputs[0].size, 16U) << "of no type: four numbers of four bytes";
    EXPECT_EQ(call.stream, "camera");
    DecodeBytes(call);
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(called.insert(call.number).second);
  };
  PlanService service(plan.Write(kDecode), options);
  EXPECT_TRUE(called.empty()) << "nothing is tried out on it";
  const device::StreamInfo& stream = service.streams().at(0);
  EXPECT_EQ(stream.inputs.at(0).bytes, 3U);
  EXPECT_EQ(stream.inputs.at(0).floats, 1U);
  EXPECT_EQ(stream.outputs.at(0).bytes, 16U);
  EXPECT_EQ(stream.outputs.at(0).floats, 4U);
  Answers told;
  for (unsigned char k = 0; k < 50; ++k) service.Submit("camera", FrameOf(k, 2, 255), told.Note());
  service.Drain();
  EXPECT_EQ(called.size(), 50U);
  for (std::uint64_t k = 0; k < 50; ++k) {
    ASSERT_EQ(told.Of("camera", k).status, RequestStatus::kDone);
    EXPECT_EQ(told.Of("camera", k).outputs.at(0), (std::vector<float>{static_cast<float>(k), -2, 255, 1}));
  }
}

TEST_F(StageFunctions, AreCalledByTheScenariosNameOfTheModelToo) {
  options.functions["./decode.json"] = DecodeBytes;
  EXPECT_EQ(WhyNot(kDecode), "accepted");
}

TEST_F(StageFunctions, OfRequestsThatGoTogetherAreCalledForEach) {
  std::mutex mutex;
  std::set<std::uint64_t> called;
  options.functions["decode"] = [&](const StageCall& call) {
    EXPECT_EQ(call.inputs.at(0).size, 3U);
    if (call.number == 1) throw std::runtime_error("torn");
    DecodeBytes(call);
    const std::lock_guard lock(mutex);
    called.insert(call.number);
  };
  PlanService service(plan.Write(R"([{"name": "camera", "model": "./decode.json", "count": 4,
      "batching": {"most": 2, "wait_us": 100000}, "arrival": {"type": "offline"}}])"),
                      options);
  Answers told;
  for (unsigned char k = 0; k < 4; ++k) service.Submit("camera", FrameOf(k, 1, 1), told.Note());
  service.Drain();
  EXPECT_EQ(called, (std::set<std::uint64_t>{0, 2, 3}));
  EXPECT_EQ(told.Numbers("camera", RequestStatus::kDone), called) << "the other of a batch is not touched";
  EXPECT_EQ(told.Numbers("camera", RequestStatus::kFailed), (std::set<std::uint64_t>{1}));
  for (const std::uint64_t k : called)
    EXPECT_EQ(told.Of("camera", k).outputs.at(0)[0], static_cast<float>(k));
}

TEST_F(StageFunctions, WhatTheyThrowFailsThatRequestAndNamesTheStage) {
  options.functions["decode"] = [](const StageCall& call) {
    if (call.number == 1) throw std::runtime_error("the frame is torn");
    if (call.number == 2) throw 7;
    DecodeBytes(call);
  };
  PlanService service(plan.Write(kDecode, {{"decode", {"u1"}}}), options);
  Answers told;
  for (int k = 0; k < 4; ++k) service.Submit("camera", FrameOf(1, 1, 1), told.Note());
  service.Drain();
  EXPECT_EQ(told.Numbers("camera", RequestStatus::kDone), (std::set<std::uint64_t>{0, 3})) << "it goes on";
  ASSERT_EQ(told.Of("camera", 1).status, RequestStatus::kFailed);
  EXPECT_EQ(
      told.Of("camera", 1).why,
      "unit \"u1\", stage \"camera\": the function of model \"./decode.json\" failed: the frame is torn");
  EXPECT_TRUE(told.Of("camera", 1).outputs.empty());
  EXPECT_TRUE(told.Of("camera", 2).why.ends_with("failed: it threw what is no std::exception"))
      << told.Of("camera", 2).why;
  EXPECT_EQ(service.statistics().streams.at(0).failed, 2U);
}

TEST_F(StageFunctions, OneThatIsMissingIsSaidAtTheStart) {
  EXPECT_EQ(WhyNot(kDecode),
            "stage \"camera\" (model \"./decode.json\"), unit \"u0\": only your program knows what layer "
            "\"out\" does; give it as ServiceOptions::functions[\"decode\"]");
}

TEST_F(StageFunctions, OneForWhatThereIsNotIsRefused) {
  options.functions["decode"] = DecodeBytes;
  options.functions["decoed"] = DecodeBytes;
  EXPECT_EQ(WhyNot(kDecode),
            "ServiceOptions::functions, \"decoed\": the plan has no model of that name, nor a layer, that is "
            "\"opaque\"; did you mean \"decode\"?");
  options.functions.erase("decoed");
  options.functions["net"] = DecodeBytes;
  const std::string streams = R"([
      {"name": "camera", "model": "./decode.json", "count": 4, "arrival": {"type": "offline"}},
      {"name": "look", "model": "./net.json", "count": 4, "arrival": {"type": "offline"}}])";
  EXPECT_NE(WhyNot(streams).find("\"net\": the plan has no model of that name"), std::string::npos)
      << "units have kernels for it";
  options.functions.erase("net");
  options.functions["decode"] = nullptr;
  EXPECT_EQ(WhyNot(kDecode), "ServiceOptions::functions, \"decode\": the function is empty");
}

TEST_F(StageFunctions, TypesOfEightBytesAreRefused) {
  WriteFile(plan.folder() / "decode.json", R"({"tandem": "model/1", "name": "decode", "layers": [
      {"name": "in", "op": "input", "shape": [1, 3], "type": "int64"},
      {"name": "out", "op": "opaque", "inputs": ["in"], "shape": [1, 4]}]})");
  options.functions["decode"] = DecodeBytes;
  EXPECT_NE(WhyNot(kDecode).find("layer \"in\" has a \"type\" of eight bytes"), std::string::npos)
      << WhyNot(kDecode);
}

// Nothing is computed there, and nobody is needed.
TEST_F(StageFunctions, OnEmulatedUnitsAreNotCalled) {
  plan.backend = "emulated";
  EXPECT_EQ(WhyNot(kDecode), "accepted");
  std::atomic<int> calls{0};
  options.functions["decode"] = [&](const StageCall&) { ++calls; };
  PlanService service(plan.Write(kDecode), options);
  Answers told;
  service.Submit("camera", FrameOf(1, 2, 3), told.Note());
  service.Drain();
  EXPECT_EQ(told.Of("camera", 0).status, RequestStatus::kDone);
  EXPECT_FALSE(told.Of("camera", 0).computed);
  EXPECT_EQ(calls, 0);
}

#ifdef TANDEM_FRAME_EXAMPLE
// As many objects as the scenario's seed says, from classes of which each frame's are told in order.
TEST_F(StageFunctions, TheExampleTakesFramesThroughItsStages) {
  const std::filesystem::path written = plan.folder() / "frames.plan.json";
  WritePlanOf(std::filesystem::path(TANDEM_TEST_DIR) / "../examples/frame-stages.scenario.json", written);
  const ProgramResult run = RunShell(std::string(TANDEM_FRAME_EXAMPLE) + " " + written.string() + " 30");
  ASSERT_EQ(run.status, 0) << run.errors << run.output;
  const std::map<std::string, std::set<std::uint64_t>> simulated = CompletedInSimulation(
      ReadScenarioFile(std::filesystem::path(TANDEM_TEST_DIR) / "../examples/frame-stages.scenario.json"));
  for (const auto& [stream, numbers] : simulated) {
    const std::string line = stream + ": " + std::to_string(numbers.size()) + " completed";
    EXPECT_NE(run.output.find(line), std::string::npos) << line << "\n" << run.output;
  }
  for (std::uint64_t k = 0; k < 30; ++k) {
    const bool some = simulated.at("object_1").contains(k);
    const std::string line = "frame " + std::to_string(k) + (some ? ": classes " : ": nothing\n");
    EXPECT_NE(run.output.find(line), std::string::npos) << line << "\n" << run.output;
  }
}
#endif

}  // namespace
}  // namespace tandem
