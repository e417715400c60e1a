// The option --engine of every command that simulates.
#pragma once

#include <string>

#include "profiles/program/command_line.h"
#include "sim/study/one_run.h"

namespace tandem {

inline void AddEngine(Command& command, std::string& engine) {
  std::vector<std::string> words;
  for (const auto& [name, value] : kEngineNames) words.emplace_back(name);
  command.Add("--engine", &engine, "simgrid (the model of record) or virtual (faster)").OneOf(words);
}

inline Engine EngineOf(const std::string& engine) {
  return engine == "virtual" ? Engine::kVirtual : Engine::kSimgrid;
}

}  // namespace tandem
