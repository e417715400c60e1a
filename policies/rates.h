// How fast each running task progresses while units slow each other down or something else loads them.
#pragma once

#include <vector>

#include "policies/occupation.h"
#include "policies/problem.h"

namespace tandem {

// The rate of a task is 1000 / (slowdown by background load x slowdowns by what runs on each other unit),
// rounded down, at least 1. Of several profile entries that speak of the same thing the most particular
// counts. Without a measured slowdown a load of p percent slows down by 1 / (1 - p / 100), an estimate.
class TaskRates {
 public:
  explicit TaskRates(const Problem& problem);

  bool on() const { return on_; }  // else every rate is full, always
  Rate Of(const Occupation& slot, const std::vector<Occupation>& all) const;

 private:
  struct Match {                 // whose work an entry speaks of
    ModelId model;               // invalid: any
    std::vector<char> segments;  // empty: any; else per segment
    bool Covers(const Problem& problem, const Task& task) const;
    int weight() const { return (model.valid() ? 1 : 0) + (segments.empty() ? 0 : 1); }
  };
  struct Background {
    UnitId unit;
    Match work;
    double slowdown = 1;
  };
  struct CoRunning {
    UnitId unit, beside;
    Match work, beside_work;
    double slowdown = 1;
  };

  Match MatchOf(const Profile& profile, const std::string& model,
                const std::vector<std::string>& layers) const;
  double BackgroundSlowdown(const Occupation& slot) const;
  double CoRunningSlowdown(const Occupation& slot, const Occupation& other) const;

  const Problem* problem_;
  bool on_ = false;
  std::vector<double> estimated_;  // per unit, from its load
  std::vector<Background> background_;
  std::vector<CoRunning> co_running_;
};

}  // namespace tandem
