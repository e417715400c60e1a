// The networks of study 000 as Darknet's cfg files have them. A layer bears the number that Darknet prints
// for its section; what one section holds beyond its first operation (batch norm, activation) has the same
// number.
#include <algorithm>
#include <limits>

#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::darknet {
namespace {

enum class Activation { kLinear, kRelu, kLeaky };

class DarknetBuilder {
 public:
  DarknetBuilder(const std::string& name, std::int64_t side) : net_(name) {
    net_.Input("data", {1, 3, side, side});
  }

  std::string Conv(const ConvAttributes& attributes, Activation activation) {
    net_.Conv(Name("conv"), attributes);
    return End(activation);
  }
  // batch_normalize=1: what Darknet calls the bias is then the batch norm's beta.
  std::string ConvBn(const ConvAttributes& attributes, Activation activation) {
    net_.Conv(Name("conv"), NoBias(attributes));
    net_.Add(Name("bn"), Op::kBatchNorm);
    return End(activation);
  }
  void Connected(std::int64_t outputs, Activation activation) {
    net_.Fc(Name("connected"), outputs);
    End(activation);
  }
  void MaxPool(const PoolAttributes& attributes) {
    net_.MaxPool(Name("max"), attributes);
    ++section_;
  }
  void AvgPool() {
    net_.AvgPool(Name("avg"), GlobalPool());
    ++section_;
  }
  void Dropout() {
    net_.Add(Name("dropout"), Op::kDropout);
    ++section_;
  }
  void Route(const std::vector<std::string>& from) {
    net_.Concat(Name("route"), from);
    ++section_;
  }
  // Darknet's shortcut needs no convolution where shapes differ: it takes every `stride`-th row and column of
  // `from` and leaves the channels that `from` lacks as they are.
  void Shortcut(const std::string& from, std::int64_t stride, std::int64_t missing_channels) {
    const std::string body = net_.last();
    std::string other = from;
    if (stride > 1) {
      constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
      const SliceAttributes every{{2, 3}, {0, 0}, {kEnd, kEnd}, {stride, stride}};
      other = net_.Add(Name("slice"), Op::kSlice, every, {other});
    }
    if (missing_channels > 0) {
      PadAttributes zeros;
      zeros.before = {0, 0, 0, 0};
      zeros.after = {0, missing_channels, 0, 0};
      other = net_.Add(Name("pad"), Op::kPad, zeros, {other});
    }
    net_.Sum(Name("shortcut"), body, other);
    End(Activation::kLeaky);
  }
  Model Softmax() {
    net_.Add(Name("softmax"), Op::kSoftmax);
    return net_.Build();
  }

  const std::string& last() const { return net_.last(); }

 private:
  std::string Name(const std::string& kind) const { return kind + "_" + std::to_string(section_); }
  std::string End(Activation activation) {
    if (activation == Activation::kRelu) net_.Relu(Name("relu"));
    if (activation == Activation::kLeaky) {
      net_.Add(Name("leaky"), Op::kLeakyRelu, LeakyReluAttributes{0.1});
    }
    ++section_;
    return net_.last();
  }

  ModelBuilder net_;
  int section_ = 0;
};

// Darknet pads a pooling window at the right and below only, by its size less one unless the file says else.
PoolAttributes HalvingPool() {
  PoolAttributes attributes = SquarePool(2, 2);
  attributes.pad = {0, 0, 1, 1};
  return attributes;
}

void Classifier(DarknetBuilder& net) {
  for (int i = 0; i < 2; ++i) {
    net.Connected(4096, Activation::kRelu);
    net.Dropout();
  }
  net.Connected(1000, Activation::kLinear);
}

Model BuildAlexnet() {
  DarknetBuilder net("alexnet_darknet", 227);
  net.Conv(SquareConv(96, 11, 4), Activation::kRelu);
  net.MaxPool(SquarePool(3, 2));
  net.Conv(SquareConv(256, 5, 1, 2), Activation::kRelu);
  net.MaxPool(SquarePool(3, 2));
  net.Conv(SquareConv(384, 3, 1, 1), Activation::kRelu);
  net.Conv(SquareConv(384, 3, 1, 1), Activation::kRelu);
  net.Conv(SquareConv(256, 3, 1, 1), Activation::kRelu);
  net.MaxPool(SquarePool(3, 2));
  Classifier(net);
  return net.Softmax();
}

Model BuildVgg16() {
  DarknetBuilder net("vgg16_darknet", 224);
  std::int64_t channels = 64;
  for (int stage = 0; stage < 5; ++stage) {
    for (int conv = 0; conv < (stage < 2 ? 2 : 3); ++conv) {
      net.Conv(SquareConv(channels, 3, 1, 1), Activation::kRelu);
    }
    net.MaxPool(HalvingPool());
    channels = std::min<std::int64_t>(2 * channels, 512);
  }
  Classifier(net);
  return net.Softmax();
}

// The last convolution has an output per class; its mean over the image is classified.
Model Classify(DarknetBuilder& net) {
  net.Conv(SquareConv(1000, 1), Activation::kLinear);
  net.AvgPool();
  return net.Softmax();
}

Model BuildResnet152() {
  constexpr int kBlocks[] = {3, 8, 36, 3};
  DarknetBuilder net("resnet152_darknet", 224);
  net.ConvBn(SquareConv(64, 7, 2, 3), Activation::kLeaky);
  net.MaxPool(HalvingPool());
  std::int64_t channels = 64;
  std::int64_t width = 64;
  for (int stage = 0; stage < 4; ++stage, width *= 2) {
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const std::string from = net.last();
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      net.ConvBn(SquareConv(width, 1), Activation::kLeaky);
      net.ConvBn(SquareConv(width, 3, stride, 1), Activation::kLeaky);
      net.ConvBn(SquareConv(4 * width, 1), Activation::kLinear);
      net.Shortcut(from, stride, 4 * width - channels);
      channels = 4 * width;
    }
  }
  return Classify(net);
}

Model BuildDensenet201() {
  constexpr int kLayers[] = {6, 12, 48, 32};
  constexpr std::int64_t kTransition[] = {128, 256, 512};
  DarknetBuilder net("densenet201_darknet", 224);
  net.ConvBn(SquareConv(64, 7, 2, 3), Activation::kLeaky);
  net.MaxPool(HalvingPool());
  for (int block = 0; block < 4; ++block) {
    if (block > 0) {
      net.ConvBn(SquareConv(kTransition[block - 1], 1), Activation::kLeaky);
      net.MaxPool(HalvingPool());
    }
    for (int layer = 0; layer < kLayers[block]; ++layer) {
      const std::string from = net.last();
      net.ConvBn(SquareConv(128, 1), Activation::kLeaky);
      const std::string grown = net.ConvBn(SquareConv(32, 3, 1, 1), Activation::kLeaky);
      net.Route({grown, from});
    }
  }
  return Classify(net);
}

const ZooRegistration kAlexnet{{"alexnet_darknet", "Darknet: no groups, no LRN", BuildAlexnet}};
const ZooRegistration kVgg16{{"vgg16_darknet", "Darknet: ends in a softmax", BuildVgg16}};
const ZooRegistration kResnet152{{"resnet152_darknet", "Darknet: shortcuts without weights", BuildResnet152}};
const ZooRegistration kDensenet201{
    {"densenet201_darknet", "Darknet: conv before norm, leaky", BuildDensenet201}};

}  // namespace
}  // namespace tandem::darknet
