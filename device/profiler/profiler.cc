#include "device/profiler/profiler.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "device/host/caches.h"
#include "device/host/clock_settings.h"
#include "device/host/clocks.h"
#include "device/host/gpu_clocks.h"
#include "device/host/heat.h"
#include "device/host/info.h"
#include "device/host/own_memory.h"
#include "device/processor/kernel_entries.h"
#include "device/processor/kernel_store.h"
#include "device/processor/provenance.h"
#include "device/profiler/after_idle.h"
#include "device/profiler/after_other.h"
#include "device/profiler/again.h"
#include "device/profiler/alone.h"
#include "device/profiler/bench/await_reference.h"
#include "device/profiler/beside/co_running.h"
#include "device/profiler/beside/loads.h"
#include "device/profiler/beside/parts.h"
#include "device/profiler/beside/sharing.h"
#include "device/profiler/dispatch_cost.h"
#include "device/profiler/energy.h"
#include "device/profiler/hand_over.h"
#include "device/profiler/measurement_overhead.h"
#include "device/profiler/memory.h"
#include "device/profiler/parts.h"
#include "device/profiler/reached_state.h"
#include "device/profiler/repeats.h"
#include "device/profiler/samples/reference_state.h"
#include "device/profiler/samples/result.h"
#include "device/profiler/samples/statistics.h"
#include "device/profiler/transfers.h"
#include "profiles/base/check.h"
#include "profiles/base/hash.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/clock_text.h"

