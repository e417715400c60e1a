#include "policies/bounds/exact.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "policies/bounds/bound.h"
#include "profiles/base/check.h"
#include "profiles/program/long_run.h"

namespace tandem {
namespace {

__extension__ using Wide = __int128;
using JobSet = std::uint64_t;

constexpr Nanos kNever{INT64_MAX};
constexpr std::size_t kMostStates = 400'000;  // that are remembered
constexpr std::size_t kMostStatesOfASet = 100;

JobSet Bit(std::size_t job) { return JobSet{1} << job; }

// What is known of a job before the search.
struct JobFacts {
  JobSet after = 0, followers = 0;  // directly
  Nanos shortest{0};                // on its fastest unit
  Nanos tail{0};                    // the longest chain of shortest times after it
  Nanos due = kNever;               // so that those after it can be in time
  Wide price = 0;                   // see ProvedDivision
  std::size_t request = 0;
};

// Jobs are appended one by one to the slot that suits best, each starting as early as it can: every schedule
// that cannot be moved forward is reached, sorted by start. Of two partial schedules of the same jobs the one
// that is nowhere later is enough.
class ExactSearch {
 public:
  ExactSearch(const ExactCase& jobs, std::int64_t most_nodes);
  ExactAnswer Run();

 private:
  struct Child {
    Nanos bound{0}, end{0};
    std::size_t job = 0, lane = 0;
  };

  std::size_t size() const { return facts_.size(); }
  void FindFacts();
  void FindTwins();
  bool AreTwins(std::size_t earlier, std::size_t later) const;
  bool OrderIsFree() const;

  void Visit();
  std::vector<Child> Children();
  void AddChildren(std::size_t job, std::vector<Child>& children);
  void AddChild(std::size_t job, std::size_t lane, Nanos ready, std::vector<Child>& children);
  std::size_t LaneFor(std::size_t unit, Nanos ready) const;
  Nanos ReadyDate(std::size_t job) const;
  void Place(std::size_t job, std::size_t lane, Nanos start);
  void TakeBack(std::size_t job, std::size_t lane, Nanos freed);
  Nanos LowerBound();  // kNever: some job cannot be in time
  bool IsDominated();

  const ExactCase& case_;
  std::vector<JobFacts> facts_;
  std::vector<std::size_t> first_lane_;  // per unit; one more at the end
  std::vector<std::size_t> unit_of_lane_;
  std::vector<std::int64_t> weights_;    // per unit
  std::vector<JobSet> requests_;         // the jobs of each
  std::vector<std::int32_t> twin_;       // per request: an earlier equal one that must begin first; or -1
  std::vector<std::size_t> only_order_;  // where the order does not matter: the one that is tried

