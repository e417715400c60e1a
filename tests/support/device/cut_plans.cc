#include "tests/support/device/cut_plans.h"

#include <algorithm>

#include "policies/problem/problem.h"
#include "profiles/base/files.h"
#include "profiles/model/model_builder.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {
namespace {

class NetworkByChance {
 public:
  explicit NetworkByChance(Chance& chance) : chance_(chance), net_("by chance") {}

  Model Make(std::int64_t layers) {
    const std::int64_t channels = chance_.Of<std::int64_t>({3, 8, 16, 20});
    Note(net_.Input("in", {1, channels, 9 + chance_.Below(6), 8 + chance_.Below(6)}));
    for (std::int64_t i = 0; i < layers; ++i) AddLayer("l" + std::to_string(i));
    if (chance_.Percent(60)) {
      net_.AvgPool("global", GlobalPool(), chance_.Of(names_));
      net_.Add("flat", Op::kFlatten);
      net_.Fc("fc", 24);
      net_.Add("soft", Op::kSoftmax);
    } else {
      net_.Fc("fc", 10, names_.back());
      net_.Relu("fc_relu");
    }
    return net_.Build();
  }

 private:
  void Note(const std::string& name) { names_.push_back(name); }
  Shape ShapeOf(const std::string& name) const {
    const Model model = net_.Build();
    return model.layer(model.Find(name)).output;
  }
  std::string Some() { return chance_.Percent(60) ? names_.back() : chance_.Of(names_); }

  void AddLayer(const std::string& name) {
    const std::int64_t kind = chance_.Below(10);
    const std::string from = Some();
    if (kind < 4) return AddConv(name, from);
    if (kind < 6) return AddValueByValue(name, from);
    if (kind < 8) return AddPool(name, from);
    AddJoin(name, from, kind == 8);
  }

  void AddConv(const std::string& name, const std::string& from) {
    const Shape shape = ShapeOf(from);
    ConvAttributes conv = SquareConv(chance_.Of<std::int64_t>({5, 8, 16, 24, 33}), 1);
    conv.kernel = {1 + chance_.Below(4), 1 + chance_.Below(3)};
    if (shape[2] > 4) conv.stride = {1 + chance_.Below(2), 1 + chance_.Below(2)};
    if (shape[2] > 6) conv.dilation = {1 + chance_.Below(2), 1};
    conv.pad = {conv.kernel.h - 1, 1, chance_.Below(3) + conv.kernel.h, 2};
    if (chance_.Percent(40)) {
      conv.groups = chance_.Percent(70) ? shape[1] : (shape[1] % 2 == 0 ? 2 : 1);
      conv.out_channels = conv.groups * (1 + chance_.Below(2)) * (conv.groups == shape[1] ? 1 : 4);
    }
    conv.bias = chance_.Percent(50);
    Note(net_.Conv(name, conv, from));
    if (chance_.Percent(50)) Note(net_.Add(name + "_norm", Op::kBatchNorm));
    if (chance_.Percent(50)) Note(net_.Relu(name + "_relu"));
  }

  void AddValueByValue(const std::string& name, const std::string& from) {
    const Op op = chance_.Of<Op>({Op::kRelu6, Op::kPrelu, Op::kScale, Op::kBatchNorm, Op::kTanh, Op::kDropout,
                                  Op::kHardSwish, Op::kSigmoid});
    Note(net_.Add(name, op, from));
  }

  void AddPool(const std::string& name, const std::string& from) {
    const Shape shape = ShapeOf(from);
    if (shape[2] < 3 || shape[3] < 3) return AddValueByValue(name, from);
    PoolAttributes pool = SquarePool(2 + chance_.Below(2), 1 + chance_.Below(2), chance_.Below(2));
    pool.ceil_mode = chance_.Percent(50);
    pool.count_include_pad = chance_.Percent(50);
    Note(chance_.Percent(50) ? net_.MaxPool(name, pool, from) : net_.AvgPool(name, pool, from));
  }

  // With another one that fits; a convolution of its own where none does.
  void AddJoin(const std::string& name, const std::string& from, bool add) {
    const Shape shape = ShapeOf(from);
    for (const std::string& other : names_) {
      const Shape its = ShapeOf(other);
      if (other == from || its[2] != shape[2] || its[3] != shape[3] || (add && its != shape)) continue;
      Note(add ? net_.Sum(name, from, other) : net_.Concat(name, {from, other}));
      if (chance_.Percent(50)) Note(net_.Relu(name + "_relu"));
      return;
    }
    const std::string beside = net_.Conv(name + "_beside", SquareConv(shape[1], 3, 1, 1), from);
    Note(beside);
    Note(net_.Sum(name, beside, from));
  }

