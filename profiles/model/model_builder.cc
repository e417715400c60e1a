#include "profiles/model/model_builder.h"

#include "profiles/base/check.h"

namespace tandem {

ConvAttributes SquareConv(std::int64_t out_channels, std::int64_t kernel, std::int64_t stride,
                          std::int64_t pad) {
  ConvAttributes attributes;
  attributes.out_channels = out_channels;
  attributes.kernel = {kernel, kernel};
  attributes.stride = {stride, stride};
  attributes.pad = {pad, pad, pad, pad};
  return attributes;
}

PoolAttributes SquarePool(std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  PoolAttributes attributes;
  attributes.kernel = {kernel, kernel};
  attributes.stride = {stride, stride};
  attributes.pad = {pad, pad, pad, pad};
  return attributes;
}

PoolAttributes GlobalPool() {
  PoolAttributes attributes;
  attributes.global = true;
  return attributes;
}

PoolAttributes AdaptivePool(std::int64_t output) {
  PoolAttributes attributes;
  attributes.adaptive = {output, output};
  return attributes;
}

ConvAttributes NoBias(ConvAttributes attributes) {
  attributes.bias = false;
  return attributes;
}

ConvAttributes Grouped(std::int64_t groups, ConvAttributes attributes) {
  attributes.groups = groups;
  return attributes;
}

PoolAttributes RoundedUp(PoolAttributes attributes) {
  attributes.ceil_mode = true;
  return attributes;
}

ModelBuilder::Name ModelBuilder::Input(const Name& name, const Shape& shape) {
  layers_.push_back({name, Op::kInput, InputAttributes{shape}, {}});
  return name;
}

ModelBuilder::Name ModelBuilder::Conv(const Name& name, const ConvAttributes& attributes, const Name& from) {
  return Add(name, Op::kConv, attributes, {from});
}

ModelBuilder::Name ModelBuilder::Fc(const Name& name, std::int64_t out_features, const Name& from) {
  FcAttributes attributes;
  attributes.out_features = out_features;
  return Add(name, Op::kFc, attributes, {from});
}

ModelBuilder::Name ModelBuilder::MaxPool(const Name& name, const PoolAttributes& attributes,
                                         const Name& from) {
  return Add(name, Op::kMaxPool, attributes, {from});
}

ModelBuilder::Name ModelBuilder::AvgPool(const Name& name, const PoolAttributes& attributes,
                                         const Name& from) {
  return Add(name, Op::kAvgPool, attributes, {from});
}

ModelBuilder::Name ModelBuilder::Relu(const Name& name, const Name& from) {
  return Add(name, Op::kRelu, from);
}

ModelBuilder::Name ModelBuilder::Concat(const Name& name, std::vector<Name> from) {
  return Add(name, Op::kConcat, DefaultAttributes(Op::kConcat), std::move(from));
}

ModelBuilder::Name ModelBuilder::Sum(const Name& name, const Name& a, const Name& b) {
  return Add(name, Op::kAdd, DefaultAttributes(Op::kAdd), {a, b});
}

ModelBuilder::Name ModelBuilder::Add(const Name& name, Op op, const Name& from) {
  return Add(name, op, DefaultAttributes(op), {from});
}

ModelBuilder::Name ModelBuilder::Add(const Name& name, Op op, Attributes attributes, std::vector<Name> from) {
  if (from.empty()) from.emplace_back();
  for (Name& input : from) {
    if (!input.empty()) continue;
    TANDEM_CHECK(!layers_.empty(), "a network starts with an input");
    input = last();
  }
  layers_.push_back({name, op, std::move(attributes), std::move(from)});
  return name;
}

Model ModelBuilder::Build() const { return Model::Build(model_name_, layers_, model_name_); }

}  // namespace tandem
