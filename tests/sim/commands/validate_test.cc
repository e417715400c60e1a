// Does `tandem validate` find a device's known distortions, and does it end as it should when the device does
// not do as it is asked? The device is tests/support/fake_device.py.
#include <gtest/gtest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/sha256.h"
#include "profiles/model/model_json.h"
#include "tests/support/validate_testing.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

TEST_F(Validate, KnownDistortionsComeOutAsTheKnownErrors) {
  const ProgramResult result = Run("--factors 1.1,1.12,1.08", "--repeat 3 --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json json = Parsed(result);
  ASSERT_EQ(json["policies"].size(), 3U);
  for (const Json& policy : json["policies"]) {
    EXPECT_NEAR(policy["error"], 1 / 1.1 - 1, kRounding) << policy;
    EXPECT_NEAR(policy["spread"], 0.04 / 1.1, kRounding) << policy;
    EXPECT_EQ(policy["runs_ns"].size(), 3U);
    EXPECT_EQ(policy["correct"], true);
    EXPECT_EQ(policy["measured"], policy["measured_ns"]);
  }
  EXPECT_EQ(json["policies"][1]["label"], "on big");
  EXPECT_EQ(json["policies"][1]["predicted_ns"], 6 * 1000000 + 6 * 2000000);
  EXPECT_EQ(json["winner"]["predicted"], "fcfs");
  EXPECT_EQ(json["winner"]["measured"], "fcfs");
  EXPECT_EQ(json["winner"]["regret"], 0);
  EXPECT_EQ(json["winner"]["kendall_tau"], 1);
  ASSERT_EQ(json["layers"].size(), 4U) << "two models on two units";
  for (const Json& layer : json["layers"]) EXPECT_NEAR(layer["error"], 1 / 1.1 - 1, kRounding) << layer;
  for (const Json& latency : json["percentiles"]) {
    EXPECT_NEAR(latency["p99"]["error"], 1 / 1.1 - 1, kRounding) << latency;
    EXPECT_NEAR(latency["mean"]["error"], 1 / 1.1 - 1, kRounding) << latency;
  }
}

TEST_F(Validate, SaysWhyAPredictionHasNoInterval) {
  const Json json = Parsed(Run("", "--repeat 1 --policy 'on big' --json"));
  const Json& policy = json["policies"][0];
  ASSERT_TRUE(policy["predicted_interval_ns"].is_null());
  ASSERT_TRUE(policy["interval_why"].is_string()) << policy;
  const ProgramResult table = RunShell("COLUMNS=1000 " + Command("", "--repeat 1 --policy 'on big'"));
  EXPECT_NE(table.output.find("no intervals: " + policy["interval_why"].get<std::string>()),
            std::string::npos)
      << table.output;
}

TEST_F(Validate, PercentilesArePredictedFromSamples) {
  // One run in five takes four times as long; the median knows nothing of it.
  const auto entry = [](const std::string& model, const std::string& unit) {
    return R"({"model": ")" + model + R"(", "unit": ")" + unit +
           R"(", "layers": "*", "samples_us": [1000, 1000, 1000, 1000, 4000]})";
  };
  WriteFile(
      folder_ / "p.profile.json",
      R"({"tandem": "profile/1", "platform": "fake", "origin": {"kind": "estimated", "method": "made up"},
                "entries": [)" +
          entry("squeezenet_1_1", "big") + "," + entry("squeezenet_1_1", "small") + "," +
          entry("mobilenet_v2", "big") + "," + entry("mobilenet_v2", "small") + "]}");
  const Json json =
      Parsed(Run("", "--repeat 1 --json --policy 'on big' --profile " + Path("p.profile.json")));
  ASSERT_EQ(json["percentiles"].size(), 1U);
  EXPECT_GT(json["policies"][0]["predicted_ns"], 14'000'000) << "twelve medians would be 12 ms, means 19.2";
  EXPECT_LT(json["policies"][0]["predicted_ns"], 24'000'000);
  EXPECT_GT(json["percentiles"][0]["p99"]["predicted_ns"], 14'000'000) << "some of twelve are outliers";
  EXPECT_LT(json["percentiles"][0]["p99"]["predicted_ns"], 40'000'000);
}

