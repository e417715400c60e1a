#include "device/profiler/alone.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "device/host/clock.h"
#include "device/profiler/bench/source_turn.h"
#include "device/profiler/bench/turns.h"
#include "device/profiler/bench/unit_state.h"
#include "device/profiler/least_time.h"
#include "device/profiler/samples/reference_state.h"
#include "device/profiler/samples/statistics.h"
#include "device/profiler/status.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr Nanos kMostPerChainAlone{2'000'000'000};
constexpr Nanos kTurnOfChain{20'000'000};  // so long a source goes on before the next has its turn
// Worth a pass more: the first one behind another source finds caches and pages that are not its own. At 20
// ms chains that take longer had every pass of theirs behind another source's, a fifth too long, while those
// a little shorter had none.
constexpr Nanos kWarmAgainBelow{200'000'000};
constexpr std::size_t kLeastPassesAlone = 3;
constexpr std::size_t kMostPassesAlone = 5000;

double InNanos(Nanos time) { return static_cast<double>(time.count()); }

bool NeedsClock(ProfileManner manner) {
  return manner == ProfileManner::kDevice || manner == ProfileManner::kCore;
}

bool LooksInside(ProfileManner manner) { return manner == ProfileManner::kInside || NeedsClock(manner); }

class Alone {
 public:
  Alone(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
        ProfilerSamples& samples)
      : request_(request),
        bench_(bench),
        budget_(budget),
        watch_(watch),
        samples_(samples),
        random_("alone", request.seed),
        begin_(SteadyNow()) {
    for (std::size_t unit = 0; unit < bench.units(); ++unit) states_.emplace_back(bench, unit, samples);
  }

  // As many chains at a time as find room; of small models commonly all.
  Nanos Measure() {
    NoteWhatIsPassedOver();
    const std::vector<ProfilerBench::ChainAt> chains = ChainsToMeasure();
    chains_left_ = chains.size();
    for (const ProfilerBench::ChainAt& chain : chains) {
      if (!turns_.empty() && !bench_.HasRoom({chain})) MeasureBatch(&chain);
      if (watch_.stopped()) break;
      const auto begin = SteadyNow();
      AddTurnsOf(chain);
      preparing_ += SteadyNow() - begin;
      ++chains_added_;
    }
    MeasureBatch(nullptr);
    return Measuring();
  }

 private:
  Nanos Measuring() const { return SteadyNow() - begin_ - preparing_; }

  // A model after the other: its weights are loaded once. On all units first whole, then in groups.
  std::vector<ProfilerBench::ChainAt> ChainsToMeasure() const {
    const std::vector<ProfileCut> cuts = CutsOf(request_);
    std::vector<ProfilerBench::ChainAt> chains;
    for (std::size_t model = 0; model < request_.models.size(); ++model) {
      for (const ProfileCut cut : cuts) {
        for (std::size_t unit = 0; unit < bench_.units(); ++unit) chains.push_back({unit, model, cut});
      }
    }
    return chains;
  }

  // `next`: the chain that found no room beside these.
  void MeasureBatch(const ProfilerBench::ChainAt* next) {
    if (!turns_.empty() && !watch_.stopped()) MeasureTurns(Share());
    measured_ += static_cast<std::int64_t>(turns_.size());
    turns_.clear();
    chains_left_ -= std::exchange(chains_added_, 0);
    if (next) bench_.MakeRoom({*next});
  }

  // When this batch has to be done: it has its part of the time that is left.
  Nanos Share() const {
    if (budget_ == Nanos{0}) return Nanos::max();
    const Nanos spent = Measuring();
    return spent + (budget_ - spent) * static_cast<std::int64_t>(chains_added_) /
                       static_cast<std::int64_t>(std::max<std::size_t>(chains_left_, 1));
  }

  // So many times as much is to be measured as in this batch and those behind it.
  double OfAll() const {
    return static_cast<double>(chains_left_) / static_cast<double>(std::max<std::size_t>(chains_added_, 1));
  }

