// Does `tandem simulate` run what it is asked to, on both engines alike, and print what it promises?
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.h"

namespace tandem {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson Reports(const std::string& arguments) {
  const ProgramResult run = RunTandem("simulate " + arguments + " --json");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  return OrderedJson::parse(run.output);
}

std::map<std::string, std::int64_t> Makespans(const std::string& arguments) {
  std::map<std::string, std::int64_t> makespans;
  for (const OrderedJson& report : Reports(arguments)) makespans[report["label"]] = report["makespan_ns"];
  return makespans;
}

std::size_t Widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(SimulateAFewTasks, IsJudgedByTheBestScheduleThereIs) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "few.scenario.json";
  std::ofstream(file) << R"({"tandem": "scenario/1", "name": "few", "platform": "tinker-edge-r",
      "profiles": ["tinker-edge-r"], "transfer": "none", "policies": ["eft", "best"], "streams": [
        {"name": "a", "model": "resnet50", "count": 3, "arrival": {"type": "offline"}},
        {"name": "b", "model": "resnet101", "count": 3, "arrival": {"type": "offline"}}]})";
  const OrderedJson reports = Reports(file.string() + " --engine virtual");
  EXPECT_EQ(reports[1]["gap"], 0.0);  // the linear bound alone leaves more than nothing
  EXPECT_GT(reports[0]["gap"], 0.0);
  std::filesystem::remove(file);
}

class SimulateOnBothEngines : public testing::TestWithParam<std::string> {};

// The worked example of docs/semantics.md.
TEST_P(SimulateOnBothEngines, GivesTheWorkedExample) {
  const std::map<std::string, std::int64_t> all = {{"fcfs", 4048341000},
                                                   {"sjf", 3827055000},
                                                   {"affinity", 5074300000},
                                                   {"priority", 5153112000},
                                                   {"eft", 3083670000}};
  const std::map<std::string, std::int64_t> one = {{"fcfs", 3676758000},
                                                   {"sjf", 3827055000},
                                                   {"affinity", 5074300000},
                                                   {"priority", 5153112000},
                                                   {"eft", 3061830000}};
  auto found = Makespans("study-003 --engine " + GetParam());
  found.erase("round_robin");
  EXPECT_EQ(found, all);
  found = Makespans("study-003-one-model --engine " + GetParam());
  found.erase("round_robin");
  EXPECT_EQ(found, one);
}

TEST_P(SimulateOnBothEngines, GivesTheSameBytesForTheSameSeed) {
  const std::string command = "simulate overload --policy fcfs --json --seed 5 --engine " + GetParam();
  const ProgramResult first = RunTandem(command);
  EXPECT_EQ(first.output, RunTandem(command).output);
  EXPECT_NE(first.output, RunTandem(command + " --seed 6").output);
}

INSTANTIATE_TEST_SUITE_P(Engines, SimulateOnBothEngines, testing::Values("virtual", "simgrid"));

TEST(Simulate, BothEnginesSayTheSameButForTheirName) {
  for (const char* scenario : {"overload --policy fcfs --policy sjf", "xrbench-vr-gaming --policy eft"}) {
    OrderedJson simgrid = Reports(std::string(scenario)),
                fast = Reports(std::string(scenario) + " --engine virtual");
    EXPECT_EQ(simgrid[0]["engine"], "simgrid");
    for (OrderedJson& report : simgrid) report["engine"] = "virtual";
    EXPECT_EQ(simgrid, fast);
  }
}

TEST(Simulate, WhatDoesNotFitIsSaidAboveTheTableAndInJson) {
  const std::string fits = "one-after-the-other --engine virtual --policy sjf",
                    not_all = fits + " --what-if units.cpu.resident_models=2";
  EXPECT_FALSE(Reports(fits)[0].contains("short_of_room"));
  const OrderedJson reports = Reports(not_all);
  ASSERT_EQ(reports[0]["short_of_room"].size(), 1u);
  EXPECT_EQ(reports[0]["short_of_room"][0]["memory"], "dram");
  EXPECT_EQ(reports[0]["short_of_room"][0]["cannot_fit"], true);
  const std::string text = RunShell("COLUMNS=1000 " TANDEM_PROGRAM " simulate " + not_all).output;
  const std::size_t said = text.find("as measured: it does not fit");
  EXPECT_LT(said, text.find("\nengine virtual")) << text;
  EXPECT_EQ(RunShell("COLUMNS=1000 " TANDEM_PROGRAM " simulate " + fits).output.find("does not fit"),
            std::string::npos);
}

