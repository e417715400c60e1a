// The best schedule that a search finds, clairvoyant: it tries the rules, then assignments and orders, each
// simulated in virtual time unless one pass over it proves that it is no better; where times vary the last
// few are compared on draws of them, and the simplest rule is taken that cannot be told from the best. It
// uses all cores, and finds the same on any number of them. Tie-break: the one that was found first. Source:
// list scheduling with local search and threshold accepting (Dueck and Scheuer, 1990).
#include "policies/engine/policy.h"
#include "policies/search/search.h"

namespace tandem::best {
namespace {

struct BestParameters : PolicyParameters {
  std::optional<std::int64_t> evaluations;  // nothing: by the size of the scenario
};

constexpr std::int64_t kMostEvaluations = 1'000'000'000;

const Fields<BestParameters>& Keys() {
  static const auto fields = Fields<BestParameters>().Optional(
      "evaluations", &BestParameters::evaluations, as::Integer(1, kMostEvaluations),
      "how many schedules it tries; without it by the size of the scenario");
  return fields;
}

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  const auto& evaluations = spec.As<BestParameters>().evaluations;
  const auto found = FindBest(scenario, evaluations ? *evaluations : DefaultEvaluations(scenario));
  return MakeDecided(found.front(), problem);
}

const PolicyRegistration kBest{
    {.name = "best",
     .summary = "the best schedule that a search over rules, assignments and orders finds",
     .role = PolicyRole::kSearch,
     .waiting = Waiting::kSchedule,
     .splits = true,
     .maps = true,
     .clairvoyant = true,
     .takes_granularity = false,
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::best
