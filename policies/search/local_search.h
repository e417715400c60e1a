// Improves a schedule step by step: moves tasks to other units and to other places in the order, simulates,
// and keeps what is not much worse than before, less and less so (threshold accepting).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "policies/kinds/recording_policy.h"
#include "policies/search/least_cost.h"
#include "profiles/program/threads.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/report/objective.h"

namespace tandem {

class LocalSearch {
 public:
  // What a sequence of tasks costs, each on its unit, in this order there; nothing: it cannot be run so.
  using Evaluate = std::function<std::optional<Evaluated>(const std::vector<Decision>&)>;

  // All of them outlive it. `least`, where it knows any: what need not be evaluated is not. With `threads`
  // steps are evaluated ahead, as if those before them were not taken, and `evaluate` is called side by side;
  // what is found is the same.
  LocalSearch(const Problem& problem, const Evaluate& evaluate, StreamRandom& random,
              LeastCost* least = nullptr, Threads* threads = nullptr)
      : problem_(&problem),
        evaluate_(&evaluate),
        random_(&random),
        least_(least && least->known() ? least : nullptr),
        threads_(threads) {}

  // Starts with `tasks`; ends early where `good_enough` is reached. Returns how many sequences it has judged,
  // no more than `evaluations`: by evaluating them, or because they cannot be good or are nothing new.
  std::int64_t Run(std::vector<Decision> tasks, std::int64_t evaluations, double good_enough);

  // The best that was found; no tasks where nothing could be run.
  const std::vector<Decision>& best() const { return best_; }
  ScheduleCost best_cost() const { return found_.cost; }
  // What limits those break that it has judged; of those that it looked at ahead in vain nothing.
  const NearMisses& near_misses() const { return near_misses_; }

 private:
  double Energy(ScheduleCost cost) const {
    return cost.value + tie_weight_ * cost.ties[0] + excess_weight_ * cost.excess;
  }
  bool IsGoodEnough(double value) const { return found_.cost.excess <= 0 && found_.cost.value <= value; }
  // A sequence that may be the next.
  struct Step {
    std::vector<Decision> tasks;
    double most = 0;                 // it may cost
    std::optional<Evaluated> tried;  // nothing: it has to be evaluated, or cannot be run
    // As they are behind it:
    StreamRandom random;
    std::int64_t done = 0, judged = 0;
  };

  void Round(std::int64_t evaluations, double good_enough);
  std::size_t HowManyAhead() const;
  void Propose(std::int64_t evaluations);
  bool MayBeTaken(Step& step);
  void EvaluateProposed();
  void TakeFirst();
  void Note(const Evaluated& judged);
  bool RunsAsNow(const std::vector<Decision>& tasks);
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
  LeastCost* least_;  // null: it knows nothing
  Threads* threads_;  // null: none but the caller's
  double tie_weight_ = 0, excess_weight_ = 0, widest_ = 0;
  std::vector<Decision> tasks_;
  UnitId busiest_;  // where a step looks for something to move
  Evaluated current_;
  std::vector<Decision> best_;
  Evaluated found_;                         // the best
  std::int64_t done_ = 0;                   // of the round
  std::int64_t judged_ = 0;                 // in all
  std::int64_t evaluated_ = 0, taken_ = 0;  // of those that were evaluated
  NearMisses near_misses_;
  std::vector<Step> steps_;
  std::size_t proposed_ = 0;       // of them
  std::vector<std::size_t> next_;  // per unit, while sequences are compared
};

}  // namespace tandem
