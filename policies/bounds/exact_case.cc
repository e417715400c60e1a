// A problem written out as the jobs of an exact search.
#include <algorithm>

#include "policies/bounds/exact.h"
#include "policies/engine/rates.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

using Jobs = std::vector<std::int32_t>;

class Writer {
 public:
  Writer(const Problem& problem, Deadlines deadlines, OpenEdges edges);
  // False: it cannot be told as jobs.
  bool WriteAll();
  ProblemCase Take() { return std::move(case_); }

 private:
  const Stream& stream(StreamId id) const { return problem_.scenario().streams[id.index()]; }
  bool MayBeWritten(const Stream& stream) const;
  bool WriteOpen(StreamId id);
  bool WriteClosed(StreamId id);
  // Request k of the stream after those jobs, and what hangs on it; adds the jobs that end it to `ends`.
  bool WriteRequest(StreamId id, std::int64_t index, Nanos release, const Jobs& after, Jobs& ends);
  ExactJob JobOf(SegmentId segment, StreamId id, Nanos release) const;
  bool IsFaithful() const;
  bool IsPlain(SegmentId segment, UnitId unit) const;

  const Problem& problem_;
  Deadlines deadlines_;
  LeastTimes least_;
  std::vector<std::vector<std::pair<StreamId, DependencyDraws>>> children_;  // per stream
  std::int32_t next_request_ = 0;
  ProblemCase case_;
};

Writer::Writer(const Problem& problem, Deadlines deadlines, OpenEdges edges)
    : problem_(problem),
      deadlines_(deadlines),
      least_(problem, edges),
      children_(problem.scenario().streams.size()) {
  const Scenario& scenario = problem.scenario();
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    const auto* dependent = std::get_if<DependentArrival>(&scenario.streams[i].arrival);
    if (!dependent) continue;
    children_[dependent->parent.index()].emplace_back(StreamId(i),
                                                      DependencyDraws(scenario.streams[i], scenario.seed));
  }
  for (const Unit& unit : problem.platform().units) case_.jobs.slots.push_back(unit.slots);
}

bool Writer::MayBeWritten(const Stream& asked) const {
  if (asked.Drops()) return false;
  const auto* closed = std::get_if<ClosedArrival>(&asked.arrival);
  const bool follows = (closed && closed->in_flight < asked.until.count) ||
                       std::holds_alternative<DependentArrival>(asked.arrival);
  const auto* dependent = std::get_if<DependentArrival>(&asked.arrival);
  if (dependent && !dependent->joins.empty()) return false;  // it follows several
  if (follows && asked.deadline && deadlines_ == Deadlines::kKept) return false;
  if (!closed) return true;
  return asked.until.duration == Nanos{0} && (closed->in_flight == 1 || !follows);
}

bool Writer::WriteAll() {
  const auto& streams = problem_.scenario().streams;
  Nanos first{INT64_MAX};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (!MayBeWritten(streams[i])) return false;
    if (std::holds_alternative<DependentArrival>(streams[i].arrival)) continue;
    if (!(IsOpen(streams[i]) ? WriteOpen(StreamId(i)) : WriteClosed(StreamId(i)))) return false;
  }
  for (const ExactJob& job : case_.jobs.jobs) first = std::min(first, job.release);
  case_.first_release = case_.jobs.jobs.empty() ? Nanos{0} : first;
  case_.faithful = IsFaithful();
  return true;
}

bool Writer::WriteOpen(StreamId id) {
  ReleaseTimes releases(stream(id), problem_.scenario().seed);
  std::int64_t index = 0;
  while (const auto date = releases.Next()) {
    Jobs ends;
    if (!WriteRequest(id, index++, *date, {}, ends)) return false;
    ++next_request_;
  }
  return true;
}

bool Writer::WriteClosed(StreamId id) {
  const auto& closed = std::get<ClosedArrival>(stream(id).arrival);
  const bool in_a_row = closed.in_flight < stream(id).until.count;
  Jobs before;
  for (std::int64_t query = 0; query < stream(id).until.count; ++query) {
    Jobs ends;
    for (std::int64_t part = 0; part < closed.per_query; ++part) {
      if (!WriteRequest(id, query * closed.per_query + part, Nanos{0}, before, ends)) return false;
      if (!in_a_row) ++next_request_;
    }
    if (in_a_row) before = std::move(ends);
  }
  ++next_request_;
  return true;
}

bool Writer::WriteRequest(StreamId id, std::int64_t index, Nanos release, const Jobs& after, Jobs& ends) {
  const Cut& cut = problem_.cut(id);
  const std::size_t first = case_.tasks.size();
  if (first + static_cast<std::size_t>(cut.segments) > kMostExactJobs) return false;
  Jobs own_ends;
  for (std::int32_t i = 0; i < cut.segments; ++i) {
    const SegmentId segment(cut.first.index() + static_cast<std::size_t>(i));
    ExactJob job = JobOf(segment, id, release);
    if (problem_.segment(segment).waits_for == 0) job.after = after;
    case_.jobs.jobs.push_back(std::move(job));
    case_.tasks.push_back({release, static_cast<std::int32_t>(index), -1, id, segment});
    if (problem_.segment(segment).feeds.empty()) own_ends.push_back(static_cast<std::int32_t>(first) + i);
  }
  for (std::int32_t i = 0; i < cut.segments; ++i) {
    const std::size_t j = first + static_cast<std::size_t>(i);
    for (const SegmentId next : problem_.segment(case_.tasks[j].segment).feeds) {
      case_.jobs.jobs[first + next.index() - cut.first.index()].after.push_back(static_cast<std::int32_t>(j));
    }
  }
  for (auto& [child, draws] : children_[id.index()]) {
    Jobs of_child;  // nobody waits for it but its own children
    if (draws.Exists(index) && !WriteRequest(child, index, release, own_ends, of_child)) return false;
  }
  ends.insert(ends.end(), own_ends.begin(), own_ends.end());
  return true;
}

ExactJob Writer::JobOf(SegmentId segment, StreamId id, Nanos release) const {
  ExactJob job;
  job.release = release;
  job.request = next_request_;
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    job.time.push_back(problem_.Runs(segment, UnitId(u)) ? least_.Occupation(segment, UnitId(u))
                                                         : Problem::kCannot);
  }
  if (deadlines_ == Deadlines::kKept && stream(id).deadline) job.due = release + *stream(id).deadline;
  return job;
}

// Does the unit do nothing but dispatch and work for it, at full speed?
bool Writer::IsPlain(SegmentId segment, UnitId unit) const {
  const ModelId model = problem_.model_of(segment);
  if (!problem_.Resident(model, unit)) return false;
  if (problem_.HoldsSome(unit) && problem_.LoadTime(model, unit)) return false;
  return (!problem_.Copies(segment) && !problem_.Maps(segment)) || problem_.MemoryOf(unit) == MemoryId(0);
}

bool Writer::IsFaithful() const {
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      if (problem_.Runs(SegmentId(s), UnitId(u)) && !IsPlain(SegmentId(s), UnitId(u))) return false;
    }
  }
  if (FirstBatching(problem_.scenario()) != nullptr) return false;
  return !TaskRates(problem_).on() && !problem_.slowdowns().AtStart() && !problem_.hand_overs().any();
}

}  // namespace

std::optional<ProblemCase> WriteOut(const Problem& problem, Deadlines deadlines, OpenEdges edges) {
  Writer writer(problem, deadlines, edges);
  if (!writer.WriteAll()) return std::nullopt;
  return writer.Take();
}

}  // namespace tandem
