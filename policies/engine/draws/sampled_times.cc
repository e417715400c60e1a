#include "policies/engine/draws/sampled_times.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "policies/engine/dispatcher.h"
#include "policies/engine/draws/sample_tables.h"

namespace tandem {

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
    const std::uint64_t mean = Mixed(kOfMean, entry.place);
    if (entry.samples) factor *= entry.samples->MeanFactor(luck_, mean);
    if (entry.like_others) factor *= DrawnSamples::FactorOfOne(*entry.like_others, luck_, mean);
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
    return entry.samples || entry.like_others || tables_->profile_error[entry.profile].value_or(0) > 0;
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
  return Draw(tables_->At(task.segment, unit, mapped), task, unit);
}

std::optional<Nanos> SampledTimes::BatchFrom(Nanos now, const Task& first, UnitId unit, std::int64_t size,
                                             bool mapped) const {
  const SampleTables::Time* const time = tables_->OfBatch(first.stream, unit, size, mapped);
  if (time == nullptr) return std::nullopt;
  const Nanos work = Draw(*time, first, unit);
  return samples_alone_ ? work : tables_->machine.Takes(unit, begin_ + now, work);
}

Nanos SampledTimes::Draw(const SampleTime& time, const Task& task, UnitId unit) const {
  const Problem& problem = *tables_->problem;
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
  const Nanos fixed = (dispatch_.empty() ? dispatch : DrawnTime(dispatch, dispatch_[unit.index()])) +
                      DrawnTime(time.fixed, time.scale);
  work *= time.scale;
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
  options.batch_time = [this](const Task& first, UnitId unit, std::int64_t size, bool mapped, Nanos now) {
    return BatchFrom(now, first, unit, size, mapped);
  };
  if (slowdowns_) options.slowdowns = slowdowns_.get();
  if (hand_overs_) options.hand_overs = hand_overs_.get();
  if (moves_) options.moves = moves_.get();
}

}  // namespace tandem
