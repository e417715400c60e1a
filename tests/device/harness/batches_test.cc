// Do requests that go together run as one, with the outputs of each, and only where they can?
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "scenarios/trace/read.h"
#include "tests/support/device/distant_files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using HarnessBatches = HarnessFiles;

// Two models of one stream each, of which the first may go two by two.
constexpr const char* kStreams =
    R"([{"name": "x", "model": "./m0.json", "count": 7, "arrival": {"type": "offline"}, "batching": {"most": 2}},
        {"name": "y", "model": "./m1.json", "count": 3, "arrival": {"type": "offline"}}])";

TEST_F(HarnessBatches, RunAsOneWithTheOutputsOfEach) {
  units = kOneFake;
  streams = kStreams;
  RunOrder request = Request({R"("fcfs")", R"("eft")"});
  request.trace = true;
  FakeKernels fake;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 2U);
  for (const DeviceRun& run : result.runs) {
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.checked, 10);
    EXPECT_EQ(run.outputs.wrong, 0) << "worst " << run.outputs.worst;
  }
  ExpectLawful(request, result);
  EXPECT_NE(result.trace.find("went along with #"), std::string::npos);
}

TEST_F(HarnessBatches, OfSeveralStreamsRunAsOneWithTheOutputsOfEach) {
  units = kOneFake;
  streams =
      R"([{"name": "x", "model": "./m0.json", "count": 4, "arrival": {"type": "offline"},
           "batching": {"most": 2, "across": true}},
          {"name": "z", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"},
           "batching": {"most": 2, "across": true}}])";
  RunOrder request = Request({R"("fcfs")", R"("eft")"});
  request.trace = true;
  FakeKernels fake;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 2U);
  for (const DeviceRun& run : result.runs) {
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.checked, 7);
    EXPECT_EQ(run.outputs.wrong, 0) << "worst " << run.outputs.worst;
  }
  ExpectLawful(request, result);
  EXPECT_NE(result.trace.find("z #0 went along with x #0"), std::string::npos);
}

// Such a program tells one hash of all outputs that it has made at once: another one of two requests than of
// one.
TEST_F(HarnessBatches, OfAProgramThatTellsAHashAreComparedWithBatchesOfTheirSize) {
  units =
      R"([{"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "command", "command": ["python3", ")" +
      std::string(TANDEM_TEST_DIR) + R"(/support/device/echo_adapter.py"]}])";
  streams = R"([{"name": "x", "model": "./m0.json", "count": 7, "arrival": {"type": "offline"},
                 "batching": {"most": 2}}])";
  RunOrder request = Request({R"("fcfs")"});
  request.trace = true;
  const RunAnswer result = RunPlans(request, Place());
  ASSERT_EQ(result.runs.size(), 1U);
  EXPECT_TRUE(result.runs[0].complete) << result.runs[0].failure;
  EXPECT_EQ(result.runs[0].outputs.checked, 7);
  EXPECT_EQ(result.runs[0].outputs.wrong, 0);
  EXPECT_NE(result.trace.find("x #5 went along with #4"), std::string::npos) << "2 + 2 + 2 + 1 of them";
}

// Those that wait for company are dropped for newer ones, or as late; who is not is computed right.
TEST_F(HarnessBatches, AreOfThoseThatWereNotDropped) {
  units = kOneFake;
  streams =
      R"([{"name": "x", "model": "./m0.json", "count": 40, "keep_latest": 2, "deadline_us": 900, "drop_late": true,
                 "arrival": {"type": "periodic", "period_us": 100}, "batching": {"most": 4, "wait_us": 1000}}])";
  RunOrder request = Request({R"("fcfs")", R"("eft")"});
  request.trace = true;
  FakeKernels fake;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 2U);
  const JsonDocument document = JsonDocument::Parse(result.trace, "trace");
  const Trace trace = ReadTrace(document.root());
  for (std::size_t r = 0; r < result.runs.size(); ++r) {
    const DeviceRun& run = result.runs[r];
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.wrong, 0) << "worst " << run.outputs.worst;
    const auto drops = static_cast<std::int64_t>(trace.runs.at(r).drops.size());
    EXPECT_GT(drops, 0) << "of those that wait two are kept";
    EXPECT_EQ(run.outputs.checked + drops, 40);
  }
  ExpectLawful(request, result);
}

class DistantBatches : public Distant {
 protected:
  // How often memory was taken, as of each copy of a run: the units take turns to call.
  std::vector<int> AllocationsByCopy(const std::string& policy, std::chrono::microseconds pause = {}) {
    std::vector<int> allocations;
    std::mutex mutex;
    distant.calls().before_copy = [&](int) {
      std::this_thread::sleep_for(pause);
      const std::lock_guard lock(mutex);
      allocations.push_back(distant.memory().allocations);
    };
    RunOrder request = Request({'"' + policy + '"'});
    request.check = false;
    EXPECT_TRUE(RunPlans(request, DistantHost()).runs.at(0).complete);
    distant.calls().before_copy = nullptr;
    return allocations;
  }
};

TEST_F(DistantBatches, AreBroughtToMemoriesOfTheirOwnAndTakenBack) {
  streams = kStreams;
  for (const char* transfer : {"copy", "zero_copy", "none"}) {
    more = std::string(R"(, "transfer": ")") + transfer + '"';
    for (const Wiring wiring : {Wiring::kSlots, Wiring::kEngines, Wiring::kMixed}) {
      links = LinksOf(wiring);
      RunOrder request = Request({R"("fcfs")", R"("eft")", R"("single:distant")", R"("single:other")"});
      request.trace = true;
      const std::string what = std::string(transfer) + " " + std::to_string(static_cast<int>(wiring)) + ": ";
      const RunAnswer result = ExpectRight(request, 10, what);
      EXPECT_NE(result.trace.find("went along with #"), std::string::npos) << what;
    }
  }
}

