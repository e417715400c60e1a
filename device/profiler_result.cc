#include "device/profiler_result.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "device/profiler_statistics.h"
#include "profiles/decimal.h"
#include "profiles/json_output.h"
#include "profiles/table.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;
using LayerNames = std::set<std::string>;  // steps may list their layers in another order

LayerNames SetOf(const std::vector<std::string>& layers) { return {layers.begin(), layers.end()}; }

const SourceSamples* Find(const ProfilerSamples& samples, SampleSource source, ProfileCut cut,
                          ProfileManner manner) {
  source.cut = cut;
  source.manner = manner;
  const auto found = samples.sources.find(source);
  if (found == samples.sources.end() || found->second.parts.empty()) return nullptr;
  return found->second.parts.front().samples.empty() ? nullptr : &found->second;
}

std::optional<Nanos> MedianOf(const SourceSamples* source, const std::vector<std::string>& layers) {
  if (!source) return std::nullopt;
  for (const SampledPart& part : source->parts) {
    if (part.samples.empty() || SetOf(part.layers) != SetOf(layers)) continue;
    return IntervalOfMedian(part.samples).median;
  }
  return std::nullopt;
}

Nanos SumOfMedians(const SourceSamples* source, bool changes_of_layout_only = false) {
  Nanos sum{0};
  if (!source) return sum;
  for (const SampledPart& part : source->parts) {
    if (part.samples.empty() || (changes_of_layout_only && !part.layers.empty())) continue;
    sum += IntervalOfMedian(part.samples).median;
  }
  return sum;
}

// A layer that is a group by itself was measured as that.
bool IsGroupToo(const ProfilerSamples& samples, const SampleSource& source, const SampledPart& part) {
  if (source.cut != ProfileCut::kLayers) return false;
  return MedianOf(Find(samples, source, ProfileCut::kGroups, source.manner), part.layers).has_value();
}

// Of one run, where it could be told.
std::optional<double> JoulesOf(const ProfilerSamples& samples, const SampleSource& source) {
  const auto unit = samples.energy.find(LabelOf(source.unit, source.precision));
  if (unit == samples.energy.end()) return std::nullopt;
  const auto joules = unit->second.joules.find(source.model);
  if (joules == unit->second.joules.end() || joules->second <= 0) return std::nullopt;
  return joules->second;
}

void AddEntries(const ProfilerSamples& samples, const SampleSource& source, double noise, Profile& profile) {
  const bool mapped = source.manner == ProfileManner::kMapped;
  const SourceSamples* cold = Find(samples, source, source.cut, ProfileManner::kCold);
  const SourceSamples* inside = Find(samples, source, ProfileCut::kWhole, ProfileManner::kInside);
  const SourceSamples* device = Find(samples, source, ProfileCut::kWhole, ProfileManner::kDevice);
  for (const SampledPart& part : samples.sources.at(source).parts) {
    if (part.samples.empty() || IsGroupToo(samples, source, part)) continue;
    CostEntry entry;
    entry.model = source.model.model;
    entry.batch = source.model.batch;
    entry.unit = source.unit;
    entry.variant.precision = source.precision;
    entry.layers = part.layers;
    entry.mapped = mapped;
    entry.time = Timing::OfSamples(Thinned(part.samples));
    entry.unstable = IsUnstable(part.samples, noise);
    if (!mapped) {
      entry.cold = MedianOf(cold, part.layers);
      if (!part.layers.empty()) entry.inside = MedianOf(inside, part.layers);
      if (part.layers.empty()) entry.energy_j = JoulesOf(samples, source);
      if (part.layers.empty()) entry.device = MedianOf(device, part.layers);
    }
    profile.entries.push_back(std::move(entry));
  }
}

ProfileSummaryRow RowOf(const ProfilerSamples& samples, const SampleSource& source, double noise) {
  ProfileSummaryRow row{source.model, source.unit, source.precision};
  const SourceSamples* whole = Find(samples, source, ProfileCut::kWhole, ProfileManner::kWarm);
  const SourceSamples* inside = Find(samples, source, ProfileCut::kWhole, ProfileManner::kInside);
  const SourceSamples* groups = Find(samples, source, ProfileCut::kGroups, ProfileManner::kWarm);
  const SourceSamples* layers = Find(samples, source, ProfileCut::kLayers, ProfileManner::kWarm);
  if (whole) {
    const MedianInterval interval = IntervalOfMedian(whole->parts.front().samples);
    row.whole = interval.median;
    row.half_width = interval.HalfWidth();
    row.samples = whole->parts.front().samples.size();
  }
  if (inside) {
    row.steps = inside->parts.size();
    row.reorders = static_cast<std::size_t>(std::count_if(
        inside->parts.begin(), inside->parts.end(), [](const SampledPart& p) { return p.layers.empty(); }));
  }
  row.inside = SumOfMedians(inside);
  row.reordering = SumOfMedians(inside, true);
  row.groups = groups ? groups->parts.size() : 0;
  row.of_groups = SumOfMedians(groups);
  row.of_layers = SumOfMedians(layers);
  row.cold = SumOfMedians(Find(samples, source, ProfileCut::kWhole, ProfileManner::kCold));
  row.mapped = SumOfMedians(Find(samples, source, ProfileCut::kWhole, ProfileManner::kMapped));
  row.device = SumOfMedians(Find(samples, source, ProfileCut::kWhole, ProfileManner::kDevice));
  for (const SourceSamples* parts : {whole, groups, layers}) {
    if (!parts) continue;
    row.unstable += static_cast<std::size_t>(
        std::count_if(parts->parts.begin(), parts->parts.end(),
                      [&](const SampledPart& part) { return IsUnstable(part.samples, noise); }));
  }
  return row;
}

