// Does a slip in a Caffe file end in a message that says where and what, whatever the slip is?
#include "tests/support/caffe_import.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using test::LayerText;
using test::Summary;
using test::WithData;
using CaffeText = test::CaffeTest;

std::string Conv(const std::string& param) {
  return WithData("1 3 8 8",
                  "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c'\n"
                  "  convolution_param { num_output: 4 " +
                      param + " } }");
}

TEST_F(CaffeText, UnknownFieldsHaveTheirPlace) {
  EXPECT_EQ(ErrorOf(Conv("kernal_size: 3")),
            "net.prototxt:3:37: unknown field \"kernal_size\" in convolution_param; did you mean "
            "\"kernel_size\"?");
  EXPECT_EQ(ErrorOf("nmae: 'x'\n" + Conv("kernel_size: 3")),
            "net.prototxt:1:1: unknown field \"nmae\" in the network; did you mean \"name\"?");
  EXPECT_EQ(ErrorOf(WithData("1 3", "layer { name: 'c' type: 'ReLU' buttom: 'data' top: 'c' }")),
            "net.prototxt:2:32: unknown field \"buttom\" in a layer; did you mean \"bottom\"?");
  EXPECT_EQ(ErrorOf(WithData("1 3", LayerText("c", "ReLU", "data", "c", "param { lr_mul: 1 }"))),
            "net.prototxt:2:64: unknown field \"lr_mul\" in param; did you mean \"lr_mult\"?");
}

TEST_F(CaffeText, UnsupportedTypesAreNamedWithTheirLayer) {
  EXPECT_EQ(ErrorOf(WithData("1 3 8 8", LayerText("p", "PriorBox", "data", "p",
                                                  "prior_box_param { min_size: 30 nested { a: 1 } }"))),
            "net.prototxt:2:1: layer \"p\": type \"PriorBox\" is not supported");
  EXPECT_EQ(ErrorOf(WithData("1 3 8 8", LayerText("c", "Convolutoin", "data", "c"))),
            "net.prototxt:2:1: layer \"c\": type \"Convolutoin\" is not supported; did you mean "
            "\"Convolution\"?");
  EXPECT_EQ(ErrorOf(WithData("1 3 8 8", "layer { name: 'c' bottom: 'data' top: 'c' }")),
            "net.prototxt:2:1: layer \"c\": has no type");
  EXPECT_EQ(ErrorOf(WithData("1 3 8 8", "layers { name: 'c' type: IM2COL bottom: 'data' top: 'c' }")),
            "net.prototxt:2:1: layer \"c\": type \"Im2col\" is not supported");
}

TEST_F(CaffeText, UnknownValuesOfEnumerations) {
  EXPECT_EQ(ErrorOf("layers { name: 'c'\n  type: CONVOLUTON }"),
            "net.prototxt:2:9: unknown value \"CONVOLUTON\" of \"type\"; did you mean \"CONVOLUTION\"?");
  EXPECT_EQ(
      ErrorOf(WithData("1 3 8 8", LayerText("p", "Pooling", "data", "p", "pooling_param { pool: MEDIAN }"))),
      "net.prototxt:2:81: unknown value \"MEDIAN\" of \"pool\"; known: AVE, MAX, STOCHASTIC");
}

TEST_F(CaffeText, BrokenTextHasItsPlace) {
  EXPECT_EQ(ErrorOf("layer { name: 'c' type: }").rfind("net.prototxt:1:25: ", 0), 0u);
  EXPECT_EQ(ErrorOf(Conv("kernel_size: -3")).rfind("net.prototxt:3:50: ", 0), 0u);
  EXPECT_EQ(ErrorOf(Conv("kernel_size: 1.5")).rfind("net.prototxt:3:50: ", 0), 0u);
  EXPECT_EQ(ErrorOf(Conv("kernel_size: 99999999999999999999")).rfind("net.prototxt:3:50: ", 0), 0u);
  EXPECT_EQ(ErrorOf(Conv("kernel_size: 3 group: 1 group: 1")).rfind("net.prototxt:3:", 0), 0u);
  EXPECT_EQ(ErrorOf(Conv("kernel_size: 3")), "");
}