  void AddTurnsOf(const ProfilerBench::ChainAt& chain) {
    const auto [unit, model, cut] = chain;
    AddTurn(model, unit, cut, ProfileManner::kWarm);
    if (cut == ProfileCut::kWhole) {
      AddTurn(model, unit, cut, ProfileManner::kInside);
      AddTurn(model, unit, cut, ProfileManner::kDevice);
    }
    AddTurn(model, unit, cut, ProfileManner::kCore);
    if (request_.mapped && bench_.Maps(unit)) AddTurn(model, unit, cut, ProfileManner::kMapped);
    if (request_.cold && !bench_.OwnMemory(unit)) AddTurn(model, unit, cut, ProfileManner::kCold);
  }

  bool HasClock(std::size_t unit, ProfiledChain& chain) {
    bool has = false;
    bench_.thread(unit).Do([&](Processor&) { has = chain.RunOnDeviceClock().has_value(); });
    return has;
  }

  void NoteWhatIsPassedOver() {
    for (std::size_t unit = 0; unit < bench_.units(); ++unit) {
      const std::string name = "unit \"" + bench_.Label(unit) + "\" ";
      if (request_.cold && bench_.OwnMemory(unit)) {
        samples_.notes.push_back(name + "was not measured cold: its caches cannot be emptied from here");
      }
      if (request_.mapped && !bench_.Maps(unit) && bench_.OwnMemory(unit)) {
        samples_.notes.push_back(name + "was not measured through a mapping: it has none");
      }
    }
  }

  void AddTurn(std::size_t model, std::size_t unit, ProfileCut cut, ProfileManner manner) {
    const SampleSource key{bench_.wish(model), bench_.unit(unit).name, cut, manner,
                           bench_.variant(unit).precision};
    const auto before = samples_.sources.find(key);
    if (before != samples_.sources.end() && before->second.done) return;
    if (LooksInside(manner) && IsFinished(samples_, NoSuchSource(key))) return;
    SourceTurn turn;
    turn.chain = bench_.Chain(unit, model, cut);
    if (!turn.chain) return NoteNone(key);
    if (cut == ProfileCut::kWhole) NoteLoad(key, bench_.variant(unit), *turn.chain);
    std::vector<SampledPart> parts = PartsOf(bench_.model(model), *turn.chain, key);
    if (manner == ProfileManner::kInside && parts.size() < 2) return NoteNone(key);
    if (NeedsClock(manner) && !HasClock(unit, *turn.chain)) return NoteNone(key);
    turn.key = key;
    turn.unit = unit;
    turn.model = model;
    turn.timed_by = bench_.OwnTimeOf(unit);
    turn.Begin(std::move(parts), samples_.sources[key]);
    if (manner == ProfileManner::kCold) turn.sweep = &bench_.sweep(unit);
    turns_.push_back(std::move(turn));
  }

  // A model of one group is not cut; a unit cannot run it. Who asks what is left is told that nothing is.
  void NoteNone(const SampleSource& key) {
    if (!IsFinished(samples_, NoSuchSource(key))) samples_.finished.push_back(NoSuchSource(key));
  }

  void NoteLoad(const SampleSource& key, const Variant& variant, const ProfiledChain& chain) {
    const auto same = [&](const LoadEntry& load) {
      return load.model == key.model.model && load.unit == key.unit && load.variant == variant;
    };
    if (std::any_of(samples_.loads.begin(), samples_.loads.end(), same)) return;
    samples_.loads.push_back({key.model.model, key.unit, variant, Timing::OfSamples({chain.compile_time()})});
  }

  void MeasureTurns(Nanos until) {
    if (budget_ > Nanos{0} && !SayHowLongItTakes()) return;
    for (const std::size_t i : ShuffledOrder(turns_.size(), random_)) {
      if (!Goes(turns_[i])) return;
      WarmUp(turns_[i]);
    }
    if (budget_ > Nanos{0}) return TakeWhereItIsWanted(until);
    TakeTurns(
        turns_, random_, [&](const SourceTurn& turn) { return Goes(turn); },
        [&](SourceTurn& turn) { Take(turn, until); });
  }

