// The spans of a run put together: tasks, those that were lost, and the requests that they are of.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "scenarios/check/checked_run.h"
#include "scenarios/check/chip.h"

namespace tandem {

// Spans that belong to what was lost: all that a task had done by then, whose slot it had got at that date.
void CheckedRun::PutLostBehind() {
  order.resize(run_->spans.size());
  std::iota(order.begin(), order.end(), 0);
  using Attempt = std::tuple<std::int32_t, std::int64_t, std::int32_t, std::optional<Nanos>>;
  const auto attempt = [&](std::int32_t position) {
    const TracedSpan& span = run_->spans[static_cast<std::size_t>(position)];
    return Attempt(span.stream, span.index, span.segment, span.taken);
  };
  std::set<Attempt> lost_ones;
  for (const std::int32_t i : order) {
    if (run_->spans[static_cast<std::size_t>(i)].kind == SpanKind::kLost) lost_ones.insert(attempt(i));
  }
  first_lost_ = order.size();
  if (lost_ones.empty()) return;
  const auto behind = std::stable_partition(order.begin(), order.end(),
                                            [&](std::int32_t i) { return !lost_ones.contains(attempt(i)); });
  std::stable_sort(behind, order.end(),
                   [&](std::int32_t a, std::int32_t b) { return attempt(a) < attempt(b); });
  first_lost_ = static_cast<std::size_t>(behind - order.begin());
}

void CheckedRun::CollectTasks(Findings& findings) {
  for (const TracedJoin& join : run_->joins) ++along_[{join.with_stream, join.with}];
  PutLostBehind();
  const auto key = [&](std::int32_t position) {
    const TracedSpan& span = run_->spans[static_cast<std::size_t>(position)];
    return std::tuple(streams[static_cast<std::size_t>(span.stream)], span.index, span.segment, span.start,
                      span.end, position);
  };
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first_lost_),
            [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  const auto same = [](const TracedSpan& a, const TracedSpan& b) {
    return a.stream == b.stream && a.index == b.index && a.segment == b.segment;
  };
  for (std::size_t first = 0, last = 0; first < first_lost_; first = last) {
    while (last < first_lost_ && same(span(first), span(last))) ++last;
    AddTask(first, last, findings);
  }
}

// As far as its work, or what was under way in place of it, tells.
CheckedTask CheckedRun::TaskWith(const TracedSpan& work, std::size_t first_span, std::size_t last_span) {
  const StreamId stream = streams[static_cast<std::size_t>(work.stream)];
  const auto along = along_.find({work.stream, work.index});
  CheckedTask task;
  task.segment = work.segment;
  task.track = work.track;
  task.unit = units[static_cast<std::size_t>(work.track)];
  if (along != along_.end()) task.batch += along->second;
  task.work = WorkOf(work.segment, stream, task.batch);
  task.alone = WorkOf(work.segment, stream, 1);
  task.release = work.release;
  task.ready = work.ready;
  task.told = work.taken.has_value();
  task.taken = task.begun = work.taken.value_or(work.start);
  task.work_start = task.start = task.after_load = work.start;
  task.work_end = task.end = work.end;
  task.first_span = first_span;
  task.last_span = last_span;
  return task;
}

void CheckedRun::CollectLost() {
  const auto attempt = [](const TracedSpan& of) {
    return std::tie(of.stream, of.index, of.segment, of.taken);
  };
  for (std::size_t first = first_lost_, last = first_lost_; first < order.size(); first = last) {
    while (last < order.size() && attempt(span(first)) == attempt(span(last))) ++last;
    AddLost(first, last);
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const CheckedTask& a, const CheckedTask& b) { return a.taken < b.taken; });
  for (const CheckedTask& before : lost) {
    const CheckedRequest& request = requests[static_cast<std::size_t>(before.request)];
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      if (tasks[t].segment == before.segment) tasks[t].begun = std::min(tasks[t].begun, before.taken);
    }
  }
}

