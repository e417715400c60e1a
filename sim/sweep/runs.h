// All runs of a sweep, with the keys that rows go by.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/study/one_run.h"
#include "sim/sweep/sweep.h"

namespace tandem {

struct SweepRun {
  std::string key;  // the hash of all that it depends on: inputs, policy, seed, engine, version
  std::int64_t point = 0;
  std::string policy;  // its label
};

// Point by point; of runs that are the same in all that counts the first alone. Throws InputError.
std::vector<SweepRun> RunsOf(const Sweep& sweep, Engine engine);

// A point's values by the axes' names.
std::map<std::string, std::string> NamedValues(const Sweep& sweep, const std::vector<std::string>& values);

}  // namespace tandem
