// A part of a model as a model of its own, for targets that know whole files alone.
#pragma once

#include <string>
#include <vector>

#include "policies/problem/cuts.h"
#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

struct SegmentModel {
  Model model;
  std::vector<std::string> inputs;   // the layers whose output it reads: its inputs have their names
  std::vector<std::string> outputs;  // the layers whose output it gives, in the order of its own outputs
};

// The layers of each segment of `cut`, ascending. Of a split, whose parts ONNX cannot say, the first segment
// has the layers whole and the others have none.
std::vector<std::vector<LayerId>> LayersOfSegments(const Cuts& cuts, const Cut& cut);

// What the layers of a part read from elsewhere, and what of them is read elsewhere or by nobody; ascending.
std::vector<LayerId> LayersRead(const Model& whole, const std::vector<LayerId>& owned);
std::vector<LayerId> LayersMade(const Model& whole, const std::vector<LayerId>& owned);

// `whole` in the batch that is wanted; `owned` as above.
SegmentModel SegmentModelOf(const Model& whole, const std::vector<LayerId>& owned, const std::string& name);

// Those of its layers.
Weights WeightsOf(const Model& part, const Weights& whole);

}  // namespace tandem
