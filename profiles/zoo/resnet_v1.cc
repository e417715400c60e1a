// ResNet (He et al., 2015) as its authors' Caffe files have it: the stride of a bottleneck in its first 1x1,
// pooling rounded up, batch norm without gamma and beta followed by a scale with both.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::resnet_v1 {
namespace {

void BnScale(ModelBuilder& net, const std::string& bn, const std::string& scale) {
  BatchNormAttributes attributes;
  attributes.affine = false;
  net.Add(bn, Op::kBatchNorm, attributes);
  net.Add(scale, Op::kScale);
}

// The three layers of one convolution; `place` is what their names share: "2a_branch2b".
std::string ConvBnScale(ModelBuilder& net, const std::string& place, const ConvAttributes& attributes,
                        const std::string& from = {}) {
  net.Conv("res" + place, NoBias(attributes), from);
  BnScale(net, "bn" + place, "scale" + place);
  return net.last();
}

void Bottleneck(ModelBuilder& net, const std::string& block, std::int64_t width, std::int64_t stride,
                bool project) {
  const std::string from = net.last();
  const std::int64_t channels = 4 * width;
  const std::string shortcut =
      project ? ConvBnScale(net, block + "_branch1", SquareConv(channels, 1, stride), from) : from;
  ConvBnScale(net, block + "_branch2a", SquareConv(width, 1, stride), from);
  net.Relu("res" + block + "_branch2a_relu");
  ConvBnScale(net, block + "_branch2b", SquareConv(width, 3, 1, 1));
  net.Relu("res" + block + "_branch2b_relu");
  const std::string body = ConvBnScale(net, block + "_branch2c", SquareConv(channels, 1));
  net.Sum("res" + block, shortcut, body);
  net.Relu("res" + block + "_relu");
}

// "2a", "2b", "2c"; the long stages of the deeper two are called "4a", "4b1", "4b2", ...
std::string BlockName(int stage, int block, bool numbered) {
  const std::string name = std::to_string(stage);
  if (block == 0) return name + "a";
  if (numbered) return name + "b" + std::to_string(block);
  return name + static_cast<char>('a' + block);
}

Model BuildResnetV1(const std::string& name, const std::vector<int>& blocks_per_stage) {
  const bool deep = blocks_per_stage[2] > 6;
  ModelBuilder net(name);
  net.Input("data", {1, 3, 224, 224});
  net.Conv("conv1", NoBias(SquareConv(64, 7, 2, 3)));
  BnScale(net, "bn_conv1", "scale_conv1");
  net.Relu("conv1_relu");
  net.MaxPool("pool1", RoundedUp(SquarePool(3, 2)));
  std::int64_t width = 64;
  for (int stage = 2; stage <= 5; ++stage, width *= 2) {
    for (int block = 0; block < blocks_per_stage[static_cast<std::size_t>(stage - 2)]; ++block) {
      const bool numbered = deep && (stage == 3 || stage == 4);
      const bool first = block == 0;
      Bottleneck(net, BlockName(stage, block, numbered), width, first && stage > 2 ? 2 : 1, first);
    }
  }
  net.AvgPool("pool5", RoundedUp(SquarePool(7, 1)));
  net.Fc("fc1000", 1000);
  net.Add("prob", Op::kSoftmax);
  return net.Build();
}

// The authors' file of the 50 alone has a bias on conv1, which the batch norm behind it cancels: left out.
Model BuildResnet50V1() { return BuildResnetV1("resnet50_v1", {3, 4, 6, 3}); }
Model BuildResnet101V1() { return BuildResnetV1("resnet101_v1", {3, 4, 23, 3}); }
Model BuildResnet152V1() { return BuildResnetV1("resnet152_v1", {3, 8, 36, 3}); }

const ZooRegistration kResnet50V1{{"resnet50_v1", "Caffe (He): stride in the first 1x1", BuildResnet50V1}};
const ZooRegistration kResnet101V1{{"resnet101_v1", "Caffe (He): stride in the first 1x1", BuildResnet101V1}};
const ZooRegistration kResnet152V1{{"resnet152_v1", "Caffe (He): stride in the first 1x1", BuildResnet152V1}};

}  // namespace
}  // namespace tandem::resnet_v1
