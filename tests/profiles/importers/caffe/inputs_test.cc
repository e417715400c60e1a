// Is the input found however a Caffe file declares it, at batch 1, and is a missing shape said to be missing?
#include "tests/support/caffe_import.h"

namespace tandem {
namespace {

using test::LayerText;
using test::Summary;
using CaffeInputs = test::CaffeTest;

const std::string kRelu = LayerText("r", "ReLU", "data", "r");
constexpr const char* kExpected = "input data 1x3x8x6; relu r (data) 1x3x8x6";

TEST_F(CaffeInputs, InputWithFourDims) {
  EXPECT_EQ(Summary(Import("input: 'data' input_dim: 10 input_dim: 3 input_dim: 8 input_dim: 6 " + kRelu)),
            kExpected);
}

TEST_F(CaffeInputs, InputWithShape) {
  EXPECT_EQ(Summary(Import("input: 'data' input_shape { dim: 10 dim: 3 dim: 8 dim: 6 } " + kRelu)),
            kExpected);
}

TEST_F(CaffeInputs, LayerOfTypeInput) {
  EXPECT_EQ(Summary(Import("layer { name: 'in' type: 'Input' top: 'data' "
                           "input_param { shape: { dim: [10, 3, 8, 6] } } }" +
                           kRelu)),
            kExpected);
}

TEST_F(CaffeInputs, DataLayersCropTheirImages) {
  const std::string label = "layer { name: 'd' type: 'Data' top: 'data' top: 'label' ";
  EXPECT_EQ(Summary(Import(label +
                           "transform_param { crop_size: 7 mean_value: 1 mean_value: 2 } "
                           "data_param { source: 'x' batch_size: 256 backend: LMDB } }" +
                           kRelu)),
            "input data 1x2x7x7; relu r (data) 1x2x7x7");
  EXPECT_EQ(Summary(Import(label + "data_param { crop_size: 5 } }" + kRelu)),
            "input data 1x3x5x5; relu r (data) 1x3x5x5");
  EXPECT_EQ(Summary(Import("layers { name: 'd' type: IMAGE_DATA top: 'data' top: 'label' "
                           "image_data_param { new_height: 4 new_width: 5 is_color: false } }"
                           "layers { name: 'r' type: RELU bottom: 'data' top: 'r' }")),
            "input data 1x1x4x5; relu r (data) 1x1x4x5");
}

TEST_F(CaffeInputs, AssumedChannelsAreNoted) {
  const std::string data = "layer { name: 'd' type: 'Data' top: 'data' transform_param { crop_size: 7 ";
  const ImportedModel assumed = ImportText(data + "} }" + kRelu);
  EXPECT_EQ(assumed.model.layers()[0].output, (Shape{1, 3, 7, 7}));
  ASSERT_EQ(assumed.notes.size(), 1u);
  EXPECT_EQ(assumed.notes[0],
            "layer \"d\": the file does not say how many channels its images have; 3 are assumed");
  EXPECT_TRUE(ImportText(data + "force_gray: true } }" + kRelu).notes.empty());
}

TEST_F(CaffeInputs, MemoryAndDummyDataSayTheirShape) {
  EXPECT_EQ(Summary(Import("layer { name: 'd' type: 'MemoryData' top: 'data' top: 'label' memory_data_param "
                           "{ batch_size: 9 channels: 3 height: 8 width: 6 } }" +
                           kRelu)),
            kExpected);
  EXPECT_EQ(Summary(Import("layer { name: 'd' type: 'DummyData' top: 'data' dummy_data_param "
                           "{ num: 9 channels: 3 height: 8 width: 6 data_filler { type: 'constant' } } }" +
                           kRelu)),
            kExpected);
}

TEST_F(CaffeInputs, SeveralInputs) {
  const std::string sum = "layer { name: 's' type: 'Eltwise' bottom: 'a' bottom: 'b' top: 's' }";
  EXPECT_EQ(Summary(Import(
                "input: 'a' input: 'b' input_shape { dim: 2 dim: 3 } input_shape { dim: 2 dim: 3 }" + sum)),
            "input a 1x3; input b 1x3; add s (a, b) 1x3");
  EXPECT_EQ(Summary(Import("layer { name: 'in' type: 'Input' top: 'a' top: 'b' "
                           "input_param { shape { dim: 2 dim: 3 } } }" +
                           sum)),
            "input a 1x3; input b 1x3; add s (a, b) 1x3");
}

TEST_F(CaffeInputs, AnInputThatOnlyTrainingReadsIsNone) {
  EXPECT_EQ(Summary(Import("input: 'data' input: 'label' input_shape { dim: 1 dim: 3 } input_shape { dim: 1 }"
                           "layer { name: 's' type: 'Softmax' bottom: 'data' top: 's' }"
                           "layer { name: 'a' type: 'Accuracy' bottom: 's' bottom: 'label' top: 'a' }")),
            "input data 1x3; softmax s (data) 1x3");
}

TEST_F(CaffeInputs, TheAskedShapeGoesBeforeTheFiles) {
  ImportOptions options;
  options.input = Shape{2, 3, 4, 4};
  const std::string said = "input: 'data' input_dim: 10 input_dim: 3 input_dim: 8 input_dim: 6 ";
  EXPECT_EQ(Summary(ImportText(said + kRelu, options).model), "input data 2x3x4x4; relu r (data) 2x3x4x4");
  EXPECT_EQ(Summary(ImportText("input: 'data' " + kRelu, options).model),
            "input data 2x3x4x4; relu r (data) 2x3x4x4");
  EXPECT_EQ(Summary(ImportText("layer { name: 'd' type: 'Python' top: 'data' top: 'label' "
                               "python_param { module: 'm' anything: 1 } }" +
                                   kRelu,
                               options)
                        .model),
            "input data 2x3x4x4; relu r (data) 2x3x4x4");
}

TEST_F(CaffeInputs, AShapeThatNobodySaysIsAskedFor) {
  const std::string ask = "; give it with `tandem models import --input`, such as 1x3x224x224";
  EXPECT_EQ(ErrorOf("layer { name: 'mnist' type: 'Data' top: 'data' top: 'label'\n"
                    "  transform_param { scale: 0.0039 } }\n" +
                    kRelu),
            "net.prototxt:1:1: the file does not say the shape of the input \"data\"" + ask);
  EXPECT_EQ(ErrorOf("input: 'data' " + kRelu),
            "net.prototxt: the file does not say the shape of the input \"data\"" + ask);
  EXPECT_EQ(ErrorOf("\nlayer { name: 'd' type: 'Input' top: 'data' }" + kRelu),
            "net.prototxt:2:1: the file does not say the shape of the input \"data\"" + ask);
}

TEST_F(CaffeInputs, ShapesThatDoNotFit) {
  EXPECT_EQ(ErrorOf("input: 'data' input_dim: 1 input_dim: 3 input_dim: 8 " + kRelu),
            "net.prototxt: has 3 input_dim for 1 input, takes 4 each");
  EXPECT_EQ(ErrorOf("input: 'data' input_shape { dim: 1 } input_shape { dim: 1 } " + kRelu),
            "net.prototxt: has 2 input_shape for 1 input, takes 1 each");
  EXPECT_EQ(ErrorOf("input: 'data' input_shape { dim: 1 dim: -3 } " + kRelu),
            "net.prototxt: an input of the network: an output extent of -3 is out of range");
}

}  // namespace
}  // namespace tandem
