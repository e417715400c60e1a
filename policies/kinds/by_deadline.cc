#include "policies/kinds/by_deadline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "policies/kinds/list_policy.h"
#include "policies/problem/roots.h"

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
    const auto take = [&](Nanos date) {
      waits.due = waits.never ? date - needs : std::min(waits.due, date - needs);
      waits.never = false;
    };
    if (due.since_own) take(task.release + *due.since_own);
    for (const DueOfStream::SinceRoot& since : due.since_root) {
      if (task.index % since.every == 0) take(board.Origin(task) + since.after);
    }
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

Nanos NeedOf(const Problem& problem, StreamId stream, const std::vector<Nanos>& needs) {
  const Cut& cut = problem.cut(stream);
  Nanos most{0};
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    most = std::max(most, needs[cut.first.index() + static_cast<std::size_t>(s)]);
  }
  return most;
}

// A deadline of one stream is one of those on whose end it waits, and so on up.
class DuesUpwards {
 public:
  DuesUpwards(const Problem& problem, const std::vector<Nanos>& needs) : problem_(problem), needs_(needs) {
    for (const Stream& stream : Streams()) dues_.push_back({stream.deadline, {}});
    for (std::size_t s = 0; s < dues_.size(); ++s) {
      if (const auto& due = Streams()[s].end_to_end_deadline) Add(StreamId(s), {*due, 1});
    }
  }
  std::vector<DueOfStream> Take() { return std::move(dues_); }

 private:
  const std::vector<Stream>& Streams() const { return problem_.scenario().streams; }

  void Add(StreamId stream, const DueOfStream::SinceRoot& due) {
    std::vector<DueOfStream::SinceRoot>& known = dues_[stream.index()].since_root;
    const auto says_more = [&](const DueOfStream::SinceRoot& other) {
      return other.after <= due.after && due.every % other.every == 0;
    };
    if (std::ranges::any_of(known, says_more)) return;
    known.push_back(due);
    const auto* follows = std::get_if<DependentArrival>(&Streams()[stream.index()].arrival);
    if (!follows) return;
    const Nanos after = due.after - NeedOf(problem_, stream, needs_);
    const std::int64_t every = std::min(std::lcm(due.every, follows->every), kSeldom);
    for (const StreamId above : follows->WaitsFor()) {
      if (RootOf(problem_.scenario(), above) != RootOf(problem_.scenario(), stream)) continue;
      Add(above, {after, every});
    }
  }

  static constexpr std::int64_t kSeldom = std::int64_t{1} << 31;  // there are not so many requests

  const Problem& problem_;
  const std::vector<Nanos>& needs_;
  std::vector<DueOfStream> dues_;
};

}  // namespace

std::vector<DueOfStream> DuesOf(const Problem& problem, const std::vector<Nanos>& needs) {
  return DuesUpwards(problem, needs).Take();
}

std::unique_ptr<Policy> ByDeadline(const Problem& problem, std::vector<Nanos> needs) {
  std::vector<DueOfStream> dues = DuesOf(problem, needs);
  if (std::ranges::any_of(dues, [](const DueOfStream& due) { return !due.since_root.empty(); })) {
    return std::make_unique<DueOrder>(problem, std::move(dues), std::move(needs));
  }
  return std::make_unique<ListPolicy>(problem, [&](UnitId, StreamId stream, SegmentId segment) {
    const auto& due = dues[stream.index()].since_own;
    return due ? LaneRule{.takes = true, .rank = 0, .offset = *due - needs[segment.index()]}
               : LaneRule{.takes = true, .rank = 1};
  });
}

}  // namespace tandem
