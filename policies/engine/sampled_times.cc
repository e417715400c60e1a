#include "policies/engine/sampled_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "policies/engine/dispatcher.h"
#include "policies/engine/machine_courses.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

// What all draws of a problem share.
struct SampleTables {
  struct Entry {
    Nanos median{0};
    std::optional<DrawnSamples> samples;  // nothing: the median alone
    std::size_t place = 0, profile = 0;
    UnitId unit;
    ModelId model;
  };
  struct Use {
    std::size_t entry = 0;
    double share = 1;  // of the entry's time
  };
  struct Time {
    std::vector<Use> uses;
    Nanos fixed{0};
    bool estimated = false;  // a part of layers that takes its share of them
  };

  explicit SampleTables(const Problem& of);
  std::vector<Time> Read(bool mapped);
  Time ReadOne(SegmentId id, UnitId unit, bool mapped);
  std::size_t EntryOf(const SegmentSamples::Source& source, UnitId unit, ModelId model, bool part);
  void CheckParts();
  const Time& At(SegmentId segment, UnitId unit, bool through_mapping) const {
    const std::size_t at = segment.index() * problem->units() + unit.index();
    return through_mapping && !mapped.empty() ? mapped[at] : plain[at];
  }
  std::string Unknown(const Time& time) const;
  // The same for a part in whatever cut it is.
  std::uint64_t PartHash(SegmentId segment, UnitId unit) const;

  const Problem* problem;
  std::vector<Entry> entries;
  std::map<std::size_t, std::size_t> by_place;
  std::vector<Time> plain, mapped;  // per segment and unit; mapped is empty without zero-copy
  std::vector<std::optional<double>> profile_error;
  std::optional<double> part_error;  // how far off shares were of parts that were measured, root mean square
  bool parts_estimated = false;
  std::vector<std::uint64_t> stream_hash, unit_hash;  // of their names
  // Medians with what lasts of each, per profile and entry.
  struct Lasting {
    std::uint64_t of = 0;  // what luck is asked for
    std::vector<std::vector<std::optional<DrawnSamples>>> samples;
    bool vary = false;  // from draw to draw
  };
  template <class Listed>
  Lasting LastingOf(std::vector<Listed> Profile::*list, std::uint64_t of) const;
  double FactorOf(const Lasting& lasting, std::size_t profile, std::size_t entry, const Luck& luck) const;
  std::shared_ptr<const HandOvers> DrawHandOvers(const Luck& luck) const;
  std::shared_ptr<const DrawnMoves> DrawMoves(const Luck& luck) const;
  std::vector<double> DrawDispatch(const Luck& luck) const;
  Lasting hand_overs, transfers, loads, dispatch;
  DrawnSlowdowns slowdowns;
  MachineCourses machine;
};

namespace {

// What luck is asked for.
constexpr std::uint64_t kOfProfile = MixBits(11), kOfMean = MixBits(12), kOfParts = MixBits(13),
                        kOfSample = MixBits(14), kOfTail = MixBits(15), kOfMachine = MixBits(16),
                        kOfHandOver = MixBits(17), kOfTransfer = MixBits(18), kOfLoad = MixBits(19),
                        kOfDispatch = MixBits(20);

std::uint64_t Mixed(std::uint64_t a, std::uint64_t b) { return MixBits(a ^ MixBits(b)); }

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

Nanos Drawn(Nanos median, double factor) {
  const double drawn = static_cast<double>(median.count()) * factor;
  return Nanos{std::llround(std::min(drawn, static_cast<double>(kLongestTime.count())))};
}

std::optional<DrawnSamples> SamplesOf(const Timing& time) {
  if (time.samples.size() < 2) return std::nullopt;
  return DrawnSamples(std::make_shared<const std::vector<Nanos>>(time.samples));
}

// A profile that others were made one in is no surer than the least sure of them.
std::optional<double> ErrorOf(const Origin& origin) {
  std::optional<double> error = origin.error;
  for (const Origin& part : origin.merged) {
    if (const auto of_part = ErrorOf(part); of_part && !origin.error) {
      error = std::max(error.value_or(0), *of_part);
    }
  }
  return error;
}

}  // namespace

