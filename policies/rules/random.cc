// Random: each task goes, when it becomes ready, to a unit drawn uniformly from those that can run it; the
// floor that every other policy should be above. Tie-break: none is needed. Source: none.
#include "scenarios/arrivals/random.h"
#include "policies/kinds/assigning_policy.h"

namespace tandem::random {
namespace {

// No stream draws the same numbers: names have no line feed.
constexpr std::string_view kGenerator = "\npolicy random";

class RandomPolicy final : public AssigningPolicy {
 public:
  explicit RandomPolicy(const Problem& problem)
      : AssigningPolicy(problem), random_(kGenerator, problem.scenario().seed) {}

 private:
  UnitId UnitFor(const Task& task, const Board&) override {
    able_.clear();
    for (std::size_t u = 0; u < problem().units(); ++u) {
      if (problem().Runs(task.segment, UnitId(u))) able_.emplace_back(u);
    }
    const std::int64_t last = static_cast<std::int64_t>(able_.size()) - 1;
    return able_[static_cast<std::size_t>(random_.UniformUpTo(last))];
  }

  StreamRandom random_;
  std::vector<UnitId> able_;
};

Prepared Make(const PolicySpec&, const Problem& problem) { return std::make_unique<RandomPolicy>(problem); }

const PolicyRegistration kRandom{
    {.name = "random",
     .summary = "each task goes to a unit drawn uniformly from those that can run it, by the scenario's seed",
     .make = Make}};

}  // namespace
}  // namespace tandem::random
