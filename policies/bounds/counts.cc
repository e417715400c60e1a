#include "policies/bounds/counts.h"

#include <algorithm>
#include <numeric>

#include "policies/bounds/bound.h"
#include "policies/bounds/least_times.h"

namespace tandem {
namespace {

__extension__ using Wide = __int128;
using Counts = std::vector<std::int64_t>;

// Weights of places and the prices of classes that follow from them; see ProvedDivision. With them, a
// division that ends at T wastes exactly T x (sum of weights) - (price of all work), spread over its places
// as idle time and as pieces that another place would do for less. A place can waste no more than is left to
// waste.
struct Prices {
  std::vector<std::int64_t> weight;  // per place
  std::vector<Wide> price;           // per class
  Wide weight_sum = 0, work = 0;
};

constexpr std::size_t kMostSearched = 2000;  // places x classes: what is larger is not searched for a proof
constexpr std::size_t kMostPlaces = 4096;
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
    for (std::size_t place = 0; place < weights.size(); ++place) {
      if (work.time[place] < Nanos{0}) continue;
      const Wide cost = Wide{work.time[place].count()} * prices.weight[place];
      least = least < 0 ? cost : std::min(least, cost);
    }
    prices.price.push_back(least);
    prices.work += work.count * least;
  }
  return prices;
}

// Is there a division that ends at `target`? Place by place, every filling that does not waste too much.
class CountProof {
 public:
  CountProof(std::span<const WorkClass> classes, std::size_t places, const Prices& prices, std::int64_t nodes)
      : classes_(classes), places_(places), prices_(prices), nodes_left_(nodes) {}

  bool Reaches(Nanos target);
  bool out_of_nodes() const { return nodes_left_ <= 0; }
  std::int64_t nodes_left() const { return nodes_left_; }
  const PlaceCounts& counts() const { return counts_; }

 private:
  bool FillPlace(std::size_t place, Wide waste);
  bool Fill(std::size_t place, std::size_t position, std::int64_t room, Wide waste, bool below_last);
  bool FillRest(std::size_t place);
  bool SameAsLast(std::size_t place) const;
  Wide Excess(std::size_t work, std::size_t place) const {
    return Wide{classes_[work].time[place].count()} * prices_.weight[place] - prices_.price[work];
  }

  std::span<const WorkClass> classes_;
  std::size_t places_;
  const Prices& prices_;
  std::int64_t nodes_left_;
  std::int64_t target_ = 0;
  Counts left_;
  PlaceCounts counts_;
  std::vector<std::size_t> place_order_;
  std::vector<std::vector<std::size_t>> class_order_;  // per place
};

bool CountProof::Reaches(Nanos target) {
  target_ = target.count();
  left_.clear();
  for (const WorkClass& work : classes_) left_.push_back(work.count);
  counts_.assign(places_, Counts(classes_.size()));
  place_order_.resize(places_);
  std::iota(place_order_.begin(), place_order_.end(), std::size_t{0});
  // Places whose idle time costs most first: few fillings of theirs are good enough.
  std::stable_sort(place_order_.begin(), place_order_.end(),
                   [&](std::size_t a, std::size_t b) { return prices_.weight[a] > prices_.weight[b]; });
  class_order_.assign(places_, {});
  for (std::size_t place = 0; place < places_; ++place) {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (classes_[c].time[place] >= Nanos{0}) class_order_[place].push_back(c);
    }
    // Long pieces first; those of no time last, since they always fit.
    std::stable_sort(
        class_order_[place].begin(), class_order_[place].end(),
        [&](std::size_t a, std::size_t b) { return classes_[a].time[place] > classes_[b].time[place]; });
  }
  const Wide waste = prices_.weight_sum * target_ - prices_.work;
  return waste >= 0 && FillPlace(0, waste);
}

bool CountProof::SameAsLast(std::size_t position) const {
  if (position == 0) return false;
  const std::size_t a = place_order_[position - 1], b = place_order_[position];
  return std::all_of(classes_.begin(), classes_.end(),
                     [&](const WorkClass& work) { return work.time[a] == work.time[b]; });
}

bool CountProof::FillPlace(std::size_t position, Wide waste) {
  if (position + 1 == places_) return FillRest(place_order_[position]);
  return Fill(position, 0, target_, waste, SameAsLast(position));
}

// The last place takes what is left.
bool CountProof::FillRest(std::size_t place) {
  Wide load = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (left_[c] > 0 && classes_[c].time[place] < Nanos{0}) return false;
    load += Wide{left_[c]} * classes_[c].time[place].count();
  }
  if (load > target_) return false;
  counts_[place] = left_;
  return true;
}

