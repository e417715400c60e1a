#include "policies/explain/alternatives.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "policies/engine/draws/sampled_times.h"
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "policies/problem/resident_options.h"
#include "profiles/base/input_error.h"
#include "profiles/program/cores.h"
#include "profiles/program/threads.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"
#include "scenarios/report/unchanged.h"

namespace tandem {
namespace {

constexpr std::size_t kMostKept = 5;
constexpr std::int64_t kMostTasks = 4'000'000;  // of all schedules together

// What a unit does of one segment, and how much of the path that is.
struct Share {
  SegmentId segment;
  UnitId unit;
  Nanos on_path{0};
};

class Trial {
 public:
  Trial(const Problem& problem, const std::vector<Decision>& taken,
        const std::function<bool(std::int64_t)>& go_on, const AlternativeDraws& draws)
      : problem_(problem),
        taken_(taken),
        go_on_(go_on),
        draws_(draws),
        certain_(CertainRequests(problem.scenario())),
        left_(AlternativesFor(taken.size())) {
    decisions_.granularity = problem.granularity();
    decisions_.cuts = problem.cut_plan();
    decisions_.residents = ChosenResidents(problem);
  }

  Alternatives Run(const std::vector<PathPiece>& path);

 private:
  struct Costed {
    ScheduleCost cost;
    Valued value;
  };
  struct Drawn {  // per draw
    std::vector<Nanos> makespans;
    std::vector<double> objectives;
  };
  // How the schedule of an alternative comes out of the run's.
  struct Tried {
    ScheduleCost cost;
    Alternative alternative;
    std::vector<bool> moved;           // per task, where some go to another unit
    std::size_t earlier = 0, own = 0;  // of kEarlier: the place that the task takes, and its own
  };
  using Moves = std::function<bool(const Decision&)>;

  std::vector<Decision> TasksOf(const Tried& tried) const;
  Decisions Fixed(const std::vector<Decision>& tasks) const;
  std::optional<Costed> Simulated(const Decisions& decisions, const RunOptions& options = {}) const;
  std::optional<Drawn> DrawsOf(const std::vector<Decision>& tasks, const SampledTimes& times,
                               std::int64_t done, std::int64_t all);
  void SetDrawn(const Drawn& drawn, Valued& value) const;
  void Draw(const std::vector<const Tried*>& kept);
  std::vector<Share> SharesOf(const std::vector<PathPiece>& path) const;
  void TryEarlier(const PathPiece& wait);
  void TryMoves(const Share& share);
  void TryMove(Alternative alternative, const Moves& moves);
  void Add(Tried tried);
  void TryAll();