TEST_F(Validate, AWrongWinnerIsStatus1AndSaidInWords) {
  const ProgramResult result = Run("--slower big=4", "--repeat 2 --policy 'on big' --policy 'on small'");
  EXPECT_EQ(result.status, 1) << result.errors;
  EXPECT_NE(result.output.find("WRONG WINNER"), std::string::npos) << result.output;
  const Json json = Parsed(Run("--slower big=4", "--repeat 2 --policy 'on big' --policy 'on small' --json"));
  EXPECT_EQ(json["winner"]["predicted"], "on big");
  EXPECT_EQ(json["winner"]["measured"], "on small");
  EXPECT_NEAR(json["winner"]["regret"], 4 / 1.5 - 1, kRounding);
  EXPECT_EQ(json["winner"]["kendall_tau"], -1);
  EXPECT_EQ(json["winner"]["spread"], 0);
}

TEST_F(Validate, EveryPolicyIsJudgedAndABarThatIsAskedForSetsTheStatus) {
  const std::string runs = "--repeat 3 --policy 'on big' ";
  const Json plain = Parsed(Run("--factors 1.2,1.21,1.2", runs + "--json"));
  EXPECT_EQ(plain["policies"][0]["verdict"], "outside");
  EXPECT_EQ(plain["bar"], 0.09);
  EXPECT_EQ(plain["interval"], 0.9);
  const Json& interval = plain["policies"][0]["measured_interval_ns"];
  EXPECT_LE(interval[0], plain["policies"][0]["measured_ns"]);
  EXPECT_GE(interval[1], plain["policies"][0]["measured_ns"]);
  EXPECT_EQ(plain["percentiles"][0]["p99"]["verdict"], "outside");
  EXPECT_EQ(Run("--factors 1.2,1.21,1.2", runs).status, 0);
  EXPECT_EQ(Run("--factors 1.2,1.21,1.2", runs + "--bar 9").status, 1);
  EXPECT_EQ(Run("--factors 1.2,1.21,1.2", runs + "--bar 30").status, 0);
  const ProgramResult unknown = Run("--factors 1.2,0.9,1.5", runs + "--bar 9");
  EXPECT_EQ(unknown.status, 0) << "that cannot be told";
  EXPECT_NE(unknown.errors.find("so many runs cannot tell whether these are within 9 %: on big"),
            std::string::npos)
      << unknown.errors;
  EXPECT_EQ(Run("--factors 1.2,0.9,1.5", runs + "--bar 9 --strict").status, 1);
  EXPECT_EQ(Run("--factors 1.2,0.9,1.5", runs + "--strict").status, 1) << "the bar is 9 % then";
  EXPECT_EQ(Run("", runs + "--strict").status, 0);
  EXPECT_EQ(Run("--factors 1.2,0.9,1.5", runs).errors.find("cannot tell"), std::string::npos)
      << "nobody asked for a bar";
  const Json wide = Parsed(Run("--factors 1.2,1.21,1.2", runs + "--json --interval 99"));
  EXPECT_LT(wide["policies"][0]["error_interval"][0], plain["policies"][0]["error_interval"][0]);
}

TEST_F(Validate, OneRunCannotTellThatTheWinnerIsWrong) {
  const ProgramResult result = Run("--slower big=4", "--repeat 1 --policy 'on big' --policy 'on small'");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output.find("WRONG WINNER"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("two runs of each"), std::string::npos) << result.output;
  const Json json = Parsed(Run("--slower big=4", "--repeat 1 --policy 'on big' --policy 'on small' --json"));
  EXPECT_TRUE(json["winner"]["spread"].is_null());
  EXPECT_TRUE(json["policies"][0]["spread"].is_null());
  EXPECT_EQ(json["winner"]["wrong"], false);
  EXPECT_EQ(json["winner"]["unknown"], true);
}

