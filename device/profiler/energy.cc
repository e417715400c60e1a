#include "device/profiler/energy.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr Nanos kLeastTime{2'000'000'000};
constexpr double kMicrojoules = 1e6;

std::string WattsText(double watts) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g W", watts);
  return text;
}

// One unit and the sensors that count it.
class MeteredUnit {
 public:
  MeteredUnit(const ProfileOrder& request, ProfilerBench& bench, EnergyMeter& meter, std::size_t unit,
              ProfilerSamples& samples)
      : request_(request), bench_(bench), meter_(meter), unit_(unit), samples_(samples) {
    const std::array<const Unit*, 1> alone = {&bench.unit(unit)};
    scope_ = meter.ScopeOf(alone);
  }

  // False: asked to stop.
  bool Measure(ProfilerWatch& watch, std::int64_t done, std::int64_t total) {
    const std::string name = bench_.Label(unit_);
    MeteredEnergy& of_unit = samples_.energy[name];
    of_unit.why = scope_.why;
    if (!scope_.known()) return true;
    of_unit.sensors = meter_.NamesOf(scope_);
    if (!watch.Goes(samples_, "energy of " + name, done, total)) return false;
    of_unit.idle_w = meter_.IdleWatts(scope_);
    for (std::size_t model = 0; model < request_.models.size(); ++model) {
      if (of_unit.joules.contains(request_.models[model])) continue;
      if (!watch.Goes(samples_, "energy of " + name, done, total)) return false;
      bench_.MakeRoom({{unit_, model}});
      if (ProfiledChain* chain = bench_.Chain(unit_, model, ProfileCut::kWhole)) {
        MeasureModel(*chain, request_.models[model], of_unit);
      }
    }
    return true;
  }

 private:
  void MeasureModel(ProfiledChain& chain, const ProfiledModel& model, MeteredEnergy& of_unit) {
    const Nanos least = std::max(kLeastTime, meter_.LeastTime(scope_));
    double joules = 0, seconds = 0, runs = 0;
    bench_.thread(unit_).Do([&](Processor&) {
      Nanos time{0};
      chain.Run(std::span(&time, 1));
      const Nanos begin = meter_.Now();
      const double before = meter_.Joules(scope_);
      Nanos end = begin;
      do {
        chain.Run(std::span(&time, 1));
        ++runs;
        end = meter_.Now();
      } while (end - begin < least);
      joules = meter_.Joules(scope_) - before;
      seconds = std::chrono::duration<double>(end - begin).count();
    });
    const double of_one =
        std::round((joules - of_unit.idle_w * seconds) / runs * kMicrojoules) / kMicrojoules;
    of_unit.busy_w = std::max(of_unit.busy_w, joules / seconds);
    of_unit.joules[model] = std::max(of_one, 0.0);
    if (of_one > 0) return;
    samples_.notes.push_back("unit \"" + bench_.Label(unit_) + "\": the energy of " + TextOf(model) +
                             " is lost in what the sensor counts while nothing runs");
  }

  const ProfileOrder& request_;
  ProfilerBench& bench_;
  EnergyMeter& meter_;
  std::size_t unit_;
  ProfilerSamples& samples_;
  EnergyScope scope_;
};

}  // namespace

void MeasureEnergy(const ProfileOrder& request, ProfilerBench& bench, EnergyMeter& meter,
                   ProfilerWatch& watch, ProfilerSamples& samples) {
  const EnergyPolling polling(meter);
  const auto total = static_cast<std::int64_t>(bench.units());
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    const std::string name = bench.Label(unit);
    try {
      MeteredUnit metered(request, bench, meter, unit, samples);
      if (!metered.Measure(watch, static_cast<std::int64_t>(unit), total)) return;
    } catch (const EnvironmentError& error) {
      samples.energy[name].why = error.what();
    }
    if (const std::string& why = samples.energy[name].why; !why.empty()) {
      samples.notes.push_back("no energy of unit \"" + name + "\": " + why);
    }
  }
}

std::string EnergyNote(const ProfilerSamples& samples) {
  std::string note;
  for (const auto& [unit, energy] : samples.energy) {
    note += (note.empty() ? "energy: " : "; ") + unit + ": ";
    if (!energy.why.empty()) {
      note += "unknown, " + energy.why;
      continue;
    }
    note += "above idle by " + energy.sensors + ", idle " + WattsText(energy.idle_w);
    if (energy.busy_w > 0) note += ", at most " + WattsText(energy.busy_w);
  }
  return note;
}

}  // namespace tandem
