// Boards as SimGrid's platform files: what is written comes back, and files of others become boards.
#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/markup.h"
#include "profiles/program/shipped.h"
#include "sim/engine/simgrid_platform.h"
#include "tests/support/error_of.h"
#include "tests/support/sanitized.h"
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
    const Platform platform = ReadPlatformFile(ShippedDirectory() / "boards" / (board + ".platform.json"));
    EXPECT_EQ(PlatformJson(Read(SimGridPlatformText(platform))), PlatformJson(platform)) << board;
  }
}

TEST(SimGridPlatform, SoDoHubsEnginesAndNamesThatXmlWouldNotHave) {
  const std::string text =
      R"({"tandem": "platform/1", "name": "a \"board\" & <more>", "note": "<\"made\" up>",
      "price": {"amount": 99.5, "currency": "USD"},
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
  // Of SimGrid's four cores none draw 10 W and all of them 20, so that each adds 2.5, and in the other state
  // (15 - 9) / 4 = 1.5. The middle figure is no core's, but what a host draws that is barely not idle.
  EXPECT_EQ(board.units[0].idle_w, 10);
  EXPECT_EQ(board.units[0].busy_w, 12.5);
  ASSERT_EQ(board.units[0].states.size(), 2U);
  EXPECT_EQ(board.units[0].states[1].name, "pstate1");
  EXPECT_EQ(board.units[0].states[1].idle_w, 9);
  EXPECT_EQ(board.units[0].states[1].busy_w, 10.5);
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

// Of a unit each slot that works adds what it draws above idle; SimGrid's figure is that of all cores. Slots
// that share the unit's time are one core.
TEST(SimGridPlatform, WattsOfSeveralSlotsAreThoseOfAllCores) {
  const auto watts_of = [](const std::string& slots) {
    const std::string text = R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "dram"}],
        "units": [{"name": "g", "kind": "cpu", "memory": "dram", "idle_w": 10, "busy_w": 12.5,
                   "states": [{"name": "slow", "busy_w": 11}], )" +
                             slots + "}]}";
    const std::string written = SimGridPlatformText(ReadPlatform(JsonDocument::Parse(text, "board").root()));
    const std::size_t at = written.find("10:10:");
    return written.substr(at, written.find('"', at) - at);
  };
  EXPECT_EQ(watts_of(R"("slots": 1)"), "10:10:12.5,10:10:11");
  EXPECT_EQ(watts_of(R"("slots": 4)"), "10:10:20,10:10:14");
  EXPECT_EQ(watts_of(R"("slots": 4, "time_shared": true)"), "10:10:12.5,10:10:11");
}

TEST(SimGridPlatform, WhatAUserChangedBesideThePropertyOfAUnitIsNotPassedOver) {
  const std::string written = SimGridPlatformText(ReadPlatform(
      JsonDocument::Parse(R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "dram"}],
        "units": [{"name": "g", "kind": "gpu", "memory": "dram", "slots": 3, "idle_w": 1, "busy_w": 2,
                   "states": [{"name": "slow", "busy_w": 1.5}]}]})",
                          "board")
          .root()));
  const auto with = [&](const std::string& of, const std::string& put) {
    std::string text = written;
    text.replace(text.find(of), of.size(), put);
    const std::string said = ErrorOf([&] { Read(text); });
    return said.substr(std::min(said.find("host "), said.size()));
  };
  const auto mended = [](const std::string& keys) {
    return " is what its property \"tandem_unit\" comes to, of which the unit is read; edit " + keys +
           " there, and let both say the same";
  };
  EXPECT_EQ(with("core=\"3\"", "core=\"6\""),
            "host \"unit:g\": core is \"6\", but \"3\"" + mended("\"slots\""));
  EXPECT_EQ(with("1:1:4,1:1:2.5", "1:1:40,1:1:2.5"),
            "host \"unit:g\": property \"wattage_per_state\" is \"1:1:40,1:1:2.5\", but \"1:1:4,1:1:2.5\"" +
                mended("\"idle_w\" and \"busy_w\""));
  EXPECT_EQ(with("1Gf,1Gf", "1Gf,500Mf"),
            "host \"unit:g\": speed is \"1000000000f,500000000f\", but \"1000000000f,1000000000f\"" +
                mended("\"states\" (how fast it works is for profiles to say)"));
  // Who edits the property alone leaves SimGrid with another host.
  EXPECT_EQ(with("&quot;slots&quot;:3", "&quot;slots&quot;:1").find("host \"unit:g\": core is \"3\", but"),
            0U);
}

