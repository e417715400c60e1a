#include "profiles/importers/caffe/import.h"

#include <algorithm>
#include <array>
#include <set>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/caffe/inputs.h"
#include "profiles/importers/caffe/layers.h"
#include "profiles/importers/caffe/phase.h"
#include "profiles/importers/caffe/weights.h"

namespace tandem {
namespace {

// Layers that measure or train: nothing is lost at inference without them.
constexpr std::array<std::string_view, 13> kTrainingTypes = {
    "Accuracy",     "ContrastiveLoss", "DetectionEvaluate", "EuclideanLoss",           "HDF5Output",
    "HingeLoss",    "InfogainLoss",    "MultiBoxLoss",      "MultinomialLogisticLoss", "Silence",
    "SmoothL1Loss", "TripletLoss",     "CenterLoss"};

bool IsTraining(std::string_view type) {
  return std::find(kTrainingTypes.begin(), kTrainingTypes.end(), type) != kTrainingTypes.end();
}

// The layer that computes what a loss is taken of, or nothing.
const char* UnderLoss(std::string_view type) {
  if (type == "SoftmaxWithLoss" || type == "SoftmaxLoss") return "Softmax";
  return type == "SigmoidCrossEntropyLoss" ? "Sigmoid" : nullptr;
}

bool IsSource(const caffe::LayerParameter& layer) {
  return layer.type() == "Input" || IsCaffeDataLayer(layer);
}

std::string Where(const CaffeLayer& layer) {
  const std::string type = layer.param.type().empty() ? "" : " (" + layer.param.type() + ")";
  return layer.place + ": layer " + Quoted(layer.param.name()) + type + ": ";
}

void CheckTypes(const CaffeText& text) {
  for (const CaffeLayer& layer : text.layers) {
    const std::string& type = layer.param.type();
    if (type.empty()) throw InputError(Where(layer) + "has no type");
    if (IsSource(layer.param) || IsTraining(type) || UnderLoss(type) != nullptr || type == "ArgMax") continue;
    if (FindCaffeConverter(type) != nullptr) continue;
    const std::vector<std::string> known = SupportedCaffeTypes();
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view nearest = Nearest(type, views);
    throw InputError(layer.place + ": layer " + Quoted(layer.param.name()) + ": type " + Quoted(type) +
                     " is not supported" +
                     (nearest.empty() ? "" : "; did you mean " + Quoted(nearest) + "?"));
  }
  if (!text.unknown_field.empty()) throw InputError(text.unknown_field);
}

class NetworkImport {
 public:
  NetworkImport(const CaffeText& text, const ImportOptions& options)
      : text_(text), inputs_(ReadCaffeInputs(text, options.input, graph_.notes)) {
    if (!inputs_.empty()) {
      graph_.batch = inputs_.front().shape[0];
      graph_.file_batch = inputs_.front().file_batch;
    }
    for (const CaffeLayer& layer : text.layers) {
      if (layer.param.bottom_size() > 0) computed_.insert({layer.param.type(), layer.param.bottom(0)});
    }
  }

  CaffeGraph Run() {
    try {
      AddInputs(-1);
    } catch (const InputError& error) {
      throw InputError(text_.file + ": an input of the network: " + error.what());
    }
    for (std::size_t i = 0; i < text_.layers.size(); ++i) {
      try {
        AddLayer(static_cast<int>(i), text_.layers[i].param);
      } catch (const InputError& error) {
        throw InputError(Where(text_.layers[i]) + error.what());
      }
    }
    for (const auto& [blob, where] : unread_answers_) {
      throw InputError(where + "is not supported where its top is what the network answers");
    }
    return std::move(graph_);
  }

 private:
  void AddInputs(int layer) {
    for (const CaffeInput& input : inputs_) {
      if (input.layer != layer) continue;
      graph_.Write(
          input.blob,
          {graph_.Add(graph_.UniqueName(input.blob), Op::kInput, InputAttributes{input.shape}, {}), {}});
    }
  }

