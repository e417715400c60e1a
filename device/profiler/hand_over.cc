#include "device/profiler/hand_over.h"

#include <algorithm>

#include "device/host/clock.h"
#include "device/profiler/dispatched_layers.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/statistics.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr std::size_t kFewestRounds = 3;

// The median time from the start to the end of what the second of two layers does.
Nanos ReaderTime(DispatchedLayers& layers, std::size_t maker, std::size_t reader, std::int64_t requests,
                 std::int64_t bytes) {
  const auto spans = layers.Run({{"made", {}, maker}, {"read", {"made"}, reader}}, requests, bytes);
  std::vector<Nanos> times;
  for (const Span& span : spans.at("read")) times.push_back(span.end - span.start);
  return LowerMedian(times);
}

}  // namespace

std::vector<HandOverEntry> MeasureHandOver(const Platform& platform, UnitId from, UnitId to,
                                           const HandOverMeasurement& how, std::uint64_t seed,
                                           const FindBackend& backend_of) {
  constexpr std::size_t kFrom = 0, kTo = 1;
  DispatchedLayers layers(platform, from, to, how.sizes.back(), backend_of);
  StreamRandom random("hand-over " + platform.unit(from).name + " " + platform.unit(to).name, seed);
  std::vector<std::vector<Nanos>> samples(how.sizes.size());
  for (std::size_t round = 0; round < how.rounds; ++round) {
    for (const std::size_t size : ShuffledOrder(how.sizes.size(), random)) {
      Nanos over{0}, own{0};
      for (const std::size_t kind : ShuffledOrder(2, random)) {
        (kind == 0 ? over : own) =
            ReaderTime(layers, kind == 0 ? kFrom : kTo, kTo, how.requests, how.sizes[size]);
      }
      samples[size].push_back(std::max(over - own, Nanos{0}));
    }
  }
  std::vector<HandOverEntry> entries;
  for (std::size_t size = 0; size < how.sizes.size(); ++size) {
    HandOverEntry entry;
    entry.from = platform.unit(from).name;
    entry.to = platform.unit(to).name;
    entry.bytes = how.sizes[size];
    entry.time = Timing::OfSamples(samples[size]);
    entries.push_back(std::move(entry));
  }
  return entries;
}

UnitPairs PairsInOneMemory(const ProfilerBench& bench) {
  UnitPairs pairs;
  for (std::size_t a = 0; a < bench.units(); ++a) {
    for (std::size_t b = a + 1; b < bench.units(); ++b) {
      if (bench.BesideEachOther(a, b)) pairs.emplace_back(bench.unit(a).name, bench.unit(b).name);
    }
  }
  return pairs;
}

void MeasureHandOvers(const ProfileOrder& request, const UnitPairs& pairs, Nanos budget,
                      const FindBackend& backend_of, ProfilerWatch& watch, ProfilerSamples& samples) {
  if (!request.hand_overs) return;
  const auto total = static_cast<std::int64_t>(2 * pairs.size());
  const Nanos begin = SteadyNow();
  Nanos per_round{0};
  for (std::int64_t done = 0; done < total; ++done) {
    const auto& [a, b] = pairs[static_cast<std::size_t>(done / 2)];
    const std::string &from = done % 2 == 0 ? a : b, &to = done % 2 == 0 ? b : a;
    const auto known = [&](const HandOverEntry& entry) { return entry.from == from && entry.to == to; };
    if (std::any_of(samples.hand_overs.begin(), samples.hand_overs.end(), known)) continue;
    if (!watch.Goes(samples, "hand-overs " + from + " to " + to, done, total)) return;
    HandOverMeasurement how;
    if (budget > Nanos{0}) {
      const Nanos left = (budget - (SteadyNow() - begin)) / (total - done);
      const std::int64_t rounds = per_round > Nanos{0} ? left / per_round : std::int64_t{kFewestRounds};
      how.rounds =
          std::clamp(static_cast<std::size_t>(std::max<std::int64_t>(rounds, 0)), kFewestRounds, how.rounds);
    }
    const Nanos since = SteadyNow();
    for (HandOverEntry& entry : MeasureHandOver(request.platform, request.platform.FindUnit(from),
                                                request.platform.FindUnit(to), how, request.seed, backend_of))
      samples.hand_overs.push_back(std::move(entry));
    per_round = (SteadyNow() - since) / static_cast<std::int64_t>(how.rounds);
    watch.Save(samples);
  }
}

}  // namespace tandem
