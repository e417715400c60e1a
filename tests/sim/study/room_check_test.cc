// Is it told before anything runs whether what units hold fits, by what was measured, and what does not stay
// on a chip?
#include "sim/study/room_check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

std::string Needs(int model, int peak, int held) {
  return R"({"model": "m)" + std::to_string(model) + R"(.json", "unit": "npu", "peak_bytes": )" +
         std::to_string(peak) + R"(, "held_bytes": )" + std::to_string(held) + "}";
}

// Two models of 6000 and 8000 numbers on one unit; a third one runs on no unit of the memory.
Scenario OnOneUnit(int capacity, const std::string& of_unit, const std::string& memory,
                   const std::string& more = {}) {
  const auto model = [](int params) {
    return R"([{"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "opaque",
               "inputs": ["in"], "shape": [1, 4], "params": )" +
           std::to_string(params) + "}]";
  };
  return JsonScenario{R"("memories": [{"name": "dram", "capacity_bytes": )" + std::to_string(capacity) +
                          R"(}],
         "units": [{"name": "npu", "kind": "npu", "memory": "dram")" +
                          of_unit + "}]",
                      R"("entries": [{"model": "m0.json", "unit": "npu", "layers": "*", "median_us": 100},
                     {"model": "m1.json", "unit": "npu", "layers": "*", "median_us": 100}])" +
                          (memory.empty() ? "" : R"(, "memory": [)" + memory + "]"),
                      {model(6000), model(8000)},
                      more + R"("transfer": "none", "streams": [
         {"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
         {"name": "y", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"}
      .Read();
}

const std::string kBoth = Needs(0, 50000, 30000) + ", " + Needs(1, 45000, 40000);

TEST(RoomCheck, AllModelsAreThereAndOneTakesMostBesideThem) {
  EXPECT_EQ(RoomText(OnOneUnit(90000, "", kBoth), 200),
            "memory \"dram\": what its units hold takes at most 90,000 of 90,000 bytes, as measured\n");
  EXPECT_EQ(RoomText(OnOneUnit(89999, "", kBoth), 200),
            "memory \"dram\": what its units hold takes at most 90,000 of 89,999 bytes, as measured: it does "
            "not fit\n");
  EXPECT_EQ(RoomJson(OnOneUnit(89999, "", kBoth))[0]["fits"], false);
}

TEST(RoomCheck, AUnitThatHoldsOneCountsWithTheLargest) {
  const auto rooms = MeasuredRooms(OnOneUnit(90000, R"(, "resident_models": 1)", kBoth));
  ASSERT_EQ(rooms.size(), 1u);
  EXPECT_EQ(rooms[0].needed_bytes, 45000);
}

TEST(RoomCheck, WhatIsNotKnownIsSaid) {
  EXPECT_EQ(RoomText(OnOneUnit(90000, "", ""), 200), "");
  const auto rooms = MeasuredRooms(OnOneUnit(90000, "", Needs(0, 50000, 30000)));
  ASSERT_EQ(rooms.size(), 1u);
  EXPECT_EQ(rooms[0].needed_bytes, 50000);
  ASSERT_EQ(rooms[0].unknown.size(), 1u);
  EXPECT_NE(rooms[0].unknown[0].find("m1.json on npu"), std::string::npos);
}

// Weights are fp32 here: 24000 and 32000 bytes.
TEST(RoomCheck, WhatDoesNotStayOnAChipIsSaid) {
  const std::string chip = R"(, "on_chip_bytes": 30000, "stream_bytes_per_s": 1e9)";
  const std::string alone = RoomText(OnOneUnit(90000, chip, ""), 200);
  EXPECT_NE(alone.find("30,000 bytes of model"), std::string::npos) << alone;
  EXPECT_NE(alone.find("2,000 come with each task\n"), std::string::npos) << alone;
  const std::string together =
      RoomText(OnOneUnit(90000, chip, "", R"("co_compiled": {"npu": [["m0.json", "m1.json"]]}, )"), 200);
  EXPECT_NE(together.find("6,000 bytes of model"), std::string::npos) << together;
  EXPECT_NE(together.find("26,000 come with each task, which takes 0.024 ms longer than alone\n"),
            std::string::npos)
      << together;
}

}  // namespace
}  // namespace tandem
