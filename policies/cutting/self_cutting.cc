#include "policies/cutting/self_cutting.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "policies/kinds/list_policy.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/check.h"
#include "profiles/model/op.h"

namespace tandem {
namespace {

// The cuts of all models together, one chosen after the other.
class AllCuts {
 public:
  AllCuts(const PolicySpec& spec, const Problem& problem, const SelfCuttingRule& rule, ModelCutter& cutter)
      : spec_(spec),
        problem_(problem),
        rule_(rule),
        times_(*rule.times),
        cutter_(cutter),
        chosen_(times_.cuts().size()),
        barred_(times_.cuts().size(), std::vector<char>(times_.units())),
        order_(times_.cuts().size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<double> work;
    for (const std::size_t cut : order_) work.push_back(WorkOf(cut));
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  }

  // What memories have room for is seen only when models are put there: then that unit is barred for it.
  Prepared Make() {
    for (;;) {
      ChooseAll();
      for (int again = 0; again < rule_.revisits && Revisit(); ++again) {
      }
      const Problem cut(times_.scenario(), Granularity::kLayer, Chosen());
      const std::vector<UnitId> units = UnitsOf(cut);
      const auto decided = std::make_shared<const Problem>(cut.WithSent(units));
      if (BarWhatHasNoRoom(*decided, units)) continue;
      const auto rule = [&](UnitId unit, StreamId, SegmentId segment) {
        return LaneRule{.takes = units[segment.index()] == unit};
      };
      return {std::make_unique<ListPolicy>(*decided, rule), decided};
    }
  }

 private:
  // Requests times the least time of the model, of its layers where no unit has all of it.
  double WorkOf(std::size_t cut) const {
    std::optional<Nanos> least;
    const auto take = [&](const std::optional<Nanos>& time) {
      if (time && (!least || *time < *least)) least = time;
    };
    for (std::size_t u = 0; u < times_.units(); ++u) take(times_.WholeModel(cut, UnitId(u)));
    Nanos total{0};
    for (std::size_t l = 0; !least && l < times_.model(cut).size(); ++l) total += LeastOfLayer(cut, l);
    return times_.cuts()[cut].requests * static_cast<double>(least.value_or(total).count());
  }

  Nanos LeastOfLayer(std::size_t cut, std::size_t layer) const {
    const LayerId alone[] = {LayerId(layer)};
    std::optional<Nanos> least;
    for (std::size_t u = 0; u < times_.units(); ++u) {
      const auto time = times_.Time(cut, UnitId(u), alone);
      if (time && (!least || *time < *least)) least = time;
    }
    return least.value_or(Nanos{0});
  }

  // A model that finds no room goes first and all others choose again.
  void ChooseAll() {
    for (std::size_t moves = 0;; ++moves) {
      for (auto& cut : chosen_) cut.clear();
      const auto without =
          std::find_if(order_.begin(), order_.end(), [&](std::size_t c) { return !Choose(c); });
      if (without == order_.end()) return;
      if (without == order_.begin() || moves > order_.size()) Fail(*without);
      std::rotate(order_.begin(), without, without + 1);
    }
  }

  bool Choose(std::size_t cut) {
    auto pieces = cutter_.Cut(cut, UsableFor(cut));
    if (pieces) chosen_[cut] = std::move(*pieces);
    return pieces.has_value();
  }

  bool Revisit() {
    bool changed = false;
    for (const std::size_t cut : order_) {
      const AssignedPieces before = chosen_[cut];
      TANDEM_CHECK(Choose(cut), "what could be cut before can be cut again");
      changed = changed || chosen_[cut] != before;
    }
    return changed;
  }

  // Units that may hold its model beside what is bound to them already.
  std::vector<char> UsableFor(std::size_t cut) const {
    std::vector<char> usable = rule_.units;
    for (std::size_t u = 0; u < usable.size(); ++u) {
      if (usable[u] && (barred_[cut][u] || !MayHold(cut, UnitId(u)))) usable[u] = 0;
    }
    return usable;
  }

  // Those that it cannot load leave room for one that it can.
  bool MayHold(std::size_t cut, UnitId unit) const {
    const ModelId model = times_.cuts()[cut].model;
    const auto& named = times_.scenario().units[unit.index()].resident;
    const bool loads = problem_.LoadTime(model, unit).has_value();
    if (named) return loads || std::find(named->begin(), named->end(), model) != named->end();
    const auto limit = problem_.ResidentLimit(unit);
    if (!limit) return true;
    std::set<ModelId> stay;
    bool any_loads = false;
    const auto add = [&](ModelId there) {
      if (problem_.LoadTime(there, unit)) {
        any_loads = true;
      } else {
        stay.insert(there);
      }
    };
    add(model);
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
      const auto on_it = [&](const AssignedPiece& piece) { return piece.unit == unit; };
      if (std::any_of(chosen_[c].begin(), chosen_[c].end(), on_it)) add(times_.cuts()[c].model);
    }
    return static_cast<std::int64_t>(stay.size()) + (any_loads ? 1 : 0) <= *limit;
  }

