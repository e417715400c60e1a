// VGG (Simonyan and Zisserman, 2014) as torchvision has it.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::vgg {
namespace {

Model BuildVgg16() {
  ModelBuilder net("vgg16");
  net.Input("input", {1, 3, 224, 224});
  int index = 0;
  const auto feature = [&index] { return "features." + std::to_string(index++); };
  const std::vector<std::vector<std::int64_t>> stages = {
      {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
  for (const std::vector<std::int64_t>& stage : stages) {
    for (const std::int64_t channels : stage) {
      net.Conv(feature(), SquareConv(channels, 3, 1, 1));
      net.Relu(feature());
    }
    net.MaxPool(feature(), SquarePool(2, 2));
  }
  net.AvgPool("avgpool", AdaptivePool(7));
  net.Add("flatten", Op::kFlatten);
  net.Fc("classifier.0", 4096);
  net.Relu("classifier.1");
  net.Add("classifier.2", Op::kDropout);
  net.Fc("classifier.3", 4096);
  net.Relu("classifier.4");
  net.Add("classifier.5", Op::kDropout);
  net.Fc("classifier.6", 1000);
  return net.Build();
}

const ZooRegistration kVgg16{{"vgg16", "torchvision: no batch norm", BuildVgg16}};

}  // namespace
}  // namespace tandem::vgg
