#include "policies/bounds/least_times.h"

#include <algorithm>

#include "policies/bounds/least_copies.h"

namespace tandem {
namespace {

// The earliest that things can happen in a request of one cut that is released at 0.
class EarliestRun {
 public:
  EarliestRun(const Problem& problem, const Cut& cut, const LeastTimes& times, const LeastCopies& copies)
      : problem_(problem), cut_(cut), times_(times), copies_(copies) {}

  Nanos Completion() {
    Nanos completion{0};
    for (std::int32_t i = 0; i < cut_.segments; ++i) {
      completion = std::max(completion, RunSegment(SegmentId(cut_.first.index() + std::size_t(i))));
    }
    return completion;
  }

 private:
  Nanos& End(SegmentId segment, UnitId unit) {
    return ends_[(segment.index() - cut_.first.index()) * problem_.units() + unit.index()];
  }

  // When the unit that finishes it first has done so, whichever that is; 0: it runs nowhere.
  Nanos Earliest(SegmentId segment) {
    Nanos earliest = Problem::kCannot;
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const Nanos end = End(segment, UnitId(u));
      if (end >= Nanos{0} && (earliest < Nanos{0} || end < earliest)) earliest = end;
    }
    return std::max(earliest, Nanos{0});
  }

  Nanos Arrival(const CutTensor& tensor, TransferMode mode, UnitId unit) {
    if (mode != TransferMode::kCopy) {
      return tensor.producer.valid() ? Earliest(tensor.producer) : Nanos{0};
    }
    if (!tensor.producer.valid()) return copies_.Between(tensor, UnitId(), unit);
    Nanos arrival = Problem::kCannot;
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const Nanos end = End(tensor.producer, UnitId(u));
      if (end < Nanos{0}) continue;
      const Nanos there = end + copies_.Between(tensor, UnitId(u), unit);
      if (arrival < Nanos{0} || there < arrival) arrival = there;
    }
    return std::max(arrival, Nanos{0});
  }

  // Its ends on all units; returns when what it makes for the outside is in the first memory.
  Nanos RunSegment(SegmentId id) {
    ends_.resize(ends_.size() + problem_.units(), Problem::kCannot);
    Nanos ready{0}, completion = Problem::kCannot;
    const auto tensor = [&](std::int32_t t) -> const CutTensor& {
      return cut_.tensors[static_cast<std::size_t>(t)];
    };
    const Segment& segment = problem_.segment(id);
    for (const std::int32_t t : segment.reads) {
      if (tensor(t).producer.valid()) ready = std::max(ready, Earliest(tensor(t).producer));
    }
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const UnitId unit(u);
      const Nanos occupation = times_.Occupation(id, unit);
      if (occupation < Nanos{0}) continue;
      const Nanos copied_in = copies_.In(id, unit);
      Nanos start = ready + copied_in;
      for (std::size_t i = 0; i < segment.reads.size(); ++i) {
        start = std::max(start, Arrival(tensor(segment.reads[i]), segment.modes[i], unit));
      }
      const Nanos end = std::min(start + occupation - copied_in, kLongestTime);
      const Nanos back = end + copies_.Back(id, unit) - copies_.BackBySlot(id, unit);
      End(id, unit) = end;
      if (completion < Nanos{0} || back < completion) completion = back;
    }
    return completion;
  }

  const Problem& problem_;
  const Cut& cut_;
  const LeastTimes& times_;
  const LeastCopies& copies_;
  std::vector<Nanos> ends_;  // per segment so far and unit: its task's; kCannot: not there
};

}  // namespace

LeastTimes::LeastTimes(const Problem& problem, OpenEdges edges) : problem_(&problem) {
  const LeastCopies copies(problem, edges);
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    for (std::size_t u = 0; u < problem.units(); ++u) {
      const SegmentId segment(s);
      const Nanos work = LeastWork(segment, UnitId(u), edges);
      const bool runs = work >= Nanos{0};
      occupation_.push_back(
          runs ? work + copies.In(segment, UnitId(u)) + copies.BackBySlot(segment, UnitId(u)) : work);
    }
  }
  for (const Cut& cut : problem.cuts())
    chain_.push_back(EarliestRun(problem, cut, *this, copies).Completion());
}

// Through a mapping that the problem does not have, where a profile tells it apart.
std::optional<Nanos> LeastTimes::TimeWithMapping(SegmentId id, UnitId unit) const {
  const Scenario& scenario = problem_->scenario();
  const Segment& segment = problem_->segment(id);
  const Cut& cut = problem_->cut(segment.cut);
  if (segment.part) return std::nullopt;
  const auto cost = scenario.Time(cut.model, unit, cut.batch, segment.layers, true);
  return cost ? std::optional(cost->time) : std::nullopt;
}

Nanos LeastTimes::LeastWork(SegmentId segment, UnitId unit, OpenEdges edges) const {
  const Nanos time =
      problem_->MayChooseResidents(unit) ? problem_->Profiled(segment, unit) : problem_->Time(segment, unit);
  if (time < Nanos{0}) return Problem::kCannot;
  Nanos least = std::min(time, problem_->MappedTime(segment, unit));
  if (edges == OpenEdges::kYes) least = std::min(least, TimeWithMapping(segment, unit).value_or(least));
  return problem_->Dispatch(unit) + least;
}

}  // namespace tandem
