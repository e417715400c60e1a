#include "profiles/importers/tflite/import.h"

#include <algorithm>
#include <limits>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/tflite/graph.h"
#include "profiles/model/safetensors.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestTflite = std::numeric_limits<std::int32_t>::max();  // offsets have 31 bits
constexpr std::uint32_t kVersion = 3;
constexpr flatbuffers::uoffset_t kDeepest = 32, kMostTables = 1'000'000;
constexpr std::size_t kIdentifierAt = 4;

bool BeginsAsTflite(std::string_view beginning) {
  return beginning.size() >= 8 && beginning.substr(kIdentifierAt, 4) == tfl::ModelIdentifier();
}

const ImporterRegistration kImporter({"tflite", {".tflite"}, ImportTflite, nullptr, BeginsAsTflite});

// All offsets of the file are checked here, once: what follows may read it as it stands.
const tfl::Model& Parse(const std::string& bytes, const std::string& name) {
  if (!BeginsAsTflite(bytes)) {
    throw InputError(name + ": is not a TensorFlow Lite model: it has no TFL3 at its beginning");
  }
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), kDeepest, kMostTables);
  if (bytes.size() >= kLargestTflite || !tfl::VerifyModelBuffer(verifier)) {
    throw InputError(name + ": is damaged, or is cut short: its tables point to where there are none");
  }
  const tfl::Model& model = *tfl::GetModel(data);
  if (model.version() != kVersion) {
    throw InputError(name + ": is of version " + std::to_string(model.version()) +
                     " of the format; supported is version 3, which converters since 2018 write");
  }
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0 ||
      model.subgraphs()->Get(0)->operators() == nullptr ||
      model.subgraphs()->Get(0)->operators()->size() == 0 ||
      model.subgraphs()->Get(0)->tensors() == nullptr) {
    throw InputError(name + ": has no network: no operators");
  }
  return model;
}

// Operators that make an answer of what the network has computed. At the end of one they are left out.
bool IsLeftOut(const TfliteNode& node) {
  return node.TypeText() == "TFLite_Detection_PostProcess" || node.type() == tfl::BuiltinOperator::ARG_MAX;
}

// Also of operators that no output needs: what is left out should be known to be harmless.
void CheckKnown(const TfliteNode& node) {
  if (FindTfliteTranslation(node.type()) != nullptr || FindTfliteFolding(node.type()) != nullptr) return;
  if (IsLeftOut(node)) return;
  node.Fail(node.type() == tfl::BuiltinOperator::CUSTOM
                ? "is an operator of somebody's own, which is not supported"
                : "the operator is not supported; docs/formats.md lists those that are");
}

bool IsFolded(const TfliteNode& node) {
  if (node.type() == tfl::BuiltinOperator::SHAPE) return true;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.Has(i) && !node.IsConstant(i)) return false;
  }
  return true;
}

void Translate(TfliteNode node) {
  if (node.outputs() == 0) node.Fail("it has no output");
  if (IsLeftOut(node)) return node.LeaveOut();
  if (IsFolded(node)) {
    const TfliteFolding fold = FindTfliteFolding(node.type());
    if (fold == nullptr) node.Fail("all its inputs are constants, which is not supported");
    return node.Give(0, fold(node));
  }
  const TfliteTranslation translate = FindTfliteTranslation(node.type());
  if (translate == nullptr) node.Fail("is supported on constants alone");
  translate(node);
}

// The layers of the outputs, in their order. What is left out at the end stands for what it reads.
std::vector<std::string> FindOutputs(const TfliteGraph& graph) {
  std::vector<std::string> outputs;
  const auto* given = graph.network->outputs();
  for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) {
    const std::int64_t tensor = given->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::string place = graph.file.string() + ": its output " + std::to_string(i);
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= graph.values.size()) {
      throw InputError(place + " is tensor " + std::to_string(tensor) + " of " +
                       std::to_string(graph.values.size()));
    }
    const TfliteValue& value = graph.values[static_cast<std::size_t>(tensor)];
    if (std::holds_alternative<std::monostate>(value)) {
      throw InputError(place + ", tensor " + graph.TensorText(static_cast<std::size_t>(tensor)) +
                       ", is made by nothing");
    }
    if (const auto* activation = std::get_if<TfliteActivation>(&value)) outputs.push_back(activation->layer);
    if (std::holds_alternative<TfliteLeftOut>(value))
      outputs.insert(outputs.end(), graph.ends.begin(), graph.ends.end());
  }
  return outputs;
}

}  // namespace

ImportedModel ImportTfliteBytes(const std::string& bytes, const fs::path& file,
                                const ImportOptions& options) {
  const tfl::Model& model = Parse(bytes, file.string());
  TfliteGraph graph;
  graph.file = file;
  graph.model = &model;
  graph.network = model.subgraphs()->Get(0);
  graph.bytes = bytes;
  graph.values.resize(graph.network->tensors()->size());
  const std::size_t operators = graph.network->operators()->size();
  for (std::size_t i = 0; i < operators; ++i) CheckKnown(TfliteNode(graph, i));
  ReadTfliteInputs(options, graph);
  for (std::size_t i = 0; i < operators; ++i) Translate(TfliteNode(graph, i));
  ImportedModel imported{
      Model::Build(file.stem().string(), LayersOfOutputs(graph.layers, FindOutputs(graph), graph.names),
                   file.string()),
      {}};
  imported.notes = graph.notes;
  if (!options.want_weights) return imported;
  imported.weights =
      options.weights.empty() ? ReadTfliteWeights(imported.model, graph) : ReadSafetensors(options.weights);
  return imported;
}

ImportedModel ImportTflite(const fs::path& file, const ImportOptions& options) {
  return ImportTfliteBytes(ReadTextFile(file, kLargestTflite), file, options);
}

}  // namespace tandem