TEST(SimGridPlatform, AFatpipeOnSeveralRoutesIsNoHub) {
  std::string text = kThreeHosts;
  const std::string spine = R"(<link id="spine" bandwidth="50MBps" latency="5us"/>)";
  text.replace(text.find(spine), spine.size(),
               R"(<link id="spine" bandwidth="50MBps" latency="5us" sharing_policy="FATPIPE"/>)");
  const Platform board = Read(text);
  EXPECT_TRUE(board.hubs.empty());
  ASSERT_EQ(board.links.size(), 2U);
  EXPECT_EQ(board.links[0].bandwidth_bytes_per_s, 5e7);
  EXPECT_FALSE(board.links[0].hub.valid());
  EXPECT_EQ(
      board.links[0].note,
      "link \"spine\" is a FATPIPE, of which every flow has all the bandwidth; here copies that are under "
      "way at once share it.");
}

// What is said of the board of three hosts with one thing in it put in another's place.
std::string Instead(const std::string& of, const std::string& put) {
  std::string text = kThreeHosts;
  text.replace(text.find(of), of.size(), put);
  const std::string said = ErrorOf([&] { Read(text); });
  const std::size_t name = said.find("board.xml: ");
  return name == std::string::npos ? said : said.substr(name + 11);
}
std::string Property(const std::string& name, const std::string& value) {
  return "<prop id=\"" + name + "\" value=\"" + XmlText(value) + "\"/>";
}
const std::string kHostB = R"(<host id="b" speed="1Gf"/>)", kWatts = R"("10:12:20, 9:10:15")";
std::string OfHostB(const std::string& properties) {
  return Instead(kHostB, R"(<host id="b" speed="1Gf">)" + properties + "</host>");
}

TEST(SimGridPlatform, AnOrderThatIsNoNumberIsToldOfItsHostOrLink) {
  EXPECT_EQ(
      OfHostB(Property("tandem_order", "abc")),
      "host \"b\": property \"tandem_order\" is \"abc\"; it is a whole number from 0 to 2147483647, or is "
      "left out");
  EXPECT_EQ(Instead(R"(latency="5us"/>)",
                    R"(latency="5us">)" + Property("tandem_order", "99999999999") + "</link>"),
            "link \"spine\": property \"tandem_order\" is \"99999999999\"; it is a whole number from 0 to "
            "2147483647, or is left out");
  EXPECT_NE(OfHostB(Property("tandem_order", "3x")).find("is \"3x\""), std::string::npos);
  EXPECT_NE(OfHostB(Property("tandem_order", "-1")).find("is \"-1\""), std::string::npos);
}

TEST(SimGridPlatform, APropertyThatIsNoUnitIsToldOfItsHost) {
  EXPECT_EQ(OfHostB(Property("tandem_unit", "{bad")).find("host \"b\": property \"tandem_unit\":1:2: "), 0U)
      << OfHostB(Property("tandem_unit", "{bad"));
  EXPECT_EQ(OfHostB(Property("tandem_unit", "5")),
            "host \"b\": property \"tandem_unit\" is \"5\"; it is a JSON object as `tandem boards export` "
            "writes it");
  EXPECT_EQ(
      OfHostB(Property("tandem_unit", R"({"name": "u", "kind": "cpux", "memory": "m"})") +
              Property("tandem_memory", R"({"name": "m"})")),
      "host \"b\": property \"tandem_unit\", at /kind: unknown kind of unit \"cpux\"; did you mean \"cpu\"?");
  EXPECT_EQ(OfHostB(Property("tandem_unit", R"({"name": "u", "kind": "cpu", "memory": "m", "name": "v"})"))
                .find("host \"b\": property \"tandem_unit\":"),
            0U)
      << "a key twice";
}

