#include "tests/support/json_scenario.h"

#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {

Scenario JsonScenario::Read() const {
  const TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& kind, const std::string& members) {
    WriteFile(folder / name, R"({"tandem": ")" + kind + R"(", )" + members + "}");
  };
  for (std::size_t m = 0; m < models.size(); ++m) {
    const std::string name = "m" + std::to_string(m);
    write(name + ".json", "model/1", R"("name": ")" + name + R"(", "layers": )" + models[m]);
  }
  write("board.platform.json", "platform/1", R"("name": "board", )" + platform);
  write("times.profile.json", "profile/1",
        R"("platform": "board.platform.json", "origin": )" + origin + ", " + profile);
  write("run.scenario.json", "scenario/1",
        R"("name": "run", "platform": "board.platform.json", "profiles": ["times.profile.json"],
           "policies": [], )" +
            scenario);
  return ReadScenarioFile(folder / "run.scenario.json");
}

}  // namespace tandem
