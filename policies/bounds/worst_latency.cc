#include "policies/bounds/worst_latency.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "policies/engine/exclusion.h"
#include "policies/engine/memory_ledger.h"
#include "policies/kinds/list_policy.h"
#include "policies/problem/roots.h"
#include "policies/problem/slowdowns.h"
#include "profiles/base/check.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBusySteps = 100'000;  // of one busy time, and requests within it
constexpr int kMostJitterRounds = 100;            // in which streams that follow each other find their jitter

// How many requests of a stream come within so long.
struct Coming {
  std::int64_t period = 0;  // 0: all of `count` may come at once
  Nanos jitter{0};
  std::int64_t count = 0;
  std::string unknown;  // why nobody can tell; empty: as above

  std::int64_t Within(Nanos window) const {  // both ends belong to it
    return period == 0 ? count : (window + jitter).count() / period + 1;
  }
  std::int64_t Before(Nanos end) const {  // the end does not
    return period == 0 ? count : ((end + jitter).count() + period - 1) / period;
  }
};

// What a unit may take of a stream.
struct Taken {
  bool any = false;
  std::int64_t rank = 0;  // the best of its parts
  bool one_rank = true, timed = false;
  Nanos longest_task{0};
};

// A stream on its unit.
struct Served {
  UnitId unit;  // invalid: none, or not one alone
  std::int64_t rank = 0;
  Nanos work{0}, shortest_task{0};
  std::string why;  // it is not served by one unit in a fixed place
};

// All streams, each behind those that it waits for; none waits in a circle.
std::vector<std::size_t> AfterThoseWaitedFor(const std::vector<Stream>& streams) {
  std::vector<std::vector<std::size_t>> waiting(streams.size());
  std::vector<std::size_t> left(streams.size()), order;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    if (const auto* after = std::get_if<DependentArrival>(&streams[s].arrival)) {
      for (const StreamId above : after->WaitsFor()) waiting[above.index()].push_back(s);
      left[s] = after->joins.size() + 1;
    }
    if (left[s] == 0) order.push_back(s);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t s : waiting[order[i]]) {
      if (--left[s] == 0) order.push_back(s);
    }
  }
  return order;
}

