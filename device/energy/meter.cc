#include "device/energy/meter.h"

#include <algorithm>
#include <chrono>

#include "device/energy/ina2xx.h"
#include "device/energy/ina3221.h"
#include "device/energy/nvml.h"
#include "device/energy/rapl.h"
#include "device/host/sysfs.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr Nanos kLeastIdle{2'000'000'000};
constexpr Nanos kPatience{10'000'000'000};
constexpr const char* kNotInACopy = "its library tells of the machine itself, not of a copy of its files";

std::string Millis(Nanos time) { return std::to_string(time.count() / 1'000'000) + " ms"; }

}  // namespace

std::vector<EnergySensors> FindEnergySensors(const std::filesystem::path& root) {
  std::vector<EnergySensors> found;
  found.push_back(FindIna3221(root));
  found.push_back(FindIna2xx(root));
  found.push_back(IsOwnRoot(root) ? FindNvml() : EnergySensors{"nvml", {}, kNotInACopy});
  found.push_back(FindRapl(root));
  return found;
}

EnergyMeter::EnergyMeter(std::vector<EnergySensors> found, EnergyClock clock,
                         std::function<void(Nanos)> sleep)
    : found_(std::move(found)), clock_(std::move(clock)), sleep_(std::move(sleep)) {
  for (const EnergySensors& kind : found_) {
    for (const auto& sensor : kind.sensors) sensors_.push_back(sensor.get());
  }
}

void EnergyMeter::SleepFor(Nanos time) { std::this_thread::sleep_for(time); }

std::vector<std::size_t> EnergyMeter::SensorsOf(const Unit& unit) const {
  std::vector<std::size_t> covering;
  for (std::size_t s = 0; s < sensors_.size(); ++s) {
    if (!sensors_[s]->Covers(unit)) continue;
    if (sensors_[s]->OfWholeBoard()) return {s};
    covering.push_back(s);
  }
  return covering;
}

std::string EnergyMeter::WhyNot(const Unit& unit) const {
  if (unit.On(RunsOn::kNothing)) {
    return "unit " + Quoted(unit.name) + " is emulated and draws nothing here";
  }
  std::string why = "no sensor tells what unit " + Quoted(unit.name) + " draws";
  for (const EnergySensors& kind : found_) {
    if (!kind.why_not.empty()) why += "; " + kind.kind + ": " + kind.why_not;
  }
  return why;
}

EnergyScope EnergyMeter::ScopeOf(std::span<const Unit* const> units) const {
  EnergyScope scope;
  for (const Unit* unit : units) {
    const std::vector<std::size_t> covering = SensorsOf(*unit);
    if (covering.empty()) return {{}, WhyNot(*unit)};
    for (const std::size_t s : covering) {
      const auto& known = scope.sensors;
      if (std::find(known.begin(), known.end(), s) == known.end()) scope.sensors.push_back(s);
    }
  }
  if (scope.sensors.empty()) scope.why = "no unit is at work";
  return scope;
}

std::string EnergyMeter::NamesOf(const EnergyScope& scope) const {
  return Joined(scope.sensors, ", ", [&](const std::size_t s) { return sensors_[s]->name(); });
}

Nanos EnergyMeter::LeastTime(const EnergyScope& scope) const {
  Nanos slowest{0};
  for (const std::size_t s : scope.sensors) slowest = std::max(slowest, sensors_[s]->update());
  return kUpdates * slowest;
}

double EnergyMeter::Joules(const EnergyScope& scope) {
  const std::lock_guard lock(mutex_);
  double joules = 0;
  for (const std::size_t s : scope.sensors) joules += sensors_[s]->Joules();
  return joules;
}

double EnergyMeter::IdleWatts(const EnergyScope& scope) {
  const Nanos begin = clock_();
  const double joules = Joules(scope);
  Nanos step = kPatience;
  for (const std::size_t s : scope.sensors) step = std::min(step, sensors_[s]->call_within());
  double more = 0;
  Nanos end = begin;
  for (Nanos rest = std::max(kLeastIdle, LeastTime(scope)); rest > Nanos{0}; rest -= step) {
    sleep_(std::min(rest, step));
    end = clock_();
    more = Joules(scope) - joules;
  }
  const double seconds = InSeconds(end - begin);
  return seconds > 0 ? more / seconds : 0;
}

double EnergyMeter::IdleOnce(const EnergyScope& scope) {
  const auto known = idle_.find(scope.sensors);
  if (known != idle_.end()) return known->second;
  return idle_[scope.sensors] = IdleWatts(scope);
}

Nanos EnergyMeter::ReadAll() {
  const std::lock_guard lock(mutex_);
  Nanos next = kPatience;
  for (EnergySensor* sensor : sensors_) {
    try {
      (void)sensor->Joules();
    } catch (const EnvironmentError&) {
      // Who wants its figure is told.
    }
    next = std::min(next, sensor->call_within());
  }
  return next;
}

EnergyPolling::EnergyPolling(EnergyMeter& meter) : meter_(&meter) {
  const auto& found = meter.found();
  const bool any = std::any_of(found.begin(), found.end(),
                               [](const EnergySensors& kind) { return !kind.sensors.empty(); });
  if (any) thread_ = std::thread([this] { Poll(); });
}

EnergyPolling::~EnergyPolling() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void EnergyPolling::Poll() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const Nanos next = meter_->ReadAll();
    changed_.wait_for(lock, next, [this] { return stop_; });
  }
}

EnergyWindow::EnergyWindow(EnergyMeter* meter, const EnergyScope& scope, std::optional<double> idle_watts)
    : meter_(meter), scope_(scope), idle_watts_(idle_watts) {
  if (meter_ == nullptr) scope_.why = "no sensor was looked for";
  if (!scope_.known()) return;
  try {
    begin_ = meter_->Now();
    joules_ = meter_->Joules(scope_);
  } catch (const EnvironmentError& error) {
    scope_.why = error.what();
  }
}

MeasuredEnergy EnergyWindow::End() {
  if (!scope_.known()) return {std::nullopt, std::nullopt, scope_.why};
  try {
    const Nanos time = meter_->Now() - begin_;
    const double joules = meter_->Joules(scope_) - joules_;
    if (const Nanos least = meter_->LeastTime(scope_); time < least) {
      return {std::nullopt, std::nullopt,
              "it took less than the " + Millis(least) + " that " + meter_->NamesOf(scope_) +
                  " has to be read over"};
    }
    MeasuredEnergy energy{joules, std::nullopt, "", meter_->NamesOf(scope_)};
    if (idle_watts_) energy.above_idle = joules - *idle_watts_ * InSeconds(time);
    return energy;
  } catch (const EnvironmentError& error) {
    return {std::nullopt, std::nullopt, error.what()};
  }
}

}  // namespace tandem
