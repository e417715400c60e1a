// Is it known before anything runs whether what units hold fits their memory, and what of that is an
// estimate?
#include "scenarios/scenario/measured_room.h"

#include <gtest/gtest.h>

#include "tests/support/two_models_on_one_unit.h"

namespace tandem {
namespace {

MeasuredRoom RoomIn(const TwoModelsOnOneUnit& board) {
  const std::vector<MeasuredRoom> rooms = MeasuredRooms(board.Read());
  EXPECT_EQ(rooms.size(), 1u);
  return rooms.empty() ? MeasuredRoom() : rooms[0];
}

const char* const kBothLoad = R"(, "loads": [{"model": "m0.json", "unit": "npu", "median_us": 10},
                                            {"model": "m1.json", "unit": "npu", "median_us": 10}])";

// Both are held, 30000 and 40000, and the first takes 20000 beside that while it is made ready.
TEST(MeasuredRoom, AllModelsAreThereAndOneTakesMostBesideThem) {
  const MeasuredRoom fits = RoomIn({.capacity = 90000, .memory = BothMeasured()});
  EXPECT_TRUE(fits.Fits());
  EXPECT_EQ(RoomSentence(fits),
            "memory \"dram\": what its units hold takes at most 90,000 of 90,000 bytes, as measured");
  const MeasuredRoom too_much = RoomIn({.capacity = 89999, .memory = BothMeasured()});
  EXPECT_TRUE(too_much.CannotFit());
  EXPECT_EQ(RoomSentence(too_much),
            "memory \"dram\": what its units hold takes at most 90,000 of 89,999 bytes, as measured: it does "
            "not fit; let unit \"npu\" hold fewer than 2 models at once (\"resident_models\"), run some on "
            "units of another memory, or take smaller ones");
}

// One at a time: the first takes 50000 at most, though it holds less than the second.
TEST(MeasuredRoom, AUnitThatHoldsOneCountsWithTheLargest) {
  TwoModelsOnOneUnit board{
      .capacity = 50000, .of_unit = R"(, "resident_models": 1)", .memory = BothMeasured()};
  const MeasuredRoom room = RoomIn(board);
  EXPECT_EQ(room.needed_bytes, 50000);
  EXPECT_EQ(room.least_bytes, 50000);
  EXPECT_EQ(room.units[0].at_once, 1);
  EXPECT_TRUE(room.Fits());
  board.capacity = 49999;
  const std::string sentence = RoomSentence(RoomIn(board));
  EXPECT_TRUE(
      sentence.ends_with(": it does not fit; run some on units of another memory, or take smaller ones"))
      << sentence;
}

// What nobody measured: 32000 of weights, 32 of tensors, and 32000 as they are read, which is more beside the
// two than the 20000 of the first; in any case 30000 and 32000, and those 20000.
TEST(MeasuredRoom, WhatNobodyMeasuredIsAnEstimateAndItsWeightsAreTheLeast) {
  TwoModelsOnOneUnit board{.capacity = 82000, .memory = MemoryOfModel(0, 50000, 30000)};
  const MeasuredRoom room = RoomIn(board);
  EXPECT_EQ(room.needed_bytes, 30000 + 32032 + 32000);
  EXPECT_EQ(room.least_bytes, 82000);
  EXPECT_FALSE(room.Fits());
  EXPECT_FALSE(room.CannotFit());
  const std::string sentence = RoomSentence(room);
  EXPECT_NE(sentence.find("about 94,032 of 82,000 bytes, an estimate, since nobody measured "),
            std::string::npos)
      << sentence;
  EXPECT_NE(sentence.find("m1.json on npu: it may not fit; let unit"), std::string::npos) << sentence;
  board.capacity = 81999;
  const MeasuredRoom too_much = RoomIn(board);
  EXPECT_TRUE(too_much.CannotFit());
  EXPECT_NE(RoomSentence(too_much).find("; 82,000 in any case: it does not fit"), std::string::npos);
}

TEST(MeasuredRoom, FiguresOfAnEstimatedProfileAreEstimates) {
  const MeasuredRoom room = RoomIn({.capacity = 60000,
                                    .memory = BothMeasured(),
                                    .origin = R"({"kind": "estimated", "method": "made up"})"});
  EXPECT_EQ(room.needed_bytes, 90000);
  EXPECT_EQ(room.least_bytes, 24000 + 32000) << "weights alone";
  EXPECT_EQ(room.estimated.size(), 2u);
  EXPECT_FALSE(room.measured);
}

// 56000 of weights: the unit holds one of the two, whichever the policy chooses, and loads the other.
TEST(MeasuredRoom, WeightsWithoutRoomForAllTakeTurns) {
  TwoModelsOnOneUnit board{.capacity = 55999, .memory = BothMeasured(), .of_profile = kBothLoad};
  const MeasuredRoom room = RoomIn(board);
  EXPECT_TRUE(room.units[0].in_turns);
  EXPECT_EQ(room.needed_bytes, 50000);
  EXPECT_NE(
      RoomSentence(room).find("; unit \"npu\" has no room for the weights of its 2 models: it holds what "
                              "the policy chooses"),
      std::string::npos);
  board.of_profile = "";
  const MeasuredRoom stays = RoomIn(board);
  EXPECT_FALSE(stays.units[0].in_turns) << "neither can come back";
  EXPECT_TRUE(stays.CannotFit());
}

// The second unit holds the first model too: 30000, and 20000 beside. In any case one is made ready after the
// other.
TEST(MeasuredRoom, UnitsOfOneMemoryCountTogether) {
  const MeasuredRoom room =
      RoomIn({.capacity = 120000,
              .more_units = R"(, {"name": "dsp", "kind": "dsp", "memory": "dram"})",
              .memory = BothMeasured() + ", " + MemoryOfModel(0, 50000, 30000, "dsp"),
              .entries = R"(, {"model": "m0.json", "unit": "dsp", "layers": "*", "median_us": 100})"});
  EXPECT_EQ(room.needed_bytes, 90000 + 50000);
  EXPECT_EQ(room.least_bytes, 70000 + 30000 + 20000);
  EXPECT_FALSE(room.Fits());
  EXPECT_FALSE(room.CannotFit());
  EXPECT_NE(RoomSentence(room).find(": it may not fit, 90,000 of it on unit \"npu\""), std::string::npos)
      << RoomSentence(room);
}

TEST(MeasuredRoom, OnlyMemoriesInDoubtAreToldBesideResults) {
  EXPECT_EQ(RoomsInDoubtText(TwoModelsOnOneUnit{.capacity = 90000, .memory = BothMeasured()}.Read(), 200),
            "");
  EXPECT_NE(RoomsInDoubtText(TwoModelsOnOneUnit{.capacity = 89999, .memory = BothMeasured()}.Read(), 200),
            "");
}

}  // namespace
}  // namespace tandem
