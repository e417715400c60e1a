#include "tests/support/read_scenario.h"

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

const std::string kFile = TANDEM_TEST_DIR "/bad/mini.scenario.json";

}  // namespace

Scenario ReadMini(const std::string& members) {
  const std::string text =
      R"({"tandem": "scenario/1", "name": "mini", "platform": "parts/mini.platform.json",
          "profiles": ["parts/mini.profile.json"], "transfer": "none", )" +
      members + "}";
  const JsonDocument document = JsonDocument::Parse(text, kFile);
  return ReadScenario(document.root());
}

std::string MiniProblem(const std::string& members) {
  try {
    ReadMini(members);
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.starts_with(kFile) ? what.substr(kFile.size()) : what;
  }
  return "accepted";
}

}  // namespace tandem
