// What importers of several formats do alike.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// The number of elements. Throws InputError, a plain sentence, where an extent is below 0 or their product
// above 2^40.
std::int64_t CheckedElements(const Shape& shape);

// Names of layers: each is given once.
class UniqueNames {
 public:
  // `name`, or with a number behind it where it is taken already.
  std::string Take(const std::string& name);

 private:
  std::map<std::string, int> taken_;  // and the number that a second of that name would get
};

// The layers that those `needed` are computed from, in their order. Exporters leave nodes behind that nothing
// reads any more, and inputs of no use.
std::vector<LayerSpec> NeededLayers(const std::vector<LayerSpec>& layers, std::set<std::string_view> needed);

// The layers that a file's `outputs`, names of layers, need. Outputs of a model are what nothing reads: one
// that another layer reads, too, gets a layer of its own at the end, NAME/output.
std::vector<LayerSpec> LayersOfOutputs(const std::vector<LayerSpec>& layers,
                                       const std::vector<std::string>& outputs, UniqueNames& names);

// Layers may share their numbers (a head over five scales does), and each has a copy of its own. Throws
// InputError where a model's `numbers` are far more than files of so many bytes hold: a few bytes that all
// layers read would take all memory.
void CheckShared(std::int64_t numbers, std::uint64_t bytes, const std::string& source);

// Padding before and after along one axis.
struct Sides {
  std::int64_t before = 0, after = 0;
};
// An odd rest goes to the end, or to the beginning.
Sides ShareOf(std::int64_t total, bool more_after = true);
// That as many windows fit as there are strides begun in the input ("SAME"). `stride` is above 0.
Sides SamePads(std::int64_t in, std::int64_t window, std::int64_t stride, bool more_after = true);

// The attributes of a reshape from `in` to `out` that hold at any batch, where that is possible: what stays
// as it is on the left is kept whatever it is. `asked` may have said -1 somewhere.
ReshapeAttributes BatchlessReshape(const Shape& in, const Shape& out, const Shape& asked = {});

// The factor along one axis of which floor(extent * factor) is `out`.
double ScaleTo(std::int64_t in, std::int64_t out);

// 0.1f is meant as 0.1, not as 0.10000000149.
double ShortestDecimal(float value);

}  // namespace tandem
