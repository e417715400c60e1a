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
                       "Numbers that it keeps, of four bytes."),
     .kind = OpKind::kOpaque,
     .or_more = true,
     .shape = Opaque,
     .weights = KeptByProgram,
     .moment = UnitMoment}};

}  // namespace
}  // namespace tandem::ops
