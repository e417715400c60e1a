// AlexNet (Krizhevsky et al., 2012) as torchvision and as Caffe have it.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::alexnet {
namespace {

Model BuildAlexnet() {
  ModelBuilder net("alexnet");
  net.Input("input", {1, 3, 224, 224});
  net.Conv("features.0", SquareConv(64, 11, 4, 2));
  net.Relu("features.1");
  net.MaxPool("features.2", SquarePool(3, 2));
  net.Conv("features.3", SquareConv(192, 5, 1, 2));
  net.Relu("features.4");
  net.MaxPool("features.5", SquarePool(3, 2));
  net.Conv("features.6", SquareConv(384, 3, 1, 1));
  net.Relu("features.7");
  net.Conv("features.8", SquareConv(256, 3, 1, 1));
  net.Relu("features.9");
  net.Conv("features.10", SquareConv(256, 3, 1, 1));
  net.Relu("features.11");
  net.MaxPool("features.12", SquarePool(3, 2));
  net.AvgPool("avgpool", AdaptivePool(6));
  net.Add("flatten", Op::kFlatten);
  net.Add("classifier.0", Op::kDropout);
  net.Fc("classifier.1", 4096);
  net.Relu("classifier.2");
  net.Add("classifier.3", Op::kDropout);
  net.Fc("classifier.4", 4096);
  net.Relu("classifier.5");
  net.Fc("classifier.6", 1000);
  return net.Build();
}

enum class Order { kNormThenPool, kPoolThenNorm };

// One of the two first stages: in AlexNet the normalisation comes before the pooling, in CaffeNet after it.
void NormAndPool(ModelBuilder& net, const std::string& stage, Order order) {
  if (order == Order::kNormThenPool) net.Add("norm" + stage, Op::kLrn);
  net.MaxPool("pool" + stage, RoundedUp(SquarePool(3, 2)));
  if (order == Order::kPoolThenNorm) net.Add("norm" + stage, Op::kLrn);
}

Model BuildCaffe(const std::string& name, Order order) {
  ModelBuilder net(name);
  net.Input("data", {1, 3, 227, 227});
  net.Conv("conv1", SquareConv(96, 11, 4));
  net.Relu("relu1");
  NormAndPool(net, "1", order);
  net.Conv("conv2", Grouped(2, SquareConv(256, 5, 1, 2)));
  net.Relu("relu2");
  NormAndPool(net, "2", order);
  net.Conv("conv3", SquareConv(384, 3, 1, 1));
  net.Relu("relu3");
  net.Conv("conv4", Grouped(2, SquareConv(384, 3, 1, 1)));
  net.Relu("relu4");
  net.Conv("conv5", Grouped(2, SquareConv(256, 3, 1, 1)));
  net.Relu("relu5");
  net.MaxPool("pool5", RoundedUp(SquarePool(3, 2)));
  net.Fc("fc6", 4096);
  net.Relu("relu6");
  net.Add("drop6", Op::kDropout);
  net.Fc("fc7", 4096);
  net.Relu("relu7");
  net.Add("drop7", Op::kDropout);
  net.Fc("fc8", 1000);
  net.Add("prob", Op::kSoftmax);
  return net.Build();
}

Model BuildAlexnetCaffe() { return BuildCaffe("alexnet_caffe", Order::kNormThenPool); }
Model BuildCaffenet() { return BuildCaffe("caffenet", Order::kPoolThenNorm); }

const ZooRegistration kAlexnet{{"alexnet", "torchvision: one tower", BuildAlexnet}};
const ZooRegistration kAlexnetCaffe{{"alexnet_caffe", "Caffe (BVLC): two groups, LRN", BuildAlexnetCaffe}};
const ZooRegistration kCaffenet{{"caffenet", "Caffe (BVLC): pools before LRN", BuildCaffenet}};

}  // namespace
}  // namespace tandem::alexnet
