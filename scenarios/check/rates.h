// How far a step of a task gets in the time that it took, as the profiles' slowdowns by load and neighbours
// say, and what copies share. Of simulated runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/check/copies.h"
#include "scenarios/check/heat.h"
#include "scenarios/check/named_work.h"
#include "scenarios/check/turns.h"

namespace tandem {

class CheckedRates {
 public:
  explicit CheckedRates(const CheckedRun& run);

  // Is every step under way at its full speed, always?
  bool full() const { return run_.exact() && !copies_.meet(); }
  // From `start` to `end`, in thousandths of nanoseconds of work, and how much of it fell on the last one.
  struct Way {
    std::int64_t work = 0, last = 0;
  };
  Way Between(const CheckedTask& task, Nanos start, Nanos end, const TracedSpan* copy = nullptr) const;

 private:
  struct Busy {
    Nanos start{0}, end{0};
    const CheckedTask* task = nullptr;
  };
  struct Neighbour {
    UnitId unit, beside;
    NamedWork work, other;
    std::optional<double> traffic;
    double slowdown = 1;
  };
  struct Group {
    UnitId unit;
    NamedWork work;
    std::vector<UnitId> beside;
    double slowdown = 1;
  };
  struct Load {
    UnitId unit;
    NamedWork work;
    double value = 1;  // slowdown, or traffic
  };

  void Read(const Profile& profile);
  void CollectBusy();
  void AddBusy(const CheckedTask& task);
  std::vector<CheckedAtWork> AtWork(UnitId unit) const;
  std::vector<CheckedSpeed> WorksAtSpeeds(UnitId unit) const;
  std::int32_t HolderAt(UnitId unit, Nanos date) const;
  const Load* BestOf(const std::vector<Load>& loads, const CheckedTask& task) const;
  double UnderLoad(const CheckedTask& task) const;
  double Beside(const CheckedTask& task, std::vector<const CheckedTask*> others) const;
  double SpeedByDate(UnitId unit, Nanos date) const;
  double SpeedAt(UnitId unit, Nanos date) const;
  std::vector<const CheckedTask*> Others(const CheckedTask& task, Nanos from, Nanos to) const;
  bool IsAside(const CheckedTask& task, std::size_t track) const;
  std::vector<Nanos> Dates(const CheckedTask& task, Nanos start, Nanos end, bool all) const;
  std::int64_t Rate(const CheckedTask& task, const std::vector<const CheckedTask*>& others, Nanos date) const;
  std::map<double, double> CurveFor(const CheckedTask& task, UnitId beside) const;

  const CheckedRun& run_;
  CheckedCopies copies_;
  std::vector<Neighbour> neighbours_;
  std::vector<Group> groups_;
  struct Sharing {
    const Profile* profile = nullptr;
    UnitId unit;
    NamedWork work, beside;
    double at_once = 1, slowdown = 1;
    bool apart = false;
  };
  // `beside`: an other one of those; null: whichever it is.
  std::optional<double> SharedBeside(const CheckedTask& task, const CheckedTask* beside, double at_once,
                                     bool apart) const;
  double SharedByAny(const CheckedTask& task, double at_once) const;
  double Shared(const CheckedTask& task, const std::vector<const CheckedTask*>& others) const;

  std::vector<Sharing> sharing_;
  bool apart_ = false;  // nobody manages: streams are programs of their own
  std::vector<Load> loads_, traffics_;
  std::vector<std::vector<Busy>> busy_;                          // per track of a unit, ascending
  std::map<const TracedSpan*, const CheckedTask*> slot_copies_;  // whose, of those that slots make
  std::vector<std::vector<CheckedSpeed>> held_back_;             // per unit; empty: by no heat
  std::vector<std::vector<CheckedTurn>> turns_;                  // the same; empty: its slots take none
};

}  // namespace tandem
