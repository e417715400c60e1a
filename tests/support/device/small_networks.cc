#include "profiles/model/model_builder.h"
#include "tests/support/device/operation_cases.h"

namespace tandem {
namespace {

std::string Normed(ModelBuilder& net, const std::string& name, const ConvAttributes& a,
                   const std::string& from = {}) {
  net.Conv(name, NoBias(a), from);
  return net.Add(name + "_norm", Op::kBatchNorm);
}

// A bottleneck whose shortcut is the input, and one whose shortcut is a conv of its own.
Model Residuals(std::int64_t channels) {
  ModelBuilder net("residuals" + std::to_string(channels));
  net.Input("in", {1, 3, 17, 15});
  Normed(net, "first", SquareConv(channels, 3, 2, 1));
  const std::string a = net.Relu("first_relu");
  Normed(net, "a1", SquareConv(channels, 3, 1, 1));
  net.Relu("a1_relu");
  const std::string a2 = Normed(net, "a2", SquareConv(channels, 3, 1, 1));
  net.Sum("a_sum", a2, a);
  const std::string b = net.Relu("a_relu");
  const std::string b1 = Normed(net, "b1", SquareConv(2 * channels, 3, 2, 1));
  const std::string shortcut = Normed(net, "b0", SquareConv(2 * channels, 1, 2), b);
  net.Sum("b_sum", b1, shortcut);
  const std::string c = net.Add("b_leaky", Op::kLeakyRelu);
  // Activated before the sum, and a sum that nothing activates.
  Normed(net, "c1", SquareConv(2 * channels, 1));
  const std::string c1 = net.Add("c1_swish", Op::kHardSwish);
  net.Sum("c_sum", c, c1);
  net.AvgPool("pool", GlobalPool());
  net.Add("flat", Op::kFlatten);
  net.Fc("fc", 12);
  net.Relu("fc_relu");
  net.Add("drop", Op::kDropout);
  net.Add("softmax", Op::kSoftmax);
  return net.Build();
}

// What is added is read later again, or is what the conv itself reads.
Model StubbornSums() {
  ModelBuilder net("stubborn sums");
  net.Input("in", {1, 16, 8, 8});
  const std::string a = net.Conv("a", SquareConv(16, 3, 1, 1));
  const std::string b = net.Sum("b_sum", net.Conv("b", SquareConv(16, 1)), a);
  const std::string c = net.Sum("c_sum", net.Conv("c", SquareConv(16, 3, 1, 1), b), a);
  const std::string d = net.Sum("d_sum", net.Conv("d", SquareConv(16, 3, 1, 1), c), "in");
  net.Sum("twice", d, d);
  net.Relu("relu");
  net.Sum("both", "relu", b);
  net.Relu("last");
  return net.Build();
}

Model Dense(std::int64_t growth) {
  ModelBuilder net("dense" + std::to_string(growth));
  net.Input("in", {1, 3, 12, 12});
  net.Conv("first", SquareConv(2 * growth, 3, 1, 1));
  std::vector<std::string> features = {net.last()};
  for (int i = 0; i < 3; ++i) {
    const std::string layer = std::to_string(i);
    if (i > 0) net.Concat("cat" + layer, features);
    net.Add("norm" + layer, Op::kBatchNorm);
    net.Relu("relu" + layer);
    features.push_back(net.Conv("conv" + layer, NoBias(SquareConv(growth, 3, 1, 1))));
  }
  net.Concat("last", features);
  net.AvgPool("pool", SquarePool(2, 2));
  return net.Build();
}

// Branches as in Inception, one concat inside another, a value in two concats, and slices of the result.
Model Branches(std::int64_t channels) {
  ModelBuilder net("branches" + std::to_string(channels));
  const std::string in = net.Input("in", {1, channels, 9, 9});
  const std::string a = net.Conv("a", SquareConv(channels, 1), in);
  net.Relu("a_relu");
  const std::string b = net.Conv("b", SquareConv(2 * channels, 3, 1, 1), "a_relu");
  const std::string c = net.MaxPool("c", SquarePool(3, 1, 1), "a_relu");
  const std::string inner = net.Concat("inner", {b, c});
  const std::string d = net.Conv("d", SquareConv(channels, 5, 1, 2), "a_relu");
  net.Concat("outer", {"a_relu", inner, d});
  const std::string whole = net.Concat("again", {d, "a_relu", d});
  net.Add("part", Op::kSlice, SliceAttributes{{1}, {channels}, {3 * channels}, {1}}, {"outer"});
  net.Conv("e", SquareConv(8, 3), "part");
  net.Conv("f", SquareConv(8, 1, 2), whole);
  net.Add("lrn", Op::kLrn, LrnAttributes{}, {"outer"});
  return net.Build();
}

// Depthwise blocks with a squeeze that multiplies channels.
Model Mobile() {
  ModelBuilder net("mobile");
  net.Input("in", {1, 3, 20, 20});
  Normed(net, "first", SquareConv(16, 3, 2, 1));
  const std::string a = net.Add("first6", Op::kRelu6);
  Normed(net, "expand", SquareConv(40, 1));
  net.Add("expand6", Op::kRelu6);
  Normed(net, "depth", Grouped(40, SquareConv(40, 3, 1, 1)));
  const std::string wide = net.Add("depth6", Op::kHardSwish);
  net.AvgPool("squeeze", GlobalPool());
  net.Conv("squeeze1", SquareConv(12, 1));
  net.Relu("squeeze_relu");
  net.Conv("squeeze2", SquareConv(40, 1));
  const std::string gate = net.Add("gate", Op::kHardSigmoid);
  net.Add("gated", Op::kMul, ElementwiseAttributes{}, {wide, gate});
  net.Sum("sum", Normed(net, "project", SquareConv(16, 1)), a);
  net.Add("shape", Op::kReshape, ReshapeAttributes{{0, 2, 8, 100}});
  net.Add("shuffle", Op::kTranspose, TransposeAttributes{{0, 2, 1, 3}});
  net.Add("back", Op::kReshape, ReshapeAttributes{{0, 16, 10, 10}});
  net.Conv("last", SquareConv(10, 1));
  net.Add("double", Op::kMul, ElementwiseAttributes{{}, true, {}, false}, {"last"});
  net.Add("shift", Op::kAdd, ElementwiseAttributes{{}, true, {10, 1, 1}, false}, {"double"});
  return net.Build();
}

// Functions of positive numbers, of odd channels: log and sqrt of the zeros behind them must not spread.
Model Positive() {
  ModelBuilder net("positive");
  net.Input("in", {1, 5, 7, 6});
  net.Conv("a", SquareConv(20, 3, 1, 1));
  const std::string a = net.Add("exp", Op::kExp);
  net.Add("log", Op::kLog);
  net.Conv("b", SquareConv(20, 3, 1, 1));
  net.Add("abs", Op::kAbs);
  net.Add("sqrt", Op::kSqrt);
  net.Add("div", Op::kDiv, ElementwiseAttributes{}, {"sqrt", a});
  net.Add("pow", Op::kPow, ElementwiseAttributes{}, {a, "div"});
  net.Conv("c", SquareConv(7, 1));
  return net.Build();
}

}  // namespace

std::vector<Model> SmallNetworks() {
  std::vector<Model> networks = {Residuals(16), Residuals(10), StubbornSums()};
  for (const std::int64_t growth : {16, 12}) networks.push_back(Dense(growth));
  for (const std::int64_t channels : {16, 6}) networks.push_back(Branches(channels));
  networks.push_back(Mobile());
  networks.push_back(Positive());
  return networks;
}

}  // namespace tandem
