// Is it told before anything runs what of models does not stay on a chip, and which memories profiles know
// of?
#include "sim/study/room_check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/two_models_on_one_unit.h"

namespace tandem {
namespace {

TEST(RoomCheck, OfMemoriesOnlyThoseAreToldThatAreMeasuredOrInDoubt) {
  EXPECT_EQ(RoomText(TwoModelsOnOneUnit{}.Read(), 200), "");
  EXPECT_EQ(RoomText(TwoModelsOnOneUnit{.memory = BothMeasured()}.Read(), 200),
            "memory \"dram\": what its units hold takes at most 90,000 of 1,000,000 bytes, as measured\n");
}

TEST(RoomCheck, JsonHasEachMemoryWithACapacity) {
  const auto fits = RoomJson(TwoModelsOnOneUnit{.capacity = 90000, .memory = BothMeasured()}.Read());
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_EQ(fits[0]["fits"], true);
  EXPECT_EQ(fits[0]["cannot_fit"], false);
  const auto too_much = RoomJson(TwoModelsOnOneUnit{.capacity = 89999, .memory = BothMeasured()}.Read());
  EXPECT_EQ(too_much[0]["fits"], false);
  EXPECT_EQ(too_much[0]["cannot_fit"], true);
  EXPECT_EQ(too_much[0]["units"][0]["at_once"], 2);
}

// Weights are fp32 here: 24000 and 32000 bytes.
TEST(RoomCheck, WhatDoesNotStayOnAChipIsSaid) {
  TwoModelsOnOneUnit board{.of_unit = R"(, "on_chip_bytes": 30000, "stream_bytes_per_s": 1e9)"};
  const std::string alone = RoomText(board.Read(), 200);
  EXPECT_NE(alone.find("30,000 bytes of model"), std::string::npos) << alone;
  EXPECT_NE(alone.find("2,000 come with each task\n"), std::string::npos) << alone;
  board.of_scenario = R"("co_compiled": {"npu": [["m0.json", "m1.json"]]}, )";
  const std::string together = RoomText(board.Read(), 200);
  EXPECT_NE(together.find("6,000 bytes of model"), std::string::npos) << together;
  EXPECT_NE(together.find("26,000 come with each task, which takes 0.024 ms longer than alone\n"),
            std::string::npos)
      << together;
}

}  // namespace
}  // namespace tandem
