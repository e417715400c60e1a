#include "device/profiler/samples/reference_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/machine_state.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastInHalf = 5;     // passes whose median says something
constexpr std::size_t kLeastSources = 4;    // that drift or do not
constexpr std::size_t kOfTheTime = 5;       // a state that holds for one part of so many is found
constexpr std::size_t kStretches = 8;       // of measuring, each as long as repeated runs take
constexpr std::size_t kLeastInStretch = 2;  // readings
constexpr Nanos kKnownAfterReading{250'000'000};
constexpr double kStepsOfSlowdown = 20;        // a twentieth is as near as readings are
constexpr std::size_t kMostStretches = 2000;   // the latest
constexpr double kMedianOfSquare = 0.4549;     // of a standard normal
constexpr double kDeviationByMedian = 1.4826;  // of a normal, over the median of what is off its middle
constexpr double kErrorOfMedian = 1.2533;      // over that of the mean

SourceSamples WithPasses(const SourceSamples& all, const std::vector<std::size_t>& passes) {
  SourceSamples some = all;
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    some.parts[p].samples.clear();
    for (const std::size_t pass : passes) some.parts[p].samples.push_back(all.parts[p].samples[pass]);
  }
  some.readings.clear();
  some.held_back.clear();
  for (const std::size_t pass : passes) {
    some.readings.push_back(all.readings[pass]);
    some.held_back.push_back(WasHeldBack(all.held_back, pass));
  }
  return some;
}

SourceSamples Scaled(SourceSamples all, Nanos level) {
  all.scaled = true;
  all.held_back.clear();
  for (std::size_t pass = 0; pass < all.readings.size(); ++pass) {
    const Nanos reading = std::exchange(all.readings[pass], level);
    if (reading <= Nanos{0}) continue;
    const double by = static_cast<double>(level.count()) / static_cast<double>(reading.count());
    for (SampledPart& part : all.parts) {
      Nanos& time = part.samples[pass];
      time = Nanos{std::llround(static_cast<double>(time.count()) * by)};
    }
  }
  return all;
}

bool SomeHeldBack(const std::vector<bool>& held_back) {
  return std::find(held_back.begin(), held_back.end(), true) != held_back.end();
}

const std::vector<bool>& OfUnit(const std::map<std::string, std::vector<bool>>& held_back,
                                const std::string& unit) {
  static const std::vector<bool> kNever;
  const auto found = held_back.find(unit);
  return found == held_back.end() ? kNever : found->second;
}

// So many readings a unit had, with a yardstick or without.
std::size_t ReadingsOf(const ProfilerSamples& samples, const std::string& unit) {
  const auto found = samples.yardsticks.find(unit);
  const std::size_t with = found == samples.yardsticks.end() ? 0 : found->second.size();
  return std::max(with, OfUnit(samples.held_back, unit).size());
}

bool IsHotUnit(const ProfilerSamples& samples, const std::string& unit) {
  return IsHot(OfUnit(samples.held_back, unit), ReadingsOf(samples, unit));
}

// Of each pass all parts together.
std::vector<double> TimesOfPasses(const SourceSamples& source) {
  std::vector<double> times(source.parts.front().samples.size());
  for (const SampledPart& part : source.parts) {
    for (std::size_t pass = 0; pass < times.size(); ++pass) {
      times[pass] += static_cast<double>(part.samples[pass].count());
    }
  }
  return times;
}

struct Middle {
  double median = 0, variance = 0;  // of that median, by the samples' own scatter
};
Middle MiddleOf(const std::vector<double>& times) {
  Middle middle{LowerMedian(times)};
  std::vector<double> off;
  for (const double time : times) off.push_back(std::abs(time - middle.median));
  const double deviation = kDeviationByMedian * LowerMedian(std::move(off)) * kErrorOfMedian;
  middle.variance = deviation * deviation / static_cast<double>(times.size());
  return middle;
}

// How far the second half of a source lies from the first, squared, and how much of that its scatter
// explains.
struct Shift {
  double square = 0, scatter = 0;
};
std::optional<Shift> ShiftOf(const SourceSamples& source) {
  const std::vector<double> times = TimesOfPasses(source);
  if (times.size() < 2 * kLeastInHalf) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  const Middle first = MiddleOf({times.begin(), middle}), second = MiddleOf({middle, times.end()});
  if (first.median <= 0) return std::nullopt;
  const double shift = second.median / first.median - 1;
  return Shift{shift * shift, (first.variance + second.variance) / (first.median * first.median)};
}

// Networks drift as a walk does (scripts/experiments/README.md): the further apart two stretches lie, the
// more they differ. Let it be v in variance over the time that measuring took. Then the means of its two
// halves differ by v / 3 in the mean square. A run whose middle lies that time behind the profile's differs
// from the profile's mean by 5 / 6 v: v / 3 for what the mean is off in the end, v / 2 for the rest of the
// way.
constexpr double kLaterByHalves = 3 * 5 / 6.0;

