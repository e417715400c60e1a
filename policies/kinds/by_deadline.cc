#include "policies/kinds/by_deadline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "policies/kinds/list_policy.h"

namespace tandem {
namespace {

// As a list, whatever the order of what is due is.
class DueOrder final : public Policy {
 public:
  DueOrder(const Problem& problem, std::vector<DueOfStream> dues, std::vector<Nanos> needs)
      : dues_(std::move(dues)), needs_(std::move(needs)), lines_of_(problem.units()) {
    std::map<std::vector<char>, std::size_t> known;
    for (std::size_t s = 0; s < problem.segments().size(); ++s) {
      std::vector<char> runs;
      for (std::size_t u = 0; u < problem.units(); ++u) {
        runs.push_back(problem.Runs(SegmentId(s), UnitId(u)) ? 1 : 0);
      }
      const auto [line, is_new] = known.try_emplace(runs, known.size());
      line_of_.push_back(line->second);
      for (std::size_t u = 0; u < runs.size() && is_new; ++u) {
        if (runs[u]) lines_of_[u].push_back(line->second);
      }
    }
    lines_.resize(known.size());
  }

  void Ready(const Task& task, const Board& board) override {
    Waiting waits{true, Nanos{0}, task};
    const DueOfStream& due = dues_[task.stream.index()];
    const Nanos needs = needs_[task.segment.index()];
    const auto take = [&](Nanos since, const std::optional<Nanos>& after) {
      if (!after) return;
      const Nanos date = since + *after - needs;
      waits.due = waits.never ? date : std::min(waits.due, date);
      waits.never = false;
    };
    take(task.release, due.since_own);
    take(board.Origin(task), due.since_root);
    lines_[line_of_[task.segment.index()]].insert(waits);
  }

  bool Take(UnitId unit, const Board&, Task& task) override {
    Line* first = nullptr;
    for (const std::size_t l : lines_of_[unit.index()]) {
      Line& line = lines_[l];
      if (!line.empty() && (first == nullptr || *line.begin() < *first->begin())) first = &line;
    }
    if (first == nullptr) return false;
    task = first->begin()->task;
    first->erase(first->begin());
    return true;
  }

  // The oldest are dropped, which are among the first.
  void Drop(const Task& task) override {
    Line& line = lines_[line_of_[task.segment.index()]];
    const auto found =
        std::ranges::find_if(line, [&](const Waiting& waits) { return SameTask(waits.task, task); });
    if (found != line.end()) line.erase(found);
  }

 private:
  struct Waiting {
    bool never = true;
    Nanos due{0};
    Task task;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      if (a.never != b.never) return b.never;
      if (a.due != b.due) return a.due < b.due;
      return InTaskOrder(a.task, b.task);
    }
  };
  using Line = std::set<Waiting>;

  std::vector<DueOfStream> dues_;
  std::vector<Nanos> needs_;                        // per segment
  std::vector<Line> lines_;                         // of what the same units run
  std::vector<std::size_t> line_of_;                // per segment
  std::vector<std::vector<std::size_t>> lines_of_;  // per unit
};

StreamId RootOf(const Scenario& scenario, StreamId stream) {
  while (const auto* follows = std::get_if<DependentArrival>(&scenario.streams[stream.index()].arrival)) {
    stream = follows->parent;
  }
  return stream;
}

Nanos NeedOf(const Problem& problem, StreamId stream, const std::vector<Nanos>& needs) {
  const Cut& cut = problem.cut(stream);
  Nanos most{0};
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    most = std::max(most, needs[cut.first.index() + static_cast<std::size_t>(s)]);
  }
  return most;
}

}  // namespace

std::vector<DueOfStream> DuesOf(const Problem& problem, const std::vector<Nanos>& needs) {
  const Scenario& scenario = problem.scenario();
  std::vector<DueOfStream> dues;
  for (const Stream& stream : scenario.streams) dues.push_back({stream.deadline, stream.end_to_end_deadline});
  // From the last ones up, as often as one may hang on another.
  for (std::size_t again = 0; again < dues.size(); ++again) {
    bool changed = false;
    for (std::size_t s = 0; s < dues.size(); ++s) {
      const auto* follows = std::get_if<DependentArrival>(&scenario.streams[s].arrival);
      if (!follows || !dues[s].since_root) continue;
      const Nanos by = *dues[s].since_root - NeedOf(problem, StreamId(s), needs);
      for (const StreamId above : follows->WaitsFor()) {
        std::optional<Nanos>& due = dues[above.index()].since_root;
        if (RootOf(scenario, above) != RootOf(scenario, StreamId(s)) || (due && *due <= by)) continue;
        due = by;
        changed = true;
      }
    }
    if (!changed) break;
  }
  return dues;
}

std::unique_ptr<Policy> ByDeadline(const Problem& problem, std::vector<Nanos> needs) {
  std::vector<DueOfStream> dues = DuesOf(problem, needs);
  if (std::ranges::any_of(dues, [](const DueOfStream& due) { return due.since_root.has_value(); })) {
    return std::make_unique<DueOrder>(problem, std::move(dues), std::move(needs));
  }
  return std::make_unique<ListPolicy>(problem, [&](UnitId, StreamId stream, SegmentId segment) {
    const auto& due = dues[stream.index()].since_own;
    return due ? LaneRule{.takes = true, .rank = 0, .offset = *due - needs[segment.index()]}
               : LaneRule{.takes = true, .rank = 1};
  });
}

}  // namespace tandem