// Of a run that was cut short there may be no request of which it was a task.
void CheckedRun::AddLost(std::size_t first_span, std::size_t last_span) {
  const TracedSpan* ended = nullptr;  // what was under way on the unit
  for (std::size_t i = first_span; i < last_span; ++i) {
    const bool on_unit = units[static_cast<std::size_t>(span(i).track)].valid();
    if (span(i).kind == SpanKind::kLost && on_unit) ended = &span(i);
  }
  if (ended == nullptr) return;
  const std::pair name(streams[static_cast<std::size_t>(ended->stream)], ended->index);
  const auto request = std::lower_bound(
      requests.begin(), requests.end(), name,
      [](const CheckedRequest& of, const auto& key) { return std::pair(of.stream, of.index) < key; });
  if (request == requests.end() || std::pair(request->stream, request->index) != name) return;
  CheckedTask task = TaskWith(*ended, first_span, last_span);
  task.request = static_cast<std::int32_t>(request - requests.begin());
  for (std::size_t i = first_span; i < last_span; ++i) {
    task.start = std::min(task.start, span(i).start);
    task.loads = task.loads || span(i).kind == SpanKind::kLoad;
  }
  lost.push_back(task);
}

void CheckedRun::AddTask(std::size_t first_span, std::size_t last_span, Findings& findings) {
  const TracedSpan* compute = nullptr;
  for (std::size_t i = first_span; i < last_span; ++i) {
    if (span(i).kind != SpanKind::kCompute) continue;
    if (compute) findings.Violation("layers", Name(span(i)), span(i).start, "a task runs twice");
    compute = &span(i);
  }
  if (!compute || !units[static_cast<std::size_t>(compute->track)].valid()) {
    if (compute || run_->complete) {
      findings.Violation("layers", Name(span(first_span)), span(first_span).start,
                         compute ? "a task runs on a copy engine" : "copies or a load without a task");
    }
    return;
  }
  CheckedTask task = TaskWith(*compute, first_span, last_span);
  for (std::size_t i = first_span; i < last_span; ++i) {
    const TracedSpan& part = span(i);
    task.loads = task.loads || part.kind == SpanKind::kLoad;
    if (part.track == compute->track) {
      task.start = std::min(task.start, part.start);
      if (part.kind != SpanKind::kLoad) task.after_load = std::min(task.after_load, part.start);
      task.end = std::max(task.end, part.end);
    } else if (units[static_cast<std::size_t>(part.track)].valid()) {
      findings.Violation("slots", Name(part), part.start, "a task occupies two slots");
    } else {
      task.held_up = task.held_up || part.start < compute->start;
    }
    const bool way_back = part.start >= compute->end;
    if (part.release != task.release || (part.ready != task.ready && !way_back)) {
      findings.Violation("dates", Name(part), part.start,
                         "the parts of a task disagree on its release or when it was ready");
    } else if (part.taken != compute->taken && !way_back) {
      findings.Violation("dates", Name(part), part.start,
                         "the parts of a task disagree on when it got its slot");
    }
  }
  if (!task.told) task.taken = task.begun = task.start;
  tasks.push_back(task);
}

