#include "policies/engine/draws/sample_tables.h"

#include "policies/engine/batches.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// Of a part of layers, by the wall clock, on two units that wait for each other: a sample that is so many
// times the median is of a moment at which the host had one of them, or woke it late. Others are counted by
// processor time, which has no such moments, and a run that met many is none.
constexpr std::int64_t kHeldUp = 2;

SampleList Undisturbed(const std::vector<Nanos>& samples) {
  const Nanos most = kHeldUp * LowerMedian(samples);
  auto left = std::make_shared<std::vector<Nanos>>(samples);
  std::erase_if(*left, [most](Nanos sample) { return sample > most; });
  return left;
}

// Who sorts by size sorts all, so one list that is not sorted tells of the others. Each stands in the order
// in which tandem-device measured it.
bool InOrderOfTime(const Profile& profile) {
  const auto unsorted = [](const auto& entry) {
    return !std::is_sorted(entry.time.samples.begin(), entry.time.samples.end());
  };
  return std::any_of(profile.entries.begin(), profile.entries.end(), unsorted) ||
         std::any_of(profile.parts.begin(), profile.parts.end(), unsorted);
}

// The middling one of the unit's entries that have samples enough which are not all alike, whatever models
// they are of; nothing: none.
std::optional<DrawnSamples::Scatter> ScatterOnUnit(const Scenario& scenario, UnitId unit) {
  const std::string& name = scenario.platform->unit(unit).name;
  std::vector<DrawnSamples::Scatter> all;
  for (const Profile& profile : scenario.profiles) {
    for (const CostEntry& entry : profile.entries) {
      if (entry.unit != name || entry.time.samples.size() < DrawnSamples::kFewSamples) continue;
      const DrawnSamples::Scatter scatter = DrawnSamples::ScatterOf(entry.time.samples);
      if (scatter.deviation > 0) all.push_back(scatter);
    }
  }
  if (all.empty()) return std::nullopt;
  std::ranges::stable_sort(all, {}, &DrawnSamples::Scatter::deviation);
  return all[(all.size() - 1) / 2];
}

std::optional<DrawnSamples> SamplesOf(const Timing& time) {
  if (time.samples.size() < 2) return std::nullopt;
  return DrawnSamples(std::make_shared<const std::vector<Nanos>>(time.samples));
}

}  // namespace

SampleTables::SampleTables(const Problem& of)
    : problem(&of), slowdowns(of.scenario()), machine(of.scenario()) {
  const Scenario& scenario = problem->scenario();
  for (const Profile& profile : scenario.profiles) {
    profile_error.push_back(ErrorOfAll(profile.origin));
    in_order_of_time.push_back(InOrderOfTime(profile) ? 1 : 0);
  }
  hand_overs = LastingOf(&Profile::hand_overs, kOfHandOver);
  transfers = LastingOf(&Profile::transfers, kOfTransfer);
  loads = LastingOf(&Profile::loads, kOfLoad);
  dispatch = LastingOf(&Profile::dispatch, kOfDispatch);
  plain = Read(false);
  bool maps = false;
  for (std::size_t s = 0; s < problem->segments().size(); ++s) maps = maps || problem->Maps(SegmentId(s));
  if (maps) mapped = Read(true);
  // As Problem::MappedTime: the plain time where no profile tells them apart.
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    if (mapped[i].uses.empty() && mapped[i].fixed == Nanos{0}) mapped[i] = plain[i];
  }
  ReadBatches();
  ScatterFewLikeOthers();
  if (parts_estimated) CheckParts();
  for (const Stream& stream : scenario.streams) stream_hash.push_back(Fnv1a64(stream.name));
  for (const Unit& unit : problem->platform().units) unit_hash.push_back(Fnv1a64(unit.name));
}

std::vector<SampleTables::Time> SampleTables::Read(bool through_mapping) {
  std::vector<Time> times;
  for (std::size_t s = 0; s < problem->segments().size(); ++s) {
    for (std::size_t u = 0; u < problem->units(); ++u) {
      times.push_back(ReadOne(SegmentId(s), UnitId(u), through_mapping));
    }
  }
  return times;
}

