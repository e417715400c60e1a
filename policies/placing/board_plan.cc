#include "policies/placing/board_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "policies/engine/exclusion.h"
#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr Nanos kNever{INT64_MAX};
constexpr int kMostRounds = 64;  // of looking for a time at which all units that share cores are free

}  // namespace

BoardPlan::BoardPlan(const Problem& problem)
    : costs_(problem),
      held_(problem),
      memories_(problem.platform().memories.size()),
      excluded_(ExcludedUnits(problem.platform())) {
  std::map<std::tuple<CutId, bool, bool>, std::size_t> known;
  for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
    const Stream& stream = problem.scenario().streams[s];
    const std::tuple key(problem.cut_of(StreamId(s)), stream.ReadsFrom().valid(), stream.stays);
    const auto [found, is_new] = known.try_emplace(key, graphs_.size());
    if (is_new)
      graphs_.push_back(MakeGraph(problem.cut(StreamId(s)), stream.ReadsFrom().valid(), stream.stays));
    graph_of_.push_back(found->second);
  }
  for (const Unit& unit : problem.platform().units) {
    slots_.emplace_back(static_cast<std::size_t>(unit.slots));
  }
}

// Where inputs are that requests hand on comes with each request: nothing of that is counted here.
PlacingGraph BoardPlan::MakeGraph(const Cut& cut, bool handed, bool stays) const {
  const Problem& problem = costs_.problem();
  PlacingGraph graph;
  graph.units = problem.units();
  graph.edges.resize(static_cast<std::size_t>(cut.segments));
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const SegmentId segment(cut.first.index() + t);
    for (const SegmentId next : problem.segment(segment).feeds) {
      graph.edges[t].push_back({static_cast<std::int32_t>(next.index() - cut.first.index()), 0});
    }
    for (std::size_t u = 0; u < graph.units; ++u) {
      const bool runs = problem.Runs(segment, UnitId(u));
      const bool last = t + 1 == graph.tasks();
      graph.time.push_back(runs ? costs_.Alone(segment, UnitId(u), handed, stays && last) : Problem::kCannot);
    }
  }
  for (const CutTensor& tensor : cut.tensors) {
    if (!tensor.producer.valid()) continue;
    for (PlacingGraph::Edge& edge : graph.edges[tensor.producer.index() - cut.first.index()]) {
      const SegmentId reader(cut.first.index() + static_cast<std::size_t>(edge.to));
      if (std::binary_search(tensor.consumers.begin(), tensor.consumers.end(), reader)) {
        edge.weight += tensor.elements;
      }
    }
  }
  graph.transfer = [this, first = cut.first.index()](const PlacingGraph::Edge& edge, UnitId from, UnitId to) {
    return costs_.Transfer(SegmentId(first + static_cast<std::size_t>(edge.to)), edge.weight, from, to);
  };
  return graph;
}

void BoardPlan::Begin(Nanos now, const std::vector<Asked>& jobs, std::vector<Nanos> late) {
  now_ = now;
  late_ = std::move(late);
  jobs_.clear();
  for (std::vector<Timeline>& unit : slots_) {
    for (Timeline& slot : unit) slot.Forget(now);
  }
  for (const Asked& asked : jobs) {
    const Cut& cut = costs_.problem().cut(asked.stream);
    Job& job = jobs_.emplace_back();
    job.cut = costs_.problem().cut_of(asked.stream);
    job.graph = GraphOf(asked.stream);
    if (asked.stays) job.stays = SegmentId(cut.first.index() + static_cast<std::size_t>(cut.segments) - 1);
    job.ready.assign(static_cast<std::size_t>(cut.segments), now);
    job.planned.resize(static_cast<std::size_t>(cut.segments));
    job.there.assign(cut.tensors.size() * memories_, kNever);
    job.element_bytes.assign(cut.tensors.size(), kFp32Bytes);
    job.maker.assign(cut.tensors.size(), UnitId());
    for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
      if (cut.tensors[t].producer.valid()) continue;
      const auto tensor = static_cast<std::int32_t>(t);
      const UnitId maker = job.maker[t] = asked.inputs.maker;
      if (asked.inputs.in_first) There(job, tensor, MemoryId(0)) = now;
      if (maker.valid()) There(job, tensor, costs_.MemoryOf(maker)) = now;
    }
  }
}

