#include "profiles/model/model_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/mistakes.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/model/op_declaration.h"
#include "profiles/model/safetensors.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

CodecOf<Op> AsOp() {
  return as::Custom<Op>([](SchemaDefs&) { return as::EnumSchema(OpNames()); },
                        [](const JsonReader& value, Op& into, Context) {
                          const std::string_view word = value.String();
                          const auto op = FindOp(word);
                          if (!op) {
                            value.Fail("unknown operation " + Quoted(word) +
                                       Suggestion(word, std::span<const std::string_view>(OpNames())));
                          }
                          into = *op;
                        },
                        [](Op from, std::string& text, Context) { text += JsonString(OpName(from)); });
}

// What every layer has; the rest are its operation's attributes.
const Fields<LayerSpec>& LayerFields() {
  static const auto fields =
      Fields<LayerSpec>()
          .Needed("name", &LayerSpec::name, as::Text())
          .Needed("op", &LayerSpec::op, AsOp())
          .Rule(
              [](const JsonReader& value, const LayerSpec& layer, Context) {
                if (layer.name.empty()) value.Get("name").Fail("a name must not be empty");
              },
              R"({"properties": {"name": {"minLength": 1}}})")
          .Optional("inputs", &LayerSpec::inputs, as::ListOf(as::Text()),
                    "Names of layers, in the order in which the operation takes them.");
  return fields;
}

void ReadLayer(const JsonReader& value, LayerSpec& into, Context) {
  LayerFields().ReadSteps(value, &into, {});
  const AttributesType& type = Declaration(into.op).attributes;
  std::vector<std::string_view> keys = LayerFields().Keys();
  const std::vector<std::string_view> own = type.fields->Keys();
  keys.insert(keys.end(), own.begin(), own.end());
  value.OnlyKeys(keys);
  into.attributes = type.defaults;
  type.fields->ReadSteps(value, type.struct_of(into.attributes), {});
}

void WriteLayer(const LayerSpec& from, std::string& text, Context) {
  Attributes attributes = from.attributes;
  const AttributesType& type = Declaration(from.op).attributes;
  JsonObject layer;
  LayerFields().WriteMembers(&from, layer, {});
  type.fields->WriteMembers(type.struct_of(attributes), layer, {});
  text += layer.Text();
}

// What the fields say, of these operations where there are some.
SchemaNode KeysNode(const AnyFields& fields, const std::vector<std::string_view>& ops, SchemaDefs& defs) {
  std::vector<std::string> required, rules;
  SchemaNode properties, node;
  if (!ops.empty()) {
    required.push_back(R"("op")");
    properties.Add("op", as::EnumSchema(ops).Text());
  }
  fields.AddToSchema(defs, required, properties, rules);
  node.Add("required", "[" + Joined(required) + "]").Add("properties", properties.Text());
  if (!rules.empty()) node.Add("allOf", "[" + Joined(rules) + "]");
  return node;
}

// One alternative for all operations that have the same attributes.
SchemaNode LayerSchema(SchemaDefs& defs) {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> kinds;
  for (const std::string_view op : OpNames()) {
    const std::string own = KeysNode(*Declaration(*FindOp(op)).attributes.fields, {}, defs).Text();
    const auto same = [&](const auto& kind) { return kind.first == own; };
    const auto known = std::find_if(kinds.begin(), kinds.end(), same);
    (known == kinds.end() ? kinds.emplace_back(own, std::vector<std::string_view>()) : *known)
        .second.push_back(op);
  }
  std::vector<std::string> nodes;
  for (const auto& [own, ops] : kinds) {
    nodes.push_back(KeysNode(*Declaration(*FindOp(ops.front())).attributes.fields, ops, defs).Text());
  }
  return KeysNode(LayerFields(), {}, defs)
      .AddString("type", "object")
      .Add("oneOf", "[" + Joined(nodes) + "]")
      .Add("unevaluatedProperties", "false");
}

struct ModelFile {
  std::string name, note, weights;
  std::vector<LayerSpec> layers;
};

const Fields<ModelFile>& ModelFields() {
  using M = ModelFile;
  static const auto fields =
      Fields<M>("model", "a network as a graph of layers")
          .Kind("model/1")
          .Needed("name", &M::name, as::Name())
          .Optional("note", &M::note, as::Text())
          .Needed("layers", &M::layers, as::ListOf(as::Custom<LayerSpec>(LayerSchema, ReadLayer, WriteLayer)))
          .Optional("weights", &M::weights, as::Name(),
                    "A .safetensors file, relative to this one, with tensors LAYER:role.")
          .Rule([](const JsonReader&, const M&, Context) {},  // Model::Build tells
                R"({"properties": {"layers": {"minItems": 1}}})");
  return fields;
}

