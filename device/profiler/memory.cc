#include "device/profiler/memory.h"

#include <algorithm>
#include <vector>

#include "device/host/own_memory.h"
#include "device/profiler/samples/result.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

class ModelMemory {
 public:
  ModelMemory(ProfilerBench& bench, std::size_t unit, std::size_t model)
      : bench_(bench), unit_(unit), model_(model) {}

  // What this process grows by. Nothing: the unit cannot run the model, or the system does not tell.
  std::optional<MemoryTaken> Measured() {
    bench_.MakeRoom({});
    const std::int64_t before = ResidentBytes();
    const ResidentPeak peak;
    if (!RunOnce()) return std::nullopt;
    const auto most = peak.Bytes();
    if (!most) return std::nullopt;
    bench_.ForgetWeights();
    GiveUnusedBack();
    const std::int64_t held = std::max<std::int64_t>(ResidentBytes() - before, 0);
    return MemoryTaken{std::max(*most - before, held), held};
  }

  // What its backend counts in a memory of the unit's own. Nothing: it does not count. `told`: by that
  // memory's own word, what libraries and others take in it included; empty where it does not tell.
  std::optional<MemoryTaken> Counted(std::vector<MemoryTaken>& told) {
    bench_.MakeRoom({});
    const std::optional<MemoryRoom> before = Room();
    if (!RunOnce()) return std::nullopt;
    const std::optional<MemoryRoom> after = Room();
    const std::int64_t counted = bench_.Chain(unit_, model_, ProfileCut::kWhole)->Bytes();
    if (counted < bench_.model(model_).totals().params) return std::nullopt;
    if (before && after) told.push_back(TakenBetween(*before, *after));
    return MemoryTaken{counted, counted};
  }

 private:
  bool RunOnce() {
    ProfiledChain* chain = bench_.Chain(unit_, model_, ProfileCut::kWhole);
    if (!chain) return false;
    bench_.thread(unit_).Do([&](Processor&) {
      std::vector<Nanos> times(chain->size());
      chain->Run(times);
    });
    return true;
  }

  std::optional<MemoryRoom> Room() {
    std::optional<MemoryRoom> room;
    bench_.thread(unit_).Do([&](Processor& processor) { room = processor.Room(); });
    return room;
  }

  ProfilerBench& bench_;
  std::size_t unit_, model_;
};

std::string ToldText(const ProfiledModel& model, const std::string& unit, const MemoryTaken& told,
                     const MemoryTaken& counted) {
  return "unit " + Quoted(unit) + ": " + TextOf(model) + " holds " + Megabytes(told.held_bytes) +
         " and took " + Megabytes(told.peak_bytes) +
         " at most by the word of the unit's memory, libraries and others there included; " +
         Megabytes(counted.held_bytes) + " are counted";
}

bool IsKnown(const ProfilerSamples& samples, const MemoryEntry& wanted) {
  return std::ranges::any_of(samples.memory, [&](const MemoryEntry& entry) {
    return entry.model == wanted.model && entry.unit == wanted.unit && entry.batch == wanted.batch &&
           entry.variant == wanted.variant;
  });
}

}  // namespace

void MeasureMemory(const ProfileOrder& request, ProfilerBench& bench, ProfilerWatch& watch,
                   ProfilerSamples& samples) {
  if (!request.memory) return;
  const std::size_t models = request.models.size();
  const auto total = static_cast<std::int64_t>(bench.units() * models);
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    const bool of_process = bench.unit(unit).On(RunsOn::kHostCores);
    bool told = models == 0;
    for (std::size_t model = 0; model < models; ++model) {
      MemoryEntry entry;
      entry.model = bench.wish(model).model;
      entry.unit = bench.unit(unit).name;
      entry.batch = bench.wish(model).batch;
      entry.variant = bench.variant(unit);
      if (IsKnown(samples, entry)) {
        told = true;
        continue;
      }
      const auto done = static_cast<std::int64_t>(unit * models + model);
      if (!watch.Goes(samples, "memory of " + entry.model + " on " + bench.Label(unit), done, total)) return;
      ModelMemory memory(bench, unit, model);
      std::vector<MemoryTaken> own_word;
      const auto taken = of_process              ? memory.Measured()
                         : bench.OwnMemory(unit) ? memory.Counted(own_word)
                                                 : std::nullopt;
      if (!taken) continue;
      for (const MemoryTaken& of : own_word) {
        samples.notes.push_back(ToldText(bench.wish(model), bench.Label(unit), of, *taken));
      }
      entry.peak_bytes = taken->peak_bytes;
      entry.held_bytes = taken->held_bytes;
      samples.memory.push_back(std::move(entry));
      told = true;
      watch.Save(samples);
    }
    if (!told) {
      samples.notes.push_back("what models take of memory on unit " + Quoted(bench.Label(unit)) +
                              " is not told: " +
                              (of_process ? "the system does not say how much this process had at most"
                                          : "it is not this process that holds them, and nobody counts"));
    }
  }
}

}  // namespace tandem
