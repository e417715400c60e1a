// Whether a run finds the machine as its profiles were measured: what the yardsticks of its units read just
// before it and just after it, what others take of its cores meanwhile, and whether clocks are held back for
// the heat.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/harness/units.h"
#include "device/host/heat.h"
#include "device/host/taken_time.h"
#include "device/machine/yardstick.h"
#include "profiles/costs/yardstick_levels.h"
#include "scenarios/exchange/run_answer.h"

namespace tandem {

using ReadTakenOf =
    std::function<TakenReading(std::span<const std::int64_t> cores, std::span<const pid_t> threads)>;

// What a run was like for the machine.
struct MachineFound {
  std::optional<double> taken;
  std::map<std::string, YardstickReadings> yardsticks;
  std::string held_back;  // HeldBackText
  // Of what is told the worst, as a multiple of what does not count yet. Clocks held back come to 1.
  double disturbance = 0;
  std::map<std::string, std::string> heat;  // HeatText
  bool disturbed() const { return disturbance >= 1; }
};
// `levels`: what the yardsticks read while the profiles were measured.
MachineFound JudgeMachine(std::optional<double> taken, std::map<std::string, YardstickReadings> yardsticks,
                          const std::map<std::string, Nanos>& levels, std::string held_back = {});

class MachineWatch {
 public:
  // Units outlive it. `levels`: of the units whose yardsticks are read. `root`: of /sys, for the heat.
  MachineWatch(HarnessUnits& units, YardstickLevels levels, MakeYardstick yardstick_of,
               ReadTakenOf read_taken, std::filesystem::path root = "/");
  ~MachineWatch();
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;

  struct Beside {
    bool crowded = false;  // others work there by order: yardsticks and waiting threads would tell of them
    // So long it waits for all units to be in the reference state and no clock to be held back.
    Nanos patience{0};
    std::function<bool()> goes_on;
  };
  // Of the run of this problem, whose units are prepared. Not while their threads work.
  void Before(const Problem& problem, const Beside& beside);
  MachineFound After();

 private:
  struct Watched {  // the first slot of a unit
    std::string unit;
    std::size_t place = 0;
    ReadYardstick read;  // the thread's own
  };
  void Choose(const Problem& problem, bool crowded);
  Watched& At(const std::string& unit, std::size_t place, const Unit& of);
  std::map<std::string, Nanos> ReadAll();
  Heat HeatNow() const { return works_here_ ? ReadHeat(root_) : Heat(); }
  bool AsProfiled(const std::map<std::string, Nanos>& readings) const;

  HarnessUnits* units_;
  YardstickLevels known_;
  MakeYardstick yardstick_of_;
  ReadTakenOf read_taken_;
  std::filesystem::path root_;
  ClockLimits limits_;
  std::map<std::string, Watched> watched_;  // by unit
  // Of the run under way.
  std::vector<Watched*> read_;
  bool one_by_one_ = false;              // some of them share a core
  std::map<std::string, Nanos> levels_;  // of those, as they are read
  std::vector<std::int64_t> cores_;
  std::vector<pid_t> threads_;
  bool wait_for_each_other_ = false;  // some of those threads have a core together
  bool works_here_ = false;           // some of its units do: this board's heat is theirs
  std::map<std::string, Nanos> before_;
  TakenReading taken_before_;
  Heat heat_before_;
};

}  // namespace tandem
