// What `tandem check` finds out about one file, or about one name that tandem ships.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tandem {

struct CheckedFile {
  std::string file;
  std::string kind;     // "scenario/1", or a model's format; empty where the file does not say
  std::string problem;  // empty: the file is right
  std::string summary;  // else this: "3 streams, 300 requests"
  std::string known;    // of a scenario or plan: KnownText, or KnownJson where settings are wanted
  bool fits = true;     // of a scenario or plan: false where what units hold certainly has no room
  std::vector<std::string> not_judged;  // of a scenario or plan: what only a run tells, a sentence each
  std::string settings;                 // JSON of the effective settings; empty where the kind has none
};

// The files that an argument of the command stands for: itself, or what tandem ships under that name. Throws
// InputError where there is none.
std::vector<std::string> FilesToCheck(const std::string& argument);

// Judges all of the file and what it refers to. What is wrong is in `problem`; nothing else is thrown but
// EnvironmentError. Settings are gathered only where they are wanted.
CheckedFile CheckFile(const std::string& file, bool want_settings);

}  // namespace tandem