  // Time that is short goes where medians are known worst; each round anew.
  void TakeWhereItIsWanted(Nanos until) {
    for (;;) {
      const std::vector<SourceTurn*> open = OpenTurns(Measuring() >= until);
      std::vector<double> wants;
      for (const SourceTurn* turn : open) wants.push_back(turn->want);
      const std::vector<std::size_t> worst = WantMost(wants);
      if (worst.empty()) return;
      for (const std::size_t i : ShuffledOrder(worst.size(), random_)) {
        SourceTurn& turn = *open[worst[i]];
        if (!Goes(turn)) return;
        Take(turn, until);
      }
    }
  }

  std::vector<SourceTurn*> OpenTurns(bool late) {
    std::vector<SourceTurn*> open;
    for (SourceTurn& turn : turns_) {
      if (late && turn.passes() >= kLeastPassesAlone) turn.samples->done = true;
      if (!turn.samples->done) open.push_back(&turn);
    }
    return open;
  }

  // By a run of each source, which is the first that warms it up; models that come later by their operations.
  // False: asked to stop.
  bool SayHowLongItTakes() {
    LeastTime least;
    RunsOfModels whole;
    for (SourceTurn& turn : turns_) {
      if (!Goes(turn)) return false;
      bench_.thread(turn.unit).Do([&](Processor&) { turn.Pass(false); });
      least.alone += LeastTimeOfSource(turn.pass);
      if (turn.key.cut == ProfileCut::kWhole && turn.key.manner == ProfileManner::kWarm) {
        whole[{turn.unit, turn.model}] = turn.pass;
      }
    }
    if (std::exchange(said_, true) || turns_.empty()) return true;
    const RunsOfModels all = Estimated(whole, request_, bench_);
    const double more = SumOf(whole) > 0 ? SumOf(all) / SumOf(whole) : 1;
    const auto scaled = [](Nanos time, double by) { return Nanos{std::llround(InNanos(time) * by)}; };
    least.sources = std::llround(static_cast<double>(turns_.size()) * OfAll());
    least.prepared = scaled(preparing_, OfAll());
    least.alone = scaled(least.alone, more);
    const auto chains = static_cast<double>(request_.models.size() * bench_.units());
    least.beside = LeastTimeBeside(request_, bench_, all, scaled(least.prepared, 1 / chains));
    watch_.Say(WhyOverBudget(request_.budget, least));
    watch_.Takes(TakesInAll(request_.budget, least));
    return true;
  }
  static double SumOf(const RunsOfModels& runs) {
    double sum = 0;
    for (const auto& [at, run] : runs) sum += InNanos(run);
    return sum;
  }

  bool Goes(const SourceTurn& turn) {
    const auto total = measured_ + std::llround(static_cast<double>(turns_.size()) * OfAll());
    return watch_.Goes(samples_, turn.key.model.model + " on " + bench_.Label(turn.unit),
                       measured_ + DoneOf(turns_), total);
  }

  // By time and by count; of a budget no more than a quarter goes to it.
  void WarmUp(SourceTurn& turn) {
    const auto sources = static_cast<std::int64_t>(turns_.size());
    const Nanos least =
        budget_ > Nanos{0} ? std::min(request_.warm_up, budget_ / (4 * sources)) : request_.warm_up;
    bench_.thread(turn.unit).Do([&](Processor&) {
      const auto begin = SteadyNow();
      const std::size_t before = budget_ > Nanos{0} ? 1 : 0;  // SayHowLongItTakes
      for (std::size_t passes = before; passes < kLeastPassesAlone || SteadyNow() - begin < least; ++passes) {
        turn.Pass(false);
        if (turn.pass > 5 * request_.warm_up) break;
      }
    });
  }

