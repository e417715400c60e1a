#include "profiles/model/structure.h"

#include <cstddef>
#include <span>

#include "profiles/base/sha256.h"
#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

// A pool over the whole image is one, whichever way a file says it.
bool PoolsAll(const Layer& layer) {
  const bool pool = layer.op == Op::kMaxPool || layer.op == Op::kAvgPool;
  return pool && layer.output.size() == 4 && layer.output[2] == 1 && layer.output[3] == 1;
}

std::string AttributesText(const Layer& layer) {
  if (PoolsAll(layer)) return "{}";
  // What is read is always flattened before it: the axis tells where, not what.
  if (layer.op == Op::kFc) return layer.As<FcAttributes>().bias ? "{bias}" : "{}";
  Attributes attributes = layer.attributes;
  const AttributesType& type = Declaration(layer.op).attributes;
  JsonObject object;
  type.fields->WriteMembers(type.struct_of(attributes), object, {});
  return object.Text();
}

// Of an fc without the extents of 1 that a flattening leaves or not.
std::string OutputText(const Layer& layer) {
  return layer.op == Op::kFc ? std::to_string(Elements(layer.output)) : ShapeText(layer.output);
}

}  // namespace

std::vector<LayerId> StructuralLayers(const Model& model) {
  std::vector<LayerId> layers;
  for (const LayerId id : WorkingLayers(model)) {
    if (!IsFree(model.layer(id).op)) layers.push_back(id);
  }
  return layers;
}

std::string StructureOf(const Model& model) {
  std::string text;
  std::size_t next = 0;
  std::vector<std::size_t> number(model.size());  // of what a layer makes
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layer(LayerId(i));
    if (IsFree(layer.op) && layer.op != Op::kInput) {
      number[i] = number[layer.inputs.front().index()];
      continue;
    }
    number[i] = next++;
    text += std::string(OpName(layer.op)) + AttributesText(layer) + OutputText(layer);
    for (const LayerId input : layer.inputs) text += " " + std::to_string(number[input.index()]);
    text += "\n";
  }
  return "sha256:" + Sha256(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace tandem
