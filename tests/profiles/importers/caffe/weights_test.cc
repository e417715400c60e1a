// Do the numbers of a .caffemodel reach the right tensors, and is every mismatch an error?
#include <chrono>

#include "profiles/importers/caffe/tandem_caffe.pb.h"
#include "profiles/model/model_source.h"
#include "tests/support/caffe_import.h"

namespace tandem {
namespace {

using test::LayerText;
using test::WithData;
using Values = std::vector<float>;

constexpr const char* kNet = "1 2 3 3";
const std::string kConv =
    LayerText("c", "Convolution", "data", "c", "convolution_param { num_output: 2 kernel_size: 1 }");

void FillBlob(caffe::BlobProto& blob, const Shape& shape, const Values& values) {
  for (const std::int64_t extent : shape) blob.mutable_shape()->add_dim(extent);
  for (const float value : values) blob.add_data(value);
}

class CaffeWeights : public test::CaffeTest {
 protected:
  caffe::BlobProto& AddBlob(const std::string& layer, const Shape& shape, const Values& values) {
    if (net_.layer_size() == 0 || net_.layer(net_.layer_size() - 1).name() != layer) {
      net_.add_layer()->set_name(layer);
    }
    caffe::BlobProto& blob = *net_.mutable_layer(net_.layer_size() - 1)->add_blobs();
    FillBlob(blob, shape, values);
    return blob;
  }
  ImportOptions Options(const std::string& bytes) const {
    ImportOptions options;
    options.weights = Write("net.caffemodel", bytes);
    return options;
  }
  // Through the front door, which checks the tensors against the model once more.
  Weights Read(const std::string& text) const {
    return ImportModel(Write("net.prototxt", text), Options(net_.SerializeAsString())).weights;
  }
  std::string Why(const std::string& text) const { return ErrorOf(text, Options(net_.SerializeAsString())); }

