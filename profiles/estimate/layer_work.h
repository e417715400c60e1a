// What a layer asks of a processor, in the terms that an estimate is made of: a class of operation, how many
// operations, how many bytes.
#pragma once

#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/op_declaration.h"

namespace tandem {

// operations: multiply-accumulates of conv and fc; elements read in windows for pool and lrn; elements
// written for the others. bytes: activations read and written and weights, in fp32.
struct LayerWork {
  CostClass cost_class = CostClass::kElementwise;
  double operations = 0;
  double bytes = 0;
};

LayerWork WorkOf(const Model& model, LayerId id);

// Of layers that run as one kernel: the class of the heaviest, all operations, the bytes that cross the
// group's border.
LayerWork WorkOfGroup(const Model& model, const std::vector<LayerId>& group);

}  // namespace tandem
