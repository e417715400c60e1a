// Is a network left whole of which nothing but the whole has a time, by policies that would share it out?
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// Three requests for a convolution with an activation on two equal units, 100 us each.
Json ReportsOfLayers(const TempFolder& folder, const std::string& layers) {
  WriteFile(folder / "net.json", R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "in", "op": "input", "shape": [1, 3, 64, 64]},
      {"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 32, "kernel": [3, 3], "pad": [1, 1, 1, 1]},
      {"name": "r", "op": "relu", "inputs": ["c"]}]})");
  const auto entry = [&](const std::string& unit) {
    return R"({"model": "./net.json", "unit": ")" + unit + R"(", "layers": )" + layers +
           R"(, "median_us": 100})";
  };
  WriteFile(
      folder / "s.scenario.json",
      R"({"tandem": "scenario/1", "name": "pair", "transfer": "none", "policies": ["eft", "best", "split"],
      "platform": {"name": "pair", "memories": [{"name": "dram"}], "units": [
        {"name": "a", "kind": "cpu", "memory": "dram"}, {"name": "b", "kind": "cpu", "memory": "dram"}]},
      "profiles": [{"tandem": "profile/1", "platform": "pair", "origin": {"kind": "estimated", "method": "made up"},
                    "entries": [)" +
          entry("a") + "," + entry("b") + R"(]}],
      "streams": [{"name": "s", "model": "./net.json", "count": 3, "arrival": {"type": "offline"}}]})");
  const ProgramResult result =
      RunTandem("simulate --engine virtual --json " + (folder / "s.scenario.json").string());
  EXPECT_EQ(result.status, 0) << result.errors;
  return Json::parse(result.output);
}

TEST(KeptWholeCommand, NothingIsCutWithoutTimesOfParts) {
  const TempFolder folder;
  const Json whole = ReportsOfLayers(folder, R"("*")");
  for (const Json& report : whole) EXPECT_GE(report["makespan_ns"], 200000) << report["label"];
  EXPECT_EQ(whole[1]["makespan_ns"], 200000);
  EXPECT_EQ(whole[1]["gap"], 0.0) << "no schedule is below the bound";
  EXPECT_EQ(whole[1]["estimated"][0],
            "unit \"a\": model \"./net.json\" is kept whole, no profile has a time of anything but the whole "
            "model");
  const std::string beside =
      "units \"a\" and \"b\" share memory \"dram\", and no profile says what they cost each other: taken is "
      "nothing";
  EXPECT_EQ(whole[0]["estimated"], Json::array({beside})) << "eft would cut nothing anyway";
}

TEST(KeptWholeCommand, WhatHasATimeAsLayersIsStillShared) {
  const TempFolder folder;
  const Json cut = ReportsOfLayers(folder, R"(["c", "r"])");
  EXPECT_EQ(cut[1]["makespan_ns"], 150000);
  EXPECT_GE(cut[1]["gap"], 0.0) << "what may be shared out may be below the bound of whole models";
}

}  // namespace
}  // namespace tandem