TEST_F(Validate, SaysWhoIsTiedAndWhatArrivalsSet) {
  WriteFile(folder_ / "s.scenario.json", R"({
      "tandem": "scenario/1", "name": "two models", "platform": "device", "transfer": "none", "streams": [
        {"name": "a", "model": "mobilenet_v2", "count": 10, "arrival": {"type": "periodic", "period_us": 20000}},
        {"name": "b", "model": "squeezenet_1_1", "count": 4, "arrival": {"type": "periodic", "period_us": 25000},
         "deadline_us": 2500}],
      "policies": [
        {"name": "given", "label": "late", "map": {"squeezenet_1_1": "small", "*": "big"}},
        {"name": "given", "label": "in time", "map": {"*": "big"}}]})");
  const Json plain = Parsed(Run("", "--repeat 2 --json"));
  EXPECT_EQ(plain["objective"], "misses");
  const Json json = Parsed(Run("", "--repeat 2 --json --objective makespan"));
  EXPECT_EQ(json["objective"], "makespan");
  EXPECT_EQ(json["policies"][0]["predicted_ns"], json["policies"][1]["predicted_ns"]);
  EXPECT_EQ(json["winner"]["predicted"], "in time");
  EXPECT_EQ(json["winner"]["measured"], "in time") << "all measure alike";
  EXPECT_EQ(json["winner"]["wrong"], false);
  ASSERT_EQ(json["notes"].size(), 3U) << json["notes"];
  EXPECT_EQ(json["notes"][0], "predicted: how sure the best is cannot be told: no interval of late");
  EXPECT_EQ(json["notes"][1],
            "predicted: tied by makespan: late, in time; in time has the least missed requests");
  EXPECT_EQ(
      json["notes"][2],
      "predicted: the arrivals set the makespan: the last request comes after 99.4% of it; what policies "
      "change is compared by --objective misses");
}

TEST_F(Validate, WrongOutputsAreStatus1) {
  const ProgramResult result = Run("--wrong fcfs", "--repeat 1 --policy fcfs --json");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(Parsed(result)["policies"][0]["correct"], false);
}

TEST_F(Validate, WhatIsKeptTellsTheSameToCompare) {
  const ProgramResult result = Run(
      "--factors 1.25", "--repeat 2 --json --keep " + Path("kept") + " --trace " + Path("both.trace.json"));
  ASSERT_EQ(result.status, 0) << result.errors;
  const ProgramResult compared = RunTandem("compare --json " + Path("kept/predicted.trace.json") + " " +
                                           Path("kept/measured.trace.json"));
  EXPECT_EQ(compared.status, 0) << compared.errors;
  const std::string traces = Path("kept/predicted.trace.json") + " " + Path("kept/measured.trace.json");
  EXPECT_EQ(RunTandem("compare --bar 9 " + traces).status, 1) << "20 % too short";
  EXPECT_EQ(RunTandem("compare --bar 21 " + traces).status, 0);
  EXPECT_EQ(RunTandem("compare --bar 21 --strict " + traces).status, 0);
  const ProgramResult swapped =
      RunTandem("compare " + Path("kept/measured.trace.json") + " " + Path("kept/predicted.trace.json"));
  EXPECT_EQ(swapped.status, 2);
  EXPECT_EQ(swapped.errors, Path("kept/measured.trace.json") + ": its runs were measured, and those of " +
                                Path("kept/predicted.trace.json") +
                                " are predicted: the predicted trace comes first\n");
  Json direct = Parsed(result), again = Parsed(compared);
  for (Json* of : {&direct, &again}) {  // a trace knows no intervals of what it predicts
    for (Json& latency : (*of)["percentiles"]) {
      for (const char* figure : {"mean", "p50", "p90", "p95", "p99"}) {
        latency[figure].erase("predicted_interval_ns");
      }
    }
  }
  for (const Json& policy : again["policies"]) {
    EXPECT_EQ(policy["interval_why"],
              "the predicted trace has no draws: every task takes its median there, which may be too short");
  }
  EXPECT_EQ(direct["layers"], again["layers"]);
  EXPECT_EQ(direct["percentiles"], again["percentiles"]);
  EXPECT_EQ(direct["sources"], again["sources"]);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(direct["policies"][p]["runs_ns"], again["policies"][p]["runs_ns"]);
    EXPECT_NEAR(again["policies"][p]["error"], -0.2, kRounding);
  }
  const ProgramResult check =
      RunTandem("check " + Path("both.trace.json") + " " + Path("kept/measured.profile.json"));
  EXPECT_EQ(check.status, 0) << check.errors;
  EXPECT_NE(check.output.find("9 runs"), std::string::npos) << check.output;
}

