// Is each type of Caffe layer what Caffe makes of it: operation, shape, attributes, parts?
#include "tests/support/caffe_import.h"

namespace tandem {
namespace {

using test::LayerText;
using test::Summary;
using test::WithData;

class CaffeLayers : public test::CaffeTest {
 protected:
  // The layers after the input of a network of one layer `x`.
  std::string Of(const std::string& shape, const std::string& type, const std::string& param = {}) {
    return Tail(WithData(shape, LayerText("x", type, "data", "x", param)));
  }
  std::string Tail(const std::string& text) {
    const std::string all = Summary(Import(text));
    return all.substr(all.find("; ") + 2);
  }
  std::string Why(const std::string& shape, const std::string& type, const std::string& param = {}) {
    const std::string error = ErrorOf(WithData(shape, LayerText("x", type, "data", "x", param)));
    const std::string place = "net.prototxt:2:1: layer \"x\" (" + type + "): ";
    return error.rfind(place, 0) == 0 ? error.substr(place.size()) : error;
  }
  // The layer `x` itself.
  template <class A>
  A Attributes(const std::string& shape, const std::string& type, const std::string& param = {}) {
    const Model model = Import(WithData(shape, LayerText("x", type, "data", "x", param)));
    return model.layer(model.Find("x")).As<A>();
  }
};

TEST_F(CaffeLayers, ConvolutionInEverySpelling) {
  const auto conv = [&](const std::string& p) {
    return Of("1 4 9 9", "Convolution", "convolution_param { num_output: 6 " + p + " }");
  };
  EXPECT_EQ(conv("kernel_size: 3"), "conv x (data) 1x6x7x7");
  EXPECT_EQ(conv("kernel_size: 3 kernel_size: 5"), "conv x (data) 1x6x7x5");
  EXPECT_EQ(conv("kernel_h: 1 kernel_w: 7 pad_h: 0 pad_w: 3"), "conv x (data) 1x6x9x9");
  EXPECT_EQ(conv("kernel_size: 3 stride_h: 2 stride_w: 1 pad: 1"), "conv x (data) 1x6x5x9");
  EXPECT_EQ(conv("kernel_size: 3 stride: [3, 1] pad: [0, 1]"), "conv x (data) 1x6x3x9");
  EXPECT_EQ(conv("kernel_size: 3 dilation: 2"), "conv x (data) 1x6x5x5");
  // Rounded down, unlike pooling.
  EXPECT_EQ(conv("kernel_size: 2 stride: 2"), "conv x (data) 1x6x4x4");
}

TEST_F(CaffeLayers, ConvolutionsParameters) {
  const auto params = [&](const std::string& type, const std::string& p) {
    return Import(WithData("1 4 9 9", LayerText("x", type, "data", "x", "convolution_param { " + p + " }")))
        .totals()
        .params;
  };
  EXPECT_EQ(params("Convolution", "num_output: 6 kernel_size: 3"), 6 * 4 * 9 + 6);
  EXPECT_EQ(params("Convolution", "num_output: 6 kernel_size: 3 group: 2 bias_term: false"), 6 * 2 * 9);
  EXPECT_EQ(params("ConvolutionDepthwise", "num_output: 4 kernel_size: 3 bias_term: false"), 4 * 9);
  EXPECT_EQ(params("DepthwiseConvolution", "num_output: 4 kernel_size: 3 group: 4"), 4 * 9 + 4);
  EXPECT_EQ(params("Deconvolution", "num_output: 2 kernel_size: 4 stride: 2"), 4 * 2 * 16 + 2);
}

TEST_F(CaffeLayers, ConvolutionsMistakes) {
  const auto why = [&](const std::string& p) {
    return Why("1 4 9 9", "Convolution", "convolution_param { " + p + " }");
  };
  EXPECT_EQ(why("kernel_size: 3"), "needs a num_output");
  EXPECT_EQ(why("num_output: 6"), "needs a kernel_size, or kernel_h and kernel_w");
  EXPECT_EQ(why("num_output: 6 kernel_h: 3"), "needs a kernel_size, or kernel_h and kernel_w");
  EXPECT_EQ(why("num_output: 6 kernel_size: 3 kernel_h: 3 kernel_w: 3"),
            "gives its kernel_size both as one and by height and width");
  EXPECT_EQ(why("num_output: 6 kernel_size: [3, 3, 3]"),
            "gives kernel_size for 3 axes; layers over images have two");
  EXPECT_EQ(why("num_output: 6 kernel_size: 3 axis: 2"), "an axis other than 1 is not supported");
  EXPECT_NE(why("num_output: 6 kernel_size: 3 group: 0"), "");
  EXPECT_NE(why("num_output: 6 kernel_size: 3 stride: 0"), "");
  EXPECT_NE(why("num_output: 6 kernel_size: 10"), "");
  EXPECT_EQ(Why("1 4", "Convolution", "convolution_param { num_output: 6 kernel_size: 1 }"),
            "works on images, its bottom is of shape 1x4");
}

TEST_F(CaffeLayers, Deconvolution) {
  EXPECT_EQ(Of("1 4 9 9", "Deconvolution",
               "convolution_param { num_output: 2 kernel_size: 4 stride: 2 pad: 1 bias_term: false }"),
            "deconv x (data) 1x2x18x18");
}

TEST_F(CaffeLayers, PoolingRoundsUpUnlessToldOtherwise) {
  const auto pool = [&](const std::string& p) {
    return Of("1 4 8 8", "Pooling", "pooling_param { " + p + " }");
  };
  EXPECT_EQ(pool("kernel_size: 3 stride: 2"), "max_pool x (data) 1x4x4x4");
  EXPECT_EQ(pool("pool: AVE kernel_size: 3 stride: 2"), "avg_pool x (data) 1x4x4x4");
  EXPECT_EQ(pool("kernel_size: 3 stride: 2 ceil_mode: false"), "max_pool x (data) 1x4x3x3");
  EXPECT_EQ(pool("kernel_size: 3 stride: 2 round_mode: FLOOR"), "max_pool x (data) 1x4x3x3");
  EXPECT_EQ(pool("kernel_h: 2 kernel_w: 3 stride_h: 2 stride_w: 1"), "max_pool x (data) 1x4x4x6");
  EXPECT_EQ(pool("pool: AVE global_pooling: true"), "avg_pool x (data) 1x4x1x1");
  // The last window would start in the padding on the right: clipped.
  EXPECT_EQ(pool("kernel_size: 2 stride: 2 pad: 1"), "max_pool x (data) 1x4x5x5");
  // Larger than the image, which Caffe clips.
  EXPECT_EQ(pool("pool: AVE kernel_size: 9 stride: 9"), "avg_pool x (data) 1x4x1x1");
}

TEST_F(CaffeLayers, AWindowOfPoolingOutsideTheImageIsNoted) {
  const ImportedModel import = ImportText(WithData(
      "1 4 8 8", LayerText("x", "Pooling", "data", "x", "pooling_param { kernel_size: 1 stride: 2 }")));
  EXPECT_EQ(import.model.layers()[1].output, (Shape{1, 4, 4, 4}));
  EXPECT_EQ(import.notes.size(), 1u);
}

TEST_F(CaffeLayers, PoolingsMistakes) {
  const auto why = [&](const std::string& p) {
    return Why("1 4 8 8", "Pooling", "pooling_param { " + p + " }");
  };
  EXPECT_EQ(why("pool: STOCHASTIC kernel_size: 3"),
            "STOCHASTIC pooling is not supported, only MAX and AVE are");
  EXPECT_EQ(why("global_pooling: true kernel_size: 8"), "has a kernel size beside global_pooling");
  EXPECT_EQ(why("global_pooling: true stride: 2"), "has a stride or a pad beside global_pooling");
  EXPECT_EQ(why("kernel_size: 2 ceil_mode: true round_mode: FLOOR"),
            "its round_mode and its ceil_mode contradict each other");
  EXPECT_NE(why("kernel_size: 2 pad: 2"), "");
  EXPECT_NE(why("kernel_size: 4294967295 pad: 4294967295 stride: 4294967295"), "");
}

TEST_F(CaffeLayers, ElementByElement) {
  EXPECT_EQ(Of("1 3", "ReLU"), "relu x (data) 1x3");
  EXPECT_EQ(Of("1 3", "ReLU6"), "relu6 x (data) 1x3");
  EXPECT_EQ(Attributes<LeakyReluAttributes>("1 3", "ReLU", "relu_param { negative_slope: 0.5 }").slope, 0.5);
  EXPECT_EQ(Attributes<EluAttributes>("1 3", "ELU", "elu_param { alpha: 2 }").alpha, 2);
  EXPECT_EQ(Of("1 3", "Sigmoid", "sigmoid_param { engine: CAFFE }"), "sigmoid x (data) 1x3");
  EXPECT_EQ(Of("1 3", "TanH"), "tanh x (data) 1x3");
  EXPECT_EQ(Of("1 3", "AbsVal"), "abs x (data) 1x3");
  EXPECT_EQ(Of("1 3", "BNLL"), "softplus x (data) 1x3");
  EXPECT_EQ(Of("1 3", "Clip", "clip_param { min: 0 max: 6 }"), "relu6 x (data) 1x3");
  EXPECT_EQ(Attributes<ClipAttributes>("1 3", "Clip", "clip_param { min: -1 max: 2 }").min, -1);
  EXPECT_EQ(Why("1 3", "Clip", "clip_param { min: 0 }"), "clip_param needs min and max");
  EXPECT_EQ(Attributes<DropoutAttributes>("1 3", "Dropout", "dropout_param { dropout_ratio: 0.25 }").ratio,
            0.25);
  EXPECT_TRUE(Attributes<PreluAttributes>("1 3", "PReLU", "prelu_param { channel_shared: true }").shared);
}

TEST_F(CaffeLayers, PowersExponentsAndLogarithmsInSteps) {
  EXPECT_EQ(Of("1 3", "Power"), "identity x (data) 1x3");
  EXPECT_EQ(Of("1 3", "Power", "power_param { power: 2 scale: 3 shift: 1 }"),
            "mul x/times (data) 1x3; add x/plus (x/times) 1x3; pow x (x/plus) 1x3");
  EXPECT_EQ(Of("1 3", "Exp"), "exp x (data) 1x3");
  EXPECT_EQ(Of("1 3", "Exp", "exp_param { base: 2 }"), "mul x/times (data) 1x3; exp x (x/times) 1x3");
  EXPECT_EQ(Of("1 3", "Log", "log_param { shift: 1 }"), "add x/plus (data) 1x3; log x (x/plus) 1x3");
  EXPECT_EQ(Of("1 3", "Log", "log_param { base: 10 }"), "log x/log (data) 1x3; mul x (x/log) 1x3");
  EXPECT_EQ(Why("1 3", "Log", "log_param { base: 1 }"), "a base of 1 has no logarithm");
  EXPECT_NE(Why("1 3", "Exp", "exp_param { base: -2 }"), "");
  EXPECT_EQ(Why("1 3", "Exp", "exp_param { base: nan }"),
            "net.prototxt:2:1: layer \"x\": base is no finite number");
  EXPECT_EQ(Why("1 3", "Power", "power_param { scale: 1e400 }"),
            "net.prototxt:2:1: layer \"x\": scale is no finite number");
}

TEST_F(CaffeLayers, Lrn) {
  const LrnAttributes across =
      Attributes<LrnAttributes>("1 3 4 4", "LRN", "lrn_param { local_size: 3 alpha: 2 beta: 0.5 k: 4 }");
  EXPECT_EQ(across.size, 3);
  EXPECT_EQ(across.alpha, 2);
  EXPECT_EQ(across.beta, 0.5);
  EXPECT_EQ(across.k, 4);
  EXPECT_FALSE(across.within_channel);
  EXPECT_TRUE(Attributes<LrnAttributes>("1 3 4 4", "LRN", "lrn_param { norm_region: WITHIN_CHANNEL }")
                  .within_channel);
  EXPECT_EQ(Why("1 3 4 4", "LRN", "lrn_param { local_size: 4 }"),
            "a local_size of 4: Caffe takes odd ones alone");
}

TEST_F(CaffeLayers, InnerProduct) {
  EXPECT_EQ(Of("1 3 4 4", "InnerProduct", "inner_product_param { num_output: 7 }"), "fc x (data) 1x7");
  EXPECT_EQ(Of("1 3 4", "InnerProduct", "inner_product_param { num_output: 7 axis: -1 transpose: true }"),
            "fc x (data) 1x3x7");
  EXPECT_EQ(Why("1 3", "InnerProduct"), "needs a num_output");
}

TEST_F(CaffeLayers, BatchNormAndScale) {
  const Model model = Import(WithData(
      "1 3 4 4", LayerText("b", "BatchNorm", "data", "data", "batch_norm_param { use_global_stats: true }") +
                     LayerText("s", "Scale", "data", "data", "scale_param { bias_term: true }")));
  EXPECT_EQ(Summary(model), "input data 1x3x4x4; batch_norm b (data) 1x3x4x4; scale s (b) 1x3x4x4");
  EXPECT_EQ(model.totals().params, 6);
  EXPECT_EQ(model.totals().state, 6);
  EXPECT_EQ(Attributes<BatchNormAttributes>("1 3 4 4", "BatchNorm").epsilon, 1e-5);
}

TEST_F(CaffeLayers, ScaleAndBiasOverOtherAxes) {
  EXPECT_EQ(Of("1 3 4 5", "Scale", "scale_param { axis: 2 num_axes: 1 }"), "mul x (data) 1x3x4x5");
  EXPECT_EQ(Attributes<ElementwiseAttributes>("1 3 4 5", "Scale", "scale_param { axis: 2 }").constant_shape,
            (Shape{4, 1}));
  EXPECT_EQ(Attributes<ElementwiseAttributes>("1 3 4 5", "Bias", "bias_param { }").constant_shape,
            (Shape{3, 1, 1}));
  EXPECT_EQ(Attributes<ElementwiseAttributes>("1 3 4 5", "Bias", "bias_param { num_axes: 0 }").constant_shape,
            (Shape{}));
  EXPECT_EQ(Of("1 3 4 5", "Scale", "scale_param { num_axes: -1 bias_term: true }"),
            "mul x/times (data) 1x3x4x5; add x (x/times) 1x3x4x5");
  EXPECT_EQ(Why("1 3 4 5", "Scale", "scale_param { axis: 3 num_axes: 2 }"),
            "its num_axes of 2 is out of range");
}

TEST_F(CaffeLayers, ScaleByASecondBottom) {
  const std::string gate = LayerText("g", "Pooling", "data", "g", "pooling_param { global_pooling: true }");
  const std::string flat = LayerText("f", "Flatten", "g", "f");
  EXPECT_EQ(
      Tail(WithData("1 3 4 4", gate + flat +
                                   "layer { name: 'x' type: 'Scale' bottom: 'data' bottom: 'f' top: 'x' "
                                   "scale_param { axis: 0 } }")),
      "max_pool g (data) 1x3x1x1; flatten f (g) 1x3; reshape x/reshape (f) 1x3x1x1; "
      "mul x (data, x/reshape) 1x3x4x4");
  EXPECT_EQ(Tail(WithData("1 3 4 4", gate + "layer { name: 'x' type: 'Bias' bottom: 'data' bottom: 'data' "
                                            "top: 'x' }")),
            "max_pool g (data) 1x3x1x1; add x (data, data) 1x3x4x4");
  EXPECT_EQ(Tail(WithData("1 3 4 4", gate + "layer { name: 'x' type: 'Axpy' bottom: 'g' bottom: 'data' "
                                            "bottom: 'data' top: 'x' }")),
            "max_pool g (data) 1x3x1x1; mul x/times (g, data) 1x3x4x4; add x (x/times, data) 1x3x4x4");
  EXPECT_EQ(ErrorOf(WithData("1 3 4 4", gate) +
                    "layer { name: 'x' type: 'Scale' bottom: 'data' bottom: 'g' top: 'x' }"),
            "net.prototxt:3:1: layer \"x\" (Scale): its second bottom of 1x3x1x1 does not fit the first of "
            "1x3x4x4 from axis 0 on");
}

TEST_F(CaffeLayers, Eltwise) {
  const auto eltwise = [&](const std::string& p) {
    const Model model = Import(WithData("1 3",
                                        "layer { name: 'x' type: 'Eltwise' bottom: 'data' bottom: 'data' "
                                        "top: 'x' eltwise_param { " +
                                            p + " } }"));
    return model.layer(model.Find("x"));
  };
  EXPECT_EQ(eltwise("").op, Op::kAdd);
  EXPECT_EQ(eltwise("operation: PROD").op, Op::kMul);
  EXPECT_EQ(eltwise("operation: MAX stable_prod_grad: true").op, Op::kMax);
  EXPECT_TRUE(eltwise("coeff: 1 coeff: 1").As<ElementwiseAttributes>().coefficients.empty());
  EXPECT_EQ(eltwise("coeff: 1 coeff: -1").As<ElementwiseAttributes>().coefficients,
            (std::vector<double>{1, -1}));
  const std::string two = "layer { name: 'x' type: 'Eltwise' bottom: 'data' bottom: 'data' top: 'x' ";
  EXPECT_NE(ErrorOf(WithData("1 3", two + "eltwise_param { coeff: 1 } }")), "");
  EXPECT_NE(ErrorOf(WithData("1 3", two + "eltwise_param { operation: MAX coeff: 1 coeff: 2 } }")), "");
}

TEST_F(CaffeLayers, ConcatAndSlice) {
  const std::string twice = "layer { name: 'c' type: 'Concat' bottom: 'data' bottom: 'data' top: 'c' ";
  EXPECT_EQ(Tail(WithData("1 3 4 4", twice + "}")), "concat c (data, data) 1x6x4x4");
  EXPECT_EQ(Tail(WithData("1 3 4 4", twice + "concat_param { axis: -1 } }")),
            "concat c (data, data) 1x3x4x8");
  EXPECT_EQ(Tail(WithData("1 3 4 4", twice + "concat_param { concat_dim: 2 } }")),
            "concat c (data, data) 1x3x8x4");
  EXPECT_NE(ErrorOf(WithData("1 3 4 4", twice + "concat_param { concat_dim: 2 axis: 2 } }")), "");
  const std::string slice = "layer { name: 's' type: 'Slice' bottom: 'data' top: 'a' top: 'b' slice_param { ";
  EXPECT_EQ(Tail(WithData("1 6 4 4", slice + "} }" + LayerText("r", "ReLU", "b", "r"))),
            "slice s/a (data) 1x3x4x4; slice s/b (data) 1x3x4x4; relu r (s/b) 1x3x4x4");
  EXPECT_EQ(Tail(WithData("1 6 4 4", slice + "slice_point: 1 } }")),
            "slice s/a (data) 1x1x4x4; slice s/b (data) 1x5x4x4");
  EXPECT_EQ(Tail(WithData("1 6 4 4", slice + "axis: 2 slice_point: 3 } }")),
            "slice s/a (data) 1x6x3x4; slice s/b (data) 1x6x1x4");
  EXPECT_NE(ErrorOf(WithData("1 5 4 4", slice + "} }")), "");
  EXPECT_NE(ErrorOf(WithData("1 6 4 4", slice + "slice_point: 6 } }")), "");
  EXPECT_NE(ErrorOf(WithData("1 6 4 4", slice + "slice_point: 1 slice_point: 2 } }")), "");
}

TEST_F(CaffeLayers, SplitAndSoftmax) {
  EXPECT_EQ(Tail(WithData("1 3", "layer { name: 's' type: 'Split' bottom: 'data' top: 'a' top: 'b' }" +
                                     LayerText("r", "ReLU", "b", "r") + LayerText("t", "TanH", "a", "t"))),
            "identity s (data) 1x3; relu r (s) 1x3; tanh t (s) 1x3");
  EXPECT_EQ(Attributes<AxisAttributes>("1 3 4", "Softmax", "softmax_param { axis: -1 }").axis, 2);
  EXPECT_EQ(Why("1 3", "Softmax", "softmax_param { axis: 2 }"), "axis 2 is outside its bottom of 2 axes");
}

TEST_F(CaffeLayers, FlattenAndReshape) {
  EXPECT_EQ(Of("1 3 4 5", "Flatten"), "flatten x (data) 1x60");
  EXPECT_EQ(Of("1 3 4 5", "Flatten", "flatten_param { axis: 2 }"), "reshape x (data) 1x3x20");
  EXPECT_EQ(Of("1 3 4 5", "Flatten", "flatten_param { axis: 1 end_axis: 2 }"), "reshape x (data) 1x12x5");
  EXPECT_NE(Why("1 3 4 5", "Flatten", "flatten_param { axis: 2 end_axis: 1 }"), "");
  const auto reshape = [&](const std::string& p) {
    return Of("1 3 4 5", "Reshape", "reshape_param { " + p + " }");
  };
  EXPECT_EQ(reshape("shape { dim: 0 dim: -1 }"), "reshape x (data) 1x60");
  EXPECT_EQ(reshape("shape { dim: 0 dim: 0 dim: 20 }"), "reshape x (data) 1x3x20");
  EXPECT_EQ(reshape("shape { dim: 2 dim: 2 } axis: 2 num_axes: 1"), "reshape x (data) 1x3x2x2x5");
  EXPECT_EQ(reshape("shape { dim: 20 } axis: -3"), "reshape x (data) 1x3x20");
  EXPECT_EQ(reshape("shape { dim: 1 } axis: 1 num_axes: 0"), "reshape x (data) 1x1x3x4x5");
  EXPECT_NE(Why("1 3 4 5", "Reshape", "reshape_param { shape { dim: 7 } }"), "");
  EXPECT_NE(Why("1 3 4 5", "Reshape", "reshape_param { shape { dim: -9 } axis: -2147483648 }"), "");
  EXPECT_NE(Why("1 3 4 5", "Reshape", "reshape_param { num_axes: 2147483647 }"), "");
}

// Files repeat the batch of somebody's experiment; the network is read at batch 1 or the one that is asked
// for.
TEST_F(CaffeLayers, ReshapeToTheBatchOfTheFileKeepsTheBatch) {
  const auto reshape = [&](const std::string& dims) {
    return WithData("10 3 4 5",
                    LayerText("x", "Reshape", "data", "x", "reshape_param { shape {" + dims + "} }"));
  };
  const Model model = Import(reshape("dim: 10 dim: 12 dim: -1"));
  EXPECT_EQ(Summary(model), "input data 1x3x4x5; reshape x (data) 1x12x5");
  EXPECT_EQ(Summary(model.WithBatch(4)), "input data 4x3x4x5; reshape x (data) 4x12x5");
  ImportOptions options;
  options.input = Shape{2, 3, 4, 5};
  EXPECT_EQ(Summary(ImportText(reshape("dim: 10 dim: 60"), options).model),
            "input data 2x3x4x5; reshape x (data) 2x60");
  EXPECT_NE(ErrorOf(reshape("dim: 5 dim: 120")), "");
}

TEST_F(CaffeLayers, EveryWayToSayTheBatchIsKnownToReshape) {
  const std::string tail = LayerText("x", "Reshape", "d", "x", "reshape_param { shape { dim: 6 dim: -1 } }");
  const auto answer = [&](const std::string& input) { return Summary(Import(input + tail)); };
  EXPECT_EQ(answer("input: 'd' input_dim: 6 input_dim: 3 input_dim: 2 input_dim: 2\n"),
            "input d 1x3x2x2; reshape x (d) 1x12");
  const auto layer = [&](const std::string& type, const std::string& param) {
    return answer("layer { name: 'd' type: '" + type + "' top: 'd' " + param + " }\n");
  };
  const std::string expected = "input d 1x3x2x2; reshape x (d) 1x12";
  EXPECT_EQ(layer("Input", "input_param { shape { dim: 6 dim: 3 dim: 2 dim: 2 } }"), expected);
  EXPECT_EQ(layer("DummyData", "dummy_data_param { num: 6 channels: 3 height: 2 width: 2 }"), expected);
  EXPECT_EQ(layer("MemoryData", "memory_data_param { batch_size: 6 channels: 3 height: 2 width: 2 }"),
            expected);
  EXPECT_EQ(layer("Data", "transform_param { crop_size: 2 } data_param { batch_size: 6 }"), expected);
}

TEST_F(CaffeLayers, FactorsThatAreReshapedKeepTheBatch) {
  const std::string gate = LayerText("p", "Pooling", "data", "p", "pooling_param { global_pooling: true }") +
                           LayerText("f", "Flatten", "p", "f");
  const auto at_batch_4 = [&](const std::string& layer) {
    return Summary(Import(WithData("1 3 4 4", gate + layer)).WithBatch(4));
  };
  const std::string head = "input data 4x3x4x4; max_pool p (data) 4x3x1x1; flatten f (p) 4x3; ";
  EXPECT_EQ(
      at_batch_4(
          "layer { name: 'x' type: 'Scale' bottom: 'data' bottom: 'f' top: 'x' scale_param { axis: 0 } }"),
      head + "reshape x/reshape (f) 4x3x1x1; mul x (data, x/reshape) 4x3x4x4");
  EXPECT_EQ(at_batch_4("layer { name: 'x' type: 'Axpy' bottom: 'f' bottom: 'data' bottom: 'data' top: 'x' }"),
            head +
                "reshape x/reshape (f) 4x3x1x1; mul x/times (x/reshape, data) 4x3x4x4; "
                "add x (x/times, data) 4x3x4x4");
}

TEST_F(CaffeLayers, CropTakesTheShapeOfItsSecondBottom) {
  const auto crop = [](const std::string& p) {
    return WithData("1 3 9 9", LayerText("r", "Pooling", "data", "r", "pooling_param { kernel_size: 3 }") +
                                   "layer { name: 'x' type: 'Crop' bottom: 'data' bottom: 'r' top: 'x' "
                                   "crop_param { " +
                                   p + " } }");
  };
  EXPECT_EQ(Tail(crop("offset: 1")), "max_pool r (data) 1x3x7x7; slice x (data) 1x3x7x7");
  EXPECT_EQ(Tail(crop("axis: 3 offset: 2")), "max_pool r (data) 1x3x7x7; slice x (data) 1x3x9x7");
  const Model model = Import(crop("offset: 1 offset: 2"));
  EXPECT_EQ(model.layer(model.Find("x")).As<SliceAttributes>().starts, (std::vector<std::int64_t>{1, 2}));
  EXPECT_NE(ErrorOf(crop("offset: 3")), "");
  EXPECT_NE(ErrorOf(crop("offset: 0 offset: 0 offset: 0")), "");
}

TEST_F(CaffeLayers, MovesOfAxes) {
  EXPECT_EQ(Of("1 3 4 5", "Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }"),
            "transpose x (data) 1x4x5x3");
  EXPECT_EQ(Of("1 3 4 5", "Permute", "permute_param { order: 0 order: 2 }"), "transpose x (data) 1x4x3x5");
  EXPECT_NE(Why("1 3 4 5", "Permute", "permute_param { order: 0 order: 0 }"), "");
  EXPECT_EQ(Of("1 6 4 5", "ShuffleChannel", "shuffle_channel_param { group: 2 }"),
            "reshape x/reshape (data) 1x2x3x4x5; transpose x/transpose (x/reshape) 1x3x2x4x5; "
            "reshape x (x/transpose) 1x6x4x5");
  EXPECT_NE(Why("1 6 4 5", "ShuffleChannel", "shuffle_channel_param { group: 4 }"), "");
  EXPECT_EQ(Of("1 3 4 5", "Upsample", "upsample_param { scale: 2 }"), "upsample x (data) 1x3x8x10");
  EXPECT_EQ(Of("1 3 4 5", "Reduction", "reduction_param { operation: MEAN axis: 2 }"),
            "reduce_mean x (data) 1x3");
  EXPECT_NE(Why("1 3 4 5", "Reduction", "reduction_param { axis: 2 }"), "");
}

TEST_F(CaffeLayers, TheOldSyntaxHasTheSameLayers) {
  EXPECT_EQ(
      Tail(WithData("1 3 8 8",
                    "layers { name: 'c' type: CONVOLUTION bottom: 'data' top: 'c' blobs_lr: 1 blobs_lr: 2 "
                    "weight_decay: 1 convolution_param { num_output: 4 kernel_size: 3 } }"
                    "layers { name: 'r' type: RELU bottom: 'c' top: 'c' }"
                    "layers { name: 'p' type: POOLING bottom: 'c' top: 'p' pooling_param { pool: AVE "
                    "kernel_size: 2 stride: 2 } }"
                    "layers { name: 'f' type: INNER_PRODUCT bottom: 'p' top: 'f' "
                    "inner_product_param { num_output: 5 } }"
                    "layers { name: 's' type: SOFTMAX bottom: 'f' top: 's' }")),
      "conv c (data) 1x4x6x6; relu r (c) 1x4x6x6; avg_pool p (r) 1x4x3x3; fc f (p) 1x5; "
      "softmax s (f) 1x5");
}

}  // namespace
}  // namespace tandem
