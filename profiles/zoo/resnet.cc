// Room profiles/zoo: the models that tandem ships, a file each. Only models enter.
//
// ResNet (He et al., 2015) as torchvision has it: "v1.5", the stride of a bottleneck in its 3x3. Layers are
// named as torch.fx names them.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::resnet {
namespace {

constexpr std::int64_t kBottleneckExpansion = 4;

void ConvBn(ModelBuilder& net, const std::string& conv, const std::string& bn,
            const ConvAttributes& attributes, const std::string& from = {}) {
  net.Conv(conv, NoBias(attributes), from);
  net.Add(bn, Op::kBatchNorm);
}

void BasicBlock(ModelBuilder& net, const std::string& block, std::int64_t width, std::int64_t stride) {
  ConvBn(net, block + "conv1", block + "bn1", SquareConv(width, 3, stride, 1));
  net.Relu(block + "relu");
  ConvBn(net, block + "conv2", block + "bn2", SquareConv(width, 3, 1, 1));
}

void Bottleneck(ModelBuilder& net, const std::string& block, std::int64_t width, std::int64_t stride) {
  ConvBn(net, block + "conv1", block + "bn1", SquareConv(width, 1));
  net.Relu(block + "relu");
  ConvBn(net, block + "conv2", block + "bn2", SquareConv(width, 3, stride, 1));
  net.Relu(block + "relu_1");
  ConvBn(net, block + "conv3", block + "bn3", SquareConv(kBottleneckExpansion * width, 1));
}

enum class Block { kBasic, kBottleneck };

// `project`: the shape changes, so the shortcut needs a convolution of its own.
void AddBlock(ModelBuilder& net, Block kind, const std::string& block, std::int64_t width,
              std::int64_t stride, bool project) {
  const std::string from = net.last();
  const bool basic = kind == Block::kBasic;
  (basic ? BasicBlock : Bottleneck)(net, block, width, stride);
  const std::string body = net.last();
  std::string shortcut = from;
  if (project) {
    const std::int64_t channels = basic ? width : kBottleneckExpansion * width;
    ConvBn(net, block + "downsample.0", block + "downsample.1", SquareConv(channels, 1, stride), from);
    shortcut = net.last();
  }
  net.Sum(block + "add", body, shortcut);
  net.Relu(block + (basic ? "relu_1" : "relu_2"));
}

Model BuildResnet(const std::string& name, Block kind, const std::vector<int>& blocks_per_stage) {
  ModelBuilder net(name);
  net.Input("input", {1, 3, 224, 224});
  ConvBn(net, "conv1", "bn1", SquareConv(64, 7, 2, 3));
  net.Relu("relu");
  net.MaxPool("maxpool", SquarePool(3, 2, 1));
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < blocks_per_stage.size(); ++stage, width *= 2) {
    const std::string layer = "layer" + std::to_string(stage + 1) + ".";
    for (int block = 0; block < blocks_per_stage[stage]; ++block) {
      const bool first = block == 0;
      const bool project = first && (stage > 0 || kind == Block::kBottleneck);
      AddBlock(net, kind, layer + std::to_string(block) + ".", width, first && stage > 0 ? 2 : 1, project);
    }
  }
  net.AvgPool("avgpool", GlobalPool());
  net.Add("flatten", Op::kFlatten);
  net.Fc("fc", 1000);
  return net.Build();
}

Model BuildResnet18() { return BuildResnet("resnet18", Block::kBasic, {2, 2, 2, 2}); }
Model BuildResnet34() { return BuildResnet("resnet34", Block::kBasic, {3, 4, 6, 3}); }
Model BuildResnet50() { return BuildResnet("resnet50", Block::kBottleneck, {3, 4, 6, 3}); }
Model BuildResnet101() { return BuildResnet("resnet101", Block::kBottleneck, {3, 4, 23, 3}); }
Model BuildResnet152() { return BuildResnet("resnet152", Block::kBottleneck, {3, 8, 36, 3}); }

const ZooRegistration kResnet18{{"resnet18", "torchvision: basic blocks", BuildResnet18}};
const ZooRegistration kResnet34{{"resnet34", "torchvision: basic blocks", BuildResnet34}};
const ZooRegistration kResnet50{{"resnet50", "torchvision: v1.5, stride in the 3x3", BuildResnet50}};
const ZooRegistration kResnet101{{"resnet101", "torchvision: v1.5, stride in the 3x3", BuildResnet101}};
const ZooRegistration kResnet152{{"resnet152", "torchvision: v1.5, stride in the 3x3", BuildResnet152}};

}  // namespace
}  // namespace tandem::resnet