TEST_F(Validate, CompareCountsNoRunThatItsTraceCallsDisturbed) {
  ASSERT_EQ(Run("", "--repeat 2 --keep " + Path("kept")).status, 0);
  std::string trace = ReadTextFile(folder_ / "kept/measured.trace.json");
  const std::string measured = "\"measured\": true, ";
  const std::size_t first = trace.find(measured);
  ASSERT_NE(first, std::string::npos);
  WriteFile(folder_ / "kept/measured.trace.json", trace.insert(first, "\"disturbed\": true, "));
  const Json json = Parsed(RunTandem("compare --json " + Path("kept/predicted.trace.json") + " " +
                                     Path("kept/measured.trace.json")));
  EXPECT_EQ(json["policies"][0]["disturbed"], 1);
  EXPECT_EQ(json["policies"][0]["runs_ns"].size(), 2U);
  EXPECT_TRUE(json["policies"][0]["measured_interval_ns"].is_null()) << "one run is left";
}

TEST_F(Validate, AProfileMayBeUsedAgainAndTheWinnerRunAlone) {
  ASSERT_EQ(Run("", "--repeat 1 --winner-only --keep " + Path("kept")).status, 0);
  const ProgramResult again = Run(
      "--refuse profile", "--repeat 1 --winner-only --json --profile " + Path("kept/measured.profile.json"));
  EXPECT_EQ(again.status, 0) << again.errors;
  const Json json = Parsed(again);
  ASSERT_EQ(json["policies"].size(), 1U);
  EXPECT_EQ(json["policies"][0]["label"], "fcfs");
  EXPECT_TRUE(json["winner"]["kendall_tau"].is_null());
}

TEST_F(Validate, ADisturbedRunIsTriedThreeTimesUnlessAskedOtherwise) {
  const auto tries = [&](const std::string& folder, const std::string& options) {
    EXPECT_EQ(Run("", "--repeat 1 --winner-only --keep " + Path(folder) + options).status, 0);
    return Json::parse(ReadTextFile(Path(folder + "/run-request.json"))).value("tries", 1);
  };
  EXPECT_EQ(tries("usual", ""), 3);
  EXPECT_EQ(tries("one", " --tries 1"), 1);
  EXPECT_EQ(tries("more", " --tries 7"), 7);
}

TEST_F(Validate, AProfileNamesModelsFromItsOwnPlace) {
  AskOfANetworkOfItsOwn();
  fs::create_directory(folder_ / "kept");
  WriteFile(folder_ / "kept/p.profile.json", R"({
      "tandem": "profile/1", "platform": "fake", "origin": {"kind": "estimated", "method": "made up"}, "entries": [
        {"model": "../net.json", "unit": "big", "layers": "*", "median_us": 1000},
        {"model": "../net.json", "unit": "small", "layers": "*", "median_us": 1000}]})");
  const ProgramResult result =
      Run("--refuse profile", "--repeat 1 --json --profile " + Path("kept/p.profile.json"));
  EXPECT_EQ(result.status, 0) << result.errors;
}

