// DenseNet (Huang et al., 2016) as torchvision has it. A dense layer reads all feature maps before it in its
// block; the concatenation of a first layer, which has but one, is left out.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::densenet {
namespace {

constexpr std::int64_t kGrowth = 32;
constexpr std::int64_t kBottleneck = 4 * kGrowth;

std::string DenseLayer(ModelBuilder& net, const std::string& layer,
                       const std::vector<std::string>& features) {
  const std::string from = features.size() == 1 ? features[0] : net.Concat(layer + "cat", features);
  net.Add(layer + "norm1", Op::kBatchNorm, from);
  net.Relu(layer + "relu1");
  net.Conv(layer + "conv1", NoBias(SquareConv(kBottleneck, 1)));
  net.Add(layer + "norm2", Op::kBatchNorm);
  net.Relu(layer + "relu2");
  return net.Conv(layer + "conv2", NoBias(SquareConv(kGrowth, 3, 1, 1)));
}

void DenseBlock(ModelBuilder& net, const std::string& block, int layers) {
  std::vector<std::string> features = {net.last()};
  for (int layer = 1; layer <= layers; ++layer) {
    features.push_back(DenseLayer(net, block + "denselayer" + std::to_string(layer) + ".", features));
  }
  net.Concat(block + "cat", features);
}

void Transition(ModelBuilder& net, const std::string& transition, std::int64_t channels) {
  net.Add(transition + "norm", Op::kBatchNorm);
  net.Relu(transition + "relu");
  net.Conv(transition + "conv", NoBias(SquareConv(channels, 1)));
  net.AvgPool(transition + "pool", SquarePool(2, 2));
}

Model BuildDensenet(const std::string& name, const std::vector<int>& layers_per_block) {
  ModelBuilder net(name);
  std::int64_t channels = 2 * kGrowth;
  net.Input("input", {1, 3, 224, 224});
  net.Conv("features.conv0", NoBias(SquareConv(channels, 7, 2, 3)));
  net.Add("features.norm0", Op::kBatchNorm);
  net.Relu("features.relu0");
  net.MaxPool("features.pool0", SquarePool(3, 2, 1));
  for (std::size_t block = 0; block < layers_per_block.size(); ++block) {
    const std::string number = std::to_string(block + 1);
    if (block > 0) {
      channels /= 2;
      Transition(net, "features.transition" + std::to_string(block) + ".", channels);
    }
    DenseBlock(net, "features.denseblock" + number + ".", layers_per_block[block]);
    channels += kGrowth * layers_per_block[block];
  }
  net.Add("features.norm5", Op::kBatchNorm);
  net.Relu("relu");
  net.AvgPool("adaptive_avg_pool2d", GlobalPool());
  net.Add("flatten", Op::kFlatten);
  net.Fc("classifier", 1000);
  return net.Build();
}

Model BuildDensenet121() { return BuildDensenet("densenet121", {6, 12, 24, 16}); }
Model BuildDensenet201() { return BuildDensenet("densenet201", {6, 12, 48, 32}); }

const ZooRegistration kDensenet121{{"densenet121", "torchvision", BuildDensenet121}};
const ZooRegistration kDensenet201{{"densenet201", "torchvision", BuildDensenet201}};

}  // namespace
}  // namespace tandem::densenet
