// MobileNet (Howard et al., 2017) as the Caffe files of S. Yang ("MobileNet-Caffe") have it; Keras has the
// same counts.
#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem::mobilenet_v1 {
namespace {

// `conv` names the convolution, `relu` what follows its batch norm and scale.
void ConvBnRelu(ModelBuilder& net, const std::string& conv, const std::string& relu,
                const ConvAttributes& attributes) {
  BatchNormAttributes plain;
  plain.affine = false;
  net.Conv(conv, NoBias(attributes));
  net.Add(conv + "/bn", Op::kBatchNorm, plain);
  net.Add(conv + "/scale", Op::kScale);
  net.Relu(relu);
}

// A depthwise 3x3 and the 1x1 that makes `to` channels of its `from`.
void Separable(ModelBuilder& net, const std::string& place, std::int64_t from, std::int64_t to,
               std::int64_t stride) {
  ConvBnRelu(net, "conv" + place + "/dw", "relu" + place + "/dw",
             Grouped(from, SquareConv(from, 3, stride, 1)));
  ConvBnRelu(net, "conv" + place + "/sep", "relu" + place + "/sep", SquareConv(to, 1));
}

Model BuildMobilenetV1() {
  ModelBuilder net("mobilenet_v1");
  net.Input("data", {1, 3, 224, 224});
  ConvBnRelu(net, "conv1", "relu1", SquareConv(32, 3, 2, 1));
  Separable(net, "2_1", 32, 64, 1);
  Separable(net, "2_2", 64, 128, 2);
  Separable(net, "3_1", 128, 128, 1);
  Separable(net, "3_2", 128, 256, 2);
  Separable(net, "4_1", 256, 256, 1);
  Separable(net, "4_2", 256, 512, 2);
  for (int i = 1; i <= 5; ++i) Separable(net, "5_" + std::to_string(i), 512, 512, 1);
  Separable(net, "5_6", 512, 1024, 2);
  Separable(net, "6", 1024, 1024, 1);
  net.AvgPool("pool6", GlobalPool());
  net.Conv("fc7", SquareConv(1000, 1));
  net.Add("prob", Op::kSoftmax);
  return net.Build();
}

const ZooRegistration kMobilenetV1{{"mobilenet_v1", "Caffe (MobileNet-Caffe): width 1", BuildMobilenetV1}};

}  // namespace
}  // namespace tandem::mobilenet_v1