TEST_F(Validate, MeasurementsThatWereKeptAreReplacedByForceAlone) {
  const std::string keep = "--repeat 1 --winner-only --keep " + Path("kept");
  ASSERT_EQ(Run("", keep).status, 0);
  const std::string measured = ReadTextFile(Path("kept/measured.profile.json"));
  const ProgramResult refused = Run("--refuse info", keep);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("holds measurements, which --keep would replace; --force does it"),
            std::string::npos)
      << "before the device is asked: " << refused.errors;
  EXPECT_EQ(ReadTextFile(Path("kept/measured.profile.json")), measured);
  EXPECT_EQ(Run("", keep + " --force").status, 0);
}

TEST_F(Validate, AFolderOfKeptFilesMayBeMovedWithItsModels) {
  AskOfANetworkOfItsOwn();
  const ProgramResult result = Run("", "--repeat 1 --winner-only --keep " + Path("kept"));
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::string kept = ReadTextFile(Path("kept/measured.profile.json"));
  EXPECT_EQ(kept.find(folder_.string()), std::string::npos) << kept;
  EXPECT_NE(kept.find("\"../net.json\""), std::string::npos) << kept;
}

TEST_F(Validate, AProfileThatIsNotThereYetIsMeasured) {
  std::string scenario = ReadTextFile(Path("s.scenario.json"));
  const std::string platform = R"("platform": "device")";
  scenario.replace(scenario.find(platform), platform.size(),
                   platform + R"(, "profiles": ["./mine.profile.json"])");
  WriteFile(Path("s.scenario.json"), scenario);
  const ProgramResult result = Run("", "--repeat 1 --winner-only --keep " + Path("kept"));
  ASSERT_EQ(result.status, 0) << result.errors;
  fs::rename(Path("kept/measured.profile.json"), Path("mine.profile.json"));
  const ProgramResult again = Run("--refuse profile", "--repeat 1 --winner-only");
  EXPECT_EQ(again.status, 0) << again.errors;
  WriteFile(Path("mine.profile.json"), "{");
  EXPECT_EQ(Run("", "--repeat 1").status, 2) << "what is there is what counts";
}

TEST_F(Validate, EnergyThatNobodyCanCountIsRefusedBeforeAnythingIsMeasured) {
  const ProgramResult result = Run("--refuse profile", "--objective energy");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("unit \"big\" has no idle_w"), std::string::npos) << result.errors;
}

TEST_F(Validate, WhatALoadCostsIsMeasuredOrSaidToBeEstimated) {
  std::string scenario = ReadTextFile(Path("s.scenario.json"));
  const std::string loads = R"("background": [{"unit": "big", "load_pct": 60}], "policies")";
  scenario.replace(scenario.find("\"policies\""), 10, loads);
  ASSERT_EQ(Run("", "--repeat 1 --policy 'on big' --keep " + Path("without")).status, 0);
  WriteFile(Path("s.scenario.json"), scenario);
  const Json measured = Parsed(Run("", "--repeat 1 --policy 'on big' --json"));
  EXPECT_EQ(measured["policies"][0]["predicted_ns"], 2 * (6 * 1000000 + 6 * 2000000));
  EXPECT_EQ(measured["warnings"], Json::array());
  const Json estimated = Parsed(
      Run("", "--repeat 1 --policy 'on big' --json --profile " + Path("without/measured.profile.json")));
  EXPECT_EQ(estimated["policies"][0]["predicted_ns"], 2.5 * (6 * 1000000 + 6 * 2000000));
  EXPECT_EQ(estimated["warnings"],
            Json::array({"estimated: unit \"big\" under a load of 60 %: no profile has a measured slowdown, "
                         "taken is 2.500 = 1 / (1 - load)"}));
}

TEST_F(Validate, WhatWasFinishedIsShownAndKeptWhereTheDeviceFails) {
  const ProgramResult result = Run("--fail-after 2", "--repeat 2 --json --keep " + Path("kept"));
  EXPECT_EQ(result.status, 3);
  const Json json = Parsed(result);
  EXPECT_EQ(json["policies"][0]["runs_ns"].size(), 1U);
  EXPECT_EQ(json["policies"][2]["runs_ns"].size(), 0U);
  EXPECT_EQ(json["policies"][2]["cut_short"], 1);
  EXPECT_TRUE(json["policies"][2]["measured_ns"].is_null());
  EXPECT_NE(json["warnings"].dump().find("unit big is lost"), std::string::npos);
  EXPECT_TRUE(fs::exists(Path("kept/run-result.json")));
}