namespace tandem {
namespace {

constexpr std::int64_t kShareForParts = 4;  // of the budget, one part of so many
constexpr std::int64_t kShareForTransfers = 8;
constexpr std::int64_t kShareForPauses = 8;
constexpr std::int64_t kShareForHandOvers = 16;
constexpr std::int64_t kShareForSwitches = 16;
constexpr std::int64_t kShareForRepeats = 16;
constexpr std::int64_t kShareForSharing = 8;
constexpr std::int64_t kShareOfAgain = 24;  // each time

// The cores of the units that a request measures, before they are open.
std::vector<std::int64_t> CoresAskedFor(const ProfileOrder& request) {
  std::set<std::int64_t> cores;
  for (const Unit& unit : request.platform.units) {
    const auto& names = request.units;
    if (!names.empty() && std::find(names.begin(), names.end(), unit.name) == names.end()) continue;
    if (unit.backend == nullptr || !unit.backend->Measurable()) continue;
    cores.insert(unit.cores.begin(), unit.cores.end());
  }
  if (cores.empty()) return UsableCores();
  return {cores.begin(), cores.end()};
}

std::optional<ReachedState> StateReached(const ProfileOrder& request, const ProfilerOptions& options) {
  if (request.clock_states.empty()) return std::nullopt;
  TANDEM_CHECK(request.clock_states.size() == 1, "states are measured one after the other");
  return ReachedState(request.clock_states[0], CoresAskedFor(request), options.readings, options.clocks.root);
}

// What was measured while they changed is of no state.
void CheckStillReached(const std::optional<ReachedState>& state, ProfilerWatch& watch) {
  if (!state) return;
  try {
    state->CheckStill();
  } catch (const EnvironmentError&) {
    watch.Remove();
    throw;
  }
}

// The cores of the units that are measured; of units without any the process's own.
std::vector<std::int64_t> CoresOf(const ProfilerBench& bench) {
  std::set<std::int64_t> cores;
  for (std::size_t u = 0; u < bench.units(); ++u) {
    const auto& own = bench.unit(u).cores;
    cores.insert(own.begin(), own.end());
  }
  if (cores.empty()) return UsableCores();
  return {cores.begin(), cores.end()};
}

// At one moment.
struct Clocks {
  CoreClocks cores;
  GpuClocks gpus;
  std::map<std::string, std::string> settings;
  Heat heat;
};

Clocks ReadClocksOf(const ProfilerBench& bench, const ClockSources& sources) {
  std::vector<Unit> units;
  for (std::size_t u = 0; u < bench.units(); ++u) units.push_back(bench.unit(u));
  const std::vector<std::int64_t> cores = CoresOf(bench);
  return {ReadClocks(cores, sources.root), ReadGpuClocks(units, sources.nvml),
          ClockSettings(cores, units, sources), ReadHeat(sources.root)};
}

// What was wrong with them while it was measured.
std::string ClocksNote(const Clocks& before, const Clocks& after, const ProfilerSamples& samples) {
  std::string note;
  for (const std::string& text :
       {ThrottlingText(before.cores, after.cores), HeldBackText(before.heat, after.heat),
        GpuThrottlingText(before.gpus, after.gpus)}) {
    if (!text.empty()) note += "; " + text;
  }
  for (const std::string& held_back : HeldBackNotes(samples)) note += "; " + held_back;
  for (const std::string& changed : ChangedSettings(before.settings, after.settings)) {
    note += "; before it was measured " + changed;
  }
  if (!after.gpus.why_not.empty()) note += "; clocks of GPUs are not known: " + after.gpus.why_not;
  return note;
}

// Where loads and sweeps go through less than twice the largest cache.
void NoteCacheThatCounts(const ProfileOrder& request, const ProfilerBench& bench, ProfilerSamples& samples) {
  const std::vector<std::int64_t> cores = CoresOf(bench);
  const std::int64_t largest = LargestCache(cores), counts = CacheThatCounts(cores);
  const bool beside = SomeBeside(request, bench);
  if (largest == counts || (!request.cold && !beside)) return;
  samples.notes.push_back("the largest cache here has " + Megabytes(largest) +
                          "; to keep memory small, sweeps and loads go by one of " + Megabytes(counts));
}

// A board in a mode of less power is another board, and one of which a part may be used alone, too.
void NoteWithheld(ProfilerSamples& samples) {
  for (std::string& withheld : WithheldTexts(ReadHost(UsableCores())))
    samples.notes.push_back(std::move(withheld));
}

bool SomeHaveMemory(const ProfilerBench& bench) {
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    if (bench.OwnMemory(unit)) return true;
  }
  return false;
}

// What measuring units beside each other passes over.
void NoteCoRunning(const ProfileOrder& request, const ProfilerBench& bench, ProfilerSamples& samples) {
  if (request.co_running == CoRunningWish::kNone || request.platform.units.size() < 2) return;
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    const std::string& name = bench.unit(unit).name;
    bool beside = false, others = false;
    for (std::size_t other = 0; other < bench.units(); ++other) {
      beside = beside || bench.BesideEachOther(unit, other) ||
               (request.co_running == CoRunningWish::kPairs && bench.AtOnce(unit, other));
      others = others || bench.unit(other).name != name;
    }
    if (!others || !bench.IsFirstVariant(unit) || !bench.OwnMemory(unit)) continue;
    samples.notes.push_back(
        "unit \"" + name + "\" " +
        (beside ? "has no cores for a stressor: what it costs others is measured in pairs of models alone"
                : "has a memory of its own: what others cost it there was not measured"));
  }
}

Origin OriginOf(const ProfileOrder& request, const ProfilerSamples& samples, const ProfilerBench& bench,
                const Clocks& before, const Clocks& after, const ClockSources& sources) {
  Origin origin;
  origin.kind = OriginKind::kMeasured;
  origin.host = samples.host;
  origin.date = DateNow();
  origin.clocks = ClocksText(before.cores, after.cores);
  origin.clocks.merge(GpuClocksText(before.gpus, after.gpus));
  origin.clocks.merge(DeviceClocks(sources.root));
  origin.clocks.merge(HeatText(before.heat, after.heat));
  origin.clocks.insert(after.settings.begin(), after.settings.end());
  origin.libraries = samples.libraries;
  for (std::size_t u = 0; u < bench.units(); ++u) origin.threads[bench.unit(u).name] = bench.unit(u).cores;
  origin.cache_mode = CacheMode::kInNetwork;
  origin.yardsticks = LevelsOf(samples);
  for (const auto& [unit, rows] : samples.yardstick_rows) {
    if (rows > 0 && rows < kYardstickRows) origin.yardstick_rows[unit] = rows;
  }
  origin.yardsticks_at_once = LevelsAtOnce(samples);
  origin.machine = MachineWhile(samples);
  origin.note = "medians; of more than " + std::to_string(kMostSamplesKept) +
                " samples so many are kept, evenly spaced in time, and the median is theirs; overhead of a "
                "measurement: " +
                std::to_string(samples.overhead.count()) + " ns" + ClocksNote(before, after, samples);
  if (const std::string energy = EnergyNote(samples); !energy.empty()) origin.note += "; " + energy;
  const std::string pairs = PairsOf(request, bench, samples).Text();
  if (!pairs.empty()) origin.note += "; " + pairs;
  return origin;
}

