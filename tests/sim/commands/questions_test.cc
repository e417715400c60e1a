// Do --what-if, `tandem capacity` and `tandem boards compare` answer on the command line what they promise?
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiles/base/files.h"
#include "tests/support/one_unit.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

class Questions : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  TempFolder folder_;
};

Json JsonOf(const std::string& arguments, int status = 0) {
  const ProgramResult run = RunTandem(arguments);
  EXPECT_EQ(run.status, status) << run.errors;
  EXPECT_EQ(run.errors, "");
  return Json::parse(run.output);
}

TEST_F(Questions, SimulateShowsWhatIsSupposedAndWhatWasBefore) {
  const std::string supposed = " --engine virtual --policy fcfs,eft --what-if units.coral.speed=2";
  const Json reports = JsonOf("simulate study-003 --json" + supposed);
  const Json before = JsonOf("simulate study-003 --json --engine virtual --policy fcfs,eft");
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(reports[p]["unchanged"]["makespan_ns"], before[p]["makespan_ns"]);
    EXPECT_NE(reports[p]["makespan_ns"], before[p]["makespan_ns"]);
    EXPECT_EQ(reports[p]["what_if"][0]["asked"], "units.coral.speed=2");
    EXPECT_EQ(reports[p]["what_if"][0]["changes"][0], "units.coral.speed: 1 -> 2 (3 times)");
    EXPECT_FALSE(before[p].contains("what_if"));
    EXPECT_FALSE(before[p].contains("unchanged"));
  }
  EXPECT_EQ(reports[1]["unchanged"]["winner"], true);
  const ProgramResult text = RunShell("COLUMNS=80 " TANDEM_PROGRAM " simulate study-003" + supposed);
  EXPECT_NE(text.output.find("what if: units.coral.speed: 1 -> 2 (3 times)"), std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("the winner stays: eft"), std::string::npos) << text.output;
  EXPECT_LE(WidestLine(text.output), 80U) << text.output;
}

TEST_F(Questions, ExplainAndWhatIfAgreeOnAFasterPart) {
  const Json explained = JsonOf("explain study-003 --engine virtual --policy eft --json");
  for (const Json& faster : explained["faster"]) {
    const bool unit = faster.contains("unit");
    const std::string path =
        unit ? "units." + faster["unit"].get<std::string>() : "links." + faster["link"].get<std::string>();
    const Json changed =
        JsonOf("simulate study-003 --engine virtual --policy eft --json --what-if " + path + ".speed=2");
    EXPECT_EQ(changed[0]["makespan_ns"], faster["makespan_ns"]) << path;
  }
  const Json supposed =
      JsonOf("explain study-003 --engine virtual --policy eft --json --what-if units.coral.speed=2");
  EXPECT_EQ(supposed["run"]["unchanged"]["makespan_ns"], explained["run"]["makespan_ns"]);
  EXPECT_EQ(supposed["what_if"][0]["asked"], "units.coral.speed=2");
}

TEST_F(Questions, PlanNamesBothWinnersAndWritesNone) {
  const Json plan =
      JsonOf("plan study-003 --engine virtual --policy fcfs,eft --json --what-if units.*.speed=2");
  EXPECT_EQ(plan["winner"], "eft");
  EXPECT_EQ(plan["unchanged"]["winner"], "eft");
  EXPECT_EQ(plan["what_if"].size(), 1U);
  const ProgramResult refused =
      RunTandem("plan study-003 --what-if units.coral.speed=2 -o " + (folder_ / "x.plan.json").string());
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors,
            "-o with --what-if: a plan is for the board as it is; write what is supposed into the scenario "
            "or its platform, and plan that\n");
}

TEST_F(Questions, APlanMayBeSupposedOtherwiseToo) {
  const std::string plan = (folder_ / "x.plan.json").string();
  EXPECT_EQ(RunTandem("plan study-003 --engine virtual --policy eft -o " + plan).status, 0);
  const Json changed = JsonOf("simulate " + plan + " --engine virtual --json --what-if units.coral.speed=2");
  EXPECT_EQ(changed[0]["makespan_ns"],
            JsonOf("simulate study-003 --policy eft --engine virtual --json --what-if units.coral.speed=2")
                [0]["makespan_ns"]);
}

