#include "policies/bounds/counts.h"

#include <algorithm>
#include <numeric>

#include "policies/bounds/bound.h"
#include "policies/bounds/least_times.h"

namespace tandem {
namespace {

__extension__ using Wide = __int128;
using Counts = std::vector<std::int64_t>;

// Weights of lanes and the prices of classes that follow from them; see ProvedDivision. With them, a division
// that ends at T wastes exactly T x (sum of weights) - (price of all work), spread over its lanes as idle
// time and as pieces that another lane would do for less. A lane can waste no more than is left to waste.
struct Prices {
  std::vector<std::int64_t> weight;  // per lane
  std::vector<Wide> price;           // per class
  Wide weight_sum = 0, work = 0;
};

constexpr std::size_t kMostSearched = 2000;  // lanes x classes: what is larger is not searched for a proof
constexpr std::size_t kMostLanes = 4096;
constexpr std::int64_t kWeightScale = std::int64_t{1}
                                      << 10;  // of kMostWeight, dropped: sums stay in 128 bits

Prices PricesOf(std::span<const WorkClass> classes, const std::vector<std::int64_t>& weights) {
  Prices prices;
  for (const std::int64_t weight : weights) {
    prices.weight.push_back(weight / kWeightScale);
    prices.weight_sum += prices.weight.back();
  }
  for (const WorkClass& work : classes) {
    Wide least = -1;
    for (std::size_t lane = 0; lane < weights.size(); ++lane) {
      if (work.time[lane] < Nanos{0}) continue;
      const Wide cost = Wide{work.time[lane].count()} * prices.weight[lane];
      least = least < 0 ? cost : std::min(least, cost);
    }
    prices.price.push_back(least);
    prices.work += work.count * least;
  }
  return prices;
}

// Is there a division that ends at `target`? Lane by lane, every filling that does not waste too much.
class CountProof {
 public:
  CountProof(std::span<const WorkClass> classes, std::size_t lanes, const Prices& prices, std::int64_t nodes)
      : classes_(classes), lanes_(lanes), prices_(prices), nodes_left_(nodes) {}

  bool Reaches(Nanos target);
  bool out_of_nodes() const { return nodes_left_ <= 0; }
  std::int64_t nodes_left() const { return nodes_left_; }
  const LaneCounts& counts() const { return counts_; }

 private:
  bool FillLane(std::size_t lane, Wide waste);
  bool Fill(std::size_t lane, std::size_t position, std::int64_t room, Wide waste, bool below_last);
  bool FillRest(std::size_t lane);
  bool SameAsLast(std::size_t lane) const;
  Wide Excess(std::size_t work, std::size_t lane) const {
    return Wide{classes_[work].time[lane].count()} * prices_.weight[lane] - prices_.price[work];
  }

  std::span<const WorkClass> classes_;
  std::size_t lanes_;
  const Prices& prices_;
  std::int64_t nodes_left_;
  std::int64_t target_ = 0;
  Counts left_;
  LaneCounts counts_;
  std::vector<std::size_t> lane_order_;
  std::vector<std::vector<std::size_t>> class_order_;  // per lane
};

bool CountProof::Reaches(Nanos target) {
  target_ = target.count();
  left_.clear();
  for (const WorkClass& work : classes_) left_.push_back(work.count);
  counts_.assign(lanes_, Counts(classes_.size()));
  lane_order_.resize(lanes_);
  std::iota(lane_order_.begin(), lane_order_.end(), std::size_t{0});
  // Lanes whose idle time costs most first: few fillings of theirs are good enough.
  std::stable_sort(lane_order_.begin(), lane_order_.end(),
                   [&](std::size_t a, std::size_t b) { return prices_.weight[a] > prices_.weight[b]; });
  class_order_.assign(lanes_, {});
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (classes_[c].time[lane] >= Nanos{0}) class_order_[lane].push_back(c);
    }
    // Long pieces first; those of no time last, since they always fit.
    std::stable_sort(class_order_[lane].begin(), class_order_[lane].end(), [&](std::size_t a, std::size_t b) {
      return classes_[a].time[lane] > classes_[b].time[lane];
    });
  }
  const Wide waste = prices_.weight_sum * target_ - prices_.work;
  return waste >= 0 && FillLane(0, waste);
}

