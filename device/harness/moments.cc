#include "device/harness/moments.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>

#include "device/host/clock.h"
#include "device/host/core_files.h"
#include "device/host/sysfs.h"
#include "scenarios/trace/stretches.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

bool WorksHere(const Unit& unit) { return unit.backend != nullptr && unit.backend->Measurable(); }

std::vector<Unit> OnesThatWorkHere(const Platform& platform) {
  std::vector<Unit> units;
  for (const Unit& unit : platform.units) {
    if (WorksHere(unit)) units.push_back(unit);
  }
  return units;
}

double Thousandth(std::int64_t value) { return static_cast<double>(value) / 1e3; }

}  // namespace

MomentRecorder::MomentRecorder(const Platform& platform, const ClockSources& sources, Nanos every)
    : sources_(sources),
      every_(every),
      limits_(sources.root),
      cards_(OnesThatWorkHere(platform), sources.nvml) {
  const std::vector<Unit> units = OnesThatWorkHere(platform);
  for (const Unit& unit : units) AddCores(unit, sources.root);
  looks_ = !units.empty();
}

MomentRecorder::~MomentRecorder() { End(); }

void MomentRecorder::Begin() {
  if (!looks_) return;
  RunMoment first = Look();
  looks_ = !first.celsius.empty() || !first.mhz.empty() || !limits_.empty();
  if (!looks_) return;
  moments_.push_back(std::move(first));
  begin_ = SteadyNow();
  thread_ = std::thread([this] { Watch(); });
}

// Cores that have one clock are links to one folder.
void MomentRecorder::AddCores(const Unit& unit, const fs::path& root) {
  if (!unit.On(RunsOn::kHostCores)) return;
  UnitClock clock{unit.name, {}};
  for (const std::int64_t core : unit.cores) {
    const fs::path file = ClockFolder(root, core) / "scaling_cur_freq";
    if (!SysfsNumber(file)) continue;
    std::error_code error;
    const fs::path one = fs::canonical(file, error);
    clock.files.insert(error ? file : one);
  }
  if (!clock.files.empty()) clocks_.push_back(std::move(clock));
}

RunMoment MomentRecorder::Look() const {
  RunMoment moment;
  for (const auto& [zone, value] : ReadHeat(sources_.root).millicelsius) {
    moment.celsius[zone] = Thousandth(value);
  }
  for (const auto& [name, hz] : DeviceHertz(sources_.root)) moment.mhz[name] = Thousandth(hz / 1000);
  for (const UnitClock& clock : clocks_) {
    std::optional<std::int64_t> slowest;
    for (const fs::path& file : clock.files) {
      const auto khz = SysfsNumber(file);
      if (khz) slowest = std::min(slowest.value_or(*khz), *khz);
    }
    if (slowest) moment.mhz[clock.unit] = Thousandth(*slowest);
  }
  for (const auto& [unit, clock] : cards_.Read().units) {
    if (clock.sm_mhz) moment.mhz[unit] = *clock.sm_mhz;
    if (clock.celsius) moment.celsius[unit] = *clock.celsius;
  }
  moment.held_back = limits_.HoldBack();
  return moment;
}

void MomentRecorder::Keep() {
  RunMoment moment = Look();
  moment.at = SteadyNow() - begin_;  // when all of it is known
  if (moment.at <= moments_.back().at) return;
  if (moments_.size() >= kMost) {
    std::size_t kept = 0;
    for (std::size_t m = 0; m < moments_.size(); m += 2) moments_[kept++] = std::move(moments_[m]);
    moments_.resize(kept);
    every_ *= 2;
  }
  moments_.push_back(std::move(moment));
}

void MomentRecorder::Watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, every_, [this] { return stop_; })) Keep();
}

void MomentRecorder::End() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::vector<RunMoment> MomentRecorder::Stop() {
  End();
  if (!looks_) return {};
  Keep();
  return std::move(moments_);
}

void AddBusy(std::span<const Span> spans, const Platform& platform, std::vector<RunMoment>& moments) {
  if (moments.size() < 2) return;
  std::vector<Stretches> of_units(platform.units.size());
  for (const Span& span : spans) {  // copy engines are behind the units
    if (span.unit.index() < of_units.size()) of_units[span.unit.index()].emplace_back(span.start, span.end);
  }
  for (std::size_t u = 0; u < of_units.size(); ++u) {
    const Stretches work = Apart(std::move(of_units[u]));
    std::size_t from = 0;  // the first that may reach into what comes
    for (std::size_t m = 1; m < moments.size(); ++m) {
      const Nanos begin = moments[m - 1].at, end = moments[m].at;
      while (from < work.size() && work[from].second <= begin) ++from;
      Nanos busy{0};
      for (std::size_t s = from; s < work.size() && work[s].first < end; ++s) {
        busy += std::min(work[s].second, end) - std::max(work[s].first, begin);
      }
      moments[m].busy[platform.units[u].name] =
          static_cast<double>(busy.count()) / static_cast<double>((end - begin).count());
    }
  }
}

}  // namespace tandem