TEST_F(Questions, ThePageSaysWhatIsSupposed) {
  const std::string page = (folder_ / "x.html").string();
  EXPECT_EQ(
      RunTandem("simulate study-003 --engine virtual --policy eft --what-if units.coral.speed=2 --html " +
                page)
          .status,
      0);
  const std::string text = ReadTextFile(page);
  EXPECT_NE(text.find("what if units.coral.speed=2"), std::string::npos);
  EXPECT_NE(text.find("what if: units.coral.speed: 1 -> 2 (3 times)"), std::string::npos)
      << text.substr(text.find("what if"), 400);
}

TEST_F(Questions, ReplicationsAreComparedByTheirMeans) {
  const ProgramResult run = RunTandem(
      "simulate overload --engine virtual --policy fcfs,eft --replications 3 --what-if "
      "streams.camera.arrival.fps=120");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("what if: streams.camera.arrival.fps: 240 -> 120"), std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("without and with what is supposed"), std::string::npos) << run.output;
}

TEST_F(Questions, WrongSuppositionsEndWithTwo) {
  const ProgramResult run = RunTandem("simulate study-003 --what-if links.usb.bandwidth=2x");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.errors,
            "--what-if links.usb.bandwidth=2x: links has none called \"usb\"; did you mean \"usb1\"?\n");
  const ProgramResult shared = RunTandem("simulate study-003 --what-if links.dram.bandwidth=2x");
  EXPECT_EQ(shared.errors,
            "--what-if links.dram.bandwidth=2x: several links are called \"dram\": say which of dram-usb1, "
            "dram-usb2, or * for all\n");
}

TEST_F(Questions, CapacityIsTheSameOnBothEnginesAndFitsTheTerminal) {
  const std::string file = Write("one.scenario.json", OneUnit{}.Text());
  const std::string asked = " --vary streams.camera.arrival.rate --until 'misses <= 0 %' ";
  const Json fast = JsonOf("capacity " + file + asked + "--json");
  Json simgrid = JsonOf("capacity " + file + asked + "--json --engine simgrid");
  EXPECT_EQ(fast["tandem"], "capacity/1");
  EXPECT_EQ(fast["policies"][0]["limit"], 100);
  EXPECT_EQ(fast["policies"][0]["interval"], Json());
  EXPECT_TRUE(fast["policies"][0]["interval_why"].is_string());
  simgrid["engine"] = "virtual";
  EXPECT_EQ(simgrid, fast);
  const ProgramResult text = RunShell("COLUMNS=80 " TANDEM_PROGRAM " capacity " + file + asked);
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_LE(WidestLine(text.output), 80U) << text.output;
  EXPECT_NE(text.output.find("* fcfs"), std::string::npos) << text.output;
  ASSERT_EQ(fast["profiles"].size(), 1U);
  EXPECT_TRUE(fast["profiles"][0]["origin"].is_string());
  EXPECT_NE(text.output.find("in place: times "), std::string::npos) << text.output;
}

TEST_F(Questions, CapacityEndsWithOneWhereNothingHolds) {
  const std::string file = Write("one.scenario.json", OneUnit{}.Text());
  const ProgramResult run =
      RunTandem("capacity " + file + " --vary streams.camera.arrival.rate --until 'max <= 9 ms'");
  EXPECT_EQ(run.status, 1) << run.output << run.errors;
  EXPECT_EQ(RunTandem("capacity " + file + " --vary seeds --until 'max <= 9 ms'").status, 2);
  EXPECT_EQ(RunTandem("capacity " + file + " --vary seed").status, 2);
}

