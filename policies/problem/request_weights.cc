#include "policies/problem/request_weights.h"

#include <cmath>

#include "scenarios/arrivals/arrivals.h"

namespace tandem {

std::vector<double> RequestWeights(const Scenario& scenario) {
  std::vector<double> counts;
  for (const RequestCount& requests : CountRequests(scenario.streams, scenario.seed)) {
    counts.push_back(static_cast<double>(requests.count));
  }
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const auto* closed = std::get_if<ClosedArrival>(&scenario.streams[s].arrival);
    if (closed) counts[s] = static_cast<double>(closed->in_flight * closed->per_query);
  }
  for (std::size_t s = 0; s < counts.size(); ++s) {
    double share = 1;
    std::size_t root = s;
    while (const auto* link = std::get_if<DependentArrival>(&scenario.streams[root].arrival)) {
      share *= link->Share();
      root = link->parent.index();
    }
    if (root != s) counts[s] = std::floor(share * counts[root] + 0.5);
  }
  return counts;
}

}  // namespace tandem
