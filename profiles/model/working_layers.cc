#include "profiles/model/working_layers.h"

namespace tandem {

std::vector<LayerId> WorkingLayers(const Model& model) {
  std::vector<LayerId> layers;
  for (std::size_t l = 0; l < model.size(); ++l) {
    if (model.layers()[l].op != Op::kInput) layers.emplace_back(l);
  }
  return layers;
}

}  // namespace tandem