TEST(SimGridPlatform, ALinkThatIsNoneIsToldOfTheLink) {
  const std::string own = Property("tandem_unit", R"({"name": "u", "kind": "cpu", "memory": "m"})") +
                          Property("tandem_memory", R"({"name": "m"})");
  const auto of_wire = [&](const std::string& tag, const std::string& property) {
    std::string text = kThreeHosts;
    const std::string wire = R"(<link id="wire" bandwidth="100MBps" latency="10us"/>)";
    text.replace(text.find(kHostB), kHostB.size(), R"(<host id="b" speed="1Gf">)" + own + "</host>");
    text.replace(text.find(wire), wire.size(), "<link id=\"wire\" " + tag + ">" + property + "</link>");
    const std::string said = ErrorOf([&] { Read(text); });
    return said.substr(std::min(said.find("board.xml"), said.size()));
  };
  EXPECT_EQ(
      of_wire(R"(bandwidth="1MBps" latency="1us")", Property("tandem_link", R"({"from": "m", "to": "n"})")),
      "board.xml: link \"wire\": property \"tandem_link\", at /to: unknown memory \"n\"; known: m");
  EXPECT_EQ(
      of_wire(R"(bandwidth="-5Bps" latency="1us")", Property("tandem_hub", R"({"name": "h"})")),
      "board.xml: link \"wire\": bandwidth: -5.0 is out of range: from 1 to 1e+15; in bytes a second, as in "
      "bandwidth=\"100MBps\"");
}

TEST(SimGridPlatform, FiguresOutOfRangeAreToldOfTheFilesHostsAndLinks) {
  const std::string bandwidth =
      " is out of range: from 1 to 1e+15; in bytes a second, as in bandwidth=\"100MBps\"";
  EXPECT_EQ(Instead("100MBps", "-100MBps"), "link \"wire\": bandwidth: -100000000.0" + bandwidth);
  EXPECT_EQ(Instead("50MBps", "0Bps"), "link \"spine\": bandwidth: 0.0" + bandwidth)
      << "a hub, and on two routes";
  EXPECT_EQ(Instead("10us", "-5us"),
            "link \"wire\": latency: it is negative or no number; as in latency=\"10us\"");
  EXPECT_EQ(Instead("core=\"4\"", "core=\"5000\""),
            "host \"a\": core: 5000 is out of range: from 1 to 1024; a task runs on each: give it fewer");
  EXPECT_EQ(Instead("\"10us\"", "\"1000000000000s\"")
                .find("route from host \"a\" to host \"b\": latency: 1e+18 us is out of range"),
            0U);
  EXPECT_EQ(
      Instead(kHostB, kHostB + "<host id=\"d\x7f\" speed=\"1Gf\"/>"),
      "host \"d\\u007f\": id: a name must not hold control characters; give it another id, of at most 190 "
      "bytes and without control characters");
}

// Of states that are not the first and of units that tandem wrote, too.
TEST(SimGridPlatform, SpeedsThatAreNoneAreToldOfTheirHost) {
  const std::string none = "host \"b\": speed: it is not above 0 and below 2^63 flop/s; as in speed=\"1Gf\"";
  for (const std::string speed : {"nanf", "inff", "0f", "-1f", "1e19f", "9223372036854775808f", "1Gf,nanf"}) {
    const std::string host = "<host id=\"b\" speed=\"" + speed + "\"", end = "</host>";
    EXPECT_EQ(Instead(kHostB, host + "/>"), none) << speed;
    const std::string unit = Property("tandem_unit", R"({"name": "u", "kind": "cpu", "memory": "m"})");
    EXPECT_EQ(Instead(kHostB, host + ">" + unit + end), none) << speed;
  }
}

TEST(SimGridPlatform, WattsThatAreNoneAreNotDropped) {
  const auto watts = [](const std::string& value) { return Instead(kWatts, "\"" + value + "\""); };
  const std::string none =
      " is no state's; write \"idle:all cores\" or \"idle:epsilon:all cores\" in watts, as in \"10:12:20\", "
      "with a "
      "comma between states";
  const std::string place = "host \"a\": property \"wattage_per_state\"";
  EXPECT_EQ(watts("x:y:z"), place + ": \"x:y:z\"" + none);
  EXPECT_EQ(watts("10:12:20,9"), place + ": \"9\"" + none);
  for (const char* bad : {"10", "10:20:30:40", "10W:20W", "10:", "nan:1", "-1:5", "a lot"})
    EXPECT_NE(watts(bad).find(none), std::string::npos) << bad;
  EXPECT_EQ(watts("10:12:20,9:8:5"),
            place + ": \"9:8:5\" has all cores draw less than none; write the idle watts first");
  EXPECT_EQ(watts("10:20"),
            place + " has 1 states, the host's speed 2; write as many, with a comma between them");
  EXPECT_NE(watts("10:20,9:1e9").find(place), std::string::npos) << watts("10:20,9:1e9");
  EXPECT_EQ(watts("10:20,9:15"), "no error") << "two numbers are enough";
}

