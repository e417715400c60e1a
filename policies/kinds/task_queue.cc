#include "policies/kinds/task_queue.h"

#include <algorithm>
#include <map>

namespace tandem {
namespace {

constexpr std::size_t kFewLanes = 8;  // comparing them all is faster than keeping a tree

}  // namespace

TaskQueue::TaskQueue(const Problem& problem, const std::vector<UnitId>& units, const Rule& rule)
    : first_unit_(units.front().index()), view_of_(units.back().index() - first_unit_ + 1, -1) {
  const std::size_t streams = problem.scenario().streams.size();
  for (std::size_t s = 0; s < streams; ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    lanes_before_.push_back(static_cast<std::ptrdiff_t>(lanes_.size()) -
                            static_cast<std::ptrdiff_t>(cut.first.index()));
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      lanes_.emplace_back();
      lanes_.back().stream = StreamId(s);
      lanes_.back().segment = SegmentId(cut.first.index() + static_cast<std::size_t>(i));
    }
  }
  heads_.assign(lanes_.size(), {kNever});
  std::map<std::vector<LaneRule>, std::int32_t> known;
  for (const UnitId unit : units) {
    std::vector<LaneRule> rules;
    for (const Lane& lane : lanes_) {
      rules.push_back(problem.Runs(lane.segment, unit) ? rule(unit, lane.stream, lane.segment) : LaneRule{});
    }
    const auto [found, is_new] = known.try_emplace(rules, static_cast<std::int32_t>(views_.size()));
    const bool any = std::any_of(rules.begin(), rules.end(), [](const LaneRule& lane) { return lane.takes; });
    view_of_[unit.index() - first_unit_] = any ? found->second : -1;
    if (!is_new) continue;
    View view;
    for (std::size_t l = 0; l < rules.size(); ++l) {
      if (!rules[l].takes) continue;
      view.lanes.push_back(static_cast<std::int32_t>(l));
      view.rules.push_back(rules[l]);
      view.alike = view.alike && rules[l] == view.rules.front();
    }
    view.compares = view.alike && view.lanes.size() <= kFewLanes;
    view.tree = WinnerTree(view.lanes.size());
    for (std::size_t place = 0; view.lanes.size() > kFewLanes && place < view.lanes.size(); ++place) {
      lanes_[static_cast<std::size_t>(view.lanes[place])].views.emplace_back(found->second, place);
    }
    views_.push_back(std::move(view));
  }
}

inline std::size_t TaskQueue::LaneOf(StreamId stream, SegmentId segment) const {
  return static_cast<std::size_t>(lanes_before_[stream.index()] +
                                  static_cast<std::ptrdiff_t>(segment.index()));
}

LaneRule TaskQueue::RuleOf(UnitId unit, StreamId stream, SegmentId segment) const {
  const std::int32_t view = view_of_[unit.index() - first_unit_];
  if (view < 0) return {};
  const View& seen = views_[static_cast<std::size_t>(view)];
  const auto lane = static_cast<std::int32_t>(LaneOf(stream, segment));
  const auto found = std::find(seen.lanes.begin(), seen.lanes.end(), lane);
  return found == seen.lanes.end() ? LaneRule{}
                                   : seen.rules[static_cast<std::size_t>(found - seen.lanes.begin())];
}

// Of equals the lane of the smaller number comes first. Lanes are numbered by stream, then topologically: so
// that settles what task order leaves.
inline bool TaskQueue::Before(const View& view, std::int32_t a, std::int32_t b) const {
  const auto place_a = static_cast<std::size_t>(a), place_b = static_cast<std::size_t>(b);
  const Entry& head_a = heads_[static_cast<std::size_t>(view.lanes[place_a])];
  const Entry& head_b = heads_[static_cast<std::size_t>(view.lanes[place_b])];
  if (!view.alike && Waits(head_a) && Waits(head_b)) {
    const LaneRule &rule_a = view.rules[place_a], &rule_b = view.rules[place_b];
    if (rule_a.rank != rule_b.rank) return rule_a.rank < rule_b.rank;
    const Nanos urgent_a = head_a.release + rule_a.offset, urgent_b = head_b.release + rule_b.offset;
    if (urgent_a != urgent_b) return urgent_a < urgent_b;
  }
  return head_a < head_b;
}

// The number of its lane; of one where nothing waits only if nothing waits in any.
inline std::size_t TaskQueue::FirstOfFew(const View& view) const {
  auto lane = view.lanes.begin();
  auto first = static_cast<std::size_t>(*lane);
  Entry least = heads_[first];
  while (++lane != view.lanes.end()) {
    const auto l = static_cast<std::size_t>(*lane);
    if (!(heads_[l] < least)) continue;
    least = heads_[l];
    first = l;
  }
  return first;
}