SampleTables::Time SampleTables::ReadOne(SegmentId id, UnitId unit, bool through_mapping) {
  const Scenario& scenario = problem->scenario();
  const Segment& segment = problem->segment(id);
  const Cut& cut = problem->cut(segment.cut);
  Time time;
  const auto query = scenario.Query(cut.model, unit, cut.batch, segment.layers, through_mapping);
  if (!query) return time;
  std::optional<SegmentSamples> samples;
  if (segment.part) {
    const SplitRange range =
        SplitRangeOf(*scenario.model(cut.model).model, segment.layers, segment.part->axis);
    samples = scenario.costs->PartSamples(*query, *segment.part, range.extent);
  } else {
    samples = scenario.costs->Samples(*query);
  }
  if (!samples) return time;
  return TimeOf(*samples, unit, cut.model, segment.part.has_value() && !samples->estimated);
}

SampleTables::Time SampleTables::TimeOf(const SegmentSamples& samples, UnitId unit, ModelId model,
                                        bool part) {
  Time time;
  time.fixed = samples.fixed;
  time.estimated = samples.estimated;
  parts_estimated = parts_estimated || samples.estimated;
  for (const SegmentSamples::Source& source : samples.sources) {
    if (source.median == Nanos{0}) continue;
    const double share =
        static_cast<double>(source.time.count()) / static_cast<double>(source.median.count());
    time.uses.push_back({EntryOf(source, unit, model, part), share});
  }
  return time;
}

void SampleTables::ReadBatches() {
  const std::vector<Stream>& streams = problem->scenario().streams;
  const auto batching = [](const Stream& stream) { return stream.batching.has_value(); };
  if (std::none_of(streams.begin(), streams.end(), batching)) return;
  for (const Stream& stream : streams) {
    for (std::size_t u = 0; u < problem->units(); ++u) {
      const bool forms = batching(stream);
      batches_plain.push_back(forms ? BatchesOf(stream, UnitId(u), false) : std::vector<Time>());
      batches_mapped.push_back(forms && !mapped.empty() ? BatchesOf(stream, UnitId(u), true)
                                                        : std::vector<Time>());
    }
  }
}

// By size: of what the profile has samples of its own for; else as the nearest size does that has, the one
// beyond the largest too, of two as near the smaller, so many times its time. Where that is one inference
// alone, nothing: as that varies.
std::vector<SampleTables::Time> SampleTables::BatchesOf(const Stream& stream, UnitId unit, bool through) {
  struct Sampled {
    std::size_t size;
    Nanos whole;
    Time time;
  };
  const Scenario& scenario = problem->scenario();
  const BatchTimes known = TimesOfBatches(scenario, stream, unit);
  const std::vector<Nanos>& times = through ? known.mapped : known.plain;
  std::vector<Time> all(times.size());
  std::vector<Sampled> own;
  const auto query = [&](std::size_t size) {
    return scenario.Query(stream.model, unit, static_cast<std::int64_t>(size), {}, through);
  };
  const auto read = [&](std::size_t size) {
    const auto of = query(size);
    const auto samples = of ? scenario.costs->Samples(*of) : std::nullopt;
    if (!samples) return;
    Time time = TimeOf(*samples, unit, stream.model, false);
    const auto has = [&](const Use& use) { return entries[use.entry].samples.has_value(); };
    if (std::none_of(time.uses.begin(), time.uses.end(), has)) return;
    own.push_back({size, size < times.size() ? times[size] : scenario.costs->Time(*of)->time, time});
    if (size < times.size()) all[size] = std::move(time);
  };
  for (std::size_t size = 1; size < times.size(); ++size) read(size);
  if (const auto largest = query(times.size() - 1); largest && times.size() > 1) {
    if (const auto beyond = scenario.costs->BatchBeyond(*largest)) read(static_cast<std::size_t>(*beyond));
  }
  for (std::size_t size = 2; size < times.size(); ++size) {
    if (!all[size].uses.empty() || own.empty()) continue;
    const auto far = [size](const Sampled& of) { return of.size < size ? size - of.size : of.size - size; };
    const Sampled& as = *std::ranges::min_element(own, {}, far);
    if (as.size == 1 || as.whole <= Nanos{0}) continue;
    all[size] = as.time;
    all[size].scale = static_cast<double>(times[size].count()) / static_cast<double>(as.whole.count());
  }
  return all;
}

const SampleTables::Time* SampleTables::OfBatch(StreamId stream, UnitId unit, std::int64_t size,
                                                bool through_mapping) const {
  if (batches_plain.empty()) return nullptr;
  const std::size_t at = stream.index() * problem->units() + unit.index();
  const auto of = [&](const std::vector<std::vector<Time>>& batches) -> const Time* {
    const auto position = static_cast<std::size_t>(size);
    if (position >= batches[at].size() || batches[at][position].uses.empty()) return nullptr;
    return &batches[at][position];
  };
  const Time* const found = through_mapping ? of(batches_mapped) : nullptr;
  return found ? found : of(batches_plain);
}

