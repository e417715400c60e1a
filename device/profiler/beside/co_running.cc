#include "device/profiler/beside/co_running.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "device/profiler/beside/jobs.h"
#include "device/profiler/samples/result.h"
#include "profiles/base/joined.h"
#include "profiles/costs/entry_keys.h"

namespace tandem {
namespace {

constexpr Nanos kMostPerJob{1'500'000'000};

// Of one round alone nothing is known.
template <class Entry>
double ErrorOf(const Entry& entry) {
  return entry.error.value_or(std::numeric_limits<double>::infinity());
}

// Of what stands before `from` and behind it the surer one is kept, in the place of the first.
template <class Entry>
void KeepSurest(std::vector<Entry>& entries, std::size_t from, ModelKeys& models) {
  for (std::size_t again = from; again < entries.size(); ++again) {
    const std::string key = KeyOfEntry(entries[again], models);
    for (std::size_t first = 0; first < from; ++first) {
      if (KeyOfEntry(entries[first], models) != key) continue;
      if (ErrorOf(entries[again]) < ErrorOf(entries[first])) entries[first] = entries[again];
    }
  }
  entries.resize(from);
}

template <class Entry>
double MostError(const std::vector<Entry>& entries, std::size_t from) {
  double most = 0;
  for (std::size_t i = from; i < entries.size(); ++i) most = std::max(most, ErrorOf(entries[i]));
  return most;
}

// One after the other: what comes later needs what came before. Of each the time that is left is shared with
// those behind it.
enum class JobKind : std::uint8_t { kCurves, kPairs, kTogether, kGroups };
constexpr std::array kJobKinds = {JobKind::kCurves, JobKind::kPairs, JobKind::kTogether, JobKind::kGroups};

struct Job {
  std::string name;  // by which a later run knows that it is done
  std::function<bool(Nanos time)> measure;
  std::function<double()> matters;  // those with more come first
};

struct HardlyKnown {
  double error = 0;
  Nanos share{0};
  const Job* job;
};

class CoRunning {
 public:
  CoRunning(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
            ProfilerSamples& samples, const AwaitState& await)
      : bench_(bench),
        budget_(budget),
        samples_(samples),
        random_("co-running", request.seed),
        context_{request, bench, watch, samples, await, random_},
        models_(bench.FirstOfEachModel()) {}

  void Measure() {
    for (std::size_t unit = 0; unit < bench_.units(); ++unit) AddOfUnit(unit);
    if (context_.request.co_running == CoRunningWish::kPairs) AddPairs();
    for (auto& jobs : jobs_) {
      std::erase_if(jobs, [&](const Job& job) { return IsFinished(samples_, job.name); });
      context_.total += static_cast<std::int64_t>(jobs.size());
    }
    const Nanos begin = SteadyNow();
    std::int64_t kinds =
        std::count_if(jobs_.begin(), jobs_.end(), [](const auto& of) { return !of.empty(); });
    for (const JobKind kind : kJobKinds) {
      if (JobsOf(kind).empty()) continue;
      const Nanos rest = budget_ - (SteadyNow() - begin);
      if (!MeasureAll(kind, rest / kinds--)) return;
    }
    if (MeasureAgain(SteadyNow() - begin)) CheckPairs();
  }

 private:
  std::vector<Job>& JobsOf(JobKind kind) { return jobs_[static_cast<std::size_t>(kind)]; }

  // False: asked to stop.
  bool MeasureAll(JobKind kind, Nanos time) {
    std::vector<Job>& jobs = JobsOf(kind);
    std::vector<std::pair<double, const Job*>> order;
    for (const Job& job : jobs) order.emplace_back(job.matters ? job.matters() : 0, &job);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const Nanos begin = SteadyNow();
    const auto all = static_cast<std::int64_t>(order.size());
    for (std::int64_t i = 0; i < all; ++i) {
      const Nanos rest = time - (SteadyNow() - begin);
      if (budget_ > Nanos{0} && rest <= Nanos{0} && i >= Always(kind)) {
        NoteLeftOut(kind, order, static_cast<std::size_t>(i));
        return true;
      }
      const Job& job = *order[static_cast<std::size_t>(i)].second;
      const Nanos share = budget_ == Nanos{0} ? kMostPerJob : rest / (all - i);
      const std::size_t entries = samples_.co_running.size(), groups = samples_.together.size();
      context_.BeginJob(share);
      if (!job.measure(share)) return false;
      const double error =
          std::max(MostError(samples_.co_running, entries), MostError(samples_.together, groups));
      const bool whole = kind == JobKind::kPairs || kind == JobKind::kTogether;
      if (whole && error > kHardlyKnown) hardly_known_.push_back({error, share, &job});
      ++context_.done;
      samples_.finished.push_back(job.name);
      context_.watch.Save(samples_);
    }
    return true;
  }

  // Once more what is hardly known, when what disturbed it may have passed: the worst first, for as long as
  // that all took. False: asked to stop.
  bool MeasureAgain(Nanos time) {
    std::stable_sort(hardly_known_.begin(), hardly_known_.end(),
                     [](const HardlyKnown& a, const HardlyKnown& b) { return a.error > b.error; });
    const Nanos end = SteadyNow() + time;
    for (const HardlyKnown& again : hardly_known_) {
      if (SteadyNow() >= end) break;
      const std::size_t entries = samples_.co_running.size(), groups = samples_.together.size();
      context_.BeginJob(again.share);
      if (!again.job->measure(again.share)) return false;
      ModelKeys models({});  // all are named alike
      KeepSurest(samples_.co_running, entries, models);
      KeepSurest(samples_.together, groups, models);
    }
    return true;
  }

  // So many are measured whatever the budget says.
  std::int64_t Always(JobKind kind) const {
    if (kind == JobKind::kCurves) return context_.total;
    return kind == JobKind::kPairs ? kPairsAlways : 0;
  }

  void NoteLeftOut(JobKind kind, const std::vector<std::pair<double, const Job*>>& order, std::size_t from) {
    context_.done += static_cast<std::int64_t>(order.size() - from);
    if (kind == JobKind::kPairs) return;  // PairsKnown says it
    std::vector<std::string> names;
    for (std::size_t i = from; i < order.size(); ++i) names.push_back(order[i].second->name);
    constexpr std::size_t kNamed = 3;
    const std::size_t others = names.size() - std::min(names.size(), kNamed);
    names.resize(names.size() - others);
    samples_.notes.push_back("there was no time left to measure " + Joined(names) +
                             (others > 0 ? " and " + std::to_string(others) + " more" : "") +
                             (kind == JobKind::kGroups ? ": these groups count as their models" : ""));
  }

  // The stressor and the probe need cores of their own; a model's traffic is told by one other unit.
  void AddOfUnit(std::size_t unit) {
    bool traffic = bench_.unit(unit).cores.empty();
    for (std::size_t beside = 0; beside < bench_.units(); ++beside) {
      if (!bench_.BesideEachOther(unit, beside) || bench_.unit(beside).cores.empty()) continue;
      const bool tells = !std::exchange(traffic, true);
      for (const std::size_t model : models_) {
        AddCurve({unit, model}, beside);
        if (tells) AddTraffic({unit, model}, beside);
      }
    }
    for (const auto& beside : SetsBeside(bench_, unit)) {
      for (const std::size_t model : models_) AddTogether({unit, model}, beside);
    }
  }

  void AddCurve(CoRunningSide of, std::size_t beside) {
    AddCuts("curve", of, bench_.unit(beside).name, [=, this](const CoRunningSide& cut, Nanos time) {
      return MeasureCurve(context_, cut, beside, time);
    });
  }

  void AddTraffic(CoRunningSide of, std::size_t beside) {
    AddCuts("traffic", of, "", [=, this](const CoRunningSide& cut, Nanos time) {
      return MeasureTraffic(context_, cut, beside, time);
    });
  }

  // Groups of models that others slow down most come first.
  template <class Measure>
  void AddCuts(const std::string& what, CoRunningSide of, const std::string& beside, Measure measure) {
    const std::string name = what + " " + Name(of) + (beside.empty() ? "" : " " + beside);
    JobsOf(JobKind::kCurves).push_back({name, [=](Nanos time) { return measure(of, time); }, {}});
    if (!context_.request.groups) return;
    CoRunningSide groups = of;
    groups.cut = ProfileCut::kGroups;
    JobsOf(JobKind::kGroups)
        .push_back({name + " in groups", [=](Nanos time) { return measure(groups, time); },
                    [=, this] { return WorstOf(of); }});
  }

  void AddPairs() {
    for (std::size_t a = 0; a < bench_.units(); ++a) {
      for (std::size_t b = a + 1; b < bench_.units(); ++b) {
        if (!bench_.AtOnce(a, b)) continue;
        for (const std::size_t one : models_) {
          for (const std::size_t other : models_) AddPair({a, one}, {b, other});
        }
      }
    }
  }

  void AddPair(CoRunningSide a, CoRunningSide b) {
    const std::string name = "pair " + Name(a) + " " + Name(b);
    JobsOf(JobKind::kPairs)
        .push_back({name, [=, this](Nanos time) { return MeasurePair(context_, a, b, time); },
                    [=, this] { return std::max(ByCurve(a, b), ByCurve(b, a)); }});
    if (!context_.request.groups || !bench_.BesideEachOther(a.unit, b.unit)) return;
    CoRunningSide of_a = a, of_b = b;
    of_a.cut = of_b.cut = ProfileCut::kGroups;
    JobsOf(JobKind::kGroups)
        .push_back({name + " in groups",
                    [=, this](Nanos time) { return MeasurePair(context_, of_a, of_b, time); },
                    [=, this] { return std::max(WorstOf(a, b), WorstOf(b, a)); }});
  }

  void AddTogether(CoRunningSide of, const std::vector<std::size_t>& beside) {
    std::string name = "together " + Name(of);
    for (const std::size_t unit : beside) name += " " + bench_.unit(unit).name;
    JobsOf(JobKind::kTogether)
        .push_back({name, [=, this](Nanos time) { return MeasureTogether(context_, of, beside, time); },
                    [=, this] { return static_cast<double>(beside.size()) + WorstOf(of) / 1e4; }});
  }

  std::string Name(const CoRunningSide& side) const {
    return bench_.unit(side.unit).name + " " + bench_.wish(side.model).model;
  }

  // How far from 1 its slowdowns are that are known, of the model beside anything, or beside that one.
  double WorstOf(const CoRunningSide& of, std::optional<CoRunningSide> beside = {}) const {
    double worst = 0;
    for (const CoRunningEntry& entry : samples_.co_running) {
      if (entry.unit != bench_.unit(of.unit).name || entry.model != bench_.wish(of.model).model) continue;
      if (beside && (entry.beside != bench_.unit(beside->unit).name ||
                     entry.beside_model != bench_.wish(beside->model).model)) {
        continue;
      }
      worst = std::max(worst, std::abs(std::log(entry.slowdown)));
    }
    return worst;
  }

  const TrafficEntry* TrafficOf(const std::string& unit, const std::string& model) const {
    const auto& all = samples_.traffic;
    const auto found = std::find_if(all.begin(), all.end(), [&](const TrafficEntry& candidate) {
      return candidate.unit == unit && candidate.model == model && candidate.layers.empty();
    });
    return found == all.end() ? nullptr : &*found;
  }

  double ByCurve(const CoRunningSide& of, const CoRunningSide& beside) const {
    const std::string& other = bench_.unit(beside.unit).name;
    const TrafficEntry* traffic = TrafficOf(other, bench_.wish(beside.model).model);
    if (!traffic) return 0;
    return CurveOf(samples_, bench_.unit(of.unit).name, bench_.wish(of.model).model, other)
        .At(traffic->bytes_per_s);
  }

  // What the curves say of the pairs that were measured, where they say anything; points of a curve are no
  // surer than that.
  void CheckPairs() {
    samples_.pairs.clear();
    for (const CoRunningEntry& entry : samples_.co_running) {
      if (entry.beside_model.empty() || !entry.layers.empty()) continue;
      const TrafficEntry* traffic = TrafficOf(entry.beside, entry.beside_model);
      if (!traffic) continue;
      const TrafficCurve curve = CurveOf(samples_, entry.unit, entry.model, entry.beside);
      samples_.pairs.push_back({entry.unit, entry.model, entry.beside, entry.beside_model, entry.slowdown,
                                curve.At(traffic->bytes_per_s)});
    }
    for (CoRunningEntry& entry : samples_.co_running) {
      if (!entry.beside_traffic_bytes_per_s) continue;
      if (const auto off = ErrorOfCurve(samples_, entry))
        entry.error = std::max(entry.error.value_or(0), *off);
    }
  }

  ProfilerBench& bench_;
  Nanos budget_;
  ProfilerSamples& samples_;
  StreamRandom random_;
  CoRunningContext context_;
  std::vector<std::size_t> models_;  // the first of each, whatever the batch
  std::array<std::vector<Job>, kJobKinds.size()> jobs_;
  std::vector<HardlyKnown> hardly_known_;
};

}  // namespace

std::vector<std::vector<std::size_t>> SetsBeside(const ProfilerBench& bench, std::size_t unit) {
  std::vector<std::vector<std::size_t>> sets;
  const auto add = [&](std::vector<std::size_t> set) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(std::move(set));
  };
  for (const std::vector<std::size_t>& all : bench.AllBeside(unit)) {
    if (all.size() < 2) continue;
    add(all);
    for (std::size_t b = 1; all.size() > 2 && b < all.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) add({all[a], all[b]});
    }
  }
  return sets;
}

