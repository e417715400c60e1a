// Is the reference state the one that holds while nobody disturbs, as far as readings can tell?
#include "profiles/costs/machine_state.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::vector<Nanos> Readings(std::int64_t undisturbed, std::int64_t disturbed) {
  std::vector<Nanos> readings(static_cast<std::size_t>(undisturbed), Nanos{100'000});
  readings.insert(readings.end(), static_cast<std::size_t>(disturbed), Nanos{160'000});
  return readings;
}

TEST(MachineState, AStateThatHoldsAFifthOfTheTimeIsTheReference) {
  EXPECT_EQ(ReferenceLevel(Readings(20, 80)), Nanos{100'000});
  EXPECT_EQ(ReferenceLevel(Readings(19, 81)), Nanos{160'000});
  EXPECT_EQ(ReferenceLevel(Readings(1, 0)), Nanos{100'000});
}

TEST(MachineState, AFewReadingsThatAreTooShortDoNotMakeOne) {
  std::vector<Nanos> readings = Readings(90, 0);
  readings.insert(readings.end(), 10, Nanos{70'000});
  EXPECT_EQ(ReferenceLevel(readings), Nanos{100'000});
}

TEST(MachineState, FasterIsAnotherStateToo) {
  const Nanos level{100'000};
  EXPECT_TRUE(IsReferenceState(Nanos{107'900}, level));
  EXPECT_TRUE(IsReferenceState(Nanos{92'100}, level));
  EXPECT_FALSE(IsReferenceState(Nanos{108'100}, level));
  EXPECT_FALSE(IsReferenceState(Nanos{91'900}, level));
  EXPECT_DOUBLE_EQ(OffLevel(Nanos{160'000}, level), 0.6);
}

}  // namespace
}  // namespace tandem
