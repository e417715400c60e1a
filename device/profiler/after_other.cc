#include "device/profiler/after_other.h"

#include <algorithm>
#include <memory>

#include "device/host/clock.h"
#include "device/profiler/bench/continuous_run.h"
#include "device/profiler/beside/jobs.h"

namespace tandem {
namespace {

constexpr std::size_t kFewestSwitches = 5;
constexpr Nanos kMostPerSwitches{1'000'000'000};
constexpr int kLeads = 3;
constexpr std::size_t kAfterOther = 1;  // turns: 0 is after itself

// One model on one unit in one cut, while all units that may work at once with it do: what another model
// leaves in the caches that units share is less then. With idle neighbours models looked half as sensitive as
// they are in a run (squeezenet on a core: 6 instead of 10 to 12 %).
class Switches {
 public:
  Switches(CoRunningContext& context, const CoRunningSide& of, std::vector<std::size_t> others)
      : context_(context), of_(of), others_(std::move(others)) {
    const auto sets = context.bench.AllBeside(of.unit);
    if (!sets.empty()) beside_ = sets.front();
  }

  // False: asked to stop.
  bool Measure(Nanos time) {
    ProfilerBench& bench = context_.bench;
    const std::string what = bench.wish(of_.model).model + " after others";
    const auto round = [&](std::size_t i) {
      const std::size_t other = others_[i % others_.size()];
      std::vector<ProfilerBench::ChainAt> chains = {{of_.unit, of_.model, of_.cut}, {of_.unit, other}};
      for (const std::size_t unit : beside_) chains.push_back({unit, other});
      bench.MakeRoom(chains);
      ProfiledChain* const own = bench.Chain(of_.unit, of_.model, of_.cut);
      ProfiledChain* const before = bench.Chain(of_.unit, other, ProfileCut::kWhole);
      if (!own || !before) return true;
      if (parts_.empty()) Begin(*own);
      return context_.Round(
          what, std::span(&of_.unit, 1), 2,
          [&](std::size_t turn) { TakeAfter(turn, turn == kAfterOther ? *before : *own, *own, other); },
          [&] { DropRound(parts_); });
    };
    const auto known_to = [&](double error) { return KnownTo(error, parts_); };
    const std::size_t least = std::max(kFewestSwitches, others_.size());
    return TakeRounds(least, time, context_.request.noise, round, known_to);
  }

  void AddEntries() {
    AfterOtherEntry entry;
    entry.unit = context_.bench.unit(of_.unit).name;
    entry.model = context_.bench.wish(of_.model).model;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const auto found = parts_[part].Slowdown(kAfterOther);
      if (!found) continue;
      entry.layers = layers_[part];
      if (IsKnown(context_.samples.after_other, entry)) continue;
      entry.slowdown = found->slowdown;
      entry.error = context_.ErrorOf(*found);
      context_.samples.after_other.push_back(entry);
    }
  }

 private:
  void Begin(const ProfiledChain& own) {
    parts_.assign(own.size(), TurnTimes(2));
    for (std::size_t part = 0; part < own.size(); ++part)
      layers_.push_back(LayersOf(context_.bench, of_, own, part));
  }
  // The yardstick has been read before: the caches are its own, and it takes both some turns until they have
  // come to terms about them.
  void TakeAfter(std::size_t turn, ProfiledChain& before, ProfiledChain& own, std::size_t other) {
    std::vector<std::unique_ptr<ContinuousRun>> neighbours;
    for (const std::size_t unit : beside_) {
      ProfiledChain* const chain = context_.bench.Chain(unit, other, ProfileCut::kWhole);
      if (chain) neighbours.push_back(std::make_unique<ContinuousRun>(context_.bench.thread(unit), *chain));
    }
    for (const auto& run : neighbours) run->Await(1);
    std::vector<Nanos> times(std::max(before.size(), own.size()));
    context_.bench.thread(of_.unit).Do([&](Processor&) {
      for (int lead = 0; lead < kLeads; ++lead) {
        own.Run(times);
        before.Run(times);
      }
      own.Run(times);
    });
    for (const auto& run : neighbours) run->Stop();
    for (std::size_t part = 0; part < parts_.size(); ++part)
      parts_[part].Add(turn, static_cast<double>(times[part].count()));
  }

  CoRunningContext& context_;
  CoRunningSide of_;
  std::vector<std::size_t> others_, beside_;
  std::vector<TurnTimes> parts_;
  std::vector<std::vector<std::string>> layers_;  // of each
};

struct SwitchesJob {
  CoRunningSide of;
  std::vector<std::size_t> others;
  std::string name;
};

std::vector<SwitchesJob> SwitchesJobsOf(const ProfileOrder& request, ProfilerBench& bench,
                                        const ProfilerSamples& samples) {
  std::vector<SwitchesJob> jobs;
  const std::vector<std::size_t> models = bench.FirstOfEachModel();
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (!bench.IsFirstVariant(unit)) continue;
    for (const std::size_t model : models) {
      for (const ProfileCut cut : CutsOf(request)) {
        SwitchesJob job{{unit, model, cut},
                        models,
                        bench.wish(model).model + " on " + bench.Label(unit) + " after others"};
        if (cut != ProfileCut::kWhole) job.name += " in " + std::string(NameOf(kProfileCutNames, cut));
        std::erase(job.others, model);
        if (!job.others.empty() && !IsFinished(samples, job.name)) jobs.push_back(std::move(job));
      }
    }
  }
  return jobs;
}

}  // namespace

void MeasureAfterOther(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                       ProfilerSamples& samples, const AwaitState& await) {
  if (!request.switches) return;
  const std::vector<SwitchesJob> jobs = SwitchesJobsOf(request, bench, samples);
  StreamRandom random("after others", request.seed);
  CoRunningContext context{request, bench, watch, samples, await, random};
  MeasureEach(jobs, budget, kMostPerSwitches, context, [&](const SwitchesJob& job, Nanos time) {
    Switches switches(context, job.of, job.others);
    if (!switches.Measure(time)) return false;
    switches.AddEntries();
    return true;
  });
}

}  // namespace tandem
