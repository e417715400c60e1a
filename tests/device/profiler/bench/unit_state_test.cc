// Is a unit measured while it is undisturbed, whatever state that turns out to be?
#include "device/profiler/bench/unit_state.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "profiles/base/files.h"
#include "tests/support/device/board_trees.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class UnitStateTest : public ::testing::Test {
 protected:
  StateReading Read(std::int64_t micros) {
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
  EXPECT_FALSE(later.WorthMeasuring({Nanos{160'000}}));
  EXPECT_EQ(later.level(), Nanos{100'000});
}

TEST(UnitState, WithoutAYardstickTheStateIsNotAsked) {
  const ReadYardstick none;
  std::vector<Nanos> readings;
  UnitState state(none, readings);
  EXPECT_EQ(state.Read().took, Nanos{0});
  EXPECT_TRUE(readings.empty());
  EXPECT_TRUE(state.WorthMeasuring({Nanos{0}}));
}

// A board whose second cluster is held back when a test wants it.
class HeatOfUnit : public ::testing::Test {
 protected:
  HeatOfUnit() { Hold(false); }
  void Hold(bool back) const {
    WriteFile(board_ / "sys/class/thermal/cooling_device1/cur_state", back ? "2\n" : "0\n");
  }

  static ClockLimits LimitsOf(const std::filesystem::path& board) {
    WriteBoardTree("rk3399", board);
    return ClockLimits(board);
  }

  TempFolder board_;
  ClockLimits limits_ = LimitsOf(board_);
  std::vector<bool> held_back_;
  Nanos took_{100'000};
  ReadYardstick read_ = [this] { return took_; };
  std::vector<Nanos> readings_;
};

TEST_F(HeatOfUnit, WhatWasHeldBackIsNotWorthMeasuringHoweverItsYardstickReads) {
  UnitState state(read_, readings_, nullptr, false, {&limits_, &held_back_});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(state.WorthMeasuring(state.Read()));
  Hold(true);
  const StateReading hot = state.Read();
  EXPECT_TRUE(hot.held_back);
  EXPECT_FALSE(state.WorthMeasuring(hot));
  EXPECT_GE(state.Off(hot), 0.08);
  Hold(false);
  EXPECT_EQ(state.Off(state.Read()), 0);
  EXPECT_EQ(std::count(held_back_.begin(), held_back_.end(), true), 1);
  EXPECT_EQ(held_back_.size(), readings_.size());
}

TEST_F(HeatOfUnit, ReadingsThatWereHeldBackDoNotMakeTheLevel) {
  UnitState state(read_, readings_, nullptr, false, {&limits_, &held_back_});
  for (int i = 0; i < 10; ++i) (void)state.Read();
  Hold(true);
  took_ = Nanos{90'000};  // whatever that reads
  for (int i = 0; i < 30; ++i) (void)state.Read();
  EXPECT_FALSE(state.hot());
  EXPECT_EQ(state.level(), Nanos{100'000});
}

TEST_F(HeatOfUnit, ABoardThatIsAlwaysHeldBackIsMeasuredAsItIs) {
  UnitState state(read_, readings_, nullptr, false, {&limits_, &held_back_});
  Hold(true);
  took_ = Nanos{150'000};
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(state.WorthMeasuring(state.Read()));
  EXPECT_TRUE(state.hot());
  EXPECT_EQ(state.level(), Nanos{150'000});
}

TEST_F(HeatOfUnit, CountsForUnitsWithoutAYardstickToo) {
  const ReadYardstick none;
  UnitState state(none, readings_, nullptr, false, {&limits_, &held_back_});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(state.WorthMeasuring(state.Read()));
  Hold(true);
  EXPECT_FALSE(state.WorthMeasuring(state.Read()));
  EXPECT_TRUE(readings_.empty());
}

TEST_F(HeatOfUnit, ReadingsOfBeforeAnybodyToldWereNotHeldBack) {
  readings_.assign(20, Nanos{100'000});
  UnitState state(read_, readings_, nullptr, false, {&limits_, &held_back_});
  Hold(true);
  EXPECT_FALSE(state.WorthMeasuring(state.Read()));
  EXPECT_EQ(held_back_.size(), 21U);
}

TEST(UnitState, WhereNothingTellsOfHeatNothingIsKept) {
  const ClockLimits none{TempFolder()};
  std::vector<bool> held_back;
  const ReadYardstick read = [] { return Nanos{100'000}; };
  std::vector<Nanos> readings;
  UnitState state(read, readings, nullptr, false, {&none, &held_back});
  EXPECT_FALSE(state.Read().held_back);
  EXPECT_TRUE(held_back.empty());
}

}  // namespace
}  // namespace tandem