bool CountProof::SameAsLast(std::size_t position) const {
  if (position == 0) return false;
  const std::size_t a = lane_order_[position - 1], b = lane_order_[position];
  return std::all_of(classes_.begin(), classes_.end(),
                     [&](const WorkClass& work) { return work.time[a] == work.time[b]; });
}

bool CountProof::FillLane(std::size_t position, Wide waste) {
  if (position + 1 == lanes_) return FillRest(lane_order_[position]);
  return Fill(position, 0, target_, waste, SameAsLast(position));
}

// The last lane takes what is left.
bool CountProof::FillRest(std::size_t lane) {
  Wide load = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (left_[c] > 0 && classes_[c].time[lane] < Nanos{0}) return false;
    load += Wide{left_[c]} * classes_[c].time[lane].count();
  }
  if (load > target_) return false;
  counts_[lane] = left_;
  return true;
}

// Chooses how many of the classes from `position` of the lane's order on; of lanes that are alike the later
// one has the lexicographically smaller or equal counts.
bool CountProof::Fill(std::size_t lane_position, std::size_t position, std::int64_t room, Wide waste,
                      bool tied) {
  if (--nodes_left_ <= 0) return false;
  const std::size_t lane = lane_order_[lane_position];
  const auto& order = class_order_[lane];
  if (position == order.size()) {
    const Wide idle = Wide{room} * prices_.weight[lane];
    return idle <= waste && FillLane(lane_position + 1, waste - idle);
  }
  const std::size_t c = order[position];
  const std::int64_t time = classes_[c].time[lane].count();
  const Wide excess = Excess(c, lane);
  std::int64_t most = left_[c];
  if (time > 0) most = std::min(most, room / time);
  if (excess > 0) most = static_cast<std::int64_t>(std::min<Wide>(most, waste / excess));
  const std::int64_t last = tied ? counts_[lane_order_[lane_position - 1]][c] : most;
  for (std::int64_t n = std::min(most, last); n >= 0 && nodes_left_ > 0; --n) {
    counts_[lane][c] = n;
    left_[c] -= n;
    const bool found =
        Fill(lane_position, position + 1, room - n * time, waste - n * excess, tied && n == last);
    if (found) return true;
    left_[c] += n;
  }
  counts_[lane][c] = 0;
  return false;
}

Nanos Load(std::span<const WorkClass> classes, const Counts& counts, std::size_t lane) {
  Wide load = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (counts[c] > 0) load += Wide{counts[c]} * classes[c].time[lane].count();
  }
  return Nanos{static_cast<std::int64_t>(std::min<Wide>(load, INT64_MAX))};
}

Nanos Makespan(std::span<const WorkClass> classes, const LaneCounts& counts) {
  Nanos most{0};
  for (std::size_t lane = 0; lane < counts.size(); ++lane) {
    most = std::max(most, Load(classes, counts[lane], lane));
  }
  return most;
}

// The program's shares rounded down, the rest to where it ends first, then what moving pieces gains.
LaneCounts FirstDivision(std::span<const WorkClass> classes, std::size_t lanes, const Division& division,
                         Nanos bound) {
  WholeDivision made(classes, lanes);
  for (std::size_t c = 0; c < division.shares.size(); ++c) {
    std::int64_t left = classes[c].count;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double share = std::clamp(division.shares[c][lane], 0.0, 1.0);
      const auto whole = static_cast<std::int64_t>(share * static_cast<double>(classes[c].count));
      made.Add(lane, c, std::min(whole, left));
      left -= std::min(whole, left);
    }
  }
  made.Fill();
  StreamRandom random("counts", 1);
  made.Improve(bound, random);
  return made.counts();
}

}  // namespace

