// Does a baseline's file read well in a diff, and come back as it was written?
#include "scenarios/baseline/baseline.h"

#include <gtest/gtest.h>

#include <sstream>

#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

const std::string kGood = std::string(TANDEM_TEST_DIR) + "/good/kept.baseline.json";

TEST(BaselineFiles, AreReadWhole) {
  const Baseline baseline = ReadBaselineFile(kGood);
  EXPECT_EQ(baseline.name, "kept");
  ASSERT_EQ(baseline.cases.size(), 1U);
  const BaselineCase& kept = baseline.cases[0];
  EXPECT_EQ(kept.policy, "fcfs");
  EXPECT_EQ(kept.place, kGood + ":/cases/0");
  ASSERT_EQ(kept.figures.size(), 5U);
  EXPECT_EQ(kept.figures[0].first, "makespan_ns") << "in the order of the file";
  EXPECT_EQ(kept.Find("p99_latency_ns")->tolerance, (Tolerance{2, true}));
  EXPECT_EQ(kept.Find("energy_j")->value, FigureValue());
  EXPECT_EQ(kept.Find("winner")->value, FigureValue("eft"));
  EXPECT_EQ(kept.Find("gap"), nullptr);
  EXPECT_EQ(kept.stream_latency.at("b"), Nanos{2000});
  ASSERT_EQ(kept.work.size(), 2U);
  EXPECT_EQ(kept.work[0].time[Cause::kWorking], Nanos{20});
  EXPECT_EQ(kept.work[0].models.at("resnet50").tasks, 2);
  EXPECT_EQ(kept.work[1].time[Cause::kHeldBack], Nanos{5});
}

TEST(BaselineFiles, AreWrittenToTheSameBytes) {
  const Baseline baseline = ReadBaselineFile(kGood);
  EXPECT_EQ(BaselineJson(baseline), ReadTextFile(kGood));
  const TempFolder folder;
  WriteFile(folder / "again.baseline.json", BaselineJson(baseline));
  EXPECT_EQ(BaselineJson(ReadBaselineFile(folder / "again.baseline.json")), BaselineJson(baseline));
}

TEST(BaselineFiles, AChangedFigureIsOneChangedLine) {
  Baseline baseline = ReadBaselineFile(kGood);
  std::istringstream before(BaselineJson(baseline));
  baseline.cases[0].figures[1].second.value = 1.0;
  std::istringstream after(BaselineJson(baseline));
  std::string old_line, new_line;
  int changed = 0;
  while (std::getline(before, old_line)) {
    ASSERT_TRUE(std::getline(after, new_line));
    changed += old_line == new_line ? 0 : 1;
  }
  EXPECT_EQ(changed, 1);
}

}  // namespace
}  // namespace tandem
