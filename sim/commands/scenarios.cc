// tandem scenarios list
#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem::scenarios {
namespace {

constexpr const char* kFolder = "scenarios";
constexpr const char* kSuffix = ".scenario.json";

struct ScenariosArguments {
  bool json = false;
};

// What its file says at first sight: to list it, nothing that it refers to is read.
struct Listed {
  std::string name, title, platform;
  std::size_t streams = 0, policies = 0;
};

Listed LookAt(const std::string& name) {
  const JsonDocument document = JsonDocument::ReadFile(ShippedDirectory() / kFolder / (name + kSuffix));
  const JsonReader root = document.root(), platform = root.Get("platform");
  Listed listed{name, std::string(root.Get("name").String()), "", root.Get("streams").size(), 0};
  listed.platform = (platform.IsObject() ? platform.Get("name") : platform).String();
  if (const auto policies = root.Find("policies")) listed.policies = policies->size();
  return listed;
}

int List(const ScenariosArguments& arguments) {
  auto list = nlohmann::ordered_json::array();
  Table table({{"scenario"},
               {"board"},
               {"streams", true},
               {"policies", true},
               {"what it is", false, false, true, 40}});
  for (const std::string& name : ShippedNames(kFolder, kSuffix)) {
    const Listed scenario = LookAt(name);
    list.push_back({{"name", name},
                    {"title", scenario.title},
                    {"platform", scenario.platform},
                    {"streams", scenario.streams},
                    {"policies", scenario.policies}});
    table.Add({name, scenario.platform, std::to_string(scenario.streams), std::to_string(scenario.policies),
               scenario.title});
  }
  WriteOutput(arguments.json ? JsonOutput(list) : table.Text(OutputWidth()));
  return kExitDone;
}

const CommandRegistration kScenarios{
    {.name = "scenarios", .summary = "the scenarios that tandem ships", .order = 15},
    "Examples:\n  tandem scenarios list\n  tandem check study-003"};

void Declare(Command& command, ScenariosArguments& arguments) {
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer("Examples:\n  tandem scenarios list\n  tandem scenarios list --json");
}

const CommandRegistration kScenariosList{
    {.name = "scenarios list", .summary = "their names, boards and what they ask", .order = 10},
    Declare,
    List};

}  // namespace
}  // namespace tandem::scenarios
