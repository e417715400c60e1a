// What surrounds a task and makes its work longer or shorter: a pause of its unit before it, another model on
// its unit before it, inputs that other units of its memory have made.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/check/request_shape.h"

namespace tandem {

class Surroundings {
 public:
  explicit Surroundings(const CheckedRun& run);

  bool pauses() const { return !pauses_.empty(); }
  // For how long the unit had idled when it took the task. Two answers where tasks of no time were taken at
  // that very instant: the trace does not tell in which order.
  std::vector<Nanos> Idled(const CheckedTask& task) const;
  // What so much work takes after that.
  Nanos AfterIdle(const CheckedTask& task, Nanos work, Nanos idled) const;
  bool switches() const { return !after_other_.empty(); }
  // Had the unit taken another model's task since it last took one of this work? Two answers where it took
  // others at that very instant.
  const std::vector<bool>& HasSwitched(const CheckedTask& task) const { return switched_.at(&task); }
  Nanos AfterOther(const CheckedTask& task, Nanos work, bool has_switched) const;
  // What it takes longer because others hand over what it reads.
  Nanos HandedOver(const CheckedTask& task);

 private:
  using Points = std::map<std::int64_t, double>;  // nanoseconds or bytes
  static double OnLine(const Points& points, std::int64_t at);
  void ReadPauses();
  void ReadHandOvers();
  void ReadSwitches();
  void FindSwitches(const std::vector<const CheckedTask*>& tasks);
  Nanos HandOver(UnitId from, UnitId to, std::int64_t bytes) const;

  const CheckedRun& run_;
  RequestShapes shapes_;
  std::map<std::pair<UnitId, std::string>, Points> pauses_;  // per unit and model; empty: any
  std::map<std::pair<UnitId, UnitId>, Points> hand_overs_;
  std::map<std::pair<UnitId, std::string>, double> after_other_;  // per unit and model; empty: any
  std::map<const CheckedTask*, std::vector<bool>> switched_;
  std::vector<std::vector<const CheckedTask*>> of_unit_;  // as they were taken
  std::vector<std::vector<Nanos>> ends_;                  // the same: the last end of those so far
};

}  // namespace tandem