  void Take(SourceTurn& turn, Nanos until) {
    const auto begin = SteadyNow();
    bool taken = false;
    bench_.thread(turn.unit).Do([&](Processor&) {
      UnitState& state = states_[turn.unit];
      const StateReading before = state.Read();
      if (!state.WorthMeasuring(before) && MaySkip(turn)) return;
      taken = true;
      const bool warms = !turn.sweep && turn.pass < kWarmAgainBelow;
      if (warms) turn.Pass(false);
      const Nanos most = warms ? kTurnOfChain + turn.pass : kTurnOfChain;
      do {
        turn.Pass(true);
      } while (SteadyNow() - begin + turn.pass < most);
      turn.NoteReading(Worse(before, state.Read()));
    });
    const Nanos took = SteadyNow() - begin;
    turn.used += took;
    if (!taken) turn.skipped += took;
    if (!taken) skipped_ += took;
    turn.samples->done = IsDone(turn, until);
  }

  // Waiting for a better state takes half of the time that there is at most.
  bool MaySkip(const SourceTurn& turn) const {
    return budget_ > Nanos{0} ? skipped_ < budget_ / 2 : turn.skipped < kMostPerChainAlone / 2;
  }

  std::size_t LeastPasses() const { return static_cast<std::size_t>(request_.min_samples); }

  bool IsDone(SourceTurn& turn, Nanos until) const {
    if (turn.passes() >= kMostPassesAlone) return true;
    const bool late = until == Nanos::max() ? turn.used >= kMostPerChainAlone : Measuring() >= until;
    if (late && turn.passes() >= kLeastPassesAlone) return true;
    // Steps inside count where groups run as one, the device's clock and the core's share inform: the fewest
    // passes will do where time is short.
    if (budget_ > Nanos{0} && LooksInside(turn.key.manner) && turn.passes() >= LeastPasses()) return true;
    if (turn.passes() < turn.judged_from) return false;
    turn.judged_from = turn.passes() * 5 / 4;
    // Of many parts a short one matters as much as an average one that is known to the noise.
    const UnitState& state = states_[turn.unit];
    const SourceSamples counted = InReference(*turn.samples, state.level(), state.hot());
    const std::vector<SampledPart>& parts = counted.parts;
    StopRule rule{request_.noise, request_.min_samples};
    const Nanos last = std::accumulate(turn.times.begin(), turn.times.end(), Nanos{0});
    const double average = static_cast<double>(last.count()) / static_cast<double>(parts.size());
    rule.fine_enough = std::max(rule.fine_enough, Nanos{std::llround(request_.noise * average)});
    turn.want = 0;
    if (parts.front().samples.size() < LeastPasses()) turn.want = std::numeric_limits<double>::infinity();
    for (const SampledPart& part : parts) turn.want = std::max(turn.want, WantOf(part.samples, rule));
    return std::all_of(parts.begin(), parts.end(),
                       [&](const SampledPart& part) { return KnownWell(part.samples, rule); });
  }

  const ProfileOrder& request_;
  ProfilerBench& bench_;
  Nanos budget_;
  ProfilerWatch& watch_;
  ProfilerSamples& samples_;
  StreamRandom random_;
  Nanos begin_;
  bool said_ = false;
  std::size_t chains_left_ = 0;    // to be measured, those of this batch too
  std::size_t chains_added_ = 0;   // to this batch
  std::int64_t measured_ = 0;      // turns of the batches before
  Nanos preparing_{0};             // models were loaded and compiled meanwhile
  Nanos skipped_{0};               // while units were in another state
  std::vector<UnitState> states_;  // per unit of the bench
  std::vector<SourceTurn> turns_;
};

}  // namespace

Nanos MeasureAlone(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                   ProfilerSamples& samples) {
  return Alone(request, bench, budget, watch, samples).Measure();
}

}  // namespace tandem
