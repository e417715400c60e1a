#include "device/processor/processor.h"

#include <algorithm>
#include <set>

namespace tandem {

void Processor::Copy(float* to, const float* from, const TensorBlock& block) { CopyOnHost(to, from, block); }

void Processor::Spread(float* to, const float* dense, const TensorBlock& block) {
  for (std::size_t run = 0; run < block.runs; ++run) {
    Copy(to + block.first + run * block.stride, dense + run * block.length,
         {1, block.length, block.length, 0});
  }
}

bool SegmentSpec::WholeModel() const {
  return !part && layers.size() + model->Inputs().size() == model->size();
}

SegmentSpec SegmentOf(std::shared_ptr<const Model> model, std::shared_ptr<const Weights> weights,
                      std::string model_name, std::span<const LayerId> layers) {
  SegmentSpec spec;
  spec.model = std::move(model);
  spec.weights = std::move(weights);
  spec.model_name = std::move(model_name);
  spec.batch = spec.model->batch();
  for (const LayerId id : layers) {
    if (spec.model->layer(id).op != Op::kInput) spec.layers.push_back(id);
  }
  std::sort(spec.layers.begin(), spec.layers.end());
  const std::set<LayerId> inside(spec.layers.begin(), spec.layers.end());
  std::set<LayerId> read;
  for (const LayerId id : spec.layers) {
    for (const LayerId input : spec.model->layer(id).inputs) {
      if (!inside.contains(input)) read.insert(input);
    }
    const auto users = spec.model->users(id);
    const auto outside = [&](LayerId user) { return !inside.contains(user); };
    if (users.empty() || std::any_of(users.begin(), users.end(), outside)) spec.outputs.push_back(id);
  }
  spec.inputs.assign(read.begin(), read.end());
  return spec;
}

SegmentSpec WholeSegment(std::shared_ptr<const Model> model, std::shared_ptr<const Weights> weights,
                         std::string model_name) {
  const std::vector<LayerId> all = WorkingLayers(*model);
  return SegmentOf(std::move(model), std::move(weights), std::move(model_name), all);
}

}  // namespace tandem