SegmentId BoardPlan::SegmentOf(const Job& job, std::size_t task) const {
  return SegmentId(costs_.problem().cut(job.cut).first.index() + task);
}

Nanos& BoardPlan::There(Job& job, std::int32_t tensor, MemoryId memory) const {
  return job.there[static_cast<std::size_t>(tensor) * memories_ + memory.index()];
}

Nanos BoardPlan::There(const Job& job, std::int32_t tensor, MemoryId memory) const {
  return job.there[static_cast<std::size_t>(tensor) * memories_ + memory.index()];
}

// What someone else brings into the memory is waited for outside the slot.
Nanos BoardPlan::ReadyOn(const Job& job, std::size_t task, UnitId unit) const {
  Nanos ready = job.ready[task];
  if (!costs_.copies()) return ready;
  for (const std::int32_t tensor : costs_.problem().segment(SegmentOf(job, task)).reads) {
    const Nanos there = There(job, tensor, costs_.MemoryOf(unit));
    if (there != kNever) ready = std::max(ready, there);
  }
  return ready;
}

// From the nearest memory that has it by then.
Nanos BoardPlan::BringIn(const Job& job, std::int32_t tensor, MemoryId to, Nanos start) const {
  if (There(job, tensor, to) != kNever) return Nanos{0};
  const std::int64_t bytes = costs_.BytesOf(costs_.problem().cut(job.cut), tensor,
                                            job.element_bytes[static_cast<std::size_t>(tensor)]);
  Nanos least = kNever;
  for (std::size_t m = 0; m < memories_; ++m) {
    if (There(job, tensor, MemoryId(m)) > start) continue;
    const Nanos time = costs_.Copy(MemoryId(m), to, bytes);
    if (time >= Nanos{0}) least = std::min(least, time);
  }
  TANDEM_CHECK(least != kNever, "an input of a task lies in some memory that links reach");
  return least;
}

Nanos BoardPlan::Length(const Job& job, SegmentId segment, UnitId unit, Nanos start) const {
  const Problem& problem = costs_.problem();
  const MemoryId memory = costs_.MemoryOf(unit);
  Nanos copies{0};
  bool elsewhere = false;
  for (const std::int32_t tensor : problem.segment(segment).reads) {
    elsewhere = elsewhere || There(job, tensor, memory) == kNever;
    if (costs_.copies()) copies += BringIn(job, tensor, memory, start);
    copies += HandedOver(job, segment, tensor, unit);
  }
  return held_.LoadTime(problem.model_of(segment), unit) + copies + costs_.Work(segment, unit, elsewhere) +
         (segment == job.stays ? Nanos{0} : costs_.WayBack(segment, unit));
}

// In one memory. Of what another request has made so many bytes as are read.
Nanos BoardPlan::HandedOver(const Job& job, SegmentId reader, std::int32_t tensor, UnitId unit) const {
  const Problem& problem = costs_.problem();
  const Cut& cut = problem.cut(job.cut);
  const CutTensor& of = cut.tensors[static_cast<std::size_t>(tensor)];
  const UnitId maker = job.maker[static_cast<std::size_t>(tensor)];
  if (!maker.valid() || costs_.MemoryOf(maker) != costs_.MemoryOf(unit)) return Nanos{0};
  if (of.producer.valid()) return costs_.Transfer(reader, of.elements, maker, unit);
  if (!costs_.copies() && !costs_.maps()) return Nanos{0};
  return problem.hand_overs().Time(maker, unit, costs_.BytesOf(cut, tensor, kFp32Bytes));
}

