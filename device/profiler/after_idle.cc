#include "device/profiler/after_idle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <thread>

#include "device/host/clock.h"
#include "device/profiler/samples/slowdown_rounds.h"
#include "device/profiler/samples/statistics.h"
#include "device/threads/futex.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr std::array<Nanos, 5> kPauses = {Nanos{0}, Nanos{10'000'000}, Nanos{33'000'000}, Nanos{100'000'000},
                                          Nanos{300'000'000}};
constexpr std::size_t kUsualRounds = 12, kFewestPauses = 4;
constexpr std::size_t kModelsOfUnit = 2;
constexpr Nanos kAwakeBefore{50'000};  // as long as units of the harness spin

class Pauses {
 public:
  Pauses(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
         ProfilerSamples& samples)
      : bench_(bench), budget_(budget), watch_(watch), samples_(samples), random_("pauses", request.seed) {
    for (std::size_t unit = 0; unit < bench.units(); ++unit) {
      if (bench.IsFirstVariant(unit)) AddModelsOf(unit);
    }
  }

  void Measure() {
    const auto total = static_cast<std::int64_t>(cases_.size());
    for (std::int64_t done = 0; done < total; ++done) {
      const auto& [unit, model] = cases_[static_cast<std::size_t>(done)];
      const std::string name = NameOfCase(unit, model);
      if (IsFinished(samples_, name)) continue;
      if (!watch_.Goes(samples_, name, done, total)) return;
      MeasureCase(unit, model, (budget_ - used_) / (total - done));
      if (watch_.stopped()) return;
      samples_.finished.push_back(name);
      watch_.Save(samples_);
    }
    AddOfAnyModel();
  }

 private:
  std::string NameOfCase(std::size_t unit, std::size_t model) const {
    return TextOf(bench_.wish(model)) + " on " + bench_.Label(unit) + " after pauses";
  }

  Nanos WholeTime(std::size_t unit, std::size_t model) const {
    const auto source = samples_.sources.find({bench_.wish(model), bench_.unit(unit).name, ProfileCut::kWhole,
                                               ProfileManner::kWarm, bench_.variant(unit).precision});
    if (source == samples_.sources.end() || source->second.parts.empty()) return Nanos{0};
    const std::vector<Nanos>& times = source->second.parts.front().samples;
    return times.empty() ? Nanos{0} : IntervalOfMedian(times).median;
  }

  void AddModelsOf(std::size_t unit) {
    std::vector<std::size_t> models = bench_.FirstOfEachModel();
    std::erase_if(models, [&](std::size_t model) { return WholeTime(unit, model) == Nanos{0}; });
    std::stable_sort(models.begin(), models.end(),
                     [&](std::size_t a, std::size_t b) { return WholeTime(unit, a) > WholeTime(unit, b); });
    if (models.size() > kModelsOfUnit) models.resize(kModelsOfUnit);
    for (const std::size_t model : models) cases_.emplace_back(unit, model);
  }

  std::size_t RoundsIn(Nanos budget, Nanos run) const {
    if (budget_ == Nanos{0}) return kUsualRounds;
    Nanos round{0};
    for (const Nanos pause : kPauses) round += pause + 2 * run;
    return std::clamp(static_cast<std::size_t>(std::max(budget / round, std::int64_t{0})), kFewestPauses,
                      kUsualRounds);
  }

  // Before each pause a run that does not count: after it the caches are what they are after work.
  void MeasureCase(std::size_t unit, std::size_t model, Nanos budget) {
    bench_.MakeRoom({{unit, model, ProfileCut::kWhole}});
    ProfiledChain* chain = bench_.Chain(unit, model, ProfileCut::kWhole);
    if (!chain) return;
    const Nanos begin = SteadyNow();
    const std::size_t rounds = RoundsIn(budget, WholeTime(unit, model));
    TurnTimes times(kPauses.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      if (!watch_.Goes(samples_, NameOfCase(unit, model), 0, 1)) return;
      for (const std::size_t pause : ShuffledOrder(kPauses.size(), random_)) {
        bench_.thread(unit).Do([&](Processor&) {
          times.Add(pause, static_cast<double>(RunAfter(kPauses[pause], *chain).count()));
        });
      }
    }
    used_ += SteadyNow() - begin;
    for (std::size_t pause = 1; pause < kPauses.size(); ++pause) {
      const auto found = times.Slowdown(pause);
      if (!found) continue;
      AfterIdleEntry entry;
      entry.unit = bench_.unit(unit).name;
      entry.model = bench_.wish(model).model;
      entry.idle = kPauses[pause];
      entry.slowdown = found->slowdown;
      entry.error = found->error;
      samples_.after_idle.push_back(std::move(entry));
    }
  }

  static Nanos RunAfter(Nanos pause, ProfiledChain& chain) {
    Nanos time{0};
    chain.Run(std::span(&time, 1));
    if (pause == Nanos{0}) {
      chain.Run(std::span(&time, 1));
      return time;
    }
    SleepPrecisely();
    const Nanos until = SteadyNow() + pause;
    std::this_thread::sleep_for(pause - kAwakeBefore);
    while (SteadyNow() < until) SpinPause();
    chain.Run(std::span(&time, 1));
    return time;
  }

  // The geometric mean over the models of a unit.
  void AddOfAnyModel() {
    std::map<std::pair<std::string, Nanos>, std::vector<const AfterIdleEntry*>> of;
    std::erase_if(samples_.after_idle, [](const AfterIdleEntry& entry) { return entry.model.empty(); });
    for (const AfterIdleEntry& entry : samples_.after_idle) of[{entry.unit, entry.idle}].push_back(&entry);
    std::vector<AfterIdleEntry> any;
    for (const auto& [key, entries] : of) {
      AfterIdleEntry entry{key.first, "", key.second, 1, 0.0};
      double logs = 0, squares = 0;
      for (const AfterIdleEntry* each : entries) {
        const auto count = static_cast<double>(entries.size());
        logs += std::log(each->slowdown) / count;
        squares += each->error.value_or(0) * each->error.value_or(0) / count;
      }
      entry.slowdown = std::exp(logs);
      entry.error = std::sqrt(squares);
      any.push_back(std::move(entry));
    }
    samples_.after_idle.insert(samples_.after_idle.end(), any.begin(), any.end());
  }

  ProfilerBench& bench_;
  Nanos budget_;
  ProfilerWatch& watch_;
  ProfilerSamples& samples_;
  StreamRandom random_;
  std::vector<std::pair<std::size_t, std::size_t>> cases_;  // unit and model
  Nanos used_{0};
};

}  // namespace

void MeasureAfterIdle(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples) {
  if (request.pauses) Pauses(request, bench, budget, watch, samples).Measure();
}

}  // namespace tandem
