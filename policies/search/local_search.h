// Improves a schedule step by step: moves tasks to other units and to other places in the order, simulates,
// and keeps what is not much worse than before, less and less so (threshold accepting).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "policies/kinds/recording_policy.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/report/objective.h"

namespace tandem {

struct Evaluated {
  ScheduleCost cost;
  UnitId busiest;
};

class LocalSearch {
 public:
  // What a sequence of tasks costs, each on its unit, in this order there; nothing: it cannot be run so.
  using Evaluate = std::function<std::optional<Evaluated>(const std::vector<Decision>&)>;

  // All of them outlive it. No more than `evaluations` are made.
  LocalSearch(const Problem& problem, const Evaluate& evaluate, StreamRandom& random)
      : problem_(&problem), evaluate_(&evaluate), random_(&random) {}

  // Starts with `tasks`; ends early where `good_enough` is reached.
  void Run(std::vector<Decision> tasks, std::int64_t evaluations, double good_enough);

  // The best that was found; no tasks where nothing could be run.
  const std::vector<Decision>& best() const { return best_; }
  ScheduleCost best_cost() const { return best_cost_; }

 private:
  double Energy(ScheduleCost cost) const {
    return cost.value + tie_weight_ * cost.ties[0] + excess_weight_ * cost.excess;
  }
  bool IsGoodEnough(double value) const { return best_cost_.excess <= 0 && best_cost_.value <= value; }
  void Round(std::int64_t evaluations, double good_enough);
  bool Change();
  bool MoveOne();
  bool SwapTwo();
  bool Reorder();
  bool MoveSegments();
  bool MoveOfStream();
  bool SetUnit(std::size_t place, UnitId unit);
  std::size_t AnyPlace();
  UnitId AnyUnit();
  std::size_t Below(std::size_t count);

  const Problem* problem_;
  const Evaluate* evaluate_;
  StreamRandom* random_;
  double tie_weight_ = 0, excess_weight_ = 0, widest_ = 0;
  std::vector<Decision> tasks_;
  UnitId busiest_;
  ScheduleCost current_;
  std::vector<Decision> best_;
  ScheduleCost best_cost_;
};

}  // namespace tandem
