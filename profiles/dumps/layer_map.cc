#include "profiles/base/file_kinds.h"
#include "profiles/dumps/mapping.h"

namespace tandem {
namespace {

const Fields<LayerMap>& LayerMapFields() {
  static const auto fields =
      Fields<LayerMap>("layer_map", "which layers the names of a timing dump mean")
          .Kind("layer-map/1")
          .Needed("map", &LayerMap::rows,
                  as::MapOf(as::ListOf(as::Name(), {.twice = "the layer * is given twice"})),
                  "Per name of the dump the layers that ran under it; none leaves the row out.");
  return fields;
}

std::string Judge(const JsonReader& root) {
  return Counted(static_cast<std::int64_t>(ReadLayerMap(root).rows.size()), "name");
}

const FileKindRegistration kKind{{"layer-map/1", AsAnyFields<LayerMap, LayerMapFields>, Judge}};

}  // namespace

LayerMap ReadLayerMap(const JsonReader& value) {
  LayerMap map = LayerMapFields().Read(value);
  map.file = value.file();
  return map;
}

}  // namespace tandem
