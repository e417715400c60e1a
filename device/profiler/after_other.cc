#include "device/profiler/after_other.h"

#include <algorithm>

#include "device/host/clock.h"
#include "device/profiler/co_running_jobs.h"

namespace tandem {
namespace {

constexpr std::size_t kFewestSwitches = 5;
constexpr Nanos kMostPerSwitches{1'000'000'000};
constexpr std::size_t kAfterItself = 0, kAfterOther = 1;  // turns

// One model on one unit.
class Switches {
 public:
  Switches(CoRunningContext& context, std::size_t unit, std::size_t model, std::vector<std::size_t> others)
      : context_(context), unit_(unit), model_(model), others_(std::move(others)) {}

  // False: asked to stop.
  bool Measure(Nanos time) {
    ProfilerBench& bench = context_.bench;
    const std::string what = bench.wish(model_).model + " after others";
    const auto round = [&](std::size_t i) {
      const std::size_t other = others_[i % others_.size()];
      bench.MakeRoom({{unit_, model_}, {unit_, other}});
      ProfiledChain* const own = bench.Chain(unit_, model_, ProfileCut::kWhole);
      ProfiledChain* const before = bench.Chain(unit_, other, ProfileCut::kWhole);
      if (!own || !before) return true;
      return context_.Round(
          what, std::span(&unit_, 1), 2,
          [&](std::size_t turn) { times_.Add(turn, TimeAfter(turn == kAfterOther ? *before : *own, *own)); },
          [&] { times_.DropRound(); });
    };
    const auto known_to = [&](double error) { return times_.KnownTo(error); };
    const std::size_t least = std::max(kFewestSwitches, others_.size());
    return TakeRounds(least, time, context_.request.noise, round, known_to);
  }

  void AddEntry() {
    const auto found = times_.Slowdown(kAfterOther);
    if (!found) return;
    AfterOtherEntry entry;
    entry.unit = context_.bench.unit(unit_).name;
    entry.model = context_.bench.wish(model_).model;
    entry.slowdown = found->slowdown;
    entry.error = context_.ErrorOf(*found);
    context_.samples.after_other.push_back(std::move(entry));
  }

 private:
  // The yardstick has been read before: the caches are its own.
  double TimeAfter(ProfiledChain& before, ProfiledChain& own) {
    Nanos time{0};
    context_.bench.thread(unit_).Do([&](Processor&) {
      for (ProfiledChain* chain : {&own, &before, &own}) chain->Run(std::span(&time, 1));
    });
    return static_cast<double>(time.count());
  }

  CoRunningContext& context_;
  std::size_t unit_, model_;
  std::vector<std::size_t> others_;
  TurnTimes times_{2};
};

struct SwitchesJob {
  std::size_t unit = 0, model = 0;
  std::vector<std::size_t> others;
  std::string name;
};

std::vector<SwitchesJob> SwitchesJobsOf(ProfilerBench& bench, const ProfilerSamples& samples) {
  std::vector<SwitchesJob> jobs;
  const std::vector<std::size_t> models = bench.FirstOfEachModel();
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (!bench.IsFirstVariant(unit)) continue;
    for (const std::size_t model : models) {
      SwitchesJob job{unit, model, models,
                      bench.wish(model).model + " on " + bench.Label(unit) + " after others"};
      std::erase(job.others, model);
      if (!job.others.empty() && !IsFinished(samples, job.name)) jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

}  // namespace

void MeasureAfterOther(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                       ProfilerSamples& samples, const AwaitState& await) {
  if (!request.switches) return;
  const std::vector<SwitchesJob> jobs = SwitchesJobsOf(bench, samples);
  StreamRandom random("after others", request.seed);
  CoRunningContext context{request, bench, watch, samples, await, random};
  MeasureEach(jobs, budget, kMostPerSwitches, context, [&](const SwitchesJob& job, Nanos time) {
    Switches switches(context, job.unit, job.model, job.others);
    if (!switches.Measure(time)) return false;
    switches.AddEntry();
    return true;
  });
}

}  // namespace tandem