  const Problem& problem_;
  const std::vector<Decision>& taken_;
  const std::function<bool(std::int64_t)>& go_on_;
  const AlternativeDraws& draws_;
  std::vector<std::int64_t> certain_;
  std::int64_t left_;
  Decisions decisions_;  // without a schedule
  Threads threads_{CoresToUse()};
  Alternatives found_;
  std::vector<Tried> to_try_, costed_;
  std::set<std::tuple<Change, ModelId, SegmentId, UnitId, UnitId>> tried_;
};

Decisions Trial::Fixed(const std::vector<Decision>& tasks) const {
  Decisions decisions = decisions_;
  decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(tasks, problem_));
  return decisions;
}

// Nothing: tasks would wait for each other, or no request would be completed.
std::optional<Trial::Costed> Trial::Simulated(const Decisions& decisions, const RunOptions& options) const {
  try {
    ScheduledPolicy policy(problem_, decisions, certain_);
    const Outcome outcome = RunVirtual(problem_, policy, options);
    const auto none = [](const StreamOutcome& stream) { return stream.completed() == 0; };
    if (std::all_of(outcome.streams.begin(), outcome.streams.end(), none)) return std::nullopt;
    const ScheduleCost cost = CostOf(problem_.scenario(), outcome);
    const double sign = HigherIsBetter(problem_.scenario().objective) ? -1 : 1;
    return Costed{cost, {outcome.makespan(), sign * cost.value, {}, {}}};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<Decision> Trial::TasksOf(const Tried& tried) const {
  std::vector<Decision> tasks = taken_;
  if (tried.alternative.change == Change::kEarlier) {
    const auto at = [&](std::size_t place) { return tasks.begin() + static_cast<std::ptrdiff_t>(place); };
    std::rotate(at(tried.earlier), at(tried.own), at(tried.own) + 1);
  }
  for (std::size_t i = 0; i < tried.moved.size(); ++i) {
    if (tried.moved[i]) tasks[i].unit = tried.alternative.to;
  }
  return tasks;
}

void Trial::Add(Tried tried) {
  --left_;
  to_try_.push_back(std::move(tried));
}

// Those that nobody wants any more are not tried.
void Trial::TryAll() {
  std::vector<std::optional<Costed>> costed(to_try_.size());
  std::size_t ended = costed.size();
  const auto go_on = [&](std::size_t done) {
    ended = done;
    return go_on_(static_cast<std::int64_t>(done));
  };
  if (threads_.Run(
          costed.size(), [&](std::size_t i) { costed[i] = Simulated(Fixed(TasksOf(to_try_[i]))); }, go_on))
    ended = costed.size();
  found_.tried = static_cast<std::int64_t>(ended);
  for (std::size_t i = 0; i < ended; ++i) {
    if (!costed[i]) {
      ++found_.impossible;
      continue;
    }
    to_try_[i].cost = costed[i]->cost;
    to_try_[i].alternative.value = costed[i]->value;
    costed_.push_back(std::move(to_try_[i]));
  }
}

// Nothing: it is not known how sure its times are, not every draw has its value, or nobody wants more of
// them.
std::optional<Trial::Drawn> Trial::DrawsOf(const std::vector<Decision>& tasks, const SampledTimes& times,
                                           std::int64_t done, std::int64_t all) {
  std::vector<char> used(problem_.units());
  for (const Decision& task : tasks) used[task.unit.index()] = 1;
  if (!times.Unknown(used).empty()) return std::nullopt;
  const Decisions decisions = Fixed(tasks);
  std::vector<std::optional<Costed>> costed(static_cast<std::size_t>(draws_.count));
  const auto draw = [&](std::size_t d) {
    const SampledTimes luck = times.Another(d + 1);
    RunOptions options;
    luck.SetIn(options);
    costed[d] = Simulated(decisions, options);
  };
  const auto go_on = [&](std::size_t drawn) {
    const bool impossible = drawn > 0 && !costed[drawn - 1];
    return !impossible && (!draws_.go_on || draws_.go_on(done + static_cast<std::int64_t>(drawn), all));
  };
  if (!threads_.Run(costed.size(), draw, go_on)) return std::nullopt;
  Drawn drawn;
  for (const auto& each : costed) {
    if (!each) return std::nullopt;
    drawn.makespans.push_back(each->value.makespan);
    drawn.objectives.push_back(each->value.objective);
  }
  return drawn;
}

// As a run's own interval does, each covers the figure.
void Trial::SetDrawn(const Drawn& drawn, Valued& value) const {
  const auto covering = [](auto over, auto figure) {
    over.low = std::min(over.low, figure);
    over.high = std::max(over.high, figure);
    return over;
  };
  value.makespan_drawn = covering(FigureOver(drawn.makespans, draws_.probability), value.makespan);
  value.objective_drawn = covering(FigureOver(drawn.objectives, draws_.probability), value.objective);
}

void Trial::Draw(const std::vector<const Tried*>& kept) {
  if (draws_.count == 0) return;
  const SampledTimes times(problem_);
  const std::int64_t all = draws_.count * (static_cast<std::int64_t>(kept.size()) + 1);
  const auto base = DrawsOf(taken_, times, 0, all);
  if (!base) return;
  SetDrawn(*base, found_.base);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::int64_t done = draws_.count * (static_cast<std::int64_t>(i) + 1);
    const auto drawn = DrawsOf(TasksOf(*kept[i]), times, done, all);
    if (!drawn) continue;
    Alternative& alternative = found_.best[i];
    SetDrawn(*drawn, alternative.value);
    alternative.change_drawn = ChangeOver(base->objectives, drawn->objectives, draws_.probability);
    if (alternative.change_drawn && found_.base.objective > 0) {  // of 0 there is no share
      alternative.change_drawn->Cover(alternative.value.objective / found_.base.objective - 1);
    }
  }
  // What is to be expected comes before what the medians of every task make.
  const auto all_drawn = std::ranges::all_of(
      found_.best, [](const Alternative& tried) { return tried.value.objective_drawn.has_value(); });
  if (!all_drawn) return;
  const bool higher = HigherIsBetter(problem_.scenario().objective);
  std::stable_sort(found_.best.begin(), found_.best.end(), [&](const Alternative& a, const Alternative& b) {
    const double of_a = a.value.objective_drawn->median, of_b = b.value.objective_drawn->median;
    return higher ? of_a > of_b : of_a < of_b;
  });
}

// Time of the path on which the unit works at the segment, or on which its work there holds the path up.
std::vector<Share> Trial::SharesOf(const std::vector<PathPiece>& path) const {
  std::map<std::pair<SegmentId, UnitId>, Nanos> time;
  for (const PathPiece& piece : path) {
    if (!piece.unit.valid() || piece.unit.index() >= problem_.units()) continue;
    for (const auto& [segment, there] : piece.behind) time[{segment, piece.unit}] += there;
    const bool works = piece.cause != PathCause::kUnit && piece.cause != PathCause::kHeldBack &&
                       piece.cause != PathCause::kCritical;
    if (works && piece.segment.valid()) time[{piece.segment, piece.unit}] += piece.length();
  }
  std::vector<Share> shares;
  for (const auto& [where, on_path] : time) shares.push_back({where.first, where.second, on_path});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.on_path > b.on_path; });
  return shares;
}

