// Earliest finish time: each task goes, when it becomes ready, to the unit that would finish it first, by the
// profiled times of what waits there and what remains of what runs; a unit of several slots shares that among
// them, and one that shares cores or a device with others waits for what these have, too. Each unit runs its
// tasks in task order, or, by "order": "chain", those with the longest chain of fastest times from them on
// first, or "mixed": the scarcest unit does that, the others run their shortest tasks first. "weights" of
// streams make their chains longer or shorter. With a "price" each unit's time for the task counts so many
// times again, weighed by how scarce the unit is: by the prices at which all units would be equally busy.
// Tie-break: units in the order of the platform, tasks in task order. Source: minimum completion time,
// StarPU's "dm" and "dmdas"; the prices are those of the linear program for unrelated machines.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "policies/bounds/division.h"
#include "policies/kinds/assigning_policy.h"
#include "policies/kinds/common_work.h"
#include "policies/kinds/learned_times.h"
#include "policies/kinds/longest_chains.h"
#include "policies/kinds/named_codecs.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/arrivals/random.h"

namespace tandem::eft {
namespace {

enum class QueueOrder : std::uint8_t { kRequest, kChain, kMixed };
constexpr std::array<Named<QueueOrder>, 3> kQueueOrderNames = {
    {{"request", QueueOrder::kRequest}, {"chain", QueueOrder::kChain}, {"mixed", QueueOrder::kMixed}}};

constexpr double kMostPrice = 100, kLeastWeight = 0.01, kMostWeightOfStream = 100;

struct EftParameters : PolicyParameters {
  QueueOrder order = QueueOrder::kRequest;
  double price = 0, learns = 0;
  std::vector<double> weights;  // per stream; empty: 1 each
};

// What is not named counts as 1.
CodecOf<std::vector<double>> WeightsOfStreams() {
  return as::Custom<std::vector<double>>(
      [](SchemaDefs& defs) {
        return as::MapSchema(as::Number(kLeastWeight, kMostWeightOfStream)->Schema(defs));
      },
      [](const JsonReader& value, std::vector<double>& into, Context context) {
        const auto& scenario = context.As<Scenario>();
        into.assign(scenario.streams.size(), 1.0);
        for (const JsonReader weight : value.Members()) {
          into[FindStream(scenario, weight.key(), weight).index()] =
              weight.Number(kLeastWeight, kMostWeightOfStream);
        }
      },
      [](const std::vector<double>& from, std::string& text, Context context) {
        JsonObject weights;
        for (std::size_t s = 0; s < from.size(); ++s) {
          weights.Add(context.As<Scenario>().streams[s].name, JsonNumber(from[s]));
        }
        if (!from.empty()) text += weights.Text();
      });
}

const Fields<EftParameters>& Keys() {
  static const auto fields =
      Fields<EftParameters>()
          .Optional(
              "order", &EftParameters::order, as::OneOf(kQueueOrderNames, "order"),
              "in which a unit runs its tasks: in request order, those with the longest chain first, or "
              "that on the scarcest unit and the shortest first on the others")
          .Optional("price", &EftParameters::price, as::Number(0, kMostPrice),
                    "how often a unit's time counts again, weighed by how scarce the unit is")
          .Optional("weights", &EftParameters::weights, WeightsOfStreams(),
                    "stream to how much longer its chains count, 1 where it is not named")
          .Optional("learns", &EftParameters::learns, as::Number(0, 1),
                    "how much the newest task counts in what a model takes on a unit by what was seen, an "
                    "exponential average; 0: the profile alone counts");
  return fields;
}

std::vector<std::string> Variants(const Scenario&) {
  std::vector<std::string> variants;
  for (const auto& order : kQueueOrderNames) {
    for (const char* price : {"0", "0.5", "1", "3", "8", "20"}) {
      JsonObject json;
      json.AddString("name", "eft").AddString("order", order.name).Add("price", price);
      variants.push_back(json.Text());
    }
  }
  return variants;
}

// Ever closer to the best that were found: the price, then the weights of the streams.
std::string Tuned(const Scenario& scenario, StreamRandom& random, std::int64_t round,
                  std::vector<double>& numbers) {
  constexpr std::array kOrders = {QueueOrder::kMixed, QueueOrder::kChain, QueueOrder::kRequest};
  if (numbers.empty()) {
    numbers.assign(scenario.streams.size() + 1, 1.0);
    numbers[0] = 3;
  }
  const auto scaled = [&](double by) { return 1 + by * (2 * random.Uniform() - 1); };
  numbers[0] = std::clamp(numbers[0] * (random.Uniform() < 0.5 ? scaled(0.2) : scaled(0.9)), 0.05, 90.0);
  JsonObject weights, json;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    double& weight = numbers[s + 1];
    weight = std::clamp(weight * scaled(0.2), 0.1, 10.0);
    weights.Add(scenario.streams[s].name, JsonNumber(weight));
  }
  json.AddString("name", "eft");
  json.AddString("order", NameOf(kQueueOrderNames, kOrders[static_cast<std::size_t>(round % 3)]));
  return json.Add("price", JsonNumber(numbers[0])).Add("weights", weights.Text()).Text();
}

// Per segment the time on each unit and how many requests have it.
std::vector<WorkClass> Classes(const Problem& problem) {
  std::vector<std::int64_t> of_cut(problem.cuts().size());
  const auto counts = CountRequests(problem.scenario().streams, problem.scenario().seed);
  for (std::size_t s = 0; s < counts.size(); ++s) {
    of_cut[problem.cut_of(StreamId(s)).index()] += std::max<std::int64_t>(counts[s].count, 1);
  }
  std::vector<WorkClass> classes;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    WorkClass work{of_cut[problem.segment(SegmentId(s)).cut.index()], {}};
    for (std::size_t u = 0; u < problem.units(); ++u) {
      work.time.push_back(OccupationOf(problem, SegmentId(s), UnitId(u)));
    }
    const auto runs = [](Nanos time) { return time >= Nanos{0}; };
    if (std::any_of(work.time.begin(), work.time.end(), runs)) classes.push_back(std::move(work));
  }
  return classes;
}

