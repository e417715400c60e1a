// What a server that schedules by rules of its own is to be told, so that it decides as a policy did: a
// policy whose declaration has it is made from the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/base/ids.h"

namespace tandem {

struct Serving {
  // So many instances of a model on a unit, each of which does one request at a time.
  struct Group {
    ModelId model;
    UnitId unit;
    std::int64_t count = 1;
  };
  // Beside one per unit, of which there are as many as the unit has slots and each instance there takes one.
  struct Resource {
    std::string name;
    std::int64_t count = 0;
    std::vector<std::int64_t> needs;  // per model: what an instance of it takes while it works
  };

  bool takes_turns = true;              // else an instance that is free begins, whatever others wait for
  std::vector<Group> groups;            // by model, then by unit
  std::vector<std::int64_t> weights;    // per model: of twice the weight it has half the turns
  std::vector<Resource> resources;      // only where turns are taken
  std::vector<std::int64_t> levels;     // per stream: among the requests for its model; 1 is first
  std::vector<std::int64_t> of_levels;  // per model: how many
};

}  // namespace tandem
