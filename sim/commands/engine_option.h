// The option --engine of every command that simulates.
#pragma once

#include <string>

#include "profiles/program/command_line.h"
#include "sim/study/one_run.h"

namespace tandem {

// Of what is told by tandem's own rules.
inline void AddExactEngine(Command& command, std::string& engine) {
  command.Add("--engine", &engine, "simgrid (the model of record) or virtual (the same, faster)")
      .OneOf({"simgrid", "virtual"});
}

inline void AddEngine(Command& command, std::string& engine) {
  std::vector<std::string> words;
  for (const auto& [name, value] : kEngineNames) words.emplace_back(name);
  command
      .Add("--engine", &engine,
           "simgrid (the model of record), virtual (the same, faster) or fluid (SimGrid's own physics)")
      .OneOf(words);
}

}  // namespace tandem
