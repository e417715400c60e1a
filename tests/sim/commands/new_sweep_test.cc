// Does `tandem new sweep` begin files that `tandem sweep` runs?
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

class NewSweepCommand : public testing::Test {
 protected:
  ProgramResult New(const std::string& arguments) const {
    return RunTandem("new sweep " + arguments + " -o " + file_.string());
  }
  Json Written() const { return Json::parse(ReadTextFile(file_)); }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "mine.sweep.json";
};

TEST_F(NewSweepCommand, VariesRatesWhereRequestsComeByTheClock) {
  const ProgramResult result = New("overload");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, file_.string() + ": 2 axes, 9 points, 5 policies, 45 runs\n");
  const Json sweep = Written();
  EXPECT_EQ(sweep["name"], "mine");
  EXPECT_EQ(sweep["scenario"], "overload");
  EXPECT_EQ(sweep["axes"][0]["name"], "rate");
  EXPECT_EQ(sweep["axes"][0]["pointers"], Json({"/streams/0/arrival/fps", "/streams/1/arrival/rate_per_s",
                                                "/streams/2/arrival/rate_per_s"}));
  EXPECT_EQ(RunTandem("check " + file_.string()).status, 0);
}

TEST_F(NewSweepCommand, VariesCountsElseAndWhatItIsTold) {
  ASSERT_EQ(New("study-003").status, 0);
  EXPECT_EQ(Written()["axes"][0]["name"], "count");
  const ProgramResult result = New(
      "study-003 --policy fcfs,eft --name rates --vary /streams/0/count=10,20 --vary /transfer=copy,none");
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json sweep = Written();
  EXPECT_EQ(sweep["name"], "rates");
  EXPECT_EQ(sweep["policies"], Json({"fcfs", "eft"}));
  ASSERT_EQ(sweep["axes"].size(), 2U);
  EXPECT_EQ(sweep["axes"][0]["values"], Json({10, 20}));
  EXPECT_EQ(sweep["axes"][1]["values"], Json({"copy", "none"}));
}

TEST_F(NewSweepCommand, NamesAScenarioByTheWayFromItsOwnFolder) {
  std::filesystem::copy_file(FindFile("study-003", {}, "scenarios", ".scenario.json"),
                             folder_ / "a.scenario.json");
  EXPECT_EQ(New((folder_ / "a.scenario.json").string()).status, 0);
  EXPECT_EQ(Written()["scenario"], "a.scenario.json");
}

TEST_F(NewSweepCommand, WritesNothingThatIsWrongAndReplacesNothingElse) {
  EXPECT_EQ(New("study-003 --vary streams/0/count=10").errors,
            "--vary: \"streams/0/count=10\" is not as /streams/0/count=10,20\n");
  EXPECT_EQ(New("study-003 --vary /streams/0/count=0").status, 2);
  EXPECT_EQ(New("study-003 --vary /streams/9/count=1").status, 2);
  EXPECT_FALSE(std::filesystem::exists(file_));
  WriteFile(file_, "something else\n");
  EXPECT_EQ(New("study-003").status, 2);
  EXPECT_EQ(New("study-003 --force").status, 0);
}

}  // namespace
}  // namespace tandem
