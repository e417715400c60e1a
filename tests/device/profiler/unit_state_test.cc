// Is a unit measured while it is undisturbed, whatever state that turns out to be?
#include "device/profiler/unit_state.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

class UnitStateTest : public ::testing::Test {
 protected:
  Nanos Read(std::int64_t micros) {
    next_ = Nanos{micros * 1000};
    return state_.Read();
  }

  Nanos next_{0};
  ReadYardstick read_ = [this] { return next_; };
  std::vector<Nanos> readings_;
  UnitState state_{read_, readings_};
};

TEST_F(UnitStateTest, EverythingIsWorthMeasuringUntilTheStateIsKnown) {
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(state_.WorthMeasuring(Read(i % 2 == 0 ? 100 : 160)));
  EXPECT_TRUE(state_.WorthMeasuring(Read(100)));
  EXPECT_FALSE(state_.WorthMeasuring(Read(160)));
  EXPECT_TRUE(state_.WorthMeasuring(Read(101)));
  EXPECT_EQ(state_.level(), Nanos{100'000});
  EXPECT_EQ(readings_.size(), 12U) << "those of another state count for what is known of it";
}

TEST_F(UnitStateTest, AStateThatStaysBecomesTheReference) {
  for (int i = 0; i < 20; ++i) (void)Read(100);
  EXPECT_FALSE(state_.WorthMeasuring(Read(160)));
  for (int i = 0; i < 100; ++i) (void)Read(160);
  EXPECT_TRUE(state_.WorthMeasuring(Read(160)));
}

TEST_F(UnitStateTest, ReadingsOfAnEarlierRunCount) {
  for (int i = 0; i < 20; ++i) (void)Read(100);
  const UnitState later(read_, readings_);
  EXPECT_FALSE(later.WorthMeasuring(Nanos{160'000}));
  EXPECT_EQ(later.level(), Nanos{100'000});
}

TEST(UnitState, WithoutAYardstickTheStateIsNotAsked) {
  const ReadYardstick none;
  std::vector<Nanos> readings;
  UnitState state(none, readings);
  EXPECT_EQ(state.Read(), Nanos{0});
  EXPECT_TRUE(readings.empty());
  EXPECT_TRUE(state.WorthMeasuring(Nanos{0}));
}

}  // namespace
}  // namespace tandem
