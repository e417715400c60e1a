#include "device/profiler/beside/parts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "device/host/clock.h"
#include "device/host/own_memory.h"
#include "device/profiler/bench/split_piece.h"
#include "device/profiler/beside/jobs.h"

namespace tandem {
namespace {

constexpr Nanos kMostPerSplitPair{1'500'000'000};
constexpr Nanos kLeastSplitTurn{15'000'000};
constexpr std::size_t kLeastSplitRounds = 3;
constexpr std::size_t kAlone = 0, kBeside = 1;  // turns as slowdowns have them
constexpr double kHalf = 0.5;

// Two threads that go from one step to the next at once.
class Lockstep {
 public:
  // False: the other one has given up.
  bool Arrive() {
    const int step = step_.load();
    if (arrived_.fetch_add(1) == 1) {
      arrived_.store(0);
      step_.store(step + 1);
    }
    while (step_.load() == step && !failed_.load()) std::this_thread::yield();
    return !failed_.load();
  }
  void GiveUp() { failed_.store(true); }

 private:
  std::atomic<int> arrived_{0}, step_{0};
  std::atomic<bool> failed_{false};
};

// A model on two units: the first parts on the one, the second on the other.
class SplitOverTwo {
 public:
  SplitOverTwo(CoRunningContext& context, std::size_t model, std::array<std::size_t, 2> units)
      : context_(context), bench_(context.bench), model_(model), units_(units) {}
  ~SplitOverTwo() { Clear(); }

  // False: asked to stop.
  bool Measure(Nanos time) {
    bench_.MakeRoom({});
    const auto chains = SplitCandidates(context_.request, bench_, context_.samples, model_, units_.front());
    std::size_t all = 0, one = 1;
    for (const auto& chain : chains) all += chain.size();
    for (const auto& chain : chains) {
      for (const std::vector<LayerId>& layers : chain) {
        if (!Add(layers)) return true;
        if (ResidentBytes() > bench_.MostBytes() && !MeasurePieces(time * PiecesOf(one) / PiecesOf(all)))
          return false;
      }
      if (!MeasurePieces(time * PiecesOf(pieces_.size()) / PiecesOf(std::max(all, one)))) return false;
    }
    return true;
  }

 private:
  static std::int64_t PiecesOf(std::size_t count) { return static_cast<std::int64_t>(count); }

  // Along the first axis of the request's that they can be split along. False: a unit cannot run parts.
  bool Add(const std::vector<LayerId>& layers) {
    std::int64_t size = 0;
    SplitAxis axis{};
    for (const SplitAxis candidate : context_.request.parts->axes) {
      if (size == 0) size = FirstSizeOf(bench_.model(model_), layers, axis = candidate, kHalf);
    }
    if (size == 0) return true;
    bool can = true;
    for (std::size_t part = 0; part < 2 && can; ++part) {
      bench_.thread(units_[part]).Do([&](Processor& processor) {
        if (part == 0) pieces_.emplace_back(bench_, model_, layers, axis, size, units_[0], processor);
        can = pieces_.back().Compile(part, bench_, units_[part], processor, context_.samples.notes);
      });
    }
    return can;
  }

  void Clear() {
    bench_.thread(units_[1]).Do([&](Processor&) {
      for (SplitPiece& piece : pieces_) piece.Forget(1);
    });
    bench_.thread(units_[0]).Do([&](Processor&) { pieces_.clear(); });
    GiveUnusedBack();
  }

  bool MeasurePieces(Nanos time) {
    if (pieces_.empty()) return true;
    for (auto& times : times_) times.assign(pieces_.size(), TurnTimes(2));
    passes_ = 2;
    for (const std::size_t turn : {0, 1, 2}) Take(turn, false);
    const std::string what = bench_.wish(model_).model + " in parts";
    const auto round = [&](std::size_t) {
      return context_.Round(
          what, units_, 3, [&](std::size_t turn) { Take(turn, true); },
          [&] {
            for (auto& times : times_) DropRound(times);
          });
    };
    const auto known_to = [&](double error) {
      return KnownTo(error, times_[0]) && KnownTo(error, times_[1]);
    };
    if (!TakeRounds(kLeastSplitRounds, time, context_.request.noise, round, known_to)) return false;
    for (const std::size_t side : {0, 1}) AddEntries(side);
    Clear();
    return true;
  }

  // Turn 0 and 1: a part alone; 2: both at once. The first pass finds the caches as something else left them.
  void Take(std::size_t turn, bool keep) {
    const Nanos begin = SteadyNow();
    if (turn < 2) {
      bench_.thread(units_[turn]).Do([&](Processor& processor) { Run(turn, processor, nullptr, keep); });
    } else {
      Lockstep together;
      for (const std::size_t side : {0, 1}) {
        bench_.thread(units_[side]).Begin([this, side, &together, keep](Processor& processor) {
          Run(side, processor, &together, keep);
        });
      }
      for (const std::size_t side : {0, 1}) bench_.thread(units_[side]).Wait();
    }
    if (keep) return;
    const Nanos pass = std::max((SteadyNow() - begin) / 2, Nanos{1});
    passes_ = std::max<std::size_t>(passes_, 1 + static_cast<std::size_t>(kLeastSplitTurn / pass));
  }

  void Run(std::size_t side, Processor& processor, Lockstep* together, bool keep) {
    std::vector<double> sums(pieces_.size());
    try {
      for (std::size_t pass = 0; pass < passes_; ++pass) {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
          pieces_[i].WriteInputs(processor, together ? std::optional(side) : std::nullopt);
          if (together && !together->Arrive()) return;
          const Nanos time = pieces_[i].Run(side);
          if (together && !together->Arrive()) return;
          if (pass > 0) sums[i] += static_cast<double>(time.count()) / static_cast<double>(passes_ - 1);
        }
      }
    } catch (...) {
      if (together) together->GiveUp();
      throw;
    }
    for (std::size_t i = 0; keep && i < sums.size(); ++i) {
      times_[side][i].Add(together ? kBeside : kAlone, sums[i]);
    }
  }

  void AddEntries(std::size_t side) {
    CoRunningEntry entry;
    entry.unit = bench_.unit(units_[side]).name;
    entry.beside = bench_.unit(units_[1 - side]).name;
    entry.model = entry.beside_model = bench_.wish(model_).model;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const auto found = times_[side][i].Slowdown(kBeside);
      if (!found) continue;
      entry.layers.clear();
      for (const LayerId id : pieces_[i].spec().layers)
        entry.layers.push_back(bench_.model(model_).layer(id).name);
      entry.beside_layers = entry.layers;
      entry.slowdown = found->slowdown;
      entry.error = context_.ErrorOf(*found);
      context_.samples.co_running.push_back(entry);
    }
  }