TEST_F(Questions, WorstSaysWhichDeadlinesAreKeptAndOfWhatThatIsProved) {
  const Json worst = JsonOf("worst late-brake --json");
  EXPECT_EQ(worst["tandem"], "worst/1");
  EXPECT_EQ(worst["policies"][0]["streams"][0]["longest_ns"], 28000000);
  EXPECT_EQ(worst["policies"][0]["keeps_all_deadlines"], true);
  EXPECT_EQ(worst["policies"][1]["keeps_all_deadlines"], false);
  EXPECT_LE(worst["policies"][0]["streams"][0]["seen_ns"], worst["policies"][0]["streams"][0]["longest_ns"]);
  EXPECT_EQ(RunTandem("worst late-brake --policy fcfs").status, 1);
  EXPECT_EQ(RunTandem("worst late-brake --policy priority --longer 1.2").status, 1) << "33.6 of 30 ms";
  const ProgramResult text = RunShell("COLUMNS=80 " TANDEM_PROGRAM " worst late-brake");
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_LE(WidestLine(text.output), 80U) << text.output;
  EXPECT_NE(text.output.find("kept as profiled"), std::string::npos) << text.output;
  EXPECT_FALSE(worst["policies"][0].contains("longest_sample"));
  EXPECT_NE(text.output.find("log: nothing is proved: its requests may come at any time"), std::string::npos)
      << text.output;
}

TEST_F(Questions, WorstProvesWhatIsCriticalWhateverTheOthersDo) {
  const Json worst = JsonOf("worst critical-brake --policy fcfs --json")["policies"][0]["streams"];
  EXPECT_EQ(worst[0]["longest_ns"], 19000000 + 9110000);
  EXPECT_EQ(worst[0]["keeps_deadline"], true);
  EXPECT_LE(worst[0]["seen_ns"], worst[0]["longest_ns"]);
  EXPECT_FALSE(worst[0].contains("misses")) << "it was not asked for";
  EXPECT_EQ(RunTandem("worst critical-brake --policy fcfs --what-if streams.brake.critical=false").status, 1);
}