  JobSet done_ = 0;
  std::vector<Nanos> free_;  // per lane
  std::vector<ExactStart> placed_;
  Nanos earliest_{0};  // no job that is left starts before: of the last LowerBound()
  std::vector<Nanos> ends_;
  std::unordered_map<JobSet, std::vector<std::vector<Nanos>>> seen_;
  std::size_t states_ = 0;
  std::int64_t nodes_left_;
  Nanos open_ = kNever;  // the least bound of what was not looked at
  ExactAnswer answer_;
};

ExactSearch::ExactSearch(const ExactCase& jobs, std::int64_t most_nodes)
    : case_(jobs), facts_(jobs.jobs.size()), nodes_left_(most_nodes) {
  TANDEM_CHECK(size() <= kMostExactJobs, "the exact search is for few jobs");
  for (std::size_t u = 0; u < jobs.slots.size(); ++u) {
    first_lane_.push_back(unit_of_lane_.size());
    // More slots than jobs are never of use.
    const auto lanes = std::min<std::int64_t>(jobs.slots[u], static_cast<std::int64_t>(size()));
    unit_of_lane_.insert(unit_of_lane_.end(), static_cast<std::size_t>(lanes), u);
  }
  first_lane_.push_back(unit_of_lane_.size());
  free_.resize(unit_of_lane_.size());
  placed_.resize(size());
  ends_.resize(size());
  FindFacts();
  FindTwins();
  if (OrderIsFree()) {
    only_order_.resize(size());
    std::iota(only_order_.begin(), only_order_.end(), std::size_t{0});
    std::stable_sort(only_order_.begin(), only_order_.end(),
                     [&](std::size_t a, std::size_t b) { return facts_[a].shortest > facts_[b].shortest; });
  }
}

void ExactSearch::FindFacts() {
  std::vector<WorkClass> work;
  for (std::size_t j = 0; j < size(); ++j) {
    const ExactJob& job = case_.jobs[j];
    facts_[j].shortest = kNever;
    for (const Nanos time : job.time) {
      if (time >= Nanos{0}) facts_[j].shortest = std::min(facts_[j].shortest, time);
    }
    TANDEM_CHECK(facts_[j].shortest < kNever, "a job runs on some unit");
    for (const std::int32_t before : job.after) {
      const auto b = static_cast<std::size_t>(before);
      TANDEM_CHECK(b < j, "a job waits for earlier ones of the list");
      facts_[j].after |= Bit(b);
      facts_[b].followers |= Bit(j);
    }
    if (job.due) facts_[j].due = *job.due;
    work.push_back({1, job.time});
  }
  std::vector<std::int64_t> lanes;
  for (std::size_t u = 0; u + 1 < first_lane_.size(); ++u) {
    lanes.push_back(static_cast<std::int64_t>(first_lane_[u + 1] - first_lane_[u]));
  }
  weights_ = work.empty() ? lanes : Divide(work, lanes).weights;
  for (std::size_t j = size(); j-- > 0;) {
    JobFacts& facts = facts_[j];
    for (const std::int32_t before : case_.jobs[j].after) {
      JobFacts& earlier = facts_[static_cast<std::size_t>(before)];
      earlier.tail = std::max(earlier.tail, facts.tail + facts.shortest);
      if (facts.due < kNever) earlier.due = std::min(earlier.due, facts.due - facts.shortest);
    }
    Wide price = -1;
    for (std::size_t u = 0; u < weights_.size(); ++u) {
      const Nanos time = case_.jobs[j].time[u];
      if (time < Nanos{0}) continue;
      const Wide cost = Wide{time.count()} * weights_[u];
      price = price < 0 ? cost : std::min(price, cost);
    }
    facts.price = price;
  }
}

void ExactSearch::FindTwins() {
  for (std::size_t j = 0; j < size(); ++j) {
    if (j == 0 || case_.jobs[j].request != case_.jobs[j - 1].request) requests_.push_back(0);
    requests_.back() |= Bit(j);
    facts_[j].request = requests_.size() - 1;
  }
  twin_.assign(requests_.size(), -1);
  for (std::size_t later = 0; later < requests_.size(); ++later) {
    for (std::size_t earlier = later; earlier-- > 0 && twin_[later] < 0;) {
      if (AreTwins(earlier, later)) twin_[later] = static_cast<std::int32_t>(earlier);
    }
  }
}

// Equal in every respect, and nothing outside depends on which is which. Of single jobs without a due date
// the later one may also be released later: what starts first may as well be the earlier one.
bool ExactSearch::AreTwins(std::size_t earlier, std::size_t later) const {
  std::vector<std::size_t> a, b;
  for (std::size_t j = 0; j < size(); ++j) {
    if (facts_[j].request == earlier) a.push_back(j);
    if (facts_[j].request == later) b.push_back(j);
  }
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const ExactJob &x = case_.jobs[a[i]], &y = case_.jobs[b[i]];
    const bool later_alone = a.size() == 1 && !x.due && !y.due && x.release < y.release;
    if (x.time != y.time || x.due != y.due || (x.release != y.release && !later_alone)) return false;
    const JobFacts &f = facts_[a[i]], &g = facts_[b[i]];
    const JobSet outside_a = (f.after | f.followers) & ~requests_[earlier];
    const JobSet outside_b = (g.after | g.followers) & ~requests_[later];
    if (outside_a != 0 || outside_b != 0 || f.after >> a[0] != g.after >> b[0]) return false;
  }
  return true;
}

bool ExactSearch::OrderIsFree() const {
  return std::all_of(case_.jobs.begin(), case_.jobs.end(), [&](const ExactJob& job) {
    return job.after.empty() && !job.due && job.release == case_.jobs[0].release;
  });
}

Nanos ExactSearch::ReadyDate(std::size_t job) const {
  Nanos ready = case_.jobs[job].release;
  for (const std::int32_t before : case_.jobs[job].after) {
    ready = std::max(ready, placed_[static_cast<std::size_t>(before)].end);
  }
  return ready;
}

// Of the slots that are free by then the one that was busy last, else the one that is free first.
std::size_t ExactSearch::LaneFor(std::size_t unit, Nanos ready) const {
  std::size_t best = first_lane_[unit];
  for (std::size_t lane = best + 1; lane < first_lane_[unit + 1]; ++lane) {
    const bool in_time = free_[lane] <= ready, best_in_time = free_[best] <= ready;
    if (in_time ? !best_in_time || free_[lane] > free_[best] : !best_in_time && free_[lane] < free_[best]) {
      best = lane;
    }
  }
  return best;
}

void ExactSearch::Place(std::size_t job, std::size_t lane, Nanos start) {
  const std::size_t unit = unit_of_lane_[lane];
  const Nanos end = start + case_.jobs[job].time[unit];
  placed_[job] = {UnitId(unit), static_cast<std::int32_t>(lane - first_lane_[unit]), start, end};
  free_[lane] = end;
  done_ |= Bit(job);
}

void ExactSearch::TakeBack(std::size_t job, std::size_t lane, Nanos freed) {
  free_[lane] = freed;
  done_ &= ~Bit(job);
}

Nanos ExactSearch::LowerBound() {
  Nanos bound = *std::max_element(free_.begin(), free_.end());
  std::vector<Nanos> first_free;
  for (std::size_t u = 0; u < weights_.size(); ++u) {
    first_free.push_back(*std::min_element(free_.begin() + static_cast<std::ptrdiff_t>(first_lane_[u]),
                                           free_.begin() + static_cast<std::ptrdiff_t>(first_lane_[u + 1])));
  }
  earliest_ = kNever;
  Wide work = 0, weight_sum = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    if (done_ & Bit(j)) {
      ends_[j] = placed_[j].end;
      continue;
    }
    const ExactJob& job = case_.jobs[j];
    Nanos ready = job.release;
    for (const std::int32_t before : job.after) {
      ready = std::max(ready, ends_[static_cast<std::size_t>(before)]);
    }
    earliest_ = std::min(earliest_, ready);
    ends_[j] = kNever;
    for (std::size_t u = 0; u < weights_.size(); ++u) {
      if (job.time[u] < Nanos{0}) continue;
      ends_[j] = std::min(ends_[j], std::max(ready, first_free[u]) + job.time[u]);
    }
    if (ends_[j] > facts_[j].due) return kNever;
    bound = std::max(bound, ends_[j] + facts_[j].tail);
    work += facts_[j].price;
  }
  for (std::size_t lane = 0; lane < free_.size(); ++lane) {
    const std::int64_t weight = weights_[unit_of_lane_[lane]];
    work += Wide{weight} * std::max(free_[lane], earliest_).count();
    weight_sum += weight;
  }
  if (earliest_ == kNever) return bound;
  return std::max(bound, Nanos{static_cast<std::int64_t>((work + weight_sum - 1) / weight_sum)});
}