  CoRunningContext& context_;
  ProfilerBench& bench_;
  std::size_t model_;
  std::array<std::size_t, 2> units_;
  std::vector<SplitPiece> pieces_;
  std::array<std::vector<TurnTimes>, 2> times_;  // per side, a piece each
  std::size_t passes_ = 2;                       // of a turn
};

struct SplitJob {
  std::size_t model = 0;
  std::array<std::size_t, 2> units{};
  std::string name;
};

std::vector<SplitJob> SplitJobsOf(const ProfilerBench& bench, const ProfilerSamples& samples) {
  std::vector<SplitJob> jobs;
  for (const std::size_t model : bench.FirstOfEachModel()) {
    for (std::size_t a = 0; a < bench.units(); ++a) {
      for (std::size_t b = a + 1; b < bench.units(); ++b) {
        if (!bench.BesideEachOther(a, b) || bench.OwnMemory(a) || bench.OwnMemory(b)) continue;
        std::string name =
            "parts of " + bench.wish(model).model + " on " + bench.Label(a) + " and " + bench.Label(b);
        if (IsFinished(samples, name)) continue;
        jobs.push_back({model, {a, b}, std::move(name)});
      }
    }
  }
  return jobs;
}

}  // namespace

void MeasurePartsBeside(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                        ProfilerSamples& samples, const AwaitState& await) {
  if (!request.parts) return;
  const std::vector<SplitJob> jobs = SplitJobsOf(bench, samples);
  StreamRandom random("parts beside each other", request.seed);
  CoRunningContext context{request, bench, watch, samples, await, random};
  MeasureEach(jobs, budget, kMostPerSplitPair, context, [&](const SplitJob& job, Nanos time) {
    return SplitOverTwo(context, job.model, job.units).Measure(time);
  });
}

}  // namespace tandem