  Chance& chance_;
  ModelBuilder net_;
  std::vector<std::string> names_;
};

// Two or three parts, borders at multiples of the granule.
bool SplitOne(const Model& model, const std::vector<LayerId>& layers, Chance& chance,
              std::vector<CutPiece>& pieces) {
  const SplitAxis axis = chance.Percent(50) ? SplitAxis::kChannels : SplitAxis::kRows;
  const SplitRange range = SplitRangeOf(model, layers, axis);
  const std::int64_t granules = range.extent / range.granule;
  if (granules < 2) return false;
  std::vector<std::int64_t> borders = {0, range.extent};
  for (std::int64_t i = 1 + chance.Below(2); i > 0; --i) {
    borders.push_back((1 + chance.Below(granules - 1)) * range.granule);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  for (std::size_t i = 1; i < borders.size(); ++i) {
    pieces.push_back({layers, LayerPart{axis, borders[i - 1], borders[i]}});
  }
  return true;
}

std::string EntriesOf(const Model& model, const std::string& name, std::int64_t batch,
                      const std::string& unit) {
  std::string entries;
  for (const Layer& layer : model.layers()) {
    if (layer.op == Op::kInput) continue;
    entries += (entries.empty() ? R"({"model": ")" : R"(, {"model": ")") + name + R"(", "unit": ")" + unit +
               R"(", "layers": [")" + layer.name + R"("], "batch": )" + std::to_string(batch) +
               R"(, "median_us": 5})";
  }
  return entries;
}

// Of each request what it needs before what needs it; requests mixed.
FixedSchedule ScheduleOf(const Problem& problem, const PlanToCut& cut, std::size_t units, Chance& chance) {
  const Cut& made = problem.cut(StreamId(0));
  std::vector<std::size_t> unit_of = cut.unit_of;
  if (unit_of.empty()) {
    for (std::int32_t s = 0; s < made.segments; ++s) {
      unit_of.push_back(static_cast<std::size_t>(chance.Below(static_cast<std::int64_t>(units))));
    }
  }
  FixedSchedule schedule;
  schedule.units.resize(units);
  std::vector<std::int32_t> next(static_cast<std::size_t>(cut.requests));
  for (std::int64_t left = cut.requests * made.segments; left > 0;) {
    const auto request = static_cast<std::size_t>(chance.Below(cut.requests));
    if (next[request] == made.segments) continue;
    const std::int32_t segment = next[request]++;
    ScheduledRun run;
    run.stream = StreamId(0);
    run.segment = segment;
    run.segments = 1;
    run.first = static_cast<std::int64_t>(request);
    schedule.units[unit_of[static_cast<std::size_t>(segment) % unit_of.size()]].push_back(run);
    --left;
  }
  return schedule;
}

}  // namespace

Model RandomNetwork(Chance& chance, std::int64_t layers) { return NetworkByChance(chance).Make(layers); }

std::vector<CutPiece> RandomPieces(const Model& model, Chance& chance) {
  std::vector<std::vector<LayerId>> groups;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (model.layers()[i].op == Op::kInput) continue;
    const bool room = !groups.empty() && groups.back().size() < 4;
    const bool follows = room && model.layers()[i].inputs[0] == groups.back().back();
    if (!room || chance.Percent(follows ? 40 : 90)) groups.emplace_back();
    groups.back().emplace_back(i);
  }
  return SplitSome(model, groups, 80, chance);
}

std::vector<CutPiece> SplitSome(const Model& model, const std::vector<std::vector<LayerId>>& groups,
                                std::int64_t percent, Chance& chance) {
  std::vector<CutPiece> pieces;
  for (const std::vector<LayerId>& group : groups) {
    if (chance.Percent(percent) && SplitOne(model, group, chance, pieces)) continue;
    pieces.push_back({group, std::nullopt});
  }
  return pieces;
}

PlanFile PlanOf(const PlanToCut& cut, Chance& chance) {
  const JsonDocument units = JsonDocument::Parse(R"({"units": )" + cut.units + "}", "units");
  std::string platform = R"({"tandem": "platform/1", "name": "board", "memories": )" + cut.memories +
                         R"(, "links": )" + cut.links;
  platform += R"(, "units": )" + cut.units + "}";
  const auto scenario_with = [&](const std::string& profile) {
    return R"({"tandem": "scenario/1", "name": "cut", "platform": )" + platform + profile +
           R"(, "policies": [], "streams": [{"name": "x", "model": ")" + cut.model + R"(", "count": )" +
           std::to_string(cut.requests) + R"(, "batch": )" + std::to_string(cut.batch) +
           R"(, "arrival": {"type": "offline"}}]})";
  };
  const auto read = [&](const std::string& text) {
    if (!cut.file.empty()) WriteFile(cut.file, text);
    return ReadScenario(JsonDocument::Parse(text, cut.file.empty() ? "cut.json" : cut.file.string()).root());
  };
  const Scenario bare = read(scenario_with(""));
  std::string entries;
  for (const JsonReader unit : units.root().Get("units").Elements()) {
    entries += entries.empty() ? "" : ", ";
    entries += EntriesOf(*bare.models[0].model, cut.model, cut.batch, unit.Get("name").Name());
  }
  PlanFile file{read(scenario_with(R"(, "profiles": [{"tandem": "profile/1", "platform": "board", "origin":
      {"kind": "published", "source": "a test"}, "entries": [)" +
                                   entries + "]}]")),
                {}};
  auto cuts = std::make_shared<CutPlan>();
  cuts->cuts.push_back({ModelId(0), cut.batch, cut.pieces});
  cuts->edges = cut.edges;
  const Problem problem(file.scenario, Granularity::kLayer, cuts);
  auto decided = std::make_shared<Decisions>();
  decided->granularity = Granularity::kLayer;
  decided->cuts = cuts;
  decided->residents.resize(problem.units());
  decided->schedule = std::make_shared<FixedSchedule>(ScheduleOf(problem, cut, problem.units(), chance));
  PolicySpec spec;
  spec.declaration = FindPolicy("best");
  spec.label = "cut";
  spec.decided = decided;
  file.plan.policy = spec;
  file.plan.decisions = *decided;
  file.scenario.policies = {spec};
  return file;
}

}  // namespace tandem