// Was there a partial schedule of the same jobs that leaves no unit free later and no input there later?
// Dates before those at which anything can start are all the same. Needs LowerBound() just before.
bool ExactSearch::IsDominated() {
  if (earliest_ == kNever) return false;  // nothing is left
  std::vector<Nanos> state;
  for (std::size_t u = 0; u < weights_.size(); ++u) {
    const auto from = static_cast<std::ptrdiff_t>(state.size());
    for (std::size_t lane = first_lane_[u]; lane < first_lane_[u + 1]; ++lane) {
      state.push_back(std::max(free_[lane], earliest_));
    }
    std::sort(state.begin() + from, state.end());
  }
  for (std::size_t j = 0; j < size(); ++j) {
    if ((done_ & Bit(j)) && (facts_[j].followers & ~done_))
      state.push_back(std::max(placed_[j].end, earliest_));
  }
  auto& known = seen_[done_];
  for (const auto& other : known) {
    if (std::equal(other.begin(), other.end(), state.begin(), std::less_equal<>())) return true;
  }
  if (states_ >= kMostStates || known.size() >= kMostStatesOfASet) return false;
  ++states_;
  known.push_back(std::move(state));
  return false;
}

void ExactSearch::AddChild(std::size_t job, std::size_t lane, Nanos ready, std::vector<Child>& children) {
  const Nanos freed = free_[lane];
  Place(job, lane, std::max(ready, freed));
  const Nanos bound = placed_[job].end <= facts_[job].due ? LowerBound() : kNever;
  if (bound < kNever) children.push_back({bound, placed_[job].end, job, lane});
  TakeBack(job, lane, freed);
}

