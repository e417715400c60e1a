// Room device/energy: energy sensors, a file each, and the meter that reads them.
//
// Reads the energy sensors of this machine: which of them tell what some units draw, and how much that was.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device/energy/sensor.h"
#include "scenarios/exchange/run_answer.h"

namespace tandem {

// All kinds that tandem knows. Of several that tell what the whole board draws the first one counts.
std::vector<EnergySensors> FindEnergySensors(const std::filesystem::path& root = "/");

// What some units draw: positions of sensors, or why it cannot be told.
struct EnergyScope {
  std::vector<std::size_t> sensors;
  std::string why;
  bool known() const { return why.empty(); }
};

class EnergyMeter {
 public:
  // A figure that is to be trusted spans so many renewals of its sensor: it is then known to 5 %.
  static constexpr std::int64_t kUpdates = 20;

  explicit EnergyMeter(std::vector<EnergySensors> found, EnergyClock clock = SteadyNow,
                       std::function<void(Nanos)> sleep = SleepFor);

  const std::vector<EnergySensors>& found() const { return found_; }
  // The sensors that count these units, each once; of a board that has one for everything that one alone.
  // Units that are emulated draw nothing here, so that what is measured is not theirs.
  EnergyScope ScopeOf(std::span<const Unit* const> units) const;
  std::string NamesOf(const EnergyScope& scope) const;  // "rapl package-0, nvml gpu 0"
  Nanos LeastTime(const EnergyScope& scope) const;      // kUpdates of the slowest

  // Of a scope that is known. Throw EnvironmentError where a sensor fails.
  double Joules(const EnergyScope& scope);
  double IdleWatts(const EnergyScope& scope);  // waits for two seconds, or for LeastTime()
  double IdleOnce(const EnergyScope& scope);   // the same, measured for these sensors only once

  // Reads each sensor as often as it wants to be read; gives the time until the next one does.
  Nanos ReadAll();

  Nanos Now() const { return clock_(); }
  static void SleepFor(Nanos time);

 private:
  std::vector<std::size_t> SensorsOf(const Unit& unit) const;
  std::string WhyNot(const Unit& unit) const;

  std::vector<EnergySensors> found_;
  std::vector<EnergySensor*> sensors_;
  std::map<std::vector<std::size_t>, double> idle_;  // by sensors
  EnergyClock clock_;
  std::function<void(Nanos)> sleep_;
  std::mutex mutex_;
};

// Reads a meter's sensors in time, on a thread of its own, as long as it is there.
class EnergyPolling {
 public:
  explicit EnergyPolling(EnergyMeter& meter);
  ~EnergyPolling();
  EnergyPolling(const EnergyPolling&) = delete;
  EnergyPolling& operator=(const EnergyPolling&) = delete;

 private:
  void Poll();

  EnergyMeter* meter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

// The energy from here to End().
class EnergyWindow {
 public:
  // `meter` null: nobody looks. `idle_watts`: nothing where it is not known.
  EnergyWindow(EnergyMeter* meter, const EnergyScope& scope, std::optional<double> idle_watts);
  MeasuredEnergy End();

 private:
  EnergyMeter* meter_;
  EnergyScope scope_;
  std::optional<double> idle_watts_;
  Nanos begin_{0};
  double joules_ = 0;
};

}  // namespace tandem
