#include "device/profiler/sharing.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "device/host/clock.h"
#include "device/profiler/co_running_jobs.h"
#include "device/profiler/continuous_run.h"
#include "profiles/base/figures.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostSharers = 8;
constexpr Nanos kMostPerNumber{1'000'000'000};
constexpr Nanos kLeastSharedTurn{15'000'000};
constexpr std::size_t kRunsPerSharedTurn = 4;  // the first and the last do not count
constexpr std::size_t kFewestSharedRounds = 3;
constexpr std::size_t kWithOthers = 1;  // turns: 0 is alone

bool Shares(const ProfilerBench& bench, std::size_t unit) {
  const Unit& of = bench.unit(unit);
  // What slots that take turns cost each other is known. Slots that do not share a unit's time are to cost
  // each other nothing: whether they do is looked at where it is not this program that has its cores.
  return bench.IsFirstVariant(unit) && (of.time_shared || !of.OwnsCores()) && !of.slice && of.slots > 1;
}

// A slot beside the bench's own, with one model.
class Sharer {
 public:
  Sharer(ProfilerBench& bench, std::size_t unit, std::int64_t slot, std::size_t model)
      : thread_(bench.AnotherThread(unit, slot)), chain_(bench.ChainOn(*thread_, unit, model)) {}
  ~Sharer() {
    thread_->Do([this](Processor&) { chain_.reset(); });
  }
  Sharer(const Sharer&) = delete;
  Sharer& operator=(const Sharer&) = delete;

  UnitThread& thread() { return *thread_; }
  ProfiledChain* chain() { return chain_.get(); }

 private:
  std::unique_ptr<UnitThread> thread_;
  std::unique_ptr<ProfiledChain> chain_;
};

// One model on one unit, beside its like or, two at once, beside another.
class SharingOf {
 public:
  SharingOf(CoRunningContext& context, std::size_t unit, std::size_t model, std::size_t beside)
      : context_(context), unit_(unit), model_(model), beside_(beside) {}

  // False: asked to stop.
  bool Measure(Nanos time) {
    ProfilerBench& bench = context_.bench;
    bench.MakeRoom({{unit_, model_}});
    own_ = bench.Chain(unit_, model_, ProfileCut::kWhole);
    if (!own_) return true;
    const std::int64_t most = AmongItsLike() ? std::min(bench.unit(unit_).slots, kMostSharers) : 2;
    std::vector<SharingEntry> entries;
    for (std::int64_t at_once = 2; at_once <= most; ++at_once) {
      sharers_.push_back(std::make_unique<Sharer>(bench, unit_, at_once - 1, beside_));
      if (!sharers_.back()->chain()) break;
      TurnTimes times(2);
      if (!MeasureNumber(at_once, time / (most - 1), times)) return false;
      if (const auto found = times.Slowdown(kWithOthers)) entries.push_back(EntryOf(at_once, *found));
    }
    for (const SharingEntry& entry : entries) {
      if (bench.unit(unit_).time_shared) {
        context_.samples.sharing.push_back(entry);
      } else {
        context_.samples.notes.push_back(NoteOf(entry));
      }
    }
    return true;
  }

 private:
  bool AmongItsLike() const { return model_ == beside_; }
  bool MeasureNumber(std::int64_t at_once, Nanos time, TurnTimes& times) {
    const std::string what = context_.bench.wish(model_).model +
                             (AmongItsLike() ? "" : " and " + context_.bench.wish(beside_).model) + ", " +
                             std::to_string(at_once) + " at once";
    const auto round = [&](std::size_t) {
      return context_.Round(
          what, std::span(&unit_, 1), 2, [&](std::size_t turn) { Take(turn, times); },
          [&] { times.DropRound(); });
    };
    return TakeRounds(kFewestSharedRounds, time, context_.request.noise, round,
                      [&](double error) { return times.KnownTo(error); });
  }

  void Take(std::size_t turn, TurnTimes& times) {
    std::vector<std::unique_ptr<ContinuousRun>> others;
    for (const auto& sharer : sharers_) {
      if (turn == kWithOthers)
        others.push_back(std::make_unique<ContinuousRun>(sharer->thread(), *sharer->chain()));
    }
    for (const auto& other : others) other->Await(1);
    ContinuousRun own(context_.bench.thread(unit_), *own_);
    std::this_thread::sleep_for(kLeastSharedTurn);
    own.Await(kRunsPerSharedTurn);
    times.Add(turn, own.Stop().MeanTime(0));
    for (const auto& other : others) other->Stop();
  }

  std::string NoteOf(const SharingEntry& entry) const {
    return "unit " + Quoted(entry.unit) + ": while " + std::to_string(entry.at_once) +
           " of its slots work, " + entry.model + " takes " + Fixed(entry.slowdown, 2) +
           " times as long as alone; nothing counts that, since its slots are to cost each other nothing";
  }

  SharingEntry EntryOf(std::int64_t at_once, const MeasuredSlowdown& found) const {
    SharingEntry entry;
    entry.unit = context_.bench.unit(unit_).name;
    entry.model = context_.bench.wish(model_).model;
    if (!AmongItsLike()) entry.beside_model = context_.bench.wish(beside_).model;
    entry.at_once = at_once;
    entry.slowdown = found.slowdown;
    entry.error = context_.ErrorOf(found);
    return entry;
  }

  CoRunningContext& context_;
  std::size_t unit_, model_, beside_;
  ProfiledChain* own_ = nullptr;
  std::vector<std::unique_ptr<Sharer>> sharers_;
};

struct SharingJob {
  std::size_t unit = 0, model = 0, beside = 0;
  std::string name;
};

std::vector<SharingJob> SharingJobsOf(ProfilerBench& bench, const ProfilerSamples& samples) {
  std::vector<SharingJob> jobs;
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (!Shares(bench, unit)) continue;
    const std::vector<std::size_t> models = bench.FirstOfEachModel();
    const auto add = [&](std::size_t model, std::size_t beside) {
      const std::string with = model == beside ? "" : " with " + bench.wish(beside).model;
      SharingJob job{unit, model, beside,
                     bench.wish(model).model + " on " + bench.Label(unit) + " shared" + with};
      if (!IsFinished(samples, job.name)) jobs.push_back(std::move(job));
    };
    for (const std::size_t model : models) add(model, model);
    for (const std::size_t model : models) {
      if (!bench.unit(unit).time_shared) break;
      for (const std::size_t beside : models) {
        if (model != beside) add(model, beside);
      }
    }
  }
  return jobs;
}

}  // namespace

bool SomeShare(const ProfilerBench& bench) {
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (Shares(bench, unit)) return true;
  }
  return false;
}

void MeasureSharing(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                    ProfilerSamples& samples, const AwaitState& await) {
  const std::vector<SharingJob> jobs = SharingJobsOf(bench, samples);
  StreamRandom random("sharing", request.seed);
  CoRunningContext context{request, bench, watch, samples, await, random};
  MeasureEach(jobs, budget, kMostSharers * kMostPerNumber, context, [&](const SharingJob& job, Nanos time) {
    return SharingOf(context, job.unit, job.model, job.beside).Measure(time);
  });
}

}  // namespace tandem
