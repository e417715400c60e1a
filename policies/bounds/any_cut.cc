#include "policies/bounds/any_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "policies/bounds/certain_work.h"
#include "policies/bounds/cover_kinds.h"
#include "policies/bounds/latency_bounds.h"
#include "policies/bounds/linear_program.h"
#include "profiles/base/figures.h"

namespace tandem {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kFine = 256;  // parts of a nanosecond in which shares are counted
constexpr double kWholeWeight = static_cast<double>(kMostWeight);

using Shares = std::vector<std::int64_t>;  // of each layer, in any unit: how entries are divided over layers

// What each layer costs at least on each unit, in parts of a nanosecond: its share of an entry that holds it,
// of the one where that is least. The layers of an entry never have more than its time between them, so what
// covers a task costs no less than its layers. Negative: no entry.
std::vector<std::vector<Nanos>> LayerCosts(const CoverKind& kind, std::size_t units, const Shares& shares,
                                           bool with_dispatch) {
  std::vector<std::vector<Nanos>> costs(shares.size(), std::vector<Nanos>(units, Nanos{-1}));
  for (const CoverEntry& entry : kind.entries) {
    Wide whole = 0;
    for (const std::int32_t layer : entry.layers) whole += shares[static_cast<std::size_t>(layer)];
    const Wide time = Wide{kFine} * (entry.time + (with_dispatch ? entry.dispatch : Nanos{0})).count();
    for (const std::int32_t l : entry.layers) {
      const auto layer = static_cast<std::size_t>(l);
      const Nanos cost{static_cast<std::int64_t>(whole == 0 ? 0 : time * shares[layer] / whole)};
      Nanos& least = costs[layer][entry.unit.index()];
      if (least < Nanos{0} || cost < least) least = cost;
    }
  }
  return costs;
}

// Without a better idea: an entry's layers are alike.
Shares EvenShares(const CoverKind& kind, std::size_t layers) {
  Shares shares(layers);
  for (const CoverEntry& entry : kind.entries) {
    const std::int64_t each = entry.time.count() / static_cast<std::int64_t>(entry.layers.size()) + 1;
    for (const std::int32_t layer : entry.layers) {
      std::int64_t& share = shares[static_cast<std::size_t>(layer)];
      share = share == 0 ? each : std::min(share, each);
    }
  }
  return shares;
}

// Layers that stand in the same entries: one row of a program stands for them. -1: in none.
std::vector<int> RowsOf(const CoverKind& kind, std::size_t layers, int& rows) {
  std::vector<std::vector<std::size_t>> inside(layers);
  for (std::size_t e = 0; e < kind.entries.size(); ++e) {
    for (const std::int32_t layer : kind.entries[e].layers) {
      inside[static_cast<std::size_t>(layer)].push_back(e);
    }
  }
  std::map<std::vector<std::size_t>, int> known;
  std::vector<int> row(layers, -1);
  for (std::size_t l = 0; l < layers; ++l) {
    if (inside[l].empty()) continue;
    const auto [found, is_new] = known.try_emplace(inside[l], rows);
    if (is_new) ++rows;
    row[l] = found->second;
  }
  return row;
}

// The duals of the rows, each divided evenly over the layers that the row stands for.
Shares SharesOf(const std::vector<int>& row_of, const std::vector<double>& duals) {
  std::vector<double> each(duals);
  std::vector<int> layers(duals.size());
  for (const int row : row_of) {
    if (row >= 0) ++layers[static_cast<std::size_t>(row)];
  }
  double most = 0;
  for (std::size_t r = 0; r < each.size(); ++r) {
    each[r] = layers[r] == 0 ? 0 : std::max(each[r], 0.0) / layers[r];
    most = std::max(most, each[r]);
  }
  Shares shares(row_of.size());
  for (std::size_t l = 0; l < row_of.size() && most > 0; ++l) {
    if (row_of[l] < 0) continue;
    shares[l] = static_cast<std::int64_t>(each[static_cast<std::size_t>(row_of[l])] / most * kWholeWeight);
  }
  return shares;
}

// To a grid far finer than the values and far coarser than a solver's tolerance.
std::vector<double> Rounded(std::vector<double> duals) {
  constexpr double kGrid = 1 << 24;
  for (double& dual : duals) dual = std::round(dual * kGrid) / kGrid;
  return duals;
}

class FreeCuts {
 public:
  FreeCuts(const Scenario& scenario, bool splits)
      : scenario_(scenario), splits_(splits), covers_(FindCoverKinds(scenario, splits)) {
    for (const Unit& unit : scenario.platform->units) slots_.push_back(unit.AtFullSpeed());
  }
  Bound Find();

