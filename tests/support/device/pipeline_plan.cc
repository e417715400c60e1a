#include "tests/support/device/pipeline_plan.h"

#include <gtest/gtest.h>

#include <cstring>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/prepared_run.h"
#include "scenarios/trace/span_log.h"

namespace tandem {

void DecodeBytes(const device::StageCall& call) {
  const auto number = [&](std::size_t i) {
    return static_cast<float>(std::to_integer<int>(call.inputs[0].data[i]));
  };
  const float numbers[4] = {number(0), -number(1), number(2), 1};
  std::memcpy(call.outputs[0].data, numbers, sizeof(numbers));
}

std::vector<std::vector<float>> FrameOf(unsigned char a, unsigned char b, unsigned char c) {
  const unsigned char bytes[4] = {a, b, c, 0xee};
  float number = 0;
  std::memcpy(&number, bytes, sizeof(number));
  return {{number}};
}

void WritePlanOf(const std::filesystem::path& file, const std::filesystem::path& plan) {
  const Scenario scenario = ReadScenarioFile(file);
  const PolicySpec& spec = scenario.policies[0];
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const PlanPrediction predicted{"virtual", std::nullopt, Nanos{1}, std::nullopt};
  WriteFile(plan, PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, file, plan));
}

std::map<std::string, std::set<std::uint64_t>> CompletedInSimulation(const Scenario& scenario) {
  const PreparedRun run = Prepare(scenario, scenario.policies.front());
  SpanLog log;
  RunOptions options;
  options.spans = &log;
  RunVirtual(*run.problem, *run.policy, options);
  std::map<std::string, std::set<std::uint64_t>> completed;
  for (const RequestEnd& end : log.ends()) {
    if (end.dropped) continue;
    completed[scenario.streams[end.stream.index()].name].insert(static_cast<std::uint64_t>(end.index));
  }
  return completed;
}

PipelinePlan::PipelinePlan() {
  const auto stage = [&](const std::string& name, const std::string& in, const std::string& out) {
    WriteFile(folder_ / (name + ".json"), R"({"tandem": "model/1", "name": ")" + name + R"(", "layers": [
        {"name": "in", "op": "input", )" + in +
                                              R"(}, {"name": "out", "op": "opaque", "inputs": ["in"], )" +
                                              out + "}]}");
  };
  stage("decode", R"("shape": [1, 3], "type": "uint8")", R"("shape": [1, 1, 2, 2])");
  stage("track", R"("shape": [1, 1, 2, 2])", R"("shape": [1, 7], "type": "uint8")");
  WriteFile(folder_ / "net.json", R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "in", "op": "input", "shape": [1, 1, 2, 2]}, {"name": "a", "op": "relu", "inputs": ["in"]},
      {"name": "b", "op": "add", "inputs": ["a", "a"]}]})");
}

std::string PipelinePlan::Write(const std::string& streams,
                                const std::map<std::string, std::vector<std::string>>& on) {
  std::string entries;
  for (const auto& [model, units] : on) {
    for (const std::string& unit : units) {
      for (const char* batch : {"1", "2"}) {
        entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "./)" + model +
                   R"(.json", "unit": ")" + unit + R"(", "layers": "*", "batch": )" + batch +
                   R"(, "median_us": )" + median_us + "}";
      }
    }
  }
  const std::filesystem::path file = folder_ / "pipe.scenario.json", plan = folder_ / "pipe.plan.json";
  const auto unit = [&](const std::string& name) {
    return R"({"name": ")" + name + R"(", "kind": "cpu", "memory": "dram", "backend": ")" + backend + R"("})";
  };
  WriteFile(file, R"({"tandem": "scenario/1", "name": "pipe", "seed": 5, "transfer": "none",
      "platform": {"name": "board", "memories": [{"name": "dram"}], "units": [)" +
                      unit("u0") + ", " + unit("u1") + R"(]},
      "profiles": [{"tandem": "profile/1", "platform": "board",
                    "origin": {"kind": "estimated", "method": "made up"}, "entries": [)" +
                      entries + R"(]}],
      "policies": ["fcfs"], "streams": )" +
                      streams + "}");
  WritePlanOf(file, plan);
  return plan.string();
}

device::PlanService::Callback Answers::Note() {
  return [this](const device::RequestResult& result) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(of_.emplace(std::pair(result.stream, result.number), result).second)
        << "answered twice: " << result.stream << " " << result.number;
    order_.emplace_back(result.stream, result.number);
  };
}

const device::RequestResult& Answers::Of(const std::string& stream, std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return of_.at({stream, number});
}

std::set<std::uint64_t> Answers::Numbers(const std::string& stream, device::RequestStatus status) const {
  const std::lock_guard lock(mutex_);
  std::set<std::uint64_t> numbers;
  for (const auto& [request, result] : of_) {
    if (request.first == stream && result.status == status) numbers.insert(request.second);
  }
  return numbers;
}

std::size_t Answers::size() const {
  const std::lock_guard lock(mutex_);
  return of_.size();
}

std::vector<std::pair<std::string, std::uint64_t>> Answers::order() const {
  const std::lock_guard lock(mutex_);
  return order_;
}

}  // namespace tandem
