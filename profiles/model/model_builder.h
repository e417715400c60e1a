// Writes down a network layer by layer, as a paper's table reads. Every call adds one layer and returns its
// name; a layer given no input follows the one added last.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// Square windows with the same padding on all four sides, as nearly every network has them.
ConvAttributes SquareConv(std::int64_t out_channels, std::int64_t kernel, std::int64_t stride = 1,
                          std::int64_t pad = 0);
PoolAttributes SquarePool(std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0);
PoolAttributes GlobalPool();
PoolAttributes AdaptivePool(std::int64_t output);  // to output x output, whatever comes in
ConvAttributes NoBias(ConvAttributes attributes);
ConvAttributes Grouped(std::int64_t groups, ConvAttributes attributes);
PoolAttributes RoundedUp(PoolAttributes attributes);  // Caffe's way

class ModelBuilder {
 public:
  using Name = std::string;

  explicit ModelBuilder(std::string model_name) : model_name_(std::move(model_name)) {}

  Name Input(const Name& name, const Shape& shape);
  Name Conv(const Name& name, const ConvAttributes& attributes, const Name& from = {});
  Name Fc(const Name& name, std::int64_t out_features, const Name& from = {});
  Name MaxPool(const Name& name, const PoolAttributes& attributes, const Name& from = {});
  Name AvgPool(const Name& name, const PoolAttributes& attributes, const Name& from = {});
  Name Relu(const Name& name, const Name& from = {});
  Name Concat(const Name& name, std::vector<Name> from);  // along the channels
  Name Sum(const Name& name, const Name& a, const Name& b);
  Name Add(const Name& name, Op op,
           const Name& from = {});  // an op with default attributes: batch_norm, softmax, ...
  Name Add(const Name& name, Op op, Attributes attributes, std::vector<Name> from = {});

  const Name& last() const { return layers_.back().name; }
  Model Build() const;

 private:
  std::string model_name_;
  std::vector<LayerSpec> layers_;
};

}  // namespace tandem
