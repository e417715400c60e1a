// Is what a file for training and testing says of inference found, and nothing else?
#include "tests/support/caffe_import.h"

namespace tandem {
namespace {

using test::LayerText;
using test::Summary;
using test::WithData;
using CaffePhase = test::CaffeTest;

constexpr const char* kTrainVal = R"(
name: "Small"
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN }
        transform_param { mirror: true crop_size: 9 mean_file: "m" } data_param { source: "t" batch_size: 256 } }
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TEST }
        transform_param { mirror: false crop_size: 8 mean_file: "m" } data_param { source: "v" batch_size: 50 } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
        param { lr_mult: 1 decay_mult: 1 } param { lr_mult: 2 decay_mult: 0 }
        inner_product_param { num_output: 5 weight_filler { type: "gaussian" std: 0.01 } } }
layer { name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" include { phase: TEST }
        accuracy_param { top_k: 5 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 0.3 }
)";

TEST_F(CaffePhase, OfATrainValFileTheNetworkIsLeft) {
  const Model model = Import(kTrainVal);
  EXPECT_EQ(Summary(model), "input data 1x3x8x8; fc ip (data) 1x5; softmax loss (ip) 1x5");
  EXPECT_EQ(model.name(), "Small");
}

TEST_F(CaffePhase, ALossLeavesNoSecondSoftmax) {
  EXPECT_EQ(Summary(Import(std::string(kTrainVal) + LayerText("prob", "Softmax", "ip", "prob"))),
            "input data 1x3x8x8; fc ip (data) 1x5; softmax prob (ip) 1x5");
}

TEST_F(CaffePhase, OtherLossesGo) {
  const std::string net =
      WithData("1 4", LayerText("ip", "InnerProduct", "data", "ip", "inner_product_param { num_output: 5 }"));
  EXPECT_EQ(Summary(Import(net + LayerText("l", "EuclideanLoss", "ip", "l"))),
            "input data 1x4; fc ip (data) 1x5");
  EXPECT_EQ(Summary(Import(net + LayerText("l", "SigmoidCrossEntropyLoss", "ip", "l"))),
            "input data 1x4; fc ip (data) 1x5; sigmoid l (ip) 1x5");
}

TEST_F(CaffePhase, LayersThatReadLabelsAloneGoToo) {
  EXPECT_EQ(Summary(Import("layer { name: 'd' type: 'Data' top: 'data' top: 'label' "
                           "transform_param { crop_size: 4 force_gray: true } }" +
                           LayerText("half", "Power", "label", "half", "power_param { scale: 0.5 }") +
                           LayerText("r", "ReLU", "data", "r") +
                           "layer { name: 'l' type: 'EuclideanLoss' bottom: 'r' bottom: 'half' top: 'l' }")),
            "input data 1x1x4x4; relu r (data) 1x1x4x4");
}

TEST_F(CaffePhase, ALayerThatMixesDataAndLabelsIsAnError) {
  EXPECT_EQ(ErrorOf("layer { name: 'd' type: 'Data' top: 'data' top: 'label' "
                    "transform_param { crop_size: 4 } }\n"
                    "layer { name: 'c' type: 'Concat' bottom: 'data' bottom: 'label' top: 'c' }"),
            "net.prototxt:2:1: layer \"c\" (Concat): reads \"label\", which is the labels of layer \"d\" and "
            "serves training alone");
}

TEST_F(CaffePhase, RulesOfStageAndLevel) {
  const auto kept = [&](const std::string& rule) {
    return Import("state { level: 2 stage: 'deploy' } " +
                  WithData("1 4",
                           LayerText("a", "ReLU", "data", "a") + LayerText("b", "TanH", "data", "b", rule)))
               .size() == 3;
  };
  EXPECT_TRUE(kept("include { phase: TEST }"));
  EXPECT_FALSE(kept("include { phase: TRAIN }"));
  EXPECT_TRUE(kept("include { phase: TRAIN } include { stage: 'deploy' }"));
  EXPECT_FALSE(kept("include { stage: 'other' }"));
  EXPECT_FALSE(kept("include { not_stage: 'deploy' }"));
  EXPECT_TRUE(kept("include { min_level: 2 max_level: 2 }"));
  EXPECT_FALSE(kept("include { min_level: 3 }"));
  EXPECT_FALSE(kept("include { max_level: 1 }"));
  EXPECT_FALSE(kept("exclude { phase: TEST }"));
  EXPECT_TRUE(kept("exclude { phase: TRAIN }"));
  EXPECT_TRUE(kept("include: { phase: TEST }"));
}

TEST_F(CaffePhase, BothKindsOfRuleAreAnError) {
  EXPECT_EQ(ErrorOf(WithData("1 4", LayerText("a", "ReLU", "data", "a",
                                              "include { phase: TEST } exclude { phase: TRAIN }"))),
            "net.prototxt:2:1: layer \"a\" has both include and exclude rules; Caffe takes one kind");
}

TEST_F(CaffePhase, ArgMaxIsLeftOutOnlyWhereNothingDependsOnIt) {
  const std::string net =
      WithData("1 4", LayerText("am", "ArgMax", "data", "am", "argmax_param { axis: 1 }"));
  const std::string rest = LayerText("s", "Softmax", "data", "s");
  EXPECT_EQ(Summary(Import(net + rest + "layer { name: 'q' type: 'Silence' bottom: 'am' }")),
            "input data 1x4; softmax s (data) 1x4");
  EXPECT_EQ(ErrorOf(net + rest),
            "net.prototxt:2:1: layer \"am\" (ArgMax): is not supported where its top is what the network "
            "answers");
}

}  // namespace
}  // namespace tandem
