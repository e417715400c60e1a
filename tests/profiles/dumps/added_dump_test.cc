// Does a reader of another tool's timing dump that stands outside the tree need its registration alone?
#include <gtest/gtest.h>

#include <sstream>

#include "profiles/base/input_error.h"
#include "profiles/dumps/dump.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

constexpr std::string_view kHeading = "# sundial\n";

bool Recognises(std::string_view text) { return text.substr(0, kHeading.size()) == kHeading; }

// "conv1 12.5": a layer and its milliseconds, a line each.
ProfileDump Read(std::string text, const std::string& file) {
  ProfileDump dump{.tool = "sundial", .statistic = "one run", .rows = {}, .end_to_end = {}};
  std::istringstream lines(text.substr(kHeading.size()));
  std::string name, millis;
  for (int line = 2; lines >> name >> millis; ++line) {
    DumpRow row;
    row.name = name;
    row.place = file + ":" + std::to_string(line);
    row.time = Timing::OfSamples({DumpMillis(millis, row.place)});
    row.parts = {name};
    dump.rows.push_back(row);
  }
  return dump;
}

const DumpFormatRegistration kSundial{{"sundial", Recognises, Read}};

TEST(AnAddedDump, IsRecognisedByItsContent) {
  const ProfileDump dump = ParseProfileDump("# sundial\nconv1 12.5\nfc 0.25\n", "shade.txt");
  EXPECT_EQ(dump.tool, "sundial");
  ASSERT_EQ(dump.rows.size(), 2U);
  EXPECT_EQ(dump.rows[1].place, "shade.txt:3");
  EXPECT_EQ(TotalOf(dump.rows[0].time), Nanos{12'500'000});
}

TEST(AnAddedDump, SaysItsOwnMistakes) {
  EXPECT_NE(ErrorOf([] { ParseProfileDump("# sundial\nconv1 noon\n", "shade.txt"); }).find("shade.txt:2"),
            std::string::npos);
}

TEST(AnAddedDump, IsOneOfThoseThatAMessageLists) {
  const std::string error = ErrorOf([] { ParseProfileDump("what is this\n", "shade.txt"); });
  EXPECT_NE(error.find("sundial"), std::string::npos) << error;
}

}  // namespace
}  // namespace tandem
