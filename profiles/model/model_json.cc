#include "profiles/model/model_json.h"

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/model/op_declaration.h"
#include "profiles/model/safetensors.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

Op ReadOp(const JsonReader& value) {
  const std::string_view word = value.String();
  if (const auto op = FindOp(word)) return *op;
  value.Fail("unknown operation " + Quoted(word) +
             Suggestion(word, std::span<const std::string_view>(OpNames())));
}

LayerSpec ReadLayer(const JsonReader& value) {
  const JsonReader name = value.Get("name");
  LayerSpec layer{std::string(name.String()), ReadOp(value.Get("op")), {}, {}, value.Where()};
  if (layer.name.empty()) name.Fail("a name must not be empty");
  const AttributesType& type = Declaration(layer.op).attributes;
  std::vector<std::string_view> keys = {"name", "op", "inputs"};
  const std::vector<std::string_view> own = type.fields->Keys();
  keys.insert(keys.end(), own.begin(), own.end());
  value.OnlyKeys(keys);
  layer.attributes = type.defaults;
  type.fields->ReadSteps(value, type.struct_of(layer.attributes), {});
  if (const auto inputs = value.Find("inputs")) {
    for (const JsonReader input : inputs->Elements()) layer.inputs.emplace_back(input.String());
  }
  return layer;
}

Json LayerJson(LayerSpec layer) {
  Json json = {{"name", layer.name}, {"op", OpName(layer.op)}};
  if (!layer.inputs.empty()) json["inputs"] = layer.inputs;
  const AttributesType& type = Declaration(layer.op).attributes;
  JsonObject attributes;
  type.fields->WriteMembers(type.struct_of(layer.attributes), attributes, {});
  json.update(Json::parse(attributes.Text()));
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
