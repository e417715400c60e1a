// A scenario from words on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

struct ScenarioWords {
  std::string file;  // that will be written: names of files are relative to it
  std::string name;
  std::string platform;                // as JSON: a name, or an object in place
  std::vector<std::string> profiles;   // as JSON each; none: they are measured first
  std::vector<std::string> streams;    // "camera=mobilenet_v2@30fps*300"
  std::vector<std::string> deadlines;  // "33ms", "camera=33ms"
  std::vector<std::string> policies;
  std::string objective;   // empty: as tandem chooses
  bool transfer = true;    // false: times include what moves data
  std::int64_t batch = 1;  // inferences of a request, of every stream
};

// The text of a scenario/1 with notes, judged as the reader judges it. Throws InputError.
std::string ScenarioFrom(const ScenarioWords& words);

}  // namespace tandem
