// Does the library answer every request once, with what the model gives, whatever threads submit and whatever
// plan decides?
#include <gtest/gtest.h>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "device/service/tandem_device.h"
#include "policies/engine/policy.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "profiles/costs/profile.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

Decisions Fixed(std::shared_ptr<const FixedSchedule> order) {
  Decisions decisions;
  decisions.schedule = std::move(order);
  return decisions;
}

namespace fs = std::filesystem;
using device::BadRequest;
using device::PlanService;
using device::RequestResult;
using device::RequestStatus;
using device::ServiceOptions;

// A board of two units, models "./m0.model.json" (2 x relu(in)), m1 and m2 in a folder of the test's own.
class Service : public testing::Test {
 protected:
  Service() {
    options_.force = true;  // the profile is made up
    options_.drift = 1e9;
  }

  std::string WritePlan(const std::string& policy, const std::string& backend = "reference",
                        const std::string& median_us = "10") const {
    std::string streams, entries;
    for (const char* m : {"m0", "m1", "m2"}) {
      WriteFile(folder_ / (std::string(m) + ".model.json"),
                R"({"tandem": "model/1", "name": ")" + std::string(m) + R"(", "layers": [
                    {"name": "in", "op": "input", "shape": [1, 1, 2, 2]},
                    {"name": "a", "op": "relu", "inputs": ["in"]},
                    {"name": "b", "op": "add", "inputs": ["a", "a"]}]})");
      for (const char* u : {"u0", "u1"}) {
        for (const char* size : {"1", "2"}) {
          if (more_of_streams_.empty()) continue;
          entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "./)" + m +
                     R"(.model.json", "unit": ")" + u + R"(", "layers": "*", "batch": )" + size +
                     R"(, "median_us": )" + median_us + "}";
        }
        for (const char* layer : {"a", "b"}) {
          entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "./)" + m +
                     R"(.model.json", "unit": ")" + u + R"(", "layers": [")" + layer +
                     R"("], "median_us": )" + median_us + "}";
        }
      }
      streams += std::string(streams.empty() ? "" : ", ") + R"({"name": "s)" + m + R"(", "model": "./)" + m +
                 R"(.model.json", "count": 2, "arrival": {"type": "offline"})" + more_of_streams_ + "}";
    }
    WriteFile(folder_ / "board.platform.json",
              R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}], "units": [
                  {"name": "u0", "kind": "cpu", "memory": "dram", "backend": ")" +
                  backend + R"("}, {"name": "u1", "kind": "cpu", "memory": "dram", "backend": ")" + backend +
                  R"("}]})");
    WriteFile(folder_ / "board.profile.json",
              R"({"tandem": "profile/1", "platform": "./board.platform.json",
                  "origin": {"kind": "estimated", "method": "made up"}, "entries": [)" +
                  entries + "]}");
    const fs::path file = folder_ / "three.scenario.json", plan = folder_ / "three.plan.json";
    WriteFile(file, R"({"tandem": "scenario/1", "name": "three", "platform": "./board.platform.json",
                        "profiles": ["./board.profile.json"], "transfer": "none", "policies": [)" +
                        policy + R"(], "streams": [)" + streams + "]}");
    const Scenario scenario = ReadScenarioFile(file);
    const PolicySpec& spec = scenario.policies[0];
    const auto problem = ProblemFor(spec, scenario);
    const Prepared made =
        fixed_order_ ? MakeDecided(Fixed(fixed_order_), *problem) : MakePolicy(spec, problem);
    const PlanPrediction predicted{"virtual", std::nullopt, Nanos{1}, std::nullopt};
    WriteFile(plan, PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, file, plan));
    return plan.string();
  }

  TempFolder folder_;
  std::string more_of_streams_;  // members: ", ..."
  ServiceOptions options_;
  std::shared_ptr<const FixedSchedule> fixed_order_;  // of the plan, in place of its policy
};

std::vector<std::vector<float>> Inputs(float value) { return {{value, -1, 0, 2}}; }

std::string WhyNot(const std::function<void()>& function) {
  try {
    function();
  } catch (const BadRequest& error) {
    return error.what();
  }
  return "accepted";
}

