// Whose turn is it, and from when on?
#include "policies/engine/turns.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Slots = std::vector<std::int32_t>;
using Holder = std::optional<std::int32_t>;

Turns TurnsOf(std::int64_t slice, std::int64_t switching) {
  Unit unit;
  unit.slice = Nanos{slice};
  unit.switching = Nanos{switching};
  return Turns(unit);
}

TEST(Turns, GoRoundInTheOrderOfSlots) {
  Turns turns = TurnsOf(100, 0);
  const Slots all = {0, 1, 3};
  turns.Goes(Nanos{0}, all);
  std::vector<std::int32_t> holders;
  for (int i = 0; i < 5; ++i) {
    holders.push_back(turns.holder().value());
    EXPECT_EQ(turns.next_change(), Nanos{100 * (i + 1)});
    turns.Goes(turns.next_change(), all);
  }
  EXPECT_EQ(holders, (Slots{0, 1, 3, 0, 1}));
}

TEST(Turns, ASwitchTakesItsTimeBeforeAnotherSlotWorks) {
  Turns turns = TurnsOf(100, 7);
  turns.Goes(Nanos{0}, {0, 1});
  EXPECT_EQ(turns.holder(), Holder(0)) << "nobody was there before the first";
  turns.Goes(Nanos{100}, {0, 1});
  EXPECT_EQ(turns.holder(), Holder());
  EXPECT_EQ(turns.next_change(), Nanos{107});
  turns.Goes(Nanos{107}, {0, 1});
  EXPECT_EQ(turns.holder(), Holder(1));
  EXPECT_EQ(turns.next_change(), Nanos{207}) << "a slice is what it works";
}

TEST(Turns, WhoIsDoneGivesTheRestOfTheSliceUp) {
  Turns turns = TurnsOf(100, 7);
  turns.Goes(Nanos{0}, {0, 1});
  turns.Goes(Nanos{40}, {1});
  EXPECT_EQ(turns.next_change(), Nanos{47});
  turns.Goes(Nanos{47}, {1});
  EXPECT_EQ(turns.holder(), Holder(1));
  EXPECT_EQ(turns.next_change(), Turns::kNever) << "nobody waits";
}

TEST(Turns, WhoeverComesWaitsASliceForOneThatWorksAlone) {
  Turns turns = TurnsOf(100, 0);
  turns.Goes(Nanos{0}, {1});
  EXPECT_EQ(turns.next_change(), Turns::kNever);
  turns.Goes(Nanos{1000}, {0, 1});
  EXPECT_EQ(turns.holder(), Holder(1));
  EXPECT_EQ(turns.next_change(), Nanos{1100});
  turns.Goes(Nanos{1050}, {0, 1, 2});
  EXPECT_EQ(turns.next_change(), Nanos{1100});
  turns.Goes(Nanos{1100}, {0, 1, 2});
  EXPECT_EQ(turns.holder(), Holder(2)) << "behind the one whose turn it was";
}

TEST(Turns, AfterAPauseTheSameSlotGoesOnWithoutASwitchAndAnotherOneDoesNot) {
  Turns turns = TurnsOf(100, 7);
  turns.Goes(Nanos{0}, {1});
  turns.Goes(Nanos{50}, {});
  EXPECT_EQ(turns.holder(), Holder());
  EXPECT_EQ(turns.next_change(), Turns::kNever);
  turns.Goes(Nanos{60}, {1});
  EXPECT_EQ(turns.holder(), Holder(1));
  turns.Goes(Nanos{70}, {});
  turns.Goes(Nanos{80}, {0});
  EXPECT_EQ(turns.holder(), Holder());
  EXPECT_EQ(turns.next_change(), Nanos{87});
}

TEST(Turns, AreTheSameHoweverOftenSomebodyLooks) {
  Turns once = TurnsOf(100, 7), often = TurnsOf(100, 7);
  once.Goes(Nanos{0}, {0, 2});
  for (int t = 0; t <= 100; ++t) {
    often.Goes(Nanos{t}, {0, 2});
    if (t < 100) {
      EXPECT_EQ(often.holder(), once.holder());
    }
  }
  once.Goes(Nanos{100}, {0, 2});
  EXPECT_EQ(often.next_change(), once.next_change());
  often.Goes(Nanos{103}, {0, 2});
  EXPECT_EQ(often.next_change(), once.next_change());
}

}  // namespace
}  // namespace tandem
