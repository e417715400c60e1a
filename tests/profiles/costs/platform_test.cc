// Is a board read as it is written, and does writing it lose nothing?
#include "profiles/costs/platform.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

constexpr const char* kBoard = R"({"tandem": "platform/1", "name": "b", "note": "a made-up board",
  "memories": [{"name": "dram", "capacity_bytes": 4294967296, "bandwidth_bytes_per_s": 12800000000},
               {"name": "usb1"}],
  "links": [{"from": "dram", "to": "usb1", "latency_us": 30.125, "bandwidth_bytes_per_s": 4e8, "engine": true}],
  "units": [{"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [1, 0]},
            {"name": "gpu", "kind": "gpu", "memory": "dram", "backend": "cuda", "device": 0},
            {"name": "tpu", "kind": "tpu", "memory": "usb1", "backend": "command", "command": ["run", ""]},
            {"name": "ncs2", "kind": "vpu", "memory": "usb1", "resident_models": 1, "dispatch_us": 2.5,
             "slots": 2, "idle_w": 0.5, "busy_w": 1.5}]})";

Platform ReadBoard(const std::string& text) {
  return ReadPlatform(JsonDocument::Parse(text, "b.json").root());
}

TEST(Platform, IsReadAsItIsWritten) {
  const Platform board = ReadBoard(kBoard);
  EXPECT_EQ(board.name, "b");
  EXPECT_EQ(board.memories[0].capacity_bytes, 4294967296);
  EXPECT_EQ(board.memories[0].bandwidth_bytes_per_s, 12.8e9);
  EXPECT_FALSE(board.memories[1].capacity_bytes);
  EXPECT_EQ(board.links[0].to, board.FindMemory("usb1"));
  EXPECT_EQ(board.links[0].latency, Nanos{30125});
  EXPECT_TRUE(board.links[0].engine);
  EXPECT_EQ(board.units[0].cores, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(board.units[0].slots, 1);
  EXPECT_EQ(board.units[1].device, 0);
  EXPECT_EQ(board.units[2].command, (std::vector<std::string>{"run", ""}));
  const Unit& ncs2 = board.unit(board.FindUnit("ncs2"));
  EXPECT_EQ(ncs2.kind, UnitKind::kVpu);
  EXPECT_EQ(ncs2.dispatch, Nanos{2500});
  EXPECT_EQ(ncs2.resident_models, 1);
  EXPECT_EQ(ncs2.busy_w, 1.5);
  EXPECT_EQ(ncs2.backend, nullptr);
}

TEST(Platform, AnUnknownNameHasNoId) {
  const Platform board = ReadBoard(kBoard);
  EXPECT_FALSE(board.FindUnit("npu").valid());
  EXPECT_FALSE(board.FindMemory("cpu").valid());
  EXPECT_EQ(board.UnitNames(), (std::vector<std::string>{"cpu", "gpu", "tpu", "ncs2"}));
}

TEST(Platform, UnitsMayShareCores) {
  std::string text = kBoard;
  text.replace(text.find("\"backend\": \"cuda\", \"device\": 0"), 30, "\"backend\": \"cpu\", \"cores\": [1]");
  EXPECT_EQ(ReadBoard(text).units[1].cores, (std::vector<std::int64_t>{1}));
}

TEST(Platform, UnitsMeetThatShareAMemoryAndNeitherCoresNorADevice) {
  const Platform apart = ReadBoard(kBoard);
  const UnitId cpu = apart.FindUnit("cpu"), gpu = apart.FindUnit("gpu"), tpu = apart.FindUnit("tpu");
  EXPECT_TRUE(CanMeet(apart, cpu, gpu));
  EXPECT_FALSE(CanMeet(apart, cpu, cpu));
  EXPECT_FALSE(CanMeet(apart, cpu, tpu));
  std::string text = kBoard;
  text.replace(text.find("\"backend\": \"cuda\", \"device\": 0"), 30, "\"backend\": \"cpu\", \"cores\": [1]");
  EXPECT_FALSE(CanMeet(ReadBoard(text), cpu, gpu));
}

TEST(Platform, ACopyAloneHasTheLeastBandwidthOfWhatItGoesOver) {
  Platform board = ReadBoard(kBoard);
  EXPECT_EQ(board.AloneOver(board.links[0]), 4e8);
  board.memories[1].bandwidth_bytes_per_s = 3e8;
  EXPECT_EQ(board.AloneOver(board.links[0]), 3e8);
  board.hubs.push_back({"usb", 1e8});
  EXPECT_EQ(board.AloneOver(board.links[0]), 3e8) << "it is not plugged in there";
  board.links[0].hub = board.FindHub("usb");
  EXPECT_EQ(board.AloneOver(board.links[0]), 1e8);
  board.memories[0].bandwidth_bytes_per_s = 5e7;
  EXPECT_EQ(board.AloneOver(board.links[0]), 5e7);
}

TEST(Platform, WritingAndReadingAgainGivesTheSameBytes) {
  const std::string once = PlatformJson(ReadBoard(kBoard));
  EXPECT_EQ(PlatformJson(ReadBoard(once)), once);
  EXPECT_NE(once.find("\"latency_us\": 30.125"), std::string::npos);
  EXPECT_NE(once.find("\"note\": \"a made-up board\""), std::string::npos);
}

TEST(Platform, InPlaceItNeedsNoKindButARightOne) {
  const std::string unit =
      R"("name": "b", "memories": [{"name": "m"}], "units": [{"name": "u", "kind": "npu", "memory": "m"}]})";
  const auto in_place = [](const std::string& text) {
    const JsonDocument document = JsonDocument::Parse("{\"platform\": " + text + "}", "s.json");
    return ReadPlatform(document.root().Get("platform")).units.size();
  };
  EXPECT_EQ(in_place("{" + unit), 1u);
  EXPECT_THROW(in_place("{\"tandem\": \"profile/1\", " + unit), InputError);
  EXPECT_THROW(ReadBoard("{" + unit), InputError);
}

// A board of so many units, each as `unit` has it beside its name.
std::string BoardOf(std::size_t units, const std::string& unit = "") {
  std::string text;
  for (std::size_t u = 0; u < units; ++u) {
    text += (u ? ", " : "") + (R"({"name": "u)" + std::to_string(u)) + R"(", "kind": "cpu", "memory": "m")" +
            unit + "}";
  }
  return R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}], "units": [)" + text + "]}";
}

