// Is every route of a SimGrid platform a link of the board, whoever finds it and whichever way it leads?
#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "sim/engine/simgrid_platform.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

Platform ReadRoutes(const std::string& text) {
  const TempFolder folder;
  WriteFile(folder / "board.xml", text);
  return ReadSimGridPlatform(folder / "board.xml");
}

std::string Zones(const std::string& zones) {
  return R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
)" + zones +
         "</platform>\n";
}
const std::string kHostsAB = R"(<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>)",
                  kLinksXY = R"(<link id="x" bandwidth="2GBps" latency="1us"/>
    <link id="y" bandwidth="1GBps" latency="3us"/>)";

// A chain of hosts in a zone that finds its routes itself: a-b, b-c.
std::string ChainOf(const std::string& routing) {
  return Zones("<zone id=\"lab\" routing=\"" + routing + "\">" + kHostsAB + "<host id=\"c\" speed=\"1Gf\"/>" +
               kLinksXY +
               R"(<route src="a" dst="b"><link_ctn id="x"/></route>
    <route src="b" dst="c"><link_ctn id="y"/></route></zone>)");
}

// "a-b 1000000000 4000": memories, bytes a second, nanoseconds.
std::vector<std::string> LinksOf(const Platform& board) {
  std::vector<std::string> links;
  for (const Link& link : board.links) {
    const auto name = [&](MemoryId end) {
      const std::string& memory = board.memories[end.index()].name;
      return memory.substr(0, memory.find(' '));
    };
    links.push_back(name(link.from) + "-" + name(link.to) + " " +
                    std::to_string(static_cast<std::int64_t>(link.bandwidth_bytes_per_s)) + " " +
                    std::to_string(link.latency.count()));
  }
  return links;
}
using Links = std::vector<std::string>;

TEST(SimGridRoutes, RoutesThatAZoneFindsItselfAreLinks) {
  const Links chain = {"a-b 2000000000 1000", "a-c 1000000000 4000", "b-c 1000000000 3000"};
  for (const char* routing : {"Floyd", "Dijkstra", "DijkstraCache"})
    EXPECT_EQ(LinksOf(ReadRoutes(ChainOf(routing))), chain) << routing;
  EXPECT_EQ(LinksOf(ReadRoutes(Zones("<zone id=\"lab\" routing=\"Floyd\">" + kHostsAB + "<router id=\"r\"/>" +
                                     kLinksXY + R"(<route src="a" dst="r"><link_ctn id="x"/></route>
    <route src="r" dst="b"><link_ctn id="y"/></route></zone>)"))),
            (Links{"a-b 1000000000 4000"}));
}

TEST(SimGridRoutes, RoutesWithinAndBetweenZonesAreLinks) {
  EXPECT_EQ(LinksOf(ReadRoutes(Zones(R"(<zone id="world" routing="Full">
  <zone id="one" routing="Floyd">)" + kHostsAB +
                                     "<router id=\"r\"/>" + kLinksXY +
                                     R"(<route src="a" dst="r"><link_ctn id="x"/></route>
    <route src="b" dst="r"><link_ctn id="y"/></route></zone>
  <zone id="two" routing="Full"><host id="c" speed="2Gf"/></zone>
  <link id="wan" bandwidth="100MBps" latency="5ms"/>
  <zoneRoute src="one" dst="two" gw_src="r" gw_dst="c"><link_ctn id="wan"/></zoneRoute>
</zone>)"))),
            (Links{"a-b 1000000000 4000", "a-c 100000000 5001000", "b-c 100000000 5003000"}));
}

// Of a host "a" and a host "b".
Platform BoardOfRoutes(const std::string& routes) {
  return ReadRoutes(Zones("<zone id=\"lab\" routing=\"Full\">" + kHostsAB + kLinksXY + routes + "</zone>"));
}

TEST(SimGridRoutes, ARouteThatLeadsOneWayIsALinkAndThatIsSaid) {
  for (const auto& [from, to] : {std::pair("a", "b"), std::pair("b", "a")}) {
    const Platform board = BoardOfRoutes("<route src=\"" + std::string(from) + "\" dst=\"" + to +
                                         "\" symmetrical=\"NO\"><link_ctn id=\"y\"/></route>");
    EXPECT_EQ(LinksOf(board), (Links{from + std::string("-") + to + " 1000000000 3000"}));
    ASSERT_EQ(board.links.size(), 1U);
    EXPECT_EQ(board.links[0].note, "The file has a route from host \"" + std::string(from) + "\" to host \"" +
                                       to + "\" and none back; here copies go both ways.");
  }
}

TEST(SimGridRoutes, OfRoutesThatDifferByDirectionTheWorseFiguresCountAndThatIsSaid) {
  const auto both = [](const std::string& there, const std::string& back) {
    const auto route = [](const std::string& ends, const std::string& over) {
      return "<route " + ends + " symmetrical=\"NO\"><link_ctn id=\"" + over + "\"/></route>";
    };
    return BoardOfRoutes(route(R"(src="a" dst="b")", there) + route(R"(src="b" dst="a")", back));
  };
  for (const Platform& board : {both("x", "y"), both("y", "x")}) {
    EXPECT_EQ(LinksOf(board), (Links{"a-b 1000000000 3000"}));
    ASSERT_EQ(board.links.size(), 1U);
    EXPECT_EQ(board.links[0].note,
              "The file's routes there and back differ; here both have the narrower bandwidth and the later "
              "latency of the two.");
  }
  EXPECT_EQ(both("x", "x").links[0].note, "");
  // The narrower one may be the sooner one.
  const std::string narrow = R"(<link id="z" bandwidth="10MBps" latency="2us"/>)";
  EXPECT_EQ(
      LinksOf(BoardOfRoutes(narrow + R"(<route src="a" dst="b" symmetrical="NO"><link_ctn id="z"/></route>
    <route src="b" dst="a" symmetrical="NO"><link_ctn id="y"/></route>)")),
      (Links{"a-b 10000000 3000"}));
}

TEST(SimGridRoutes, HostsWithoutRoutesHaveNoLinks) {
  for (const char* routing : {"Full", "Floyd"}) {
    const Platform board = ReadRoutes(
        Zones("<zone id=\"lab\" routing=\"" + std::string(routing) + "\">" + kHostsAB + "</zone>"));
    EXPECT_EQ(board.units.size(), 2U) << routing;
    EXPECT_TRUE(board.links.empty()) << routing;
  }
}

}  // namespace
}  // namespace tandem
