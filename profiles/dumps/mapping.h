// From the rows of a timing dump to layers of a model: which layers ran under which name, and a refusal where
// that is not certain.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiles/dumps/dump.h"
#include "profiles/model/model.h"

namespace tandem {

// What a user says of names that nothing else explains. File kind "layer-map/1":
//   {"tandem": "layer-map/1", "map": {"name in the dump": ["conv1", "relu1"], "ReorderOutput": []}}
// A row with layers of another row is counted with it; a row with no layers is left out.
struct LayerMap {
  std::string file;
  std::map<std::string, std::vector<std::string>> rows;
};
LayerMap ReadLayerMap(const JsonReader& value);

struct MappedGroup {
  std::vector<LayerId> layers;  // ascending; run together
  Timing time;
};

struct DumpMapping {
  std::vector<MappedGroup> groups;    // in order of their first layers
  std::vector<std::string> left_out;  // rows that the map leaves out
  Nanos dump_total{0};                // of all rows, over all runs
  Nanos mapped_total{0};              // of the groups
  Nanos left_out_total{0};            // dump_total = mapped_total + left_out_total
  std::size_t runs = 1;               // that the totals are of
};

// Throws InputError that lists every row and every layer that could not be placed.
DumpMapping MapDump(const ProfileDump& dump, const Model& model, const std::string& file,
                    const LayerMap& map = {});

}  // namespace tandem