CountAnswer DivideWhole(std::span<const WorkClass> classes, std::size_t lanes, std::int64_t most_nodes) {
  CountAnswer answer;
  const std::vector<std::int64_t> one_each(lanes, 1);
  const Division division = Divide(classes, one_each);
  const Prices prices = PricesOf(classes, division.weights);
  const Nanos proved = ProvedDivision(classes, one_each, division.weights);
  answer.counts = FirstDivision(classes, lanes, division, proved);
  answer.makespan = Makespan(classes, answer.counts);
  // Nothing is below `bound`. Targets grow from there until one is reached, then the gap is closed.
  answer.bound = std::min(answer.makespan, proved);
  CountProof search(classes, lanes, prices, most_nodes);
  Nanos step = answer.bound / 4096 + Nanos{1};
  while (answer.bound < answer.makespan && lanes * classes.size() <= kMostSearched) {
    const Nanos target = std::min(answer.bound + step, answer.makespan - Nanos{1});
    if (search.Reaches(target)) {
      answer.counts = search.counts();
      answer.makespan = Makespan(classes, answer.counts);
      step = (answer.makespan - answer.bound) / 2 + Nanos{1};
    } else if (search.out_of_nodes()) {
      break;
    } else {
      answer.bound = target + Nanos{1};
      step *= 2;
    }
  }
  return answer;
}

namespace {

// How many requests of each cut there are, where all are there from the start and certain.
std::optional<Counts> OfflineRequests(const Problem& problem) {
  Counts of_cut(problem.cuts().size());
  const auto& streams = problem.scenario().streams;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    if (!std::holds_alternative<OfflineArrival>(streams[s].arrival) || streams[s].drop_late) {
      return std::nullopt;
    }
    of_cut[problem.cut_of(StreamId(s)).index()] += streams[s].until.count;
  }
  for (const Cut& cut : problem.cuts()) {
    if (cut.segments != 1) return std::nullopt;
  }
  return of_cut;
}

std::vector<CountPlan::Lane> LanesOf(const Problem& problem) {
  std::vector<CountPlan::Lane> lanes;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    for (std::int64_t slot = 0; slot < problem.platform().units[u].slots; ++slot) {
      lanes.push_back({UnitId(u), static_cast<std::int32_t>(slot), Counts(problem.cuts().size())});
    }
  }
  return lanes;
}

// Can every lane's load be told in nanoseconds, whatever is put there?
bool Fits(const std::vector<WorkClass>& classes) {
  Wide most = 0;
  for (const WorkClass& work : classes) {
    most += Wide{work.count} * std::max_element(work.time.begin(), work.time.end())->count();
  }
  return most < INT64_MAX / 4;
}

}  // namespace

std::optional<CountPlan> BestCounts(const Problem& problem, std::int64_t most_nodes) {
  const auto requests = OfflineRequests(problem);
  if (!requests) return std::nullopt;
  CountPlan plan;
  plan.lanes = LanesOf(problem);
  if (plan.lanes.size() > kMostLanes) return std::nullopt;
  const LeastTimes least(problem);
  std::vector<WorkClass> classes;
  std::vector<std::size_t> cut_of_class;
  for (std::size_t c = 0; c < requests->size(); ++c) {
    if ((*requests)[c] == 0) continue;
    const Cut& cut = problem.cuts()[c];
    WorkClass work{(*requests)[c], {}};
    for (const CountPlan::Lane& lane : plan.lanes) {
      work.time.push_back(problem.Resident(cut.model, lane.unit) ? least.Occupation(cut.first, lane.unit)
                                                                 : Problem::kCannot);
    }
    if (*std::max_element(work.time.begin(), work.time.end()) < Nanos{0}) return std::nullopt;
    classes.push_back(std::move(work));
    cut_of_class.push_back(c);
  }
  if (classes.empty() || !Fits(classes)) return std::nullopt;
  const CountAnswer answer = DivideWhole(classes, plan.lanes.size(), most_nodes);
  for (std::size_t lane = 0; lane < plan.lanes.size(); ++lane) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      plan.lanes[lane].of_cut[cut_of_class[c]] = answer.counts[lane][c];
    }
  }
  plan.makespan = answer.makespan;
  plan.proved = answer.proved();
  return plan;
}

}  // namespace tandem