TEST(Simulate, ContentionIsWhatTheExactAndTheFluidEngineAreApart) {
  const std::string scenario = "sticks-on-a-hub --policy eft --engine ";
  const OrderedJson exact = Reports(scenario + "virtual --contention")[0],
                    fluid = Reports(scenario + "fluid")[0], plain = Reports(scenario + "virtual")[0];
  EXPECT_EQ(exact["fluid_makespan_ns"], fluid["makespan_ns"]);
  EXPECT_EQ(fluid["exact_makespan_ns"], exact["makespan_ns"]);
  EXPECT_NE(exact["makespan_ns"], exact["fluid_makespan_ns"]);
  EXPECT_EQ(plain["makespan_ns"], exact["makespan_ns"]);
  EXPECT_FALSE(plain.contains("fluid_makespan_ns")) << "it costs a run of each policy";
}

TEST(Simulate, HasThePromisedKeysTheBoundAndTheGap) {
  const OrderedJson report = Reports("study-003 --policy eft --engine virtual")[0];
  EXPECT_EQ(report["tandem"], "report/1");
  EXPECT_EQ(report["policy"], "eft");
  EXPECT_EQ(report["bound_ns"].get<std::int64_t>() / 1000000, 2968);
  EXPECT_DOUBLE_EQ(report["gap"], report["makespan_ns"].get<double>() / report["bound_ns"].get<double>() - 1);
  EXPECT_TRUE(report["energy_j"].is_null());
  EXPECT_TRUE(report["energy_why"].is_string());
  EXPECT_EQ(report["streams"].size(), 3u);
  EXPECT_EQ(report["units"].size(), 4u);
  EXPECT_EQ(report["streams"][0]["completed"], 100);
}

TEST(Simulate, TakesPoliciesByLabelByNameAndBeyondTheScenario) {
  const OrderedJson reports =
      Reports("study-003 --engine virtual --policy sjf --policy eft --policy best --policy sjf");
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[1]["makespan_ns"], 3083670000);
  EXPECT_EQ(reports[2]["label"], "best");
}

