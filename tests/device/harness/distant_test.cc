// Do plans give what one unit alone gives where units have memories of their own: whatever is copied, by
// slots or engines, read through mappings or brought along for nothing?
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "profiles/base/input_error.h"
#include "scenarios/trace/read.h"
#include "tests/support/device/distant_files.h"

namespace tandem {
namespace {

template <class Body>
std::string WhyNotHere(Body body) {
  try {
    body();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> EveryPolicy() {
  std::vector<std::string> policies;
  for (const PolicyDeclaration& policy : Policies()) {
    const std::string name(policy.name);
    if (name == "given") continue;
    if (name == "layer_type") {
      policies.push_back(R"({"name": "layer_type", "map": {"conv": ["distant"], "*": ["one", "other"]}})");
    } else {
      policies.push_back('"' + name + (name == "single" ? ":distant" : "") + '"');
    }
  }
  return policies;
}

TEST_F(Distant, EveryPolicyRunsAndItsOutputsAreRight) {
  streams = R"([{"name": "x", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"}},
                {"name": "y", "model": "./m1.json", "count": 2, "batch": 2, "arrival": {"type": "closed"}}])";
  RunOrder request = Request(EveryPolicy());
  request.trace = true;
  ExpectRight(request, 5);
  EXPECT_GT(distant.calls().copies, 0);
  EXPECT_EQ(distant.calls().host_reads, 0) << "all that it reads is brought to it";
}

TEST_F(Distant, EnginesCopyBesideTheUnits) {
  links = LinksOf(Wiring::kEngines);
  RunOrder request = Request({R"("fcfs")", R"("single:distant")",
                              R"({"name": "sjf", "label": "layers", "granularity": "layer"})",
                              R"({"name": "eft", "label": "groups", "granularity": "group"})"});
  request.trace = true;
  request.repeats = 2;
  ExpectRight(request, 10);
  EXPECT_GT(distant.calls().beside, 0);
}

TEST_F(Distant, GroupsAndLayersGiveTheSameOutputs) {
  for (const char* transfer : {"copy", "zero_copy", "none"}) {
    more = std::string(R"(, "transfer": ")") + transfer + '"';
    for (const Wiring wiring : {Wiring::kSlots, Wiring::kMixed, Wiring::kDirect}) {
      links = LinksOf(wiring);
      RunOrder request = Request({R"({"name": "fcfs", "label": "layers", "granularity": "layer"})",
                                  R"({"name": "sjf", "label": "small first", "granularity": "layer"})",
                                  R"({"name": "eft", "label": "groups", "granularity": "group"})"});
      request.trace = true;
      ExpectRight(request, 10, std::string(transfer) + " " + std::to_string(static_cast<int>(wiring)) + ": ");
    }
  }
}

// A copy that the unit makes is one of its own processor, and its time is in the trace.
TEST_F(Distant, CopiesAreInTheTraceWithTheirTimes) {
  links = LinksOf(Wiring::kMixed);
  distant.calls().before_copy = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds{2}); };
  RunOrder request = Request({R"("single:distant")"});
  request.trace = true;
  const RunAnswer result = ExpectRight(request, 10);
  const JsonDocument document = JsonDocument::Parse(result.trace, "trace");
  const Trace trace = ReadTrace(document.root());
  std::size_t in = 0, back = 0;
  const TracedRun& run = trace.runs.at(0);
  for (const TracedSpan& span : run.spans) {
    if (span.kind != SpanKind::kTransfer) continue;
    EXPECT_GE(span.end - span.start, std::chrono::milliseconds{2});
    ++(run.names[static_cast<std::size_t>(span.from)] == "dram" ? in : back);
  }
  EXPECT_EQ(in, 10u);
  EXPECT_EQ(back, 10u);
}

TEST_F(Distant, ARunAllocatesNothing) {
  links = LinksOf(Wiring::kMixed);
  std::vector<int> allocations;  // as of each copy: the units take turns to call
  std::mutex mutex;
  distant.calls().before_copy = [&](int) {
    const std::lock_guard lock(mutex);
    allocations.push_back(distant.memory().allocations);
  };
  for (const char* granularity : {"model", "layer"}) {
    RunOrder request = Request(
        {R"({"name": "single", "unit": "distant", "granularity": ")" + std::string(granularity) + "\"}"});
    request.check = false;
    allocations.clear();
    ASSERT_TRUE(RunPlans(request, DistantHost()).runs.at(0).complete);
    ASSERT_GT(allocations.size(), 20u);
    EXPECT_EQ(allocations.back(), allocations[allocations.size() - 20]) << "10 requests in and back";
  }
}

