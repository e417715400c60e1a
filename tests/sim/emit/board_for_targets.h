// A board with cores, a GPU and a DLA, two models and three streams, written to a folder; and what is emitted
// for them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {

inline const std::string kOneStream = R"({"name": "front", "model": "tiny.json", "count": 4, "batch": 1,
    "arrival": {"type": "periodic", "fps": 10}})";

class BoardForTargets : public testing::Test {
 protected:
  BoardForTargets() {
    for (const char* const name : {"tiny", "small"}) {
      WriteFile(folder_ / (std::string(name) + ".json"), std::string(R"({"tandem": "model/1", "name": ")") +
                                                             name +
                                                             R"(", "layers": [
          {"name": "data", "op": "input", "shape": [1, 3, 8, 8]},
          {"name": "conv1", "op": "conv", "inputs": ["data"], "out_channels": 4, "kernel": [3, 3]},
          {"name": "relu1", "op": "relu", "inputs": ["conv1"]},
          {"name": "fc", "op": "fc", "inputs": ["relu1"], "out_features": 10}]})");
    }
    WriteFile(folder_ / "board.platform.json", R"({"tandem": "platform/1", "name": "board",
        "memories": [{"name": "dram"}],
        "units": [{"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [2, 3]},
                  {"name": "gpu", "kind": "gpu", "memory": "dram", "slots": 2},
                  {"name": "dla1", "kind": "npu", "memory": "dram"},
                  {"name": "stick", "kind": "vpu", "memory": "dram"}]})");
    WriteFile(folder_ / "board.profile.json", R"({"tandem": "profile/1", "platform": "board.platform.json",
        "origin": {"kind": "published", "source": "made up"}, "entries": [
          {"model": "tiny.json", "unit": "cpu", "layers": "*", "median_us": 900},
          {"model": "tiny.json", "unit": "gpu", "layers": "*", "median_us": 200, "precision": "fp16"},
          {"model": "tiny.json", "unit": "dla1", "layers": "*", "median_us": 300, "precision": "int8"},
          {"model": "small.json", "unit": "gpu", "layers": "*", "median_us": 400, "precision": "fp16"},
          {"model": "small.json", "unit": "cpu", "layers": "*", "median_us": 800},
          {"model": "small.json", "unit": "stick", "layers": "*", "median_us": 800},
          {"model": "tiny.json", "unit": "gpu", "layers": ["conv1", "relu1"], "median_us": 120, "precision": "fp16"},
          {"model": "tiny.json", "unit": "gpu", "layers": ["fc"], "median_us": 90, "precision": "fp16"},
          {"model": "tiny.json", "unit": "dla1", "layers": ["conv1"], "median_us": 50, "precision": "int8"},
          {"model": "tiny.json", "unit": "dla1", "layers": ["relu1"], "median_us": 40, "precision": "int8"}]})");
  }

  // `streams` and what else the scenario has; `policy` as a scenario writes it. Returns what --json says of
  // it.
  nlohmann::json Emit(const std::string& target, const std::string& policy, const std::string& streams) {
    WriteFile(folder_ / "board.scenario.json",
              R"({"tandem": "scenario/1", "name": "two cameras", "platform": "board.platform.json",
              "profiles": ["board.profile.json"], "transfer": "none", "streams": [)" +
                  streams + R"(], "policies": [)" + policy + "]}");
    const ProgramResult result =
        RunTandem("plan " + (folder_ / "board.scenario.json").string() +
                  " --engine virtual --json --force --emit " + target + " -o " + (folder_ / "out").string());
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.status == 0 ? nlohmann::json::parse(result.output)["emitted"] : nlohmann::json();
  }

  std::string Text(const std::string& file) const { return ReadTextFile(folder_ / "out" / file); }

  static bool Says(const nlohmann::json& emitted, const std::string& sentence) {
    for (const auto& said : emitted["not_expressed"]) {
      if (said.get<std::string>().find(sentence) != std::string::npos) return true;
    }
    return false;
  }

  // A shell takes it.
  void ExpectShell(const std::string& file) const {
    const ProgramResult result = RunShell("sh -n " + (folder_ / "out" / file).string());
    EXPECT_EQ(result.status, 0) << file << ": " << result.errors;
  }

  TempFolder folder_;
  // `front` is more urgent than `rear`, and of the same model.
  const std::string streams_ = R"(
      {"name": "front", "model": "tiny.json", "count": 4, "arrival": {"type": "periodic", "fps": 15},
       "priority": 2, "deadline_us": 5000},
      {"name": "rear", "model": "tiny.json", "count": 3, "arrival": {"type": "periodic", "fps": 50}},
      {"name": "plates", "model": "small.json", "count": 2, "arrival": {"type": "closed", "in_flight": 2}})";
};

}  // namespace tandem