TEST(Simulate, ItsTableFitsTheTerminalAndMarksTheWinner) {
  const ProgramResult run =
      RunShell("COLUMNS=80 " TANDEM_PROGRAM
               " simulate study-003 --engine virtual --policy eft --policy sjf --details");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_LE(Widest(run.output), 80u) << run.output;
  EXPECT_NE(run.output.find("\n* eft     3083.670   3.9%"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("\n  sjf     3827.055  28.9%"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("best: makespan eft"), std::string::npos) << run.output;
  EXPECT_EQ(run.errors, "");
}

TEST(Simulate, InvalidByLoadgensRulesIsStatusOne) {
  const std::string scenario = testing::TempDir() + "brief.scenario.json";
  const auto run_with = [&](int queries) {
    std::ofstream(scenario) << R"({"tandem": "scenario/1", "name": "brief", "platform": "tinker-edge-r",
      "profiles": ["tinker-edge-r"], "transfer": "none", "rules": "loadgen", "policies": ["fcfs"],
      "streams": [{"name": "q", "model": "mobilenet_v2", "arrival": {"type": "offline", "target_qps": 0.001,
                   "min_duration_ms": 100, "min_query_count": )"
                            << queries << "}}]}";
    return RunTandem("simulate --engine virtual --json " + scenario);
  };
  const ProgramResult brief = run_with(1), enough = run_with(100);
  EXPECT_EQ(brief.status, 1) << brief.errors;
  EXPECT_EQ(OrderedJson::parse(brief.output)[0]["streams"][0]["loadgen"]["result_validity"], "INVALID");
  EXPECT_EQ(enough.status, 0) << enough.output;
  EXPECT_EQ(OrderedJson::parse(enough.output)[0]["streams"][0]["loadgen"]["result_validity"], "VALID");
  std::filesystem::remove(scenario);
}

TEST(Simulate, BatchesThatFormAreCountedAndThoseOfSizesBetweenAreSaid) {
  for (const char* engine : {"simgrid", "virtual"}) {
    const ProgramResult run =
        RunTandem("simulate server-batches --policy fcfs --json --engine " + std::string(engine));
    ASSERT_EQ(run.status, 0) << run.errors;
    const OrderedJson report = OrderedJson::parse(run.output)[0];
    const OrderedJson& questions = report["streams"][0];
    std::int64_t requests = 0;
    for (const OrderedJson& of : questions["batches"]) {
      requests += of["size"].get<std::int64_t>() * of["count"].get<std::int64_t>();
    }
    EXPECT_EQ(questions["completed"], requests) << engine;
    EXPECT_FALSE(report["streams"][1].contains("batches"));
    EXPECT_EQ(report["estimated"],
              OrderedJson::array(
                  {"stream \"questions\" on unit \"gpu\": no profile has model \"resnet50\" in batches "
                   "of 3, taken is the straight line from 2 to 4; of 5 to 7, from 4 to 8"}));
  }
}

TEST(Simulate, WhereUnmanagedTasksWaitForEachOtherIsSaidAndNowhereElse) {
  const std::string beside =
      "units \"gpu\" and \"cpu\" share memory \"dram\", and no profile says what they cost each other: taken "
      "is "
      "nothing";
  const std::string fairly =
      "unit \"gpu\": no profile says how much sharing its time slows \"mobilenet_v2\", \"resnet50\", "
      "\"vgg16\" down (\"sharing\"): taken is an equal share, and no interval says how unsure that is";
  const auto estimated = [&](const std::string& more, const OrderedJson& of_all) {
    const ProgramResult run =
        RunTandem("simulate driver-shared --policy unmanaged,edf --engine virtual --json " + more);
    EXPECT_EQ(run.status, 0) << run.errors;
    const OrderedJson reports = OrderedJson::parse(run.output);
    EXPECT_EQ(reports[1]["estimated"], of_all) << "edf is nobody's operating system";
    return reports[0]["estimated"];
  };
  EXPECT_EQ(estimated("", {beside, fairly}), OrderedJson({beside, fairly}));
  EXPECT_EQ(
      estimated("--what-if units.gpu.slots=1", OrderedJson::array({beside})),
      OrderedJson::array(
          {"unit \"gpu\": 3 streams that nobody manages wait there for 1 slot, where an operating system "
           "or driver would let all of them share its time; give it a slot for each (\"slots\": 3)",
           beside}));
}

TEST(Simulate, TheServerExampleIsValidUnderOneOfItsPoliciesAlone) {
  const ProgramResult run = RunTandem("simulate loadgen-server --engine virtual --json");
  EXPECT_EQ(run.status, 1) << run.errors;
  std::map<std::string, std::string> verdicts;
  for (const OrderedJson& report : OrderedJson::parse(run.output)) {
    verdicts[report["label"]] = report["streams"][0]["loadgen"]["result_validity"];
  }
  EXPECT_EQ(verdicts, (std::map<std::string, std::string>{
                          {"fcfs", "INVALID"}, {"fastest_unit", "INVALID"}, {"eft", "VALID"}}));
}

TEST(Simulate, WritesATraceAndATableBesideItsResult) {
  const std::string trace = testing::TempDir() + "simulate.trace.json",
                    csv = testing::TempDir() + "simulate.csv";
  const ProgramResult run = RunTandem(
      "simulate study-003 --engine virtual --policy sjf --policy eft --trace " + trace + " --csv " + csv);
  EXPECT_EQ(run.status, 0) << run.errors;
  const OrderedJson events = OrderedJson::parse(std::ifstream(trace));
  EXPECT_TRUE(events.contains("traceEvents"));
  std::ifstream lines(csv);
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, 1 + 2 * 300);
  std::filesystem::remove(trace);
  std::filesystem::remove(csv);
}

TEST(Simulate, ReplicationsSayHowSureTheWinnerIs) {
  const OrderedJson reports =
      Reports("study-003 --engine virtual --policy eft --policy sjf --replications 3");
  const OrderedJson &eft = reports[0]["replications"], &sjf = reports[1]["replications"];
  EXPECT_EQ(eft["runs"], 3);
  EXPECT_EQ(eft["samples_drawn"], false);
  EXPECT_EQ(eft["win_probability"], 1);
  EXPECT_EQ(sjf["win_probability"], 0);
  EXPECT_EQ(sjf["tied"], false);
  EXPECT_EQ(sjf["behind_best"]["low"], 3827055000 - 3083670000);
  EXPECT_EQ(eft["makespan_ns"], eft["objective"]) << "all three runs are alike";
  EXPECT_EQ(eft["missed"]["value"], reports[0]["missed"].get<double>());
  EXPECT_DOUBLE_EQ(eft["throughput_per_s"]["high"].get<double>(),
                   reports[0]["throughput_per_s"].get<double>());
  EXPECT_EQ(eft["energy_j"].is_null(), reports[0]["energy_j"].is_null());
}

TEST(Simulate, ReplicationsHaveIntervalsOfTheProbabilityThatIsAskedFor) {
  const std::string command =
      "overload --engine virtual --policy fcfs --objective mean_latency --replications 12";
  const auto width = [](const OrderedJson& reports) {
    const OrderedJson& mean = reports[0]["replications"]["objective"];
    return mean["high"].get<double>() - mean["low"].get<double>();
  };
  const OrderedJson usual = Reports(command), sure = Reports(command + " --interval 99");
  EXPECT_EQ(usual[0]["replications"]["interval"], 0.9);
  EXPECT_EQ(sure[0]["replications"]["interval"], 0.99);
  EXPECT_EQ(usual[0]["replications"]["objective"]["value"], sure[0]["replications"]["objective"]["value"]);
  EXPECT_NEAR(width(sure) / width(usual), 3.1058 / 1.7959, 1e-3) << "Student's t with 11 degrees of freedom";
  const std::string text = RunTandem("simulate " + command + " --interval 99").output;
  EXPECT_NE(text.find("intervals of 99 %"), std::string::npos) << text;
}

TEST(Simulate, ReplicationsVaryWithRandomArrivalsAndRepeatThemselves) {
  const std::string command = "overload --engine virtual --policy fcfs --replications 7 --seed 3";
  const OrderedJson reports = Reports(command);
  const OrderedJson& estimate = reports[0]["replications"]["latency_ns"]["p99"];
  EXPECT_LT(estimate["low"], estimate["high"]);
  EXPECT_LE(estimate["low"], estimate["value"]);
  EXPECT_EQ(reports, Reports(command));
}

// No deadline is missed where there is none, however the arrivals fall.
TEST(Simulate, ReplicationsAreNotCalledAlikeForAnObjectiveThatIsZero) {
  const auto said = [](const std::string& scenario) {
    return RunTandem("simulate " + scenario + " --engine virtual --policy fcfs --replications 7").output;
  };
  EXPECT_EQ(said(TANDEM_TEST_DIR "/../scenarios/policies/copies-count.scenario.json --objective misses")
                .find("all runs are alike"),
            std::string::npos);
  EXPECT_NE(said("study-003").find("all runs are alike"), std::string::npos);
}

TEST(Simulate, InterruptedItPrintsWhatIsCompleteAndSaysSo) {
  const std::string scenario = testing::TempDir() + "long.scenario.json";
  std::ofstream(scenario) << R"({"tandem": "scenario/1", "name": "long", "platform": "tinker-edge-r",
      "profiles": ["tinker-edge-r"], "transfer": "none", "policies": ["fcfs"],
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 200000000, "arrival": {"type": "closed"}}]})";
  const ProgramResult run =
      RunShell(std::string("timeout --foreground -s INT 2 ") + TANDEM_PROGRAM +
               " simulate --engine virtual --json --policy fcfs " + scenario + "; echo $? >&2");
  EXPECT_NE(run.errors.find("interrupted; this is what was complete by then"), std::string::npos)
      << run.errors;
  const OrderedJson report = OrderedJson::parse(run.output)[0];
  EXPECT_EQ(report["complete"], false);
  EXPECT_GT(report["completed"], 0);
  EXPECT_LT(report["completed"], 200000000);
  EXPECT_TRUE(report["gap"].is_null());
  std::filesystem::remove(scenario);
}