// Each of three threads submits many more requests than the plan has.
void ExpectAnswersToThreeThreads(const std::string& plan, const ServiceOptions& options) {
  constexpr int kRequests = 40;
  PlanService service(plan, options);
  ASSERT_EQ(service.streams().size(), 3U);
  std::set<std::uint64_t> numbers;  // callbacks come one at a time
  std::vector<std::thread> threads;
  for (const device::StreamInfo& stream : service.streams()) {
    threads.emplace_back([&] {
      for (int k = 1; k <= kRequests; ++k) {
        service.Submit(stream.name, Inputs(static_cast<float>(k)), [&, k](const RequestResult& result) {
          EXPECT_EQ(result.status, RequestStatus::kDone);
          EXPECT_EQ(result.stream, stream.name);
          EXPECT_TRUE(numbers.insert(result.number).second);
          ASSERT_EQ(result.outputs.size(), 1U);
          EXPECT_EQ(result.outputs[0], (std::vector<float>{2.0F * static_cast<float>(k), 0, 0, 4}));
          EXPECT_GT(result.latency.count(), 0);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  service.Drain();
  EXPECT_EQ(numbers.size(), 3U * kRequests);
  EXPECT_EQ(*numbers.rbegin(), 3U * kRequests - 1);
  for (const device::StreamStatistics& stream : service.statistics().streams) {
    EXPECT_EQ(stream.submitted, static_cast<std::uint64_t>(kRequests));
    EXPECT_EQ(stream.completed, static_cast<std::uint64_t>(kRequests));
    EXPECT_GE(stream.p99, stream.p50);
  }
}

TEST_F(Service, AnswersEveryRequestOnceWithWhatItsModelGives) {
  ExpectAnswersToThreeThreads(WritePlan(R"("fcfs")"), options_);
}

TEST_F(Service, CutsModelsAsThePlanDoes) {
  ExpectAnswersToThreeThreads(WritePlan(R"({"name": "round_robin", "granularity": "layer"})"), options_);
}

TEST_F(Service, RepeatsAFixedOrder) {
  const auto both_of = [](std::size_t stream) { return ScheduledRun{StreamId(stream), 0, 1, 0, 2}; };
  fixed_order_ = std::make_shared<FixedSchedule>(FixedSchedule{{{both_of(2), both_of(0)}, {both_of(1)}}});
  ExpectAnswersToThreeThreads(WritePlan(R"({"name": "best", "evaluations": 1})"), options_);
}

TEST_F(Service, AnswersThoseThatGoTogether) {
  more_of_streams_ = R"(, "batching": {"most": 2, "wait_us": 300})";
  ExpectAnswersToThreeThreads(WritePlan(R"("fcfs")"), options_);
}

TEST_F(Service, TakesAModelsNameForItsOnlyStream) {
  PlanService service(WritePlan(R"("fcfs")"), options_);
  std::atomic<int> done{0};
  service.Submit("./m1.model.json", Inputs(1), [&](const RequestResult& result) {
    EXPECT_EQ(result.stream, "sm1");
    ++done;
  });
  service.Drain();
  EXPECT_EQ(done, 1);
}

TEST_F(Service, SaysWhatIsWrongWithARequest) {
  PlanService service(WritePlan(R"("fcfs")"), options_);
  EXPECT_EQ(WhyNot([&] { service.Submit("sm3", Inputs(1), nullptr); }),
            "the plan has no stream or model \"sm3\"; did you mean \"sm0\"?");
  EXPECT_EQ(WhyNot([&] { service.Submit("sm0", {}, nullptr); }), "stream \"sm0\" takes 1 inputs, here are 0");
  EXPECT_EQ(WhyNot([&] {
              service.Submit("sm0", {{1, 2, 3}}, nullptr);
            }),
            "stream \"sm0\", input \"in\": 4 floats, here are 3");
  EXPECT_EQ(WhyNot([&] { service.MeasuredProfile(); }), "nothing has run often enough for a profile");
  service.Stop();
  EXPECT_EQ(WhyNot([&] { service.Submit("sm0", Inputs(1), nullptr); }), "the service has been stopped");
  EXPECT_EQ(WhyNot([&] { PlanService(folder_ / "none.plan.json", options_); }).find("accepted"),
            std::string::npos);
}

TEST_F(Service, RefusesPlansOfOtherMachines) {
  options_.force = false;
  const std::string plan = WritePlan(R"("fcfs")");
  EXPECT_NE(WhyNot([&] { PlanService(plan, options_); }).find("was not made for this machine"),
            std::string::npos);
}

TEST_F(Service, StopAnswersWhatHasNotRun) {
  constexpr int kRequests = 50;
  PlanService service(WritePlan(R"("fcfs")", "emulated", "20000"), options_);
  int done = 0, stopped = 0;
  for (int k = 0; k < kRequests; ++k) {
    service.Submit("sm0", Inputs(1), [&](const RequestResult& result) {
      ++(result.status == RequestStatus::kDone ? done : stopped);
      EXPECT_FALSE(result.status == RequestStatus::kDone && result.computed);
    });
  }
  service.Stop();
  EXPECT_EQ(done + stopped, kRequests);
  EXPECT_GT(stopped, 0);
  service.Stop();  // again does nothing
}

// What became of each request, by its number; callbacks come one at a time.
class Statuses {
 public:
  PlanService::Callback Note() {
    return [this](const RequestResult& result) {
      EXPECT_TRUE(of_.emplace(result.number, result).second) << "answered twice: " << result.number;
    };
  }
  RequestStatus operator[](std::uint64_t number) const { return of_.at(number).status; }
  const RequestResult& At(std::uint64_t number) const { return of_.at(number); }
  std::size_t size() const { return of_.size(); }

 private:
  std::map<std::uint64_t, RequestResult> of_;
};

TEST_F(Service, CancelledRequestsThatWaitAreAnsweredSoAndNotRun) {
  PlanService service(WritePlan(R"("fcfs")", "emulated", "20000"), options_);
  Statuses told;
  for (int k = 0; k < 50; ++k) service.Submit("sm0", Inputs(1), told.Note());
  for (std::uint64_t number = 10; number < 50; ++number) service.Cancel(number);
  service.Cancel(20);  // again does nothing
  service.Drain();
  ASSERT_EQ(told.size(), 50U);
  for (std::uint64_t number = 0; number < 50; ++number) {
    EXPECT_EQ(told[number], number < 10 ? RequestStatus::kDone : RequestStatus::kCancelled) << number;
  }
  const device::ServiceStatistics statistics = service.statistics();
  EXPECT_EQ(statistics.streams[0].completed, 10U);
  EXPECT_EQ(statistics.streams[0].cancelled, 40U);
  EXPECT_EQ(statistics.units[0].tasks + statistics.units[1].tasks, 10U);
}

TEST_F(Service, ARequestIsCancelledBetweenItsParts) {
  PlanService service(
      WritePlan(R"({"name": "single", "unit": "u0", "granularity": "layer"})", "emulated", "300000"),
      options_);
  Statuses told;
  service.Submit("sm0", Inputs(1), told.Note());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // its first part of 300 ms is under way
  service.Cancel(0);
  service.Drain();
  EXPECT_EQ(told[0], RequestStatus::kCancelled);
  EXPECT_LT(told.At(0).latency, std::chrono::milliseconds(300)) << "nobody waits for the part that runs";
  EXPECT_TRUE(told.At(0).outputs.empty());
  const auto before = std::chrono::steady_clock::now();
  service.Submit("sm1", Inputs(1), told.Note());  // after 270 ms two parts of 300 ms
  service.Drain();
  EXPECT_EQ(told[1], RequestStatus::kDone);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(1050))
      << "the second part of the first took no time";
}

TEST_F(Service, ACancelOfWhatHasEndedChangesNothingAndOneOfNobodyIsRefused) {
  PlanService service(WritePlan(R"("fcfs")"), options_);
  Statuses told;
  EXPECT_EQ(WhyNot([&] { service.Cancel(0); }), "no request has the number 0: 0 have been submitted");
  service.Submit("sm0", Inputs(3), told.Note());
  service.Drain();
  service.Cancel(0);
  service.Submit("sm0", Inputs(4), told.Note());
  service.Drain();
  EXPECT_EQ(told[0], RequestStatus::kDone);
  EXPECT_EQ(told.At(1).outputs[0], (std::vector<float>{8, 0, 0, 4}));
  service.Stop();
  service.Cancel(1);
  EXPECT_EQ(told.size(), 2U);
}

// Of two that are begun together the other one is computed.
TEST_F(Service, WhoIsCancelledTakesNobodyAlong) {
  more_of_streams_ = R"(, "batching": {"most": 2, "wait_us": 100000})";
  PlanService service(WritePlan(R"("fcfs")"), options_);
  Statuses told;
  service.Submit("sm0", Inputs(3), told.Note());
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // it waits for company
  service.Cancel(0);
  service.Submit("sm0", Inputs(4), told.Note());
  service.Drain();
  EXPECT_EQ(told[0], RequestStatus::kCancelled);
  ASSERT_EQ(told[1], RequestStatus::kDone);
  EXPECT_EQ(told.At(1).outputs[0], (std::vector<float>{8, 0, 0, 4}));
}

TEST_F(Service, EachIsAnsweredOnceWhoeverCancelsAndWheneverItIsStopped) {
  for (const bool stops : {false, true}) {
    PlanService service(WritePlan(R"({"name": "round_robin", "granularity": "layer"})"), options_);
    Statuses told;
    constexpr std::uint64_t kRequests = 300;
    std::thread cancels([&] {
      for (std::uint64_t number = 0; number < kRequests; number += 3) {
        while (WhyNot([&] { service.Cancel(number); }) != "accepted") std::this_thread::yield();
      }
    });
    for (std::uint64_t k = 0; k < kRequests; ++k) service.Submit("sm0", Inputs(1), told.Note());
    cancels.join();
    stops ? service.Stop() : service.Drain();
    EXPECT_EQ(told.size(), kRequests);
    for (std::uint64_t number = 0; !stops && number < kRequests; ++number) {
      EXPECT_TRUE(number % 3 == 0 || told[number] == RequestStatus::kDone) << number;
    }
  }
}

TEST_F(Service, CallbacksMaySubmitAndMayFail) {
  PlanService service(WritePlan(R"("fcfs")"), options_);
  std::atomic<int> answered{0};
  std::function<void(const RequestResult&)> again = [&](const RequestResult&) {
    if (++answered < 5) service.Submit("sm0", Inputs(1), again);
    throw std::runtime_error("of the application");
  };
  service.Submit("sm0", Inputs(1), again);
  while (answered < 5) service.Drain();
  service.Drain();
  EXPECT_EQ(service.statistics().callback_failures, 5U);
}

TEST_F(Service, TellsOnceWhatDriftsFromTheProfileAndMeasuresIt) {
  options_.drift = 0.5;
  std::vector<device::DriftInfo> drifts;  // told one at a time
  options_.on_drift = [&](const device::DriftInfo& info) { drifts.push_back(info); };
  PlanService service(
      WritePlan(R"({"name": "affinity", "map": {"./m0.model.json": "u1"}})", "reference", "900000"),
      options_);
  for (int k = 0; k < 70; ++k) service.Submit("sm0", Inputs(1), nullptr);
  service.Drain();
  service.Stop();
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].unit, "u1");
  EXPECT_LT(drifts[0].drift(), -0.5);
  const auto segments = service.statistics().segments;
  ASSERT_EQ(segments.size(), 1U);
  const JsonDocument document = JsonDocument::Parse(service.MeasuredProfile(), "measured");
  const Profile profile = ReadProfile(document.root());
  ASSERT_EQ(profile.entries.size(), 1U);
  EXPECT_EQ(profile.entries[0].unit, "u1");
  EXPECT_EQ(profile.entries[0].time.median, segments[0].measured);
}

TEST_F(Service, StartsNoProgramThatItsBoardNamesUnlessItMay) {
  const std::string plan = WritePlan(R"("fcfs")");
  const fs::path started = folder_ / "started";
  const std::string unit =
      R"("kind": "npu", "memory": "dram", "backend": "command", "command": ["touch", ")" + started.string() +
      "\"]}";
  WriteFile(folder_ / "board.platform.json",
            R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
                "units": [{"name": "u0", )" +
                unit + R"(, {"name": "u1", )" + unit + "]}");
  const std::string refused = WhyNot([&] { PlanService service(plan, options_); });
  EXPECT_NE(refused.find("names programs to be started, unit \"u0\": \"touch "), std::string::npos)
      << refused;
  EXPECT_NE(refused.find("; ServiceOptions::allow_commands starts what files name"), std::string::npos)
      << refused;
  EXPECT_FALSE(fs::exists(started));
  options_.allow_commands = true;
  EXPECT_THROW(PlanService(plan, options_), device::DeviceFailure) << "it answers nothing";
  EXPECT_TRUE(fs::exists(started));
}

#ifdef TANDEM_EXAMPLE
TEST_F(Service, TheExampleRunsThreeThreads) {
  // The example takes no plan of another machine: emulated units are of none.
  const std::string plan = WritePlan(R"("fcfs")", "emulated");
  const ProgramResult run = RunShell(std::string(TANDEM_EXAMPLE) + " " + plan + " 7");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("21 done, 0 not"), std::string::npos) << run.output;
}
#endif

}  // namespace
}  // namespace tandem