TEST_F(Questions, WorstSaysHowLikelyMissesAre) {
  const Json worst =
      JsonOf("worst critical-brake --policy fcfs --probability --json")["policies"][0]["streams"];
  const Json& misses = worst[0]["misses"];
  EXPECT_EQ(misses["requests"], 101 * 200);
  EXPECT_GT(misses["at_most"], misses["seen"]);
  EXPECT_LT(misses["at_most"], 0.02) << "one of sixty samples is above 13 ms";
  EXPECT_FALSE(worst[1].contains("misses")) << "it has no deadline";
  const ProgramResult text =
      RunShell("COLUMNS=80 " TANDEM_PROGRAM " worst critical-brake --probability --policy fcfs,eft");
  EXPECT_LE(WidestLine(text.output), 80U) << text.output;
  EXPECT_NE(text.output.find("how likely a request misses its deadline"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("brake: nothing is proved of how likely that is: in which order"),
            std::string::npos)
      << text.output;
}

// late-brake's times are medians: 9 ms behind 19 at most are within 30.
TEST_F(Questions, WorstOfOneTimeEachIsNoChance) {
  const Json streams = JsonOf("worst late-brake --probability --json")["policies"][0]["streams"];
  const Json& misses = streams[0]["misses"];
  EXPECT_EQ(misses["as_profiled"], true);
  EXPECT_EQ(misses["at_most"], 0);
  EXPECT_FALSE(misses["without_samples"].empty());
  const std::string text = RunShell("COLUMNS=200 " TANDEM_PROGRAM " worst late-brake --probability").output;
  EXPECT_NE(text.find("0 or 1 is what is proved of their times as profiled, and no chance"),
            std::string::npos)
      << text;
}

TEST_F(Questions, WorstSaysWhatItTakesOfUnitsThatNobodyMeasuredBesideEachOther) {
  const std::string file =
      Write("s.scenario.json", R"({"tandem": "scenario/1", "name": "s", "transfer": "none",
      "platform": {"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}],
        "units": [{"name": "x", "kind": "cpu", "memory": "m"}, {"name": "y", "kind": "gpu", "memory": "m"}]},
      "profiles": [{"tandem": "profile/1", "platform": "b", "origin": {"kind": "published", "source": "a sheet"},
        "entries": [{"model": "alexnet", "unit": "x", "layers": "*", "median_us": 9000},
                    {"model": "squeezenet_1_1", "unit": "y", "layers": "*", "median_us": 5000}]}],
      "policies": ["fcfs"],
      "streams": [{"name": "a", "model": "alexnet", "count": 5, "deadline_ms": 20,
                   "arrival": {"type": "periodic", "period_ms": 50}},
                  {"name": "b", "model": "squeezenet_1_1", "count": 5, "deadline_ms": 20,
                   "arrival": {"type": "periodic", "period_ms": 50}}]})");
  const Json worst = JsonOf("worst " + file + " --json");
  EXPECT_EQ(worst["policies"][0]["streams"][0]["assumes"],
            Json::array({R"(units "x" and "y" cost each other nothing)"}));
  const std::string text = RunShell("COLUMNS=200 " TANDEM_PROGRAM " worst " + file).output;
  EXPECT_NE(text.find("kept as profiled, if units cost each other nothing"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(a, b: proved if units "x" and "y" cost each other nothing: they share a memory)"),
            std::string::npos)
      << text;
}

// Nobody measured what a load costs, nor two pairs of models of four: everybody who has results of it says
// so.
TEST_F(Questions, EveryCommandSaysWhatIsTakenForWantOfAMeasurement) {
  const auto entry = [](const std::string& model, const std::string& unit, int micros) {
    return R"({"model": ")" + model + R"(", "unit": ")" + unit + R"(", "layers": "*", "median_us": )" +
           std::to_string(micros) + "}";
  };
  const std::string entries = entry("alexnet", "x", 9000) + ", " + entry("squeezenet_1_1", "x", 6000) + ", " +
                              entry("alexnet", "y", 8000) + ", " + entry("squeezenet_1_1", "y", 5000);
  const std::string platform = Write("b.platform.json", R"({"tandem": "platform/1", "name": "b",
      "memories": [{"name": "m"}],
      "units": [{"name": "x", "kind": "cpu", "memory": "m"}, {"name": "y", "kind": "gpu", "memory": "m"}]})");
  Write("b.profile.json", R"({"tandem": "profile/1", "platform": "./b.platform.json",
      "origin": {"kind": "published", "source": "a sheet"}, "entries": [)" +
                              entries + R"(],
      "co_running": [{"unit": "x", "model": "alexnet", "beside": "y", "beside_model": "alexnet", "slowdown": 1.1}]})");
  const std::string file =
      Write("s.scenario.json", R"({"tandem": "scenario/1", "name": "s", "transfer": "none",
      "platform": "./b.platform.json", "profiles": ["./b.profile.json"], "policies": ["fcfs", "eft"],
      "background": [{"unit": "x", "load_pct": 40}],
      "streams": [{"name": "a", "model": "alexnet", "count": 5, "arrival": {"type": "offline"}},
                  {"name": "b", "model": "squeezenet_1_1", "count": 5, "arrival": {"type": "offline"}}]})");
  const std::string baseline = (folder_ / "s.baseline.json").string();
  ASSERT_EQ(RunTandem("new baseline " + file + " -o " + baseline).status, 0);
  const std::string pairs = R"(1 of 4 pairs of models were measured beside each other on units "x" and "y")",
                    load = "taken is 1.667 = 1 / (1 - load)";
  for (const std::string& command :
       {"simulate " + file, "plan " + file, "explain " + file + " --policy fcfs", "worst " + file,
        "capacity " + file + " --policy fcfs --vary 'count(a)' --until 'makespan <= 200 ms'",
        "boards compare " + file + " " + platform, "regress " + baseline}) {
    const ProgramResult text = RunShell("COLUMNS=300 " TANDEM_PROGRAM " " + command);
    for (const std::string& sentence : {pairs, load}) {
      const auto place = text.output.find(sentence);
      EXPECT_NE(place, std::string::npos) << command << ": " << text.output << text.errors;
      EXPECT_EQ(text.output.find(sentence, place + 1), std::string::npos) << "once: " << command;
    }
    const Json json = Json::parse(RunTandem(command + " --json").output);
    EXPECT_NE(json.dump().find("1 of 4 pairs"), std::string::npos) << command << json;
    EXPECT_NE(json.dump().find("taken is 1.667"), std::string::npos) << command << json;
  }
}