// By layer a request needs more memory than there is; whole models do not.
TEST(Simulate, APolicyThatCannotRunIsARowAndKeepsTheOthersResults) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tight";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("m.model.json", R"({"tandem": "model/1", "name": "m", "layers": [
      {"name": "in", "op": "input", "shape": [1, 16, 32, 32]}, {"name": "a", "op": "relu", "inputs": ["in"]},
      {"name": "b", "op": "relu", "inputs": ["a"]}, {"name": "c", "op": "relu", "inputs": ["b"]},
      {"name": "d", "op": "relu", "inputs": ["c"]}, {"name": "e", "op": "add", "inputs": ["d", "b"]},
      {"name": "f", "op": "add", "inputs": ["e", "a"]}]})");
  write("b.platform.json", R"({"tandem": "platform/1", "name": "b",
      "memories": [{"name": "dram", "capacity_bytes": 250000}],
      "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"}]})");
  std::string entries;
  for (const char* layer : {"a", "b", "c", "d", "e", "f"}) {
    entries += (entries.empty() ? "" : ", ") +
               (R"({"model": "./m.model.json", "unit": "cpu", "layers": [")" + std::string(layer)) +
               R"("], "median_us": 10})";
  }
  write("b.profile.json", R"({"tandem": "profile/1", "platform": "./b.platform.json",
      "origin": {"kind": "estimated", "method": "made up"}, "entries": [)" +
                              entries + "]}");
  write("s.scenario.json", R"({"tandem": "scenario/1", "name": "s", "platform": "./b.platform.json",
      "profiles": ["./b.profile.json"], "streams": [{"name": "s", "model": "./m.model.json", "count": 2,
      "arrival": {"type": "offline"}}],
      "policies": [{"name": "fcfs", "label": "layers", "granularity": "layer"}, "fcfs"]})");
  const std::string file = (folder / "s.scenario.json").string();
  for (const char* engine : {"virtual", "simgrid"}) {
    const ProgramResult run = RunTandem("simulate " + file + " --json --engine " + engine);
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.errors.find("policy \"layers\" failed: "), std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find("12144 bytes are missing"), std::string::npos) << run.errors;
    const OrderedJson reports = OrderedJson::parse(run.output);
    EXPECT_EQ(reports[0]["label"], "layers");
    EXPECT_EQ(reports[0]["complete"], false);
    EXPECT_NE(reports[0]["failed"].get<std::string>().find("bytes are missing"), std::string::npos);
    EXPECT_EQ(reports[1]["makespan_ns"], 120000);
    EXPECT_FALSE(reports[1].contains("failed"));
  }
  const ProgramResult alone = RunTandem("simulate " + file + " --policy layers");
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(alone.output, "");
  std::filesystem::remove_all(folder);
}

TEST(Simulate, WrongUseIsToldInOneLine) {
  const ProgramResult unknown = RunTandem("simulate study-003 --policy sjff");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.errors, "--policy: unknown policy \"sjff\"; did you mean \"sjf\"?\n");
  EXPECT_EQ(RunTandem("simulate study-0003").status, 2);
  EXPECT_EQ(RunTandem("simulate study-003 --engine fast").status, 2);
  EXPECT_EQ(RunTandem("simulate study-003 --replications 0").status, 2);
  EXPECT_EQ(RunTandem("simulate study-003 --replications 2 --trace t.json").status, 2);
  EXPECT_EQ(RunTandem("simulate study-003 --replications 2 --contention").status, 2);
  EXPECT_EQ(RunTandem("simulate").status, 2);
}

}  // namespace
}  // namespace tandem
