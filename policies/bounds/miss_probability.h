// How likely a request misses its deadline at most, where tasks take what is drawn from a profile's samples:
// proved for what WorstLatencies proves the longest of, by the moments of what has to be done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/engine/draws/sampled_times.h"
#include "policies/engine/policy.h"
#include "policies/problem/problem.h"

namespace tandem {

struct MissProbability {
  std::optional<double> at_most;  // of any one request of the stream: that it ends after its deadline
  std::string why;                // nothing is proved
  // Tasks that count and have one time, no samples: `layer "a" of model "m" on unit "u"`.
  std::vector<std::string> without_samples = {};
  bool as_profiled = false;  // all of them: it is 0 or 1, by what WorstLatencies proves, and no chance
};

// Per stream. `longer`: what is drawn counts so many times. Streams take what they take independently of each
// other; a request and those after it as `times` says (SampledTimes::Part). docs/semantics.md, "How likely",
// has the proof, and what it asks for.
std::vector<MissProbability> MissProbabilities(const Problem& problem, const Policy& policy,
                                               const SampledTimes& times, double longer = 1);

}  // namespace tandem
