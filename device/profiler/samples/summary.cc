// What a person reads of a profile that was measured, and the same as JSON.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "device/profiler/samples/reference_state.h"
#include "device/profiler/samples/result.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/decimal.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/costs/machine_state.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

std::string Millis(Nanos time) { return time == Nanos{0} ? "-" : kMillis.Text(time); }

// "+2.5 %": how much longer `time` is than the whole model.
std::string BeyondWhole(Nanos time, Nanos whole) {
  return time == Nanos{0} ? "-" : Beyond(InMillis(time), InMillis(whole));
}

Json MillisJson(Nanos time) { return time == Nanos{0} ? Json() : Json(InMillis(time)); }

std::size_t UnstableTransfers(const ProfilerSamples& samples, double noise) {
  return static_cast<std::size_t>(
      std::count_if(samples.transfers.begin(), samples.transfers.end(), [&](const auto& transfer) {
        return !transfer.second.samples.empty() && IsUnstable(transfer.second.samples, noise);
      }));
}

Json TransfersJson(const ProfilerSamples& samples) {
  Json list = Json::array();
  for (const auto& [source, found] : samples.transfers) {
    if (found.samples.empty()) continue;
    const MedianInterval interval = IntervalOfMedian(found.samples);
    list.push_back({{"from", source.from},
                    {"to", source.to},
                    {"bytes", source.bytes},
                    {"median_us", InMicros(interval.median)},
                    {"half_width", interval.HalfWidth()},
                    {"samples", found.samples.size()}});
  }
  return list;
}

// "18.4 us for 1,024 bytes, 12.1 GB/s for 16,777,216", for each pair of memories.
std::string CopiesText(const ProfilerSamples& samples, std::size_t width) {
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, Nanos>> directions;
  for (const auto& [source, found] : samples.transfers) {
    if (found.samples.empty()) continue;
    directions[{source.from, source.to}][source.bytes] = IntervalOfMedian(found.samples).median;
  }
  std::string text;
  for (const auto& [direction, times] : directions) {
    const auto& [least, shortest] = *times.begin();
    const auto& [most, longest] = *times.rbegin();
    const double rate =
        longest > Nanos{0} ? static_cast<double>(most) / static_cast<double>(longest.count()) : 0;
    text += Wrapped("copies " + direction.first + " to " + direction.second + ": " +
                        DecimalText(shortest.count(), 3) + " us for " + Grouped(least) + " bytes, " +
                        DecimalText(std::llround(rate * 10), 1) + " GB/s for " + Grouped(most) + " bytes; " +
                        std::to_string(times.size()) + " sizes",
                    width);
  }
  return text;
}

struct UnitInTable {
  std::string unit;
  Nanos level{0};
  double undisturbed = 0;  // share of the readings
};

std::vector<UnitInTable> YardsticksOf(const ProfilerSamples& samples) {
  std::vector<UnitInTable> units;
  for (const auto& [unit, level] : LevelsOf(samples)) {
    const std::vector<Nanos>& readings = samples.yardsticks.at(unit);
    const auto same = std::count_if(readings.begin(), readings.end(),
                                    [&, at = level](Nanos reading) { return IsReferenceState(reading, at); });
    units.push_back({unit, level, static_cast<double>(same) / static_cast<double>(readings.size())});
  }
  return units;
}

std::string NameInTable(ProfiledModel model) {
  model.model = BaseName(model.model);
  return TextOf(model);
}

// Of units with a clock of their own or a mapping; empty without any.
std::string UnitsText(const std::vector<ProfileSummaryRow>& rows, std::size_t width) {
  Table table({{"unit"},
               {"model", false, true},
               {"host, ms", true},
               {"device, ms", true},
               {"launch and wait, us", true},
               {"core busy, us", true},
               {"mapped", true}});
  bool some = false;
  for (const ProfileSummaryRow& row : rows) {
    if (row.device == Nanos{0} && row.mapped == Nanos{0}) continue;
    some = true;
    table.Add(
        {LabelOf(row.unit, row.precision), NameInTable(row.model), Millis(row.whole), Millis(row.device),
         row.device == Nanos{0} ? "-" : DecimalText((row.whole - row.device).count(), 3),
         row.core == Nanos{0} ? "-" : DecimalText(row.core.count(), 3), BeyondWhole(row.mapped, row.whole)});
  }
  return some ? "\n" + table.Text(width) : "";
}

}  // namespace

std::string Megabytes(std::int64_t bytes) {
  constexpr std::int64_t kMega = 1'000'000;
  return std::to_string((bytes + kMega - 1) / kMega) + " MB";
}