void Trial::TryMove(Alternative alternative, const Moves& moves) {
  std::vector<bool> moved(taken_.size());
  alternative.tasks = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const Decision& task = taken_[i];
    if (task.unit != alternative.from || !moves(task)) continue;
    moved[i] = true;
    ++alternative.tasks;
    alternative.stream = task.stream;
    alternative.index = task.index;
  }
  if (alternative.tasks == 0 || left_ == 0) return;
  if (alternative.tasks == 1) alternative.change = Change::kOne;
  Add({{}, alternative, std::move(moved)});
}

// All, half and the last of the segment's tasks to each other unit, and all of the model's where it has more
// segments.
void Trial::TryMoves(const Share& share) {
  const ModelId model = problem_.model_of(share.segment);
  const bool parts = problem_.cut(problem_.segment(share.segment).cut).segments > 1;
  const auto same = [&](const Decision& task) { return task.segment == share.segment; };
  const auto count = std::count_if(taken_.begin(), taken_.end(), [&](const Decision& task) {
    return task.unit == share.unit && same(task);
  });
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    const UnitId to(u);
    if (to == share.unit) continue;
    Alternative alternative;
    alternative.model = model;
    alternative.from = share.unit;
    alternative.to = to;
    const auto is_new = [&](Change change) {
      return tried_.emplace(change, model, alternative.segment, share.unit, to).second;
    };
    if (parts && is_new(Change::kAll)) {
      TryMove(alternative, [&](const Decision& task) {
        return problem_.model_of(task.segment) == model && problem_.Runs(task.segment, to);
      });
    }
    if (!problem_.Runs(share.segment, to)) continue;
    alternative.segment = share.segment;
    std::int64_t seen = 0;
    const auto from_on = [&](std::int64_t first) {
      seen = 0;
      return [&seen, &same, first](const Decision& task) { return same(task) && seen++ >= first; };
    };
    if (is_new(Change::kAll)) TryMove(alternative, same);
    alternative.change = Change::kHalf;
    if (count >= 4 && is_new(Change::kHalf)) TryMove(alternative, from_on(count / 2));
    alternative.change = Change::kOne;
    if (count >= 2 && is_new(Change::kOne)) TryMove(alternative, from_on(count - 1));
  }
}

