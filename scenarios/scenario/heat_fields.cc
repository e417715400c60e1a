#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

// Faster, a unit would do little else than change its speed.
constexpr Nanos kLeastTimeConstant{1'000'000};

void CoolsBelowHot(const JsonReader& value, UnitHeat& heat, Context) {
  const auto cool = value.Find("cool");
  if (!cool) heat.cool = kUsualCool * heat.hot;
  if (cool && heat.cool > kMostCool * heat.hot)
    cool->Fail("a unit that is held back has to cool down: at most 0.99 of \"hot\"");
}

const Fields<UnitHeat>& HeatFields() {
  using H = UnitHeat;
  static const auto fields =
      Fields<H>("unit_heat")
          .Needed("unit", &H::unit, as::UnitNamed())
          .Needed("time_constant_us", &H::time_constant, as::Micros(kLeastTimeConstant),
                  "In so much time all but 1/e of the way to a new warmth is gone.")
          .Needed("hot", &H::hot, as::Number(0.001, 0.999),
                  "From here on it is held back: a share of how warm work at full speed makes it in the end.")
          .Optional("cool", &H::cool, as::Number(0.0001, 0.999),
                    "Where it has its full speed again: at most 0.99 of hot; absent: 0.95 of it.")
          .Default({})
          .Needed("speed", &H::speed, as::Number(0.001, 1),
                  "Of its own, while it is held back; work then takes the warmth towards what this leaves.")
          .Optional("warmth", &H::warmth, as::Number(0, 1), "At the start.")
          .Then(CoolsBelowHot);
  return fields;
}

}  // namespace

CodecOf<std::vector<UnitHeat>> HeatOfScenario() { return as::ListOf(as::ObjectOf(HeatFields())); }

void CheckHeat(const JsonReader& root, const Scenario& scenario, Context) {
  CheckUnitsOnce(root, "heat", scenario, "what makes unit ", " warm is said already");
}

}  // namespace tandem
