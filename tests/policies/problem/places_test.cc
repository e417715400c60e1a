// Is there one place per slot and copy engine, in the order of units and slots?
#include "policies/problem/places.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

Platform TwoUnitsAndAnEngine() {
  Platform platform;
  platform.units.resize(2);
  platform.units[0].slots = 2;
  platform.units[1].slots = 1;
  platform.links.resize(2);
  platform.links[1].engine = true;
  return platform;
}

TEST(Places, SlotsOfUnitsComeFirstThenTheEngines) {
  const Places places(TwoUnitsAndAnEngine());
  EXPECT_EQ(places.size(), 4U);
  EXPECT_EQ(places.of_units(), 3U);
  EXPECT_EQ(places.units(), 3U);
  EXPECT_EQ(places.slots(UnitId(0)), 2U);
  EXPECT_EQ(places.slots(UnitId(2)), 1U);
}

TEST(Places, UnitAndSlotLeadToThePlaceAndBack) {
  const Places places(TwoUnitsAndAnEngine());
  for (std::size_t p = 0; p < places.size(); ++p) {
    const PlaceId place(p);
    EXPECT_EQ(places.At(places.UnitOf(place), places.SlotOf(place)), place);
  }
  EXPECT_EQ(places.At(UnitId(0), SlotId(1)), PlaceId(1));
  EXPECT_EQ(places.First(UnitId(1)), PlaceId(2));
  EXPECT_EQ(places.UnitOf(PlaceId(3)), UnitId(2));
}

}  // namespace
}  // namespace tandem
