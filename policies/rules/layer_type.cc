// Layer type: the kind of a layer says which units may run it. All jobs stand in one queue and are taken by
// the first idle unit of their set; one that waits for a busy unit does not keep back those behind it. A task
// of several layers is what weighs most in it: a convolution, else a fully connected layer, else its first.
// Without a map convolutions go to the units of kind gpu, all else to those of kind cpu. Tie-break: task
// order. Source: study 000 (Kim, 2021).
#include <algorithm>
#include <set>

#include "policies/kinds/fifo_queue.h"
#include "policies/kinds/list_policy.h"
#include "policies/kinds/name_pattern.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"

namespace tandem::layer_type {
namespace {

enum class QueueRule : std::uint8_t { kFifo, kTaskOrder, kSjf };
constexpr std::array<Named<QueueRule>, 3> kQueueRuleNames = {
    {{"fifo", QueueRule::kFifo}, {"task_order", QueueRule::kTaskOrder}, {"sjf", QueueRule::kSjf}}};

struct Entry {
  std::string pattern;  // for the names of operations
  std::vector<UnitId> units;
};

struct LayerTypeParameters : PolicyParameters {
  std::optional<std::vector<Entry>> map;  // nothing: by the kinds of the units
  QueueRule queue = QueueRule::kFifo;
};

// A pattern that no operation's name matches is a slip.
void CheckMatches(const JsonReader& member) {
  const std::vector<std::string_view> names = OpNames();
  for (const std::string_view name : names) {
    if (MatchesPattern(name, member.key())) return;
  }
  member.Fail("no type of layer matches " + Quoted(member.key()) +
              Suggestion(member.key(), std::span<const std::string_view>(names)));
}

CodecOf<std::vector<Entry>> MapCodec() {
  const auto units = as::UnitsNamed("a set of units must not be empty", "unit * is in this set already");
  return as::Custom<std::vector<Entry>>(
      [units](SchemaDefs& defs) { return as::MapSchema(units->Schema(defs)); },
      [units](const JsonReader& value, std::vector<Entry>& into, Context context) {
        for (const JsonReader member : value.Members()) {
          CheckMatches(member);
          into.push_back({std::string(member.key()), {}});
          units->Read(member, into.back().units, context);
        }
      },
      [units](const std::vector<Entry>& from, std::string& text, Context context) {
        JsonObject map;
        for (const Entry& entry : from) {
          std::string names;
          units->Write(entry.units, names, context);
          map.Add(entry.pattern, names);
        }
        text += map.Text();
      });
}

const Fields<LayerTypeParameters>& Keys() {
  static const auto fields =
      Fields<LayerTypeParameters>()
          .Optional("map", &LayerTypeParameters::map, MapCodec(),
                    "type of layer (conv, fc, ...; * and ? as in file names) to the units that may take it; "
                    "without it conv to kind gpu, the rest to kind cpu")
          .Optional(
              "queue", &LayerTypeParameters::queue, as::OneOf(kQueueRuleNames, "queue"),
              "which waiting task a unit takes: the one that became ready first, the first in task order, "
              "the shortest on it");
  return fields;
}

const Layer& HeaviestLayer(const Problem& problem, SegmentId id) {
  const Model& model = *problem.scenario().model(problem.model_of(id)).model;
  std::vector<LayerId> layers = problem.segment(id).layers;
  if (layers.empty()) layers = WorkingLayers(model);
  if (layers.empty()) layers = {LayerId(0)};  // of a model that computes nothing
  const auto weight = [&](LayerId layer) {
    const Op op = model.layer(layer).op;
    return op == Op::kConv ? 3 : op == Op::kFc ? 2 : IsFree(op) ? 0 : 1;
  };
  return model.layer(*std::max_element(layers.begin(), layers.end(), [&](LayerId a, LayerId b) {
    return weight(a) < weight(b);  // of equals the first
  }));
}

std::vector<UnitId> UnitsOfKind(const Platform& platform, UnitKind kind) {
  std::vector<UnitId> units;
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    if (platform.units[u].kind == kind) units.emplace_back(u);
  }
  return units;
}

std::vector<UnitId> DefaultUnits(const PolicySpec& spec, const Problem& problem, const Layer& layer) {
  const UnitKind kind = layer.op == Op::kConv ? UnitKind::kGpu : UnitKind::kCpu;
  std::vector<UnitId> units = UnitsOfKind(problem.platform(), kind);
  if (!units.empty()) return units;
  FailPolicy(spec, problem,
             "the platform has no unit of kind " + std::string(NameOf(kUnitKindNames, kind)) + " for layer " +
                 Quoted(layer.name) + " of type " + std::string(OpName(layer.op)) +
                 "; \"map\" says which units take which types of layers");
}

std::vector<UnitId> UnitsFor(const PolicySpec& spec, const Problem& problem, const Layer& layer) {
  const auto& map = spec.As<LayerTypeParameters>().map;
  if (!map) return DefaultUnits(spec, problem, layer);
  const std::string& type = OpName(layer.op);
  for (const Entry& entry : *map) {
    if (MatchesPattern(type, entry.pattern)) return entry.units;
  }
  FailPolicy(spec, problem,
             "no pattern of \"map\" matches type " + std::string(type) + " of layer " + Quoted(layer.name) +
                 "; \"*\" matches everything");
}

// Units whose residents are open hold what they may be asked to run.
Problem HoldingWhatIsSent(const Problem& problem, const std::vector<std::vector<UnitId>>& units_of) {
  std::vector<std::set<ModelId>> models(problem.units());
  for (std::size_t s = 0; s < units_of.size(); ++s) {
    for (const UnitId unit : units_of[s]) {
      if (problem.Profiled(SegmentId(s), unit) != Problem::kCannot) {
        models[unit.index()].insert(problem.model_of(SegmentId(s)));
      }
    }
  }
  std::vector<std::vector<ModelId>> lists;
  for (const std::set<ModelId>& of_unit : models) lists.emplace_back(of_unit.begin(), of_unit.end());
  return problem.With(problem.HoldingBound(lists));
}

[[noreturn]] void FailNowhere(const PolicySpec& spec, const Problem& problem, SegmentId segment,
                              const std::vector<UnitId>& units) {
  const Layer& layer = HeaviestLayer(problem, segment);
  const std::string names =
      Joined(units, ", ", [&](UnitId unit) { return Quoted(problem.platform().unit(unit).name); });
  FailPolicy(spec, problem,
             "none of the units for layers of type " + std::string(OpName(layer.op)) + " (" + names +
                 ") can run " + problem.NameOf(segment));
}

// Per segment and unit: does the unit take it?
std::vector<std::vector<char>> Takers(const PolicySpec& spec, const Problem& problem,
                                      const std::vector<std::vector<UnitId>>& units_of) {
  std::vector<std::vector<char>> takes(units_of.size(), std::vector<char>(problem.units(), 0));
  for (std::size_t s = 0; s < takes.size(); ++s) {
    bool any = false;
    for (const UnitId unit : units_of[s]) {
      if (!problem.Runs(SegmentId(s), unit)) continue;
      takes[s][unit.index()] = 1;
      any = true;
    }
    if (!any) FailNowhere(spec, problem, SegmentId(s), units_of[s]);
  }
  return takes;
}

class FifoPolicy final : public Policy {
 public:
  FifoPolicy(std::size_t units, const std::vector<std::vector<char>>& takes) : queue_(units, takes) {}

