// What any cut of a model is put together from: the profile's entries, each of some layers on some unit.
// Whatever groups of layers a policy makes, the time of each is the sum of entries that cover it.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

struct CoverEntry {
  UnitId unit;
  std::vector<std::int32_t> layers;  // those that cost something, ascending
  Nanos time{0};
  Nanos dispatch{0};   // its part of the dispatch of the task that it is in, whatever that holds beside
  bool whole = false;  // of the whole model as such: it tells no times of parts
};

// Requests of one model and batch.
struct CoverKind {
  ModelId model;
  std::int64_t batch = 1;
  std::vector<CoverEntry> entries;
  Nanos least_dispatch{0};  // of the units that have entries
};

struct CoverKinds {
  std::vector<CoverKind> kinds;
  std::vector<std::size_t> of_stream;
};

// On units that may hold or load the model. `parts`: tasks may have parts of layers too; a part of half the
// layers' channels counts as an entry of twice its time.
CoverKinds FindCoverKinds(const Scenario& scenario, bool parts);

}  // namespace tandem
