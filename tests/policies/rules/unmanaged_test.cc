// Does `unmanaged`, which keeps what may begin per unit, hand out what asking every stream would find?
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/problem/left_alone.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

struct EmptyBoard final : Board {
  Nanos Remaining(UnitId) const override { return Nanos{0}; }
};

Prepared MakeUnmanaged(const std::shared_ptr<const Problem>& problem) {
  const JsonDocument document = JsonDocument::Parse(R"("unmanaged")", "policy");
  return MakePolicy(ReadPolicy(document.root(), problem->scenario()), problem);
}

// The rule as it reads: of each stream's request that is under way, or else its first, the first task that is
// fastest there.
class AsksEveryStream {
 public:
  explicit AsksEveryStream(const Problem& problem)
      : problem_(&problem), streams_(problem.scenario().streams.size()) {}

  void Ready(const Task& task) {
    std::vector<Task>& waiting = Of(task).waiting;
    waiting.insert(std::upper_bound(waiting.begin(), waiting.end(), task, InTaskOrder), task);
  }

  bool Take(UnitId unit, Task& task) {
    const Task* first = nullptr;
    for (const Stream& stream : streams_) {
      for (const Task& waits : stream.waiting) {
        if (waits.index != (stream.request < 0 ? stream.waiting.front().index : stream.request)) break;
        if (FastestLeftAlone(*problem_, waits.segment) != unit) continue;
        if (!first || InTaskOrder(waits, *first)) first = &waits;
        break;
      }
    }
    if (!first) return false;
    task = *first;
    Remove(task);
    Stream& stream = Of(task);
    if (stream.request < 0) stream.left = problem_->cut(task.stream).segments;
    stream.request = task.index;
    ++stream.begun;
    return true;
  }

  bool Ended(const Task& task) {
    Stream& stream = Of(task);
    if (--stream.left > 0) return false;
    stream.request = -1;
    stream.begun = 0;
    return !stream.waiting.empty();
  }

  void SetAsideWhatWasHandedOut(const Task& task) {
    if (--Of(task).begun == 0) Of(task).request = -1;
  }

  void Remove(const Task& task) {
    std::erase_if(Of(task).waiting, [&](const Task& other) { return SameTask(other, task); });
  }

 private:
  struct Stream {
    std::vector<Task> waiting;
    std::int64_t request = -1, left = 0, begun = 0;
  };
  Stream& Of(const Task& task) { return streams_[task.stream.index()]; }

  const Problem* problem_;
  std::vector<Stream> streams_;
};

std::vector<Task> AllTasks(const Problem& problem, std::int32_t requests) {
  std::vector<Task> tasks;
  for (std::int32_t index = 0; index < requests; ++index) {
    for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
      const Cut& cut = problem.cut(StreamId(s));
      for (std::int32_t i = 0; i < cut.segments; ++i) {
        const SegmentId segment(cut.first.index() + static_cast<std::size_t>(i));
        tasks.push_back({Nanos{index / 2}, index, -1, StreamId(s), segment});
      }
    }
  }
  return tasks;
}

// Tasks become ready, are handed out, end, are set aside and dropped in any order.
TEST(Unmanaged, HandsOutWhatAskingEveryStreamWouldFind) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    SmallScenario board({1, 1, 1});
    for (std::size_t m = 0; m < 4; ++m) {
      std::vector<std::vector<std::int64_t>> times(1 + random() % 4);
      for (auto& layer : times) {
        for (int u = 0; u < 3; ++u) layer.push_back(1 + static_cast<std::int64_t>(random() % 5));
      }
      board.AddStream(board.AddModel(times), 6);
    }
    const Scenario scenario = board.Build();
    const auto problem = std::make_shared<const Problem>(scenario, Granularity::kLayer);
    const Prepared unmanaged = MakeUnmanaged(problem);
    AsksEveryStream asks(*problem);
    const EmptyBoard nothing;
    std::vector<Task> coming = AllTasks(*problem, 6), waiting, running;
    const auto take_any = [&](std::vector<Task>& from) {
      std::swap(from[random() % std::min<std::size_t>(from.size(), 20)], from.back());
      const Task task = from.back();
      from.pop_back();
      return task;
    };
    for (int step = 0; step < 2000; ++step) {
      const unsigned what = random() % 16;
      if (what < 5 && !coming.empty()) {
        const Task task = take_any(coming);
        waiting.push_back(task);
        asks.Ready(task);
        unmanaged.policy->Ready(task, nothing);
      } else if (what < 11) {
        const UnitId unit(random() % 3);
        Task expected, task;
        const bool found = asks.Take(unit, expected);
        ASSERT_EQ(unmanaged.policy->Take(unit, nothing, task), found) << seed << " " << step;
        if (!found) continue;
        ASSERT_TRUE(SameTask(task, expected)) << seed << " " << step;
        std::erase_if(waiting, [&](const Task& other) { return SameTask(other, task); });
        if (random() % 8 != 0) {
          running.push_back(task);
          continue;
        }
        unmanaged.policy->SetAside(task);
        asks.SetAsideWhatWasHandedOut(task);
        coming.push_back(task);
      } else if (what < 15 && !running.empty()) {
        const Task task = take_any(running);
        ASSERT_EQ(unmanaged.policy->Ended(task, UnitId(std::size_t{0}), nothing), asks.Ended(task))
            << seed << " " << step;
      } else if (what == 15 && random() % 8 == 0 && !waiting.empty()) {
        const Task task = take_any(waiting);
        unmanaged.policy->Drop(task);
        asks.Remove(task);
      }
    }
    EXPECT_LT(coming.size(), 10U);
  }
}

}  // namespace
}  // namespace tandem
