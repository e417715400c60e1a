// Is it said of every profile where its times come from, and how far a margin is to be trusted?
#include "scenarios/scenario/profile_used.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "tests/support/scenario_in_place.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

// Two of one board, one in a file of its own.
Scenario WithTwoProfiles(const TempFolder& folder, const std::string& error) {
  const std::string entry = R"({"model": "resnet50", "layers": "*", "median_us": 9, "unit": )";
  WriteFile(folder / "guess.profile.json",
            R"({"tandem": "profile/1", "platform": "p", "origin": {"kind": "estimated", "method":
            "by a roofline (docs). cpu: as that of another board")" +
                error + R"(}, "entries": [)" + entry + R"("cpu"}]})");
  WriteFile(folder / "s.json", R"({"tandem": "scenario/1", "name": "s", "platform": {"name": "p",
      "memories": [{"name": "m"}], "units": [{"name": "cpu", "kind": "cpu", "memory": "m"},
                                             {"name": "npu", "kind": "npu", "memory": "m"}]},
      "profiles": ["./guess.profile.json", {"platform": "p", "origin": {"kind": "measured", "host": "a board",
        "date": "2026-11-20T09:15:00Z", "clocks": {}, "libraries": {}, "threads": {}, "cache_mode": "warm",
        "error": 0.025}, "entries": [)" +
                                   entry + R"("npu"}]}],
      "streams": [{"name": "x", "model": "resnet50", "count": 1, "arrival": {"type": "offline"}}]})");
  return ReadScenarioFile(folder / "s.json");
}

TEST(ProfilesUsed, SayWhereTheTimesComeFromAndHowSureTheyAre) {
  const TempFolder folder;
  const auto used = ProfilesUsed(WithTwoProfiles(folder, R"(, "error": 0.18)"));
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[0].origin.method, "by a roofline (docs). cpu: as that of another board") << "all of it";
  EXPECT_TRUE(used[1].origin.threads.empty());
  EXPECT_EQ(
      OriginSentences(used),
      (std::vector<std::string>{"guess.profile.json: times estimated (by a roofline (docs)), +-18 % that all "
                                "share: a margin inside that is no win",
                                "in place: times measured (a board, 2026-11-20), +-2.5 % that all share: a "
                                "margin inside that is no win"}));
}

TEST(ProfilesUsed, StayOnTheirLineWhateverAFileSaysOfWhereItsTimesComeFrom) {
  const TempFolder folder;
  Scenario scenario = WithTwoProfiles(folder, R"(, "error": 0.18)");
  scenario.profiles[0].origin.method = "by a guess\n::error::the runner fails.\nAnd so on";
  scenario.profiles[1].origin.host = "a\r\nboard";
  const std::vector<std::string> sentences = OriginSentences(ProfilesUsed(scenario));
  EXPECT_EQ(
      sentences.at(0).find("guess.profile.json: times estimated (by a guess ::error::the runner fails), "),
      0U)
      << sentences[0];
  EXPECT_NE(sentences.at(1).find("(a  board, 2026-11-20)"), std::string::npos) << sentences[1];
}

// An estimate is off by another number for each unit and model, so a margin is judged by the draws alone.
TEST(ProfilesUsed, WhereDrawsTellSayHowTheseTakeTheError) {
  const TempFolder folder;
  const auto used = ProfilesUsed(WithTwoProfiles(folder, R"(, "error": 0.18)"));
  EXPECT_EQ(
      OriginSentences(used, ToldBy::kDraws),
      (std::vector<std::string>{"guess.profile.json: times estimated (by a roofline (docs)), +-18 % of each "
                                "unit and model: every draw has its own",
                                "in place: times measured (a board, 2026-11-20), +-2.5 % that all share: "
                                "every draw has its own"}));
}

TEST(ProfilesUsed, OfWhatWasMeasuredSayWhereNobodyMeasuredTheDrift) {
  const TempFolder folder;
  Scenario scenario = WithTwoProfiles(folder, "");
  Origin& measured = scenario.profiles[1].origin;
  measured.error.reset();
  EXPECT_EQ(OriginSentences(ProfilesUsed(scenario))[1],
            "in place: times measured (a board, 2026-11-20), drift not measured");
  EXPECT_FALSE(ProfilesUsed(scenario)[1].DriftIsMeasured());
  EXPECT_TRUE(ProfilesUsed(scenario)[0].DriftIsMeasured()) << "an estimate has none";
  measured.merged.resize(2);
  measured.merged[0].error = 0.01;
  measured.merged[1].error = 0.03;
  EXPECT_EQ(ProfilesUsed(scenario)[1].origin.error, 0.03) << "no surer than the least sure of its parts";
  measured.error = 0;
  EXPECT_EQ(ProfilesUsed(scenario)[1].origin.error, 0) << "measured, and there is none";
}

