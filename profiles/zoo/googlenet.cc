// GoogLeNet (Szegedy et al., 2014) as BVLC Caffe deploys it: LRN, no auxiliary classifiers.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::googlenet {
namespace {

// Output channels of the six convolutions, as a row of the paper's table 1 has them.
struct Inception {
  std::string name;
  std::int64_t c1, reduce3, c3, reduce5, c5, pool_proj;
};

std::string ConvRelu(ModelBuilder& net, const std::string& block, const std::string& name,
                     const ConvAttributes& attributes, const std::string& from = {}) {
  net.Conv(block + "/" + name, attributes, from);
  return net.Relu(block + "/relu_" + name);
}

void AddInception(ModelBuilder& net, const Inception& row) {
  const std::string block = "inception_" + row.name;
  const std::string from = net.last();
  const std::string one = ConvRelu(net, block, "1x1", SquareConv(row.c1, 1));
  ConvRelu(net, block, "3x3_reduce", SquareConv(row.reduce3, 1), from);
  const std::string three = ConvRelu(net, block, "3x3", SquareConv(row.c3, 3, 1, 1));
  ConvRelu(net, block, "5x5_reduce", SquareConv(row.reduce5, 1), from);
  const std::string five = ConvRelu(net, block, "5x5", SquareConv(row.c5, 5, 1, 2));
  net.MaxPool(block + "/pool", RoundedUp(SquarePool(3, 1, 1)), from);
  const std::string pooled = ConvRelu(net, block, "pool_proj", SquareConv(row.pool_proj, 1));
  net.Concat(block + "/output", {one, three, five, pooled});
}

Model BuildGooglenet() {
  ModelBuilder net("googlenet");
  net.Input("data", {1, 3, 224, 224});
  net.Conv("conv1/7x7_s2", SquareConv(64, 7, 2, 3));
  net.Relu("conv1/relu_7x7");
  net.MaxPool("pool1/3x3_s2", RoundedUp(SquarePool(3, 2)));
  net.Add("pool1/norm1", Op::kLrn);
  ConvRelu(net, "conv2", "3x3_reduce", SquareConv(64, 1));
  ConvRelu(net, "conv2", "3x3", SquareConv(192, 3, 1, 1));
  net.Add("conv2/norm2", Op::kLrn);
  net.MaxPool("pool2/3x3_s2", RoundedUp(SquarePool(3, 2)));
  AddInception(net, {"3a", 64, 96, 128, 16, 32, 32});
  AddInception(net, {"3b", 128, 128, 192, 32, 96, 64});
  net.MaxPool("pool3/3x3_s2", RoundedUp(SquarePool(3, 2)));
  AddInception(net, {"4a", 192, 96, 208, 16, 48, 64});
  AddInception(net, {"4b", 160, 112, 224, 24, 64, 64});
  AddInception(net, {"4c", 128, 128, 256, 24, 64, 64});
  AddInception(net, {"4d", 112, 144, 288, 32, 64, 64});
  AddInception(net, {"4e", 256, 160, 320, 32, 128, 128});
  net.MaxPool("pool4/3x3_s2", RoundedUp(SquarePool(3, 2)));
  AddInception(net, {"5a", 256, 160, 320, 32, 128, 128});
  AddInception(net, {"5b", 384, 192, 384, 48, 128, 128});
  net.AvgPool("pool5/7x7_s1", RoundedUp(SquarePool(7, 1)));
  net.Add("pool5/drop_7x7_s1", Op::kDropout, DropoutAttributes{0.4});
  net.Fc("loss3/classifier", 1000);
  net.Add("prob", Op::kSoftmax);
  return net.Build();
}

const ZooRegistration kGooglenet{{"googlenet", "Caffe (BVLC): LRN, deploy form", BuildGooglenet}};

}  // namespace
}  // namespace tandem::googlenet
