// MobileNetV2 (Sandler et al., 2018) as torchvision has it.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::mobilenet_v2 {
namespace {

// A convolution, its batch norm, and relu6 unless it ends a block ("linear bottleneck").
void ConvBn(ModelBuilder& net, const std::string& conv, const std::string& bn,
            const ConvAttributes& attributes) {
  net.Conv(conv, NoBias(attributes));
  net.Add(bn, Op::kBatchNorm);
}
void ConvBnRelu6(ModelBuilder& net, const std::string& block, const ConvAttributes& attributes) {
  ConvBn(net, block + ".0", block + ".1", attributes);
  net.Add(block + ".2", Op::kRelu6);
}

void InvertedResidual(ModelBuilder& net, const std::string& block, std::int64_t from, std::int64_t expansion,
                      std::int64_t to, std::int64_t stride) {
  const std::string input = net.last();
  const std::int64_t hidden = from * expansion;
  int part = 0;
  const auto next = [&] { return block + ".conv." + std::to_string(part++); };
  if (expansion != 1) ConvBnRelu6(net, next(), SquareConv(hidden, 1));
  ConvBnRelu6(net, next(), Grouped(hidden, SquareConv(hidden, 3, stride, 1)));
  const std::string conv = next();
  ConvBn(net, conv, next(), SquareConv(to, 1));
  if (stride == 1 && from == to) net.Sum(block + ".add", input, net.last());
}

// A row of the paper's table 2.
struct Stage {
  std::int64_t expansion, channels;
  int blocks;
  std::int64_t stride;
};

Model BuildMobilenetV2() {
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  ModelBuilder net("mobilenet_v2");
  net.Input("input", {1, 3, 224, 224});
  ConvBnRelu6(net, "features.0", SquareConv(32, 3, 2, 1));
  std::int64_t channels = 32;
  int feature = 1;
  for (const Stage& stage : kStages) {
    for (int block = 0; block < stage.blocks; ++block, ++feature) {
      InvertedResidual(net, "features." + std::to_string(feature), channels, stage.expansion, stage.channels,
                       block == 0 ? stage.stride : 1);
      channels = stage.channels;
    }
  }
  ConvBnRelu6(net, "features." + std::to_string(feature), SquareConv(1280, 1));
  net.AvgPool("adaptive_avg_pool2d", GlobalPool());
  net.Add("flatten", Op::kFlatten);
  net.Add("classifier.0", Op::kDropout, DropoutAttributes{0.2});
  net.Fc("classifier.1", 1000);
  return net.Build();
}

const ZooRegistration kMobilenetV2{{"mobilenet_v2", "torchvision: width 1", BuildMobilenetV2}};

}  // namespace
}  // namespace tandem::mobilenet_v2
