// Layers of any shape and any setting, for those whose loops depend on them.
#pragma once

#include <random>

#include "tests/support/device/operation_cases.h"

namespace tandem {

OperationCase OneLayer(const char* name, Op op, Attributes attributes, std::vector<Shape> inputs);

class RandomLayer {
 public:
  explicit RandomLayer(std::uint64_t seed) : bits_(seed) {}

  OperationCase Next();
  OperationCase Depthwise();

 private:
  std::int64_t Between(std::int64_t low, std::int64_t high);
  double Scale();
  Shape Any(std::size_t rank);
  std::vector<std::int64_t> Order(std::size_t rank);
  OperationCase Slice(const Shape& in);
  OperationCase PadOf(const Shape& in);
  OperationCase Broadcast(const Shape& in);
  OperationCase Mean(const Shape& in);
  OperationCase PoolOf(Op op);
  LrnAttributes LrnOf();

  std::mt19937_64 bits_;
};

}  // namespace tandem
