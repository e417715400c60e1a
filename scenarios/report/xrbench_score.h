// XRBench's scores of a run: was every frame there in time, how much energy did it take, how many were lost?
#pragma once

#include <optional>
#include <vector>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

// 0 is worst, 1 is best.
struct XrbenchScore {
  double real_time = 0;          // mean over the completed of 1 / (1 + e^(15 d)), d the ms past the deadline
  std::optional<double> energy;  // (1500 mJ - energy of an inference) / 1500 mJ, at least 0
  double qoe = 0;                // quality of experience: 1 - share of requests that were dropped
  double model() const { return real_time * energy.value_or(1); }
};

// Per stream; nothing for a stream without requests or without a deadline. `energy_per_inference` in joules,
// the run's: what a single inference took is not told apart. Nothing: unknown, and left out of the score.
std::vector<std::optional<XrbenchScore>> XrbenchScores(const Scenario& scenario, const Outcome& outcome,
                                                       std::optional<double> energy_per_inference);

// 100 x the mean of model score x QoE; nothing where no stream has a score.
std::optional<double> XrbenchOverall(const std::vector<std::optional<XrbenchScore>>& scores);

}  // namespace tandem
