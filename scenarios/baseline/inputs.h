// What a scenario reads, as one hash: a run with the same inputs, seed, policy and version comes out the
// same.
#pragma once

#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// "sha256:..." over the content of the scenario's file (or plan's), its platform, its profiles, its models
// and the files of its arrivals; neither where they lie nor how they are laid out counts, nor do notes.
std::string InputsHash(const Scenario& scenario);

}  // namespace tandem
