#include "profiles/importers/onnx/import.h"

#include <limits>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/graph.h"
#include "profiles/importers/onnx/tensor.h"
#include "profiles/model/import_rules.h"
#include "profiles/model/safetensors.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOldestOpset = 7;   // before, broadcasting followed other rules
constexpr std::int64_t kNewestOpset = 21;  // of which the changed operators have been looked at
constexpr std::size_t kLargestFile = std::numeric_limits<int>::max();  // a protobuf message has no more
constexpr std::int64_t kComputedAtLeast = std::int64_t{1} << 24;

onnx::ModelProto Parse(const std::string& bytes, const std::string& name) {
  onnx::ModelProto model;
  if (bytes.size() > kLargestFile || !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw InputError(name + ": is not an ONNX model, is cut short, or has graphs nested too deep");
  }
  if (!model.has_graph() || model.graph().node_size() == 0) {
    throw InputError(name + ": is not an ONNX model: it has no graph of nodes");
  }
  return model;
}

std::vector<fs::path> FilesBesideOnnx(const fs::path& file) {
  const std::string name = file.string();
  return OnnxExternalFiles(Parse(ReadTextFile(file, kLargestFile), name).graph(), file);
}

const ImporterRegistration kImporter({"onnx", {".onnx"}, ImportOnnx, FilesBesideOnnx});

std::int64_t ReadOpset(const onnx::ModelProto& model, const std::string& name) {
  std::int64_t opset = 0;
  for (const onnx::OperatorSetIdProto& import : model.opset_import()) {
    if (IsStandardOnnx(import.domain())) opset = import.version();
  }
  if (opset == 0) throw InputError(name + ": states no operator set (opset_import)");
  if (opset < kOldestOpset || opset > kNewestOpset) {
    throw InputError(name + ": uses operator set " + std::to_string(opset) + "; supported are " +
                     std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset) +
                     " (onnx.version_converter can convert)");
  }
  return opset;
}

// Also of nodes that no output needs: what is left out should be known to be harmless.
void CheckOperators(const onnx::GraphProto& proto, const std::string& name) {
  for (const onnx::NodeProto& node : proto.node()) {
    const std::string& type = node.op_type();
    const bool known = FindOnnxTranslation(type) != nullptr || FindOnnxFolding(type) != nullptr;
    if (known && IsStandardOnnx(node.domain())) continue;
    throw InputError(name + ": node " + Quoted(OnnxNode::Name(node)) + ": the operator " +
                     (IsStandardOnnx(node.domain()) ? "" : node.domain() + ".") + type + " is not supported" +
                     QuantizedFormatHint(type));
  }
}

bool IsFolded(const OnnxNode& node) {
  if (node.type() == "Shape" || node.type() == "Size") return true;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.Has(i) && !node.IsConstant(i)) return false;
  }
  return true;
}

void TranslateNode(OnnxNode node) {
  if (!node.HasOutput(0) && node.outputs() < 2) node.Fail("it has no output");
  if (IsFolded(node)) {
    const OnnxFolding fold = FindOnnxFolding(node.type());
    if (fold == nullptr) node.Fail("all its inputs are constants, which is not supported");
    return node.Give(0, fold(node));
  }
  const OnnxTranslation translate = FindOnnxTranslation(node.type());
  if (translate == nullptr) node.Fail("is supported on constants alone");
  translate(node);
}

std::vector<LayerSpec> LayersOf(const onnx::GraphProto& proto, OnnxGraph& graph) {
  if (proto.output_size() == 0) return graph.layers;
  std::vector<std::string> outputs;
  for (const onnx::ValueInfoProto& output : proto.output()) {
    const auto found = graph.values.find(output.name());
    if (found == graph.values.end()) {
      throw InputError(graph.file.string() + ": nothing makes the output " + Quoted(output.name()));
    }
    const auto* activation = std::get_if<OnnxActivation>(&found->second);
    if (activation != nullptr) outputs.push_back(activation->layer);
  }
  return LayersOfOutputs(graph.layers, outputs, graph.names);
}

}  // namespace

ImportedModel ImportOnnxBytes(std::string bytes, const fs::path& file, const ImportOptions& options) {
  const std::string name = file.string();
  const auto size = static_cast<std::int64_t>(bytes.size());
  onnx::ModelProto model = Parse(bytes, name);
  bytes = {};
  OnnxGraph graph;
  graph.file = file;
  graph.opset = ReadOpset(model, name);
  graph.want_weights = options.want_weights;
  graph.limit = kComputedAtLeast + size;
  graph.bytes = static_cast<std::uint64_t>(size);
  RewriteQOperators(*model.mutable_graph());
  CheckOperators(model.graph(), name);
  ReadOnnxInputs(model.graph(), options, graph);
  for (const onnx::NodeProto* node : OrderOnnxNodes(model.graph(), graph)) {
    TranslateNode(OnnxNode(graph, *node));
  }
  ImportedModel imported{Model::Build(file.stem().string(), LayersOf(model.graph(), graph), name), {}};
  if (!options.want_weights) return imported;
  // A file of weights beside the model stands for those that the model may lack.
  imported.weights =
      options.weights.empty() ? ReadOnnxWeights(imported.model, graph) : ReadSafetensors(options.weights);
  return imported;
}

ImportedModel ImportOnnx(const fs::path& file, const ImportOptions& options) {
  return ImportOnnxBytes(ReadTextFile(file, kLargestFile), file, options);
}

}  // namespace tandem
