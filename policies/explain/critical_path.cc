#include "policies/explain/critical_path.h"

#include <algorithm>
#include <map>

#include "policies/engine/batches.h"
#include "policies/explain/path_waits.h"
#include "policies/explain/spans_by_task.h"
#include "policies/problem/roots.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

class Walk {
 public:
  Walk(const Problem& problem, const SpanLog& log, const Outcome& outcome, Nanos end)
      : problem_(problem),
        log_(log),
        outcome_(outcome),
        index_(problem, log),
        waits_(problem, index_, log),
        at_(end) {}

  std::vector<PathPiece> From(const RequestEnd& last);
  std::vector<PathPiece> Of(const RequestEnd& request);

 private:
  using TaskName = SpansByTask::TaskName;

  TaskName ThroughRequest(StreamId stream, std::int32_t index);
  void BackTo(Nanos release, StreamId stream, std::int32_t index);
  Nanos ReleaseOf(StreamId stream, std::int32_t index) const;
  std::vector<PathPiece> InOrder();
  void Through(const TaskName& task, std::size_t steps);
  void ThroughSpan(const Span& span);
  std::optional<TaskName> MadeReadyBy(const TaskName& task) const;
  std::optional<std::pair<StreamId, std::int32_t>> ReleasedBy(StreamId stream, std::int32_t index) const;
  std::size_t StepsUntilFollowers(const TaskName& task) const;
  Nanos OwnTime(const Span& span) const;
  bool ReadsMapped(const Span& span) const;
  Nanos CopyTime(const Span& span) const;
  Nanos WorkTime(const Span& span) const;
  void Add(PathPiece piece, Nanos from);
  PathPiece PieceOf(const Span& span) const;
  void AddWaits(const TaskName& task, const Span& next, bool taken, Nanos since);

  const Problem& problem_;
  const SpanLog& log_;
  const Outcome& outcome_;
  SpansByTask index_;
  PathWaits waits_;
  Nanos at_;                          // the path is known from here on
  std::vector<PathPiece> backwards_;  // the last one first
};

void Walk::Add(PathPiece piece, Nanos from) {
  TANDEM_CHECK(from <= at_, "a path goes back in time");
  piece.from = from;
  piece.to = at_;
  at_ = from;
  if (piece.from < piece.to) backwards_.push_back(std::move(piece));
}

PathPiece Walk::PieceOf(const Span& span) const {
  PathPiece piece;
  piece.stream = span.stream;
  piece.index = span.index;
  piece.segment = SegmentId(static_cast<std::size_t>(span.segment));
  piece.unit = span.unit;
  return piece;
}

void Walk::AddWaits(const TaskName& task, const Span& next, bool taken, Nanos since) {
  std::vector<PathPiece> pieces = waits_.Explain(task, index_.UnitOf(task), next, taken, since, at_);
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    const Nanos from = piece->from;
    Add(std::move(*piece), from);
  }
}

// An input that lies where the unit does not work, read through a mapping.
bool Walk::ReadsMapped(const Span& span) const {
  const MemoryId memory = problem_.MemoryOf(span.unit);
  const Cut& cut = problem_.cut(span.stream);
  const Segment& segment = problem_.segment(SegmentId(static_cast<std::size_t>(span.segment)));
  for (std::size_t i = 0; i < segment.reads.size(); ++i) {
    if (segment.modes[i] != TransferMode::kZeroCopy) continue;
    const SegmentId producer = cut.tensors[static_cast<std::size_t>(segment.reads[i])].producer;
    const UnitId unit =
        producer.valid() ? index_.UnitOf({span.stream, span.index, producer.value}) : UnitId();
    const MemoryId lies = unit.valid() ? problem_.MemoryOf(unit) : MemoryId(0);
    if (lies != memory) return true;
  }
  return false;
}

