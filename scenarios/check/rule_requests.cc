// Releases, derived anew: none of this is shared with scenarios/arrivals/arrivals.cc, which executors use,
// but the random numbers.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <queue>

#include "scenarios/arrivals/random.h"
#include "scenarios/check/rules.h"

namespace tandem {
namespace {

constexpr int kMostMissing = 100;  // per stream: then no more is looked for

constexpr std::int64_t kMostDraws = 100'000'000;

using Requests = std::pair<std::size_t, std::size_t>;  // of a stream: positions in CheckedRun::requests

// The dates at which an open stream releases its requests, in order.
class OpenDates {
 public:
  OpenDates(const Stream& stream, std::uint64_t seed) : stream_(stream), random_(stream.name, seed) {}

  std::optional<Nanos> Next() {
    if (const auto* periodic = std::get_if<PeriodicArrival>(&stream_.arrival)) return NextFrame(*periodic);
    if (std::holds_alternative<OfflineArrival>(stream_.arrival)) {
      return next_++ < stream_.until.count ? std::optional(Nanos{0}) : std::nullopt;
    }
    if (const auto* poisson = std::get_if<PoissonArrival>(&stream_.arrival)) {
      last_ += Nanos{static_cast<std::int64_t>(
          std::min(std::floor(random_.Exponential() * 1e9 / poisson->rate_per_s + 0.5),
                   1e16 - static_cast<double>(last_.count())))};
      return Admitted(last_);
    }
    const auto& times = *std::get<TraceArrival>(stream_.arrival).times;
    if (static_cast<std::size_t>(next_) >= times.size()) return std::nullopt;
    return Admitted(times[static_cast<std::size_t>(next_)]);
  }

 private:
  std::optional<Nanos> Admitted(Nanos date) {
    return stream_.until.Admits(next_++, date) ? std::optional(date) : std::nullopt;
  }

  // phase + k * period, a half nanosecond rounded up.
  static Nanos Nominal(const PeriodicArrival& arrival, std::int64_t k) {
    const auto twice = static_cast<__int128>(2 * arrival.period_ns) * k + arrival.divisor;
    return arrival.phase +
           Nanos{static_cast<std::int64_t>(twice / (2 * static_cast<__int128>(arrival.divisor)))};
  }

  // Jitter may carry frames past each other: one is certain once no frame to come can be earlier.
  std::optional<Nanos> NextFrame(const PeriodicArrival& arrival) {
    while (stream_.until.Admits(next_, Nominal(arrival, next_))) {
      const Nanos nominal = Nominal(arrival, next_);
      if (!late_.empty() && late_.top() <= nominal) break;
      const Nanos date =
          nominal + Nanos{arrival.jitter > Nanos{0} ? random_.UniformUpTo(arrival.jitter.count()) : 0};
      if (stream_.until.Admits(next_++, date)) late_.push(date);
    }
    if (late_.empty()) return std::nullopt;
    const Nanos date = late_.top();
    late_.pop();
    return date;
  }

  const Stream& stream_;
  StreamRandom random_;
  std::int64_t next_ = 0;
  Nanos last_{0};
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> late_;
};

class RequestRule {
 public:
  RequestRule(const CheckedRun& run, Findings& findings) : run_(run), findings_(findings) {}

  void Check() {
    std::size_t at = 0;
    for (std::size_t s = 0; s < run_.scenario().streams.size(); ++s) {
      const std::size_t first = at;
      while (at < run_.requests.size() && run_.requests[at].stream == StreamId(s)) ++at;
      of_stream_.emplace_back(first, at);
    }
    for (std::size_t s = 0; s < of_stream_.size(); ++s) {
      const Stream& stream = run_.scenario().streams[s];
      if (const auto* closed = std::get_if<ClosedArrival>(&stream.arrival)) {
        CheckClosed(StreamId(s), *closed);
      } else if (const auto* dependent = std::get_if<DependentArrival>(&stream.arrival)) {
        CheckDependent(StreamId(s), *dependent);  // and those that join others
      } else {
        OpenDates dates(stream, run_.run().seed);
        Compare(StreamId(s), [&] { return dates.Next(); });
      }
    }
    for (const CheckedRequest& request : run_.requests) CheckEnd(request);
    for (std::size_t s = 0; s < of_stream_.size(); ++s) {
      if (run_.stream(StreamId(s)).keep_latest) CheckNewest(StreamId(s));
    }
  }