// Jobs that come sorted by start leave no choice among the slots of a unit; those of the one order do.
void ExactSearch::AddChildren(std::size_t job, std::vector<Child>& children) {
  const Nanos ready = ReadyDate(job);
  for (std::size_t u = 0; u < weights_.size(); ++u) {
    if (case_.jobs[job].time[u] < Nanos{0}) continue;
    if (only_order_.empty()) {
      AddChild(job, LaneFor(u, ready), ready, children);
      continue;
    }
    for (std::size_t lane = first_lane_[u]; lane < first_lane_[u + 1]; ++lane) {
      const auto before = free_.begin() + static_cast<std::ptrdiff_t>(lane);
      if (std::find(before - static_cast<std::ptrdiff_t>(lane - first_lane_[u]), before, *before) != before)
        continue;
      AddChild(job, lane, ready, children);
    }
  }
}

std::vector<ExactSearch::Child> ExactSearch::Children() {
  std::vector<Child> children;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t j = only_order_.empty() ? i : only_order_[i];
    if ((done_ & Bit(j)) || (facts_[j].after & ~done_)) continue;
    const std::size_t request = facts_[j].request;
    const std::int32_t twin = twin_[request];
    const bool begun = (requests_[request] & done_) != 0;
    if (!begun && twin >= 0 && !(requests_[static_cast<std::size_t>(twin)] & done_)) continue;
    AddChildren(j, children);
    if (!only_order_.empty()) break;
  }
  std::stable_sort(children.begin(), children.end(), [](const Child& a, const Child& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.end < b.end;
  });
  return children;
}

void ExactSearch::Visit() {
  if (EndIsAsked()) nodes_left_ = 0;
  --nodes_left_;
  ++answer_.nodes;
  const JobSet all = size() == kMostExactJobs ? ~JobSet{0} : Bit(size()) - 1;
  if (done_ == all) {
    answer_.end = *std::max_element(free_.begin(), free_.end());
    answer_.schedule = placed_;
    return;
  }
  for (const Child& child : Children()) {
    if (!answer_.schedule.empty() && child.bound >= answer_.end) return;
    if (nodes_left_ <= 0) {
      open_ = std::min(open_, child.bound);
      return;
    }
    const Nanos ready = ReadyDate(child.job);
    const Nanos freed = free_[child.lane];
    Place(child.job, child.lane, std::max(ready, freed));
    LowerBound();
    if (!IsDominated()) Visit();
    TakeBack(child.job, child.lane, freed);
  }
}

ExactAnswer ExactSearch::Run() {
  if (size() == 0) {
    answer_.proved = true;
    return answer_;
  }
  const Nanos root = LowerBound();
  if (root < kNever) Visit();
  const bool found = !answer_.schedule.empty();
  answer_.bound = found ? std::min(open_, answer_.end) : open_ == kNever ? Nanos{0} : open_;
  answer_.proved = open_ == kNever || (found && answer_.bound == answer_.end);
  return std::move(answer_);
}

}  // namespace

ExactAnswer SolveExactly(const ExactCase& jobs, std::int64_t most_nodes) {
  return ExactSearch(jobs, most_nodes).Run();
}

}  // namespace tandem