Nanos Walk::CopyTime(const Span& span) const {
  const CutTensor& tensor = problem_.cut(span.stream).tensors[static_cast<std::size_t>(span.tensor)];
  const UnitId maker =
      tensor.producer.valid() ? index_.UnitOf({span.stream, span.index, tensor.producer.value}) : UnitId();
  const std::int64_t bytes = tensor.Bytes(maker.valid() ? problem_.ElementBytes(maker) : kFp32Bytes);
  const MemoryId from(static_cast<std::size_t>(span.from_memory)),
      to(static_cast<std::size_t>(span.to_memory));
  return problem_.routes().Time(from, to, bytes * index_.BatchOf(span.stream, span.index));
}

// Of all that ran at once.
Nanos Walk::WorkTime(const Span& span) const {
  const SegmentId segment(static_cast<std::size_t>(span.segment));
  const bool mapped = ReadsMapped(span);
  const auto size = static_cast<std::size_t>(index_.BatchOf(span.stream, span.index));
  if (size == 1) return mapped ? problem_.MappedTime(segment, span.unit) : problem_.Time(segment, span.unit);
  const Scenario& scenario = problem_.scenario();
  const BatchTimes times = TimesOfBatches(scenario, scenario.streams[span.stream.index()], span.unit);
  return mapped && size < times.mapped.size() ? times.mapped[size] : times.plain[size];
}

// What the step would have taken with nothing beside it.
Nanos Walk::OwnTime(const Span& span) const {
  const SegmentId segment(static_cast<std::size_t>(span.segment));
  if (span.kind == SpanKind::kLoad) {
    return problem_.LoadTime(problem_.model_of(segment), span.unit).value_or(span.end - span.start);
  }
  if (span.kind == SpanKind::kTransfer) return CopyTime(span);
  return WorkTime(span);
}

// Dispatch, then the step's own time, then what others cost it.
void Walk::ThroughSpan(const Span& span) {
  const Nanos length = span.end - span.start;
  Nanos dispatch{0};
  PathPiece piece = PieceOf(span);
  PathCause own = PathCause::kCompute;
  if (span.kind == SpanKind::kCompute) {
    dispatch = std::min(problem_.Dispatch(span.unit), length);
  } else {
    own = span.kind == SpanKind::kLoad ? PathCause::kLoad : PathCause::kTransfer;
    piece.tensor = span.tensor;
    if (span.kind == SpanKind::kTransfer) {
      piece.from_memory = MemoryId(static_cast<std::size_t>(span.from_memory));
      piece.to_memory = MemoryId(static_cast<std::size_t>(span.to_memory));
    }
  }
  const Nanos time = std::clamp(OwnTime(span), Nanos{0}, length - dispatch);
  piece.cause = PathCause::kContention;
  Add(piece, span.start + dispatch + time);
  piece.cause = own;
  Add(piece, span.start + dispatch);
  piece.cause = PathCause::kDispatch;
  Add(std::move(piece), span.start);
}

// Its first so many steps, then back to when it was ready.
void Walk::Through(const TaskName& task, std::size_t steps) {
  const auto spans = index_.Of(task);
  for (std::size_t s = steps; s-- > 0;) {
    const Span& span = index_.span(spans[s]);
    if (s + 1 < spans.size()) AddWaits(task, index_.span(spans[s + 1]), true, span.end);
    ThroughSpan(span);
  }
  const Span& first = index_.span(spans[0]);
  AddWaits(task, first, true, std::max(first.taken, first.ready));
  AddWaits(task, first, false, first.ready);
}

// Those that read from it go on when its slot is done; engines may still be bringing outputs back.
std::size_t Walk::StepsUntilFollowers(const TaskName& task) const {
  const auto spans = index_.Of(task);
  std::size_t steps = spans.size();
  while (steps > 0 && index_.IsEngine(index_.span(spans[steps - 1]).unit)) --steps;
  return steps;
}