// By the halves of the sources of one cut, or of all: a robust mean of the squares.
std::optional<double> VarianceByDrift(const ProfilerSamples& samples, std::optional<ProfileCut> cut) {
  std::vector<double> squares, scatter;
  for (const auto& [key, source] : samples.sources) {
    if (key.manner != ProfileManner::kWarm || source.parts.empty() || source.scaled) continue;
    if (cut && key.cut != *cut) continue;
    const std::optional<Shift> shift = ShiftOf(source);
    if (!shift) continue;
    squares.push_back(shift->square);
    scatter.push_back(shift->scatter);
  }
  if (squares.size() < kLeastSources) return std::nullopt;
  const double unexplained = LowerMedian(squares) / kMedianOfSquare - LowerMedian(scatter);
  return std::max(unexplained, 0.0) * kLaterByHalves;
}

// Were levels of single stretches to scatter by s about a mean, then a mean over n of them is off by s over
// the root of n, and one more stretch, in which a run falls, lies sqrt(s^2 (1 + 1 / n)) from it.
double OneMoreAgainst(double variance, double n) { return variance * (1 + 1 / n); }

std::optional<double> VarianceOfStretches(const std::vector<Nanos>& readings, Nanos level) {
  std::vector<double> kept;
  for (const Nanos reading : readings) {
    if (!IsReferenceState(reading, level)) continue;
    kept.push_back(static_cast<double>(reading.count()) / static_cast<double>(level.count()));
  }
  if (kept.size() < kStretches * kLeastInStretch) return std::nullopt;
  double sum = 0, squares = 0;
  for (std::size_t s = 0; s < kStretches; ++s) {
    const std::size_t from = kept.size() * s / kStretches, to = kept.size() * (s + 1) / kStretches;
    double mean = 0;
    for (std::size_t i = from; i < to; ++i) mean += kept[i] / static_cast<double>(to - from);
    sum += mean;
    squares += mean * mean;
  }
  constexpr double kN = kStretches;
  return OneMoreAgainst(std::max(squares - sum * sum / kN, 0.0) / (kN - 1), kN);
}

struct SeenState {
  Nanos at{0};
  const std::string* unit = nullptr;
  double slowdown = 1;
};
// By all readings whose reference is known, in order of time.
std::vector<SeenState> StatesSeen(const ProfilerSamples& samples) {
  const std::map<std::string, Nanos> alone = LevelsOf(samples), at_once = LevelsAtOnce(samples);
  std::vector<SeenState> seen;
  for (const auto& [unit, readings] : samples.readings) {
    for (const TimedReading& reading : readings) {
      const auto& levels = reading.at_once ? at_once : alone;
      const auto level = levels.find(unit);
      if (level == levels.end() || level->second <= Nanos{0}) continue;
      const double slowdown =
          static_cast<double>(reading.took.count()) / static_cast<double>(level->second.count());
      const double near = std::clamp(std::round(slowdown * kStepsOfSlowdown) / kStepsOfSlowdown,
                                     kLeastSlowdownOfState, kMostSlowdownOfState);
      seen.push_back({reading.at, &unit, IsReferenceState(reading.took, level->second) ? 1 : near});
    }
  }
  std::stable_sort(seen.begin(), seen.end(),
                   [](const SeenState& a, const SeenState& b) { return a.at < b.at; });
  return seen;
}
struct Moment {
  Nanos lasts{0};
  std::map<std::string, double> slowdowns;
};

// What becomes of the passes that were measured then.
std::string HeldBackPassesText(const ProfilerSamples& samples, const std::string& unit) {
  std::size_t held = 0, all = 0;
  for (const auto& [key, source] : samples.sources) {
    if (key.unit != unit || source.parts.empty()) continue;
    held += static_cast<std::size_t>(std::count(source.held_back.begin(), source.held_back.end(), true));
    all += source.parts.front().samples.size();
  }
  return "; of " + std::to_string(all) + " passes alone " + std::to_string(held) +
         " were measured then and count only where there are no others";
}

// By the yardsticks, on average over the units.
std::optional<double> VarianceByState(const ProfilerSamples& samples) {
  double sum = 0;
  int units = 0;
  for (const auto& [unit, level] : LevelsOf(samples)) {
    const auto variance = VarianceOfStretches(samples.yardsticks.at(unit), level);
    if (!variance) continue;
    sum += *variance;
    ++units;
  }
  return units > 0 ? std::optional(sum / units) : std::nullopt;
}

}  // namespace

bool IsHot(const std::vector<bool>& held_back, std::size_t readings) {
  const auto held = static_cast<std::size_t>(std::count(held_back.begin(), held_back.end(), true));
  return held * kOfTheTime > std::max(readings, held_back.size()) * (kOfTheTime - 1);
}

Nanos LevelOf(const std::vector<Nanos>& readings, const std::vector<bool>& held_back) {
  if (!SomeHeldBack(held_back) || IsHot(held_back, readings.size())) return ReferenceLevel(readings);
  std::vector<Nanos> cool;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (!WasHeldBack(held_back, i)) cool.push_back(readings[i]);
  }
  return ReferenceLevel(cool.empty() ? readings : cool);
}

