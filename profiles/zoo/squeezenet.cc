// SqueezeNet (Iandola et al., 2016) with the layer names of DeepScale's Caffe files.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::squeezenet {
namespace {

void Fire(ModelBuilder& net, int number, std::int64_t squeeze, std::int64_t expand) {
  const std::string fire = "fire" + std::to_string(number) + "/";
  net.Conv(fire + "squeeze1x1", SquareConv(squeeze, 1));
  const std::string squeezed = net.Relu(fire + "relu_squeeze1x1");
  net.Conv(fire + "expand1x1", SquareConv(expand, 1));
  const std::string small = net.Relu(fire + "relu_expand1x1");
  net.Conv(fire + "expand3x3", SquareConv(expand, 3, 1, 1), squeezed);
  const std::string large = net.Relu(fire + "relu_expand3x3");
  net.Concat(fire + "concat", {small, large});
}

// `pool_after`: the two fire modules that a pooling follows; it bears the number of the fire module.
Model BuildSqueezenet(const std::string& name, const ConvAttributes& conv1, int first_pool, int second_pool) {
  ModelBuilder net(name);
  net.Input("data", {1, 3, 224, 224});
  net.Conv("conv1", conv1);
  net.Relu("relu_conv1");
  net.MaxPool("pool1", RoundedUp(SquarePool(3, 2)));
  constexpr std::int64_t kSqueeze[] = {16, 16, 32, 32, 48, 48, 64, 64};
  for (int number = 2; number <= 9; ++number) {
    const std::int64_t squeeze = kSqueeze[number - 2];
    Fire(net, number, squeeze, 4 * squeeze);
    if (number == first_pool || number == second_pool) {
      net.MaxPool("pool" + std::to_string(number), RoundedUp(SquarePool(3, 2)));
    }
  }
  net.Add("drop9", Op::kDropout);
  net.Conv("conv10", SquareConv(1000, 1));
  net.Relu("relu_conv10");
  net.AvgPool("pool10", GlobalPool());
  net.Add("prob", Op::kSoftmax);
  return net.Build();
}

// DeepScale's 1.0 pads conv10 by 1, which adds zeros alone; torchvision does not, and its counts are kept.
Model BuildSqueezenet10() { return BuildSqueezenet("squeezenet_1_0", SquareConv(96, 7, 2), 4, 8); }
Model BuildSqueezenet11() { return BuildSqueezenet("squeezenet_1_1", SquareConv(64, 3, 2), 3, 5); }

const ZooRegistration kSqueezenet10{
    {"squeezenet_1_0", "Caffe (DeepScale), conv10 unpadded", BuildSqueezenet10}};
const ZooRegistration kSqueezenet11{{"squeezenet_1_1", "Caffe (DeepScale)", BuildSqueezenet11}};

}  // namespace
}  // namespace tandem::squeezenet
