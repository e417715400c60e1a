#include "policies/search/count_schedule.h"

#include <algorithm>

#include "policies/bounds/whole_division.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

constexpr std::size_t kMostPlaces = 256, kMostCells = 4096;
constexpr std::int64_t kMostPortions = 1000;  // of a stream, over time

using UnitCounts = std::vector<std::vector<std::int64_t>>;  // per stream and unit

// One class per stream; nothing where counts do not say everything, or times would add up to too much.
std::optional<std::vector<WorkClass>> ClassesOf(const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  const std::vector<RequestCount> counts = CountRequests(scenario.streams, scenario.seed);
  std::vector<WorkClass> classes;
  Nanos most{0};
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Arrival& arrival = scenario.streams[s].arrival;
    const bool at_will =
        std::holds_alternative<OfflineArrival>(arrival) || std::holds_alternative<ClosedArrival>(arrival);
    const Cut& cut = problem.cut(StreamId(s));
    if (!at_will || cut.segments != 1 || counts[s].certainty != Certainty::kExact) return std::nullopt;
    WorkClass piece{counts[s].count, {}};
    for (std::size_t p = 0; p < problem.places().of_units(); ++p) {
      const UnitId unit = problem.places().UnitOf(PlaceId(p));
      const Nanos time = problem.Time(cut.first, unit);
      piece.time.push_back(time < Nanos{0} ? time : time + problem.Dispatch(unit));
    }
    const Nanos longest = *std::max_element(piece.time.begin(), piece.time.end());
    if (longest < Nanos{0} ||
        longest.count() > (INT64_MAX / 4 - most.count()) / std::max<std::int64_t>(piece.count, 1)) {
      return std::nullopt;
    }
    most += longest * piece.count;
    classes.push_back(std::move(piece));
  }
  return classes;
}

bool AllThere(const Scenario& scenario) {
  return std::all_of(scenario.streams.begin(), scenario.streams.end(), [](const Stream& stream) {
    return std::holds_alternative<OfflineArrival>(stream.arrival);
  });
}

// Each unit its requests at a stretch, those of short tasks first.
FixedSchedule ByLength(const Problem& problem, const UnitCounts& counts) {
  FixedSchedule schedule;
  std::vector<std::int64_t> next(counts.size());
  for (std::size_t u = 0; u < problem.units(); ++u) {
    std::vector<ScheduledRun> runs;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      if (counts[s][u] == 0) continue;
      runs.push_back({StreamId(s), 0, 1, next[s], counts[s][u]});
      next[s] += counts[s][u];
    }
    std::stable_sort(runs.begin(), runs.end(), [&](const ScheduledRun& a, const ScheduledRun& b) {
      return problem.Time(problem.cut(a.stream).first, UnitId(u)) <
             problem.Time(problem.cut(b.stream).first, UnitId(u));
    });
    schedule.units.push_back(std::move(runs));
  }
  return schedule;
}

// Portion by portion: each stream's requests spread over time, and over the units as the counts say.
FixedSchedule SideBySide(const Problem& problem, const UnitCounts& counts) {
  FixedSchedule schedule;
  schedule.units.resize(problem.units());
  std::vector<std::int64_t> next(counts.size());
  for (std::int64_t portion = 0; portion < kMostPortions; ++portion) {
    for (std::size_t s = 0; s < counts.size(); ++s) {
      for (std::size_t u = 0; u < problem.units(); ++u) {
        const auto until = [&](std::int64_t p) {
          return counts[s][u] / kMostPortions * p + counts[s][u] % kMostPortions * p / kMostPortions;
        };
        const std::int64_t count = until(portion + 1) - until(portion);
        if (count == 0) continue;
        schedule.units[u].push_back({StreamId(s), 0, 1, next[s], count});
        next[s] += count;
      }
    }
  }
  return schedule;
}

}  // namespace

std::optional<FixedSchedule> ScheduleByCounts(const Problem& problem, StreamRandom& random) {
  const std::size_t places = problem.places().of_units(), streams = problem.scenario().streams.size();
  if (places > kMostPlaces || streams * places > kMostCells) return std::nullopt;
  const auto classes = ClassesOf(problem);
  if (!classes) return std::nullopt;
  WholeDivision division(*classes, places);
  division.Fill();
  division.Improve(Nanos{0}, random);
  UnitCounts counts(streams, std::vector<std::int64_t>(problem.units()));
  for (std::size_t s = 0; s < streams; ++s) {
    for (std::size_t p = 0; p < places; ++p) {
      counts[s][problem.places().UnitOf(PlaceId(p)).index()] += division.counts()[p][s];
    }
  }
  return AllThere(problem.scenario()) ? ByLength(problem, counts) : SideBySide(problem, counts);
}

}  // namespace tandem
