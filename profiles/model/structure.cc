#include "profiles/model/structure.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "profiles/base/joined.h"
#include "profiles/base/sha256.h"
#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

bool IsPool(Op op) { return op == Op::kMaxPool || op == Op::kAvgPool; }

// Where its windows lie, whichever way a file says it: a global pool by its extents, rounding up by padding
// at the end, which the output's shape tells.
std::string WindowsText(const Model& model, const Layer& layer) {
  if (layer.output.size() != 4) return "";
  auto a = layer.As<PoolAttributes>();
  if (layer.output[2] == 1 && layer.output[3] == 1) return "all";
  if (a.adaptive != Extent{0, 0}) {
    const Shape& in = model.layer(layer.inputs.front()).output;
    if (in[2] % a.adaptive.h != 0 || in[3] % a.adaptive.w != 0) return "adaptive";
    a = PoolAttributes{};
    a.kernel = a.stride = {in[2] / layer.output[2], in[3] / layer.output[3]};
  }
  const std::vector<std::int64_t> numbers = {a.kernel.h, a.kernel.w, a.stride.h,   a.stride.w,
                                             a.pad.top,  a.pad.left, a.dilation.h, a.dilation.w};
  return Joined(numbers, " ");
}

std::string AttributesText(const Model& model, const Layer& layer) {
  if (IsPool(layer.op)) return "{" + WindowsText(model, layer) + "}";
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
    text += std::string(OpName(layer.op)) + AttributesText(model, layer) + OutputText(layer);
    for (const LayerId input : layer.inputs) text += " " + std::to_string(number[input.index()]);
    text += "\n";
  }
  return "sha256:" + Sha256(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace tandem