TEST(ProfilesUsed, AnEstimateMayBeAsFarOffAsNobodyKnows) {
  const TempFolder folder;
  const auto sentences = OriginSentences(ProfilesUsed(WithTwoProfiles(folder, "")));
  EXPECT_EQ(sentences[0],
            "guess.profile.json: times estimated (by a roofline (docs)): how far off they are is not known");
}

TEST(ProfilesUsed, AreWrittenWithTheirErrorWhereItIsKnown) {
  const TempFolder folder;
  std::string text;
  UsedProfiles()->Write(ProfilesUsed(WithTwoProfiles(folder, R"(, "error": 0.18)")), text, {});
  EXPECT_EQ(
      text,
      R"([{"profile": "guess.profile.json", "origin": "estimated", "method": "by a roofline (docs). )"
      R"(cpu: as that of another board", "error": 0.18}, {"profile": "in place", "origin": "measured", )"
      R"("host": "a board", "date": "2026-11-20T09:15:00Z", "error": 0.025}])");
}

std::optional<double> UnknownOfOne(const std::string& time, const std::string& error = "") {
  InPlace board;
  board.origin += error;
  board.profile = R"("entries": [)" + EntryOf("cpu", time) + "]";
  return UnknownShare(board.Read());
}

// Of 100, 100, 100, 100 and 110 the mean is 102, 2 % from the median; the squares about it are
// 4 x 4 + 64 = 80, its standard error is the root of 80 / 4 / 5, which is 2.
TEST(UnknownShare, IsOfTheErrorAndOfHowFarTheMeanOfSamplesMayLieFromTheMedian) {
  const std::string five = R"("samples_us": [100, 100, 110, 100, 100])";
  EXPECT_NEAR(UnknownOfOne(five).value_or(-1), 0.04, 1e-12);
  EXPECT_NEAR(UnknownOfOne(five, R"(, "error": 0.025)").value_or(-1), 0.065, 1e-12);
  // The mean 105 is 5 % from the lower median; squares 2 x 25, the root of 50 / 1 / 2 is 5.
  EXPECT_NEAR(UnknownOfOne(R"("samples_us": [100, 110])").value_or(-1), 0.1, 1e-12);
  EXPECT_EQ(UnknownOfOne(R"("median_us": 100)", R"(, "error": 0.02)"), 0.02);
  EXPECT_EQ(UnknownOfOne(R"("median_us": 100)"), std::nullopt);
}

TEST(UnknownShare, IsNotKnownOfFewSamplesThatAgreeByChance) {
  const std::string four = R"("samples_us": [100, 100, 100, 100])", one = R"("samples_us": [100])";
  const std::string zero = R"(, "error": 0)", drift = R"(, "error": 0.02)";
  EXPECT_EQ(UnknownOfOne(four), std::nullopt);
  EXPECT_EQ(UnknownOfOne(four, zero), std::nullopt);
  EXPECT_EQ(UnknownOfOne(one, zero), std::nullopt);
  EXPECT_EQ(UnknownOfOne(four, drift), std::nullopt) << "they drift together, which is not how they vary";
  EXPECT_EQ(UnknownOfOne(one, drift), std::nullopt);
  EXPECT_EQ(UnknownOfOne(R"("samples_us": [100, 100, 100, 100, 100])"), 0) << "enough";
  EXPECT_EQ(UnknownOfOne(R"("median_us": 100)", zero), 0) << "of which nobody says of how many it is";
}

TEST(UnknownShare, IsThatOfTheModelHoweverAProfileSpellsItsFile) {
  const TempFolder folder;
  Scenario scenario = WithTwoProfiles(folder, R"(, "error": 0.18)");
  EXPECT_EQ(UnknownShare(scenario), 0.18) << "the most of all";
  scenario.models[0].name = "./net.model.json";
  scenario.models[0].key = ModelKey("./net.model.json", (folder / "s.json").string());
  scenario.profiles[0].file = (folder / "boards/guess.profile.json").string();
  scenario.profiles[0].entries[0].model = "../net.model.json";
  EXPECT_EQ(UnknownShare(scenario), 0.18);
  scenario.profiles[0].entries[0].model = "../nets.model.json";
  EXPECT_EQ(UnknownShare(scenario), std::nullopt) << "misspelt, and the other says nothing of this model";
}

TEST(UnknownShare, IsNotKnownOfProfilesThatMayHaveDriftedApart) {
  const TempFolder folder;
  Scenario scenario = WithTwoProfiles(folder, R"(, "error": 0.18)");
  Profile& measured = scenario.profiles[1];
  measured.origin.error.reset();
  measured.entries[0].time = Timing::OfSamples(std::vector<Nanos>(5, Nanos{100}));
  EXPECT_EQ(UnknownShare(scenario), std::nullopt);
  scenario.profiles.erase(scenario.profiles.begin());
  EXPECT_EQ(UnknownShare(scenario), 0) << "what one drifts by is the same for all";
}

}  // namespace
}  // namespace tandem