TEST_F(CaffeText, AbsurdFilesAreRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a {\n";
  EXPECT_EQ(ErrorOf(deep), "net.prototxt:33: is nested more than 32 deep");
  std::string many;
  for (int i = 0; i < 200'001; ++i) many += "layer{}";
  EXPECT_EQ(ErrorOf(many), "net.prototxt: has more than 200000 messages, the most that is read");
  EXPECT_EQ(ErrorOf(""), "net.prototxt: the model has no layers");
  EXPECT_NE(ErrorOf(std::string("\0\xff\x80layer", 8)), "");
  EXPECT_EQ(
      ErrorOf(Conv("kernel_size: 4000000000")),
      "net.prototxt:2:1: layer \"c\" (Convolution): a kernel, stride or dilation of 4000000000 is out of "
      "range");
  EXPECT_NE(ErrorOf(WithData("1 2000000000 2000000000 2000000000", LayerText("r", "ReLU", "data", "r"))), "");
}

TEST_F(CaffeText, OfAnyOtherFileThatAFileNamesNothingIsRepeated) {
  const std::filesystem::path file = Write("config.prototxt", "Host: build\nKey: 'a secret'\n");
  FileToRead(file.string(), "s.json");
  EXPECT_EQ(tandem::ErrorOf([&] { ImportCaffe(file, {}); }),
            file.string() + ": is not the text of a Caffe network: no layer is in it");
  const std::filesystem::path broken = Write("broken.prototxt", "a secret\n");
  FileToRead(broken.string(), "s.json");
  EXPECT_EQ(tandem::ErrorOf([&] { ImportCaffe(broken, {}); }),
            broken.string() + ": is not the text of a Caffe network: no layer is in it");
  const std::filesystem::path net = Write("named.prototxt", Conv("kernal_size: 3"));
  FileToRead(net.string(), "s.json");
  EXPECT_NE(tandem::ErrorOf([&] { ImportCaffe(net, {}); }).find("unknown field \"kernal_size\""),
            std::string::npos);
}

TEST_F(CaffeText, MixedAndAncientSyntaxAreRefused) {
  EXPECT_EQ(ErrorOf("layer { name: 'a' type: 'ReLU' }\nlayers { name: 'b' type: RELU }"),
            "net.prototxt:2:1: mixes the old syntax `layers` with the new one `layer`");
  EXPECT_EQ(ErrorOf("layers { layer { name: 'c' type: 'conv' num_output: 3 } bottom: 'data' top: 'c' }"),
            "net.prototxt:1:1: is in Caffe's syntax of 2013 (`layers { layer { ... } }`), which is not read; "
            "Caffe's tool upgrade_net_proto_text brings it up to date");
}

TEST_F(CaffeText, FieldsOfTrainingAndEnginesAreRead) {
  EXPECT_EQ(Summary(Import("force_backward: true debug_info: false # a comment with { braces\n" +
                           Conv("kernel_size: 3 engine: CUDNN weight_filler { type: 'msra' "
                                "variance_norm: FAN_OUT } bias_filler { value: 0.2 }"))),
            "input data 1x3x8x8; conv c (data) 1x4x6x6");
}

TEST_F(CaffeText, BlobsThatNobodyMakes) {
  EXPECT_EQ(
      ErrorOf(WithData("1 3", LayerText("a", "ReLU", "dato", "a"))),
      "net.prototxt:2:1: layer \"a\" (ReLU): reads \"dato\", which no layer before it makes; did you mean "
      "\"data\"?");
  // A reader before the writer is no network of Caffe's either.
  EXPECT_NE(ErrorOf(WithData("1 3", LayerText("a", "ReLU", "b", "a") + LayerText("b", "ReLU", "data", "b"))),
            "");
}

TEST_F(CaffeText, NumbersOfBottomsAndTops) {
  EXPECT_EQ(ErrorOf(WithData("1 3", "layer { name: 'a' type: 'ReLU' top: 'a' }")),
            "net.prototxt:2:1: layer \"a\" (ReLU): takes 1 bottoms, has 0");
  EXPECT_EQ(ErrorOf(WithData("1 3", "layer { name: 'a' type: 'ReLU' bottom: 'data' top: 'a' top: 'b' }")),
            "net.prototxt:2:1: layer \"a\" (ReLU): makes 1 tops, has 2");
  EXPECT_EQ(ErrorOf(WithData("1 3", "layer { name: 'a' type: 'Eltwise' bottom: 'data' top: 'a' }")),
            "net.prototxt:2:1: layer \"a\" (Eltwise): takes 2 or more bottoms, has 1");
}

TEST_F(CaffeText, NamesStayUniqueAndLaterReadersReadTheNewestWriter) {
  EXPECT_EQ(Summary(Import(WithData(
                "1 3", LayerText("a", "ReLU", "data", "data") + LayerText("a", "TanH", "data", "data") +
                           LayerText("", "Sigmoid", "data", "out") + LayerText("a", "ELU", "out", "data") +
                           LayerText("z", "AbsVal", "data", "z")))),
            "input data 1x3; relu a (data) 1x3; tanh a_2 (a) 1x3; sigmoid out (a_2) 1x3; elu a_3 (out) 1x3; "
            "abs z (a_3) 1x3");
}

}  // namespace
}  // namespace tandem