bool SomeBeside(const ProfileOrder& request, const ProfilerBench& bench) {
  if (request.co_running == CoRunningWish::kNone) return false;
  const bool pairs = request.co_running == CoRunningWish::kPairs;
  for (std::size_t a = 0; a < bench.units(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (pairs ? bench.AtOnce(a, b) : bench.BesideEachOther(a, b)) return true;
    }
  }
  return false;
}

std::string PairsKnown::Text() const {
  if (all == 0) return "";
  return std::to_string(measured) + " of " + std::to_string(all) +
         " pairs of models were measured beside each other" +
         (measured < all ? "; what the others cost each other is read off curves" : "");
}

PairsKnown PairsOf(const ProfileOrder& request, const ProfilerBench& bench, const ProfilerSamples& samples) {
  PairsKnown known;
  if (request.co_running == CoRunningWish::kNone) return known;
  const auto models = static_cast<std::int64_t>(bench.FirstOfEachModel().size());
  for (std::size_t a = 0; a < bench.units(); ++a) {
    for (std::size_t b = a + 1; b < bench.units(); ++b) {
      if (bench.AtOnce(a, b)) known.all += models * models;
    }
  }
  known.measured = std::count_if(samples.co_running.begin(), samples.co_running.end(),
                                 [](const CoRunningEntry& entry) {
                                   return !entry.beside_model.empty() && entry.layers.empty() &&
                                          entry.beside_layers.empty();
                                 }) /
                   2;
  return known;
}

void MeasureCoRunning(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples, const AwaitState& await) {
  CoRunning(request, bench, budget, watch, samples, await).Measure();
}

}  // namespace tandem