  // Leaves a layer out: whatever it makes serves training alone.
  void LeaveOut(const caffe::LayerParameter& layer, const std::string& what) {
    for (const std::string& bottom : layer.bottom()) {
      const CaffeBlob& blob = graph_.Read(bottom);
      if (blob.training.empty()) graph_.ReadInTrainingAlone(blob.node);
      unread_answers_.erase(bottom);
    }
    for (const std::string& top : layer.top()) graph_.Write(top, {{}, what});
  }

  void AddLayer(int index, const caffe::LayerParameter& layer) {
    const std::string named = " of layer " + Quoted(layer.name());
    if (IsSource(layer)) {
      for (const std::string& top : layer.top()) graph_.Write(top, {{}, "the labels" + named});
      return AddInputs(index);
    }
    if (IsTraining(layer.type())) return LeaveOut(layer, "the result" + named);
    if (layer.type() == "ArgMax") {
      LeaveOut(layer, "the result" + named);
      for (const std::string& top : layer.top()) unread_answers_[top] = Where(text_.layers[index]);
      return;
    }
    if (const char* type = UnderLoss(layer.type())) return AddUnderLoss(layer, type);
    Convert(layer, named);
  }

  void AddUnderLoss(const caffe::LayerParameter& layer, const char* type) {
    const bool computed = layer.bottom_size() == 0 || computed_.count({type, layer.bottom(0)}) > 0;
    if (computed) return LeaveOut(layer, "the loss of layer " + Quoted(layer.name()));
    caffe::LayerParameter kept = layer;
    kept.set_type(type);
    kept.clear_bottom();
    kept.clear_top();
    kept.add_bottom(layer.bottom(0));
    kept.add_top(layer.top_size() > 0 ? layer.top(layer.top_size() - 1) : layer.name());
    LeaveOut(layer, "the loss of layer " + Quoted(layer.name()));
    Convert(kept, {});
  }

  void Convert(const caffe::LayerParameter& layer, const std::string& named) {
    std::vector<CaffeNode> bottoms;
    std::string training;
    for (const std::string& name : layer.bottom()) {
      const CaffeBlob& blob = graph_.Read(name);
      if (blob.training.empty()) {
        bottoms.push_back(blob.node);
      } else {
        training = "reads " + Quoted(name) + ", which is " + blob.training + " and serves training alone";
      }
    }
    if (!training.empty() && bottoms.empty()) return LeaveOut(layer, "the result" + named);
    if (!training.empty()) throw InputError(training);
    CaffeConversion conversion(graph_, layer, std::move(bottoms), occurrences_[layer.name()]++);
    FindCaffeConverter(layer.type())(conversion);
  }

  const CaffeText& text_;
  CaffeGraph graph_;
  std::vector<CaffeInput> inputs_;
  std::set<std::pair<std::string, std::string>> computed_;  // (type, blob) of every layer
  std::map<std::string, std::string> unread_answers_;       // tops of ArgMax, and the layer's place
  std::map<std::string, std::size_t> occurrences_;          // of each name so far
};

const ImporterRegistration kRegistration{{"caffe", {".prototxt"}, ImportCaffe}};

}  // namespace

ImportedModel ImportCaffe(const std::filesystem::path& file, const ImportOptions& options) {
  CaffeText text = ReadCaffeText(file);
  KeepTestPhase(text);
  CheckTypes(text);
  CaffeGraph graph = NetworkImport(text, options).Run();
  const std::string name = text.net.name().empty() ? file.stem().string() : text.net.name();
  ImportedModel imported{Model::Build(name, graph.Finish(), text.file), {}, graph.notes};
  if (!options.weights.empty() && options.want_weights) {
    imported.weights = ReadCaffeWeights(options.weights, graph);
  }
  return imported;
}

}  // namespace tandem
