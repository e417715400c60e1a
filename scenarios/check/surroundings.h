// What surrounds a task and makes its work longer or shorter: a pause of its unit before it, another model on
// its unit before it, inputs that other units of its memory have made.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/check/named_work.h"
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
  bool repeats() const { return !repeated_.empty(); }
  // What the unit had taken before.
  struct Before {
    bool has_switched = false;   // another model's task since it last took one of this work
    std::optional<Nanos> since;  // that was so long before; nothing: never
  };
  // Several answers where it took others at that very instant; none where the trace does not tell.
  std::vector<Before> TakenBefore(const CheckedTask& task) const;
  // What so much work takes after that.
  Nanos After(const CheckedTask& task, Nanos work, const Before& before);
  // What it takes longer because others hand over what it reads.
  Nanos HandedOver(const CheckedTask& task);

 private:
  using Points = std::map<std::int64_t, double>;  // nanoseconds or bytes
  static double OnLine(const Points& points, std::int64_t at);
  void ReadPauses();
  void ReadHandOvers();
  void ReadSwitches();
  void ReadRepeats();
  void FindSwitches(const std::vector<const CheckedTask*>& tasks);
  void FindRepeats(const std::vector<const CheckedTask*>& tasks);
  double AfterOther(const CheckedTask& task);
  const Points& RepeatsOf(const CheckedTask& task);
  Nanos HandOver(UnitId from, UnitId to, std::int64_t bytes) const;

  const CheckedRun& run_;
  RequestShapes shapes_;
  std::map<std::pair<UnitId, std::string>, Points> pauses_;  // per unit and model; empty: any
  std::map<std::pair<UnitId, UnitId>, Points> hand_overs_;
  struct Known {
    UnitId unit;
    NamedWork work;
    Nanos every{0};  // of a repeat
    double slowdown = 1;
  };
  using UnitWork = std::pair<UnitId, std::int32_t>;
  std::vector<Known> after_other_, repeated_;
  std::map<UnitWork, double> after_other_of_;  // those that were asked for
  std::map<UnitWork, Points> repeats_of_;      // the same
  std::map<const CheckedTask*, std::vector<bool>> switched_;
  std::map<const CheckedTask*, std::vector<std::optional<Nanos>>> since_;
  std::vector<std::vector<const CheckedTask*>> of_unit_;  // as they were taken
  std::vector<std::vector<Nanos>> ends_;                  // the same: the last end of those so far
};

}  // namespace tandem