std::size_t SampleTables::EntryOf(const SegmentSamples::Source& source, UnitId unit, ModelId model,
                                  bool part) {
  const auto [found, is_new] = by_place.try_emplace(source.place, entries.size());
  if (is_new) {
    entries.push_back(
        {source.median, std::nullopt, false, std::nullopt, source.place, source.profile, unit, model});
    const SampleList samples = part && source.samples ? Undisturbed(*source.samples) : source.samples;
    entries.back().one_sample = samples && samples->size() == 1;
    if (samples && samples->size() > 1) {
      entries.back().samples.emplace(samples, in_order_of_time[source.profile] != 0);
    }
  }
  return found->second;
}

void SampleTables::ScatterFewLikeOthers() {
  std::map<UnitId, std::optional<DrawnSamples::Scatter>> on_units;
  for (Entry& entry : entries) {
    // Of a measured median alone nobody says how far it is off, unless its origin has an error: and that is
    // of what all share.
    const bool counts_as_one =
        !entry.samples && IsMeasured(entry) && (entry.one_sample || profile_error[entry.profile]);
    const bool few = entry.samples && entry.samples->size() < DrawnSamples::kFewSamples;
    if (!counts_as_one && !few) continue;
    const auto [found, is_new] = on_units.try_emplace(entry.unit);
    if (is_new) found->second = ScatterOnUnit(problem->scenario(), entry.unit);
    if (!found->second) continue;
    if (few) entry.samples->ScatterLikeOthers(*found->second);
    if (counts_as_one) entry.like_others = found->second;
  }
}

bool SampleTables::IsMeasured(const Entry& entry) const {
  return problem->scenario().profiles[entry.profile].origin.kind == OriginKind::kMeasured;
}

// Of every part that was measured: what its share of the layers' time would have been.
void SampleTables::CheckParts() {
  const Scenario& scenario = problem->scenario();
  double squares = 0, count = 0;
  for (const Cut& cut : problem->cuts()) {
    for (const CostTable::Measured& part : scenario.Entries(cut.model, cut.batch)) {
      if (!part.axis || part.time == Nanos{0}) continue;
      std::vector<LayerId> layers;
      for (const std::int32_t layer : part.layers) layers.emplace_back(static_cast<std::size_t>(layer));
      const auto whole = scenario.Time(cut.model, part.unit, cut.batch, layers);
      const SplitRange range = SplitRangeOf(*scenario.model(cut.model).model, layers, *part.axis);
      if (!whole || part.size >= range.extent) continue;
      const double taken = static_cast<double>(whole->time.count()) * static_cast<double>(part.size) /
                           static_cast<double>(range.extent);
      const double off = taken / static_cast<double>(part.time.count()) - 1;
      squares += off * off;
      ++count;
    }
  }
  if (count > 0) part_error = std::sqrt(squares / count);
}

template <class Listed>
SampleTables::Lasting SampleTables::LastingOf(std::vector<Listed> Profile::*list, std::uint64_t of) const {
  Lasting lasting;
  lasting.of = of;
  const std::vector<Profile>& profiles = problem->scenario().profiles;
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    lasting.samples.emplace_back();
    for (const Listed& entry : profiles[p].*list) {
      lasting.samples.back().push_back(SamplesOf(entry.time));
      lasting.vary = lasting.vary || lasting.samples.back().back() || profile_error[p].value_or(0) > 0;
    }
  }
  return lasting;
}

double SampleTables::FactorOf(const Lasting& lasting, std::size_t profile, std::size_t entry,
                              const Luck& luck) const {
  const auto& samples = lasting.samples[profile][entry];
  const double factor = luck.Factor(Mixed(kOfProfile, profile), profile_error[profile].value_or(0));
  return samples ? factor * samples->MeanFactor(luck, Mixed(Mixed(lasting.of, profile), entry)) : factor;
}

std::shared_ptr<const HandOvers> SampleTables::DrawHandOvers(const Luck& luck) const {
  if (!hand_overs.vary || !problem->hand_overs().any()) return nullptr;
  const Scenario& scenario = problem->scenario();
  return std::make_shared<const HandOvers>(scenario, [&](std::size_t profile, std::size_t entry) {
    return DrawnTime(scenario.profiles[profile].hand_overs[entry].time.median,
                     FactorOf(hand_overs, profile, entry, luck));
  });
}