 private:
  // The requests of the stream against the dates that they should have, the k-th being request k's.
  template <class Dates>
  void Compare(StreamId id, Dates next_date) {
    auto [at, last] = of_stream_[id.index()];
    int missing = 0;
    for (std::int64_t k = 0; missing < kMostMissing; ++k) {
      while (at < last && run_.requests[at].index < k) ++at;  // there twice: a finding already
      const bool more = at < last;
      if (!more && !run_.run().complete) return;
      const std::optional<Nanos> date = next_date();
      if (!date) break;
      if (more && run_.requests[at].index == k) {
        CheckRelease(run_.requests[at++], *date);
      } else if (run_.run().complete) {
        Missing(id, k, *date);
        ++missing;
      } else if (*date > run_.run().end) {
        break;
      }
    }
    for (; at < last && missing < kMostMissing; ++at) {
      findings_.Violation("requests", run_.Name(run_.requests[at]), run_.requests[at].release,
                          "the scenario asks for no such request");
    }
  }

  void Missing(StreamId id, std::int64_t index, Nanos date) {
    findings_.Violation("requests", run_.stream(id).name + " #" + std::to_string(index), date,
                        "the request is neither completed nor dropped");
  }

  void CheckRelease(const CheckedRequest& request, Nanos date) {
    // On a device the end of one request is known a little after it happened.
    const bool follows = !IsOpenStream(request.stream);
    if (request.release == date || (!run_.simulated() && follows && request.release > date)) return;
    findings_.Violation("releases", run_.Name(request), request.release,
                        "its release should be at " + MicrosText(date));
  }

  bool IsOpenStream(StreamId id) const {
    const Arrival& arrival = run_.stream(id).arrival;
    return !std::holds_alternative<ClosedArrival>(arrival) &&
           !std::holds_alternative<DependentArrival>(arrival);
  }

  // A query ends with the last of its requests; the n-th to end releases the next one.
  void CheckClosed(StreamId id, const ClosedArrival& closed) {
    const auto [first, last] = of_stream_[id.index()];
    std::vector<Nanos> ends;
    for (std::size_t at = first; at < last;) {
      const std::int64_t query = run_.requests[at].index / closed.per_query;
      std::int64_t ended = 0;
      Nanos end{0};
      for (; at < last && run_.requests[at].index / closed.per_query == query; ++at) {
        end = std::max(end, run_.requests[at].end);
        ended += run_.requests[at].done || run_.requests[at].dropped ? 1 : 0;
      }
      if (ended == closed.per_query) ends.push_back(end);
    }
    std::sort(ends.begin(), ends.end());
    std::int64_t k = 0;
    Compare(id, [&]() -> std::optional<Nanos> {
      const std::int64_t query = k++ / closed.per_query;
      const auto follows = static_cast<std::size_t>(std::max<std::int64_t>(query - closed.in_flight, 0));
      if (query >= closed.in_flight && follows >= ends.size()) return std::nullopt;
      const Nanos date = query < closed.in_flight ? Nanos{0} : ends[follows];
      return run_.stream(id).until.Admits(query, date) ? std::optional(date) : std::nullopt;
    });
  }