std::string WhyNot(const std::string& text) {
  return ErrorOf([&] { ReadBoard(text); });
}

TEST(Platform, HasUpToSixteenThousandUnits) {
  const Platform board = ReadBoard(BoardOf(16384));
  EXPECT_EQ(board.units.size(), 16384u);
  const UnitNames names(board);
  EXPECT_EQ(names.Find("u16383"), UnitId(16383));
  EXPECT_FALSE(names.Find("u16384").valid());
  EXPECT_EQ(WhyNot(BoardOf(16385)), "b.json:/units: a platform has at most 16384 units");
}

TEST(Platform, SlotsOfAllUnitsAreNotTooMany) {
  EXPECT_EQ(ReadBoard(BoardOf(512, R"(, "slots": 1024)")).units.size(), 512u);
  EXPECT_EQ(WhyNot(BoardOf(513, R"(, "slots": 1024)")),
            "b.json:/units: the units have 525312 slots together, a platform has at most 524288");
}

TEST(Platform, UnitsThatShareAreNotTooMany) {
  EXPECT_EQ(ReadBoard(BoardOf(5792, R"(, "device": 0)")).units.size(), 5792u);
  EXPECT_EQ(WhyNot(BoardOf(5794, R"(, "device": 0)")),
            "b.json:/units: two units share a core or a device 16782321 times, a platform has that at most "
            "16777216 times; units that are only simulated can do without cores");
  EXPECT_EQ(ReadBoard(BoardOf(4096, R"(, "cores": [3, 5])")).units.size(), 4096u) << "each core is a sharing";
  EXPECT_NE(WhyNot(BoardOf(4098, R"(, "cores": [3, 5])")), "no error");
}

}  // namespace
}  // namespace tandem
