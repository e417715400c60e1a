// Writes down a network layer by layer, as a paper's table reads. Every call adds one layer and returns its
// name; a layer given no input follows the one added last.
#pragma once

#include <string>
#include <vector>

#include "profiles/model.h"

namespace tandem {

class ModelBuilder {
 public:
  using Name = std::string;

  explicit ModelBuilder(std::string model_name) : model_name_(std::move(model_name)) {}

  Name Input(const Name& name, const Shape& shape);
  Name Conv(const Name& name, const ConvAttributes& attributes, const Name& from = {});
  Name Fc(const Name& name, std::int64_t out_features, const Name& from = {});
  Name MaxPool(const Name& name, const PoolAttributes& attributes, const Name& from = {});
  Name AvgPool(const Name& name, const PoolAttributes& attributes, const Name& from = {});
  Name Add(const Name& name, Op op,
           const Name& from = {});  // an op with default attributes: relu, batch_norm, ...
  Name Add(const Name& name, Op op, Attributes attributes, std::vector<Name> from);

  const Name& last() const { return layers_.back().name; }
  Model Build() const;

 private:
  std::string model_name_;
  std::vector<LayerSpec> layers_;
};

}  // namespace tandem