TEST_F(Validate, WhatWasFinishedIsShownAndKeptWhereTheDeviceIsKilled) {
  const ProgramResult result = Run("--kill-after 4", "--repeat 2 --json --keep " + Path("kept"));
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("ended by signal 9"), std::string::npos) << result.errors;
  const Json json = Parsed(result);
  EXPECT_EQ(json["policies"][0]["runs_ns"].size(), 2U);
  EXPECT_EQ(json["policies"][2]["runs_ns"].size(), 1U);
  EXPECT_NE(json["warnings"].dump().find("the device was lost after 4 runs"), std::string::npos);
  EXPECT_EQ(
      RunTandem("check " + Path("kept/run-result.json") + " " + Path("kept/measured.trace.json")).status, 0);
  EXPECT_FALSE(fs::exists(Path("kept/run-result-1.json"))) << "it is in the result";
}

TEST_F(Validate, WhatWasFinishedIsKeptWhereItIsEnded) {
  const auto end_by = [&](const std::string& signal) {
    return RunShell("cd " + folder_.string() + "; rm -rf pid kept; " +
                    Command("--stall-after 2", "--repeat 2 --json --keep kept") +
                    " & while [ ! -s pid ] || [ ! -s kept/run-result-2.json ]; do sleep 0.05; done; kill -" +
                    signal + " $!; wait $!");
  };
  EXPECT_EQ(end_by("KILL").status, 137);
  for (const char* name : {"kept/run-result-1.json", "kept/run-result-2.json"}) {
    EXPECT_EQ(RunTandem("check " + Path(name)).status, 0) << name;
  }
  const ProgramResult told = end_by("TERM");
  EXPECT_EQ(told.status, 130) << told.errors;
  EXPECT_EQ(Parsed(told)["policies"][1]["runs_ns"].size(), 1U);
  EXPECT_TRUE(fs::exists(Path("kept/run-result.json")));
}

TEST_F(Validate, EndsWithWhatTheDeviceSaid) {
  const ProgramResult refused = Run("--refuse profile");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("fake: no"), std::string::npos) << "standard error passes through";
  const ProgramResult garbled = Run("--garble info");
  EXPECT_EQ(garbled.status, 3);
  EXPECT_NE(garbled.errors.find("the device's answer is not understood: info:"), std::string::npos)
      << garbled.errors;
  const ProgramResult missing =
      RunTandem("validate " + Path("s.scenario.json") + " --device ./no-such-program");
  EXPECT_EQ(missing.status, 3);
  EXPECT_NE(missing.errors.find("cannot be started: ./no-such-program"), std::string::npos) << missing.errors;
}

TEST_F(Validate, CanBeInterrupted) {
  const ProgramResult result =
      RunShell("timeout --foreground --preserve-status -s INT 0.6 " + Command("--slow profile=1.5", ""));
  EXPECT_EQ(result.status, 130) << result.errors;
  EXPECT_TRUE(result.output.empty());
}

TEST_F(Validate, WhateverEndsItEndsTheDeviceToo) {
  for (const std::string signal : {"TERM", "HUP", "KILL"}) {
    const std::string gone =
        "! grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$(cat pid)/status 2>/dev/null";
    const ProgramResult result = RunShell(
        "cd " + folder_.string() + "; rm -f pid; " + Command("--slow profile=1000", "") +
        " & while [ ! -s pid ]; do sleep 0.05; done; kill -" + signal +
        " $!; wait $!; echo $?; for i in $(seq 400); do " + gone + " && exit 0; sleep 0.05; done; exit 1");
    EXPECT_EQ(result.status, 0) << "the device still runs after SIG" << signal;
    EXPECT_EQ(result.output, signal == "KILL" ? "137\n" : "130\n") << result.errors;
  }
}

