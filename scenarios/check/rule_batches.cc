// Requests that ran at once: are they of one stream, or of several of one model that say so, no more than it
// says, the most urgent and oldest that waited, and begun no sooner and in no other size than it says?
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "scenarios/check/batch_orders.h"
#include "scenarios/check/rules.h"

namespace tandem {
namespace {

class BatchRule {
 public:
  BatchRule(const CheckedRun& run, Findings& findings)
      : run_(run), findings_(findings), attempts_(FirstAttempts(run)), absences_(TimesOfAbsences(run)) {
    for (const TracedSpan& span : run.run().spans) {
      if (span.start == span.end && run.FormsBatches()) zero_.insert(span.start);
    }
  }

  void Check() {
    for (const CheckedRequest& request : run_.requests) {
      if (request.with) Joins(request);
    }
    if (!run_.simulated() || !run_.run().complete) return;
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

  // What happens at one instant to streams whose requests go together.
  struct Instant {
    std::vector<const CheckedRequest*> come = {}, dropped = {};
    std::vector<TracedBatch> batches = {};  // as units are asked
  };
  using Instants = std::map<Nanos, Instant>;

  // Of the streams whose requests go together this is the first.
  void CheckForming(StreamId id) {
    const std::optional<Instants> instants = InstantsOf(id);
    if (!instants) return;
    std::set<BatchQueue> queues = {BatchQueue(run_, *run_.stream(id).batching)};
    for (const auto& [date, instant] : *instants) {
      OrdersOfInstant orders(date, zero_.contains(date));
      for (const CheckedRequest* request : instant.come) orders.Comes(*request, FollowsOthers(*request));
      for (const CheckedRequest* request : instant.dropped) orders.IsDropped(*request);
      for (const TracedBatch& batch : instant.batches) orders.IsBegun(batch);
      std::set<BatchQueue> after;
      while (!queues.empty()) {
        BatchQueue queue = std::move(queues.extract(queues.begin()).value());
        queue.LetGoBefore(date);
        orders.Try(std::move(queue), after);
      }
      if (orders.Exhausted()) return;  // of so many another one may explain it
      if (after.empty()) {
        const auto& [request, what] = orders.wrong();
        return findings_.Violation("batches", run_.Name(*request), date, what);
      }
      queues = std::move(after);
    }
  }

  // May it come of what ends at the same instant?
  bool FollowsOthers(const CheckedRequest& request) const {
    const Arrival& arrival = run_.stream(request.stream).arrival;
    return std::holds_alternative<ClosedArrival>(arrival) ||
           std::holds_alternative<DependentArrival>(arrival);
  }

  // Nothing: of some batch it is not told when it was begun.
  std::optional<Instants> InstantsOf(StreamId id) {
    Instants instants;
    std::vector<TracedBatch> batches;
    std::vector<char> goes_along;
    for (std::size_t s = 0; s < run_.scenario().streams.size(); ++s)
      goes_along.push_back(MayGoTogether(StreamId(s), id) ? 1 : 0);
    for (const CheckedRequest& request : run_.requests) {
      if (goes_along[request.stream.index()] == 0) continue;
      instants[request.release].come.push_back(&request);
      if (request.dropped) instants[request.end].dropped.push_back(&request);
      if (request.first_task == request.last_task) continue;
      const CheckedTask* first = attempts_[request.first_task];
      if (first->unclear()) return std::nullopt;
      TracedBatch& batch = batches.emplace_back(TracedBatch{first, &request, {&request}});
      const auto& others = of_[{request.stream, request.index}];
      batch.members.insert(others.begin(), others.end());
    }
    SortAsBegun(batches);
    for (TracedBatch& batch : batches) instants[batch.task->taken].batches.push_back(std::move(batch));
    // Others may stand in from then on.
    if (!absences_.empty()) instants.erase(instants.lower_bound(absences_.front().first), instants.end());
    return instants;
  }

  // At one instant units are asked in their order, and so on round: slot by slot, whatever stream they take
  // from.
  void SortAsBegun(std::vector<TracedBatch>& begun) const {
    std::set<std::pair<Nanos, UnitId>> instants;
    for (const TracedBatch& each : begun) instants.emplace(each.task->taken, each.task->unit);
    std::map<std::pair<Nanos, UnitId>, std::vector<std::int32_t>> tracks;
    for (const CheckedTask* task : attempts_) {
      const std::pair key(task->taken, task->unit);
      if (instants.contains(key)) tracks[key].push_back(task->track);
    }
    const auto round = [&](const TracedBatch& each) {
      const auto& of_unit = tracks[{each.task->taken, each.task->unit}];
      return std::count_if(of_unit.begin(), of_unit.end(),
                           [&](std::int32_t track) { return track < each.task->track; });
    };
    std::stable_sort(begun.begin(), begun.end(), [&](const TracedBatch& a, const TracedBatch& b) {
      return std::tuple(a.task->taken, round(a), a.task->unit) <
             std::tuple(b.task->taken, round(b), b.task->unit);
    });
  }

  const CheckedRun& run_;
  Findings& findings_;
  std::vector<const CheckedTask*> attempts_;  // per task
  Times absences_;
  std::set<Nanos> zero_;  // instants within which more may happen than the trace tells
  std::map<std::pair<StreamId, std::int64_t>, std::vector<const CheckedRequest*>> of_;
};

}  // namespace

void CheckBatches(const CheckedRun& run, Findings& findings) { BatchRule(run, findings).Check(); }

}  // namespace tandem
