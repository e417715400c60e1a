// Boards as SimGrid's platform files: what is written comes back, and files of others become boards.
#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "sim/engine/simgrid_platform.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

Platform Read(const std::string& text) {
  const TempFolder folder;
  WriteFile(folder / "board.xml", text);
  return ReadSimGridPlatform(folder / "board.xml");
}

TEST(SimGridPlatform, EveryShippedBoardComesBackAsItWas) {
  const std::vector<std::string> boards = ShippedNames("boards", ".platform.json");
  ASSERT_GT(boards.size(), 5U);
  for (const std::string& board : boards) {
    Platform platform = ReadPlatformFile(ShippedDirectory() / "boards" / (board + ".platform.json"));
    platform.note.clear();
    platform.price.reset();
    EXPECT_EQ(PlatformJson(Read(SimGridPlatformText(platform))), PlatformJson(platform)) << board;
  }
}

TEST(SimGridPlatform, SoDoHubsEnginesAndNamesThatXmlWouldNotHave) {
  const std::string text = R"({"tandem": "platform/1", "name": "a \"board\" & <more>",
      "memories": [{"name": "z", "bandwidth_bytes_per_s": 1000000000}, {"name": "a", "capacity_bytes": 4096}],
      "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 400000000}],
      "links": [{"from": "z", "to": "a", "latency_us": 30.125, "bandwidth_bytes_per_s": 500000000, "engine": true,
                 "hub": "usb"}],
      "units": [{"name": "second", "kind": "gpu", "memory": "a", "slots": 2, "time_shared": true},
                {"name": "first", "kind": "cpu", "memory": "z", "idle_w": 1, "busy_w": 2.5,
                 "states": [{"name": "slow", "busy_w": 1.5}, {"name": "fast", "idle_w": 2, "busy_w": 4}]}]})";
  const Platform platform = ReadPlatform(JsonDocument::Parse(text, "board").root());
  const std::string written = SimGridPlatformText(platform);
  EXPECT_EQ(PlatformJson(Read(written)), PlatformJson(platform));
  // SimGrid's own plugin finds them as the states of a processor.
  EXPECT_NE(written.find(R"(speed="1Gf,1Gf,1Gf")"), std::string::npos) << written;
  EXPECT_NE(written.find(R"("1:1:2.5,1:1:1.5,2:2:4")"), std::string::npos) << written;
}

const std::string kThreeHosts = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="lab" routing="Full">
    <host id="a" speed="2Gf,1Gf" core="4"><prop id="wattage_per_state" value="10:12:20, 9:10:15"/></host>
    <host id="b" speed="1Gf"/>
    <host id="c" speed="1Gf"/>
    <link id="wire" bandwidth="100MBps" latency="10us"/>
    <link id="spine" bandwidth="50MBps" latency="5us"/>
    <route src="a" dst="b"><link_ctn id="wire"/><link_ctn id="spine"/></route>
    <route src="a" dst="c"><link_ctn id="spine"/></route>
  </zone>
</platform>
)";

TEST(SimGridPlatform, HostsOfOthersAreUnitsAndRoutesAreLinks) {
  const Platform board = Read(kThreeHosts);
  EXPECT_EQ(board.UnitNames(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(board.units[0].slots, 4);
  EXPECT_EQ(board.units[0].idle_w, 10);
  EXPECT_EQ(board.units[0].busy_w, 20);
  ASSERT_EQ(board.units[0].states.size(), 2U);
  EXPECT_EQ(board.units[0].states[1].name, "pstate1");
  EXPECT_EQ(board.units[0].states[1].idle_w, 9);
  EXPECT_EQ(board.units[0].states[1].busy_w, 15);
  EXPECT_NE(board.units[0].note.find("2000000000 (pstate0), 1000000000 (pstate1) flop/s"), std::string::npos)
      << board.units[0].note;
  EXPECT_TRUE(board.units[1].states.empty());
  ASSERT_EQ(board.links.size(), 2U);
  EXPECT_EQ(board.links[0].bandwidth_bytes_per_s, 5e7);
  EXPECT_EQ(board.links[0].latency, Nanos{15000});
  ASSERT_EQ(board.hubs.size(), 1U);
  EXPECT_EQ(board.hubs[0].name, "spine");
  EXPECT_EQ(board.links[1].hub, HubId(0));
}

TEST(SimGridPlatform, WhatWouldHaveSimGridWriteOrReadOtherFilesIsRefused) {
  std::string text = kThreeHosts;
  text.insert(text.find("  <zone"), R"(<config><prop id="tracing/filename" value="/tmp/written"/></config>)");
  EXPECT_NE(ErrorOf([&] { Read(text); }).find("\"<config\" sets SimGrid up or names other files"),
            std::string::npos);
  text = kThreeHosts;
  text.insert(text.find("speed=\"2Gf,1Gf\""), "availability_file=\"/etc/passwd\" ");
  EXPECT_NE(ErrorOf([&] { Read(text); }).find("names other files"), std::string::npos);
}

TEST(SimGridPlatform, WhatIsNoPlatformIsAnErrorThatNamesTheFile) {
  EXPECT_NE(ErrorOf([] { Read("no XML at all"); }).find("board.xml: SimGrid cannot read it"),
            std::string::npos);
  EXPECT_NE(ErrorOf([] { ReadSimGridPlatform("missing.xml"); }).find("missing.xml: No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