// Per unit; they add up to one.
std::vector<double> Prices(const Problem& problem) {
  std::vector<std::int64_t> slots;
  for (const Unit& unit : problem.platform().units) slots.push_back(unit.AtFullSpeed());
  const std::vector<std::int64_t> weights = BalancedWeights(Classes(problem), slots);
  const auto sum = static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::int64_t{0}));
  std::vector<double> prices;
  for (const std::int64_t weight : weights) prices.push_back(static_cast<double>(weight) / sum);
  return prices;
}

class EftPolicy final : public AssigningPolicy {
 public:
  // `prices`: per unit, times what they count; empty: they do not.
  EftPolicy(const Problem& problem, const TaskQueue::Rule& rule, std::vector<double> prices, double learns)
      : AssigningPolicy(problem, rule), common_(problem.platform()), prices_(std::move(prices)) {
    if (learns > 0) learned_.emplace(problem, learns);
  }

  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    if (learned_ && board.times) learned_->Ended(task, unit, *board.times, board.now);
    return false;
  }
  bool Learns() const override { return learned_.has_value(); }

 private:
  UnitId UnitFor(const Task& task, const Board& board) override {
    UnitId best;
    Nanos earliest{0};
    for (std::size_t u = 0; u < problem().units(); ++u) {
      const UnitId unit(u);
      if (!problem().Runs(task.segment, unit)) continue;
      Nanos work = WorkOf(task, unit);
      if (learned_) work = learned_->Corrected(work, task, unit, board.now);
      const Nanos before =
          common_.Before(unit, BusyFor(unit, board.Remaining(unit), board),
                         [&](UnitId other) { return BusyFor(other, board.KeepsOffFor(other), board); });
      const Nanos finish = before + work + Priced(work, u);
      if (best.valid() && finish >= earliest) continue;
      best = unit;
      earliest = finish;
    }
    return best;
  }
  Nanos BusyFor(UnitId unit, Nanos running, const Board& board) const {
    Nanos work = Queued(unit) + running;
    if (learned_) work = learned_->Corrected(work, unit, board.now);
    return work / problem().platform().unit(unit).AtFullSpeed();
  }

  Nanos Priced(Nanos work, std::size_t unit) const {
    if (prices_.empty()) return Nanos{0};
    return Nanos{static_cast<std::int64_t>(prices_[unit] * static_cast<double>(work.count()))};
  }

  CommonWork common_;
  std::vector<double> prices_;
  std::optional<LearnedTimes> learned_;
};

// The smallest rank first.
LaneRule RuleOf(const Problem& problem, const EftParameters& parameters, const std::vector<double>& prices,
                const std::vector<Nanos>& chains, UnitId unit, StreamId stream, SegmentId segment) {
  const double most = prices.empty() ? 0 : *std::max_element(prices.begin(), prices.end());
  if (parameters.order == QueueOrder::kRequest || !problem.Runs(segment, unit)) return {.takes = true};
  if (parameters.order == QueueOrder::kMixed && prices[unit.index()] < most) {
    return {.takes = true, .rank = problem.Time(segment, unit).count()};
  }
  const double weight = parameters.weights.empty() ? 1 : parameters.weights[stream.index()];
  const double chain = static_cast<double>(chains[segment.index()].count()) * weight;
  return {.takes = true, .rank = -static_cast<std::int64_t>(chain)};
}

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  const auto& parameters = spec.As<EftParameters>();
  std::vector<double> prices;
  if (parameters.price > 0 || parameters.order == QueueOrder::kMixed) prices = Prices(problem);
  const std::vector<Nanos> chains = LongestChains(problem);
  const auto rule = [&](UnitId unit, StreamId stream, SegmentId segment) {
    return RuleOf(problem, parameters, prices, chains, unit, stream, segment);
  };
  std::vector<double> counted;
  for (const double price : prices) counted.push_back(price * parameters.price);
  if (parameters.learns > 0 && FirstBatching(problem.scenario()) != nullptr) {
    FailPolicy(spec, problem, "\"learns\" is of requests that run one by one, and some form batches");
  }
  return std::make_unique<EftPolicy>(problem, rule, std::move(counted), parameters.learns);
}

const PolicyRegistration kEft{
    {.name = "eft",
     .summary = "each task goes, when it is ready, to the unit that would finish it first",
     .keys = KeysFrom<Keys>(),
     .variants = Variants,
     .suits_any_residents = true,
     .tuned = Tuned,
     .make = Make}};

}  // namespace
}  // namespace tandem::eft
