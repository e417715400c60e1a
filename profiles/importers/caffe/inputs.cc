#include "profiles/importers/caffe/inputs.h"

#include <algorithm>
#include <array>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::size_t kMostAxes = 32;  // Caffe's own limit
constexpr std::array<std::string_view, 9> kDataTypes = {"AnnotatedData", "Data",      "DummyData",
                                                        "HDF5Data",      "ImageData", "ImageSegData",
                                                        "MemoryData",    "VideoData", "WindowData"};

// Shapes are read with the file's own batch, and put at batch 1 in the end.
Shape ReadShape(const caffe::BlobShape& dims, const std::string& place) {
  Shape shape(dims.dim().begin(), dims.dim().end());
  if (shape.size() > kMostAxes) throw InputError(place + ": an input has more than 32 axes");
  return shape;
}

void PutAtBatchOne(CaffeInput& input) {
  if (input.shape.empty()) return;
  input.file_batch = std::max<std::int64_t>(input.shape[0], 1);
  input.shape[0] = 1;
}

void AddDeclared(const CaffeText& text, std::vector<CaffeInput>& inputs) {
  const caffe::NetParameter& net = text.net;
  const int count = net.input_size();
  const auto expect = [&](const char* field, int size, int each) {
    if (size == 0 || size == count * each) return;
    throw InputError(text.file + ": has " + std::to_string(size) + " " + field + " for " +
                     std::to_string(count) + " input, takes " + std::to_string(each) + " each");
  };
  expect("input_dim", net.input_dim_size(), 4);
  expect("input_shape", net.input_shape_size(), 1);
  if (net.input_dim_size() > 0 && net.input_shape_size() > 0) {
    throw InputError(text.file + ": gives the inputs' shapes twice, as input_dim and as input_shape");
  }
  for (int i = 0; i < count; ++i) {
    CaffeInput input{net.input(i), -1, text.file, {}};
    if (net.input_shape_size() > 0) input.shape = ReadShape(net.input_shape(i), text.file);
    if (net.input_dim_size() > 0) {
      input.shape.assign(net.input_dim().begin() + 4 * i, net.input_dim().begin() + 4 * (i + 1));
    }
    inputs.push_back(std::move(input));
  }
}

// One shape for each top, or one for all, or none.
template <class Shapes>
const caffe::BlobShape* ShapeOfTop(const Shapes& shapes, int top, int tops, const std::string& place) {
  if (shapes.empty()) return nullptr;
  if (shapes.size() != 1 && shapes.size() != tops) {
    throw InputError(place + ": has " + std::to_string(shapes.size()) + " shapes for " +
                     std::to_string(tops) + " tops");
  }
  return &shapes[shapes.size() == 1 ? 0 : top];
}

template <class Values>
std::int64_t Nth(const Values& values, int n) {
  return values.empty() ? 0 : values[std::min(n, values.size() - 1)];
}

Shape ShapeOfDummy(const caffe::DummyDataParameter& p, int top, int tops, const std::string& place) {
  if (const caffe::BlobShape* shape = ShapeOfTop(p.shape(), top, tops, place))
    return ReadShape(*shape, place);
  if (p.num().empty()) return {};
  return {Nth(p.num(), top), Nth(p.channels(), top), Nth(p.height(), top), Nth(p.width(), top)};
}

Extent ImageSize(const caffe::LayerParameter& layer) {
  const caffe::TransformationParameter& t = layer.transform_param();
  const std::array<Extent, 6> said = {
      {{t.crop_size(), t.crop_size()},
       {t.crop_h(), t.crop_w()},
       {layer.data_param().crop_size(), layer.data_param().crop_size()},
       {layer.window_data_param().crop_size(), layer.window_data_param().crop_size()},
       {layer.image_data_param().crop_size(), layer.image_data_param().crop_size()},
       {layer.image_data_param().new_height(), layer.image_data_param().new_width()}}};
  for (const Extent& size : said) {
    if (size.h > 0 && size.w > 0) return size;
  }
  return {t.resize_param().height(), t.resize_param().width()};
}

