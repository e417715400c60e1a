#include "device/profiler/beside/loads.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "device/loads/background_loads.h"
#include "device/profiler/bench/turns.h"
#include "device/profiler/samples/slowdown_rounds.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kMostPerChain{1'500'000'000};
constexpr std::int64_t kFewestPeriods = 2, kMostPeriods = 10;  // of the load, in one stretch
constexpr std::size_t kLeastLoadRounds = 4;
constexpr double kKnownWell = 0.05;
constexpr double kPointsMissed = 0.05;
constexpr std::size_t kLoaded = 1;  // turn 0 is alone

// A chain's parts, stretch by stretch: the mean time of a run in it. A load comes in bursts, so what counts
// is the time that many runs take, not what one of them does.
struct LoadedChain {
  ProfiledChain* chain = nullptr;
  bool whole = false;
  std::vector<TurnTimes> parts;

  LoadedChain(ProfiledChain* of, bool is_whole)
      : chain(of), whole(is_whole), parts(of->size(), TurnTimes(2)) {}

  // On the unit's thread.
  void Take(Nanos stretch, std::size_t turn) {
    std::vector<Nanos> times(chain->size());
    std::vector<double> sums(chain->size());
    chain->Run(times);  // finds the caches as something else left them
    double runs = 0;
    const auto begin = Clock::now();
    do {
      chain->Run(times);
      for (std::size_t part = 0; part < times.size(); ++part) {
        sums[part] += static_cast<double>(times[part].count());
      }
      ++runs;
    } while (Clock::now() - begin < stretch);
    for (std::size_t part = 0; part < sums.size(); ++part) parts[part].Add(turn, sums[part] / runs);
  }
};

// One unit under one load.
class UnitUnderLoad {
 public:
  UnitUnderLoad(const ProfileOrder& request, ProfilerBench& bench, std::size_t unit, std::int64_t load,
                ProfilerSamples& samples, const AwaitState& await)
      : request_(request), bench_(bench), unit_(unit), load_(load), samples_(samples), await_(await) {}

  // `goes`: false to stop; then nothing is added, and this gives false. Memory holds one cut at a time.
  template <class Goes>
  bool Measure(std::size_t model, Nanos time, StreamRandom& random, const Goes& goes) {
    const std::vector<ProfileCut> cuts = CutsOf(request_);
    const std::size_t before = samples_.background.size();
    for (const ProfileCut cut : cuts) {
      const Nanos own = time == Nanos{0} ? kMostPerChain : time / static_cast<int>(cuts.size());
      if (MeasureCut(model, cut, own, random, goes)) continue;
      samples_.background.resize(before);
      return false;
    }
    return true;
  }

  // Did the load come to what it was to be?
  bool Missed() const { return share_ < static_cast<double>(load_) / 100 - kPointsMissed; }

 private:
  template <class Goes>
  bool MeasureCut(std::size_t model, ProfileCut cut, Nanos time, StreamRandom& random, const Goes& goes) {
    bench_.MakeRoom({{unit_, model, cut}});
    ProfiledChain* found = bench_.Chain(unit_, model, cut);
    if (!found) return true;
    LoadedChain chain(found, cut == ProfileCut::kWhole);
    const auto stretches = static_cast<std::int64_t>(2 * kLeastLoadRounds);
    const std::int64_t periods = std::clamp(time / (stretches * kLoadPeriod), kFewestPeriods, kMostPeriods);
    const auto take = [&](std::size_t) {
      for (const std::size_t turn : ShuffledOrder(2, random)) {
        if (!goes()) return false;
        if (await_) await_(std::span(&unit_, 1));
        Take(chain, turn, periods * kLoadPeriod);
      }
      return true;
    };
    const auto known_to = [&](double error) { return KnownTo(error, chain.parts); };
    if (!TakeRounds(kLeastLoadRounds, time, request_.noise, take, known_to)) return false;
    AddEntries(chain, model);
    return true;
  }

  void Take(LoadedChain& chain, std::size_t turn, Nanos stretch) {
    std::unique_ptr<RunningLoad> load;
    if (turn == kLoaded) {
      const Platform& platform = request_.platform;
      load = LoadOn(platform, platform.FindUnit(bench_.unit(unit_).name), load_);
      std::this_thread::sleep_for(kLoadPeriod);
    }
    bench_.thread(unit_).Do([&](Processor&) { chain.Take(stretch, turn); });
    if (!load) return;
    share_ = std::max(share_, load->Share());
    if (const std::string trouble = load->Trouble(); !trouble.empty()) throw EnvironmentError(trouble);
  }