// 10 ms by its median, 13 ms by its greatest sample.
TEST_F(Questions, WorstOfMediansIsNoneOfSamples) {
  Write("b.platform.json", R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}],
                               "units": [{"name": "cpu", "kind": "cpu", "memory": "m"}]})");
  Write("b.profile.json",
        R"({"tandem": "profile/1", "platform": "./b.platform.json", "origin": {"kind": "measured",
      "host": "h", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {}, "cache_mode": "warm"},
      "entries": [{"model": "alexnet", "unit": "cpu", "layers": "*", "samples_us": [9000, 10000, 13000]}]})");
  const std::string file =
      Write("s.scenario.json", R"({"tandem": "scenario/1", "name": "s", "transfer": "none",
      "platform": "./b.platform.json", "profiles": ["./b.profile.json"], "policies": ["fcfs"],
      "streams": [{"name": "a", "model": "alexnet", "count": 5, "deadline_ms": 20,
                   "arrival": {"type": "periodic", "period_ms": 50}}]})");
  const Json policy = JsonOf("worst " + file + " --json")["policies"][0];
  EXPECT_EQ(policy["keeps_all_deadlines"], true);
  EXPECT_EQ(policy["longest_sample"], 1.3);
  const std::string medians = RunShell("COLUMNS=200 " TANDEM_PROGRAM " worst " + file).output;
  EXPECT_NE(medians.find("kept at medians"), std::string::npos) << medians;
  EXPECT_NE(medians.find("up to 1.30 times as long"), std::string::npos) << medians;
  const std::string samples =
      RunShell("COLUMNS=200 " TANDEM_PROGRAM " worst " + file + " --longer 1.31").output;
  EXPECT_NE(samples.find("kept at all samples"), std::string::npos) << samples;
  EXPECT_EQ(samples.find("kept at medians"), std::string::npos) << samples;
  EXPECT_EQ(RunTandem("worst " + file + " --longer 2.1").status, 1) << "21 of 20 ms";
}