std::string Millis(Nanos time) {
  return time == Nanos{0} ? "-" : DecimalText((time.count() + 500) / 1000, 3);
}

std::string Percent(double fraction) { return DecimalText(std::llround(fraction * 1000), 1) + " %"; }

// "+2.5 %": how much longer `time` is than the whole model.
std::string Beyond(Nanos time, Nanos whole) {
  if (time == Nanos{0} || whole == Nanos{0}) return "-";
  const double beyond = static_cast<double>(time.count()) / static_cast<double>(whole.count()) - 1;
  return (beyond >= 0 ? "+" : "") + Percent(beyond);
}

Json MillisJson(Nanos time) {
  return time == Nanos{0} ? Json() : Json(static_cast<double>(time.count()) / 1e6);
}

}  // namespace

void FillProfile(const ProfilerSamples& samples, double noise, Profile& profile) {
  for (const auto& [source, found] : samples.sources) {
    const bool timed = source.manner == ProfileManner::kWarm || source.manner == ProfileManner::kMapped;
    if (timed) AddEntries(samples, source, noise, profile);
  }
  for (const auto& [source, found] : samples.transfers) {
    if (found.samples.empty()) continue;
    profile.transfers.push_back({source.from, source.to, source.bytes,
                                 Timing::OfSamples(Thinned(found.samples)),
                                 IsUnstable(found.samples, noise)});
  }
  profile.parts = samples.parts;
  profile.loads = samples.loads;
  profile.dispatch = samples.dispatch;
  profile.co_running = samples.co_running;
  profile.traffic = samples.traffic;
  profile.background = samples.background;
}

std::vector<ProfileSummaryRow> SummaryOf(const ProfilerSamples& samples, double noise) {
  std::vector<ProfileSummaryRow> rows;
  for (const auto& [source, found] : samples.sources) {
    const bool first = source.cut == ProfileCut::kWhole && source.manner == ProfileManner::kWarm;
    if (first) rows.push_back(RowOf(samples, source, noise));
  }
  return rows;
}

CurveError ErrorOfCurves(const ProfilerSamples& samples) {
  CurveError error;
  std::vector<double> errors;
  for (const PairCheck& pair : samples.pairs) errors.push_back(std::abs(pair.curve / pair.measured - 1));
  std::sort(errors.begin(), errors.end());
  if (errors.empty()) return error;
  return {errors.size(), errors[(errors.size() - 1) / 2], errors.back()};
}

namespace {

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
                    {"median_us", static_cast<double>(interval.median.count()) / 1e3},
                    {"half_width", interval.HalfWidth()},
                    {"samples", found.samples.size()}});
  }
  return list;
}

// Of units with a clock of their own or a mapping; empty without any.
std::string UnitsText(const std::vector<ProfileSummaryRow>& rows, std::size_t width) {
  Table table({{"unit"},
               {"model", false, true},
               {"host, ms", true},
               {"device, ms", true},
               {"launch and wait, us", true},
               {"mapped", true}});
  bool some = false;
  for (const ProfileSummaryRow& row : rows) {
    if (row.device == Nanos{0} && row.mapped == Nanos{0}) continue;
    some = true;
    table.Add({LabelOf(row.unit, row.precision), TextOf(row.model), Millis(row.whole), Millis(row.device),
               row.device == Nanos{0} ? "-" : DecimalText((row.whole - row.device).count(), 3),
               Beyond(row.mapped, row.whole)});
  }
  return some ? "\n" + table.Text(width) : "";
}

}  // namespace

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
    table.Add({LabelOf(row.unit, row.precision), TextOf(row.model), Millis(row.whole),
               Percent(row.half_width), std::to_string(row.samples), Beyond(row.inside, row.whole),
               row.steps == 0 ? "-" : std::to_string(row.reorders) + ", " + Millis(row.reordering) + " ms",
               Beyond(row.of_groups, row.whole), Beyond(row.cold, row.whole)});
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
                        " measured pairs is off by " + Percent(error.median) + " in the median, " +
                        Percent(error.worst) + " at worst",
                    width);
  }
  if (!samples.parts.empty()) {
    text += std::to_string(samples.parts.size()) + " parts of layers were measured\n";
  }
  if (!samples.transfers.empty()) {
    text += std::to_string(samples.transfers.size()) + " copies between memories were measured, by size\n";
  }
  if (samples.overhead > Nanos{0}) {
    text += "overhead of a measurement: " + std::to_string(samples.overhead.count()) + " ns\n";
  }
  for (const DispatchEntry& entry : samples.dispatch) {
    text +=
        "starting a task on " + entry.unit + " takes " + DecimalText(entry.time.median.count(), 3) + " us\n";
  }
  for (const std::string& note : samples.notes) text += Wrapped(note, width);
  return text;
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
                    {"unstable", row.unstable}});
  }
  const CurveError error = ErrorOfCurves(samples);
  Json curves;
  if (error.pairs > 0)
    curves = {{"pairs", error.pairs}, {"median_error", error.median}, {"worst_error", error.worst}};
  return JsonOutput({{"models", std::move(rows)},
                     {"parts", samples.parts.size()},
                     {"transfers", TransfersJson(samples)},
                     {"overhead_ns", samples.overhead.count()},
                     {"co_running", std::move(curves)},
                     {"notes", samples.notes}});
}

}  // namespace tandem
