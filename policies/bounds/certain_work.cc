#include "policies/bounds/certain_work.h"

#include <algorithm>

#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

__extension__ using Wide = __int128;

constexpr int kEvenDates = 8;     // tails begin at so many dates, evenly spread,
constexpr int kNearingDates = 8;  // and at so many that halve what is left of the time
constexpr Nanos kUnreached{std::int64_t{1} << 61};

Nanos Times(std::int64_t count, Nanos time) {
  return Nanos{static_cast<std::int64_t>(std::min<Wide>(Wide{count} * time.count(), kUnreached.count()))};
}

// A stream and those that hang on it, parents first. Request k of one follows request k of its parent.
struct Family {
  struct Member {
    StreamId stream;
    std::size_t parent = 0;  // position among the members
    Nanos path{0};           // from the root's release to the completion at least
    bool certain = false;
  };
  std::vector<Member> members;
  std::vector<DependencyDraws> draws;  // of all members but the first
};

class Counter {
 public:
  Counter(const Scenario& scenario, const RequestKinds& kinds) : scenario_(scenario), kinds_(kinds) {}
  CertainWork Count();

 private:
  const Stream& stream(StreamId id) const { return scenario_.streams[id.index()]; }
  Nanos Chain(StreamId id) const { return kinds_.chain[kinds_.of_stream[id.index()]]; }
  void FindFamilies();
  void FindDates();
  void CountOpen(Family& family);
  void CountClosed(Family& family);
  void CountQuery(Family& family, std::int64_t index, Nanos release, std::vector<char>& exists);
  void Add(StreamId stream, Nanos release, std::int64_t count);
  void AddTails();

  const Scenario& scenario_;
  const RequestKinds& kinds_;
  CertainWork work_;
  std::vector<Family> families_;
  std::vector<Nanos> dates_;                       // where tails begin
  std::vector<std::vector<std::int64_t>> counts_;  // per date and kind, until the next date
  std::vector<Nanos> earliest_;                    // of those
  Wide chains_ = 0;                                // of all requests, added up
  Wide releases_ = 0;                              // the same
  Nanos last_release_{0};
  bool all_dated_ = true;  // does nothing come when something else has ended?
};

void Counter::FindFamilies() {
  const auto& streams = scenario_.streams;
  std::vector<std::vector<StreamId>> children(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto* dependent = std::get_if<DependentArrival>(&streams[i].arrival);
    if (dependent) children[dependent->parent.index()].emplace_back(i);
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (std::holds_alternative<DependentArrival>(streams[i].arrival)) continue;
    Family family;
    family.members.push_back({StreamId(i), 0, Chain(StreamId(i)), !streams[i].Drops()});
    for (std::size_t m = 0; m < family.members.size(); ++m) {
      const Family::Member parent = family.members[m];
      for (const StreamId child : children[parent.stream.index()]) {
        family.members.push_back(
            {child, m, parent.path + Chain(child), parent.certain && !stream(child).Drops()});
        family.draws.emplace_back(stream(child), scenario_.seed);
      }
    }
    for (const Family::Member& member : family.members) work_.all = work_.all && member.certain;
    all_dated_ = all_dated_ && family.members.size() == 1;
    families_.push_back(std::move(family));
  }
}

// The first release of all, and the dates up to the last release at which tails begin.
void Counter::FindDates() {
  Nanos first = kUnreached, last{0};
  for (const Family& family : families_) {
    const Stream& root = stream(family.members[0].stream);
    if (!IsOpen(root)) {
      if (root.until.Admits(0, Nanos{0})) first = Nanos{0};
      continue;
    }
    ReleaseTimes releases(root, scenario_.seed);
    auto date = releases.Next();
    if (date) first = std::min(first, *date);
    if (std::holds_alternative<OfflineArrival>(root.arrival)) continue;
    for (; date; date = releases.Next()) last = std::max(last, *date);
  }
  work_.first_release = first == kUnreached ? Nanos{0} : first;
  dates_ = {work_.first_release};
  const Nanos span = std::max(last - work_.first_release, Nanos{0});
  for (int i = 1; i < kEvenDates; ++i) dates_.push_back(work_.first_release + span / kEvenDates * i);
  for (int i = 0; i < kNearingDates; ++i) dates_.push_back(last - span / (kEvenDates << i));
  std::sort(dates_.begin(), dates_.end());
  dates_.erase(dates_.begin(), std::lower_bound(dates_.begin(), dates_.end(), work_.first_release));
  dates_.erase(std::unique(dates_.begin(), dates_.end()), dates_.end());
  counts_.assign(dates_.size(), std::vector<std::int64_t>(kinds_.chain.size()));
  earliest_.assign(dates_.size(), kUnreached);
}