namespace {

// Of what names a unit, as a profile's loads and dispatches do: the factor of its entry for the unit that has
// this median, by which the cost table found it; 1 where a platform says it.
template <class Entry>
double FactorOfMedian(const SampleTables& tables, const SampleTables::Lasting& lasting,
                      std::vector<Entry> Profile::*entries, UnitId unit, Nanos median, const Luck& luck) {
  const Scenario& scenario = tables.problem->scenario();
  const std::string& name = scenario.platform->unit(unit).name;
  for (std::size_t p = 0; p < scenario.profiles.size(); ++p) {
    const std::vector<Entry>& all = scenario.profiles[p].*entries;
    for (std::size_t e = 0; e < all.size(); ++e) {
      if (all[e].unit == name && all[e].time.median == median) return tables.FactorOf(lasting, p, e, luck);
    }
  }
  return 1;
}

}  // namespace

std::shared_ptr<const DrawnMoves> SampleTables::DrawMoves(const Luck& luck) const {
  const bool copies = transfers.vary && problem->platform().memories.size() > 1;
  if (!copies && !loads.vary) return nullptr;
  const Scenario& scenario = problem->scenario();
  const CopyRoutes::TimeOf time_of = [&](std::size_t profile, std::size_t entry) {
    return DrawnTime(scenario.profiles[profile].transfers[entry].time.median,
                     FactorOf(transfers, profile, entry, luck));
  };
  DrawnMoves moves{CopyRoutes(scenario, time_of), {}, scenario.models.size()};
  for (std::size_t u = 0; u < problem->units(); ++u) {
    for (std::size_t m = 0; m < moves.models; ++m) {
      const auto median = loads.vary ? problem->LoadTime(ModelId(m), UnitId(u)) : std::nullopt;
      moves.loads.push_back(median ? FactorOfMedian(*this, loads, &Profile::loads, UnitId(u), *median, luck)
                                   : 1);
    }
  }
  return std::make_shared<const DrawnMoves>(std::move(moves));
}

std::vector<double> SampleTables::DrawDispatch(const Luck& luck) const {
  std::vector<double> factors;
  for (std::size_t u = 0; dispatch.vary && u < problem->units(); ++u) {
    factors.push_back(
        FactorOfMedian(*this, dispatch, &Profile::dispatch, UnitId(u), problem->Dispatch(UnitId(u)), luck));
  }
  return factors;
}

std::string SampleTables::Unknown(const Time& time) const {
  if (time.estimated && !part_error) {
    return "nothing is known of how far off the times are of parts of layers, of which none was measured";
  }
  for (const Use& use : time.uses) {
    const Entry& entry = entries[use.entry];
    const std::string why = WhyNotSure(entry);
    if (why.empty()) continue;
    const OriginKind kind = problem->scenario().profiles[entry.profile].origin.kind;
    return "nothing is known of how sure the " + std::string(NameOf(kOriginKindNames, kind)) +
           " times are of unit " + Quoted(problem->platform().unit(entry.unit).name) + ": " + why;
  }
  return {};
}

std::string SampleTables::WhyNotSure(const Entry& entry) const {
  const std::optional<double>& error = profile_error[entry.profile];
  // An estimate is off by that for each unit and model. What was measured drifts by it together, whatever the
  // samples of each say beside it.
  if (error.value_or(0) > 0 && !IsMeasured(entry)) return {};
  if (entry.samples && !entry.samples->agree_by_chance()) return {};
  if (entry.samples) {
    return "so few samples (" + std::to_string(entry.samples->size()) +
           ") that all agree may do so by chance, " + std::to_string(DrawnSamples::kFewSamples) +
           " or more are needed here, or of others on the unit that do not all agree";
  }
  if (entry.like_others) return {};
  const std::string one = "one sample says nothing of how they vary, and the ";
  if (!error) {
    return (entry.one_sample ? one : "they are medians alone, and the ") + "profile's origin has no error";
  }
  if (!IsMeasured(entry) || !entry.one_sample) return {};
  return one + "origin's error" + (*error == 0 ? " of 0" : "") + " is of what they share";
}

std::uint64_t SampleTables::PartHash(SegmentId id, UnitId unit) const {
  const Segment& segment = problem->segment(id);
  const std::uint64_t of_model = Mixed(unit_hash[unit.index()], problem->model_of(id).index());
  return Mixed(Mixed(of_model, segment.layers.front().index()),
               static_cast<std::uint64_t>(segment.part->size()));
}

}  // namespace tandem