// 10 ms, then 5 ms: what follows is proved from the camera's release on, and judged by both deadlines.
TEST_F(Questions, WorstJudgesDeadlinesFromEndToEnd) {
  OneUnit one;
  const auto asked = [&](const std::string& deadlines) {
    one.entries = R"(, {"model": "mobilenet_v2", "unit": "cpu", "layers": "*", "median_us": 5000})";
    one.streams =
        R"({"name": "cam", "model": "alexnet", "count": 20, "arrival": {"type": "periodic", "period_ms": 50}},
                     {"name": "post", "model": "mobilenet_v2", "depends_on": {"stream": "cam"}, )" +
        deadlines + "}";
    return "worst " + Write("chain.scenario.json", one.Text());
  };
  const auto judged = [&](const std::string& deadlines, int status) {
    const Json policy = JsonOf(asked(deadlines) + " --json", status)["policies"][0];
    EXPECT_EQ(policy["keeps_all_deadlines"], policy["streams"][1]["keeps_deadline"]) << deadlines;
    EXPECT_FALSE(policy["streams"][0].contains("end_to_end"));
    return policy["streams"][1];
  };
  const Json late = judged(R"("end_to_end_deadline_ms": 12)", 1);
  EXPECT_EQ(late["keeps_deadline"], false);
  EXPECT_EQ(late["end_to_end"]["deadline_ns"], 12'000'000);
  EXPECT_EQ(late["end_to_end"]["seen_ns"], 15'000'000);
  EXPECT_EQ(late["end_to_end"]["longest_ns"], 15'000'000 + 15'000'000) << "each may wait for the other one";
  EXPECT_EQ(judged(R"("end_to_end_deadline_ms": 30)", 0)["keeps_deadline"], true);
  EXPECT_EQ(judged(R"("deadline_ms": 14, "end_to_end_deadline_ms": 30)", 1)["keeps_deadline"], false);
  EXPECT_EQ(judged(R"("deadline_ms": 15, "end_to_end_deadline_ms": 29)", 1)["keeps_deadline"], false);
  EXPECT_EQ(judged(R"("deadline_ms": 15, "end_to_end_deadline_ms": 30)", 0)["keeps_deadline"], true);
  const ProgramResult text =
      RunShell("COLUMNS=80 " TANDEM_PROGRAM " " + asked(R"("end_to_end_deadline_ms": 12)"));
  EXPECT_NE(text.output.find("post, end to end"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("may be missed"), std::string::npos) << text.output;
  EXPECT_LE(WidestLine(text.output), 80U) << text.output;
}

TEST_F(Questions, WorstNamesNoUnitAndNoTimeWhereSeveralMayRunIt) {
  const Json camera = JsonOf("worst faces --policy fcfs --json", 1)["policies"][0]["streams"];
  EXPECT_EQ(camera[0]["unit"], "npu");
  EXPECT_EQ(camera[1]["stream"], "faces_1");
  EXPECT_EQ(camera[1]["unit"], Json());
  EXPECT_EQ(camera[1]["work_ns"], Json());
  const ProgramResult text = RunTandem("worst faces --policy fcfs");
  EXPECT_EQ(text.output.find(" 0.000"), std::string::npos) << text.output;
}

TEST_F(Questions, BoardsAreComparedByFigurePriceWattsAndWhatTheyCarry) {
  const auto board = [&](const std::string& name, int micros, const std::string& price) {
    Write(name + ".platform.json",
          R"({"tandem": "platform/1", "name": ")" + name + "\"" + price +
              R"(, "memories": [{"name": "m"}], "units": [{"name": "cpu", "kind": "cpu",
                                       "memory": "m", "idle_w": 1, "busy_w": 3}]})");
    Write(name + ".profile.json",
          R"({"tandem": "profile/1", "platform": "./)" + name +
              R"(.platform.json", "origin": {"kind": "published", "source": "a sheet"},
                                      "entries": [{"model": "alexnet", "unit": "cpu", "layers": "*", "median_us": )" +
              std::to_string(micros) + "}]}");
    return (folder_ / (name + ".platform.json")).string();
  };
  const std::string slow = board("slow", 20000, R"(, "price": {"amount": 10, "currency": "USD"})"),
                    fast = board("fast", 5000, R"(, "price": {"amount": 100, "currency": "USD"})");
  OneUnit one;
  one.policies = R"("fcfs", {"name": "priority", "rank": {"cpu": ["alexnet"]}})";
  one.streams = R"({"name": "camera", "model": "alexnet", "count": 40, "arrival": {"type": "periodic",
                    "period_ms": 40}, "deadline_ms": 40})";
  const std::string scenario = Write("one.scenario.json", one.Text());
  const std::string asked =
      "boards compare " + scenario + " " + slow + " " + fast +
      " tinker-edge-r --objective mean_latency --vary 'count(camera)' --until 'misses <= 0 %'";
  const Json choice = JsonOf(asked + " --json");
  EXPECT_EQ(choice["tandem"], "board_choice/1");
  const Json& boards = choice["boards"];
  EXPECT_EQ(boards[0]["carries"], 2);
  EXPECT_EQ(boards[1]["carries"], 8);
  EXPECT_EQ(boards[0]["carries_per_price"], 0.2);
  EXPECT_EQ(boards[1]["carries_per_price"], 0.08);
  EXPECT_EQ(boards[1]["winner"], true);
  EXPECT_EQ(boards[0]["winner"], false);
  // Busy for half of the time but for the last 20 ms: 800 of 1580 ms.
  EXPECT_NEAR(boards[0]["watts"].get<double>(), 1 + 2 * 800.0 / 1580, 1e-9);
  EXPECT_NE(boards[2]["why"].get<std::string>().find("alexnet"), std::string::npos) << boards[2]["why"];
  const ProgramResult nobody =
      RunTandem("boards compare " + scenario + " " + slow + " " + fast + " --policy best");
  EXPECT_EQ(nobody.status, 2);
  EXPECT_EQ(
      nobody.errors,
      "--policy: best never wins, since it sees arrivals that are still to come; name a policy that `tandem "
      "policies list` does not call clairvoyant\n");
  const ProgramResult text = RunShell("COLUMNS=80 " TANDEM_PROGRAM " " + asked);
  EXPECT_LE(WidestLine(text.output), 80U) << text.output;
  EXPECT_NE(text.output.find("100 USD"), std::string::npos) << text.output;
}