// Is anything measured after the models alone, so that more of them lies far enough from the first?
bool MeasuresMore(const ProfileOrder& request, const ProfilerBench& bench) {
  const bool beside = SomeBeside(request, bench);
  return beside || !request.background.empty() || request.parts || request.pauses || request.switches ||
         request.repeats;
}

// Of a budget half goes to what runs alone where there is something to measure beside it.
void MeasureTimes(const ProfileOrder& request, ProfilerBench& bench, const StartSharer& start_sharer,
                  ProfilerWatch& watch, ProfilerSamples& samples) {
  NoteCoRunning(request, bench, samples);
  const bool beside = SomeBeside(request, bench);
  const bool loads = !request.background.empty();
  const bool limited = request.budget > Nanos{0};
  const auto part = [&](Nanos rest) { return limited ? std::max(rest, Nanos{1}) : Nanos{0}; };
  const Nanos for_parts = request.parts ? request.budget / kShareForParts : Nanos{0};
  const Nanos for_transfers = SomeHaveMemory(bench) ? request.budget / kShareForTransfers : Nanos{0};
  const Nanos for_pauses = request.pauses ? request.budget / kShareForPauses : Nanos{0};
  const Nanos for_hand_overs = request.hand_overs ? request.budget / kShareForHandOvers : Nanos{0};
  const Nanos for_switches = request.switches ? request.budget / kShareForSwitches : Nanos{0};
  const std::int64_t ways = start_sharer ? 2 : 1;
  const Nanos for_sharing = SomeShare(bench) ? ways * request.budget / kShareForSharing : Nanos{0};
  const Nanos for_repeats = request.repeats ? request.budget / kShareForRepeats : Nanos{0};
  const bool again = MeasuresMore(request, bench);
  const Nanos for_again = again ? request.budget / kShareOfAgain : Nanos{0};
  const auto measure_again = [&](std::string_view stretch) {
    if (again) MeasureAgain(request, bench, stretch, part(for_again), watch, samples);
  };
  Nanos rest = request.budget - for_parts - for_transfers - for_pauses - for_hand_overs - for_switches -
               for_repeats - for_sharing - kStretchesAgain * for_again;
  rest -= MeasureAlone(request, bench, beside || loads ? rest / 2 : rest, watch, samples);
  if (!watch.stopped()) MeasureTransfers(request, bench, for_transfers, watch, samples);
  if (!watch.stopped()) MeasureAfterIdle(request, bench, for_pauses, watch, samples);
  if (!watch.stopped()) MeasureParts(request, bench, beside ? for_parts / 3 * 2 : for_parts, watch, samples);
  measure_again("after parts");
  AwaitReference await(bench, samples);
  if (!watch.stopped()) MeasureAfterOther(request, bench, for_switches, watch, samples, std::ref(await));
  if (!watch.stopped())
    MeasureSharing(request, bench, for_sharing, start_sharer, watch, samples, std::ref(await));
  if (!watch.stopped()) MeasureRepeats(request, bench, for_repeats, watch, samples, std::ref(await));
  if (beside && !watch.stopped())
    MeasurePartsBeside(request, bench, for_parts / 3, watch, samples, std::ref(await));
  measure_again("after parts beside others");
  if (beside && !watch.stopped()) {
    const auto begin = std::chrono::steady_clock::now();
    MeasureCoRunning(request, bench, part(loads ? rest / 2 : rest), watch, samples, std::ref(await));
    rest -= std::chrono::steady_clock::now() - begin;
    const PairsKnown pairs = PairsOf(request, bench, samples);
    if (pairs.measured < pairs.all) samples.notes.push_back(pairs.Text());
  }
  if (loads && !watch.stopped()) MeasureLoads(request, bench, part(rest), watch, samples, std::ref(await));
  measure_again("at the end");
}