// The task that waits goes before the first one that its unit took while it was ready.
void Trial::TryEarlier(const PathPiece& wait) {
  const auto waits = [&](const Decision& task) {
    return task.stream == wait.stream && task.index == wait.index && task.segment == wait.segment;
  };
  const auto own = std::find_if(taken_.begin(), taken_.end(), waits);
  if (own == taken_.end() || own->unit != wait.unit || left_ == 0) return;
  auto first = own;
  for (auto task = own; task != taken_.begin();) {
    --task;
    if (task->unit != own->unit) continue;
    const auto behind = std::any_of(wait.behind.begin(), wait.behind.end(),
                                    [&](const auto& there) { return there.first == task->segment; });
    if (!behind) break;
    first = task;
  }
  // Behind nothing but its like it gains nothing.
  const auto other = [&](const Decision& task) {
    return task.unit == own->unit && task.segment != own->segment;
  };
  if (std::none_of(first, own, other)) return;
  Tried tried;
  tried.earlier = static_cast<std::size_t>(first - taken_.begin());
  tried.own = static_cast<std::size_t>(own - taken_.begin());
  Alternative& alternative = tried.alternative;
  alternative.change = Change::kEarlier;
  alternative.model = problem_.model_of(own->segment);
  alternative.segment = own->segment;
  alternative.from = alternative.to = own->unit;
  alternative.tasks = 1;
  alternative.stream = wait.stream;
  alternative.index = wait.index;
  Add(std::move(tried));
}

Alternatives Trial::Run(const std::vector<PathPiece>& path) {
  if (left_ == 0) {
    found_.why_none = "the run has too many tasks to be simulated again and again";
    return std::move(found_);
  }
  if (FirstBatching(problem_.scenario()) != nullptr) {
    found_.why_none = "requests run in batches that form, and who goes along with whom cannot be held fixed";
    return std::move(found_);
  }
  const auto base = Simulated(Fixed(taken_));
  if (!base) {
    found_.why_none = "what the policy did cannot be held fixed";
    return std::move(found_);
  }
  found_.base = base->value;
  const PathPiece* longest = nullptr;
  for (const PathPiece& piece : path) {
    const bool waits =
        (piece.cause == PathCause::kUnit || piece.cause == PathCause::kCritical) && !piece.behind.empty();
    if (waits && (!longest || piece.length() > longest->length())) longest = &piece;
  }
  if (longest) TryEarlier(*longest);
  for (const Share& share : SharesOf(path)) {
    if (left_ == 0) break;
    TryMoves(share);
  }
  TryAll();
  std::stable_sort(costed_.begin(), costed_.end(),
                   [](const Tried& a, const Tried& b) { return a.cost < b.cost; });
  std::set<std::tuple<ModelId, SegmentId, UnitId, UnitId>> shown;
  std::vector<const Tried*> kept;
  for (const Tried& tried : costed_) {
    if (kept.size() == kMostKept) break;
    const Alternative& alternative = tried.alternative;
    if (!shown.emplace(alternative.model, alternative.segment, alternative.from, alternative.to).second)
      continue;
    kept.push_back(&tried);
    found_.best.push_back(alternative);
  }
  Draw(kept);
  if (found_.tried == 0)
    found_.why_none = "nothing of what its critical path consists of runs on another unit";
  return std::move(found_);
}

}  // namespace

std::int64_t AlternativesFor(std::size_t tasks) {
  return std::min(kMostAlternatives,
                  kMostTasks / std::max<std::int64_t>(static_cast<std::int64_t>(tasks), 1));
}

Alternatives TryAlternatives(const Problem& problem, const std::vector<Decision>& taken,
                             const std::vector<PathPiece>& path,
                             const std::function<bool(std::int64_t)>& go_on, const AlternativeDraws& draws) {
  return Trial(problem, taken, go_on, draws).Run(path);
}

}  // namespace tandem
