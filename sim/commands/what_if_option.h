// The option --what-if of the commands that simulate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/program/command_line.h"
#include "sim/questions/what_if.h"

namespace tandem {

inline constexpr const char* kWhatIf = "--what-if";

inline Command::Option AddWhatIf(Command& command, std::vector<std::string>& what_if) {
  return command
      .Add("--what-if", &what_if,
           "suppose this of the scenario or its board: units.gpu.speed=1.5, links.usb1.bandwidth=2x")
      .OneWord()
      .Shown("PATH=VALUE");
}

inline std::vector<Supposed> AllSupposed(const std::vector<std::string>& texts) {
  std::vector<Supposed> all;
  for (const std::string& text : texts) all.push_back(ReadSupposed(text, kWhatIf));
  return all;
}

// As it is asked for; and, where something is supposed, as the files have it.
struct LoadedScenario {
  Scenario scenario;
  std::optional<Scenario> unchanged;
};

inline LoadedScenario LoadSupposed(const std::string& argument, const std::vector<std::string>& what_if) {
  if (what_if.empty()) return {LoadScenario(argument), std::nullopt};
  const std::vector<Supposed> all = AllSupposed(what_if);
  const ScenarioFile file(argument);
  return {file.With(all, kWhatIf), file.With({}, kWhatIf)};
}

}  // namespace tandem