// The first time at which the slot, and all that shares cores with its unit, is free for so long. Where that
// is long to find, after everything.
Nanos BoardPlan::FreeFrom(UnitId unit, const Timeline& slot, Nanos from, Nanos length) const {
  const std::vector<UnitId>& others = excluded_[unit.index()];
  Nanos start = slot.FirstFit(from, length);
  if (others.empty()) return start;
  for (int round = 0; round < kMostRounds; ++round) {
    Nanos later = start;
    for (const UnitId other : others) {
      for (const Timeline& line : slots_[other.index()]) later = line.FirstFit(later, length);
    }
    later = slot.FirstFit(later, length);
    if (later == start) return start;
    start = later;
  }
  start = std::max(start, slot.end());
  for (const UnitId other : others) {
    for (const Timeline& line : slots_[other.index()]) start = std::max(start, line.end());
  }
  return start;
}

// Where models are loaded, what comes first decides what is there for the next: nothing is put in between.
BoardPlan::Fit BoardPlan::FindFit(const Job& job, std::size_t task, UnitId unit) const {
  const SegmentId segment = SegmentOf(job, task);
  const Nanos ready = ReadyOn(job, task, unit);
  const Nanos length = Length(job, segment, unit, ready);
  Fit best{0, kNever, kNever};
  const std::vector<Timeline>& slots = slots_[unit.index()];
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Nanos from = held_.Loads(unit) ? std::max(ready, slots[s].end()) : ready;
    const Nanos start = FreeFrom(unit, slots[s], from, length);
    if (start < best.start) best = {static_cast<std::int32_t>(s), start, start};
  }
  // By then the inputs may be nearer.
  best.end += best.start == ready ? length : Length(job, segment, unit, best.start);
  return best;
}

Nanos BoardPlan::EndOn(std::size_t job, std::size_t task, UnitId unit) {
  return FindFit(jobs_[job], task, unit).end + late_[unit.index()];
}

void BoardPlan::Put(std::size_t j, std::size_t task, UnitId unit) {
  Job& job = jobs_[j];
  const SegmentId segment = SegmentOf(job, task);
  const Fit fit = FindFit(job, task, unit);
  slots_[unit.index()][static_cast<std::size_t>(fit.slot)].Occupy(fit.start, fit.end);
  NoteTensors(job, segment, unit, fit);
  held_.Use(costs_.problem().model_of(segment), unit);
  job.planned[task] = {unit, fit.slot, fit.start, fit.end, sequence_++};
  for (const PlacingGraph::Edge& edge : graphs_[job.graph].edges[task]) {
    Nanos& ready = job.ready[static_cast<std::size_t>(edge.to)];
    ready = std::max(ready, fit.end);
  }
}

void BoardPlan::NoteTensors(Job& job, SegmentId segment, UnitId unit, const Fit& fit) {
  const Problem& problem = costs_.problem();
  const MemoryId memory = costs_.MemoryOf(unit);
  Nanos arrives = fit.start + held_.LoadTime(problem.model_of(segment), unit);
  for (const std::int32_t tensor : problem.segment(segment).reads) {
    if (!costs_.copies() || There(job, tensor, memory) != kNever) continue;
    arrives += BringIn(job, tensor, memory, fit.start);
    There(job, tensor, memory) = arrives;
  }
  for (const std::int32_t tensor : problem.segment(segment).makes) {
    There(job, tensor, memory) = fit.end;
    job.element_bytes[static_cast<std::size_t>(tensor)] =
        static_cast<std::int8_t>(problem.ElementBytes(unit));
    job.maker[static_cast<std::size_t>(tensor)] = unit;
  }
}

void BoardPlan::Remove(const BookedTask& task) {
  slots_[task.unit.index()][static_cast<std::size_t>(task.slot)].Free(task.start, task.end);
}

}  // namespace tandem
