// What somebody else's program computes in a way that nobody sees: an engine file, a closed library, a step
// that is no network. Its sizes are known, and its times by profile.
#include "profiles/model/op_rules.h"

namespace tandem::ops {
namespace {

Shape Opaque(const LayerShapes& of) {
  Shape output = of.As<OpaqueAttributes>().shape;
  if (output.empty() || output[0] != 1) Fail("\"shape\" is of one inference, so it begins with 1");
  output[0] = of.in()[0];
  return output;
}

std::vector<WeightRole> KeptByProgram(const LayerShapes& of) {
  const std::int64_t params = of.As<OpaqueAttributes>().params;
  if (params == 0) return {};
  return {Factor("weights", {params})};
}

const OpRegistration kOpaque{
    {.name = "opaque",
     .attributes =
         Fields<OpaqueAttributes>()
             .Needed("shape", &OpaqueAttributes::shape, as::Integers(), "Of one inference: it begins with 1.")
             .Optional("params", &OpaqueAttributes::params, as::Integer(0, kMostElements),
                       "Numbers that it keeps, of four bytes.")
             .Optional("type", &OpaqueAttributes::type, as::OneOf(kElementTypeNames, "type"),
                       "Of what it makes, whatever runs it; else as wide as the unit's precision."),
     .kind = OpKind::kOpaque,
     .or_more = true,
     .shape = Opaque,
     .weights = KeptByProgram,
     .moment = UnitMoment}};

}  // namespace
}  // namespace tandem::ops

namespace tandem {

std::int64_t BytesOfElement(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
    case ElementType::kInt8:
      return 1;
    case ElementType::kUint16:
    case ElementType::kInt16:
    case ElementType::kFp16:
    case ElementType::kBf16:
      return 2;
    case ElementType::kUint32:
    case ElementType::kInt32:
    case ElementType::kFp32:
      return 4;
    case ElementType::kUint64:
    case ElementType::kInt64:
    case ElementType::kFp64:
      return 8;
  }
  return 4;
}

}  // namespace tandem