  void AddEntries(const LoadedChain& chain, std::size_t model) {
    for (std::size_t part = 0; part < chain.parts.size(); ++part) {
      const auto found = chain.parts[part].Slowdown(kLoaded);
      if (!found) continue;
      BackgroundEntry entry;
      entry.unit = bench_.unit(unit_).name;
      entry.load_pct = load_;
      entry.model = bench_.wish(model).model;
      entry.slowdown = found->slowdown;
      entry.error = found->error;
      for (const LayerId id : chain.chain->spec(part).layers) {
        if (!chain.whole) entry.layers.push_back(bench_.model(model).layer(id).name);
      }
      // A short part meets the load too rarely to say more than the whole model does.
      if (!chain.whole && (found->error.value_or(1) > kKnownWell || IsThere(entry))) continue;
      samples_.background.push_back(std::move(entry));
    }
  }

  // A layer that is a group by itself was measured as that.
  bool IsThere(const BackgroundEntry& entry) const {
    return std::any_of(samples_.background.begin(), samples_.background.end(),
                       [&](const BackgroundEntry& other) {
                         return other.unit == entry.unit && other.load_pct == entry.load_pct &&
                                other.model == entry.model && other.layers == entry.layers;
                       });
  }

  const ProfileOrder& request_;
  ProfilerBench& bench_;
  std::size_t unit_;
  std::int64_t load_;
  ProfilerSamples& samples_;
  const AwaitState& await_;
  double share_ = 0;
};

struct LoadJob {
  std::string name;
  std::size_t unit = 0, model = 0;
  std::int64_t load = 0;
};

std::vector<LoadJob> JobsOf(const ProfileOrder& request, const ProfilerBench& bench,
                            ProfilerSamples& samples) {
  std::vector<LoadJob> jobs;
  for (const LoadWish& wish : request.background) {
    for (std::size_t unit = 0; unit < bench.units(); ++unit) {
      if (bench.unit(unit).name != wish.unit || !bench.IsFirstVariant(unit)) continue;
      if (!CanBeLoaded(bench.unit(unit))) {
        samples.notes.push_back("unit " + Quoted(wish.unit) + " was not measured under a load of " +
                                std::to_string(wish.load_pct) + " %: nothing here can keep it busy");
        continue;
      }
      for (const std::size_t model : bench.FirstOfEachModel()) {
        std::string name =
            "load " + std::to_string(wish.load_pct) + " " + wish.unit + " " + bench.wish(model).model;
        if (IsFinished(samples, name)) continue;
        jobs.push_back({std::move(name), unit, model, wish.load_pct});
      }
    }
  }
  return jobs;
}

// Whoever tells for how long a unit was busy does so of a second.
constexpr Nanos kToBeTold{1'500'000'000};

// Once for each unit and load: is a load that is alone what it says?
void HoldAgainstTold(const ProfileOrder& request, ProfilerBench& bench, const LoadJob& job,
                     ProfilerSamples& samples) {
  const std::string held = "held " + std::to_string(job.load) + " " + bench.unit(job.unit).name;
  if (bench.unit(job.unit).OwnsCores() || IsFinished(samples, held)) return;
  const Platform& platform = request.platform;
  const std::string& unit = bench.unit(job.unit).name;
  const auto load = LoadOn(platform, platform.FindUnit(unit), job.load);
  if (!load) return;
  std::optional<double> told = load->BusyAsTold();
  if (told) {
    std::this_thread::sleep_for(kToBeTold);
    told = load->BusyAsTold();
  }
  const std::optional<double> known = load->SlowdownOfKnown();
  if (!told && !known) return;
  const std::string note = HeldAgainstTold(unit, job.load, told, known);
  if (!note.empty()) samples.notes.push_back(note);
  samples.finished.push_back(held);
}

}  // namespace

void MeasureLoads(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                  ProfilerSamples& samples, const AwaitState& await) {
  const std::vector<LoadJob> jobs = JobsOf(request, bench, samples);
  const auto total = static_cast<std::int64_t>(jobs.size());
  StreamRandom random("loads", request.seed);
  const auto begin = Clock::now();
  for (std::int64_t done = 0; done < total; ++done) {
    const LoadJob& job = jobs[static_cast<std::size_t>(done)];
    const std::string load = std::to_string(job.load) + " %";
    const auto goes = [&] {
      return watch.Goes(samples, bench.wish(job.model).model + " under " + load, done, total);
    };
    HoldAgainstTold(request, bench, job, samples);
    const Nanos rest = budget - (Clock::now() - begin);
    const Nanos share = std::max(rest / (total - done), Nanos{1});
    UnitUnderLoad unit(request, bench, job.unit, job.load, samples, await);
    if (!unit.Measure(job.model, budget == Nanos{0} ? Nanos{0} : share, random, goes)) return;
    if (unit.Missed()) {
      samples.notes.push_back("the load of " + load + " on unit " + Quoted(bench.unit(job.unit).name) +
                              " came to less: something else runs there");
    }
    samples.finished.push_back(job.name);
    watch.Save(samples);
  }
}

}  // namespace tandem
