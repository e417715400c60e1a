#include "device/profiler/repeats.h"

#include <algorithm>

#include "device/host/clock.h"
#include "device/profiler/beside/jobs.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/file_kinds.h"

namespace tandem {
namespace {

constexpr std::size_t kFewestRepeats = 5;
constexpr Nanos kMostPerRepeats{1'000'000'000};
constexpr double kLeastSure = 0.5;  // relative standard error of a point that is kept

// Of a chain of so many parts how many at a time requests go through, one after the other: the part alone,
// with the one that follows, and a quarter of the network, after which little is left in the near caches. All
// of them at a time is to go through the network.
std::vector<std::size_t> StretchesOf(std::size_t parts) {
  std::vector<std::size_t> stretches;
  for (const std::size_t stretch : {std::size_t{1}, std::size_t{2}, parts / 4}) {
    if (stretch < parts && (stretches.empty() || stretch > stretches.back())) stretches.push_back(stretch);
  }
  return stretches;
}

// One model on one unit in one cut.
class Repeats {
 public:
  Repeats(CoRunningContext& context, const CoRunningSide& of, ProfiledChain& chain)
      : context_(context),
        of_(of),
        chain_(chain),
        timed_by_(context.bench.OwnTimeOf(of.unit)),
        stretches_(StretchesOf(chain.size())),
        times_(chain.size(), TurnTimes(turns())),
        every_(chain.size(), std::vector<std::vector<Nanos>>(turns())) {}
  ~Repeats() {
    context_.bench.thread(of_.unit).Do([&](Processor&) { chain_.ForgetRequests(); });
  }

  // False: asked to stop.
  bool Measure(Nanos time) {
    const std::string what = context_.bench.wish(of_.model).model + " again and again";
    const auto round = [&](std::size_t) {
      return context_.Round(
          what, std::span(&of_.unit, 1), turns(), [&](std::size_t turn) { Take(turn); },
          [&] { DropRound(times_); });
    };
    const auto known_to = [&](double error) { return KnownTo(error, times_); };
    return TakeRounds(kFewestRepeats, time, context_.request.noise, round, known_to);
  }

  void AddEntries() {
    std::int64_t left_out = 0;
    for (std::size_t part = 0; part < chain_.size(); ++part) {
      RepeatedEntry entry;
      entry.unit = context_.bench.unit(of_.unit).name;
      entry.model = context_.bench.wish(of_.model).model;
      entry.layers = LayersOf(context_.bench, of_, chain_, part);
      if (IsKnown(context_.samples.repeated, entry)) continue;
      // Once a pass is how the entries of the profile were measured: nothing is further apart.
      const Nanos once = LowerMedian(every_[part][0]);
      Nanos last{0};
      for (std::size_t turn = 1; turn < turns(); ++turn) {
        const auto found = times_[part].Slowdown(turn);
        entry.every = LowerMedian(every_[part][turn]);
        if (!found || entry.every <= last || entry.every >= once) continue;
        entry.slowdown = found->slowdown;
        entry.error = context_.ErrorOf(*found);
        if (entry.error > kLeastSure) {  // noise: nothing is known of it
          ++left_out;
          continue;
        }
        last = entry.every;
        context_.samples.repeated.push_back(entry);
      }
      entry.every = once;
      entry.slowdown = 1;
      entry.error = 0;
      if (last > Nanos{0}) context_.samples.repeated.push_back(entry);
    }
    if (left_out == 0) return;
    context_.samples.notes.push_back(
        context_.bench.wish(of_.model).model + " on " + context_.bench.Label(of_.unit) +
        " again and again: " + Counted(left_out, "point") + " known to no better than half of it, left out");
  }

 private:
  // Turn 0 goes through the network, the others by stretches of it.
  std::size_t turns() const { return 1 + stretches_.size(); }

  void Take(std::size_t turn) {
    std::vector<ProfiledChain::Repeat> repeats(chain_.size());
    context_.bench.thread(of_.unit).Do([&](Processor&) {
      if (turn > 0) return chain_.RunRepeated(stretches_[turn - 1], repeats, timed_by_);
      RunThrough(repeats);
    });
    for (std::size_t part = 0; part < chain_.size(); ++part) {
      times_[part].Add(turn, static_cast<double>(repeats[part].time.count()));
      every_[part][turn].push_back(repeats[part].every);
    }
  }

  // The first pass finds the caches as something else left them.
  void RunThrough(std::vector<ProfiledChain::Repeat>& repeats) {
    std::vector<Nanos> times(chain_.size());
    chain_.Run(times);
    const Nanos begin = SteadyNow();
    chain_.Run(times, nullptr, timed_by_);
    const Nanos pass = SteadyNow() - begin;
    for (std::size_t part = 0; part < times.size(); ++part) repeats[part] = {times[part], pass};
  }

  CoRunningContext& context_;
  CoRunningSide of_;
  ProfiledChain& chain_;
  TimedBy timed_by_;
  std::vector<std::size_t> stretches_;
  std::vector<TurnTimes> times_;                        // per part
  std::vector<std::vector<std::vector<Nanos>>> every_;  // the same, per turn; dropped rounds too
};

struct RepeatsJob {
  CoRunningSide of;
  std::string name;
};

std::vector<RepeatsJob> RepeatsJobsOf(const ProfileOrder& request, ProfilerBench& bench,
                                      const ProfilerSamples& samples) {
  std::vector<RepeatsJob> jobs;
  const std::vector<std::size_t> models = bench.FirstOfEachModel();
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (!bench.IsFirstVariant(unit)) continue;
    for (const std::size_t model : models) {
      for (const ProfileCut cut : CutsOf(request)) {
        RepeatsJob job{{unit, model, cut},
                       bench.wish(model).model + " on " + bench.Label(unit) + " again and again in " +
                           std::string(NameOf(kProfileCutNames, cut))};
        if (cut != ProfileCut::kWhole && !IsFinished(samples, job.name)) jobs.push_back(std::move(job));
      }
    }
  }
  return jobs;
}

}  // namespace

void MeasureRepeats(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                    ProfilerSamples& samples, const AwaitState& await) {
  if (!request.repeats) return;
  const std::vector<RepeatsJob> jobs = RepeatsJobsOf(request, bench, samples);
  StreamRandom random("repeats", request.seed);
  CoRunningContext context{request, bench, watch, samples, await, random};
  MeasureEach(jobs, budget, kMostPerRepeats, context, [&](const RepeatsJob& job, Nanos time) {
    bench.MakeRoom({{job.of.unit, job.of.model, job.of.cut}}, bench.BytesOfRequests(job.of.model));
    ProfiledChain* const chain = bench.Chain(job.of.unit, job.of.model, job.of.cut);
    if (!chain || chain->size() < 2) return true;
    Repeats repeats(context, job.of, *chain);
    if (!repeats.Measure(time)) return false;
    repeats.AddEntries();
    return true;
  });
}

}  // namespace tandem
