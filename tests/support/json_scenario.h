// Scenarios from JSON with a board, times and models of their own, for tests.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// The members of each file beside "tandem" and its name. Every model is a file m0.json, m1.json, ...
struct JsonScenario {
  std::string platform;             // "memories", "links", "units"
  std::string profile;              // "entries" and what else
  std::vector<std::string> models;  // "layers" of each
  std::string scenario;             // "streams" and what else; platform and profiles are added
  std::string origin = R"({"kind": "estimated", "method": "made up"})";  // of the profile

  Scenario Read() const;
};

}  // namespace tandem