// Chooses how many of the classes from `position` of the place's order on; of places that are alike the later
// one has the lexicographically smaller or equal counts.
bool CountProof::Fill(std::size_t place_position, std::size_t position, std::int64_t room, Wide waste,
                      bool tied) {
  if (--nodes_left_ <= 0) return false;
  const std::size_t place = place_order_[place_position];
  const auto& order = class_order_[place];
  if (position == order.size()) {
    const Wide idle = Wide{room} * prices_.weight[place];
    return idle <= waste && FillPlace(place_position + 1, waste - idle);
  }
  const std::size_t c = order[position];
  const std::int64_t time = classes_[c].time[place].count();
  const Wide excess = Excess(c, place);
  std::int64_t most = left_[c];
  if (time > 0) most = std::min(most, room / time);
  if (excess > 0) most = static_cast<std::int64_t>(std::min<Wide>(most, waste / excess));
  const std::int64_t last = tied ? counts_[place_order_[place_position - 1]][c] : most;
  for (std::int64_t n = std::min(most, last); n >= 0 && nodes_left_ > 0; --n) {
    counts_[place][c] = n;
    left_[c] -= n;
    const bool found =
        Fill(place_position, position + 1, room - n * time, waste - n * excess, tied && n == last);
    if (found) return true;
    left_[c] += n;
  }
  counts_[place][c] = 0;
  return false;
}

Nanos Load(std::span<const WorkClass> classes, const Counts& counts, std::size_t place) {
  Wide load = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (counts[c] > 0) load += Wide{counts[c]} * classes[c].time[place].count();
  }
  return Nanos{static_cast<std::int64_t>(std::min<Wide>(load, INT64_MAX))};
}

Nanos Makespan(std::span<const WorkClass> classes, const PlaceCounts& counts) {
  Nanos most{0};
  for (std::size_t place = 0; place < counts.size(); ++place) {
    most = std::max(most, Load(classes, counts[place], place));
  }
  return most;
}

// The program's shares rounded down, the rest to where it ends first, then what moving pieces gains.
PlaceCounts FirstDivision(std::span<const WorkClass> classes, std::size_t places, const Division& division,
                          Nanos bound) {
  WholeDivision made(classes, places);
  for (std::size_t c = 0; c < division.shares.size(); ++c) {
    std::int64_t left = classes[c].count;
    for (std::size_t place = 0; place < places; ++place) {
      const double share = std::clamp(division.shares[c][place], 0.0, 1.0);
      const auto whole = static_cast<std::int64_t>(share * static_cast<double>(classes[c].count));
      made.Add(place, c, std::min(whole, left));
      left -= std::min(whole, left);
    }
  }
  made.Fill();
  StreamRandom random("counts", 1);
  made.Improve(bound, random);
  return made.counts();
}

}  // namespace

CountAnswer DivideWhole(std::span<const WorkClass> classes, std::size_t places, std::int64_t most_nodes) {
  CountAnswer answer;
  const std::vector<std::int64_t> one_each(places, 1);
  const Division division = Divide(classes, one_each);
  const Prices prices = PricesOf(classes, division.weights);
  const Nanos proved = ProvedDivision(classes, one_each, division.weights);
  answer.counts = FirstDivision(classes, places, division, proved);
  answer.makespan = Makespan(classes, answer.counts);
  // Nothing is below `bound`. Targets grow from there until one is reached, then the gap is closed.
  answer.bound = std::min(answer.makespan, proved);
  CountProof search(classes, places, prices, most_nodes);
  Nanos step = answer.bound / 4096 + Nanos{1};
  while (answer.bound < answer.makespan && places * classes.size() <= kMostSearched) {
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
    if (!std::holds_alternative<OfflineArrival>(streams[s].arrival) || streams[s].Drops()) {
      return std::nullopt;
    }
    of_cut[problem.cut_of(StreamId(s)).index()] += streams[s].until.count;
  }
  for (const Cut& cut : problem.cuts()) {
    if (cut.segments != 1) return std::nullopt;
  }
  return of_cut;
}

// Can every place's load be told in nanoseconds, whatever is put there?
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
  const Places& places = problem.places();
  if (places.of_units() > kMostPlaces) return std::nullopt;
  const LeastTimes least(problem);
  std::vector<WorkClass> classes;
  std::vector<std::size_t> cut_of_class;
  for (std::size_t c = 0; c < requests->size(); ++c) {
    if ((*requests)[c] == 0) continue;
    const Cut& cut = problem.cuts()[c];
    WorkClass work{(*requests)[c], {}};
    for (std::size_t p = 0; p < places.of_units(); ++p) {
      const UnitId unit = places.UnitOf(PlaceId(p));
      work.time.push_back(problem.Resident(cut.model, unit) ? least.Occupation(cut.first, unit)
                                                            : Problem::kCannot);
    }
    if (*std::max_element(work.time.begin(), work.time.end()) < Nanos{0}) return std::nullopt;
    classes.push_back(std::move(work));
    cut_of_class.push_back(c);
  }
  if (classes.empty() || !Fits(classes)) return std::nullopt;
  const CountAnswer answer = DivideWhole(classes, places.of_units(), most_nodes);
  CountPlan plan;
  plan.of_cut.assign(places.of_units(), std::vector<std::int64_t>(requests->size()));
  for (std::size_t p = 0; p < places.of_units(); ++p) {
    for (std::size_t c = 0; c < classes.size(); ++c) plan.of_cut[p][cut_of_class[c]] = answer.counts[p][c];
  }
  plan.makespan = answer.makespan;
  plan.proved = answer.proved();
  return plan;
}

}  // namespace tandem