// What the harness takes per task. It opens the units itself, so nothing else may have them open.
void MeasureDispatchOf(const Platform& platform, const std::vector<std::string>& units,
                       const FindBackend& backend_of, ProfilerSamples& samples) {
  for (const std::string& unit : units) {
    const auto same = [&](const DispatchEntry& entry) { return entry.unit == unit && !entry.split; };
    if (std::any_of(samples.dispatch.begin(), samples.dispatch.end(), same)) continue;
    const std::vector<Nanos> times = MeasureDispatch(platform, platform.FindUnit(unit), {}, backend_of);
    if (!times.empty()) samples.dispatch.push_back({unit, Timing::OfSamples(Thinned(times))});
  }
}

template <class Entry, class Is>
Nanos MedianOfFirst(const std::vector<Entry>& entries, Is is) {
  const auto found = std::find_if(entries.begin(), entries.end(), is);
  return found == entries.end() ? Nanos{0} : found->time.median;
}

// A part is started at what a task is, what the two cost each other, but for what counts as a hand-over; of
// several partners the dearest counts.
void MeasureSplitDispatchOf(const ProfileOrder& request, const UnitPairs& pairs,
                            const FindBackend& backend_of, ProfilerWatch& watch, ProfilerSamples& samples) {
  const auto of_split = [](const DispatchEntry& entry) { return entry.split; };
  if (!request.parts || std::any_of(samples.dispatch.begin(), samples.dispatch.end(), of_split)) return;
  std::map<std::string, std::vector<Nanos>> dearest;
  for (const auto& [a, b] : pairs) {
    if (!watch.Goes(samples, "parts of " + a + " and " + b, 0, 1)) return;
    const Platform& platform = request.platform;
    const std::vector<Nanos> more = MeasureSplitDispatch(platform, platform.FindUnit(a), platform.FindUnit(b),
                                                         {}, request.seed, backend_of);
    for (const auto& way : {std::pair(a, b), std::pair(b, a)}) {
      const std::string &from = way.first, &to = way.second;
      const Nanos handed = MedianOfFirst(samples.hand_overs, [&](const HandOverEntry& entry) {
        return entry.from == from && entry.to == to;
      });
      const Nanos plain =
          MedianOfFirst(samples.dispatch, [&](const DispatchEntry& entry) { return entry.unit == to; });
      std::vector<Nanos> times;
      for (const Nanos each : more) times.push_back(plain + std::max(each - handed, Nanos{0}));
      std::vector<Nanos>& known = dearest[to];
      if (known.empty() || LowerMedian(times) > LowerMedian(known)) known = std::move(times);
    }
  }
  for (auto& [unit, times] : dearest)
    samples.dispatch.push_back({unit, Timing::OfSamples(std::move(times)), true});
}

}  // namespace

std::uint64_t HashOfMeasured(ProfileOrder request) {
  const ProfileOrder usual;
  request.budget = usual.budget;
  request.noise = usual.noise;
  request.min_samples = usual.min_samples;
  request.warm_up = usual.warm_up;
  return Fnv1a64(ProfileOrderJson(request));
}