  void Ready(const Task& task, const Board& board) override { queue_.Add(task, board.now); }
  bool Take(UnitId unit, const Board&, Task& task) override { return queue_.Take(unit, task); }
  void Drop(const Task& task) override { queue_.Remove(task); }

 private:
  FifoQueue queue_;
};

Prepared Make(const PolicySpec& spec, const Problem& asked) {
  std::vector<std::vector<UnitId>> units_of;
  for (std::size_t s = 0; s < asked.segments().size(); ++s) {
    units_of.push_back(UnitsFor(spec, asked, HeaviestLayer(asked, SegmentId(s))));
  }
  const auto decided = std::make_shared<const Problem>(HoldingWhatIsSent(asked, units_of));
  const Problem& problem = *decided;
  const std::vector<std::vector<char>> takes = Takers(spec, problem, units_of);
  const QueueRule queue = spec.As<LayerTypeParameters>().queue;
  if (queue == QueueRule::kFifo) return {std::make_unique<FifoPolicy>(problem.units(), takes), decided};
  const auto rule = [&](UnitId unit, StreamId, SegmentId segment) {
    const Nanos time = problem.Time(segment, unit);
    return LaneRule{.takes = takes[segment.index()][unit.index()] != 0,
                    .rank = queue == QueueRule::kSjf ? time.count() : 0};
  };
  return {std::make_unique<ListPolicy>(problem, rule), decided};
}

const PolicyRegistration kLayerType{{.name = "layer_type",
                                     .summary = "the type of a layer says which units may run it; of one "
                                                "queue an idle unit takes the first task that is for it",
                                     .default_granularity = Granularity::kLayer,
                                     .keys = KeysFrom<Keys>(),
                                     .make = Make}};

}  // namespace
}  // namespace tandem::layer_type