// Formats of others have lists of them.
void CheckInputsAreLayers(const JsonReader& root) {
  if (root.kind() != JsonKind::kObject) return;
  Mistakes mistakes;
  const auto is_none = [&](std::string_view key, const std::string& instead) {
    mistakes.Try([&] {
      if (root.Find(key)) root.Fail("unknown key " + Quoted(key) + "; " + instead);
    });
  };
  is_none("inputs", R"(an input is a layer of operation "input", with its "shape", in "layers")");
  is_none(
      "outputs",
      R"(what no layer of "layers" reads is an output; of a model that nobody can look into it is a layer of )"
      R"(operation "opaque", with its "shape")");
  mistakes.Tell();
}

std::string JudgeModel(const JsonReader& root) { return ModelSummary(ReadModel(root).model); }

const FileKindRegistration kModelKind{{"model/1", AsAnyFields<ModelFile, ModelFields>, JudgeModel}};

// An error in the file of weights names the file that refers to it, too.
Weights ReadWeights(const JsonReader& place, const Model& model) {
  try {
    const fs::path file = FileToRead(place.Name(), place.file());
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

// They go to boards with the model: whoever wrote that must not have any other file sent under this name.
std::vector<fs::path> WeightsBesideJson(const fs::path& file) {
  const JsonDocument document = JsonDocument::ReadFile(file);
  const auto place = document.root().Find("weights");
  if (!place) return {};
  const fs::path weights = FileToRead(place->Name(), file);
  std::error_code ignored;
  if (!fs::is_regular_file(weights, ignored)) return {weights};
  ImportOptions graph;
  graph.want_weights = false;
  try {
    CheckWeightShapes(ReadModel(document.root(), graph).model, ReadSafetensorsShapes(weights),
                      weights.string());
  } catch (const InputError& error) {
    place->Fail(error.what());
  }
  return {weights};
}

const ImporterRegistration kJson{{"tandem", {".json"}, ImportJson, WeightsBesideJson}};

}  // namespace

ImportedModel ReadModel(const JsonReader& root, const ImportOptions& options) {
  CheckInputsAreLayers(root);
  ModelFile file = ModelFields().Read(root);
  for (std::size_t i = 0; i < file.layers.size(); ++i) {
    file.layers[i].place = root.file() + ":/layers/" + std::to_string(i);
  }
  ImportedModel imported{Model::Build(file.name, file.layers, root.file()), {}};
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
  const ModelFile file{model.name(), {}, std::string(weights), model.Specs()};
  return JsonOutput(nlohmann::ordered_json::parse(ModelFields().Text(file)));
}

std::string ModelSummary(const Model& model) {
  return model.name() + ", " + Counted(static_cast<std::int64_t>(model.size()), "layer") + ", " +
         Grouped(model.totals().params) + " parameters";
}

std::vector<fs::path> ModelFilesOf(const fs::path& out, const ImportedModel& imported) {
  if (IsStandardStream(out)) return {out};
  const std::string suffix = out.extension().string();
  const fs::path stem =
      suffix == ".json" || suffix == ".safetensors" ? fs::path(out).replace_extension() : out;
  std::vector<fs::path> files = {stem.string() + ".json"};
  if (!imported.weights.empty()) files.push_back(stem.string() + ".safetensors");
  return files;
}

void WriteModelFiles(const std::vector<fs::path>& files, const ImportedModel& imported) {
  if (files.size() == 1) {
    WriteFile(files[0], ModelJson(imported.model, {}));
    return;
  }
  std::error_code ignored;
  const bool replaces = fs::exists(fs::symlink_status(files[1], ignored));
  FileWriter weights(files[1]), graph(files[0]);
  AppendSafetensors(imported.weights, weights);
  graph.Append(ModelJson(imported.model, files[1].filename().string()));
  weights.Finish();
  graph.Finish();
  // A graph that was there must not be left with weights of another.
  weights.Commit();
  try {
    graph.Commit();
  } catch (const EnvironmentError&) {
    if (!replaces) fs::remove(files[1], ignored);
    throw;
  }
}

}  // namespace tandem