std::optional<SpansByTask::TaskName> Walk::MadeReadyBy(const TaskName& task) const {
  const Cut& cut = problem_.cut(task.stream);
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const SegmentId maker(cut.first.index() + static_cast<std::size_t>(s));
    const auto& feeds = problem_.segment(maker).feeds;
    const SegmentId fed(static_cast<std::size_t>(task.segment));
    if (!std::binary_search(feeds.begin(), feeds.end(), fed)) continue;
    const TaskName name{task.stream, task.index, maker.value};
    const auto spans = index_.Of(name);
    const std::size_t steps = StepsUntilFollowers(name);
    if (steps > 0 && index_.span(spans[steps - 1]).end == at_) return name;
  }
  return std::nullopt;
}

// The request whose completion released it, at this instant.
std::optional<std::pair<StreamId, std::int32_t>> Walk::ReleasedBy(StreamId stream, std::int32_t index) const {
  const Stream& of = problem_.scenario().streams[stream.index()];
  if (const auto* dependent = std::get_if<DependentArrival>(&of.arrival)) {
    if (dependent->joins.empty()) return std::pair(dependent->parent, index);
    for (const StreamId joined : dependent->WaitsFor()) {
      if (index_.Completed(joined, index, at_)) return std::pair(joined, index);
    }
    return std::nullopt;  // something was dropped then
  }
  if (IsOpen(of) || at_ == outcome_.first_release) return std::nullopt;
  const auto before = index_.CompletedAt(stream, at_);
  if (!before || *before >= index) return std::nullopt;
  return std::pair(stream, *before);
}

// From its last task back to the first, which is returned.
SpansByTask::TaskName Walk::ThroughRequest(StreamId stream, std::int32_t index) {
  TaskName task = SpansByTask::NameOf(index_.LastOf(stream, index));
  Through(task, index_.Of(task).size());
  while (const auto maker = MadeReadyBy(task)) {
    task = *maker;
    Through(task, StepsUntilFollowers(task));
  }
  return task;
}

std::vector<PathPiece> Walk::InOrder() {
  std::reverse(backwards_.begin(), backwards_.end());
  return std::move(backwards_);
}

// Through the request to its own release: what ran in a batch may have come before or after the one that a
// unit took.
void Walk::BackTo(Nanos release, StreamId stream, std::int32_t index) {
  const TaskName first = ThroughRequest(stream, index);
  while (!backwards_.empty() && backwards_.back().to <= release) backwards_.pop_back();
  if (at_ < release && !backwards_.empty()) {
    backwards_.back().from = release;
    at_ = release;
  }
  PathPiece held;
  held.cause = PathCause::kHeldBack;
  held.stream = stream;
  held.index = index;
  held.segment = SegmentId(static_cast<std::size_t>(first.segment));
  held.unit = index_.UnitOf(first);
  Add(std::move(held), release);
}

Nanos Walk::ReleaseOf(StreamId stream, std::int32_t index) const {
  const auto end = std::find_if(log_.ends().begin(), log_.ends().end(), [&](const RequestEnd& of) {
    return of.stream == stream && of.index == index;
  });
  TANDEM_CHECK(end != log_.ends().end(), "a request on a path has ended");
  return end->release;
}

// Through all that stands between, where it counts from the release of another.
std::vector<PathPiece> Walk::Of(const RequestEnd& request) {
  StreamId stream = request.stream;
  std::int32_t index = request.index;
  for (;;) {
    // What it joins may hang on another one, which came before.
    const Nanos release = std::max(ReleaseOf(stream, index), request.release);
    BackTo(release, stream, index);
    if (release <= request.release) break;
    const auto before = ReleasedBy(stream, index);
    if (!before) {  // what it waited for was dropped
      PathPiece piece;
      piece.stream = stream;
      piece.index = index;
      Add(std::move(piece), request.release);
      break;
    }
    std::tie(stream, index) = *before;
  }
  return InOrder();
}

