#include <set>

#include "profiles/dumps/mapping.h"

namespace tandem {

LayerMap ReadLayerMap(const JsonReader& value) {
  ExpectFileKind(value, "layer-map/1");
  value.OnlyKeys({"tandem", "map"});
  LayerMap map;
  map.file = value.file();
  for (const JsonReader row : value.Get("map").Members()) {
    std::vector<std::string>& layers = map.rows[std::string(row.key())];
    std::set<std::string_view> seen;
    for (const JsonReader layer : row.Elements()) {
      layers.push_back(layer.Name());
      if (!seen.insert(layer.String()).second)
        layer.Fail("the layer " + Quoted(layer.String()) + " is given twice");
    }
  }
  return map;
}

}  // namespace tandem