void Counter::Add(StreamId id, Nanos release, std::int64_t count) {
  const auto after = std::upper_bound(dates_.begin(), dates_.end(), release);
  const auto at = static_cast<std::size_t>(after - dates_.begin()) - 1;
  counts_[at][kinds_.of_stream[id.index()]] += count;
  earliest_[at] = std::min(earliest_[at], release);
  work_.requests += count;
  work_.inferences += count * stream(id).batch;
  chains_ += Wide{count} * Chain(id).count();
  releases_ += Wide{count} * release.count();
  last_release_ = std::max(last_release_, release);
}

// The request of that index and those that hang on it, which are released after it.
void Counter::CountQuery(Family& family, std::int64_t index, Nanos release, std::vector<char>& exists) {
  exists.assign(family.members.size(), 1);
  for (std::size_t m = 0; m < family.members.size(); ++m) {
    const Family::Member& member = family.members[m];
    if (m > 0) exists[m] = exists[member.parent] && family.draws[m - 1].Exists(index) ? 1 : 0;
    if (!exists[m] || !member.certain) continue;
    Add(member.stream, release, 1);
    work_.last_completion = std::max(work_.last_completion, release + member.path);
  }
}

void Counter::CountOpen(Family& family) {
  const Stream& root = stream(family.members[0].stream);
  if (family.members.size() == 1 && std::holds_alternative<OfflineArrival>(root.arrival)) {
    if (root.until.count == 0) return;
    Add(family.members[0].stream, Nanos{0}, root.until.count);
    work_.last_completion = std::max(work_.last_completion, family.members[0].path);
    return;
  }
  ReleaseTimes releases(root, scenario_.seed);
  std::vector<char> exists;
  std::int64_t index = 0;
  while (const auto date = releases.Next()) CountQuery(family, index++, *date, exists);
}

// Its queries follow each other in as many chains as there are queries in flight, each chain until no more
// are admitted: by their number, or because the clock has passed the stream's end.
void Counter::CountClosed(Family& family) {
  const StreamId id = family.members[0].stream;
  const Stream& root = stream(id);
  const auto& closed = std::get<ClosedArrival>(root.arrival);
  std::int64_t queries = root.until.count;
  if (root.until.duration > Nanos{0}) {
    work_.all = false;
    queries = std::max(queries, closed.in_flight);
    work_.last_completion = std::max(work_.last_completion, root.until.duration);
  }
  if (queries == 0) return;
  all_dated_ = all_dated_ && queries <= closed.in_flight;
  const std::int64_t in_a_row = (queries - 1) / closed.in_flight + 1;
  work_.last_completion = std::max(work_.last_completion, Times(in_a_row, Chain(id)));
  if (family.members.size() == 1) return Add(id, Nanos{0}, queries * closed.per_query);
  std::vector<char> exists;
  for (std::int64_t k = 0; k < queries * closed.per_query; ++k) CountQuery(family, k, Nanos{0}, exists);
}

void Counter::AddTails() {
  Nanos from = kUnreached;
  std::vector<std::int64_t> sum(kinds_.chain.size());
  for (std::size_t d = dates_.size(); d-- > 0;) {
    if (earliest_[d] == kUnreached) continue;
    from = std::min(from, earliest_[d]);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += counts_[d][c];
    work_.tails.push_back({from, sum});
  }
  std::reverse(work_.tails.begin(), work_.tails.end());
}

CertainWork Counter::Count() {
  FindFamilies();
  FindDates();
  for (Family& family : families_) {
    if (!family.members[0].certain) continue;
    if (IsOpen(stream(family.members[0].stream))) {
      CountOpen(family);
    } else {
      CountClosed(family);
    }
  }
  AddTails();
  if (work_.all && work_.requests > 0) {
    work_.mean_chain = Nanos{static_cast<std::int64_t>(chains_ / work_.requests)};
    if (all_dated_) {
      work_.releases = {static_cast<double>(releases_) / static_cast<double>(work_.requests), last_release_};
    }
  }
  return std::move(work_);
}

}  // namespace

CertainWork FindCertainWork(const Scenario& scenario, const RequestKinds& kinds) {
  return Counter(scenario, kinds).Count();
}

CertainWork FindCertainWork(const Problem& problem, const LeastTimes& least) {
  RequestKinds kinds;
  for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
    kinds.of_stream.push_back(problem.cut_of(StreamId(s)).index());
  }
  for (std::size_t c = 0; c < problem.cuts().size(); ++c) kinds.chain.push_back(least.Chain(CutId(c)));
  return FindCertainWork(problem.scenario(), kinds);
}

}  // namespace tandem
