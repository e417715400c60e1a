// The scenario of one point of a sweep: the values put in, and a hash of all that a run of it depends on.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/named_files.h"
#include "sim/sweep/sweep.h"

namespace tandem {

struct PointPolicy {
  std::string label;
  std::string inputs;  // what the run depends on beside the point's
};

struct PointScenario {
  std::string file;  // what messages call it, and what paths in it are relative to
  std::string text;  // scenario/1
};

// What goes into the keys of its runs.
struct PointInputs {
  std::string hash;  // SHA-256 of what the scenario says and of the files that it names; its policies apart
  std::vector<PointPolicy> policies;  // those that the sweep runs
};

// Reads each file once.
class PointScenarios {
 public:
  explicit PointScenarios(const Sweep& sweep);  // outlives it

  // Of a JSON text per axis. Throws InputError where there is no such place; whether the values are right is
  // for the scenario's own reader to say.
  PointScenario Of(const std::vector<std::string>& values);
  // Throws InputError where there is no such place or policy, too.
  PointInputs InputsOf(const std::vector<std::string>& values);

 private:
  struct Draft;
  struct Place {
    std::size_t axis = 0, pointer = 0;
  };
  Draft DraftOf(const std::vector<std::string>& values);
  Draft Base(const std::vector<std::string>& values);
  void Put(const Place& place, const std::string& value, Draft& draft);
  std::vector<PointPolicy> PoliciesOf(const Draft& draft);

  const Sweep& sweep_;
  std::vector<Place> places_;  // wholes before their parts, whatever the order of the axes
  NamedFiles files_;
};

}  // namespace tandem
