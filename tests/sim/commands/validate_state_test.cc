// Is what `tandem validate` predicts of the state in which the runs found the machine, where the device or
// models that ran alone tell it? The device is tests/support/fake_device.py.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/files.h"
#include "tests/support/validate_testing.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

TEST_F(Validate, PredictionsAreOfTheStateInWhichTheYardsticksFoundTheMachine) {
  const std::string slower = "--factors 1.05 --yardsticks big=1.05,small=1.05";
  const Json json = Parsed(Run(slower, "--repeat 2 --json"));
  EXPECT_EQ(json["state"], (Json{{"big", 1.05}, {"small", 1.05}}));
  for (const Json& policy : json["policies"]) {
    EXPECT_NEAR(policy["error"], 0, kRounding) << policy;
    EXPECT_NEAR(policy["predicted_ns"].get<double>(), 1.05 * policy["planned_ns"].get<double>(), 20)
        << policy;
  }
  for (const Json& layer : json["layers"]) EXPECT_NEAR(layer["error"], 0, kRounding) << layer;
  for (const Json& latency : json["percentiles"]) {
    EXPECT_NEAR(latency["p99"]["predicted_ns"].get<double>(),
                1.05 * latency["p99"]["planned_ns"].get<double>(), 20)
        << latency;
    EXPECT_EQ(latency["p99"]["planned_verdict"], "within");
  }
  const ProgramResult result = Run(slower, "--repeat 2 --keep " + Path("kept"));
  EXPECT_NE(result.output.find("big +5"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("planned, fcfs"), std::string::npos) << result.output;
  const Json calibration = Json::parse(ReadTextFile(Path("kept/calibration.json")));
  EXPECT_EQ(calibration["state"], json["state"]);
}

TEST_F(Validate, WhatWasPlannedHasItsOwnIntervalsAndVerdicts) {
  // Every sample the same: the interval is the error that all times may share.
  const auto entry = [](const std::string& model, const std::string& unit) {
    return R"({"model": ")" + model + R"(", "unit": ")" + unit +
           R"(", "layers": "*", "samples_us": [1000, 1000, 1000, 1000, 1000]})";
  };
  WriteFile(folder_ / "p.profile.json",
            R"({"tandem": "profile/1", "platform": "fake",
                "origin": {"kind": "measured", "host": "fake", "date": "2026-01-01", "clocks": {}, "libraries": {},
                           "threads": {}, "cache_mode": "warm", "error": 0.01},
                "entries": [)" +
                entry("squeezenet_1_1", "big") + "," + entry("squeezenet_1_1", "small") + "," +
                entry("mobilenet_v2", "big") + "," + entry("mobilenet_v2", "small") + "]}");
  const std::string runs = "--repeat 3 --alone --policy 'on big' --profile " + Path("p.profile.json");
  const Json json = Parsed(Run("--factors 1.2", runs + " --json"));
  const Json& policy = json["policies"][0];
  EXPECT_EQ(policy["verdict"], "within");
  EXPECT_EQ(json["coverage"], 1);
  EXPECT_EQ(policy["planned_verdict"], "outside") << policy;
  ASSERT_EQ(policy["planned_interval_ns"].size(), 2U) << policy;
  EXPECT_LT(policy["planned_interval_ns"][1], policy["measured_ns"]);
  EXPECT_EQ(json["planned_coverage"], 0);
  const Json& p99 = json["percentiles"][0]["p99"];
  ASSERT_EQ(p99["planned_interval_ns"].size(), 2U) << p99;
  EXPECT_LT(p99["planned_interval_ns"][1], p99["measured_ns"]);
  EXPECT_EQ(p99["planned_verdict"], "outside");
  EXPECT_EQ(policy["interval_why"], nullptr);
  const ProgramResult text = RunShell("COLUMNS=1000 " + Command("--factors 1.2", runs));
  EXPECT_NE(text.output.find("As planned, before the runs, they were predicted within 16."),
            std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("1 OUTSIDE; 0.0% of the medians lie in the intervals of then."),
            std::string::npos)
      << text.output;
}

TEST_F(Validate, TheWinnerIsTheOneThatWasNamedBeforeTheRuns) {
  // In the state of the runs the other one would have been named.
  const Json json = Parsed(Run("--slower big=4 --yardsticks big=4,small=1",
                               "--repeat 3 --policy 'on big' --policy 'on small' --json"));
  EXPECT_EQ(json["winner"]["predicted"], "on big");
  EXPECT_EQ(json["winner"]["measured"], "on small");
  for (const Json& policy : json["policies"]) EXPECT_NEAR(policy["error"], 0, kRounding) << policy;
}

TEST_F(Validate, WhatNothingOrTooLittleIsKnownOfIsTheStateOfTheProfile) {
  const std::string once = "--repeat 1 --policy 'on big' --json";
  for (const std::string device :
       {"--factors 1.05", "--factors 1.05 --yardsticks big=1.05", "--factors 1.05 --yardsticks big=1"}) {
    const Json json = Parsed(Run(device, once));
    EXPECT_FALSE(json.contains("state")) << device;
    EXPECT_FALSE(json["policies"][0].contains("planned_ns")) << device;
    EXPECT_FALSE(json["policies"][0].contains("planned_interval_ns")) << device;
    EXPECT_FALSE(json.contains("planned_coverage")) << device;
    EXPECT_NEAR(json["policies"][0]["error"], 1 / 1.05 - 1, kRounding) << device;
  }
}