TEST(SimGridPlatform, MoreHostsThanABoardTakesAreCounted) {
  std::string more;
  for (int h = 0; h < 300; ++h) more += "<host id=\"h" + std::to_string(h) + "\" speed=\"1Gf\"/>";
  EXPECT_EQ(Instead(kHostB, kHostB + more),
            "it has 303 hosts, of which a board takes at most 256; leave out those that run no models");
}

std::string Cluster(const std::string& radical) {
  return R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="rack" prefix="node-" suffix="" radical=")" +
         radical + R"(" speed="1Gf" bw="100MBps" lat="10us"/>
</platform>
)";
}

TEST(SimGridPlatform, HostsOfAClusterAreUnits) {
  EXPECT_EQ(Read(Cluster("0-2")).UnitNames(), (std::vector<std::string>{"node-0", "node-1", "node-2"}));
}

TEST(SimGridPlatform, RoutesAreLinksUpToAsManyAsABoardTakesElseThoseOfTheFirstHostAndThatIsSaid) {
  const TempFolder folder;
  std::vector<std::string> notes;
  WriteFile(folder / "board.xml", Cluster("0-31"));
  const Platform all = ReadSimGridPlatform(folder / "board.xml", &notes);
  EXPECT_EQ(all.links.size(), 32U * 31 / 2);
  EXPECT_EQ(all.note, "Read from a SimGrid platform file: hosts are units, routes are links.");
  EXPECT_TRUE(notes.empty());

  WriteFile(folder / "board.xml", Cluster("0-32"));
  const Platform first = ReadSimGridPlatform(folder / "board.xml", &notes);
  ASSERT_EQ(first.links.size(), 32U);
  for (const Link& link : first.links) EXPECT_EQ(first.memories[link.from.index()].name, "node-0 memory");
  EXPECT_EQ(first.note,
            "Read from a SimGrid platform file: hosts are units, routes are links. Of more than 512 routes "
            "only those of host \"node-0\" are here.");
  EXPECT_EQ(notes, (std::vector<std::string>{"its routes are more than the 512 links that a board takes: "
                                             "only those of host \"node-0\" are links"}));
}

TEST(SimGridPlatform, FewRoutesOfManyHostsAreAllLinks) {
  std::string more;
  for (int h = 0; h < 40; ++h) more += "<host id=\"h" + std::to_string(h) + "\" speed=\"1Gf\"/>";
  std::string text = kThreeHosts;
  text.replace(text.find(kHostB), kHostB.size(), kHostB + more);
  const std::string last = R"(<route src="a" dst="c">)";
  text.insert(text.find(last), R"(<route src="b" dst="c"><link_ctn id="wire"/></route>)");
  EXPECT_EQ(Read(text).links.size(), 3U);
}

TEST(SimGridPlatform, AClusterOfMoreHostsThanThereIsMemoryForIsRefused) {
  const std::string said = ErrorOf([] { Read(Cluster("0-999999999")); });
  EXPECT_NE(said.find("board.xml: "), std::string::npos) << said;
  if (kSanitized) return;  // its own operator new does not say why it ends
  EXPECT_NE(said.find("it describes more than a board is: SimGrid takes more than 512 MiB or 5 s to read it"),
            std::string::npos)
      << said;
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

// SimGrid loads any file whose name ends in ".so" as a library, and so runs it.
TEST(SimGridPlatform, TheNameOfAFileMakesNoProgramOfIt) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "board.so";
  WriteFile(file, kThreeHosts);
  EXPECT_EQ(ReadSimGridPlatform(file).UnitNames(), (std::vector<std::string>{"a", "b", "c"}));
  WriteFile(file, "\xef\xbb\xbf\n" + kThreeHosts.substr(kThreeHosts.find("<!DOCTYPE")));
  EXPECT_EQ(ErrorOf([&] { ReadSimGridPlatform(file); }), "no error") << "a mark of its encoding, and blanks";
  WriteFile(file, kThreeHosts.substr(0, kThreeHosts.find("</platform>")) + "</nothing>");
  const std::string said = ErrorOf([&] { ReadSimGridPlatform(file); });
  EXPECT_EQ(said.find(file.string() + ": SimGrid cannot read it: Parse error at " + file.string() + ":13:"),
            0U)
      << said;
}

