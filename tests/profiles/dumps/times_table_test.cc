// Is a table of whole models' times read as the person who made it means it?
#include "profiles/dumps/times_table.h"

#include <gtest/gtest.h>

#include <fstream>

#include "profiles/base/input_error.h"
#include "profiles/dumps/separated_text.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class TimesTableFile : public testing::Test {
 protected:
  TimesTable Read(const std::string& text, const TableDefaults& defaults = {}) {
    std::ofstream(file_, std::ios::binary) << text;
    return ReadTimesTable(file_, defaults);
  }
  // "model unit ns" of each time.
  std::vector<std::string> Times(const std::string& text, const TableDefaults& defaults = {}) {
    std::vector<std::string> lines;
    for (const TableTime& time : Read(text, defaults).times) {
      lines.push_back(time.model + " " + time.unit + " " + std::to_string(time.time.count()) + " " +
                      std::to_string(time.batch) + " " + time.variant.Text());
    }
    return lines;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "times.csv";
};

using Lines = std::vector<std::string>;

TEST_F(TimesTableFile, HasARowAModelAndAColumnAUnit) {
  const Lines expected = {"resnet50 cpu 400500000 1 fp32", "resnet50 gpu 20000000 1 fp32",
                          "vgg16 cpu 1000000 1 fp32"};
  EXPECT_EQ(Times("model,cpu_ms,gpu_us\nresnet50,400.5,20000\nvgg16,1,\n"), expected);
  EXPECT_EQ(Times("\xEF\xBB\xBFmodel (ms);cpu;gpu\r\nresnet50;400,5;20\r\n\r\n# later\r\nvgg16;1;-\r\n"),
            expected)
      << "a spreadsheet's: semicolons, decimal commas, a mark at the beginning, lines with CR";
  EXPECT_EQ(Times("\tcpu [ms]\tgpu [s]\n\"resnet50\"\t400.5\t0.02\nvgg16\t1 ms\tn/a\n"), expected);
  EXPECT_EQ(Times("model,cpu,gpu\nresnet50,\"400.5\",20\nvgg16,1,NA\n", {{"cpu", "gpu"}, "ms", "fp32", 1}),
            expected);
}

TEST_F(TimesTableFile, OrATimeARow) {
  const Lines expected = {"resnet50 cpu 400000000 1 fp32", "resnet50 gpu 20000000 8 tensorrt/fp16"};
  EXPECT_EQ(Times("Model,Device,Latency (ms),Batch size,Precision,Runtime\n"
                  "resnet50,cpu,400,,,\nresnet50,gpu,20,8,FP16,tensorrt\n"),
            expected);
  EXPECT_EQ(Times("unit,model,us\ncpu,resnet50,4e5\n"), Lines{"resnet50 cpu 400000000 1 fp32"});
}

TEST_F(TimesTableFile, KeepsPrecisionAndBatchThatTheTableDoesNotSay) {
  EXPECT_EQ(Times("model,cpu_ms,batch\nresnet50,4,2\nresnet50,1,\n", {{}, "", "int8", 1}),
            (Lines{"resnet50 cpu 4000000 2 int8", "resnet50 cpu 1000000 1 int8"}));
}

TEST_F(TimesTableFile, AUnitMayBeCalledAsAUnitOfTimeOrAColumnIs) {
  EXPECT_EQ(Times("model,gpu_ms,unit\nresnet50,1,2\n", {{"gpu_ms", "unit"}, "ms", "fp32", 1}),
            (Lines{"resnet50 gpu_ms 1000000 1 fp32", "resnet50 unit 2000000 1 fp32"}));
}

TEST_F(TimesTableFile, BecomesAProfileThatSaysWhereItIsFrom) {
  const Profile profile =
      ProfileOf(Read("model,cpu_ms\nresnet50,400\n"), "mine", "our lab", folder_ / "my.profile.json");
  EXPECT_EQ(profile.origin.source, "the table times.csv: our lab");
  ASSERT_EQ(profile.entries.size(), 1U);
  EXPECT_TRUE(profile.entries[0].layers.empty());
  EXPECT_EQ(ReadProfile(JsonDocument::Parse(ProfileJson(profile), "p.json").root()).entries, profile.entries);
}

TEST_F(TimesTableFile, IsRefusedWhereItIsNoText) {
  try {
    Read(std::string("m\0o\0", 4));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              file_.string() + ": is no plain text (UTF-16?); save it as CSV in UTF-8");
  }
}

TEST(SeparatedText, TakesQuotesAsSpreadsheetsWriteThem) {
  const SeparatedText text = ReadSeparated("a;\"b;\"\"c\"\"\";d\n1;;\n", "x.csv");
  EXPECT_EQ(text.separator, ';');
  EXPECT_EQ(text.lines[0].fields, (Lines{"a", "b;\"c\"", "d"}));
  EXPECT_EQ(text.lines[1].fields, (Lines{"1", "", ""}));
  EXPECT_EQ(ReadSeparated("\"a,b\",\"c\"\n\"1\",\"2,5\"\n", "x.csv").lines[1].fields, (Lines{"1", "2,5"}))
      << "a heading in quotes, as many programs write every field";
  EXPECT_EQ(ReadSeparated("a;b\r1;2\r", "x.csv").lines[1].fields, (Lines{"1", "2"}))
      << "lines of an old Mac's";
}

TEST(SeparatedText, LeavesOutLinesAndLastColumnsInWhichNothingStands) {
  const SeparatedText text = ReadSeparated("a,b,,\n,,,\n1,,,\n\n,2,,\n", "x.csv");
  ASSERT_EQ(text.lines.size(), 3U);
  EXPECT_EQ(text.lines[0].fields, (Lines{"a", "b"}));
  EXPECT_EQ(text.lines[2].fields, (Lines{"", "2"}));
  EXPECT_EQ(text.lines[2].number, 5U);
  EXPECT_EQ(ReadSeparated("a,b,\n1,2,3\n", "x.csv").lines[0].fields.size(), 3U) << "there is something in it";
}

}  // namespace
}  // namespace tandem
