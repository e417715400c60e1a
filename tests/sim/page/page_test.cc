#include "sim/page/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/page/timeline.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

Page Small() {
  Page page;
  page.title = "a </title> & <b>";
  page.command = "tandem simulate 'a b'";
  page.results = {R"([{"tandem": "report/1", "label": "</script><script>alert(1)</script>"}])",
                  R"({"tandem": "calibration/1"})"};
  return page;
}

Json DataOf(const std::string& html) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Page, KeepsItsResultsAsTheyAreWhateverTheyHold) {
  const std::string html = PageHtml(Small());
  EXPECT_EQ(html, PageHtml(Small())) << "the same bytes";
  EXPECT_TRUE(kHtmlPage.begins(html));
  EXPECT_EQ(html.find("</script><script>alert"), std::string::npos)
      << "nothing in a name becomes a part of the page";
  EXPECT_NE(html.find("<title>a &lt;/title&gt; &amp; &lt;b&gt;</title>"), std::string::npos);
  const Json data = DataOf(html);
  ASSERT_EQ(data["results"].size(), 2U) << "lists are taken apart";
  EXPECT_EQ(data["results"][0]["label"], "</script><script>alert(1)</script>");
  EXPECT_EQ(data["results"][1]["tandem"], "calibration/1");
  EXPECT_TRUE(data["board"].is_null());
  EXPECT_FALSE(data.contains("timelines"));
}

TEST(Page, TitleWritesOutWhatATerminalWouldObeyOrHide) {
  Page page = Small();
  page.title = "a\x7f\xc2\x9b\xe2\x80\xae<\xff";
  EXPECT_NE(PageHtml(page).find("<title>a\\u007f\\u009b\\u202e&lt;\\xff</title>"), std::string::npos);
}

TEST(Page, IsOfFilesWhoseNamesAreNoUtf8) {
  Page page = Small();
  page.files = {"a\xff.json", "b.json"};
  EXPECT_EQ(DataOf(PageHtml(page))["files"], Json::parse("[\"a\\ufffd.json\", \"b.json\"]"));
}

TEST(Page, SaysWhoseScriptsItHasAndOnWhichTerms) {
  const std::string html = PageHtml(Small());
  EXPECT_NE(html.find("Copyright (c) 2022 Leon Sorokin"), std::string::npos);
  EXPECT_NE(html.find("THE SOFTWARE IS PROVIDED"), std::string::npos);
}

TEST(Page, AsksForNothingElse) {
  const std::string html = PageHtml(Small());
  for (const char* asks : {"src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "import("}) {
    EXPECT_EQ(html.find(asks), std::string::npos) << asks;
  }
  for (const char* left : {"@style@", "@data@", "@script@", "@title@", "@version@"}) {
    EXPECT_EQ(html.find(left), std::string::npos) << left;
  }
}

TEST(Timelines, HaveSpansInColumns) {
  TracedRun run;
  run.name = "measured: eft #2";
  run.policy = "eft";
  run.measured = true;
  run.tracks = {{"gpu", "gpu", 0, "", ""}, {"copies", "", 0, "a", "b"}};
  run.streams = {"camera"};
  run.segments = {{"net", {}, {}}, {"net", {"one", "two"}, {}}};
  TracedSpan span;
  span.track = 1;
  span.segment = 1;
  span.kind = SpanKind::kTransfer;
  span.index = 7;
  span.release = Nanos{5};
  span.ready = Nanos{6};
  span.start = Nanos{10};
  span.end = Nanos{30};
  run.spans = {span, span};
  const Json json = Json::parse(TimelinesJson({"s", "p", {run}}))[0];
  EXPECT_EQ(json["name"], "measured: eft #2");
  EXPECT_EQ(json["policy"], "eft");
  EXPECT_EQ(json["measured"], true);
  EXPECT_EQ(json["rows"],
            Json::parse(R"([{"name": "gpu", "unit": "gpu"}, {"name": "copies", "unit": "copies"}])"));
  EXPECT_EQ(json["segments"], Json::parse(R"([["net", "*"], ["net", "one..two"]])"));
  EXPECT_EQ(json["kinds"][json["spans"]["kind"][0].get<std::size_t>()], "transfer");
  EXPECT_EQ(
      json["spans"],
      Json::parse(R"({"row": [1, 1], "stream": [0, 0], "index": [7, 7], "segment": [1, 1], "kind": [1, 1],
      "release_ns": [5, 5], "ready_ns": [6, 6], "start_ns": [10, 10], "duration_ns": [20, 20]})"));
}

}  // namespace
}  // namespace tandem
