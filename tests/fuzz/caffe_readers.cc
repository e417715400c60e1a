// Caffe's text, old and new, and its weights.
#include "profiles/importers/caffe/tandem_caffe.pb.h"
#include "tests/fuzz/message_mutations.h"
#include "tests/fuzz/readers.h"
#include "tests/support/caffe_import.h"

namespace tandem {
namespace {

const std::string kNet = test::WithData(
    "1 2 3 3",
    test::LayerText("c", "Convolution", "data", "c", "convolution_param { num_output: 2 kernel_size: 1 }") +
        test::LayerText("r", "ReLU", "c", "c") + test::LayerText("p", "Softmax", "c", "p"));
const std::string kOldNet =
    "name: \"old\"\ninput: \"data\"\ninput_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8\n"
    "layers { name: \"c\" type: CONVOLUTION bottom: \"data\" top: \"c\"\n"
    "  convolution_param { num_output: 4 kernel_size: 3 pad: 1 } }\n"
    "layers { name: \"p\" type: POOLING bottom: \"c\" top: \"p\" pooling_param { pool: MAX kernel_size: 2 "
    "stride: 2 } }\n";

FuzzReader Texts() {
  return {"prototxt",
          {kNet, kOldNet},
          [](const std::string& bytes) { ImportCaffe(FuzzFile("net.prototxt", bytes), {}); },
          [](const std::string& text, std::mt19937_64& chance) {
            return WithTextFieldsChanged(caffe::NetParameter::default_instance(), text, chance);
          }};
}
const FuzzReaderRegistration kTexts(Texts);

std::string TrainedWeights() {
  caffe::TrainedNet net;
  auto& layer = *net.add_layer();
  layer.set_name("c");
  const auto add = [&](const std::vector<std::int64_t>& shape, int values) {
    caffe::BlobProto& blob = *layer.add_blobs();
    for (const std::int64_t extent : shape) blob.mutable_shape()->add_dim(extent);
    for (int value = 0; value < values; ++value) blob.add_data(static_cast<float>(value));
  };
  add({2, 2, 1, 1}, 4);
  add({2}, 2);
  return net.SerializeAsString();
}

FuzzReader CaffeModels() {
  return {"caffemodel",
          {TrainedWeights()},
          [](const std::string& bytes) {
            static const std::filesystem::path net = FuzzFile("trained.prototxt", kNet);
            ImportOptions options;
            options.weights = FuzzFile("net.caffemodel", bytes);
            ImportCaffe(net, options);
          },
          [](const std::string& bytes, std::mt19937_64& chance) {
            return WithFieldsChanged(caffe::TrainedNet::default_instance(), bytes, chance);
          }};
}
const FuzzReaderRegistration kCaffeModels(CaffeModels);

}  // namespace
}  // namespace tandem
