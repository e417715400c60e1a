// Do plans give what one unit alone gives where units have memories of their own: whatever is copied, by slots
// or engines, read through mappings or brought along for nothing?
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "device/harness.h"
#include "profiles/files.h"
#include "profiles/input_error.h"
#include "profiles/model_json.h"
#include "scenarios/trace_check.h"
#include "scenarios/trace_read.h"
#include "tests/device/cut_plans.h"
#include "tests/device/distant_backend.h"
#include "tests/device/harness_files.h"
#include "tests/error_of.h"

namespace tandem {
namespace {

constexpr const char* kUnits =
    R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
        {"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference", "slots": 2},
        {"name": "other", "kind": "gpu", "memory": "card", "backend": "reference"}])";
constexpr const char* kMemories = R"([{"name": "dram"}, {"name": "vram"}, {"name": "card"}])";

std::string LinkText(const char* from, const char* to, bool engine) {
  return std::string(R"({"from": ")") + from + R"(", "to": ")" + to +
         R"(", "bandwidth_bytes_per_s": 1000000000, "engine": )" + (engine ? "true}" : "false}");
}

enum class Board { kSlots, kEngines, kMixed, kDirect };

std::string LinksOf(Board board) {
  const bool first = board == Board::kEngines || board == Board::kMixed, second = board == Board::kEngines;
  if (board == Board::kDirect) {
    return "[" + LinkText("dram", "vram", false) + ", " + LinkText("vram", "card", true) + "]";
  }
  return "[" + LinkText("dram", "vram", first) + ", " + LinkText("dram", "card", second) + "]";
}

class Distant : public HarnessFiles {
 protected:
  Distant() {
    memories = kMemories;
    units = kUnits;
    links = LinksOf(Board::kSlots);
  }

  HarnessPlace DistantPlace() {
    HarnessPlace place = Place();
    place.backend_of = [this](const Unit& unit, const std::string& where) -> const DeviceBackend& {
      return unit.name == "distant" ? distant : unit.name == "other" ? other : BackendOf(unit, where);
    };
    return place;
  }

  RunResult ExpectRight(const RunRequest& request, std::int64_t requests, const std::string& what = "") {
    const RunResult result = RunPlans(request, DistantPlace());
    EXPECT_EQ(result.runs.size(), request.plans.size() * static_cast<std::size_t>(request.repeats)) << what;
    for (const DeviceRun& run : result.runs) {
      EXPECT_TRUE(run.complete) << what << run.label << ": " << run.failure;
      EXPECT_EQ(run.outputs.checked, requests) << what << run.label;
      EXPECT_EQ(run.outputs.wrong, 0) << what << run.label << ", worst " << run.outputs.worst;
    }
    ExpectLawful(request, result, what);
    return result;
  }

  static void ExpectLawful(const RunRequest& request, const RunResult& result, const std::string& what) {
    const JsonDocument document = JsonDocument::Parse(result.trace, "trace");
    for (const TraceFinding& finding :
         CheckTrace(request.plans[0].scenario, ReadTrace(document.root())).violations) {
      ADD_FAILURE() << what << finding.run << ": " << finding.rule << ", " << finding.request << ": "
                    << finding.what;
    }
  }

