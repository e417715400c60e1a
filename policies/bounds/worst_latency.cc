#include "policies/bounds/worst_latency.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "policies/bounds/coming.h"
#include "policies/bounds/fixed_service.h"
#include "policies/problem/roots.h"
#include "profiles/base/check.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBusySteps = 100'000;  // of one busy time, and requests within it
constexpr int kMostJitterRounds = 100;            // in which streams that follow each other find their jitter

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
      : scenario_(problem.scenario()),
        streams_(scenario_.streams),
        service_(problem, policy, longer),
        order_(AfterThoseWaitedFor(streams_)) {}

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
      if (same) return WithAssumptions(WithWholeWays(std::move(all)));
    }
    // What follows something else may still be longer; what nothing depends on is not told apart from it.
    for (WorstLatency& of : all) {
      of.longest.reset();
      of.why = "streams that follow each other, or share cores, delay each other ever more";
    }
    return all;
  }

 private:
  void FindComing(const std::vector<WorstLatency>& known) {
    coming_.assign(streams_.size(), {});
    for (const std::size_t s : order_) coming_[s] = ComingOf(streams_[s], known);
    begun_or_coming_ = coming_;
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      Coming& coming = begun_or_coming_[s];
      if (!known[s].why.empty() && coming.unknown.empty()) coming.unknown = "nothing is proved of it";
      coming.jitter = std::min(coming.jitter + known[s].longest.value_or(Nanos{0}), kLongestTime);
    }
  }

  // Of a unit that shares cores it may have been released before the unit had anything of this level to do.
  struct Interference {
    std::size_t stream;
    const Coming* coming;
  };
  std::vector<Interference> BeforeOrWith(std::size_t stream) const {
    std::vector<Interference> others;
    for (const std::size_t s : service_.NotAfter(stream)) others.push_back({s, &coming_[s]});
    for (const StreamOn& of : service_.Beside(stream))
      others.push_back({of.stream, &begun_or_coming_[of.stream]});
    return others;
  }

  Coming ComingOf(const Stream& stream, const std::vector<WorstLatency>& known) const {
    const auto* after = std::get_if<DependentArrival>(&stream.arrival);
    return after ? ComingAfter(*after, known) : ComingByItself(stream);
  }

  // As the parent's do, each when the last of those has ended that it waits for.
  Coming ComingAfter(const DependentArrival& after, const std::vector<WorstLatency>& known) const {
    Coming coming = coming_[after.parent.index()];
    for (const StreamId before : after.WaitsFor()) {
      const WorstLatency& of = known[before.index()];
      if (RootOf(scenario_, before) != RootOf(scenario_, after.parent))
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

  // Pairs of units of which nobody measured what they cost each other: of the stream's own unit, and of those
  // of whoever it waits for or may have to wait for.
  std::vector<WorstLatency> WithAssumptions(std::vector<WorstLatency> all) const {
    std::vector<std::set<std::pair<UnitId, UnitId>>> pairs(streams_.size());
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      for (const UnitId other : service_.Unslowed(s))
        pairs[s].insert(std::minmax(service_.Of(s).unit, other));
    }
    for (bool changed = true; std::exchange(changed, false);) {
      const auto also = [&](std::size_t of, std::size_t from) {
        const std::size_t before = pairs[of].size();
        pairs[of].insert(pairs[from].begin(), pairs[from].end());
        changed = changed || pairs[of].size() > before;
      };
      for (std::size_t s = 0; s < streams_.size(); ++s) {
        if (!all[s].longest) continue;
        for (const Interference& of : BeforeOrWith(s)) also(s, of.stream);
        const auto* after = std::get_if<DependentArrival>(&streams_[s].arrival);
        if (!after) continue;
        for (const StreamId above : after->WaitsFor()) also(s, above.index());
      }
    }
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      if (!all[s].longest) continue;
      for (const auto& [one, other] : pairs[s]) {
        all[s].assumes.push_back("units " + Quoted(scenario_.platform->unit(one).name) + " and " +
                                 Quoted(scenario_.platform->unit(other).name) + " cost each other nothing");
      }
    }
    return all;
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
    const Served& served = service_.Of(stream);
    WorstLatency worst{served.unit, {}, {}, served.why};
    if (served.unit.valid()) worst.work = served.work;
    if (!worst.why.empty()) return worst;
    const std::vector<Interference> others = BeforeOrWith(stream);
    std::vector<Interference> level = others;
    level.push_back({stream, &coming_[stream]});
    double load = 0;
    for (const auto& [s, coming] : level) {
      const std::string before = s == stream ? "" : Quoted(streams_[s].name) + " may come before it, and ";
      if (!service_.Of(s).why.empty()) worst.why = before + service_.Of(s).why;
      if (!coming->unknown.empty()) worst.why = before + coming->unknown;
      if (!worst.why.empty()) return worst;
      if (coming->period > 0)
        load += static_cast<double>(service_.Of(s).work.count()) / static_cast<double>(coming->period);
    }
    worst.why = "its unit is asked for more than it can do";
    if (load > 1) return worst;
    worst.why = "its unit may be busy for longer than can be looked at";
    worst.longest = Longest(stream, others, level);
    if (worst.longest) worst.why.clear();
    return worst;
  }

  std::optional<Nanos> Longest(std::size_t stream, const std::vector<Interference>& others,
                               const std::vector<Interference>& level) const {
    const Served& served = service_.Of(stream);
    const Coming& coming = coming_[stream];
    const Nanos blocking = service_.Blocking(stream);
    const auto busy = Fixpoint(blocking + served.work, [&](Nanos window) {
      Nanos demand = blocking;
      for (const auto& [s, comes] : level) demand = With(demand, service_.Of(s).work, comes->Before(window));
      return demand;
    });
    if (!busy || coming.Before(*busy) > kMostBusySteps) return std::nullopt;
    Nanos longest{0}, start = blocking;
    for (std::int64_t q = 0; q < coming.Before(*busy); ++q) {
      const Nanos before = blocking + served.work * (q + 1) - served.shortest_task;
      const auto begins = Fixpoint(std::max(start, before), [&](Nanos window) {
        Nanos demand = before;
        for (const auto& [s, comes] : others)
          demand = With(demand, service_.Of(s).work, comes->Within(window));
        return demand;
      });
      if (!begins) return std::nullopt;
      start = *begins;
      const Nanos released{std::max<std::int64_t>(q * coming.period - coming.jitter.count(), 0)};
      longest = std::max(longest, start + served.shortest_task - released);
    }
    return longest;
  }

  const Scenario& scenario_;
  const std::vector<Stream>& streams_;
  FixedService service_;
  std::vector<std::size_t> order_;  // of the streams, each behind those that it waits for
  std::vector<Coming> coming_;
  std::vector<Coming> begun_or_coming_;  // the same, with those that are not done since they were released
};

}  // namespace

std::vector<WorstLatency> WorstLatencies(const Problem& problem, const Policy& policy, double longer) {
  return Analysis(problem, policy, longer).All();
}

}  // namespace tandem