// As many as may go together, and those that are left over.
TEST_F(DistantBatches, EachHasItsOwnOutputs) {
  for (const Wiring wiring : {Wiring::kSlots, Wiring::kEngines}) {
    links = LinksOf(wiring);
    streams = R"([{"name": "x", "model": "./m0.json", "count": 9, "arrival": {"type": "offline"},
                   "batching": {"most": 2}}])";
    RunOrder request = Request({R"("single:distant")"});
    request.trace = true;
    request.repeats = 3;
    distant.calls().copies = distant.calls().beside = 0;
    const RunAnswer result = ExpectRight(request, 9);
    EXPECT_NE(result.trace.find("went along with #"), std::string::npos);
    EXPECT_GT(distant.calls().copies + distant.calls().beside, 2 * 9 * 3 - 1) << "each in and back by itself";
  }
}

TEST_F(DistantBatches, ARunAllocatesNothing) {
  for (const Wiring wiring : {Wiring::kSlots, Wiring::kEngines}) {
    links = LinksOf(wiring);
    streams = R"([{"name": "x", "model": "./m0.json", "count": 40, "arrival": {"type": "offline"},
                   "batching": {"most": 2}}])";
    const std::vector<int> allocations = AllocationsByCopy("single:distant");
    ASSERT_GT(allocations.size(), 70U);
    EXPECT_EQ(allocations.back(), allocations[allocations.size() - 70]);
  }
}

// The way back of one batch takes as long as several take to compute: they wait for it.
TEST_F(DistantBatches, ThoseThatWaitForTheirWayBackHaveRoomBeforehand) {
  memories = R"([{"name": "dram"}, {"name": "vram"}, {"name": "card"}])";
  links = R"([{"from": "dram", "to": "vram", "bandwidth_bytes_per_s": 1000000, "engine": true},
              {"from": "dram", "to": "card", "bandwidth_bytes_per_s": 1000000, "engine": true}])";
  streams = R"([{"name": "x", "model": "./m0.json", "count": 24, "arrival": {"type": "offline"},
                 "batching": {"most": 2}}])";
  const std::vector<int> allocations = AllocationsByCopy("single:distant", std::chrono::microseconds{200});
  ASSERT_GT(allocations.size(), 40U);
  EXPECT_EQ(allocations.back(), allocations[allocations.size() - 40]);
}

TEST_F(DistantBatches, EmulatedUnitsWaitForThem) {
  units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
              {"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"},
              {"name": "npu", "kind": "npu", "memory": "card", "backend": "emulated"}])";
  streams = kStreams;
  for (const Wiring wiring : {Wiring::kSlots, Wiring::kEngines}) {
    links = LinksOf(wiring);
    RunOrder request = Request({R"("single:npu")"});
    request.trace = true;
    const RunAnswer result = RunPlans(request, DistantHost());
    EXPECT_TRUE(result.runs.at(0).complete) << result.runs[0].failure;
    EXPECT_EQ(result.runs[0].outputs.wrong, 0);
    EXPECT_NE(result.trace.find("went along with #"), std::string::npos);
    ExpectLawful(request, result);
  }
}

// Of three at once no profile has a time: it is between those of two and of four.
TEST_F(DistantBatches, EmulatedUnitsWaitForSizesBetweenThoseOfTheProfile) {
  units = R"([{"name": "npu", "kind": "npu", "memory": "dram", "backend": "emulated"}])";
  batches = {"1", "2", "4"};
  streams = R"([{"name": "x", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"},
                 "batching": {"most": 4}}])";
  RunOrder request = Request({R"("fcfs")"});
  request.trace = true;
  const RunAnswer result = RunPlans(request, DistantHost());
  EXPECT_TRUE(result.runs.at(0).complete) << result.runs[0].failure;
  EXPECT_NE(result.trace.find("went along with #"), std::string::npos);
  ExpectLawful(request, result);
}

TEST_F(DistantBatches, GoOverSeveralLinks) {
  streams = kStreams;
  for (const bool engines : {false, true}) {
    links = LinksOf(Wiring::kDirect);
    if (engines) links = "[" + LinkText("dram", "vram", true) + ", " + LinkText("vram", "card", true) + "]";
    for (const char* policy : {"fcfs", "single:other", "single:distant"}) {
      RunOrder request = Request({std::string("\"") + policy + '"'});
      request.trace = true;
      const RunAnswer result = ExpectRight(request, 10, policy);
      EXPECT_NE(result.trace.find("went along with #"), std::string::npos) << policy;
    }
  }
}

// Nor is any memory taken for what lies in between.
TEST_F(DistantBatches, OverSeveralLinksAllocateNothingInARun) {
  links = LinksOf(Wiring::kDirect);
  streams = R"([{"name": "x", "model": "./m0.json", "count": 24, "arrival": {"type": "offline"},
                 "batching": {"most": 2}}])";
  const std::vector<int> allocations = AllocationsByCopy("single:other");
  ASSERT_GT(allocations.size(), 40U);
  EXPECT_EQ(allocations.back(), allocations[allocations.size() - 40]);
}

}  // namespace
}  // namespace tandem