TEST_F(Distant, MappingsAreReadAndWrittenWhereTheHostHasThem) {
  more = R"(, "transfer": "zero_copy")";
  RunOrder request = Request({R"("single:distant")"});
  request.trace = true;
  request.check = false;
  const RunAnswer result = RunPlans(request, DistantHost());
  EXPECT_TRUE(result.runs.at(0).complete) << result.runs[0].failure;
  EXPECT_EQ(distant.calls().host_reads, 10);
  EXPECT_EQ(distant.calls().host_writes, 10);
  EXPECT_GT(distant.pinned().allocations, 0) << "inputs and outputs lie in the memory that it reads";
}

TEST_F(Distant, ACopyThatFailsEndsTheRun) {
  for (const Wiring wiring : {Wiring::kSlots, Wiring::kEngines}) {
    links = LinksOf(wiring);
    streams = R"([{"name": "x", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}}])";
    units = R"([{"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"}])";
    memories = R"([{"name": "dram"}, {"name": "vram"}])";
    links = "[" + LinkText("dram", "vram", wiring == Wiring::kEngines) + "]";
    RunOrder request = Request({R"("single:distant")"});
    request.trace = true;
    request.check = false;
    distant.calls().copies = distant.calls().beside = 0;
    distant.calls().before_copy = nullptr;
    ASSERT_TRUE(RunPlans(request, DistantHost()).runs.at(0).complete);
    // One of warming up, and a copy in and out for each request.
    const int all = distant.calls().copies + distant.calls().beside;
    distant.calls().copies = distant.calls().beside = 0;
    distant.calls().before_copy = [&](int copy) {
      if (copy == all - 3) throw EnvironmentError("the bus is gone");
    };
    const RunAnswer result = RunPlans(request, DistantHost());
    const DeviceRun& run = result.runs.at(0);
    EXPECT_FALSE(run.complete);
    EXPECT_NE(run.failure.find("copying \""), std::string::npos) << run.failure;
    EXPECT_NE(run.failure.find("the bus is gone"), std::string::npos) << run.failure;
    EXPECT_GT(run.outputs.unchecked, 0) << "what is complete is kept";
    ExpectLawful(request, result);
    EXPECT_EQ(distant.memory().in_use, 0);
  }
}

TEST_F(Distant, WhatNobodyCopiesIsRefused) {
  links = LinksOf(Wiring::kEngines);
  distant.calls().copiers = false;
  RunOrder request = Request({R"("fcfs")"});
  const std::string engine = WhyNotHere([&] { RunPlans(request, DistantHost()); });
  EXPECT_EQ(engine,
            "the link from \"dram\" to \"vram\": no backend copies beside a unit's work here; \"engine\": "
            "false, or units that are emulated");
  links = LinksOf(Wiring::kSlots);
  request = Request({R"("fcfs")"});
  const std::string slot = WhyNotHere([&] { RunPlans(request, DistantHost()); });
  EXPECT_EQ(slot,
            "unit \"one\": nothing here copies between \"vram\" and \"dram\" for it; a copy engine may, or "
            "another unit");
}

TEST_F(Distant, OneMemoryOfThePlatformIsOneMemoryHere) {
  units = R"([{"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"},
              {"name": "other", "kind": "gpu", "memory": "vram", "backend": "reference"}])";
  const std::string error = WhyNotHere([&] { RunPlans(Request({R"("fcfs")"}), DistantHost()); });
  EXPECT_EQ(error,
            "memory \"vram\": units \"distant\" and \"other\" work from different memories here; give each "
            "of them its own in the platform");
}

// Emulated units wait for their copies; what they had is not compared.
TEST_F(Distant, EmulatedUnitsStandBeside) {
  units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
              {"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"},
              {"name": "npu", "kind": "npu", "memory": "card", "backend": "emulated"}])";
  for (const Wiring wiring : {Wiring::kSlots, Wiring::kEngines}) {
    links = LinksOf(wiring);
    RunOrder request = Request({R"({"name": "fcfs", "granularity": "layer"})"});
    request.trace = true;
    const RunAnswer result = RunPlans(request, DistantHost());
    const DeviceRun& run = result.runs.at(0);
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.wrong, 0);
    EXPECT_EQ(run.outputs.checked + run.outputs.unchecked, 10);
    ExpectLawful(request, result);
  }
}

}  // namespace
}  // namespace tandem
