// Are requests of an application answered where units have memories of their own? What it gives lies anywhere
// in the host's memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "device/harness/output_check.h"
#include "device/harness/serving_threads.h"
#include "device/harness/work.h"
#include "device/service/requests.h"
#include "policies/kinds/prepared_run.h"
#include "tests/support/device/distant_files.h"

namespace tandem {
namespace {

// Submits as the library does.
class Application final : public SpanSink {
 public:
  Application(const Problem& problem, HarnessUnits& units)
      : problem_(&problem), units_(&units), requests_(problem, OutputsOf(problem)) {}

  void Submit(StreamId stream, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k, ++left_) {
      auto request = std::make_unique<ServiceRequest>();
      request->stream = stream;
      for (const Buffer& input : units_->Inputs(problem_->cut_of(stream), k)) {
        request->inputs.emplace_back(input.values());
      }
      const Model& model = *units_->spec(problem_->cut(stream).first).model;
      request->outputs = std::make_shared<std::vector<Buffer>>();
      for (const LayerId output : model.Outputs()) request->outputs->push_back(BufferFor(model, output));
      requests_.Add(std::move(request));
    }
  }

  void Run(Policy& policy) {
    LiveTensors tensors(*problem_, *units_, {});
    RunOptions options;
    options.spans = this;
    options.from_outside = true;
    Dispatcher dispatcher(*problem_, policy, options);
    HarnessWork work(*problem_, dispatcher, *units_, tensors, requests_);
    DeviceRunnerOptions runner_options;
    runner_options.arrivals = [&](Nanos now) { requests_.HandOver(dispatcher, now); };
    runner_options.open = [&] { return left_ > 0; };
    DeviceRunner runner(dispatcher, work, runner_options);
    {
      const ServingThreads threads(runner, work, *units_);
      runner.Run(dispatcher);
    }
    EXPECT_FALSE(runner.failure()) << WhatOf(runner.failure());
  }

  // Per stream what came out, in order of submission.
  std::map<StreamId, std::map<std::int32_t, std::vector<Buffer>>> answers;

 private:
  static std::vector<std::vector<std::int32_t>> OutputsOf(const Problem& problem) {
    std::vector<std::vector<std::int32_t>> output_of;
    for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
      output_of.emplace_back();
      for (const CutTensor& tensor : problem.cut(StreamId(s)).tensors) {
        output_of.back().push_back(tensor.leaves ? 0 : -1);
      }
    }
    return output_of;
  }
  void Add(const Span&) override {}
  void Ended(const RequestEnd& end) override {
    if (end.dropped) return;
    answers[end.stream][end.index] = std::move(*requests_.Take(end.stream, end.index)->outputs);
    --left_;
  }

  const Problem* problem_;
  HarnessUnits* units_;
  ServiceRequests requests_;
  std::atomic<std::int64_t> left_{0};
};

TEST_F(Distant, RequestsOfAnApplicationAreAnswered) {
  links = LinksOf(Wiring::kMixed);
  for (const char* policy :
       {R"("round_robin")", R"({"name": "fcfs", "granularity": "layer"})", R"("single:distant")"}) {
    const PlanFile file = Plan(policy);
    const PreparedRun prepared = Prepare(file.scenario, file.scenario.policies.front());
    const Problem& problem = *prepared.problem;
    ModelStore store(1);
    HarnessUnits opened(file.scenario, store, 1, DistantHost().backend_of);
    opened.Prepare(problem);
    Application application(problem, opened);
    application.Submit(StreamId(0), 7);
    application.Submit(StreamId(1), 5);
    application.Run(*prepared.policy);
    for (const std::size_t s : {0u, 1u}) {
      const auto& answers = application.answers[StreamId(s)];
      EXPECT_EQ(answers.size(), s == 0 ? 7u : 5u) << policy;
      const WholeRun& whole = opened.RunWhole(problem.cut_of(StreamId(s)));
      for (const auto& [index, outputs] : answers) {
        const Buffer& expected = whole.outputs[static_cast<std::size_t>(index) % whole.outputs.size()][0];
        EXPECT_LT(RelativeError(outputs[0].values(), expected.values()), 1e-6) << policy << " #" << index;
      }
    }
  }
  EXPECT_EQ(distant.memory().in_use, 0);
}

// Where the host cannot read what the unit works on, a function gets a copy, and what it makes is copied
// back.
TEST_F(Distant, AFunctionWorksInTheHostsMemory) {
  Write("eye.json", "model/1", R"("name": "eye", "layers": [{"name": "in", "op": "input", "shape": [1, 12]},
            {"name": "out", "op": "opaque", "inputs": ["in"], "shape": [1, 5]}])");
  times = R"(, {"model": "./eye.json", "unit": "distant", "layers": "*", "median_us": 10})";
  streams = R"([{"name": "x", "model": "./eye.json", "count": 4, "arrival": {"type": "offline"}}])";
  const PlanFile file = Plan(R"("fcfs")");
  const PreparedRun prepared = Prepare(file.scenario, file.scenario.policies.front());
  const Problem& problem = *prepared.problem;
  ModelStore store(1);
  const StageFunction function = [](const FunctionCall& call) {
    ASSERT_EQ(call.inputs.at(0).size(), 12 * sizeof(float));
    ASSERT_EQ(call.outputs.at(0).size(), 5 * sizeof(float));
    std::memcpy(call.outputs[0].data(), call.inputs[0].data() + 7 * sizeof(float), 5 * sizeof(float));
  };
  HarnessUnits opened(problem, store, 1, DistantHost().backend_of, {function});
  Application application(problem, opened);
  application.Submit(StreamId(0), 4);
  application.Run(*prepared.policy);
  const auto& answers = application.answers[StreamId(0)];
  ASSERT_EQ(answers.size(), 4u);
  for (const auto& [index, outputs] : answers) {
    const std::span<const float> input = opened.Inputs(problem.cut_of(StreamId(0)), index)[0].values();
    EXPECT_TRUE(std::ranges::equal(outputs[0].values(), input.subspan(7, 5))) << index;
  }
}

}  // namespace
}  // namespace tandem