// 0 where the layer does not say.
std::int64_t Channels(const caffe::LayerParameter& layer) {
  const caffe::TransformationParameter& t = layer.transform_param();
  if (t.force_gray()) return 1;
  if (t.force_color() || layer.data_param().force_encoded_color()) return 3;
  if (layer.has_image_data_param()) return layer.image_data_param().is_color() ? 3 : 1;
  return t.mean_value_size() > 1 ? t.mean_value_size() : 0;
}

Shape ShapeOfImages(const caffe::LayerParameter& layer, std::vector<std::string>& notes) {
  const Extent size = ImageSize(layer);
  if (size.h == 0 || size.w == 0) return {};
  const std::int64_t channels = Channels(layer);
  if (channels == 0) {
    notes.push_back("layer " + Quoted(layer.name()) +
                    ": the file does not say how many channels its images have; 3 are assumed");
  }
  const std::int64_t batch = std::max({layer.data_param().batch_size(), layer.image_data_param().batch_size(),
                                       layer.window_data_param().batch_size()});
  return {batch, channels == 0 ? 3 : channels, size.h, size.w};
}

Shape ShapeOf(const CaffeLayer& layer, int top, std::vector<std::string>& notes) {
  const caffe::LayerParameter& param = layer.param;
  if (param.type() == "Input") {
    const caffe::BlobShape* shape =
        ShapeOfTop(param.input_param().shape(), top, param.top_size(), layer.place);
    return shape == nullptr ? Shape{} : ReadShape(*shape, layer.place);
  }
  if (param.type() == "DummyData") {
    return ShapeOfDummy(param.dummy_data_param(), top, param.top_size(), layer.place);
  }
  if (param.type() == "MemoryData") {
    const caffe::MemoryDataParameter& p = param.memory_data_param();
    if (!p.has_channels()) return {};
    return {p.batch_size(), p.channels(), p.height(), p.width()};
  }
  return ShapeOfImages(param, notes);
}

}  // namespace

bool IsCaffeDataLayer(const caffe::LayerParameter& layer) {
  if (layer.bottom_size() > 0) return false;
  return layer.type() == "Python" ||
         std::find(kDataTypes.begin(), kDataTypes.end(), layer.type()) != kDataTypes.end();
}

std::vector<CaffeInput> ReadCaffeInputs(const CaffeText& text, const std::optional<Shape>& asked,
                                        std::vector<std::string>& notes) {
  std::vector<CaffeInput> inputs;
  AddDeclared(text, inputs);
  for (std::size_t i = 0; i < text.layers.size(); ++i) {
    const caffe::LayerParameter& param = text.layers[i].param;
    const bool all_tops = param.type() == "Input" || param.type() == "DummyData";
    if (!all_tops && !IsCaffeDataLayer(param)) continue;
    const int tops = all_tops ? param.top_size() : std::min(param.top_size(), 1);
    for (int top = 0; top < tops; ++top) {
      inputs.push_back(
          {param.top(top), static_cast<int>(i), text.layers[i].place, ShapeOf(text.layers[i], top, notes)});
    }
  }
  for (CaffeInput& input : inputs) PutAtBatchOne(input);
  const auto unsaid = [&] {
    return std::find_if(inputs.begin(), inputs.end(), [](const CaffeInput& i) { return i.shape.empty(); });
  };
  if (asked && !inputs.empty()) {
    const auto taker = unsaid();
    (taker == inputs.end() ? inputs.front() : *taker).shape = *asked;
  }
  if (const auto missing = unsaid(); missing != inputs.end()) {
    throw InputError(missing->place + ": the file does not say the shape of the input " +
                     Quoted(missing->blob) +
                     "; give it with `tandem models import --input`, such as 1x3x224x224");
  }
  return inputs;
}

}  // namespace tandem
