#include "policies/placing/plan_ahead_policy.h"

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kMostPlanned = 3'000'000;  // tasks at a time; each takes some 200 bytes

}  // namespace

PlanAheadPolicy::PlanAheadPolicy(const Problem& problem, MakeRule make_rule, BindJobs bind)
    : problem_(&problem),
      make_rule_(std::move(make_rule)),
      bind_(std::move(bind)),
      plan_(problem),
      lines_(problem.units()) {
  for (const PlacingGraph& graph : plan_.graphs()) rules_.push_back(RuleFor(graph));
}

std::size_t PlanAheadPolicy::PlaceOf(const Task& task) const {
  return task.segment.index() - problem_->cut(task.stream).first.index();
}

void PlanAheadPolicy::MakeReady(Request& request, const Task& task) {
  const std::size_t place = PlaceOf(task);
  const BookedTask& planned = request.tasks[place];
  Line& line = LineOf(planned);
  request.stage[place] = kReady;
  line.awaited.erase(KeyOf(planned));
  line.ready.emplace(KeyOf(planned), task);
}

void PlanAheadPolicy::MakeCertain(Request& request) {
  request.certain = true;
  for (std::size_t t = 0; t < request.tasks.size(); ++t) {
    if (request.stage[t] == kToCome) LineOf(request.tasks[t]).awaited.insert(KeyOf(request.tasks[t]));
  }
}

void PlanAheadPolicy::Ready(const Task& task, const Board& board) {
  const auto found = requests_.find(KeyOf(task));
  if (found != requests_.end()) return MakeReady(found->second, task);
  if (!pending_.empty() && released_ != board.now) PlacePending(board);
  released_ = board.now;
  pending_.push_back(task);
}

// How much later than planned a unit is with what it has begun, or has not begun.
std::vector<Nanos> PlanAheadPolicy::LateBy(const Board& board) const {
  std::vector<Nanos> late;
  for (std::size_t u = 0; u < lines_.size(); ++u) {
    const Line& line = lines_[u];
    const std::int64_t slots = problem_->platform().units[u].AtFullSpeed();
    Nanos by = board.now + board.Remaining(UnitId(u)) / slots - std::max(line.busy_until, board.now);
    if (!line.ready.empty()) by = std::max(by, board.now - line.ready.begin()->first.start);
    if (!line.awaited.empty()) by = std::max(by, board.now - line.awaited.begin()->start);
    late.push_back(std::max(by, Nanos{0}));
  }
  return late;
}

void PlanAheadPolicy::CheckRoom(std::size_t more) const {
  if (planned_ + more <= kMostPlanned) return;
  throw InputError(problem_->scenario().file + ": a policy that plans ahead would have to keep " +
                   std::to_string(planned_ + more) + " tasks in mind at once, more than " +
                   std::to_string(kMostPlanned) + "; a coarser granularity has fewer");
}

BoardPlan::Asked PlanAheadPolicy::AskedFor(const Task& task, const Board& board) const {
  const Cut& cut = problem_->cut(task.stream);
  Task last = task;
  last.segment = SegmentId(cut.first.index() + static_cast<std::size_t>(cut.segments) - 1);
  return {task.stream, board.InputsOf(task), board.Stays(last)};
}

void PlanAheadPolicy::PlacePending(const Board& board) {
  std::vector<BoardPlan::Asked> asked;
  std::vector<PlacingJob> jobs;
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Task& task = pending_[i];
    // All tasks that a request begins with come one after the other.
    if (i > 0 && KeyOf(task) == KeyOf(pending_[i - 1])) continue;
    const std::size_t graph = plan_.GraphOf(task.stream);
    asked.push_back(AskedFor(task, board));
    jobs.push_back({.graph = &plan_.graphs()[graph], .rule = &rules_[graph]});
    tasks += jobs.back().graph->tasks();
  }
  CheckRoom(tasks);
  plan_.Begin(released_, asked, LateBy(board));
  Bind(jobs);
  PlaceJobs(jobs, plan_);
  std::size_t job = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (i > 0 && KeyOf(pending_[i]) == KeyOf(pending_[i - 1])) continue;
    Add(pending_[i], plan_.Planned(job++));
  }
  for (const Task& task : pending_) MakeReady(requests_.at(KeyOf(task)), task);
  pending_.clear();
}

void PlanAheadPolicy::Add(const Task& task, const std::vector<BookedTask>& tasks) {
  Request& request = requests_[KeyOf(task)];
  request.any = task;
  request.tasks = tasks;
  request.stage.assign(tasks.size(), kToCome);
  request.left = static_cast<std::int32_t>(tasks.size());
  planned_ += tasks.size();
  if (loose_.erase(KeyOf(task)) > 0) {
    request.certain = true;  // no unit waits for it
  } else if (!problem_->scenario().streams[task.stream.index()].Drops()) {
    MakeCertain(request);
  }
}

bool PlanAheadPolicy::Take(UnitId unit, const Board& board, Task& task) {
  if (!pending_.empty()) PlacePending(board);
  Line& line = lines_[unit.index()];
  if (line.ready.empty()) return false;
  const auto first = line.ready.begin();
  if (!line.awaited.empty() && *line.awaited.begin() < first->first) return false;
  task = first->second;
  line.ready.erase(first);
  const auto found = requests_.find(KeyOf(task));
  Request& request = found->second;
  const std::size_t place = PlaceOf(task);
  request.stage[place] = kTaken;
  taken_ = request.tasks[place];
  taken_task_ = task;
  line.busy_until = std::max(line.busy_until, taken_.end);
  --planned_;
  if (--request.left == 0) {
    taken_last_ = std::move(request);
    requests_.erase(found);
  } else if (!request.certain) {
    MakeCertain(request);
  }
  return true;
}

// Told of every task that the request begins with; with the first of them all leave.
void PlanAheadPolicy::Drop(const Task& task) {
  std::erase_if(pending_, [&](const Task& other) { return KeyOf(other) == KeyOf(task); });
  loose_.erase(KeyOf(task));
  const auto found = requests_.find(KeyOf(task));
  if (found == requests_.end()) return;
  for (const BookedTask& planned : found->second.tasks) {
    plan_.Remove(planned);
    LineOf(planned).ready.erase(KeyOf(planned));
  }
  planned_ -= found->second.tasks.size();
  requests_.erase(found);
}

// No unit waits for its tasks any more. A request of one task is placed anew when it is ready again.
void PlanAheadPolicy::SetAside(const Task& task) {
  const bool taken = KeyOf(taken_task_) == KeyOf(task) && taken_task_.segment == task.segment;
  auto found = requests_.find(KeyOf(task));
  if (found == requests_.end() && !taken) {
    loose_.insert(KeyOf(task));  // some of its tasks may be told of while others still wait
    return;
  }
  if (found == requests_.end()) {
    if (taken_last_.tasks.size() == 1) return plan_.Remove(taken_);
    found = requests_.emplace(KeyOf(task), std::move(taken_last_)).first;
  }
  Request& request = found->second;
  request.certain = true;
  for (std::size_t t = 0; t < request.tasks.size(); ++t) {
    if (request.stage[t] == kToCome) LineOf(request.tasks[t]).awaited.erase(KeyOf(request.tasks[t]));
  }
  if (!taken) return;
  request.stage[PlaceOf(task)] = kToCome;
  ++request.left;
  ++planned_;
}

}  // namespace tandem
