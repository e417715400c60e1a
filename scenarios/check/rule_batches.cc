// Requests that ran at once: are they of one stream, or of several of one model that say so, no more than it
// says, the most urgent and oldest that waited, and begun no sooner and in no other size than it says?
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

class BatchRule {
 public:
  BatchRule(const CheckedRun& run, Findings& findings) : run_(run), findings_(findings) {}

  void Check() {
    for (const CheckedRequest& request : run_.requests) {
      if (request.with) Joins(request);
    }
    if (!run_.simulated() || !run_.run().complete || !run_.scenario().away.empty()) return;
    for (std::size_t s = 0; s < run_.scenario().streams.size(); ++s) {
      if (run_.stream(StreamId(s)).batching && FirstOf(StreamId(s)) == StreamId(s)) CheckForming(StreamId(s));
    }
  }

 private:
  // Of the streams whose requests may go together with this one's the first in the file.
  StreamId FirstOf(StreamId id) const {
    const Stream& of = run_.stream(id);
    for (std::size_t s = 0; of.batching->across && s < id.index(); ++s) {
      const Stream& other = run_.stream(StreamId(s));
      if (other.batching && other.batching->across && other.model == of.model) return StreamId(s);
    }
    return id;
  }
  bool MayGoTogether(StreamId a, StreamId b) const {
    return run_.stream(a).batching && run_.stream(b).batching && FirstOf(a) == FirstOf(b);
  }

  const CheckedRequest* Find(StreamId stream, std::int64_t index) const {
    const auto found = std::lower_bound(run_.requests.begin(), run_.requests.end(), std::pair(stream, index),
                                        [](const CheckedRequest& request, const auto& key) {
                                          return std::pair(request.stream, request.index) < key;
                                        });
    const bool there = found != run_.requests.end() && found->stream == stream && found->index == index;
    return there ? &*found : nullptr;
  }

  void Joins(const CheckedRequest& request) {
    const auto wrong = [&](const std::string& what) {
      findings_.Violation("batches", run_.Name(request), request.end, what);
    };
    const CheckedRequest* first = Find(request.with_stream, *request.with);
    if (!run_.stream(request.stream).batching) return wrong("requests of its stream run one by one");
    if (!MayGoTogether(request.stream, request.with_stream))
      return wrong("requests of its stream do not go together with those of stream \"" +
                   run_.stream(request.with_stream).name + "\"");
    if (!first || first->with || first->dropped || first->first_task == first->last_task)
      return wrong("no request of its stream has run with which it could have gone along");
    if (first->end != request.end) wrong("it ended at another date than the one that it went along with");
    if (request.release > run_.tasks[first->first_task].begun)
      wrong("it went along with one that began before it came");
    of_[{request.with_stream, *request.with}].push_back(&request);
  }

  // Release by release and batch by batch, what waits and what has waited long enough.
  struct Waiting {
    const CheckedRequest* request;
    bool due = false;
  };
  struct Begun {
    const CheckedTask* task;
    const CheckedRequest* first;
  };

  // Of the streams whose requests go together this is the first.
  void CheckForming(StreamId id) {
    const Batching& rule = *run_.stream(id).batching;
    std::vector<char> goes_along;
    for (std::size_t s = 0; s < run_.scenario().streams.size(); ++s)
      goes_along.push_back(MayGoTogether(StreamId(s), id) ? 1 : 0);
    std::vector<const CheckedRequest*> released;
    std::vector<Begun> begun;
    for (const CheckedRequest& request : run_.requests) {
      if (goes_along[request.stream.index()] == 0) continue;
      released.push_back(&request);
      if (request.first_task == request.last_task) continue;
      if (run_.tasks[request.first_task].unclear()) return;  // when it was begun is not told
      begun.push_back({&run_.tasks[request.first_task], &request});
    }
    std::sort(released.begin(), released.end(), [](const auto* a, const auto* b) {
      return std::tuple(a->release, a->index, a->stream) < std::tuple(b->release, b->index, b->stream);
    });
    SortAsBegun(begun);
    std::vector<Waiting> waiting;
    std::size_t next = 0;
    const auto until = [&](Nanos date) {
      for (;;) {
        const auto open =
            std::find_if(waiting.begin(), waiting.end(), [](const Waiting& w) { return !w.due; });
        const Nanos due = open == waiting.end() ? kNever : open->request->release + rule.wait;
        const Nanos release = next < released.size() ? released[next]->release : kNever;
        if (std::min(due, release) > date) return;
        if (release <= due) {
          for (; next < released.size() && released[next]->release == release; ++next)
            waiting.push_back({released[next]});
          if (static_cast<std::int64_t>(waiting.size()) < rule.most && due != release) continue;
        }
        for (Waiting& each : waiting) each.due = true;
      }
    };
    for (auto first = begun.begin(); first != begun.end();) {
      auto end = std::next(first);
      while (HasCritical(run_.scenario()) && end != begun.end() && end->task->taken == first->task->taken)
        ++end;
      until(first->task->taken);
      if (!TakeInSomeOrder(std::span(first, end), rule, waiting)) return;
      first = end;
    }
  }