  std::vector<std::string> EveryPolicy() const {
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

  void ExpectCutsAsOneUnit(Board board, std::uint64_t seeds);

  DistantBackend distant, other;
};

TEST_F(Distant, EveryPolicyRunsAndItsOutputsAreRight) {
  RunRequest request = Request(EveryPolicy());
  request.trace = true;
  ExpectRight(request, 10);
  EXPECT_GT(distant.calls().copies, 0);
  EXPECT_EQ(distant.calls().host_reads, 0) << "all that it reads is brought to it";
}

TEST_F(Distant, EnginesCopyBesideTheUnits) {
  links = LinksOf(Board::kEngines);
  RunRequest request = Request({R"("fcfs")", R"("single:distant")",
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
    for (const Board board : {Board::kSlots, Board::kMixed, Board::kDirect}) {
      links = LinksOf(board);
      RunRequest request = Request({R"({"name": "fcfs", "label": "layers", "granularity": "layer"})",
                                    R"({"name": "sjf", "label": "small first", "granularity": "layer"})",
                                    R"({"name": "eft", "label": "groups", "granularity": "group"})"});
      request.trace = true;
      ExpectRight(request, 10, std::string(transfer) + " " + std::to_string(static_cast<int>(board)) + ": ");
    }
  }
}

// A copy that the unit makes is one of its own processor, and its time is in the trace.
TEST_F(Distant, CopiesAreInTheTraceWithTheirTimes) {
  links = LinksOf(Board::kMixed);
  distant.calls().before_copy = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds{2}); };
  RunRequest request = Request({R"("single:distant")"});
  request.trace = true;
  const RunResult result = ExpectRight(request, 10);
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

TEST_F(Distant, MappingsAreReadAndWrittenWhereTheHostHasThem) {
  more = R"(, "transfer": "zero_copy")";
  RunRequest request = Request({R"("single:distant")"});
  request.trace = true;
  request.check = false;
  const RunResult result = RunPlans(request, DistantPlace());
  EXPECT_TRUE(result.runs.at(0).complete) << result.runs[0].failure;
  EXPECT_EQ(distant.calls().host_reads, 10);
  EXPECT_EQ(distant.calls().host_writes, 10);
  EXPECT_GT(distant.pinned().allocations, 0) << "inputs and outputs lie in the memory that it reads";
}

TEST_F(Distant, ACopyThatFailsEndsTheRun) {
  for (const Board board : {Board::kSlots, Board::kEngines}) {
    links = LinksOf(board);
    streams = R"([{"name": "x", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}}])";
    units = R"([{"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"}])";
    memories = R"([{"name": "dram"}, {"name": "vram"}])";
    links = "[" + LinkText("dram", "vram", board == Board::kEngines) + "]";
    RunRequest request = Request({R"("single:distant")"});
    request.trace = true;
    request.check = false;
    distant.calls().copies = distant.calls().beside = 0;
    distant.calls().before_copy = nullptr;
    ASSERT_TRUE(RunPlans(request, DistantPlace()).runs.at(0).complete);
    // One of warming up, and a copy in and out for each request.
    const int all = distant.calls().copies + distant.calls().beside;
    distant.calls().copies = distant.calls().beside = 0;
    distant.calls().before_copy = [&](int copy) {
      if (copy == all - 3) throw EnvironmentError("the bus is gone");
    };
    const RunResult result = RunPlans(request, DistantPlace());
    const DeviceRun& run = result.runs.at(0);
    EXPECT_FALSE(run.complete);
    EXPECT_NE(run.failure.find("copying \""), std::string::npos) << run.failure;
    EXPECT_NE(run.failure.find("the bus is gone"), std::string::npos) << run.failure;
    EXPECT_GT(run.outputs.unchecked, 0) << "what is complete is kept";
    ExpectLawful(request, result, "");
    EXPECT_EQ(distant.memory().in_use, 0);
  }
}

TEST_F(Distant, WhatNobodyCopiesIsRefused) {
  links = LinksOf(Board::kEngines);
  distant.calls().copiers = false;
  RunRequest request = Request({R"("fcfs")"});
  const std::string engine = ErrorOf([&] { RunPlans(request, DistantPlace()); });
  EXPECT_EQ(engine,
            "the link from \"dram\" to \"vram\": no backend copies beside a unit's work here; \"engine\": "
            "false, or units that are emulated");
  links = LinksOf(Board::kSlots);
  request = Request({R"("fcfs")"});
  const std::string slot = ErrorOf([&] { RunPlans(request, DistantPlace()); });
  EXPECT_EQ(slot,
            "unit \"one\": nothing here copies between \"vram\" and \"dram\" for it; a copy engine may, or "
            "another unit");
}

TEST_F(Distant, OneMemoryOfThePlatformIsOneMemoryHere) {
  units = R"([{"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"},
              {"name": "other", "kind": "gpu", "memory": "vram", "backend": "reference"}])";
  const std::string error = ErrorOf([&] { RunPlans(Request({R"("fcfs")"}), DistantPlace()); });
  EXPECT_EQ(error,
            "memory \"vram\": units \"distant\" and \"other\" work from different memories here; give each "
            "of them its own in the platform");
}

// Emulated units wait for their copies; what they had is not compared.
TEST_F(Distant, EmulatedUnitsStandBeside) {
  units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
              {"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference"},
              {"name": "npu", "kind": "npu", "memory": "card", "backend": "emulated"}])";
  for (const Board board : {Board::kSlots, Board::kEngines}) {
    links = LinksOf(board);
    RunRequest request = Request({R"({"name": "fcfs", "granularity": "layer"})"});
    request.trace = true;
    const RunResult result = RunPlans(request, DistantPlace());
    const DeviceRun& run = result.runs.at(0);
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.wrong, 0);
    EXPECT_EQ(run.outputs.checked + run.outputs.unchecked, 10);
    ExpectLawful(request, result, "");
  }
}

std::vector<EdgeMode> RandomEdges(const Model& model, std::int64_t batch, Chance& chance) {
  std::vector<EdgeMode> edges;
  const auto mode = [&] {
    return chance.Of<TransferMode>({TransferMode::kCopy, TransferMode::kZeroCopy, TransferMode::kNone});
  };
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto users = model.users(LayerId(i));
    for (const LayerId user : users) edges.push_back({ModelId(0), batch, LayerId(i), user, mode()});
    if (users.empty()) edges.push_back({ModelId(0), batch, LayerId(i), LayerId(), mode()});
  }
  return edges;
}

void Distant::ExpectCutsAsOneUnit(Board board, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Chance chance(seed);
    const Model model = RandomNetwork(chance, 8);
    const std::filesystem::path file = folder / "cut.json";
    WriteFile(file, ModelJson(model, ""));
    CutPlan cut;
    cut.model = file.string();
    cut.units = kUnits;
    cut.memories = kMemories;
    cut.links = LinksOf(board);
    cut.batch = 1 + chance.Below(2);
    cut.pieces = RandomPieces(model, chance);
    cut.requests = 4;
    if (chance.Percent(70)) cut.edges = RandomEdges(model, cut.batch, chance);
    RunRequest request;
    request.plans.push_back(PlanOf(cut, chance));
    request.force = request.trace = true;
    ExpectRight(request, cut.requests, "seed " + std::to_string(seed) + " ");
    EXPECT_EQ(distant.memory().in_use, 0) << "seed " << seed;
  }
}

TEST_F(Distant, AnyCutGivesTheSameThroughSlots) { ExpectCutsAsOneUnit(Board::kSlots, 12); }
TEST_F(Distant, AnyCutGivesTheSameThroughEngines) { ExpectCutsAsOneUnit(Board::kEngines, 12); }
TEST_F(Distant, AnyCutGivesTheSameThroughBoth) { ExpectCutsAsOneUnit(Board::kMixed, 12); }
TEST_F(Distant, AnyCutGivesTheSameOverAMemoryInBetween) { ExpectCutsAsOneUnit(Board::kDirect, 12); }

}  // namespace
}  // namespace tandem
