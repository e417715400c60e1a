#include "policies/kinds/task_queue.h"

#include <algorithm>
#include <map>

namespace tandem {
namespace {

constexpr std::size_t kFewLanes = 8;  // comparing them all is faster than keeping a tree

}  // namespace

TaskQueue::TaskQueue(const Problem& problem, const std::vector<UnitId>& units, const Rule& rule)
    : problem_(&problem), view_of_(problem.units(), -1) {
  const std::size_t streams = problem.scenario().streams.size();
  for (std::size_t s = 0; s < streams; ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    first_lane_.push_back(lanes_.size());
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      lanes_.emplace_back();
      lanes_.back().stream = StreamId(s);
      lanes_.back().segment = SegmentId(cut.first.index() + static_cast<std::size_t>(i));
    }
  }
  heads_.resize(lanes_.size());
  std::map<std::vector<LaneRule>, std::int32_t> known;
  for (const UnitId unit : units) {
    std::vector<LaneRule> rules;
    for (const Lane& lane : lanes_) {
      rules.push_back(problem.Runs(lane.segment, unit) ? rule(unit, lane.stream, lane.segment) : LaneRule{});
    }
    const auto [found, is_new] = known.try_emplace(rules, static_cast<std::int32_t>(views_.size()));
    view_of_[unit.index()] = found->second;
    if (!is_new) continue;
    View view;
    for (std::size_t l = 0; l < rules.size(); ++l) {
      if (!rules[l].takes) continue;
      view.lanes.push_back(static_cast<std::int32_t>(l));
      view.rules.push_back(rules[l]);
    }
    view.tree = WinnerTree(view.lanes.size());
    for (std::size_t place = 0; view.lanes.size() > kFewLanes && place < view.lanes.size(); ++place) {
      lanes_[static_cast<std::size_t>(view.lanes[place])].views.emplace_back(found->second, place);
    }
    views_.push_back(std::move(view));
  }
}

std::size_t TaskQueue::LaneOf(StreamId stream, SegmentId segment) const {
  return first_lane_[stream.index()] + segment.index() - problem_->cut(stream).first.index();
}

// Lanes are numbered by stream, then topologically: their number settles what task order leaves.
bool TaskQueue::Before(const View& view, std::int32_t a, std::int32_t b) const {
  const auto place_a = static_cast<std::size_t>(a), place_b = static_cast<std::size_t>(b);
  const Head& head_a = heads_[static_cast<std::size_t>(view.lanes[place_a])];
  const Head& head_b = heads_[static_cast<std::size_t>(view.lanes[place_b])];
  if (!head_a.waits || !head_b.waits) return head_a.waits || (!head_b.waits && a < b);
  const LaneRule &rule_a = view.rules[place_a], &rule_b = view.rules[place_b];
  if (rule_a.rank != rule_b.rank) return rule_a.rank < rule_b.rank;
  const Nanos urgent_a = head_a.entry.release + rule_a.offset,
              urgent_b = head_b.entry.release + rule_b.offset;
  if (urgent_a != urgent_b) return urgent_a < urgent_b;
  if (head_a.entry.release != head_b.entry.release) return head_a.entry.release < head_b.entry.release;
  return head_a.entry.index != head_b.entry.index ? head_a.entry.index < head_b.entry.index : a < b;
}

std::int32_t TaskQueue::First(const View& view) const {
  if (view.lanes.size() > kFewLanes) return view.tree.top();
  std::int32_t first = view.lanes.empty() ? -1 : 0;
  for (std::int32_t place = 1; place < static_cast<std::int32_t>(view.lanes.size()); ++place) {
    if (Before(view, place, first)) first = place;
  }
  return first;
}

void TaskQueue::NewHead(std::size_t l) {
  const Lane& lane = lanes_[l];
  Head& head = heads_[l];
  const bool in_order = !lane.in_order->empty();
  head.waits = in_order || !lane.stragglers.empty();
  if (in_order) head.entry = lane.in_order->front();
  if (!lane.stragglers.empty() && (!in_order || lane.stragglers.top() < head.entry)) {
    head.entry = lane.stragglers.top();
  }
  HeadChanged(lane);
}

