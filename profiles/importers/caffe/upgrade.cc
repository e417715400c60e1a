#include "profiles/importers/caffe/upgrade.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

namespace pb = google::protobuf;
using Old = caffe::V1LayerParameter;

constexpr std::array<std::pair<Old::LayerType, const char*>, 39> kV1Types = {{
    {Old::ABSVAL, "AbsVal"},
    {Old::ACCURACY, "Accuracy"},
    {Old::ARGMAX, "ArgMax"},
    {Old::BNLL, "BNLL"},
    {Old::CONCAT, "Concat"},
    {Old::CONTRASTIVE_LOSS, "ContrastiveLoss"},
    {Old::CONVOLUTION, "Convolution"},
    {Old::DATA, "Data"},
    {Old::DECONVOLUTION, "Deconvolution"},
    {Old::DROPOUT, "Dropout"},
    {Old::DUMMY_DATA, "DummyData"},
    {Old::EUCLIDEAN_LOSS, "EuclideanLoss"},
    {Old::ELTWISE, "Eltwise"},
    {Old::EXP, "Exp"},
    {Old::FLATTEN, "Flatten"},
    {Old::HDF5_DATA, "HDF5Data"},
    {Old::HDF5_OUTPUT, "HDF5Output"},
    {Old::HINGE_LOSS, "HingeLoss"},
    {Old::IM2COL, "Im2col"},
    {Old::IMAGE_DATA, "ImageData"},
    {Old::INFOGAIN_LOSS, "InfogainLoss"},
    {Old::INNER_PRODUCT, "InnerProduct"},
    {Old::LRN, "LRN"},
    {Old::MEMORY_DATA, "MemoryData"},
    {Old::MULTINOMIAL_LOGISTIC_LOSS, "MultinomialLogisticLoss"},
    {Old::MVN, "MVN"},
    {Old::POOLING, "Pooling"},
    {Old::POWER, "Power"},
    {Old::RELU, "ReLU"},
    {Old::SIGMOID, "Sigmoid"},
    {Old::SIGMOID_CROSS_ENTROPY_LOSS, "SigmoidCrossEntropyLoss"},
    {Old::SILENCE, "Silence"},
    {Old::SOFTMAX, "Softmax"},
    {Old::SOFTMAX_LOSS, "SoftmaxWithLoss"},
    {Old::SPLIT, "Split"},
    {Old::SLICE, "Slice"},
    {Old::TANH, "TanH"},
    {Old::WINDOW_DATA, "WindowData"},
    {Old::THRESHOLD, "Threshold"},
}};

}  // namespace

caffe::LayerParameter UpgradeCaffeLayer(const Old& old, const std::string& place) {
  if (old.has_layer()) {
    throw InputError(
        place +
        ": is in Caffe's syntax of 2013 (`layers { layer { ... } }`), which is not read; Caffe's "
        "tool upgrade_net_proto_text brings it up to date");
  }
  caffe::LayerParameter layer;
  layer.set_name(old.name());
  const auto type =
      std::find_if(kV1Types.begin(), kV1Types.end(), [&](auto& t) { return t.first == old.type(); });
  if (type != kV1Types.end()) layer.set_type(type->second);
  *layer.mutable_bottom() = old.bottom();
  *layer.mutable_top() = old.top();
  *layer.mutable_include() = old.include();
  *layer.mutable_exclude() = old.exclude();

  // The parameters of a type have the same name and message in both.
  std::vector<const pb::FieldDescriptor*> fields;
  old.GetReflection()->ListFields(old, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const pb::FieldDescriptor* now = layer.GetDescriptor()->FindFieldByName(field->name());
    if (field->is_repeated() || now == nullptr || field->message_type() == nullptr) continue;
    layer.GetReflection()->MutableMessage(&layer, now)->CopyFrom(old.GetReflection()->GetMessage(old, field));
  }
  return layer;
}

}  // namespace tandem