// Two boards whose measured times are off by a tenth or so; `fast` is that much faster, in us.
TEST_F(Questions, TheBestBoardIsNamedWithTheProbabilityThatItIs) {
  const auto board = [&](const std::string& name, int micros, const std::string& error) {
    Write(name + ".platform.json", R"({"tandem": "platform/1", "name": ")" + name +
                                       R"(", "memories": [{"name": "m"}],
                                           "units": [{"name": "cpu", "kind": "cpu", "memory": "m"}]})");
    Write(name + ".profile.json",
          R"({"tandem": "profile/1", "platform": "./)" + name +
              R"(.platform.json", "origin": {"kind": "published", "source": "a sheet")" + error + R"(},
              "entries": [{"model": "alexnet", "unit": "cpu", "layers": "*", "median_us": )" +
              std::to_string(micros) + "}]}");
    return (folder_ / (name + ".platform.json")).string() + " ";
  };
  const std::string off = R"(, "error": 0.1)";
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "count": 9, "arrival": {"type": "offline"}})";
  const std::string asked =
      "boards compare " + Write("one.scenario.json", one.Text()) + " " + board("a", 10000, off);
  const Json clear = JsonOf(asked + board("b", 3000, off) + "--json");
  EXPECT_EQ(clear["boards"][1]["win_probability"], 1);
  EXPECT_NE(clear["verdict"].get<std::string>().find("b.platform.json is best in 100.0% of 101 draws"),
            std::string::npos)
      << clear["verdict"];
  // As both are of one profile each, luck that they shared would make the slower one never win.
  const Json close = JsonOf(asked + board("c", 9900, off) + "--json");
  EXPECT_GT(close["boards"][0]["win_probability"], 0.25);
  EXPECT_NEAR(close["boards"][0]["win_probability"].get<double>() +
                  close["boards"][1]["win_probability"].get<double>(),
              1, 1e-9);
  EXPECT_EQ(close["verdict"].get<std::string>().find("these cannot be told apart by makespan: "), 0U)
      << close["verdict"];
  const Json unknown = JsonOf(asked + board("d", 3000, "") + "--json");
  EXPECT_TRUE(unknown["boards"][1]["win_probability"].is_null());
  EXPECT_EQ(unknown["verdict"].get<std::string>().find(
                "how sure the best board is cannot be told: no interval of "),
            0U)
      << unknown["verdict"];
  EXPECT_TRUE(JsonOf(asked + "--json")["verdict"].is_null());
}

TEST_F(Questions, ABoardWithoutUnitsOfThatNameIsComparedWithoutThem) {
  const Json choice =
      JsonOf("boards compare study-003 tinker-edge-r agx-xavier --engine virtual --policy fcfs --json", 0);
  EXPECT_EQ(choice["boards"][0]["report"]["makespan_ns"], 4048341000);
  EXPECT_NE(choice["boards"][1]["why"].get<std::string>().find("resnet101"), std::string::npos);
  EXPECT_EQ(RunTandem("boards compare study-003 agx-xavier").status, 1);
  const ProgramResult nobody = RunTandem("boards compare study-003 tinker-edge-r agx-xavier --policy nobody");
  EXPECT_EQ(nobody.status, 2);
  EXPECT_EQ(nobody.output, "");
  EXPECT_EQ(nobody.errors,
            "--policy: unknown policy \"nobody\"; `tandem policies list` shows what there is\n");
  const ProgramResult wrong = RunTandem("boards compare study-003 agx-xavierr");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.errors.find("did you mean \"agx-xavier\"?"), std::string::npos) << wrong.errors;
}

}  // namespace
}  // namespace tandem