std::vector<PathPiece> Walk::From(const RequestEnd& last) {
  StreamId stream = last.stream;
  std::int32_t index = last.index;
  for (;;) {
    const TaskName first = ThroughRequest(stream, index);
    const auto released_by = ReleasedBy(first.stream, first.index);
    if (!released_by) {
      PathPiece piece;
      piece.stream = stream;
      piece.index = index;
      Add(std::move(piece), std::min(outcome_.first_release, at_));
      break;
    }
    std::tie(stream, index) = *released_by;
  }
  return InOrder();
}

// When the requests came on which those hang whose deadline is from end to end.
class RootReleases {
 public:
  RootReleases(const Scenario& scenario, const SpanLog& log) : scenario_(scenario) {
    std::vector<char> is_root(scenario.streams.size());
    for (std::size_t s = 0; s < is_root.size(); ++s) {
      if (scenario.streams[s].end_to_end_deadline) is_root[RootOf(scenario, StreamId(s)).index()] = 1;
    }
    for (const RequestEnd& end : log.ends()) {
      if (is_root[end.stream.index()] != 0) released_[{end.stream, end.index}] = end.release;
    }
  }

  Nanos Of(const RequestEnd& end) const {
    const auto root = released_.find({RootOf(scenario_, end.stream), end.index});
    TANDEM_CHECK(root != released_.end(), "a request ends after the one on which it hangs");
    return root->second;
  }

 private:
  const Scenario& scenario_;
  std::map<std::pair<StreamId, std::int32_t>, Nanos> released_;
};

void CheckWhole(const Problem& problem, const SpanLog& log) {
  if (!log.full()) return;
  throw InputError(problem.scenario().file + ": the run has more than " + std::to_string(log.most()) +
                   " steps, too many to be explained; ask for fewer requests or coarser tasks");
}

}  // namespace

std::vector<PathPiece> CriticalPath(const Problem& problem, const SpanLog& log, const Outcome& outcome) {
  CheckWhole(problem, log);
  if (log.completed() == 0) return {};
  const auto last = std::find_if(log.ends().rbegin(), log.ends().rend(), [&](const RequestEnd& end) {
    return !end.dropped && end.at == outcome.last_completion;
  });
  TANDEM_CHECK(last != log.ends().rend(), "some request is the last to be completed");
  return Walk(problem, log, outcome, outcome.last_completion).From(*last);
}

std::optional<RequestEnd> WorstRequest(const Scenario& scenario, const SpanLog& log) {
  std::optional<RequestEnd> worst;
  const auto badness = [](const RequestEnd& end) {
    return std::pair(end.due ? std::max(end.at - *end.due, Nanos{0}) : Nanos{0}, end.at - end.release);
  };
  const RootReleases roots(scenario, log);
  for (RequestEnd end : log.ends()) {
    if (end.dropped) continue;
    if (scenario.streams[end.stream.index()].end_to_end_deadline) end.release = roots.Of(end);
    if (!worst || badness(end) > badness(*worst)) worst = end;
  }
  return worst;
}

std::vector<PathPiece> PathOfRequest(const Problem& problem, const SpanLog& log, const Outcome& outcome,
                                     const RequestEnd& request) {
  CheckWhole(problem, log);
  return Walk(problem, log, outcome, request.at).Of(request);
}

std::array<Nanos, kPathCauses> TimePerCause(const std::vector<PathPiece>& path) {
  std::array<Nanos, kPathCauses> total{};
  for (const PathPiece& piece : path) total[static_cast<std::size_t>(piece.cause)] += piece.length();
  return total;
}

std::string UnitOrEngineName(const Platform& platform, UnitId unit) {
  if (unit.index() < platform.units.size()) return platform.unit(unit).name;
  std::size_t engine = platform.units.size();
  for (const Link& link : platform.links) {
    if (link.engine && engine++ == unit.index()) {
      return platform.memories[link.from.index()].name + "-" + platform.memories[link.to.index()].name +
             " copy";
    }
  }
  return "";
}

}  // namespace tandem