ProfilerSamples KeptSamples(const ProfileOrder& request, const std::filesystem::path& file,
                            const std::string& reading) {
  ProfilerSamples fresh;
  fresh.request = HashOfMeasured(request);
  fresh.host = HostText(ReadHost(UsableCores()));
  fresh.libraries = LibrariesOf(request.platform);
  fresh.reading = reading;
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return fresh;
  ProfilerSamples kept = ReadProfilerSamples(JsonDocument::ReadFile(file).root());
  const auto refuse = [&](const std::string& what) {
    throw InputError(file.string() + ": " + what +
                     "; without --resume everything is measured from the start");
  };
  if (kept.request != fresh.request) refuse("was measured for another request");
  if (kept.host != fresh.host) refuse("was measured on another machine: " + kept.host);
  if (kept.libraries != fresh.libraries) refuse("was measured with other versions of the libraries");
  if (!reading.empty() && !SameClockSettings(kept.reading, reading)) {
    refuse("was measured with clocks that read " + Quoted(kept.reading) + ", not " + Quoted(reading));
  }
  kept.notes.clear();  // what still holds is noted again
  return kept;
}

ProfilerOutcome MeasureProfile(const ProfileOrder& request, const ProfilerOptions& options) {
  GiveLargeBlocksBack();
  const std::optional<ReachedState> state = StateReached(request, options);
  ProfilerOutcome outcome;
  outcome.samples = KeptSamples(request, options.resume ? options.kept : std::filesystem::path(),
                                state ? state->reading() : "");
  KernelStore store(options.kernel_store);
  AddKernels(store.entries(), outcome.samples.kernels);
  ProfilerWatch watch(options.onlooker, options.kept);
  std::vector<std::string> units;
  UnitPairs pairs;  // that hand over to each other
  {
    ProfilerBench bench(request, options.backend_of, outcome.samples, options.yardstick_of,
                        ClockLimits(options.clocks.root), options.trials);
    for (std::size_t u = 0; u < bench.units(); ++u) watch.Say(bench.TrialsText(u));
    for (std::size_t u = 0; u < bench.units(); ++u) units.push_back(bench.unit(u).name);
    pairs = PairsInOneMemory(bench);
    outcome.samples.expected_bytes = bench.ExpectedBytes();
    if (options.expects) options.expects(bench.ExpectedBytes());
    NoteWithheld(outcome.samples);
    NoteCacheThatCounts(request, bench, outcome.samples);
    const Clocks before = ReadClocksOf(bench, options.clocks);
    outcome.samples.overhead = MeasurementOverhead();
    MeasureTimes(request, bench, options.start_sharer, watch, outcome.samples);
    if (request.energy && !watch.stopped()) {
      EnergyMeter here(options.meter ? std::vector<EnergySensors>() : FindEnergySensors());
      MeasureEnergy(request, bench, options.meter ? *options.meter : here, watch, outcome.samples);
    }
    if (!watch.stopped()) MeasureMemory(request, bench, watch, outcome.samples);
    outcome.profile.origin = OriginOf(request, outcome.samples, bench, before,
                                      ReadClocksOf(bench, options.clocks), options.clocks);
    if (state) state->AddTo(outcome.profile.origin);
  }
  store.entries() = outcome.samples.kernels;
  store.Write(request.platform.name);
  std::erase_if(outcome.samples.kernels, [&](const KernelEntry& of) { return !IsAskedFor(request, of); });
  if (!watch.stopped()) MeasureDispatchOf(request.platform, units, options.backend_of, outcome.samples);
  if (!watch.stopped()) {
    MeasureHandOvers(request, pairs, request.budget / kShareForHandOvers, options.backend_of, watch,
                     outcome.samples);
  }
  if (!watch.stopped()) MeasureSplitDispatchOf(request, pairs, options.backend_of, watch, outcome.samples);
  outcome.samples.peak_bytes = PeakResidentBytes();
  outcome.stopped = watch.stopped();
  CheckStillReached(state, watch);
  if (outcome.stopped) {
    watch.Save(outcome.samples);
  } else {
    watch.Remove();
  }
  for (std::string& note : HeldBackNotes(outcome.samples)) outcome.samples.notes.push_back(std::move(note));
  outcome.samples = InReferenceState(std::move(outcome.samples));
  outcome.profile.origin.error = SharedError(outcome.samples);
  outcome.profile.platform = request.platform.name;
  FillProfile(outcome.samples, request.noise, outcome.profile);
  return outcome;
}

}  // namespace tandem
