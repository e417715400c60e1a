#include "device/harness/machine_watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "device/host/clock.h"
#include "profiles/base/input_error.h"
#include "profiles/costs/machine_state.h"

namespace tandem {
namespace {

constexpr double kMostTaken = 0.01;
constexpr std::chrono::milliseconds kBetweenReadings{2};

bool RunsSomething(const Problem& problem, UnitId unit) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (problem.Runs(SegmentId(s), unit)) return true;
  }
  return false;
}

}  // namespace

MachineFound JudgeMachine(std::optional<double> taken, std::map<std::string, YardstickReadings> yardsticks,
                          const std::map<std::string, Nanos>& levels, std::string held_back) {
  MachineFound found{taken, std::move(yardsticks), std::move(held_back), taken.value_or(0) / kMostTaken, {}};
  if (!found.held_back.empty()) found.disturbance = std::max(found.disturbance, 1.0);
  for (const auto& [unit, readings] : found.yardsticks) {
    for (const Nanos reading : {readings.before, readings.after}) {
      found.disturbance = std::max(found.disturbance, OffLevel(reading, levels.at(unit)) / kSameState);
    }
  }
  return found;
}

MachineWatch::MachineWatch(HarnessUnits& units, YardstickLevels levels, MakeYardstick yardstick_of,
                           ReadTakenOf read_taken, std::filesystem::path root)
    : units_(&units),
      known_(std::move(levels)),
      yardstick_of_(std::move(yardstick_of)),
      read_taken_(std::move(read_taken)),
      root_(std::move(root)),
      limits_(root_) {}

MachineWatch::~MachineWatch() {
  for (auto& [unit, watched] : watched_) {
    units_->thread(watched.place)->Do([&read = watched.read](Processor&) { read = nullptr; });
  }
}

MachineWatch::Watched& MachineWatch::At(const std::string& name, std::size_t place, const Unit& unit) {
  const auto [found, is_new] = watched_.try_emplace(name, Watched{name, place, {}});
  Watched& watched = found->second;
  if (is_new) {
    const auto fewer = known_.rows.find(name);
    std::int64_t rows = fewer == known_.rows.end() ? kYardstickRows : fewer->second;
    units_->thread(place)->Do(
        [&](Processor& processor) { watched.read = yardstick_of_(unit, processor, rows); });
  }
  return watched;
}

void MachineWatch::Choose(const Problem& problem, bool crowded) {
  read_.clear();
  cores_.clear();
  threads_.clear();
  one_by_one_ = wait_for_each_other_ = works_here_ = false;
  std::set<std::string> seen;
  for (std::size_t place = 0; place < units_->places(); ++place) {
    const UnitId id = problem.places().UnitOf(PlaceId(place));
    const Unit& unit = problem.platform().unit(id);
    if (!units_->thread(place) || !RunsSomething(problem, id)) continue;
    const bool first = seen.insert(unit.name).second;
    works_here_ = works_here_ || (unit.backend != nullptr && unit.backend->Measurable());
    if (unit.On(RunsOn::kHostCores) && !unit.cores.empty()) {
      units_->thread(place)->Do([&](Processor&) { threads_.push_back(gettid()); });
      for (const std::int64_t core : unit.cores) {
        const bool known = std::find(cores_.begin(), cores_.end(), core) != cores_.end();
        one_by_one_ = one_by_one_ || (known && first);
        wait_for_each_other_ = wait_for_each_other_ || known;
        if (!known) cores_.push_back(core);
      }
    }
    if (crowded || !first || !known_.alone.contains(unit.name)) continue;
    Watched& watched = At(unit.name, place, unit);
    if (watched.read) read_.push_back(&watched);
  }
  wait_for_each_other_ = wait_for_each_other_ && !crowded;
  if (crowded) threads_.clear();
  levels_.clear();
  for (const Watched* watched : read_) {
    const auto at_once = known_.at_once.find(watched->unit);
    const bool alone = read_.size() < 2 || one_by_one_ || at_once == known_.at_once.end();
    levels_[watched->unit] = alone ? known_.alone.at(watched->unit) : at_once->second;
  }
}

// All at once, as they will work; each on its own thread.
std::map<std::string, Nanos> MachineWatch::ReadAll() {
  std::vector<Nanos> times(read_.size());
  for (std::size_t i = 0; i < read_.size(); ++i) {
    UnitThread& thread = *units_->thread(read_[i]->place);
    thread.Begin([this, i, &times](Processor&) {
      try {
        times[i] = read_[i]->read();
      } catch (const EnvironmentError&) {  // the run itself will say it
      }
    });
    if (one_by_one_) thread.Wait();
  }
  std::map<std::string, Nanos> readings;
  for (std::size_t i = 0; i < read_.size(); ++i) {
    if (!one_by_one_) units_->thread(read_[i]->place)->Wait();
    readings[read_[i]->unit] = times[i];
  }
  return readings;
}

bool MachineWatch::AsProfiled(const std::map<std::string, Nanos>& readings) const {
  if (works_here_ && limits_.HoldBack()) return false;
  return std::all_of(readings.begin(), readings.end(), [&](const auto& reading) {
    return IsReferenceState(reading.second, levels_.at(reading.first));
  });
}

void MachineWatch::Before(const Problem& problem, const Beside& beside) {
  Choose(problem, beside.crowded);
  const Nanos until = SteadyNow() + beside.patience;
  for (before_ = ReadAll(); !AsProfiled(before_) && SteadyNow() < until; before_ = ReadAll()) {
    if (beside.goes_on && !beside.goes_on()) break;
    std::this_thread::sleep_for(kBetweenReadings);
  }
  heat_before_ = HeatNow();
  taken_before_ = read_taken_(cores_, threads_);
}

MachineFound MachineWatch::After() {
  const auto share = wait_for_each_other_ ? ShareOfOthers : ShareTaken;
  const std::optional<double> taken = share(taken_before_, read_taken_(cores_, threads_), cores_.size());
  const Heat heat = HeatNow();  // before anything cools down
  std::map<std::string, Nanos> after = ReadAll();
  if (!AsProfiled(after)) after = ReadAll();  // the first may have found the caches as the run left them
  std::map<std::string, YardstickReadings> yardsticks;
  for (const auto& [unit, reading] : after) yardsticks[unit] = {before_.at(unit), reading};
  MachineFound found = JudgeMachine(taken, std::move(yardsticks), levels_, HeldBackText(heat_before_, heat));
  found.heat = HeatText(heat_before_, heat);
  return found;
}

}  // namespace tandem
