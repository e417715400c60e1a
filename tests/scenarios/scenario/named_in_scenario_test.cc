// Is what a scenario names read only where reading comes to an end?
#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "scenarios/scenario/scenario.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

// A scenario whose parts are files of its folder.
struct WithFiles {
  std::string platform = "board.platform.json", profile = "t.profile.json", model = "net.model.json",
              times = "times.txt", policy = "\"fcfs\"";

  std::string Problem() const {
    const TempFolder folder;
    WriteFile(folder / "board.platform.json", R"({"tandem": "platform/1", "name": "board",
      "memories": [{"name": "m"}], "units": [{"name": "u", "kind": "cpu", "memory": "m"}]})");
    WriteFile(folder / "t.profile.json", R"({"tandem": "profile/1", "platform": "board",
      "origin": {"kind": "estimated", "method": "made up"},
      "entries": [{"model": "net.model.json", "unit": "u", "layers": "*", "median_us": 100}]})");
    WriteFile(folder / "net.model.json", R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "in", "op": "input", "shape": [2, 4, 4]}, {"name": "r", "op": "relu", "inputs": ["in"]}]})");
    WriteFile(folder / "times.txt", "0\n10\n");
    WriteFile(folder / "s.json", R"({"tandem": "scenario/1", "name": "s", "platform": ")" + platform +
                                     R"(", "profiles": [")" + profile + R"("], "streams": [{"name": "a",
      "model": ")" + model + R"(", "arrival": {"type": "trace", "file": ")" +
                                     times + R"("}}], "policies": [)" + policy + "]}");
    const std::string error = ErrorOf([&] { ReadScenarioFile(folder / "s.json"); });
    const std::size_t at = error.find("s.json");
    return at == std::string::npos ? error : error.substr(at);
  }
};

TEST(NamedInAScenario, AreFilesNeverDevices) {
  EXPECT_EQ(WithFiles().Problem(), "no error");
  // It is empty and can be read: nothing else is wrong with it.
  const auto problem = [](std::string WithFiles::*part, const std::string& name) {
    WithFiles files;
    files.*part = name;
    const std::string error = files.Problem();
    return error.substr(0, error.find(", which"));
  };
  const std::string what = ": /dev/null: is a device or a pipe";
  EXPECT_EQ(problem(&WithFiles::platform, "/dev/null"), "s.json:/platform" + what);
  EXPECT_EQ(problem(&WithFiles::profile, "/dev/null"), "s.json:/profiles/0" + what);
  EXPECT_EQ(problem(&WithFiles::model, "/dev/null"), "s.json:/streams/0/model" + what);
  EXPECT_EQ(problem(&WithFiles::times, "/dev/null"), "s.json:/streams/0/arrival/file" + what);
  EXPECT_EQ(problem(&WithFiles::policy, R"({"name": "given", "plan": "/dev/null"})"),
            "s.json:/policies/0/plan" + what);
}

}  // namespace
}  // namespace tandem
