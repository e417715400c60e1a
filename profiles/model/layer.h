// One layer of a model and what follows from its shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/model/attributes.h"

namespace tandem {

// What a layer costs by its shape alone. params: weights, biases, gamma, beta. state: running mean and
// variance. macs: multiply-accumulates of conv, deconv and fc, at the batch of the model's inputs.
struct Counts {
  std::int64_t params = 0;
  std::int64_t state = 0;
  std::int64_t macs = 0;
};

struct Layer {
  std::string name;
  Op op = Op::kInput;
  Attributes attributes;
  std::vector<LayerId> inputs;
  // Derived by the Model:
  Shape output;
  Counts counts;

  template <class A>
  const A& As() const {
    return attributes.As<A>();
  }
};

}  // namespace tandem
