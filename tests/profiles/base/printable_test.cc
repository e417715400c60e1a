// Is everything that a terminal would obey or hide written out?
#include "profiles/base/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"
#include "profiles/base/json_text.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

TEST(Printable, TextStaysAsItIs) {
  const std::string text = "conv1\t9408\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9d \"~\"\n";
  EXPECT_EQ(Printable(text), text);
  EXPECT_EQ(PrintableLine("a\n\tb"), "a\\u000a\\u0009b");
}

TEST(Printable, ControlCharactersOfBothHalvesAreWrittenOut) {
  EXPECT_EQ(Printable("\x1b[31m\r\a\x7f"), "\\u001b[31m\\u000d\\u0007\\u007f");
  EXPECT_EQ(Printable(std::string("\0", 1)), "\\u0000");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "2J\xc2\x85"),
            "\\u009b2J\\u0085");  // C1: the same as ESC [
}

TEST(Printable, MarksOfDirectionAreWrittenOut) {
  for (const char* mark : {"061c", "200e", "200f", "202a", "202e", "2066", "2069"}) {
    const std::string raw = nlohmann::json::parse("\"\\u" + std::string(mark) + "\"");
    EXPECT_EQ(Printable("a" + raw + "b"), "a\\u" + std::string(mark) + "b");
  }
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(Printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(Printable("\xc3"), "\\xc3");
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");  // longer than it need be
  EXPECT_EQ(Printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last
}

TEST(Printable, WordsKeysAndCellsStayOnTheirLine) {
  EXPECT_EQ(Quoted("a\n\xe2\x80\xae\xff"), "\"a\\u000a\\u202e\\xff\"");
  EXPECT_EQ(ErrorOf([] { JsonDocument::Parse(R"({"a\n\u001b": {"x": 1, "x": 2}})", "f"); }),
            "f:/a\\u000a\\u001b: the key \"x\" is given twice");
  Table table({{"layer"}, {"n"}});
  table.Add({"a\nb", "1"});
  EXPECT_EQ(table.Text(80), "layer     n\na\\u000ab  1\n");
}

TEST(Printable, APathThatIsNoUtf8MakesJsonAllTheSame) {
  nlohmann::json value;
  value["file"] = "a\xff.json";
  EXPECT_EQ(JsonLine(value), "{\"file\":\"a\xef\xbf\xbd.json\"}");
}

TEST(Printable, JsonMeansTheSame) {
  const std::string name = "\x1b\x7f\xc2\x9b\xe2\x80\xae\"\\\xc3\xa9";
  const nlohmann::ordered_json value = {{name, {name, 1.5, nullptr, true}}};
  const std::string text = JsonOutput(value);
  EXPECT_EQ(nlohmann::ordered_json::parse(text), value);
  EXPECT_EQ(Printable(text), text);
  EXPECT_EQ(nlohmann::json::parse(JsonString(name)), name);
  EXPECT_EQ(Printable(JsonString(name)), JsonString(name));
}

}  // namespace
}  // namespace tandem
