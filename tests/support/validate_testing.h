// `tandem validate` against a device that is not there, tests/support/fake_device.py.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {

inline constexpr double kRounding = 1e-6;  // times are rounded to nanoseconds

class Validate : public testing::Test {
 protected:
  Validate() {
    WriteFile(folder_ / "s.scenario.json", R"({
      "tandem": "scenario/1", "name": "two models", "platform": "device", "transfer": "none",
      "streams": [{"name": "a", "model": "squeezenet_1_1", "count": 6, "arrival": {"type": "offline"}},
                  {"name": "b", "model": "mobilenet_v2", "count": 6, "arrival": {"type": "offline"}}],
      "policies": ["fcfs",
        {"name": "given", "label": "on big", "map": {"*": "big"}},
        {"name": "given", "label": "on small", "map": {"*": "small"}}]})");
  }

  void SetUp() override {
    if (RunShell("python3 -c ''").status != 0) GTEST_SKIP() << "no python3 for the device that is not there";
  }

  // The scenario is of one model then, a file beside it.
  void AskOfANetworkOfItsOwn() const {
    WriteFile(folder_ / "net.json", R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "data", "op": "input", "shape": [1, 4]},
      {"name": "fc", "op": "fc", "inputs": ["data"], "out_features": 3}]})");
    WriteFile(Path("s.scenario.json"), R"({
      "tandem": "scenario/1", "name": "one model", "platform": "device", "transfer": "none", "policies": ["fcfs"],
      "streams": [{"name": "a", "model": "./net.json", "count": 6, "arrival": {"type": "offline"}}]})");
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  ProgramResult Run(const std::string& device_options, const std::string& options = "") const {
    return RunShell(Command(device_options, options));
  }
  std::string Command(const std::string& device_options, const std::string& options) const {
    return std::string(TANDEM_PROGRAM) + " validate " + Path("s.scenario.json") +
           " --engine virtual --device \"" + "python3 " TANDEM_TEST_DIR "/support/fake_device.py " +
           TANDEM_PROGRAM + " " + folder_.string() + " " + device_options + "\" " + options;
  }

  TempFolder folder_;
};

inline nlohmann::json Parsed(const ProgramResult& result) {
  EXPECT_FALSE(result.output.empty()) << result.errors;
  return result.output.empty() ? nlohmann::json() : nlohmann::json::parse(result.output);
}

}  // namespace tandem
