#include "sim/study/model_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/model/branch_groups.h"
#include "profiles/model/weights.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// How many layers there are of each operation, in order of the operations.
std::map<Op, std::int64_t> CountByOp(const Model& model) {
  std::map<Op, std::int64_t> counts;
  for (const Layer& layer : model.layers()) ++counts[layer.op];
  return counts;
}

Json LayerJson(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  Json inputs = Json::array();
  for (const LayerId input : layer.inputs) inputs.push_back(model.layer(input).name);
  return {{"name", layer.name},           {"op", OpName(layer.op)},        {"inputs", inputs},
          {"output_shape", layer.output}, {"params", layer.counts.params}, {"state", layer.counts.state},
          {"macs", layer.counts.macs},    {"bytes_in", model.BytesIn(id)}, {"bytes_out", model.BytesOut(id)}};
}

// What the weights take where quantised layers keep theirs as whole numbers, a byte each, and all else in
// fp32; nothing: no layer is quantised.
std::optional<std::int64_t> BytesInInt8(const Model& model) {
  std::int64_t bytes = model.BytesOfWeights();
  bool quantized = false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto weights = WeightShapes(model, LayerId(i));
    const auto is = [](const char* role) {
      return [role](const auto& weight) { return weight.first == role; };
    };
    if (std::none_of(weights.begin(), weights.end(), is("step"))) continue;
    const auto weight = std::find_if(weights.begin(), weights.end(), is("weight"));
    bytes -= Elements(weight->second) * static_cast<std::int64_t>(sizeof(float) - 1);
    quantized = true;
  }
  return quantized ? std::optional(bytes) : std::nullopt;
}

Json TotalsJson(const Model& model) {
  const Counts totals = model.totals();
  Json by_op = Json::object();
  for (const auto& [op, count] : CountByOp(model)) by_op[OpName(op)] = count;
  Json json = {{"layers", model.size()},
               {"params", totals.params},
               {"state", totals.state},
               {"macs", totals.macs},
               {"by_op", by_op}};
  if (const auto bytes = BytesInInt8(model)) json["weight_bytes_int8"] = *bytes;
  return json;
}

// The rows that a layer reads, left empty where that is just the row above; of many the ends and how many.
std::string ReadsText(const Model& model, LayerId id) {
  constexpr std::size_t kMostListed = 2;
  const std::vector<LayerId>& inputs = model.layer(id).inputs;
  const auto row = [](LayerId input) { return std::to_string(input.value + 1); };
  if (inputs.size() == 1 && inputs[0].value + 1 == id.value) return {};
  if (inputs.size() > kMostListed) {
    return row(inputs.front()) + ".." + row(inputs.back()) + " (" + std::to_string(inputs.size()) + ")";
  }
  return Joined(inputs, ", ", row);
}

Json BranchGroupsJson(const Model& model) {
  Json groups = Json::array();
  for (const BranchGroup& group : FindBranchGroups(model)) {
    Json branches = Json::array();
    for (const auto& branch : group.branches) {
      Json names = Json::array();
      for (const LayerId id : branch) names.push_back(model.layer(id).name);
      branches.push_back(names);
    }
    groups.push_back({{"fork", model.layer(group.fork).name},
                      {"join", model.layer(group.join).name},
                      {"branches", branches}});
  }
  return groups;
}

std::string BranchGroupsText(const Model& model, std::size_t width) {
  const auto groups = FindBranchGroups(model);
  if (groups.empty()) return "no branch groups\n";
  Table table({{"branch group: fork", false, true}, {"join", false, true}, {"layers of each branch"}});
  for (const BranchGroup& group : groups) {
    table.Add({model.layer(group.fork).name, model.layer(group.join).name,
               Joined(group.branches, " + ", &std::vector<LayerId>::size)});
  }
  return table.Text(width);
}

std::string LayersText(const Model& model, std::size_t width) {
  Table table({{"#", true},
               {"layer", false, true},
               {"op"},
               {"reads #"},
               {"output"},
               {"params", true},
               {"macs", true}});
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layer(LayerId(i));
    table.Add({std::to_string(i + 1), layer.name, OpName(layer.op), ReadsText(model, LayerId(i)),
               ShapeText(layer.output), Rounded(layer.counts.params), Rounded(layer.counts.macs)});
  }
  return table.Text(width);
}

std::string TotalsText(const Model& model, std::size_t width) {
  const Counts totals = model.totals();
  const std::string by_op = Joined(CountByOp(model), ", ", [](const auto& count) {
    return std::to_string(count.second) + " " + OpName(count.first);
  });
  const auto int8 = BytesInInt8(model);
  return Wrapped(model.name() + ": " + std::to_string(model.size()) + " layers (" + by_op + ")", width) +
         Wrapped("params " + Grouped(totals.params) + ", state " + Grouped(totals.state) + ", macs " +
                     Grouped(totals.macs) + ", weights " + Grouped(model.BytesOfWeights()) + " bytes" +
                     (int8 ? " in fp32, " + Grouped(*int8) + " in int8" : ""),
                 width);
}

}  // namespace

std::string ModelSummaryJson(const Model& model) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < model.size(); ++i) layers.push_back(LayerJson(model, LayerId(i)));
  return JsonOutput({{"name", model.name()},
                     {"layers", layers},
                     {"totals", TotalsJson(model)},
                     {"branch_groups", BranchGroupsJson(model)}});
}

std::string ModelSummaryText(const Model& model, std::size_t width) {
  return LayersText(model, width) + "\n" + TotalsText(model, width) + "\n" + BranchGroupsText(model, width);
}

}  // namespace tandem
