// Are the estimated boards that ship what the estimator makes of their specs, and do they say that they are
// estimated?
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "profiles/base/files.h"
#include "profiles/estimate/estimator.h"
#include "profiles/estimate/evaluation.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

std::filesystem::path Shipped(const std::string& board, const std::string& suffix) {
  return ShippedDirectory() / "boards" / (board + suffix);
}

class EstimatedBoard : public testing::TestWithParam<const char*> {};

TEST_P(EstimatedBoard, IsWhatTheEstimatorMakesOfItsSpec) {
  const Profile estimated = EstimateProfile(ReadEstimateSpecFile(Shipped(GetParam(), ".estimate.json")));
  EXPECT_TRUE(ProfileJson(estimated) == ReadTextFile(Shipped(GetParam(), ".profile.json")))
      << "run: tandem profiles estimate " << GetParam() << " -o profiles/boards/" << GetParam()
      << ".profile.json";
}

TEST_P(EstimatedBoard, SaysThatItIsEstimatedAndFitsItsPlatform) {
  const Profile profile = ReadProfileFile(Shipped(GetParam(), ".profile.json"));
  EXPECT_EQ(profile.origin.kind, OriginKind::kEstimated);
  EXPECT_TRUE(profile.note.starts_with("Estimated"));
  CheckUnits(profile, ReadPlatformFile(Shipped(GetParam(), ".platform.json")));
  CheckModels(profile);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EstimatedBoard,
                         testing::Values("agx-xavier", "exynos5422", "jetson-tk1", "zcu102"),
                         [](const auto& board) {
                           std::string name = board.param;
                           for (char& byte : name) byte = byte == '-' ? '_' : byte;
                           return name;
                         });

Nanos TotalOf(const char* board, const std::string& unit, const std::string& model) {
  Nanos total{0};
  for (const CostEntry& entry : ReadProfileFile(Shipped(board, ".profile.json")).entries) {
    if (entry.unit == unit && entry.model == model) total += entry.time.median;
  }
  return total;
}

TEST(EstimatedBoards, LayersSumToTheKnownTimesOfWholeModels) {
  EXPECT_EQ(TotalOf("jetson-tk1", "gpu", "googlenet"), Nanos{410'000'000});
  EXPECT_EQ(TotalOf("zcu102", "npu", "squeezenet_1_1"), Nanos{202'720'000});
  const Nanos cpu = TotalOf("exynos5422", "cpu", "squeezenet_1_1");
  EXPECT_EQ(TotalOf("exynos5422", "gpu", "squeezenet_1_1").count(), cpu.count() * 1159 / 1000);
}

TEST(EstimatorDocument, ShowsTheErrorsThatTheEvaluationFinds) {
  const std::vector<KnownUnit> known = ShippedKnownUnits();
  const std::string text =
      EvaluationText(EvaluateEstimator(known, HeldOut::kBoard), EvaluateEstimator(known, HeldOut::kModel));
  const std::string document =
      ReadTextFile(std::filesystem::path(TANDEM_TEST_DIR) / ".." / "docs" / "estimator.md");
  EXPECT_NE(document.find("```\n" + text + "```\n"), std::string::npos)
      << "docs/estimator.md shows what `tandem profiles estimate --evaluate` prints:\n"
      << text;
}

}  // namespace
}  // namespace tandem