inline std::size_t TaskQueue::FirstByRule(const View& view) const {
  std::int32_t first = view.lanes.size() > kFewLanes ? view.tree.top() : 0;
  const std::size_t compared = view.lanes.size() > kFewLanes ? 0 : view.lanes.size();
  for (std::int32_t place = 1; place < static_cast<std::int32_t>(compared); ++place) {
    if (Before(view, place, first)) first = place;
  }
  return static_cast<std::size_t>(view.lanes[static_cast<std::size_t>(first)]);
}

// The lane's head is gone: the next one of those behind it.
void TaskQueue::NextHead(std::size_t l) {
  Lane& lane = lanes_[l];
  const bool straggles = !lane.stragglers.empty();
  if (!lane.AnyInOrder() && !straggles) {
    heads_[l] = {kNever};
  } else if (!lane.AnyInOrder() || (straggles && lane.stragglers.top() < lane.in_order->front())) {
    heads_[l] = lane.stragglers.top();
    lane.stragglers.pop();
  } else {
    heads_[l] = lane.in_order->front();
    lane.in_order->pop_front();
  }
}

void TaskQueue::UpdateTrees(const Lane& lane) {
  for (const auto& [v, place] : lane.views) {
    View& view = views_[static_cast<std::size_t>(v)];
    view.tree.Update(static_cast<std::size_t>(place),
                     [&](std::int32_t a, std::int32_t b) { return Before(view, a, b); });
  }
}

std::deque<TaskQueue::Entry>& TaskQueue::Lane::InOrder() {
  if (!in_order) in_order = std::make_unique<std::deque<Entry>>();
  return *in_order;
}

void TaskQueue::AddBehind(Lane& lane, Entry entry) {
  std::deque<Entry>& in_order = lane.InOrder();
  if (!in_order.empty() && in_order.back().Extends(entry)) {
    --in_order.back().live;
  } else if (in_order.empty() || in_order.back() < entry) {
    in_order.push_back(entry);
  } else {
    lane.stragglers.push(entry);
  }
}

void TaskQueue::Add(const Task& task) {
  const std::size_t l = LaneOf(task.stream, task.segment);
  const Entry entry{task.release, task.index, task.live};
  Entry& head = heads_[l];
  if (head < entry) {
    if (!lanes_[l].AnyInOrder() && head.Extends(entry)) {
      --head.live;
    } else {
      AddBehind(lanes_[l], entry);
    }
    return;
  }
  AddBefore(l, entry);
}

void TaskQueue::AddBefore(std::size_t l, Entry entry) {
  if (Waits(heads_[l])) lanes_[l].InOrder().push_front(heads_[l]);
  heads_[l] = entry;
  HeadChanged(l);
}

bool TaskQueue::Take(UnitId unit, Task& task) {
  const std::int32_t v = view_of_[unit.index() - first_unit_];
  if (v < 0) return false;
  const View& view = views_[static_cast<std::size_t>(v)];
  return view.compares ? TakeFirst(FirstOfFew(view), task) : TakeByRule(view, task);
}

bool TaskQueue::TakeByRule(const View& view, Task& task) { return TakeFirst(FirstByRule(view), task); }

inline bool TaskQueue::TakeFirst(std::size_t l, Task& task) {
  Entry& head = heads_[l];
  if (!Waits(head)) return false;
  task.release = head.release;
  task.index = head.index;
  task.live = std::max(head.live, -1);
  task.stream = lanes_[l].stream;
  task.segment = lanes_[l].segment;
  if (head.count() == 1 || !lanes_[l].views.empty()) return DropHead(l);
  head.DropFirst();
  return true;
}

// That it returns true spares the caller to come back to its own.
bool TaskQueue::DropHead(std::size_t l) {
  if (heads_[l].count() > 1) {
    heads_[l].DropFirst();
  } else {
    NextHead(l);
  }
  HeadChanged(l);
  return true;
}

// Dropped tasks are the oldest of their stream, so they are found at once.
bool TaskQueue::Remove(const Task& task) {
  const std::size_t l = LaneOf(task.stream, task.segment);
  if (!Waits(heads_[l])) return false;
  std::deque<Entry>& in_order = lanes_[l].InOrder();
  in_order.push_front(heads_[l]);
  const auto found =
      std::find_if(in_order.begin(), in_order.end(), [&](const Entry& entry) { return entry.Holds(task); });
  const bool is_in_order = found != in_order.end();
  if (is_in_order) RemoveFrom(in_order, found, task);
  const bool removed = is_in_order || RemoveStraggler(lanes_[l], task);
  NextHead(l);
  HeadChanged(l);
  return removed;
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