std::string ProfilerSummaryText(const ProfilerSamples& samples, double noise, std::size_t width) {
  Table table({{"unit"},
               {"model", false, true},
               {"whole, ms", true},
               {"+-", true},
               {"samples", true},
               {"sum of steps", true},
               {"reorders", true},
               {"cut in groups", true},
               {"cold", true}});
  const std::vector<ProfileSummaryRow> rows = SummaryOf(samples, noise);
  std::size_t unstable = 0;
  for (const ProfileSummaryRow& row : rows) {
    unstable += row.unstable;
    table.Add({LabelOf(row.unit, row.precision), NameInTable(row.model), Millis(row.whole),
               PercentInTenths(row.half_width), std::to_string(row.samples),
               BeyondWhole(row.inside, row.whole),
               row.steps == 0 ? "-" : std::to_string(row.reorders) + ", " + Millis(row.reordering) + " ms",
               BeyondWhole(row.of_groups, row.whole), BeyondWhole(row.cold, row.whole)});
  }
  std::string text = table.Text(width) + UnitsText(rows, width);
  unstable += UnstableTransfers(samples, noise);
  if (unstable > 0) {
    text += Wrapped(std::to_string(unstable) +
                        (unstable == 1 ? " entry is unstable: its samples do"
                                       : " entries are unstable: their samples do") +
                        " not come together; is something else running here?",
                    width);
  }
  if (const CurveError error = ErrorOfCurves(samples); error.pairs > 0) {
    text += Wrapped("co-running: what the curves say of " + std::to_string(error.pairs) +
                        " measured pairs is off by " + PercentInTenths(error.median) + " in the median, " +
                        PercentInTenths(error.worst) + " at worst",
                    width);
  }
  if (!samples.parts.empty()) {
    text += std::to_string(samples.parts.size()) + " parts of layers were measured\n";
  }
  text += CopiesText(samples, width);
  for (const UnitInTable& unit : YardsticksOf(samples)) {
    text += "unit " + unit.unit + " was undisturbed " + PercentInTenths(unit.undisturbed) +
            " of the time: its yardstick takes " + DecimalText(unit.level.count(), 3) + " us\n";
  }
  if (samples.overhead > Nanos{0}) {
    text += "overhead of a measurement: " + std::to_string(samples.overhead.count()) + " ns\n";
  }
  if (samples.peak_bytes > 0) {
    text += "memory: " + Megabytes(samples.peak_bytes) + " at most, of about " +
            Megabytes(samples.expected_bytes) + " that were expected\n";
  }
  for (const DispatchEntry& entry : samples.dispatch) {
    text +=
        "starting a task on " + entry.unit + " takes " + DecimalText(entry.time.median.count(), 3) + " us\n";
  }
  for (const std::string& note : samples.notes) text += Wrapped(note, width);
  return text;
}

std::vector<std::string> KnownSoFar(const ProfilerSamples& samples) {
  std::vector<std::string> lines;
  for (const auto& [source, found] : samples.sources) {
    const bool whole = source.cut == ProfileCut::kWhole && source.manner == ProfileManner::kWarm;
    if (!whole || found.parts.empty() || found.parts.front().samples.empty()) continue;
    const std::vector<Nanos>& times = found.parts.front().samples;
    const MedianInterval median = IntervalOfMedian(times);
    lines.push_back(TextOf(source.model) + " on " + LabelOf(source.unit, source.precision) + ": " +
                    Millis(median.median) + " ms +-" + Percent(median.HalfWidth(), 1) + " of " +
                    Counted(static_cast<std::int64_t>(times.size()), "run"));
  }
  std::vector<std::string> rest;
  const auto add = [&](std::size_t count, const std::string& one, const std::string& many) {
    if (count > 0) rest.push_back(Counted(static_cast<std::int64_t>(count), one, many));
  };
  add(samples.transfers.size(), "copy", "copies");
  add(samples.parts.size(), "part of layers", "parts of layers");
  add(samples.co_running.size() + samples.together.size(), "slowdown beside others",
      "slowdowns beside others");
  add(samples.hand_overs.size(), "hand-over", "hand-overs");
  if (!rest.empty()) lines.push_back(Joined(rest));
  return lines;
}

std::string ProfilerSummaryJson(const ProfilerSamples& samples, double noise) {
  Json rows = Json::array();
  for (const ProfileSummaryRow& row : SummaryOf(samples, noise)) {
    rows.push_back({{"unit", row.unit},
                    {"model", row.model.model},
                    {"batch", row.model.batch},
                    {"whole_ms", MillisJson(row.whole)},
                    {"half_width", row.half_width},
                    {"samples", row.samples},
                    {"steps", row.steps},
                    {"inside_ms", MillisJson(row.inside)},
                    {"reorders", row.reorders},
                    {"reordering_ms", MillisJson(row.reordering)},
                    {"groups", row.groups},
                    {"groups_ms", MillisJson(row.of_groups)},
                    {"layers_ms", MillisJson(row.of_layers)},
                    {"cold_ms", MillisJson(row.cold)},
                    {"precision", row.precision},
                    {"mapped_ms", MillisJson(row.mapped)},
                    {"device_ms", MillisJson(row.device)},
                    {"core_ms", MillisJson(row.core)},
                    {"unstable", row.unstable}});
  }
  Json yardsticks = Json::object();
  for (const UnitInTable& unit : YardsticksOf(samples)) {
    yardsticks[unit.unit] = {{"level_us", InMicros(unit.level)}, {"undisturbed", unit.undisturbed}};
  }
  const CurveError error = ErrorOfCurves(samples);
  Json curves;
  if (error.pairs > 0)
    curves = {{"pairs", error.pairs}, {"median_error", error.median}, {"worst_error", error.worst}};
  return JsonOutput({{"models", std::move(rows)},
                     {"parts", samples.parts.size()},
                     {"transfers", TransfersJson(samples)},
                     {"overhead_ns", samples.overhead.count()},
                     {"expected_memory_bytes", samples.expected_bytes},
                     {"peak_memory_bytes", samples.peak_bytes},
                     {"co_running", std::move(curves)},
                     {"yardsticks", std::move(yardsticks)},
                     {"notes", samples.notes}});
}

}  // namespace tandem