class Analysis {
 public:
  Analysis(const Problem& problem, const Policy& policy, double longer)
      : problem_(problem),
        streams_(problem.scenario().streams),
        longer_(longer),
        order_(AfterThoseWaitedFor(streams_)) {
    const auto* list = dynamic_cast<const ListPolicy*>(&policy);
    if (list) FindTaken(*list);
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      served_.push_back(list ? ServedBy(s) : Served{});
      if (!list) served_.back().why = "in which order a unit takes requests is not fixed by their streams";
    }
    for (Served& served : served_) {
      if (served.why.empty()) served.why = TroubleOf(served.unit);
    }
  }

  std::vector<WorstLatency> All() {
    std::vector<WorstLatency> all(streams_.size());
    for (int round = 0; round < kMostJitterRounds; ++round) {
      FindComing(all);
      std::vector<WorstLatency> next;
      for (std::size_t s = 0; s < streams_.size(); ++s) next.push_back(Of(s));
      const bool same = std::equal(all.begin(), all.end(), next.begin(), [](const auto& a, const auto& b) {
        return a.longest == b.longest && a.why == b.why;
      });
      all = std::move(next);
      if (same) return WithWholeWays(std::move(all));
    }
    // What follows something else may still be longer; what nothing depends on is not told apart from it.
    for (WorstLatency& of : all) {
      of.longest.reset();
      of.why = "streams that follow each other delay each other ever more";
    }
    return all;
  }

 private:
  Nanos Longer(Nanos time) const {
    if (longer_ == 1) return time;
    return std::min(Nanos{std::llround(std::ceil(static_cast<double>(time.count()) * longer_))},
                    kLongestTime);
  }

  template <class Each>
  void ForEachSegment(StreamId stream, const Each& each) const {
    const Cut& cut = problem_.cut(stream);
    for (std::int32_t i = 0; i < cut.segments; ++i)
      each(SegmentId(cut.first.index() + static_cast<std::size_t>(i)));
  }

  void FindTaken(const ListPolicy& list) {
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      taken_.emplace_back(problem_.units());
      ForEachSegment(StreamId(s), [&](SegmentId segment) {
        for (std::size_t u = 0; u < problem_.units(); ++u) {
          const LaneRule rule = list.RuleOf(UnitId(u), StreamId(s), segment);
          Taken& taken = taken_[s][u];
          if (!rule.takes) continue;
          taken.one_rank = taken.one_rank && (!taken.any || taken.rank == rule.rank);
          taken.rank = taken.any ? std::min(taken.rank, rule.rank) : rule.rank;
          taken.timed = taken.timed || rule.offset != Nanos{0};
          taken.longest_task = std::max(taken.longest_task, Longer(problem_.Work(segment, UnitId(u))));
          taken.any = true;
        }
      });
    }
  }

  Served ServedBy(std::size_t stream) const {
    Served served;
    bool several = false;
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const Taken& taken = taken_[stream][u];
      if (!taken.any) continue;
      if (served.unit.valid()) {
        served.why = "units " + NameOf(served.unit) + " and " + NameOf(UnitId(u)) + " may both run it";
        several = true;
      }
      if (taken.timed) served.why = "its place in the order depends on time";
      if (!taken.one_rank) served.why = "its parts have several ranks";
      served.unit = UnitId(u);
      served.rank = taken.rank;
    }
    if (several) served.unit = UnitId();
    if (!served.unit.valid()) return served;
    served.shortest_task = Nanos::max();
    ForEachSegment(StreamId(stream), [&](SegmentId segment) {
      const Nanos work = Longer(problem_.Work(segment, served.unit));
      served.work += work;
      served.shortest_task = std::min(served.shortest_task, work);
    });
    return served;
  }

  std::string NameOf(UnitId unit) const { return Quoted(problem_.platform().unit(unit).name); }

  bool IsServing(UnitId unit) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const auto& of) { return of[unit.index()].any; });
  }

  // Why what is proved here does not hold of the unit; empty: it does.
  std::string TroubleOf(UnitId unit) const {
    if (!unit.valid()) return "no unit runs it";
    const Unit& of = problem_.platform().unit(unit);
    if (of.slots > 1) return "unit " + NameOf(unit) + " has several slots";
    const std::vector<UnitId> excluded = ExcludedUnits(problem_.platform())[unit.index()];
    for (const UnitId other : excluded) {
      if (IsServing(other))
        return "units " + NameOf(unit) + " and " + NameOf(other) + " keep each other waiting";
    }
    if (problem_.LoadsModels(unit)) return "unit " + NameOf(unit) + " loads models meanwhile";
    if (problem_.scenario().transfer != TransferMode::kNone && of.memory != MemoryId(0)) {
      return "what unit " + NameOf(unit) + " reads has to be copied, which others delay";
    }
    for (const Stream& stream : streams_) {
      if (!stream.ReadsFrom().valid() || problem_.scenario().transfer == TransferMode::kNone) continue;
      if (problem_.platform().memories.size() > 1 || problem_.hand_overs().any())
        return "what stream " + Quoted(stream.name) + " reads was made elsewhere, and is brought there";
    }
    if (MemoryLedger(problem_).on()) return "requests may have to wait for room in memory";
    const Slowdowns& slowdowns = problem_.slowdowns();
    if (slowdowns.AtStart()) return "what a task takes depends on what its unit did before it";
    if (const Stream* stream = FirstBatching(problem_.scenario()))
      return "requests of stream " + Quoted(stream->name) + " run in batches";
    if (!problem_.scenario().speeds.empty() || !problem_.scenario().heat.empty())
      return "units change their speed";
    if (!problem_.scenario().away.empty()) return "units leave and come back";
    if (!slowdowns.on()) return {};
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      if (UnitId(u) != unit && IsServing(UnitId(u))) return "units slow each other down";
    }
    for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
      if (slowdowns.Background(SegmentId(s), unit) != 1)
        return "a load from outside slows unit " + NameOf(unit) + " down";
    }
    return {};
  }

  void FindComing(const std::vector<WorstLatency>& known) {
    coming_.assign(streams_.size(), {});
    for (const std::size_t s : order_) coming_[s] = ComingOf(streams_[s], known);
  }

  Coming ComingOf(const Stream& stream, const std::vector<WorstLatency>& known) const {
    Coming coming;
    if (const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival)) {
      coming.period = std::max<std::int64_t>(periodic->period_ns / periodic->divisor, 1);
      coming.jitter = periodic->jitter;
    } else if (std::holds_alternative<OfflineArrival>(stream.arrival) && stream.until.duration == Nanos{0}) {
      coming.count = stream.until.count;
    } else if (const auto* after = std::get_if<DependentArrival>(&stream.arrival)) {
      coming = ComingAfter(*after, known);
    } else {
      coming.unknown = "its requests may come at any time";
    }
    return coming;
  }

  // As the parent's do, each when the last of those has ended that it waits for.
  Coming ComingAfter(const DependentArrival& after, const std::vector<WorstLatency>& known) const {
    Coming coming = coming_[after.parent.index()];
    for (const StreamId before : after.WaitsFor()) {
      const WorstLatency& of = known[before.index()];
      if (RootOf(problem_.scenario(), before) != RootOf(problem_.scenario(), after.parent))
        coming.unknown = "it waits for " + Quoted(streams_[before.index()].name) + ", which comes by itself";
      if (!of.why.empty() && coming.unknown.empty()) {
        coming.unknown =
            "it follows " + Quoted(streams_[before.index()].name) + ", of which nothing is proved";
      }
      coming.jitter = std::max(coming.jitter, coming_[before.index()].jitter + of.longest.value_or(Nanos{0}));
    }
    if (coming.jitter > kLongestTime && coming.unknown.empty())
      coming.unknown = "what it follows may take longer than can be looked at";
    coming.jitter = std::min(coming.jitter, kLongestTime);
    coming.period = std::min(coming.period, kLongestTime.count() / after.every) * after.every;
    coming.count = (coming.count + after.every - 1) / after.every;
    return coming;
  }

  // Of those that follow others the whole way, from the release of whom they hang on in the end.
  std::vector<WorstLatency> WithWholeWays(std::vector<WorstLatency> all) const {
    for (const std::size_t s : order_) {
      const auto* after = std::get_if<DependentArrival>(&streams_[s].arrival);
      if (!after || !all[s].longest) continue;
      Nanos before{0};
      for (const StreamId above : after->WaitsFor()) {
        const WorstLatency& of = all[above.index()];
        TANDEM_CHECK(of.longest, "what is proved of a stream is proved of all that it waits for");
        before = std::max(before, of.end_to_end.value_or(*of.longest));
      }
      all[s].end_to_end = before + *all[s].longest;
    }
    return all;
  }

  // What comes before the stream, or with it, on its unit.
  std::vector<std::size_t> NotAfter(std::size_t stream) const {
    std::vector<std::size_t> others;
    for (std::size_t s = 0; s < taken_.size(); ++s) {
      const Taken& taken = taken_[s][served_[stream].unit.index()];
      if (s != stream && taken.any && taken.rank <= served_[stream].rank) others.push_back(s);
    }
    return others;
  }

  // The longest task of those that come after it: the unit may have begun it just before.
  Nanos Blocking(std::size_t stream) const {
    Nanos longest{0};
    for (const auto& of : taken_) {
      const Taken& taken = of[served_[stream].unit.index()];
      if (taken.any && taken.rank > served_[stream].rank) longest = std::max(longest, taken.longest_task);
    }
    return longest;
  }

  // So many requests more; beyond the longest time there is.
  static Nanos With(Nanos demand, Nanos work, std::int64_t requests) {
    const Nanos beyond = kLongestTime + Nanos{1};
    if (demand > kLongestTime || (work > Nanos{0} && requests > (kLongestTime - demand) / work))
      return beyond;
    return demand + work * requests;
  }

  // The smallest window of which `demand` says that it is as long as what has to be done in it.
  template <class Demand>
  static std::optional<Nanos> Fixpoint(Nanos from, const Demand& demand) {
    Nanos window = from;
    for (std::int64_t step = 0; step < kMostBusySteps; ++step) {
      const Nanos next = demand(window);
      if (next > kLongestTime) return std::nullopt;
      if (next <= window) return window;
      window = next;
    }
    return std::nullopt;
  }

  WorstLatency Of(std::size_t stream) const {
    const Served& served = served_[stream];
    WorstLatency worst{served.unit, {}, {}, served.why};
    if (served.unit.valid()) worst.work = served.work;
    if (!worst.why.empty()) return worst;
    const std::vector<std::size_t> others = NotAfter(stream);
    std::vector<std::size_t> level = others;
    level.push_back(stream);
    double load = 0;
    for (const std::size_t s : level) {
      if (!served_[s].why.empty())
        worst.why = Quoted(streams_[s].name) + " may come before it, and " + served_[s].why;
      if (!coming_[s].unknown.empty()) {
        worst.why = s == stream ? coming_[s].unknown
                                : Quoted(streams_[s].name) + " may come before it, and " + coming_[s].unknown;
      }
      if (!worst.why.empty()) return worst;
      if (coming_[s].period > 0) {
        load += static_cast<double>(served_[s].work.count()) / static_cast<double>(coming_[s].period);
      }
    }
    worst.why = "its unit is asked for more than it can do";
    if (load > 1) return worst;
    worst.why = "its unit may be busy for longer than can be looked at";
    worst.longest = Longest(stream, others, level);
    if (worst.longest) worst.why.clear();
    return worst;
  }

  std::optional<Nanos> Longest(std::size_t stream, const std::vector<std::size_t>& others,
                               const std::vector<std::size_t>& level) const {
    const Served& served = served_[stream];
    const Coming& coming = coming_[stream];
    const Nanos blocking = Blocking(stream);
    const auto busy = Fixpoint(blocking + served.work, [&](Nanos window) {
      Nanos demand = blocking;
      for (const std::size_t s : level) demand = With(demand, served_[s].work, coming_[s].Before(window));
      return demand;
    });
    if (!busy || coming.Before(*busy) > kMostBusySteps) return std::nullopt;
    Nanos longest{0}, start = blocking;
    for (std::int64_t q = 0; q < coming.Before(*busy); ++q) {
      const Nanos before = blocking + served.work * (q + 1) - served.shortest_task;
      const auto begins = Fixpoint(std::max(start, before), [&](Nanos window) {
        Nanos demand = before;
        for (const std::size_t s : others) demand = With(demand, served_[s].work, coming_[s].Within(window));
        return demand;
      });
      if (!begins) return std::nullopt;
      start = *begins;
      const Nanos released{std::max<std::int64_t>(q * coming.period - coming.jitter.count(), 0)};
      longest = std::max(longest, start + served.shortest_task - released);
    }
    return longest;
  }

  const Problem& problem_;
  const std::vector<Stream>& streams_;
  double longer_;
  std::vector<std::size_t> order_;         // of the streams, each behind those that it waits for
  std::vector<std::vector<Taken>> taken_;  // per stream and unit; empty: in no fixed order
  std::vector<Served> served_;
  std::vector<Coming> coming_;
};

}  // namespace

std::vector<WorstLatency> WorstLatencies(const Problem& problem, const Policy& policy, double longer) {
  return Analysis(problem, policy, longer).All();
}

}  // namespace tandem