  void CheckDependent(StreamId id, const DependentArrival& dependent) {
    auto [at, last] = of_stream_[id.index()];
    auto [parent, last_parent] = of_stream_[dependent.parent.index()];
    StreamRandom random(dependent.drawn_as.empty() ? run_.stream(id).name : dependent.drawn_as,
                        run_.run().seed);
    std::int64_t drawn = 0;
    bool exists = false;
    for (; parent < last_parent; ++parent) {
      const CheckedRequest& cause = run_.requests[parent];
      if (cause.index > kMostDraws) break;  // no request of the parent: a finding already
      for (; drawn <= cause.index; ++drawn) exists = random.Uniform() < dependent.probability;
      for (; at < last && run_.requests[at].index < cause.index; ++at) Unasked(run_.requests[at]);
      const bool there = at < last && run_.requests[at].index == cause.index;
      const bool due = exists && cause.index % dependent.every == 0 && cause.done;
      const Nanos date = due ? AllEnded(dependent, cause) : cause.end;
      if (there && due) CheckRelease(run_.requests[at], date);
      if (there && !due) Unasked(run_.requests[at]);
      if (!there && due && run_.run().complete) Missing(id, cause.index, date);
      at += there ? 1 : 0;
    }
    for (; at < last; ++at) Unasked(run_.requests[at]);
  }

  // When the request and those of the same index that are joined with it had ended; of what is not there
  // nobody waits.
  Nanos AllEnded(const DependentArrival& dependent, const CheckedRequest& cause) const {
    Nanos date = cause.end;
    for (const StreamId joined : dependent.joins) {
      if (const CheckedRequest* there = Find(joined, cause.index)) date = std::max(date, there->end);
    }
    return date;
  }

  const CheckedRequest* Find(StreamId stream, std::int64_t index) const {
    const auto [first, last] = of_stream_[stream.index()];
    const auto begin = run_.requests.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = run_.requests.begin() + static_cast<std::ptrdiff_t>(last);
    const auto found =
        std::lower_bound(begin, end, index,
                         [](const CheckedRequest& of, std::int64_t of_index) { return of.index < of_index; });
    return found != end && found->index == index ? &*found : nullptr;
  }

  // Its own, or those of the request that it went along with.
  std::pair<std::size_t, std::size_t> TasksFor(const CheckedRequest& request) const {
    const CheckedRequest* of = request.with ? Find(request.with_stream, *request.with) : &request;
    return of ? std::pair(of->first_task, of->last_task) : std::pair(std::size_t{0}, std::size_t{0});
  }

  // When drop_late lets go of it: at the earlier of its deadlines, of which one counts from the request of
  // that index on which all others of it hang, and may have passed before this one came.
  std::optional<Nanos> LateAt(const CheckedRequest& request) const {
    const Stream& stream = run_.stream(request.stream);
    if (!stream.drop_late) return std::nullopt;
    std::optional<Nanos> late;
    if (stream.deadline) late = request.release + *stream.deadline;
    if (!stream.end_to_end_deadline) return late;
    StreamId root = request.stream;
    while (const auto* follows = std::get_if<DependentArrival>(&run_.stream(root).arrival)) {
      root = follows->parent;
    }
    const CheckedRequest* first = Find(root, request.index);
    if (!first) return late;  // a finding already
    const Nanos end_to_end = std::max(first->release + *stream.end_to_end_deadline, request.release);
    return late ? std::min(*late, end_to_end) : end_to_end;
  }

  void Unasked(const CheckedRequest& request) {
    findings_.Violation("requests", run_.Name(request), request.release,
                        "the scenario asks for no such request");
  }

  void CheckEnd(const CheckedRequest& request) {
    const Stream& stream = run_.stream(request.stream);
    if (!request.dropped) {
      if (!request.done && run_.run().complete) Missing(request.stream, request.index, request.release);
      const std::optional<Nanos> late = LateAt(request);
      const auto [first_task, last_task] = TasksFor(request);
      if (!late || first_task == last_task) return;
      const CheckedTask* first = &run_.tasks[first_task];
      for (std::size_t t = first_task; t < last_task; ++t) {
        // One of which that is not told may have had its slot long before.
        if (run_.tasks[t].unclear() && run_.tasks[t].ready < *late) return;
        if (run_.tasks[t].begun < first->begun) first = &run_.tasks[t];
      }
      if (first->unclear() || first->begun < *late) return;
      findings_.Unwanted(run_.simulated(), "drops", run_.Name(request), first->begun,
                         "it starts after its deadline, when it should have been dropped");
      return;
    }
    if (stream.keep_latest) return;  // CheckNewest
    if (!stream.drop_late) {
      findings_.Violation("drops", run_.Name(request), request.end, "its stream drops nothing");
    } else if (const std::optional<Nanos> late = LateAt(request);
               late && (request.end < *late || (run_.simulated() && request.end != *late))) {
      findings_.Violation("drops", run_.Name(request), request.end,
                          "its deadline passes at " + MicrosText(*late));
    }
  }