// Models of the user's own, which the device cannot see.
class ValidateOwnModel : public Validate {
 protected:
  ValidateOwnModel() {
    const Model model = ReadModel(JsonDocument::Parse(R"({"tandem": "model/1", "name": "mine", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "fc", "op": "fc", "inputs": ["data"], "out_features": 3}]})",
                                                      "mine.json")
                                      .root())
                            .model;
    fs::create_directories(folder_ / "nets");
    const ImportedModel mine{model, RandomWeights(model, 1)};
    WriteModelFiles(ModelFilesOf(folder_ / "nets/mine", mine), mine);
    WriteFile(folder_ / "s.scenario.json", R"({
      "tandem": "scenario/1", "name": "mine", "platform": "device", "transfer": "none", "policies": ["fcfs"],
      "streams": [{"name": "a", "model": "./nets/mine.json", "count": 2, "arrival": {"type": "offline"}}]})");
  }
};

TEST_F(ValidateOwnModel, IsSentWithItsWeightsAndOnce) {
  const ProgramResult first = Run("", "--repeat 1");
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_NE(first.errors.find("tandem: sends the device 2 files of the models, "), std::string::npos)
      << first.errors;
  for (const char* name : {"mine.json", "mine.safetensors"}) {
    EXPECT_NE(first.errors.find(name), std::string::npos) << first.errors;
    const std::string hash = Sha256OfFile(folder_ / "nets" / name);
    EXPECT_EQ(ReadTextFile(folder_ / "stored" / hash), ReadTextFile(folder_ / "nets" / name));
  }
  EXPECT_EQ(first.errors.find("sends"), first.errors.rfind("sends")) << "once, although it is asked twice";
  EXPECT_EQ(ReadTextFile(folder_ / "sent.txt"), std::string(64, '0')) << "the run is told its name";
  const ProgramResult second = Run("", "--repeat 1");
  EXPECT_EQ(second.status, 0) << second.errors;
  EXPECT_EQ(second.errors.find("sends"), std::string::npos) << second.errors;
}

TEST_F(ValidateOwnModel, AProgramThatTakesNoFilesIsAskedWithoutThem) {
  const ProgramResult result = Run("--refuse store", "--repeat 1");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.errors.find("knows no command `store`"), std::string::npos) << result.errors;
  EXPECT_EQ(ReadTextFile(folder_ / "sent.txt"), "");
}

TEST_F(ValidateOwnModel, IsNotSentWhereTheDeviceFails) {
  const ProgramResult result = Run("--garble store", "--repeat 1");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("the device's answer is not understood: store:"), std::string::npos)
      << result.errors;
}

TEST_F(Validate, TheDeviceIsAskedToGoOnWithItsProfile) {
  WriteFile(folder_ / "log", "#!/bin/sh\necho \"$@\" >> " + Path("asked") +
                                 "\nexec python3 " TANDEM_TEST_DIR "/support/fake_device.py " +
                                 std::string(TANDEM_PROGRAM) + " " + folder_.string() + " \"$@\"\n");
  const ProgramResult result = RunTandem("validate " + Path("s.scenario.json") + " --repeat 1 --policy fcfs" +
                                         " --resume --device \"sh " + Path("log") + "\"");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadTextFile(Path("asked")), "info --json\nprofile --resume\nrun --json\n");
}

TEST_F(Validate, TakesACommandAsAShellDoes) {
  WriteFile(folder_ / "my device", "#!/bin/sh\nexec python3 " TANDEM_TEST_DIR "/support/fake_device.py " +
                                       std::string(TANDEM_PROGRAM) + " " + folder_.string() + " \"$@\"\n");
  fs::permissions(folder_ / "my device", fs::perms::owner_all);
  const ProgramResult result = RunTandem("validate " + Path("s.scenario.json") + " --repeat 1 --policy fcfs" +
                                         " --device \"'" + Path("my device") + "' --factors 1.5\" --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NEAR(Parsed(result)["policies"][0]["error"], 1 / 1.5 - 1, kRounding);
}

}  // namespace
}  // namespace tandem
