#include "policies/search/local_search.h"

#include <algorithm>
#include <cmath>

#include "profiles/program/long_run.h"

namespace tandem {
namespace {

constexpr double kWidest = 0.02;     // a step may be worse by this part of the cost, at first
constexpr double kTieWeight = 0.02;  // what the tie counts beside the cost
constexpr double kExcessWeight = 5;  // what a limit that is broken by all of its bound counts beside the cost
constexpr std::int64_t kRoundPerTask = 60, kShortestRound = 300;

bool SameRequest(const Decision& a, const Decision& b) { return a.stream == b.stream && a.index == b.index; }

}  // namespace

void LocalSearch::Run(std::vector<Decision> tasks, std::int64_t evaluations, double good_enough) {
  tasks_ = std::move(tasks);
  best_.clear();
  const auto start = evaluations > 0 && !tasks_.empty() ? (*evaluate_)(tasks_) : std::nullopt;
  if (!start) return;
  best_ = tasks_;
  best_cost_ = start->cost;
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
    current_ = best_cost_;
    Round(std::min(left, round), good_enough);
  }
}

void LocalSearch::Round(std::int64_t evaluations, double good_enough) {
  std::vector<Decision> before;
  for (std::int64_t done = 0; done < evaluations && !IsGoodEnough(good_enough) && !EndIsAsked(); ++done) {
    const double threshold =
        widest_ * static_cast<double>(evaluations - done) / static_cast<double>(evaluations);
    before = tasks_;
    if (!Change()) {
      tasks_.swap(before);
      continue;
    }
    const auto tried = (*evaluate_)(tasks_);
    if (!tried || Energy(tried->cost) > Energy(current_) + threshold) {
      tasks_.swap(before);
      continue;
    }
    current_ = tried->cost;
    busiest_ = tried->busiest;
    if (!(current_ < best_cost_)) continue;
    best_cost_ = current_;
    best_ = tasks_;
  }
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