 private:
  std::size_t units() const { return slots_.size(); }
  const Model& ModelOf(const CoverKind& kind) const { return *scenario_.model(kind.model).model; }
  void FindShares(const std::vector<std::int64_t>& counts);
  void TakeDuals(const std::vector<std::int64_t>& counts, const std::vector<std::vector<int>>& row_of,
                 const std::vector<double>& duals);
  double Scale(const std::vector<std::int64_t>& counts) const;
  std::vector<WorkClass> ClassesOf(const std::vector<std::int64_t>& counts) const;
  Nanos Chain(const CoverKind& kind, const Shares& shares, std::vector<char>* on_it) const;
  Nanos BestChain(std::size_t kind) const;
  Wide LeastOf(const std::vector<Nanos>& costs) const;
  double LeastOfLayers(std::size_t kind, const std::vector<double>& prices) const;
  void AddLatencies(const CertainWork& work, Bound& bound) const;
  std::optional<double> Energy(const CertainWork& work, Nanos makespan) const;

  const Scenario& scenario_;
  bool splits_;
  CoverKinds covers_;
  std::vector<std::int64_t> slots_;
  std::vector<Shares> shares_;  // per kind
  std::vector<Nanos> chains_;   // the same
  std::vector<std::int64_t> weights_;
};

// So that the answer of the program is near 1.
double FreeCuts::Scale(const std::vector<std::int64_t>& counts) const {
  double scale = 0;
  for (std::size_t k = 0; k < covers_.kinds.size(); ++k) {
    for (const std::int64_t share : EvenShares(covers_.kinds[k], ModelOf(covers_.kinds[k]).size())) {
      scale += static_cast<double>(counts[k]) * static_cast<double>(share);
    }
  }
  return std::max(scale / static_cast<double>(units()), 1.0);
}

// The least T such that every row of every kind is covered at least once and no unit has more than T times
// its slots.
void FreeCuts::FindShares(const std::vector<std::int64_t>& counts) {
  LinearProgram program;
  program.units = units();
  int rows = 0;
  std::vector<std::vector<int>> row_of;
  std::vector<int> first_row;
  for (const CoverKind& kind : covers_.kinds) {
    first_row.push_back(rows);
    row_of.push_back(RowsOf(kind, ModelOf(kind).size(), rows));
  }
  const double scale = Scale(counts);
  for (std::size_t k = 0; k < covers_.kinds.size(); ++k) {
    for (const CoverEntry& entry : covers_.kinds[k].entries) {
      std::vector<int> in;
      for (const std::int32_t layer : entry.layers) in.push_back(row_of[k][static_cast<std::size_t>(layer)]);
      std::sort(in.begin(), in.end());
      in.erase(std::unique(in.begin(), in.end()), in.end());
      for (const int row : in) program.Add(row, 1.0);
      const double time = static_cast<double>((entry.time + entry.dispatch).count());
      program.Add(rows + entry.unit.value, static_cast<double>(counts[k]) * time / scale);
      program.EndColumn(0);
    }
  }
  for (std::size_t u = 0; u < units(); ++u) {
    program.Add(rows + static_cast<int>(u), -static_cast<double>(slots_[u]));
  }
  program.EndColumn(1);
  constexpr double kMost = std::numeric_limits<double>::max();
  program.row_lower.assign(static_cast<std::size_t>(rows), 1.0);
  program.row_upper.assign(static_cast<std::size_t>(rows), kMost);
  program.row_lower.insert(program.row_lower.end(), units(), -kMost);
  program.row_upper.insert(program.row_upper.end(), units(), 0.0);
  const auto answer = SolveProgram(program);
  if (!answer) {
    for (const CoverKind& kind : covers_.kinds) shares_.push_back(EvenShares(kind, ModelOf(kind).size()));
    weights_ = BalancedWeights(ClassesOf(counts), slots_);
    return;
  }
  TakeDuals(counts, row_of, answer->duals);
  // The solver leaves a little noise behind: round numbers may prove more.
  const auto shares = shares_;
  const auto weights = weights_;
  const Nanos proved = ProvedDivision(ClassesOf(counts), slots_, weights_);
  TakeDuals(counts, row_of, Rounded(answer->duals));
  if (ProvedDivision(ClassesOf(counts), slots_, weights_) > proved) return;
  shares_ = shares;
  weights_ = weights;
}

void FreeCuts::TakeDuals(const std::vector<std::int64_t>& counts, const std::vector<std::vector<int>>& row_of,
                         const std::vector<double>& duals) {
  shares_.clear();
  for (std::size_t k = 0; k < covers_.kinds.size(); ++k) {
    const CoverKind& kind = covers_.kinds[k];
    shares_.push_back(counts[k] > 0 ? SharesOf(row_of[k], duals) : EvenShares(kind, ModelOf(kind).size()));
  }
  std::vector<double> prices;
  for (std::size_t u = duals.size() - units(); u < duals.size(); ++u)
    prices.push_back(std::max(-duals[u], 0.0));
  weights_ = WholeWeights(prices);
}

std::vector<WorkClass> FreeCuts::ClassesOf(const std::vector<std::int64_t>& counts) const {
  std::vector<WorkClass> classes;
  for (std::size_t k = 0; k < covers_.kinds.size(); ++k) {
    if (counts[k] == 0) continue;
    for (std::vector<Nanos>& costs : LayerCosts(covers_.kinds[k], units(), shares_[k], true)) {
      if (*std::max_element(costs.begin(), costs.end()) > Nanos{0}) {
        classes.push_back({counts[k], std::move(costs)});
      }
    }
  }
  return classes;
}

// Of one layer: on the best unit, or in parts on all slots of all of them at once.
Wide FreeCuts::LeastOf(const std::vector<Nanos>& costs) const {
  Wide least = -1;
  double per_time = 0;
  for (std::size_t u = 0; u < costs.size(); ++u) {
    const std::int64_t cost = costs[u].count();
    if (cost < 0) continue;
    if (least < 0 || cost < least) least = cost;
    if (cost > 0) per_time += static_cast<double>(slots_[u]) / static_cast<double>(cost);
  }
  if (!splits_ || least <= 0) return std::max<Wide>(least, 0);
  // A little less than what doubles say, so that rounding takes nothing away from the proof.
  return static_cast<Wide>(1.0 / per_time * (1 - 1e-12));
}

// The longest way through the layers. `on_it`, where wanted: which layers are on it.
Nanos FreeCuts::Chain(const CoverKind& kind, const Shares& shares, std::vector<char>* on_it) const {
  const Model& model = ModelOf(kind);
  const auto costs = LayerCosts(kind, units(), shares, false);
  std::vector<Wide> end(model.size());
  std::vector<LayerId> before(model.size());
  LayerId last(std::size_t{0});
  for (std::size_t l = 0; l < model.size(); ++l) {
    for (const LayerId input : model.layer(LayerId(l)).inputs) {
      if (before[l].valid() && end[input.index()] <= end[before[l].index()]) continue;
      before[l] = input;
    }
    end[l] = (before[l].valid() ? end[before[l].index()] : Wide{0}) + LeastOf(costs[l]);
    if (end[l] > end[last.index()]) last = LayerId(l);
  }
  if (on_it) {
    on_it->assign(model.size(), 0);
    for (LayerId at = last; at.valid(); at = before[at.index()]) (*on_it)[at.index()] = 1;
  }
  const Nanos chain{
      static_cast<std::int64_t>(std::min<Wide>(end[last.index()] / kFine, kLongestTime.count()))};
  return std::min(chain + kind.least_dispatch, kLongestTime);
}

// Times are divided over layers as the work's program does, evenly, and in the way that makes the chain which
// is then longest as long as it can be: a program of its own.
Nanos FreeCuts::BestChain(std::size_t k) const {
  const CoverKind& kind = covers_.kinds[k];
  if (kind.entries.empty()) return Nanos{0};
  std::vector<char> on_it;
  const Shares even = EvenShares(kind, ModelOf(kind).size());
  Nanos best = std::max(Chain(kind, shares_[k], nullptr), Chain(kind, even, &on_it));
  CoverKind of_chain = kind;
  for (CoverEntry& entry : of_chain.entries) {
    std::erase_if(entry.layers, [&](std::int32_t layer) { return !on_it[static_cast<std::size_t>(layer)]; });
  }
  int rows = 0;
  const std::vector<int> row_of = RowsOf(of_chain, on_it.size(), rows);
  LinearProgram program;
  for (const CoverEntry& entry : of_chain.entries) {
    std::vector<int> in;
    for (const std::int32_t layer : entry.layers) in.push_back(row_of[static_cast<std::size_t>(layer)]);
    std::sort(in.begin(), in.end());
    in.erase(std::unique(in.begin(), in.end()), in.end());
    for (const int row : in) program.Add(row, 1.0);
    program.EndColumn(InMillis(entry.time));
  }
  program.row_lower.assign(static_cast<std::size_t>(rows), 1.0);
  program.row_upper.assign(static_cast<std::size_t>(rows), std::numeric_limits<double>::max());
  if (const auto answer = SolveProgram(program)) {
    best = std::max(best, Chain(kind, SharesOf(row_of, answer->duals), nullptr));
  }
  return best;
}

Bound FreeCuts::Find() {
  RequestKinds kinds{covers_.of_stream, std::vector<Nanos>(covers_.kinds.size())};
  std::vector<std::int64_t> counts(kinds.chain.size());
  const CertainWork counted = FindCertainWork(scenario_, kinds);
  Bound bound;
  if (counted.requests == 0) {
    bound.why_null = "no request is certain to be completed";
    return bound;
  }
  FindShares(counted.tails[0].of_kind);
  for (std::size_t k = 0; k < kinds.chain.size(); ++k) kinds.chain[k] = BestChain(k);
  chains_ = kinds.chain;
  const CertainWork work = FindCertainWork(scenario_, kinds);
  Nanos end = work.last_completion;
  for (const CertainWork::Tail& tail : work.tails) {
    const std::vector<WorkClass> classes = ClassesOf(tail.of_kind);
    if (!classes.empty()) end = std::max(end, tail.from + ProvedDivision(classes, slots_, weights_) / kFine);
  }
  bound.makespan = end - work.first_release;
  for (const std::size_t kind : covers_.of_stream)
    bound.of_requests.push_back(AtLeastShare(chains_[kind], scenario_));
  if (work.all) bound.inferences = work.inferences;
  AddLatencies(work, bound);
  bound.energy = Energy(work, *bound.makespan);
  return bound;
}

// As in the bound of one problem, where a request weighs what its layers do.
void FreeCuts::AddLatencies(const CertainWork& work, Bound& bound) const {
  std::vector<KindLoad> loads;
  double capacity = 0;
  for (std::size_t u = 0; u < units(); ++u) {
    capacity += static_cast<double>(weights_[u]) * static_cast<double>(slots_[u]) * kFine;
  }
  for (std::size_t k = 0; k < covers_.kinds.size(); ++k) {
    const std::vector<double> prices(weights_.begin(), weights_.end());
    loads.push_back({chains_[k], LeastOfLayers(k, prices)});
  }
  RaiseLatencies(work, loads, capacity, LeastShareOfTimes(scenario_), bound);
}

// The sum over the layers of the least of what they cost on a unit x its price, in parts of a nanosecond.
double FreeCuts::LeastOfLayers(std::size_t k, const std::vector<double>& prices) const {
  double sum = 0;
  for (const auto& costs : LayerCosts(covers_.kinds[k], units(), shares_[k], true)) {
    std::optional<double> least;
    for (std::size_t u = 0; u < units(); ++u) {
      if (costs[u] < Nanos{0}) continue;
      const double cost = static_cast<double>(costs[u].count()) * prices[u];
      least = std::min(least.value_or(cost), cost);
    }
    sum += least.value_or(0);
  }
  return sum;
}

// Joules that entries have of their own are not divided over layers: then idle watts alone count.
std::optional<double> FreeCuts::Energy(const CertainWork& work, Nanos makespan) const {
  const auto idle = IdleJoules(*scenario_.platform, makespan);
  if (!idle) return std::nullopt;
  for (const Profile& profile : scenario_.profiles) {
    if (std::any_of(profile.entries.begin(), profile.entries.end(),
                    [](const CostEntry& entry) { return entry.energy_j.has_value(); })) {
      return *idle * kRoundedDown;
    }
  }
  std::vector<double> watts;
  for (const Unit& unit : scenario_.platform->units) watts.push_back(unit.Draws().AboveIdle());
  double joules = *idle;
  for (std::size_t k = 0; k < covers_.kinds.size(); ++k) {
    joules += static_cast<double>(work.tails[0].of_kind[k]) * LeastOfLayers(k, watts) / kFine / 1e9;
  }
  return joules * kRoundedDown;
}

}  // namespace

bool MayBeCut(const Scenario& scenario) {
  if (FirstBatching(scenario) != nullptr) return false;  // whole models alone go together
  const CoverKinds covers = FindCoverKinds(scenario, true);
  return std::any_of(covers.kinds.begin(), covers.kinds.end(), [](const CoverKind& kind) {
    return std::any_of(kind.entries.begin(), kind.entries.end(),
                       [](const CoverEntry& entry) { return !entry.whole; });
  });
}

Bound FreeCutBound(const Scenario& scenario, bool splits) {
  if (FirstBatching(scenario) != nullptr)
    return {std::nullopt, std::nullopt, "what requests take depends on how many go together"};
  const Bound with_splits = AtTopSpeed(FreeCuts(scenario, true).Find(), scenario);
  if (splits || !with_splits.makespan) return with_splits;
  // What holds with splits holds without; rounding may make it the larger one.
  Bound bound = AtTopSpeed(FreeCuts(scenario, false).Find(), scenario);
  bound.makespan = std::max(bound.makespan, with_splits.makespan);
  return bound;
}

}  // namespace tandem
