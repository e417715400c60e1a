// Are rows read back as they were written, whatever a kill has left of their files?
#include "sim/sweep/row.h"

#include <gtest/gtest.h>

#include <string>

#include "profiles/base/files.h"
#include "profiles/program/version.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

SweepRow RowOfKey(const std::string& key) {
  SweepRow row;
  row.key = key;
  row.version = Version();
  row.engine = "virtual";
  row.point = {{"n", "10"}, {"board", "\"tinker-edge-r\""}};
  row.policy = "fcfs";
  row.figures = {{"makespan_ns", 4048341000}, {"gap", 0.25}};
  return row;
}

SweepRow Failed(const std::string& key, const std::string& message) {
  SweepRow row = RowOfKey(key);
  row.status = RowStatus::kFailed;
  row.message = message;
  row.figures.clear();
  return row;
}

TEST(ARow, IsOneLineAndReadsBack) {
  const TempFolder folder;
  const std::string text = RowText(RowOfKey("k"));
  EXPECT_EQ(text,
            R"({"tandem": "sweep_row/1", "key": "k", "version": ")" + std::string(Version()) +
                R"(", "engine": "virtual", "point": {"board": "tinker-edge-r", "n": 10}, "policy": "fcfs", )"
                R"("status": "ok", "message": null, "figures": {"gap": 0.25, "makespan_ns": 4048341000}})");
  WriteFile(folder / "a.rows.jsonl", text + "\n");
  const auto rows = ReadRows(folder);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(RowText(rows.at("k")), text);
}

TEST(ARow, MayHaveIntervalsOrWhyThereAreNone) {
  const TempFolder folder;
  SweepRow with = RowOfKey("a"), without = RowOfKey("b");
  with.intervals = {{"makespan_ns", {4000000000, 4100000000}}};
  without.interval_why = "nobody knows";
  EXPECT_NE(RowText(with).find(R"("intervals": {"makespan_ns": [4000000000, 4100000000]}})"),
            std::string::npos)
      << RowText(with);
  WriteFile(folder / "a.rows.jsonl", RowText(with) + "\n" + RowText(without) + "\n");
  const auto rows = ReadRows(folder);
  EXPECT_EQ(rows.at("a").intervals, with.intervals);
  EXPECT_EQ(rows.at("b").interval_why, "nobody knows");
}

TEST(ARow, KeepsWhatCameOutOfEachDraw) {
  const TempFolder folder;
  SweepRow drawn = RowOfKey("a"), run = RowOfKey("b");
  drawn.medians = {{"makespan_ns", 4050000000}};
  drawn.drawn = {4000000000, 4050000000, 4100000000};
  drawn.excesses = {0, 0, 0.25};
  run.unknown = 0.3;
  WriteFile(folder / "a.rows.jsonl", RowText(drawn) + "\n" + RowText(run) + "\n");
  const auto rows = ReadRows(folder);
  EXPECT_EQ(rows.at("a").medians, drawn.medians);
  EXPECT_EQ(rows.at("a").drawn, drawn.drawn);
  EXPECT_EQ(rows.at("a").excesses, drawn.excesses);
  EXPECT_FALSE(rows.at("a").unknown);
  EXPECT_EQ(rows.at("b").unknown, 0.3);
}

TEST(ATornLine, IsNoRow) {
  const TempFolder folder;
  const std::string whole = RowText(RowOfKey("a")), torn = RowText(RowOfKey("b"));
  for (std::size_t length = 0; length < torn.size(); ++length) {
    WriteFile(folder / "x.rows.jsonl", whole + "\n" + torn.substr(0, length));
    EXPECT_EQ(ReadRows(folder).size(), 1U) << length;
    WriteFile(folder / "x.rows.jsonl", torn.substr(0, length) + "\n" + whole + "\n");  // gone on behind it
    EXPECT_EQ(ReadRows(folder).size(), 1U) << length;
  }
  WriteFile(folder / "x.rows.jsonl", whole + "\n" + torn);  // its end may be missing as well
  EXPECT_EQ(ReadRows(folder).size(), 1U);
}

TEST(ARowThatIsOk, CountsBeforeOneThatFailedWhateverTheOrder) {
  const TempFolder folder;
  const std::string ok = RowText(RowOfKey("a")) + "\n", failed = RowText(Failed("a", "killed")) + "\n";
  for (const std::string& text : {ok + failed, failed + ok, failed + ok + failed}) {
    WriteFile(folder / "x.rows.jsonl", text);
    EXPECT_EQ(ReadRows(folder).at("a").status, RowStatus::kOk);
  }
}

TEST(RowsOfOneKey, ThatDifferAreDamagedWhateverTheOrder) {
  SweepRow other = RowOfKey("a");
  other.figures["makespan_ns"] = 1;
  const std::string one = RowText(RowOfKey("a")) + "\n", two = RowText(other) + "\n";
  for (const auto& [first, second] : {std::pair(one, two), std::pair(two, one)}) {
    const TempFolder folder;
    WriteFile(folder / "a.rows.jsonl", first);
    WriteFile(folder / "b.rows.jsonl", second);
    EXPECT_NE(
        ErrorOf([&] { (void)ReadRows(folder); }).find("b.rows.jsonl:1: run \"a\" has other figures here"),
        std::string::npos);
    WriteFile(folder / "b.rows.jsonl", first);
    EXPECT_EQ(ReadRows(folder).size(), 1U) << "made twice, and alike";
  }
}

TEST(RowsOfAnotherVersion, AreRefused) {
  const TempFolder folder;
  SweepRow old = RowOfKey("b");
  old.version = "0.0.1";
  WriteFile(folder / "x.rows.jsonl", RowText(RowOfKey("a")) + "\n" + RowText(old) + "\n");
  EXPECT_EQ(ErrorOf([&] { (void)ReadRows(folder); }),
            (folder / "x.rows.jsonl").string() + ":2: a row of tandem 0.0.1, and this is " +
                std::string(Version()) + "; rows of two versions are not compared: another folder for these");
}

TEST(JsonThatIsNoRow, IsAnErrorWithItsPlace) {
  const TempFolder folder;
  WriteFile(folder / "x.rows.jsonl", "{\"tandem\": \"scenario/1\"}\n");
  EXPECT_NE(ErrorOf([&] { (void)ReadRows(folder); }).find("x.rows.jsonl:1"), std::string::npos);
}

TEST(AFolderThatIsNotThere, HasNoRows) { EXPECT_TRUE(ReadRows("/no/such/folder").empty()); }

}  // namespace
}  // namespace tandem
