#include "profiles/model/model_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/model/attribute_fields.h"
#include "profiles/model/safetensors.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr double kMostNegative = std::numeric_limits<double>::lowest();
constexpr double kMostPositive = std::numeric_limits<double>::max();

// One pair of functions per type of a field. Shape inference judges the numbers, for every source alike.
void Read(const JsonReader& value, std::int64_t& to) { to = value.Integer(kLeast); }
void Read(const JsonReader& value, double& to) { to = value.Number(kMostNegative); }
void Read(const JsonReader& value, bool& to) { to = value.Boolean(); }
void Read(const JsonReader& value, PadMode& to) { to = value.OneOf(kPadModeNames, "padding"); }
void Read(const JsonReader& value, UpsampleMode& to) { to = value.OneOf(kUpsampleModeNames, "mode"); }

template <class Element>
void Read(const JsonReader& value, std::vector<Element>& to) {
  for (const JsonReader element : value.Elements()) Read(element, to.emplace_back());
}

void ReadExactly(const JsonReader& value, std::initializer_list<std::int64_t*> to, const char* what) {
  std::vector<std::int64_t> numbers;
  Read(value, numbers);
  if (numbers.size() != to.size()) value.Fail(std::string("expected ") + what);
  std::transform(to.begin(), to.end(), numbers.begin(), numbers.begin(),
                 [](std::int64_t* target, std::int64_t number) { return *target = number; });
}

void Read(const JsonReader& value, Extent& to) {
  ReadExactly(value, {&to.h, &to.w}, "the two extents [height, width]");
}
void Read(const JsonReader& value, Padding& to) {
  ReadExactly(value, {&to.top, &to.left, &to.bottom, &to.right},
              "the four paddings [top, left, bottom, right]");
}

template <class Value>
Json Written(const Value& value) {
  return value;
}
// Without bound is written as the largest number that there is: JSON has no infinity.
Json Written(double value) { return std::clamp(value, kMostNegative, kMostPositive); }
Json Written(PadMode mode) { return std::string(NameOf(kPadModeNames, mode)); }
Json Written(UpsampleMode mode) { return std::string(NameOf(kUpsampleModeNames, mode)); }
Json Written(const Extent& extent) { return {extent.h, extent.w}; }
Json Written(const Padding& pad) { return {pad.top, pad.left, pad.bottom, pad.right}; }

template <class A, class Visitor>
void ForEachField(const A& attributes, Visitor visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, FieldsOf(attributes));
}

void ReadAttributes(const JsonReader& layer, Attributes& attributes) {
  std::vector<std::string_view> keys = {"name", "op", "inputs"};
  const auto read = [&](auto& to) {
    ForEachField(to, [&](const auto& field) { keys.push_back(field.key); });
    layer.OnlyKeys(keys);
    ForEachField(to, [&](const auto& field) {
      if (field.required) {
        Read(layer.Get(field.key), to.*field.member);
      } else if (const auto value = layer.Find(field.key)) {
        Read(*value, to.*field.member);
      }
    });
  };
  std::visit(read, attributes);
}

LayerSpec ReadLayer(const JsonReader& value) {
  const JsonReader name = value.Get("name");
  LayerSpec layer{
      std::string(name.String()), value.Get("op").OneOf(kOpNames, "operation"), {}, {}, value.Where()};
  if (layer.name.empty()) name.Fail("a name must not be empty");
  layer.attributes = DefaultAttributes(layer.op);
  ReadAttributes(value, layer.attributes);
  if (const auto inputs = value.Find("inputs")) {
    for (const JsonReader input : inputs->Elements()) layer.inputs.emplace_back(input.String());
  }
  return layer;
}

Json LayerJson(const LayerSpec& layer) {
  Json json = {{"name", layer.name}, {"op", std::string(NameOf(kOpNames, layer.op))}};
  if (!layer.inputs.empty()) json["inputs"] = layer.inputs;
  const auto write = [&](const auto& from) {
    const std::decay_t<decltype(from)> defaults;
    ForEachField(from, [&](const auto& field) {
      const auto& value = from.*field.member;
      if (field.required || value != defaults.*field.member) json[std::string(field.key)] = Written(value);
    });
  };
  std::visit(write, layer.attributes);
  return json;
}

// An error in the file of weights names the file that refers to it, too.
Weights ReadWeights(const JsonReader& place, const Model& model) {
  try {
    const fs::path file = ResolvePath(place.Name(), place.file());
    Weights weights = ReadSafetensors(file);
    CheckWeights(model, weights, file.string());
    return weights;
  } catch (const InputError& error) {
    place.Fail(error.what());
  }
}

ImportedModel ImportJson(const fs::path& file, const ImportOptions& options) {
  return ReadModel(JsonDocument::ReadFile(file).root(), options);
}

const ImporterRegistration kJson{{"tandem", {".json"}, ImportJson}};

}  // namespace

ImportedModel ReadModel(const JsonReader& root, const ImportOptions& options) {
  ExpectFileKind(root, "model/1");
  root.OnlyKeys({"tandem", "name", "note", "layers", "weights"});
  if (const auto note = root.Find("note")) note->String();
  std::vector<LayerSpec> layers;
  for (const JsonReader layer : root.Get("layers").Elements()) {
    std::string place = root.file() + ":/layers/" + std::to_string(layers.size());
    layers.push_back(ReadLayer(layer));
    layers.back().place = std::move(place);
  }
  ImportedModel imported{Model::Build(root.Get("name").Name(), layers, root.file()), {}};
  if (options.input) imported.model = WithInput(imported.model, *options.input, root.file());
  if (!options.want_weights) return imported;
  const auto weights = root.Find("weights");
  if (!options.weights.empty()) {
    imported.weights = ReadSafetensors(options.weights);
  } else if (weights) {
    imported.weights = ReadWeights(*weights, imported.model);
  }
  return imported;
}

std::string ModelJson(const Model& model, std::string_view weights) {
  Json layers = Json::array();
  for (const LayerSpec& layer : model.Specs()) layers.push_back(LayerJson(layer));
  Json json = {{"tandem", "model/1"}, {"name", model.name()}, {"layers", layers}};
  if (!weights.empty()) json["weights"] = std::string(weights);
  return JsonOutput(json);
}

std::vector<fs::path> WriteModelFiles(const fs::path& out, const ImportedModel& imported) {
  const std::string suffix = out.extension().string();
  const fs::path stem =
      suffix == ".json" || suffix == ".safetensors" ? fs::path(out).replace_extension() : out;
  const fs::path graph = stem.string() + ".json";
  if (imported.weights.empty()) {
    WriteFile(graph, ModelJson(imported.model, {}));
    return {graph};
  }
  const fs::path weights = stem.string() + ".safetensors";
  WriteSafetensors(weights, imported.weights);
  WriteFile(graph, ModelJson(imported.model, weights.filename().string()));
  return {graph, weights};
}

}  // namespace tandem
