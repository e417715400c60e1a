// Requests that follow one of another stream several times, or once for several: streams of which request k
// follows request k, so that all else need not know of them.
#include <algorithm>
#include <numeric>
#include <set>

#include "profiles/base/suggest.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::size_t kMostCopies = 4096;  // of one stream, where several follow each of several

const DependentArrival* LinkOf(const Stream& stream) {
  return std::get_if<DependentArrival>(&stream.arrival);
}
DependentArrival* LinkOf(Stream& stream) { return std::get_if<DependentArrival>(&stream.arrival); }

// The streams as the file has them.
class FannedOut {
 public:
  FannedOut(const JsonReader& streams, Scenario& scenario) : all_(scenario.streams) {
    for (const JsonReader value : streams.Elements()) values_.push_back(value);
    copies_.resize(all_.size());
  }

  void CheckJoins() {
    for (std::size_t s = 0; s < all_.size(); ++s) {
      DependentArrival* const link = LinkOf(all_[s]);
      if (link && !link->joins.empty()) SortJoins(s, *link);
    }
    for (std::size_t s = 0; s < all_.size(); ++s) {
      if (LinkOf(all_[s]) && Waits(s, s)) JoinsOf(s).Fail("the streams wait for each other in a circle");
    }
  }

  void Multiply() {
    const std::size_t written = all_.size();
    for (std::size_t s = 0; s < written; ++s) {
      Copies(s);
      if (all_.size() > kMostStreams)
        values_[s]
            .Get("depends_on")
            .Fail("with a stream for each request that may follow there are more than 100000");
    }
    for (std::size_t s = 0; s < written; ++s) {
      if (copies_[s].size() > 1) Rename(s);
    }
  }

 private:
  JsonReader JoinsOf(std::size_t s) const {
    const JsonReader depends = values_[s].Get("depends_on");
    return depends.Find("joins").value_or(depends);
  }

  // All that stands between those that are joined and the parent, one on which that hangs, or their own
  // first, is joined, too; parents come first.
  void SortJoins(std::size_t s, DependentArrival& link) {
    std::vector<StreamId> sorted;
    std::set<StreamId> seen;
    const std::vector<StreamId> before = WayUp(link.parent);
    const auto ended = [&](StreamId at) {
      return std::find(before.begin(), before.end(), at) != before.end();
    };
    for (const StreamId joined : link.joins) {
      if (!seen.insert(joined).second) JoinsOf(s).Fail("the stream " + Name(joined) + " is there twice");
      if (joined == StreamId(s)) JoinsOf(s).Fail("stream " + Name(joined) + " cannot wait for itself");
      if (ended(joined)) {
        JoinsOf(s).Fail("it follows " + Name(link.parent) + ", and by then the request of stream " +
                        Name(joined) + " has ended; leave it out");
      }
      std::vector<StreamId> path = WayUp(joined);
      const auto common = std::find_if(path.begin(), path.end(), ended);
      if (common == path.end()) CheckComeAlike(s, before.back(), path.back());
      path.erase(common, path.end());
      for (auto next = path.rbegin(); next != path.rend(); ++next) {
        if (std::find(sorted.begin(), sorted.end(), *next) == sorted.end()) sorted.push_back(*next);
      }
    }
    link.joins = std::move(sorted);
  }

  // Request k of the one is to have to do with request k of the other, though neither follows the other.
  void CheckComeAlike(std::size_t s, StreamId own, StreamId other) const {
    for (const StreamId root : {own, other}) {
      if (!std::holds_alternative<ClosedArrival>(all_[root.index()].arrival)) continue;
      JoinsOf(s).Fail("streams " + Name(own) + " and " + Name(other) +
                      " come by themselves, and what joins them takes request k of each; those of " +
                      Name(root) +
                      " are closed: they come when others have ended, so that nobody knows which belong "
                      "together");
    }
    const auto* one = std::get_if<PeriodicArrival>(&all_[own.index()].arrival);
    const auto* two = std::get_if<PeriodicArrival>(&all_[other.index()].arrival);
    if (!one || !two) return;
    if (static_cast<__int128>(one->period_ns) * two->divisor ==
        static_cast<__int128>(two->period_ns) * one->divisor)
      return;
    JoinsOf(s).Fail("streams " + Name(own) + " and " + Name(other) +
                    " come by themselves, and what joins them takes request k of each; their periods differ, "
                    "so that these are ever further apart: give both one period");
  }