  caffe::TrainedNet net_;
};

TEST_F(CaffeWeights, OfConvolutions) {
  AddBlob("c", {2, 2, 1, 1}, {1, 2, 3, 4});
  AddBlob("c", {2}, {5, 6});
  AddBlob("of training", {1}, {0});
  const Weights weights = Read(WithData(kNet, kConv));
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights.at({"c", "weight"}).values, (Values{1, 2, 3, 4}));
  EXPECT_EQ(weights.at({"c", "weight"}).shape, (Shape{2, 2, 1, 1}));
  EXPECT_EQ(weights.at({"c", "bias"}).values, (Values{5, 6}));
}

TEST_F(CaffeWeights, OfTheOldFormatWithFourExtents) {
  caffe::TrainedLayerV1& layer = *net_.add_layers();
  layer.set_name("c");
  for (const Values& values : {Values{1, 2, 3, 4}, Values{5, 6}}) {
    caffe::BlobProto& blob = *layer.add_blobs();
    FillBlob(blob, {}, values);
    const bool bias = values.size() == 2;
    blob.set_num(bias ? 1 : 2);
    blob.set_channels(bias ? 1 : 2);
    blob.set_height(1);
    blob.set_width(bias ? 2 : 1);
  }
  EXPECT_EQ(Read(WithData(kNet, kConv)).at({"c", "bias"}).values, (Values{5, 6}));
}

TEST_F(CaffeWeights, BatchNormIsDividedByItsFactor) {
  AddBlob("b", {2}, {2, 4});
  AddBlob("b", {2}, {6, 8});
  AddBlob("b", {1}, {2});
  AddBlob("s", {2}, {10, 20});
  AddBlob("s", {2}, {30, 40});
  const std::string text =
      WithData(kNet, LayerText("b", "BatchNorm", "data", "b") +
                         LayerText("s", "Scale", "b", "b", "scale_param { bias_term: true }"));
  Weights weights = Read(text);
  EXPECT_EQ(weights.at({"b", "mean"}).values, (Values{1, 2}));
  EXPECT_EQ(weights.at({"b", "variance"}).values, (Values{3, 4}));
  EXPECT_EQ(weights.at({"s", "gamma"}).values, (Values{10, 20}));
  EXPECT_EQ(weights.at({"s", "beta"}).values, (Values{30, 40}));
  net_.mutable_layer(0)->mutable_blobs(2)->set_data(0, 0);
  weights = Read(text);
  EXPECT_EQ(weights.at({"b", "mean"}).values, (Values{0, 0}));
  EXPECT_EQ(weights.at({"b", "variance"}).values, (Values{0, 0}));
}

TEST_F(CaffeWeights, InnerProductsAreStoredEitherWay) {
  const std::string param = "inner_product_param { num_output: 2 bias_term: false ";
  const Values straight = {1, 2, 3, 4, 5, 6}, turned = {1, 4, 2, 5, 3, 6};
  AddBlob("f", {1, 1, 2, 3}, straight);  // as the old format has it
  EXPECT_EQ(Read(WithData("1 3", LayerText("f", "InnerProduct", "data", "f", param + "}")))
                .at({"f", "weight"})
                .values,
            straight);
  net_.Clear();
  AddBlob("f", {3, 2}, turned);
  EXPECT_EQ(Read(WithData("1 3", LayerText("f", "InnerProduct", "data", "f", param + "transpose: true }")))
                .at({"f", "weight"})
                .values,
            straight);
}

TEST_F(CaffeWeights, OfOtherLayers) {
  AddBlob("p", {2}, {1, 2});
  AddBlob("q", {1}, {3});
  AddBlob("d", {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6});
  AddBlob("d", {3}, {7, 8, 9});
  AddBlob("s", {3}, {4, 5, 6});
  const Weights weights = Read(WithData(
      kNet,
      LayerText("p", "PReLU", "data", "p") +
          LayerText("q", "PReLU", "p", "q", "prelu_param { channel_shared: true }") +
          LayerText("w", "Power", "q", "w", "power_param { scale: 0.5 shift: 2 power: 3 }") +
          LayerText("d", "Deconvolution", "w", "d", "convolution_param { num_output: 3 kernel_size: 1 }") +
          LayerText("s", "Scale", "d", "s", "scale_param { axis: 2 }")));
  EXPECT_EQ(weights.at({"p", "slope"}).values, (Values{1, 2}));
  EXPECT_EQ(weights.at({"q", "slope"}).values, (Values{3}));
  EXPECT_EQ(weights.at({"w/times", "constant"}).values, (Values{0.5}));
  EXPECT_EQ(weights.at({"w/plus", "constant"}).values, (Values{2}));
  EXPECT_EQ(weights.at({"w", "constant"}).values, (Values{3}));
  EXPECT_EQ(weights.at({"d", "weight"}).shape, (Shape{2, 3, 1, 1}));
  EXPECT_EQ(weights.at({"s", "constant"}).shape, (Shape{3, 1}));
}

TEST_F(CaffeWeights, ThatAllLayersOfANameReadDoNotTakeAllMemory) {
  AddBlob("f", {256, 256}, Values(256 * 256));
  const auto chain = [](int length) {
    std::string layers, from = "data";
    for (int i = 0; i < length; ++i) {
      const std::string to = "y" + std::to_string(i);
      layers += LayerText("f", "InnerProduct", from, to,
                          "inner_product_param { num_output: 256 bias_term: false }");
      from = to;
    }
    return WithData("1 256", layers);
  };
  EXPECT_EQ(Read(chain(3)).size(), 3U);
  const std::string refused = Why(chain(500));
  EXPECT_EQ(refused.find("net.caffemodel: its layers share their numbers so often that they are 32768000"),
            0U)
      << refused;
}

TEST_F(CaffeWeights, DoublesAndHalves) {
  caffe::BlobProto& weight = AddBlob("c", {2, 2, 1, 1}, {});
  for (const double value : {0.5, 1.0, 1.5, -2.0}) weight.add_double_data(value);
  caffe::BlobProto& bias = AddBlob("c", {2}, {});
  bias.set_raw_data_type(2);
  bias.set_raw_data(std::string("\x00\x3c\x00\xc2", 4));  // 1 and -3
  const Weights weights = Read(WithData(kNet, kConv));
  EXPECT_EQ(weights.at({"c", "weight"}).values, (Values{0.5, 1.0, 1.5, -2.0}));
  EXPECT_EQ(weights.at({"c", "bias"}).values, (Values{1, -3}));
}

TEST_F(CaffeWeights, MismatchesAreErrors) {
  const std::string text = WithData(kNet, kConv);
  AddBlob("d", {2, 2, 1, 1}, {1, 2, 3, 4});
  EXPECT_NE(Why(text).find("net.caffemodel: has no weights for layer \"c\"; "), std::string::npos);
  net_.mutable_layer(0)->set_name("c");
  EXPECT_EQ(Why(text), "net.caffemodel: layer \"c\": has 1 blobs, the network's has 2");
  AddBlob("c", {3}, {5, 6, 7});
  EXPECT_EQ(Why(text), "net.caffemodel: layer \"c\": blob 1 is 3, the network's is 2");
  net_.mutable_layer(0)->mutable_blobs(1)->mutable_shape()->set_dim(0, 2);
  EXPECT_EQ(Why(text), "net.caffemodel: layer \"c\": blob 1 of 2 holds 3 numbers");
  net_.mutable_layer(0)->mutable_blobs(1)->mutable_data()->RemoveLast();
  EXPECT_EQ(Why(text), "");
  net_.mutable_layer(0)->mutable_blobs(0)->mutable_shape()->set_dim(0, 4);
  net_.mutable_layer(0)->mutable_blobs(0)->mutable_shape()->set_dim(1, 1);
  EXPECT_EQ(Why(text), "net.caffemodel: layer \"c\": blob 0 is 4x1x1x1, the network's is 2x2x1x1");
}

TEST_F(CaffeWeights, FilesThatAreNone) {
  const std::string text = WithData(kNet, kConv);
  EXPECT_EQ(ErrorOf(text, Options("")), "net.caffemodel: holds no trained weights");
  EXPECT_EQ(ErrorOf(text, Options("name: 'x'")), "net.caffemodel: is not a .caffemodel, or is broken off");
  EXPECT_EQ(ErrorOf(text, Options("\x89HDF\r\n")),
            "net.caffemodel: is an HDF5 file; only the binary .caffemodel of Caffe is read");
  net_.add_layers()->set_v0_layer("x");
  EXPECT_NE(Why(text).find("is in Caffe's format of 2013"), std::string::npos);
}

TEST_F(CaffeWeights, AFileBrokenOffAnywhereIsAnError) {
  AddBlob("c", {2, 2, 1, 1}, {1, 2, 3, 4});
  AddBlob("c", {2}, {5, 6});
  const std::string bytes = net_.SerializeAsString();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(ErrorOf(WithData(kNet, kConv), Options(bytes.substr(0, size))), "") << size;
  }
}

TEST_F(CaffeWeights, AreReadQuickly) {
  const std::string fc = "inner_product_param { num_output: 1000 bias_term: false }";
  AddBlob("f", {1000, 5000}, Values(5'000'000, 0.5F));  // 20 MB
  const std::string bytes = net_.SerializeAsString();
  const ImportOptions options = Options(bytes);
  const auto start = std::chrono::steady_clock::now();
  const ImportedModel read =
      ImportText(WithData("1 5000", LayerText("f", "InnerProduct", "data", "f", fc)), options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(read.weights.at({"f", "weight"}).values.size(), 5'000'000u);
  // 0.1 s is the promise; a machine that builds beside the test is given room, a reader that takes one
  // number at a time is not.
  EXPECT_LT(took.count(), 1);
}

}  // namespace
}  // namespace tandem