std::map<std::string, Nanos> LevelsOf(const ProfilerSamples& samples) {
  std::map<std::string, Nanos> levels;
  for (const auto& [unit, readings] : samples.yardsticks) {
    if (!readings.empty()) levels[unit] = LevelOf(readings, OfUnit(samples.held_back, unit));
  }
  return levels;
}

std::map<std::string, Nanos> LevelsAtOnce(const ProfilerSamples& samples) {
  std::map<std::string, Nanos> levels;
  for (const auto& [unit, readings] : samples.yardsticks_at_once) {
    if (readings.size() < kTooFewReadings) continue;
    levels[unit] = LevelOf(readings, OfUnit(samples.held_back_at_once, unit));
  }
  return levels;
}

SourceSamples InReference(const SourceSamples& all, Nanos level, bool hot) {
  const bool by_heat = !hot && SomeHeldBack(all.held_back), by_level = level > Nanos{0};
  if ((!by_heat && !by_level) || all.readings.empty()) return all;
  std::vector<std::size_t> passes;
  for (std::size_t pass = 0; pass < all.readings.size(); ++pass) {
    if (by_heat && WasHeldBack(all.held_back, pass)) continue;
    if (!by_level || IsReferenceState(all.readings[pass], level)) passes.push_back(pass);
  }
  const bool enough = passes.size() >= std::min(kLeastInReference, all.readings.size());
  if (enough) return WithPasses(all, passes);
  return by_level ? Scaled(all, level) : all;
}

ProfilerSamples InReferenceState(ProfilerSamples samples) {
  const std::map<std::string, Nanos> levels = LevelsOf(samples);
  std::map<std::string, int> scaled;
  for (auto& [key, source] : samples.sources) {
    const auto level = levels.find(key.unit);
    source =
        InReference(source, level == levels.end() ? Nanos{0} : level->second, IsHotUnit(samples, key.unit));
    scaled[key.unit] += source.scaled ? 1 : 0;
  }
  for (const auto& [unit, count] : scaled) {
    if (count == 0) continue;
    samples.notes.push_back("unit " + Quoted(unit) + ": of " + std::to_string(count) +
                            (count == 1 ? " source" : " sources") +
                            " too few passes found it undisturbed; their times are scaled to that by the "
                            "yardstick, and unstable");
  }
  return samples;
}

std::vector<std::string> HeldBackNotes(const ProfilerSamples& samples) {
  std::vector<std::string> notes;
  for (const auto& [unit, held_back] : samples.held_back) {
    if (!SomeHeldBack(held_back)) continue;
    const auto held = static_cast<std::size_t>(std::count(held_back.begin(), held_back.end(), true));
    const std::size_t all = ReadingsOf(samples, unit);
    std::string note =
        "unit " + Quoted(unit) + ": clocks were held back for the heat " +
        (held == all ? "all the time"
                     : "at " + std::to_string(held) + " of " + std::to_string(all) + " readings");
    note +=
        IsHotUnit(samples, unit) ? ", and its times are of that state" : HeldBackPassesText(samples, unit);
    notes.push_back(std::move(note));
  }
  return notes;
}

std::map<std::string, MachineCourse> MachineWhile(const ProfilerSamples& samples) {
  const std::vector<SeenState> seen = StatesSeen(samples);
  std::map<std::string, double> slowdowns;  // of the units, as they are
  for (const SeenState& state : seen) slowdowns.emplace(*state.unit, state.slowdown);
  std::vector<Moment> moments;
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
    slowdowns[*seen[i].unit] = seen[i].slowdown;
    const Nanos lasts = std::min(seen[i + 1].at - seen[i].at, kKnownAfterReading);
    if (lasts == Nanos{0}) continue;
    if (!moments.empty() && moments.back().slowdowns == slowdowns) {
      moments.back().lasts += lasts;
    } else {
      moments.push_back({lasts, slowdowns});
    }
  }
  std::map<std::string, MachineCourse> machine = samples.machine;
  const std::size_t from = moments.size() - std::min(moments.size(), kMostStretches);
  for (std::size_t i = from; i < moments.size(); ++i) {
    for (const auto& [unit, slowdown] : moments[i].slowdowns) {
      machine[unit].push_back({moments[i].lasts, slowdown});
    }
  }
  return machine;
}

std::optional<double> SharedError(const ProfilerSamples& in_reference) {
  // Whole models were measured in stretches that lie apart.
  auto drift = VarianceByDrift(in_reference, ProfileCut::kWhole);
  if (!drift) drift = VarianceByDrift(in_reference, std::nullopt);
  const auto state = VarianceByState(in_reference);
  if (!drift && !state) return std::nullopt;
  constexpr double kSteps = 1e4;
  return std::round(std::sqrt(std::max(drift.value_or(0), state.value_or(0))) * kSteps) / kSteps;
}

}  // namespace tandem
