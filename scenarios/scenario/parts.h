// The parts of a scenario that need a reader of their own, in the order in which they are read: each relies
// on those before it. Of use to scenario_reader.cc alone.
#pragma once

#include "profiles/base/json_reader.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// models and streams.
void ReadStreams(const JsonReader& root, Scenario& scenario);

// platform and the units that it has.
void ReadPlatformOf(const JsonReader& root, const ScenarioOptions& options, Scenario& scenario);
// "variants" (the names), "resident", "background".
void ReadUnits(const JsonReader& root, Scenario& scenario);

// profiles, costs, each unit's variant; then whether everything that is asked can run somewhere.
void ReadProfilesOf(const JsonReader& root, Scenario& scenario);
void CheckRunnable(const JsonReader& root, const Scenario& scenario);

// Runs `read` for something that `place` refers to: an error inside it names both.
template <class Read>
auto Within(const JsonReader& place, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    place.Fail(error.what());
  }
}

}  // namespace tandem