  // The stream and all on which it hangs.
  std::vector<StreamId> WayUp(StreamId at) const {
    std::vector<StreamId> way = {at};
    while (const DependentArrival* const above = LinkOf(all_[way.back().index()]))
      way.push_back(above->parent);
    return way;
  }
  std::string Name(StreamId stream) const { return Quoted(all_[stream.index()].name); }

  // Does `s` wait for `wanted`, whatever stands between?
  bool Waits(std::size_t s, std::size_t wanted) const {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = {s};
    while (!open.empty()) {
      const DependentArrival* const link = LinkOf(all_[open.back()]);
      open.pop_back();
      if (!link) continue;
      for (const StreamId each : link->WaitsFor()) {
        if (each.index() == wanted) return true;
        if (seen.insert(each.index()).second) open.push_back(each.index());
      }
    }
    return false;
  }

  // Positions of all that the stream becomes, itself first: as many as may follow each of its parent's.
  const std::vector<std::size_t>& Copies(std::size_t s) {
    if (!copies_[s].empty()) return copies_[s];
    if (!LinkOf(all_[s])) return copies_[s] = {s};
    const std::vector<std::size_t> parents = Copies(LinkOf(all_[s])->parent.index());
    for (const StreamId joined : LinkOf(all_[s])->joins) Copies(joined.index());
    const Stream written = all_[s];
    const DependentArrival link = *LinkOf(written);
    const std::size_t each = std::max<std::size_t>(link.times.size(), 2) - 1;
    if (each * parents.size() > kMostCopies) {
      values_[s]
          .Get("depends_on")
          .Fail("more than " + std::to_string(kMostCopies) + " requests of the stream may hang on one");
    }
    std::vector<std::size_t> made;
    for (std::size_t p = 0; p < parents.size(); ++p) {
      for (std::size_t n = 0; n < each; ++n) {
        const bool first = made.empty();
        if (!first) all_.push_back(written);
        const std::size_t at = first ? s : all_.size() - 1;
        DependentArrival& own = *LinkOf(all_[at]);
        own.parent = StreamId(parents[p]);
        own.joins = JoinedBelow(link.joins, parents[p]);
        own.times.clear();
        if (!link.times.empty()) own.probability = MoreThan(link.times, n);
        if (each * parents.size() > 1)
          own.drawn_as = written.name + (p > 0 ? " of " + std::to_string(p + 1) : "");
        if (!first) all_[at].copy_of = s;
        made.push_back(at);
      }
    }
    return copies_[s] = std::move(made);
  }

  // How likely more than `n` requests are.
  static double MoreThan(const std::vector<double>& times, std::size_t n) {
    const double all = std::accumulate(times.begin(), times.end(), 0.0);
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(std::min(n + 1, times.size()));
    return std::min(1.0, std::accumulate(begin, times.end(), 0.0) / all);
  }

  // Of the joined streams all that hang on this one of the parent's, on what that hangs on, or on nothing.
  std::vector<StreamId> JoinedBelow(const std::vector<StreamId>& joins, std::size_t parent) const {
    std::vector<StreamId> below;
    std::set<std::size_t> known;
    for (const StreamId above : WayUp(StreamId(parent))) known.insert(above.index());
    for (const StreamId joined : joins) {
      for (const std::size_t copy : copies_[joined.index()]) {
        const DependentArrival* const follows = LinkOf(all_[copy]);
        if (follows && !known.contains(follows->parent.index())) continue;
        known.insert(copy);
        below.emplace_back(copy);
      }
    }
    return below;
  }

  void Rename(std::size_t s) {
    const std::string name = all_[s].name;
    for (std::size_t n = 0; n < copies_[s].size(); ++n) {
      std::string numbered = name + "_" + std::to_string(n + 1);
      for (const Stream& other : all_) {
        if (other.name == numbered)
          values_[s].Get("name").Fail("its requests become streams of their own, " + Quoted(numbered) +
                                      " among them, which is there already");
      }
      all_[copies_[s][n]].name = std::move(numbered);
    }
  }

  std::vector<Stream>& all_;
  std::vector<JsonReader> values_;
  std::vector<std::vector<std::size_t>> copies_;  // per stream of the file
};

}  // namespace

void JoinAndFanOut(const JsonReader& streams, Scenario& scenario) {
  const auto fans_out = [](const Stream& stream) {
    const DependentArrival* const link = LinkOf(stream);
    return link && (!link->times.empty() || !link->joins.empty());
  };
  if (std::none_of(scenario.streams.begin(), scenario.streams.end(), fans_out)) return;
  FannedOut made(streams, scenario);
  made.CheckJoins();
  made.Multiply();
}

}  // namespace tandem