void CheckedRun::CollectRequests(Findings& findings) {
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TracedSpan& first = span(tasks[t].first_span);
    const StreamId id = streams[static_cast<std::size_t>(first.stream)];
    if (segment(tasks[t]).model != stream(id).model) {
      findings.Violation("names", Name(first), first.start, "the request is for another model");
      usable_ = false;
    }
    if (requests.empty() || requests.back().stream != id || requests.back().index != first.index) {
      requests.push_back({id, first.index, first.release, t, t, Nanos{0}});
    }
    CheckedRequest& request = requests.back();
    request.last_task = t + 1;
    if (first.release != request.release) {
      findings.Violation("dates", Name(request), first.start,
                         "the tasks of a request disagree on its release");
    }
    for (std::size_t i = tasks[t].first_span; i < tasks[t].last_span; ++i) {
      request.end = std::max(request.end, span(i).end);
    }
  }
  for (const TracedDrop& drop : run_->drops) {
    CheckedRequest request{
        streams[static_cast<std::size_t>(drop.stream)], drop.index, drop.release, 0, 0, drop.at};
    request.dropped = true;
    requests.push_back(request);
  }
  for (const TracedJoin& join : run_->joins) {
    CheckedRequest request{
        streams[static_cast<std::size_t>(join.stream)], join.index, join.release, 0, 0, join.at};
    request.with = join.with;
    request.with_stream = streams[static_cast<std::size_t>(join.with_stream)];
    requests.push_back(request);
  }
  std::stable_sort(requests.begin(), requests.end(), [](const CheckedRequest& a, const CheckedRequest& b) {
    return std::tie(a.stream, a.index) < std::tie(b.stream, b.index);
  });
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const CheckedRequest& request = requests[r];
    if (r > 0 && requests[r - 1].stream == request.stream && requests[r - 1].index == request.index) {
      findings.Violation("drops", Name(request), request.end, "the request is there twice, dropped or run");
    }
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      tasks[t].request = static_cast<std::int32_t>(r);
    }
    MarkHeldUp(request);
    for (std::size_t t = request.first_task; t < request.last_task; ++t) BelieveTaking(tasks[t]);
  }
}

// The copies of a request: those of tasks that were lost brought what others waited for as well.
std::vector<const TracedSpan*> CheckedRun::CopiesOf(const CheckedRequest& request) const {
  std::vector<const TracedSpan*> copies;
  const auto take = [&](std::size_t i) {
    if (span(i).kind == SpanKind::kTransfer) copies.push_back(&span(i));
  };
  for (std::size_t t = request.first_task; t < request.last_task; ++t) {
    for (std::size_t i = tasks[t].first_span; i < tasks[t].last_span; ++i) take(i);
  }
  const TracedSpan& any = span(tasks[request.first_task].first_span);
  const auto name = [](const TracedSpan& of) { return std::pair(of.stream, of.index); };
  const auto first = std::partition_point(
      order.begin() + static_cast<std::ptrdiff_t>(first_lost_), order.end(), [&](std::int32_t position) {
        return name(run_->spans[static_cast<std::size_t>(position)]) < name(any);
      });
  auto i = static_cast<std::size_t>(first - order.begin());
  for (; i < order.size() && name(span(i)) == name(any); ++i) take(i);
  return copies;
}

// A task whose input another task's copy brought may have held its slot before it could begin.
void CheckedRun::MarkHeldUp(const CheckedRequest& request) {
  if (request.first_task == request.last_task) return;
  const std::vector<const TracedSpan*> copies = CopiesOf(request);
  for (std::size_t t = request.first_task; t < request.last_task; ++t) {
    CheckedTask& task = tasks[t];
    const std::string& memory = platform().memories[memory_of(task.unit).index()].name;
    for (const TracedSpan* copy : copies) {
      const bool others = copy->segment != task.segment;
      const bool awaited = copy->end > task.ready && copy->end <= task.work_start;
      if (others && awaited && run_->names[static_cast<std::size_t>(copy->to)] == memory) task.held_up = true;
    }
  }
}

// A slot that has a task and nothing to wait for is as idle as one that has none.
void CheckedRun::BelieveTaking(CheckedTask& task) const {
  const Unit& unit = platform().unit(task.unit);
  const auto loads = [&](const Profile& profile) {
    return std::any_of(profile.loads.begin(), profile.loads.end(),
                       [&](const LoadEntry& load) { return load.unit == unit.name; });
  };
  const bool may_load =
      HasChip(*this, task.unit) || std::any_of(scenario_->profiles.begin(), scenario_->profiles.end(), loads);
  if (!task.held_up && !may_load) task.taken = task.begun = task.start;
}

}  // namespace tandem
