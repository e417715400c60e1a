#include "device/lowering/last_uses.h"

#include <algorithm>

namespace tandem {

// Backwards, so that what shares memory with a later layer lives as long.
std::vector<std::size_t> LastUses(const SegmentSpec& spec, const std::vector<FusedGroup>& groups) {
  std::vector<std::size_t> last(spec.model->size(), 0);
  for (const LayerId id : spec.outputs) last[id.index()] = kUsedAlways;
  for (std::size_t g = groups.size(); g-- > 0;) {
    for (const LayerId user : groups[g]) {
      const Layer& layer = spec.model->layer(user);
      const std::size_t until = IsView(layer.op) ? std::max(g, last[groups[g].back().index()]) : g;
      for (const LayerId id : layer.inputs) last[id.index()] = std::max(last[id.index()], until);
    }
  }
  return last;
}

}  // namespace tandem