  std::shared_ptr<const CutPlan> Chosen() const {
    auto chosen = std::make_shared<CutPlan>();
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
      ModelPieces cut{times_.cuts()[c].model, times_.cuts()[c].batch, {}};
      for (const AssignedPiece& piece : chosen_[c]) cut.pieces.push_back(piece.piece);
      chosen->cuts.push_back(std::move(cut));
    }
    return chosen;
  }

  UnitId UnitOf(const AssignedPieces& cut, const Segment& segment) const {
    if (segment.layers.empty()) return cut[0].unit;
    for (const AssignedPiece& bound : cut) {
      const auto& layers = bound.piece.layers;
      if (bound.piece.part == segment.part &&
          std::binary_search(segment.layers.begin(), segment.layers.end(), layers[0])) {
        return bound.unit;
      }
    }
    TANDEM_CHECK(false, "every task of a cut is one of its pieces");
    return UnitId();
  }

  // The cuts of a problem are in the order of PieceTimes.
  std::vector<UnitId> UnitsOf(const Problem& cut_anew) const {
    std::vector<UnitId> units;
    for (const Segment& segment : cut_anew.segments()) {
      units.push_back(UnitOf(chosen_[segment.cut.index()], segment));
    }
    return units;
  }

  bool BarWhatHasNoRoom(const Problem& cut_anew, const std::vector<UnitId>& units) {
    for (std::size_t s = 0; s < units.size(); ++s) {
      if (cut_anew.Runs(SegmentId(s), units[s])) continue;
      barred_[cut_anew.segment(SegmentId(s)).cut.index()][units[s].index()] = 1;
      return true;
    }
    return false;
  }

  [[noreturn]] void Fail(std::size_t cut) const {
    const ModelToCut& wanted = times_.cuts()[cut];
    const std::vector<char> usable = UsableFor(cut);
    std::string why;
    for (std::size_t u = 0; u < usable.size(); ++u) {
      const std::string name = "unit " + Quoted(times_.scenario().platform->units[u].name);
      why += why.empty() ? "" : "; ";
      if (!rule_.units[u]) {
        why += name + " is not among \"units\"";
      } else if (!usable[u]) {
        why += name + " has no room for the model";
      } else {
        why += WhyNot(wanted, UnitId(u), name);
      }
    }
    FailPolicy(
        spec_, problem_,
        "no units can run all of model " + Quoted(times_.scenario().model(wanted.model).name) + ": " + why);
  }

  std::string WhyNot(const ModelToCut& wanted, UnitId unit, const std::string& name) const {
    const Scenario& scenario = times_.scenario();
    const auto query = scenario.Query(wanted.model, unit, wanted.batch);
    if (!query) return name + " has no times";
    if (!times_.Reachable(unit)) return "no links lead to " + name;
    return scenario.costs->WhyNot(*query);
  }

  const PolicySpec& spec_;
  const Problem& problem_;
  const SelfCuttingRule& rule_;
  const PieceTimes& times_;
  ModelCutter& cutter_;
  std::vector<AssignedPieces> chosen_;     // per cut
  std::vector<std::vector<char>> barred_;  // per cut and unit
  std::vector<std::size_t> order_;         // of the cuts
};

}  // namespace

Prepared MakeSelfCutting(const PolicySpec& spec, const Problem& problem, const SelfCuttingRule& rule,
                         ModelCutter& cutter) {
  return AllCuts(spec, problem, rule, cutter).Make();
}

CodecOf<std::vector<UnitId>> UnitsCodec() {
  const auto named = as::UnitsNamed("name one unit at least, or leave \"units\" out for all of them",
                                    "unit * is named already");
  return as::Custom<std::vector<UnitId>>(
      [named](SchemaDefs& defs) { return named->Schema(defs); },
      [named](const JsonReader& value, std::vector<UnitId>& into, Context context) {
        named->Read(value, into, context);
        std::sort(into.begin(), into.end());
      },
      [named](const std::vector<UnitId>& from, std::string& text, Context context) {
        named->Write(from, text, context);
      });
}

std::vector<char> UnitsToUse(const std::vector<UnitId>& named, const Problem& problem) {
  std::vector<char> use(problem.units(), named.empty() ? 1 : 0);
  for (const UnitId unit : named) use[unit.index()] = 1;
  return use;
}

}  // namespace tandem
