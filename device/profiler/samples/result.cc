#include "device/profiler/samples/result.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "device/processor/kernel_entries.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

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

// What a step takes inside the whole model. Steps are looked at in a few passes of a minute of their own,
// which add up to 10 % more or less than the whole takes: their shares tell, and the whole is known better.
std::optional<Nanos> InsideOf(const SourceSamples* inside, const SourceSamples* whole,
                              const std::vector<std::string>& layers) {
  const std::optional<Nanos> step = MedianOf(inside, layers);
  const Nanos all = SumOfMedians(inside), of_whole = SumOfMedians(whole);
  if (!step || all <= Nanos{0} || of_whole <= Nanos{0}) return step;
  const double level = static_cast<double>(of_whole.count()) / static_cast<double>(all.count());
  return Nanos{std::llround(static_cast<double>(step->count()) * level)};
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
  const SourceSamples* whole = Find(samples, source, ProfileCut::kWhole, ProfileManner::kWarm);
  const SourceSamples* device = Find(samples, source, ProfileCut::kWhole, ProfileManner::kDevice);
  const SourceSamples* core = Find(samples, source, source.cut, ProfileManner::kCore);
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
    entry.unstable = samples.sources.at(source).scaled || IsUnstable(part.samples, noise);
    if (!mapped) {
      entry.cold = MedianOf(cold, part.layers);
      entry.core = MedianOf(core, part.layers);
      if (!part.layers.empty()) entry.inside = InsideOf(inside, whole, part.layers);
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
  row.core = SumOfMedians(Find(samples, source, ProfileCut::kWhole, ProfileManner::kCore));
  for (const SourceSamples* parts : {whole, groups, layers}) {
    if (!parts) continue;
    row.unstable += static_cast<std::size_t>(
        std::count_if(parts->parts.begin(), parts->parts.end(), [&](const SampledPart& part) {
          return !part.samples.empty() && (parts->scaled || IsUnstable(part.samples, noise));
        }));
  }
  return row;
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
  profile.kernels = Compacted(samples.kernels);
  profile.dispatch = samples.dispatch;
  profile.co_running = samples.co_running;
  profile.traffic = samples.traffic;
  profile.background = samples.background;
  profile.together = samples.together;
  profile.hand_overs = samples.hand_overs;
  profile.after_idle = samples.after_idle;
  profile.after_other = samples.after_other;
  profile.repeated = samples.repeated;
  profile.sharing = samples.sharing;
  profile.memory = samples.memory;
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
  if (errors.empty()) return error;
  return {errors.size(), LowerMedian(errors), *std::max_element(errors.begin(), errors.end())};
}

std::optional<double> ErrorOfCurve(const ProfilerSamples& samples, const CoRunningEntry& point) {
  double squares = 0, pairs = 0;
  for (const PairCheck& pair : samples.pairs) {
    if (pair.unit != point.unit || pair.model != point.model || pair.beside != point.beside) continue;
    squares += std::pow(pair.curve / pair.measured - 1, 2);
    ++pairs;
  }
  if (pairs == 0) return std::nullopt;
  return std::round(std::sqrt(squares / pairs) * 1e4) / 1e4;
}

bool IsAskedFor(const ProfileOrder& request, const KernelEntry& of) {
  const auto& models = request.models;
  return request.platform.FindUnit(of.unit).valid() &&
         (of.model.empty() || std::any_of(models.begin(), models.end(),
                                          [&](const ProfiledModel& wish) { return wish.model == of.model; }));
}

}  // namespace tandem