TEST(SimGridPlatform, WhatIsNoXmlIsNotGivenToSimGrid) {
  const std::string none =
      ": SimGrid cannot read it: it is no XML, which is text and begins with \"<\"; save the platform as "
      "XML, "
      "in UTF-8";
  const TempFolder folder;
  for (const char* name : {"board.xml", "board.so"}) {
    const std::filesystem::path file = folder / name;
    for (const std::string& text : {std::string("\x7f"
                                                "ELF<platform"),
                                    std::string(), std::string(" \n"), kThreeHosts + '\0' + kThreeHosts}) {
      WriteFile(file, text);
      EXPECT_EQ(ErrorOf([&] { ReadSimGridPlatform(file); }), file.string() + none) << text;
    }
  }
}

TEST(SimGridPlatform, APlatformWithoutAZoneIsRefusedBeforeSimGridDiesOfIt) {
  const std::string head =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  const std::string none = "<platform version=\"4.1\"></platform>";
  testing::internal::CaptureStderr();
  const std::string refused = ErrorOf([&] { Read(head + none); }),
                    died = ErrorOf([&] { Read(head + "<!-- <zone> -->" + none); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(refused.find("board.xml: it has no zone; the hosts of a SimGrid platform are in one"),
            std::string::npos)
      << refused;
  EXPECT_NE(died.find("board.xml: SimGrid cannot read it as a platform file"), std::string::npos) << died;
}

// SimGrid's reader writes beyond its memory, at some hundreds.
TEST(SimGridPlatform, ElementsThatAreNestedDeepAreRefusedBeforeSimGridDiesOfThem) {
  const auto nested = [](int zones, const std::string& between) {
    std::string text = kThreeHosts.substr(0, kThreeHosts.find("  <zone"));
    for (int z = 0; z < zones; ++z)
      text += "<zone id=\"a>/" + std::to_string(z) + "\" routing=\"Full\">" + between + "\n";
    text += R"(<host id="h" speed="1Gf"/>)";
    for (int z = 0; z < zones; ++z) text += "</zone>";
    return text + "</platform>";
  };
  const auto said = [&](int zones, const std::string& between) {
    const std::string error = ErrorOf([&] { Read(nested(zones, between)); });
    return error.substr(std::min(error.find("board.xml"), error.size()));
  };
  const std::string refused =
      "board.xml:35: elements are within each other 33 deep, of which SimGrid may die; at most 32 are taken: "
      "put "
      "the hosts into one zone";
  EXPECT_EQ(said(30, ""), "") << "with the platform and the host";
  EXPECT_EQ(said(600, ""), refused);
  EXPECT_EQ(said(600, "<!-- </zone> -->"), refused);
  EXPECT_EQ(said(600, "<?of others </zone>?>"), refused);
  // SimGrid does not end the first of these comments where XML does, so that it would not see what is behind.
  EXPECT_EQ(said(600, "<!-- ---></zone><!-- -->").find("board.xml: SimGrid cannot read it: Parse error"), 0U);
  EXPECT_EQ(said(600, "<!-- ---><zone id='b' routing='Full'><!-- -->").find("board.xml:19: elements"), 0U);
}

TEST(SimGridPlatform, WhatIsWithinCommentsKeepsItsLines) {
  std::string text = kThreeHosts;
  text.insert(text.find("  <zone"), "<!-- three\nlines\n<zone> -->\n<?of\nothers?>");
  EXPECT_EQ(ErrorOf([&] { Read(text); }), "no error");
  text.replace(text.find("</platform>"), 11, "</nothing>");
  EXPECT_NE(ErrorOf([&] { Read(text); }).find("board.xml:17: "), std::string::npos);
}

TEST(SimGridPlatform, WhatSimGridSaysAsItDiesIsTheMessage) {
  testing::internal::CaptureStderr();
  const std::string state = Instead(kHostB, R"(<host id="b" speed="1Gf" pstate="99"/>)"),
                    storage = Instead(kHostB, R"(<storage_type id="s" size="1"/>)");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const std::string none = "SimGrid cannot read it as a platform file: ";
  EXPECT_EQ(state.find(none + "Invalid parameters for CPU b"), 0U) << state;
  EXPECT_EQ(state.find('\n'), std::string::npos) << state;
  EXPECT_EQ(storage.find(none), 0U) << storage;
}

TEST(SimGridPlatform, WhatIsNoPlatformIsAnErrorThatNamesTheFile) {
  EXPECT_NE(ErrorOf([] { Read("no XML at all"); }).find("board.xml: SimGrid cannot read it"),
            std::string::npos);
  EXPECT_NE(ErrorOf([] { ReadSimGridPlatform("missing.xml"); }).find("missing.xml: No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
