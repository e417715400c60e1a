#include "profiles/model/layer_range.h"

namespace tandem {

std::vector<LayerId> LayersBetween(const Model& model, LayerId from, LayerId to) {
  if (!from.valid() || !to.valid() || to < from) return {};
  std::vector<char> after(model.size(), 0), before(model.size(), 0);
  after[from.index()] = before[to.index()] = 1;
  for (std::size_t i = from.index(); i <= to.index(); ++i) {
    for (const LayerId input : model.layer(LayerId(i)).inputs) {
      if (after[input.index()] != 0) after[i] = 1;
    }
  }
  for (std::size_t i = to.index() + 1; i-- > from.index();) {
    if (before[i] == 0) continue;
    for (const LayerId input : model.layer(LayerId(i)).inputs) before[input.index()] = 1;
  }
  std::vector<LayerId> layers;
  for (std::size_t i = from.index(); i <= to.index(); ++i) {
    if (after[i] != 0 && before[i] != 0) layers.push_back(LayerId(i));
  }
  return layers;
}

}  // namespace tandem