  // Units that are kept for critical streams are asked again when those have what they waited for: which of
  // those that took some at one instant came first, no trace tells.
  bool TakeInSomeOrder(std::span<const Begun> batches, const Batching& rule, std::vector<Waiting>& waiting) {
    constexpr int kMostOrders = 720;
    std::vector<std::size_t> order(batches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::pair<const Begun*, std::string> wrong = {};  // in the first order
    for (int tried = 0; tried < kMostOrders; ++tried) {
      std::vector<Waiting> left = waiting;
      std::string what;
      const auto at = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
        what = Takes(batches[i], rule, left);
        return !what.empty();
      });
      if (at == order.end()) {
        waiting = std::move(left);
        return true;
      }
      if (wrong.first == nullptr) wrong = {&batches[*at], what};
      if (!std::next_permutation(order.begin(), order.end())) break;
    }
    findings_.Violation("batches", run_.Name(*wrong.first->first), wrong.first->task->taken, wrong.second);
    return false;
  }

  // At one instant units are asked in their order, and so on round: slot by slot, whatever stream they take
  // from.
  void SortAsBegun(std::vector<Begun>& begun) const {
    std::set<std::pair<Nanos, UnitId>> instants;
    for (const Begun& each : begun) instants.emplace(each.task->taken, each.task->unit);
    std::map<std::pair<Nanos, UnitId>, std::vector<std::int32_t>> tracks;
    for (const CheckedTask& task : run_.tasks) {
      if (instants.contains({task.taken, task.unit})) tracks[{task.taken, task.unit}].push_back(task.track);
    }
    const auto round = [&](const Begun& each) {
      const auto& of_unit = tracks[{each.task->taken, each.task->unit}];
      return std::count_if(of_unit.begin(), of_unit.end(),
                           [&](std::int32_t track) { return track < each.task->track; });
    };
    std::stable_sort(begun.begin(), begun.end(), [&](const Begun& a, const Begun& b) {
      return std::tuple(a.task->taken, round(a), a.task->unit) <
             std::tuple(b.task->taken, round(b), b.task->unit);
    });
  }

  // What is wrong with it; empty: nothing, and it has left those that wait.
  std::string Takes(const Begun& batch, const Batching& rule, std::vector<Waiting>& waiting) {
    std::set<const CheckedRequest*> members = {batch.first};
    for (const CheckedRequest* request : of_[{batch.first->stream, batch.first->index}])
      members.insert(request);
    const auto size = static_cast<std::int64_t>(members.size());
    if (size > rule.most)
      return std::to_string(size) + " went together, at most " + std::to_string(rule.most) + " may";
    const auto first = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const Waiting& w) { return w.request == batch.first; });
    if (first == waiting.end()) return "it was begun before it was there, or twice";
    if (!first->due) return "it was begun before it had waited for others as long as its stream says";
    const std::int64_t known = run_.LargestBatch(batch.first->stream, batch.task->unit);
    const std::int64_t all =
        std::min<std::int64_t>({static_cast<std::int64_t>(waiting.size()), rule.most, known});
    std::int64_t asked = all;
    for (const std::int64_t preferred : rule.preferred) asked = preferred <= all ? preferred : asked;
    // Memory may have no room for more.
    if (size != asked && (size > asked || !LimitsMemory()))
      return std::to_string(size) + " went together, it should be " + std::to_string(asked);
    waiting.erase(first);
    for (std::int64_t left = size - 1; left > 0 && !waiting.empty(); --left) {
      const auto next = NextOf(waiting);
      if (!members.contains(next->request))
        return "an older one, or a more urgent one, was left behind: " + run_.Name(*next->request);
      waiting.erase(next);
    }
    return {};
  }

  // The oldest of the most urgent.
  std::vector<Waiting>::iterator NextOf(std::vector<Waiting>& waiting) const {
    return std::max_element(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) {
      return run_.stream(a.request->stream).priority < run_.stream(b.request->stream).priority;
    });
  }

  bool LimitsMemory() const {
    const auto& memories = run_.platform().memories;
    return std::any_of(memories.begin(), memories.end(),
                       [](const Memory& memory) { return memory.capacity_bytes.has_value(); });
  }

  static constexpr Nanos kNever{INT64_MAX};

  const CheckedRun& run_;
  Findings& findings_;
  std::map<std::pair<StreamId, std::int64_t>, std::vector<const CheckedRequest*>> of_;
};

}  // namespace

void CheckBatches(const CheckedRun& run, Findings& findings) { BatchRule(run, findings).Check(); }

}  // namespace tandem