void TaskQueue::HeadChanged(const Lane& lane) {
  for (const auto& [v, place] : lane.views) {
    View& view = views_[static_cast<std::size_t>(v)];
    view.tree.Update(static_cast<std::size_t>(place),
                     [&](std::int32_t a, std::int32_t b) { return Before(view, a, b); });
  }
}

void TaskQueue::Add(const Task& task) {
  const std::size_t l = LaneOf(task.stream, task.segment);
  Lane& lane = lanes_[l];
  Head& head = heads_[l];
  const Entry entry{task.release, task.index, task.live};
  if (!lane.in_order) lane.in_order = std::make_unique<std::deque<Entry>>();
  if (!lane.in_order->empty() && lane.in_order->back().Extends(entry)) {
    --lane.in_order->back().live;
  } else if (lane.in_order->empty() || lane.in_order->back() < entry) {
    lane.in_order->push_back(entry);
  } else {
    lane.stragglers.push(entry);
  }
  if (head.waits && head.entry < entry) return;
  head = {entry, true};
  HeadChanged(lane);
}

bool TaskQueue::Take(UnitId unit, Task& task) {
  if (view_of_[unit.index()] < 0) return false;
  const View& view = views_[static_cast<std::size_t>(view_of_[unit.index()])];
  const std::int32_t place = First(view);
  if (place < 0) return false;
  const auto l = static_cast<std::size_t>(view.lanes[static_cast<std::size_t>(place)]);
  if (!heads_[l].waits) return false;
  Lane& lane = lanes_[l];
  const Entry head = heads_[l].entry;
  task = {head.release, head.index, std::max(head.live, -1), lane.stream, lane.segment};
  if (!lane.in_order->empty() && lane.in_order->front().index == head.index) {
    if (lane.in_order->front().count() > 1) {
      lane.in_order->front().DropFirst();
      heads_[l].entry.index = head.index + 1;
      if (lane.stragglers.empty()) {
        HeadChanged(lane);
        return true;
      }
    } else {
      lane.in_order->pop_front();
    }
  } else {
    lane.stragglers.pop();
  }
  NewHead(l);
  return true;
}

// Dropped tasks are the oldest of their stream, so they are found at once.
bool TaskQueue::Remove(const Task& task) {
  const std::size_t l = LaneOf(task.stream, task.segment);
  Lane& lane = lanes_[l];
  if (!lane.in_order) return false;
  const auto found = std::find_if(lane.in_order->begin(), lane.in_order->end(),
                                  [&](const Entry& entry) { return entry.Holds(task); });
  if (found != lane.in_order->end()) {
    RemoveFrom(*lane.in_order, found, task);
  } else if (!RemoveStraggler(lane, task)) {
    return false;
  }
  NewHead(l);
  return true;
}

void TaskQueue::RemoveFrom(std::deque<Entry>& entries, std::deque<Entry>::iterator entry, const Task& task) {
  const std::int32_t before = task.index - entry->index, after = entry->count() - before - 1;
  if (before == 0 && after == 0) {
    entries.erase(entry);
  } else if (before == 0) {
    entry->DropFirst();
  } else {
    entry->live = -before;
    if (after > 0) entries.insert(entry + 1, {task.release, task.index + 1, -after});
  }
}

bool TaskQueue::RemoveStraggler(Lane& lane, const Task& task) {
  std::vector<Entry> kept;
  bool removed = false;
  for (; !lane.stragglers.empty(); lane.stragglers.pop()) {
    if (lane.stragglers.top().Holds(task)) {
      removed = true;
    } else {
      kept.push_back(lane.stragglers.top());
    }
  }
  for (const Entry& entry : kept) lane.stragglers.push(entry);
  return removed;
}

}  // namespace tandem
