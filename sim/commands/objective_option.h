// The option --objective of every command that compares policies.
#pragma once

#include <string>
#include <vector>

#include "profiles/program/command_line.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

inline void AddObjective(Command& command, std::string& objective) {
  std::vector<std::string> words;
  for (const auto& [name, value] : kObjectiveNames) words.emplace_back(name);
  command.Add("--objective", &objective, "what policies are compared by, instead of the scenario's")
      .OneOf(words);
}

// Empty: the scenario's stays.
inline void SetObjective(const std::string& objective, Scenario& scenario) {
  for (const auto& [name, value] : kObjectiveNames) {
    if (name != objective) continue;
    scenario.objective = value;
    scenario.objective_why.clear();
  }
}

}  // namespace tandem