  // A request of a stream with keep_latest, until it is begun or dropped.
  struct Waiting {
    const CheckedRequest* request;
    Nanos leaves;
    std::optional<Nanos> due = {};  // of drop_late
  };

  void CheckNewest(StreamId id) {
    const Stream& stream = run_.stream(id);
    std::vector<Waiting> all;
    for (auto [at, last] = of_stream_[id.index()]; at < last; ++at) {
      const CheckedRequest& request = run_.requests[at];
      Waiting& waiting = all.emplace_back(Waiting{&request, request.dropped ? request.end : kNotYet});
      waiting.due = LateAt(request);
      const auto [first_task, last_task] = TasksFor(request);
      for (std::size_t t = first_task; t < last_task; ++t) {
        if (run_.tasks[t].unclear()) return;  // it may have begun long before
        waiting.leaves = std::min(waiting.leaves, run_.tasks[t].begun);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Waiting& a, const Waiting& b) {
      return std::pair(a.request->release, a.request->index) <
             std::pair(b.request->release, b.request->index);
    });
    if (!run_.simulated()) return CheckThatNewerOnesCame(all, static_cast<std::size_t>(*stream.keep_latest));
    if (run_.run().complete) CheckDrops(all, static_cast<std::size_t>(*stream.keep_latest));
  }

  // When newer ones really came, and when that was noticed, only the device knew.
  void CheckThatNewerOnesCame(const std::vector<Waiting>& all, std::size_t keeps) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const CheckedRequest& request = *all[i].request;
      if (!request.dropped || (all[i].due && request.end >= *all[i].due)) continue;
      if (i + keeps < all.size() && all[i + keeps].request->release <= request.end) continue;
      findings_.Violation("drops", run_.Name(request), request.end, "too few newer ones had come");
    }
  }

  // What waits, release by release: at each the oldest leave until no more are left than the stream keeps.
  void CheckDrops(const std::vector<Waiting>& all, std::size_t keeps) {
    std::vector<std::optional<Nanos>> drops(all.size());
    std::deque<std::size_t> waiting;
    const auto until = [&](Nanos date) {
      std::erase_if(waiting, [&](std::size_t i) {
        const bool late = all[i].due && *all[i].due <= std::min(date, all[i].leaves);
        if (late) drops[i] = all[i].due;
        return late || all[i].leaves < date;
      });
    };
    for (std::size_t i = 0; i < all.size();) {
      const Nanos date = all[i].request->release;
      until(date);
      for (; i < all.size() && all[i].request->release == date; ++i) waiting.push_back(i);
      until(date);  // what was late when it came
      for (; waiting.size() > keeps; waiting.pop_front()) drops[waiting.front()] = date;
    }
    until(kNotYet);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const CheckedRequest& request = *all[i].request;
      if (drops[i] == (request.dropped ? std::optional(request.end) : std::nullopt)) continue;
      findings_.Violation("drops", run_.Name(request), drops[i].value_or(request.end),
                          drops[i] ? "it should have been dropped then, unbegun as it was"
                                   : "its stream keeps it: too few newer ones were waiting");
    }
  }

  static constexpr Nanos kNotYet{INT64_MAX};

  const CheckedRun& run_;
  Findings& findings_;
  std::vector<Requests> of_stream_;
};

}  // namespace

void CheckRequests(const CheckedRun& run, Findings& findings) { RequestRule(run, findings).Check(); }

}  // namespace tandem