TEST_F(Validate, ModelsThatRunAloneTellWhatTheMachineTakesNow) {
  const Json json = Parsed(Run("--factors 1.07 --slower small=1.2", "--repeat 3 --alone --json"));
  ASSERT_EQ(json["alone"].size(), 4U) << "two models on two units";
  for (const Json& of : json["alone"]) {
    const double slower = of["unit"] == "small" ? 1.07 * 1.2 : 1.07;
    EXPECT_NEAR(of["measured_ns"].get<double>() / of["profiled_ns"].get<double>(), slower, kRounding) << of;
    EXPECT_EQ(of["runs"], 3);
    EXPECT_EQ(of["measured_error"], 0);
  }
  for (const Json& policy : json["policies"]) {
    EXPECT_NEAR(policy["error"], 0, kRounding) << policy;
    EXPECT_EQ(policy["runs_ns"].size(), 3U);
    EXPECT_LT(policy["planned_ns"], policy["predicted_ns"]);
  }
  EXPECT_EQ(json["policies"].size(), 3U) << "models alone are no policies";
}

TEST_F(Validate, ModelsAloneAreToldApartWhateverTheOrderInWhichTheirStreamsBegin) {
  WriteFile(Path("s.scenario.json"), R"({
    "tandem": "scenario/1", "name": "the second one first", "platform": "device", "transfer": "none",
    "streams": [{"name": "a", "model": "squeezenet_1_1", "depends_on": {"stream": "b"}},
                {"name": "b", "model": "mobilenet_v2", "count": 6, "arrival": {"type": "offline"}}],
    "policies": [{"name": "given", "label": "on big", "map": {"*": "big"}}]})");
  const Json json = Parsed(Run("--factors 1.07", "--repeat 2 --alone --json"));
  ASSERT_EQ(json["alone"].size(), 4U);
  for (const Json& of : json["alone"]) {
    EXPECT_NEAR(of["measured_ns"].get<double>() / of["profiled_ns"].get<double>(), 1.07, kRounding) << of;
    const double ms = of["model"] == "mobilenet_v2" ? 2e6 : 1e6;
    EXPECT_NEAR(of["profiled_ns"].get<double>(), of["unit"] == "small" ? 1.5 * ms : ms, 1) << of;
  }
}

TEST_F(Validate, WithoutModelsAloneWhatAProfileIsOffByIsAnError) {
  const Json json = Parsed(Run("--factors 1.07", "--repeat 2 --json"));
  EXPECT_FALSE(json.contains("alone"));
  for (const Json& policy : json["policies"]) EXPECT_NEAR(policy["error"], 1 / 1.07 - 1, kRounding);
}

TEST_F(Validate, ModelsAloneAreSaidInWordsAndShownInTheTrace) {
  const ProgramResult result =
      Run("--factors 1.07", "--repeat 2 --alone --policy 'on big' --keep " + Path("kept"));
  EXPECT_NE(result.output.find("each model alone"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("mobilenet_v2 +7"), std::string::npos) << result.output;
  EXPECT_NE(ReadTextFile(Path("kept/measured.trace.json")).find("alone on small"), std::string::npos);
}

TEST_F(Validate, OneRunOfModelsAloneSaysTooLittle) {
  const Json json = Parsed(Run("--factors 1.07", "--repeat 1 --alone --policy 'on big' --json"));
  EXPECT_FALSE(json.contains("alone"));
  EXPECT_NEAR(json["policies"][0]["error"], 1 / 1.07 - 1, kRounding);
}

TEST_F(Validate, AModelThatRunsAloneHasTheWholeBoardToItself) {
  const ProgramResult result = Run("", "--repeat 2 --alone --policy 'on big' --json --keep " + Path("kept"));
  const Json order = Json::parse(ReadTextFile(Path("kept/run-request.json")));
  ASSERT_EQ(order["plans"].size(), 3U) << result.errors;
  for (std::size_t p = 1; p < 3; ++p) {
    const Json& plan = order["plans"][p];
    EXPECT_EQ(plan["policy"]["name"], "single");
    for (const Json& stream : plan["scenario"]["streams"]) {
      EXPECT_EQ(stream["arrival"]["type"], "periodic");
      EXPECT_GE(stream["count"], 6);
    }
  }
}

TEST_F(Validate, ModelsAloneRunOneAfterTheOther) {
  Run("", "--repeat 1 --alone --policy 'on big' --keep " + Path("kept"));
  const Json trace = Json::parse(ReadTextFile(Path("kept/measured.trace.json")));
  std::map<int, std::map<double, std::string>> streams;  // of each run, by when their requests started
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "compute") continue;
    streams[event["pid"]][event["ts"]] = event["args"]["stream"];
  }
  int alone = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] != "tandem_run" || event["args"]["policy"] == "on big") continue;
    ++alone;
    std::string in_turn;
    for (const auto& [start, stream] : streams[event["pid"]]) {
      if (in_turn.empty() || in_turn.back() != stream.front()) in_turn += stream;
    }
    EXPECT_EQ(in_turn, "ab") << event;
  }
  EXPECT_EQ(alone, 2);
}

TEST_F(Validate, ALoadThatIsThereForAllIsCountedOnce) {
  std::string scenario = ReadTextFile(Path("s.scenario.json"));
  scenario.insert(scenario.find("\"policies\""), R"("background": [{"unit": "big", "load_pct": 60}], )");
  WriteFile(Path("s.scenario.json"), scenario);
  const Json json = Parsed(Run("--factors 1.1", "--repeat 2 --alone --json"));
  ASSERT_EQ(json["alone"].size(), 4U);
  for (const Json& of : json["alone"]) {
    EXPECT_NEAR(of["measured_ns"].get<double>() / of["profiled_ns"].get<double>(), 1.1, kRounding) << of;
  }
  for (const Json& policy : json["policies"]) EXPECT_NEAR(policy["error"], 0, 1e-3) << policy;
}

}  // namespace
}  // namespace tandem
