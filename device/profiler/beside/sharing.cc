#include "device/profiler/beside/sharing.h"

#include <algorithm>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "device/host/clock.h"
#include "device/profiler/beside/jobs.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostSharers = 8;
constexpr Nanos kMostPerNumber{1'000'000'000};
// Programs fall into step with each other for a while, and take ten times as long then.
constexpr Nanos kLeastSharedTurn{15'000'000}, kLeastTurnOfPrograms{400'000'000};
constexpr std::size_t kRunsPerSharedTurn = 4, kRunsOfPrograms = 8;  // the first and the last do not count
constexpr std::size_t kFewestSharedRounds = 3;
constexpr std::size_t kWithOthers = 1;  // turns: 0 is alone

bool Shares(const ProfilerBench& bench, std::size_t unit) {
  const Unit& of = bench.unit(unit);
  // What slots that take turns cost each other is known. Slots that do not share a unit's time are to cost
  // each other nothing: whether they do is looked at where it is not this program that has its cores.
  return bench.IsFirstVariant(unit) && (of.time_shared || !of.OwnsCores()) && !of.slice && of.slots > 1;
}

// The programs that run, each on one unit with one model: starting one takes as long as measuring does.
class SharerPrograms {
 public:
  SharerPrograms(CoRunningContext& context, StartSharer start)
      : context_(context), start_(std::move(start)) {}

  // The first of that model there, the second...; they stay until the next BeginJob().
  Sharer& Take(std::size_t unit, std::size_t model) {
    for (Program& program : programs_) {
      if (program.taken || program.unit != unit || program.model != model) continue;
      program.taken = true;
      return *program.sharer;
    }
    if (programs_.size() >= kMostPrograms) {
      const auto idle =
          std::find_if(programs_.begin(), programs_.end(), [](const Program& p) { return !p.taken; });
      if (idle != programs_.end()) programs_.erase(idle);
    }
    programs_.push_back(
        {unit, model, true,
         SharerProgram(start_, context_.request, context_.bench, unit, model, context_.samples)});
    return *programs_.back().sharer;
  }
  void BeginJob() {
    for (Program& program : programs_) program.taken = false;
  }
  void Forget() { programs_.clear(); }

 private:
  static constexpr std::size_t kMostPrograms = 12;
  struct Program {
    std::size_t unit = 0, model = 0;
    bool taken = false;
    std::unique_ptr<Sharer> sharer;
  };
  CoRunningContext& context_;
  StartSharer start_;
  std::vector<Program> programs_;
};

struct SharingJob {
  std::size_t unit = 0, model = 0, beside = 0;
  bool apart = false;  // in programs of their own
  std::string name;
};

// One model on one unit, beside its like or, two at once, beside another.
class SharingOf {
 public:
  SharingOf(CoRunningContext& context, SharerPrograms& programs, const SharingJob& job)
      : context_(context),
        programs_(programs),
        unit_(job.unit),
        model_(job.model),
        beside_(job.beside),
        apart_(job.apart) {}

  // False: asked to stop.
  bool Measure(Nanos time) {
    const ProfilerBench& bench = context_.bench;
    if (apart_) programs_.BeginJob();
    if (!Add(model_)) return true;
    const std::int64_t most = AmongItsLike() ? std::min(bench.unit(unit_).slots, kMostSharers) : 2;
    std::vector<SharingEntry> entries;
    for (std::int64_t at_once = 2; at_once <= most; ++at_once) {
      if (!Add(beside_)) break;
      TurnTimes times(2, apart_);
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
  // False: it cannot run there, which is noted.
  bool Add(std::size_t model) {
    ProfilerBench& bench = context_.bench;
    if (apart_) {
      sharers_.push_back(&programs_.Take(unit_, model));
      return true;
    }
    const auto slot = static_cast<std::int64_t>(sharers_.size());
    if (slot == 0) bench.MakeRoom({{unit_, model}});
    threads_.push_back(SharerThread(bench, unit_, slot, model));
    if (threads_.back()) sharers_.push_back(threads_.back().get());
    return threads_.back() != nullptr;
  }
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
    Sharer& own = *sharers_[0];
    const std::span others(sharers_.data() + 1, turn == kWithOthers ? sharers_.size() - 1 : 0);
    for (Sharer* const other : others) other->Begin();
    for (Sharer* const other : others) other->Await(1);
    own.Begin();
    std::this_thread::sleep_for(apart_ ? kLeastTurnOfPrograms : kLeastSharedTurn);
    own.Await(apart_ ? kRunsOfPrograms : kRunsPerSharedTurn);
    times.Add(turn, own.Stop());
    for (Sharer* const other : others) other->Stop();
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
    entry.apart = apart_;
    entry.at_once = at_once;
    entry.slowdown = found.slowdown;
    entry.error = context_.ErrorOf(found);
    return entry;
  }

  CoRunningContext& context_;
  SharerPrograms& programs_;
  std::size_t unit_, model_, beside_;
  bool apart_;
  std::vector<std::unique_ptr<Sharer>> threads_;
  std::vector<Sharer*> sharers_;  // the first is measured
};

std::vector<SharingJob> SharingJobsOf(ProfilerBench& bench, const ProfilerSamples& samples, bool programs) {
  std::vector<SharingJob> jobs;
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (!Shares(bench, unit)) continue;
    const std::vector<std::size_t> models = bench.FirstOfEachModel();
    const auto add = [&](std::size_t model, std::size_t beside, bool apart) {
      const std::string with = model == beside ? "" : " with " + bench.wish(beside).model;
      SharingJob job{unit, model, beside, apart,
                     bench.wish(model).model + " on " + bench.Label(unit) + " shared" + with +
                         (apart ? ", in programs of their own" : "")};
      if (!IsFinished(samples, job.name)) jobs.push_back(std::move(job));
    };
    const bool time_shared = bench.unit(unit).time_shared;
    for (const bool apart : {false, true}) {
      if (apart && !(programs && time_shared)) continue;
      for (const std::size_t model : models) add(model, model, apart);
      for (const std::size_t model : models) {
        if (!time_shared) break;
        for (const std::size_t beside : models) {
          if (model != beside) add(model, beside, apart);
        }
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

void MeasureSharing(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, const StartSharer& start,
                    ProfilerWatch& watch, ProfilerSamples& samples, const AwaitState& await) {
  const std::vector<SharingJob> jobs = SharingJobsOf(bench, samples, start != nullptr);
  StreamRandom random("sharing", request.seed);
  CoRunningContext context{request, bench, watch, samples, await, random};
  SharerPrograms programs(context, start);
  MeasureEach(jobs, budget, kMostSharers * kMostPerNumber, context, [&](const SharingJob& job, Nanos time) {
    try {
      return SharingOf(context, programs, job).Measure(time);
    } catch (const EnvironmentError& error) {
      if (!job.apart) throw;
      programs.Forget();  // one of them is gone
      samples.notes.push_back(job.name + " is not known: " + error.what());
      return true;
    }
  });
}

}  // namespace tandem
