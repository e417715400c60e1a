#include "policies/search/local_search.h"

#include <algorithm>
#include <cmath>

#include "profiles/program/long_run.h"

namespace tandem {
namespace {

constexpr double kWidest = 0.02;     // a step may be worse by this part of the cost, at first
constexpr double kTieWeight = 0.02;  // what the tie counts beside the cost
constexpr double kExcessWeight = 5;  // what a limit that is broken by all of its bound counts beside the cost
constexpr std::size_t kWorthThreads = 50;  // tasks
constexpr std::size_t kMostAhead = 8;      // steps per thread
constexpr double kRounding = 1e-9;         // so much of a cost that is proved may be lost in doubles
constexpr std::int64_t kRoundPerTask = 60, kShortestRound = 300;

bool SameRequest(const Decision& a, const Decision& b) { return a.stream == b.stream && a.index == b.index; }

}  // namespace

std::int64_t LocalSearch::Run(std::vector<Decision> tasks, std::int64_t evaluations, double good_enough) {
  tasks_ = std::move(tasks);
  best_.clear();
  judged_ = evaluations > 0 && !tasks_.empty() ? 1 : 0;
  const auto start = judged_ > 0 ? (*evaluate_)(tasks_) : std::nullopt;
  if (!start) return judged_;
  best_ = tasks_;
  found_ = *start;
  Note(*start);
  busiest_ = start->busiest;
  // A count of misses moves in whole steps.
  const bool counts = problem_->scenario().objective == Objective::kMisses;
  const double scale = std::fabs(start->cost.value);
  widest_ = std::max(kWidest * scale, counts ? 1.0 : 0.0);
  excess_weight_ = kExcessWeight * (scale > 0 ? scale : 1);
  const double lead = start->cost.ties[0];
  tie_weight_ = lead > 0 ? kTieWeight * std::max(scale, counts ? 1.0 : 0.0) / lead : 0;
  const std::int64_t round =
      std::max(kShortestRound, kRoundPerTask * static_cast<std::int64_t>(tasks_.size()));
  for (std::int64_t left = evaluations - 1; left > 0 && !IsGoodEnough(good_enough) && !EndIsAsked();
       left -= round) {
    tasks_ = best_;
    current_ = found_;
    Round(std::min(left, round), good_enough);
  }
  return judged_;
}

void LocalSearch::Round(std::int64_t evaluations, double good_enough) {
  done_ = 0;
  while (done_ < evaluations && !IsGoodEnough(good_enough) && !EndIsAsked()) {
    Propose(evaluations);
    EvaluateProposed();
    TakeFirst();
  }
}

// One where looking ahead is in vain, because most are taken, or waking threads takes longer than what they
// would do; else half of those that can be expected before one is taken.
std::size_t LocalSearch::HowManyAhead() const {
  if (!threads_ || threads_->threads() == 1 || tasks_.size() < kWorthThreads) return 1;
  if (2 * taken_ > evaluated_) return 1;
  const auto half = static_cast<std::size_t>(evaluated_ / std::max<std::int64_t>(2 * taken_, 1));
  return std::clamp(half, threads_->threads(), kMostAhead * threads_->threads());
}

// The next step, and those that would come behind it if it were not taken.
void LocalSearch::Propose(std::int64_t evaluations) {
  const std::size_t most = HowManyAhead();
  while (steps_.size() < most) steps_.push_back({{}, 0, {}, *random_});
  proposed_ = 0;
  while (proposed_ < most && done_ < evaluations && !EndIsAsked()) {
    Step& step = steps_[proposed_];
    const double threshold =
        widest_ * static_cast<double>(evaluations - done_) / static_cast<double>(evaluations);
    ++done_;
    step.tasks = tasks_;
    const bool changed = Change();
    tasks_.swap(step.tasks);
    if (!changed) continue;
    ++judged_;
    step.most = Energy(current_.cost) + threshold;
    if (!MayBeTaken(step)) continue;
    step.random = *random_;
    step.done = done_;
    step.judged = judged_;
    ++proposed_;
    if (step.tried) return;  // it is taken where none before it is
  }
}

// As far as that is known without an evaluation; where nothing is left to be known it has its figures.
bool LocalSearch::MayBeTaken(Step& step) {
  step.tried.reset();
  if (RunsAsNow(step.tasks)) step.tried = current_;
  if (step.tried || !least_) return true;
  const Evaluated least = least_->Of(step.tasks);
  const double energy = Energy(least.cost);
  if (least_->exact()) {
    step.tried = least;
    return energy <= step.most;
  }
  return energy - kRounding * std::fabs(energy) <= step.most;
}

void LocalSearch::EvaluateProposed() {
  const std::size_t known = proposed_ > 0 && steps_[proposed_ - 1].tried ? 1 : 0;
  const auto evaluate = [this](std::size_t i) { steps_[i].tried = (*evaluate_)(steps_[i].tasks); };
  if (proposed_ - known > 1) return threads_->Run(proposed_ - known, evaluate);
  if (proposed_ > known) evaluate(0);
}

void LocalSearch::TakeFirst() {
  for (std::size_t i = 0; i < proposed_; ++i) {
    Step& step = steps_[i];
    ++evaluated_;
    if (step.tried) Note(*step.tried);
    if (!step.tried || Energy(step.tried->cost) > step.most) continue;
    ++taken_;
    tasks_.swap(step.tasks);
    current_ = *step.tried;
    busiest_ = current_.busiest;
    *random_ = step.random;
    done_ = step.done;
    judged_ = step.judged;
    if (current_.cost < found_.cost) {
      found_ = current_;
      best_ = tasks_;
    }
    return;
  }
}

void LocalSearch::Note(const Evaluated& judged) {
  if (judged.misses) near_misses_.Add(*judged.misses);
}

// Does every unit run the same as now, in the same order? Then nothing else matters.
bool LocalSearch::RunsAsNow(const std::vector<Decision>& tasks) {
  const auto same = [](const Decision& a, const Decision& b) {
    return a.segment == b.segment && SameRequest(a, b) && a.unit == b.unit;
  };
  std::size_t first = 0, end = tasks.size();
  while (first < end && same(tasks[first], tasks_[first])) ++first;
  while (end > first && same(tasks[end - 1], tasks_[end - 1])) --end;
  next_.assign(problem_->units(), first);
  for (std::size_t i = first; i < end; ++i) {
    std::size_t& next = next_[tasks[i].unit.index()];
    while (next < end && tasks_[next].unit != tasks[i].unit) ++next;
    if (next == end || !same(tasks[i], tasks_[next++])) return false;
  }
  return true;
}

std::size_t LocalSearch::Below(std::size_t count) {
  return static_cast<std::size_t>(random_->UniformUpTo(static_cast<std::int64_t>(count) - 1));
}

// Half of the time one of the busiest unit, if a few tries find one.
std::size_t LocalSearch::AnyPlace() {
  std::size_t place = Below(tasks_.size());
  if (Below(2) == 0) return place;
  for (int tries = 0; tries < 8 && tasks_[place].unit != busiest_; ++tries) place = Below(tasks_.size());
  return place;
}

UnitId LocalSearch::AnyUnit() { return UnitId(Below(problem_->units())); }

// False where it is there already or cannot run there.
bool LocalSearch::SetUnit(std::size_t place, UnitId unit) {
  Decision& task = tasks_[place];
  if (task.unit == unit || !problem_->Runs(task.segment, unit)) return false;
  task.unit = unit;
  return true;
}

// One step by chance; false where nothing came of it.
bool LocalSearch::Change() {
  const std::size_t kind = Below(100);
  if (kind < 30) return MoveOne();
  if (kind < 50) return SwapTwo();
  if (kind < 70) return Reorder();
  if (kind < 85) return MoveSegments();
  return MoveOfStream();
}

// To another unit; every other time some task to another place in the sequence, too.
bool LocalSearch::MoveOne() {
  const bool moved = SetUnit(AnyPlace(), AnyUnit());
  if (moved && Below(2) != 0) Reorder();
  return moved;
}

// Each to the other's unit. Where only one can go, the caller takes the half step back.
bool LocalSearch::SwapTwo() {
  const std::size_t a = AnyPlace(), b = Below(tasks_.size());
  const UnitId unit_a = tasks_[a].unit, unit_b = tasks_[b].unit;
  return SetUnit(a, unit_b) && SetUnit(b, unit_a);
}

// To another place in the sequence, past no task of the same request.
bool LocalSearch::Reorder() {
  const std::size_t from = AnyPlace(), to = Below(tasks_.size());
  const auto at = [&](std::size_t place) { return tasks_.begin() + static_cast<std::ptrdiff_t>(place); };
  const Decision task = tasks_[from];
  std::size_t end = from;
  if (to > from) {
    while (end < to && !SameRequest(tasks_[end + 1], task)) ++end;
    std::rotate(at(from), at(from) + 1, at(end) + 1);
  } else {
    while (end > to && !SameRequest(tasks_[end - 1], task)) --end;
    std::rotate(at(end), at(from), at(from) + 1);
  }
  return end != from;
}

// Neighbouring segments of one request to one unit, as far as it runs them.
bool LocalSearch::MoveSegments() {
  const Decision task = tasks_[AnyPlace()];
  const Cut& cut = problem_->cut(task.stream);
  if (cut.segments == 1) return SwapTwo();
  const UnitId unit = AnyUnit();
  const std::size_t reach = Below(static_cast<std::size_t>(cut.segments)) + 1;
  bool moved = false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (!SameRequest(tasks_[i], task)) continue;
    const std::size_t segment = tasks_[i].segment.index();
    if (segment < task.segment.index() || segment >= task.segment.index() + reach) continue;
    moved = SetUnit(i, unit) || moved;
  }
  return moved;
}

// Several requests of one stream to one unit: neighbouring segments of all of them, or a few requests of
// those on the same unit where each is one task.
bool LocalSearch::MoveOfStream() {
  const Decision task = tasks_[AnyPlace()];
  const Cut& cut = problem_->cut(task.stream);
  const UnitId unit = AnyUnit();
  const bool whole = cut.segments == 1;
  const std::size_t reach = Below(static_cast<std::size_t>(cut.segments)) + 1;
  std::size_t most = whole ? 2 + Below(4) : tasks_.size();
  bool moved = false;
  for (std::size_t i = 0; i < tasks_.size() && most > 0; ++i) {
    const Decision& other = tasks_[i];
    if (other.stream != task.stream || (whole && other.unit != task.unit)) continue;
    const std::size_t segment = other.segment.index();
    if (segment < task.segment.index() || segment >= task.segment.index() + reach) continue;
    if (!SetUnit(i, unit)) continue;
    moved = true;
    --most;
  }
  return moved;
}

}  // namespace tandem