SampleTables::SampleTables(const Problem& of)
    : problem(&of), slowdowns(of.scenario()), machine(of.scenario()) {
  const Scenario& scenario = problem->scenario();
  for (const Profile& profile : scenario.profiles) {
    profile_error.push_back(ErrorOf(profile.origin));
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
  time.fixed = samples->fixed;
  time.estimated = samples->estimated;
  parts_estimated = parts_estimated || samples->estimated;
  for (const SegmentSamples::Source& source : samples->sources) {
    if (source.median == Nanos{0}) continue;
    const double share =
        static_cast<double>(source.time.count()) / static_cast<double>(source.median.count());
    const bool part = segment.part.has_value() && !samples->estimated;
    time.uses.push_back({EntryOf(source, unit, cut.model, part), share});
  }
  return time;
}

std::size_t SampleTables::EntryOf(const SegmentSamples::Source& source, UnitId unit, ModelId model,
                                  bool part) {
  const auto [found, is_new] = by_place.try_emplace(source.place, entries.size());
  if (is_new) {
    entries.push_back({source.median, std::nullopt, source.place, source.profile, unit, model});
    const SampleList samples = part && source.samples ? Undisturbed(*source.samples) : source.samples;
    if (samples && samples->size() > 1) entries.back().samples.emplace(samples);
  }
  return found->second;
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
    return Drawn(scenario.profiles[profile].hand_overs[entry].time.median,
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
    return Drawn(scenario.profiles[profile].transfers[entry].time.median,
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
    if (entry.samples || profile_error[entry.profile]) continue;
    const OriginKind kind = problem->scenario().profiles[entry.profile].origin.kind;
    return "nothing is known of how sure the " + std::string(NameOf(kOriginKindNames, kind)) +
           " times are of unit " + Quoted(problem->platform().unit(entry.unit).name) +
           ": they are medians alone, and the profile's origin has no error";
  }
  return {};
}

std::uint64_t SampleTables::PartHash(SegmentId id, UnitId unit) const {
  const Segment& segment = problem->segment(id);
  const std::uint64_t of_model = Mixed(unit_hash[unit.index()], problem->model_of(id).index());
  return Mixed(Mixed(of_model, segment.layers.front().index()),
               static_cast<std::uint64_t>(segment.part->size()));
}

SampledTimes::SampledTimes(const Problem& problem, std::uint64_t draw)
    : SampledTimes(std::make_shared<const SampleTables>(problem), draw, 0) {}

SampledTimes SampledTimes::Another(std::uint64_t draw, std::uint64_t again) const {
  return SampledTimes(tables_, draw, again);
}

SampledTimes SampledTimes::SamplesAlone(std::uint64_t draw) const {
  SampledTimes alone(tables_, draw, 0);
  alone.samples_alone_ = true;
  alone.factors_.assign(alone.factors_.size(), 1);
  alone.part_error_ = 0;
  alone.slowdowns_ = nullptr;
  alone.hand_overs_ = nullptr;
  alone.moves_ = nullptr;
  alone.dispatch_.clear();
  return alone;
}

std::vector<SampledTimes::Part> SampledTimes::PartsOf(SegmentId segment, UnitId unit) const {
  std::vector<Part> parts;
  for (const SampleTables::Use& use : tables_->At(segment, unit, false).uses) {
    const SampleTables::Entry& entry = tables_->entries[use.entry];
    parts.push_back({use.entry, use.share, entry.median, entry.samples ? &*entry.samples : nullptr});
  }
  return parts;
}

Nanos SampledTimes::FixedOf(SegmentId segment, UnitId unit) const {
  return tables_->problem->Dispatch(unit) + tables_->At(segment, unit, false).fixed;
}

SampledTimes::SampledTimes(std::shared_ptr<const SampleTables> tables, std::uint64_t draw,
                           std::uint64_t again)
    : tables_(std::move(tables)), luck_(tables_->problem->scenario().seed, draw) {
  const auto& profiles = tables_->problem->scenario().profiles;
  for (const SampleTables::Entry& entry : tables_->entries) {
    std::uint64_t what = Mixed(kOfProfile, entry.profile);
    // What was measured drifts together; an estimate is off for each unit and model by itself.
    if (profiles[entry.profile].origin.kind != OriginKind::kMeasured) {
      what = Mixed(Mixed(what, tables_->unit_hash[entry.unit.index()]), entry.model.index());
    }
    double factor = luck_.Factor(what, tables_->profile_error[entry.profile].value_or(0));
    if (entry.samples) factor *= entry.samples->MeanFactor(luck_, Mixed(kOfMean, entry.place));
    factors_.push_back(factor);
  }
  part_error_ = tables_->part_error.value_or(0);
  begin_ = Nanos{std::llround(luck_.Uniform(Mixed(kOfMachine, again)) *
                              static_cast<double>(tables_->machine.lasts().count()))};
  slowdowns_ = tables_->slowdowns.Draw(*tables_->problem, luck_);
  hand_overs_ = tables_->DrawHandOvers(luck_);
  moves_ = tables_->DrawMoves(luck_);
  dispatch_ = tables_->DrawDispatch(luck_);
}

bool SampledTimes::any() const {
  const auto drawn = [&](const SampleTables::Entry& entry) {
    return entry.samples || tables_->profile_error[entry.profile].value_or(0) > 0;
  };
  return slowdowns_ || hand_overs_ || moves_ || !dispatch_.empty() || tables_->machine.any() ||
         (tables_->parts_estimated && part_error_ > 0) ||
         std::any_of(tables_->entries.begin(), tables_->entries.end(), drawn);
}

bool SampledTimes::samples() const {
  return std::any_of(tables_->entries.begin(), tables_->entries.end(),
                     [](const SampleTables::Entry& entry) { return entry.samples.has_value(); });
}

std::string SampledTimes::Unknown(const std::vector<char>& used) const {
  const Problem& problem = *tables_->problem;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    for (std::size_t u = 0; u < problem.units(); ++u) {
      if (!used[u] || !problem.Runs(SegmentId(s), UnitId(u))) continue;
      for (const bool mapped : {false, true}) {
        std::string why = tables_->Unknown(tables_->At(SegmentId(s), UnitId(u), mapped));
        if (!why.empty()) return why;
      }
    }
  }
  return tables_->slowdowns.Unknown(used);
}

Nanos SampledTimes::Work(const Task& task, UnitId unit, bool mapped) const {
  const Problem& problem = *tables_->problem;
  const SampleTables::Time& time = tables_->At(task.segment, unit, mapped);
  const std::size_t local = task.segment.index() - problem.cut(task.stream).first.index();
  const auto index = static_cast<std::uint64_t>(task.index);
  const std::uint64_t where =
      Mixed(Mixed(kOfSample, tables_->stream_hash[task.stream.index()]), tables_->unit_hash[unit.index()]);
  const std::uint64_t which = Mixed(Mixed(where, index), local);
  double work = 0;
  for (const SampleTables::Use& use : time.uses) {
    const SampleTables::Entry& entry = tables_->entries[use.entry];
    double drawn = static_cast<double>(entry.median.count());
    if (entry.samples) {
      // Entries that have as many samples are drawn at one place in time: what disturbs the unit disturbs
      // all that runs there.
      const std::size_t size = entry.samples->size(), block = entry.samples->block();
      const std::uint64_t together =
          block > 1 ? Mixed(Mixed(where, index / block), size) : Mixed(which, entry.place);
      const auto first = static_cast<std::size_t>(luck_.Uniform(together) * static_cast<double>(size));
      drawn =
          entry.samples->At((first + index % block) % size, luck_, Mixed(Mixed(kOfTail, which), entry.place));
    }
    work += drawn * use.share * factors_[use.entry];
  }
  if (time.estimated)
    work *= luck_.Factor(Mixed(kOfParts, tables_->PartHash(task.segment, unit)), part_error_);
  const Nanos dispatch = problem.Dispatch(unit);
  const Nanos fixed = (dispatch_.empty() ? dispatch : Drawn(dispatch, dispatch_[unit.index()])) + time.fixed;
  if (work >= static_cast<double>(kLongestTime.count())) return kLongestTime;
  return std::min(fixed + Nanos{std::llround(work)}, kLongestTime);
}

Nanos SampledTimes::WorkFrom(Nanos now, const Task& task, UnitId unit, bool mapped) const {
  if (samples_alone_) return Work(task, unit, mapped);
  return tables_->machine.Takes(unit, begin_ + now, Work(task, unit, mapped));
}

bool SampledTimes::IsUndisturbed(Nanos now) const { return tables_->machine.IsUndisturbed(begin_ + now); }

void SampledTimes::SetIn(RunOptions& options) const {
  options.work_time = [this](const Task& task, UnitId unit, bool mapped, Nanos now) {
    return WorkFrom(now, task, unit, mapped);
  };
  if (slowdowns_) options.slowdowns = slowdowns_.get();
  if (hand_overs_) options.hand_overs = hand_overs_.get();
  if (moves_) options.moves = moves_.get();
}

}  // namespace tandem
