// Are the boards that tandem ships whole: units known, every layer in the zoo, every model with a time?
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "profiles/base/decimal.h"
#include "profiles/base/files.h"
#include "profiles/costs/cost_table.h"
#include "profiles/model/zoo.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

fs::path BoardFile(const std::string& name, const std::string& suffix) {
  return ShippedDirectory() / "boards" / (name + suffix);
}

Profile Shipped(const std::string& name) { return ReadProfileFile(BoardFile(name, ".profile.json")); }

TEST(Boards, AreThoseThatTheStudiesNeed) {
  const std::vector<std::string> profiles = ShippedNames("boards", ".profile.json");
  for (const char* name : {"exynos5-a15", "jetson-tx1", "rk3399", "tinker-edge-r"}) {
    EXPECT_TRUE(std::binary_search(profiles.begin(), profiles.end(), name)) << name;
  }
}

TEST(Boards, EveryPlatformIsCalledLikeItsFileAndWrittenAsTandemWritesIt) {
  for (const std::string& name : ShippedNames("boards", ".platform.json")) {
    const fs::path file = BoardFile(name, ".platform.json");
    const Platform platform = ReadPlatformFile(file);
    EXPECT_EQ(platform.name, name);
    EXPECT_FALSE(platform.note.empty()) << name << " does not say where its figures come from";
    EXPECT_EQ(PlatformJson(platform), ReadTextFile(file));
  }
}

TEST(Boards, EveryProfileFitsItsPlatformAndTheZooAndIsWrittenAsTandemWritesIt) {
  for (const std::string& name : ShippedNames("boards", ".profile.json")) {
    const Profile profile = Shipped(name);
    EXPECT_TRUE(FindProfilePlatform(profile)) << name;
    EXPECT_NO_THROW(CheckProfile(profile)) << name;
    EXPECT_EQ(ProfileJson(profile), ReadTextFile(BoardFile(name, ".profile.json"))) << name;
  }
}

// What a profile was measured with: each must give every model that it has entries of a whole-model time.
struct Setting {
  std::string unit;
  Variant variant;
  std::int64_t batch;
  friend auto operator<=>(const Setting&, const Setting&) = default;
};

TEST(Boards, EveryModelHasAWholeTimeOnEveryUnitInEveryVariant) {
  for (const std::string& name : ShippedNames("boards", ".profile.json")) {
    const Profile profile = Shipped(name);
    const Platform platform = *FindProfilePlatform(profile);
    std::map<std::string, Model> models;
    std::set<Setting> settings;
    for (const CostEntry& entry : profile.entries) {
      if (!models.contains(entry.model)) models.emplace(entry.model, FindInZoo(entry.model)->build());
      settings.insert({entry.unit, entry.variant, entry.batch});
    }
    std::vector<CostTable::ModelRef> refs;
    for (const auto& [key, model] : models) refs.push_back({key, &model});
    const CostTable table(platform, {&profile}, refs);
    for (const Setting& setting : settings) {
      const UnitId unit = platform.FindUnit(setting.unit);
      for (std::size_t m = 0; m < refs.size(); ++m) {
        EXPECT_TRUE(table.Time({ModelId(m), unit, setting.variant, setting.batch}))
            << name << ": " << refs[m].key << " on " << setting.unit << " in " << setting.variant.Text();
      }
    }
  }
}

TEST(Boards, Study003IsItsTable) {
  const Profile profile = Shipped("tinker-edge-r");
  Nanos sum{0};
  for (const CostEntry& entry : profile.entries) sum += entry.time.median;
  EXPECT_EQ(profile.entries.size(), 12u);
  EXPECT_EQ(sum, Nanos{2272414000});
  const Platform board = ReadPlatformFile(BoardFile("tinker-edge-r", ".platform.json"));
  EXPECT_EQ(board.UnitNames(), (std::vector<std::string>{"cpu", "ncs2", "coral", "rknpu"}));
}

// The published tables themselves, where they are at hand.
class PublishedTimes : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(folder_)) GTEST_SKIP() << "no " << folder_;
  }

  // Total of "library threads model" in ns.
  std::map<std::string, std::int64_t> Totals(const std::string& file, const std::string& sweep) const {
    std::map<std::string, std::int64_t> totals;
    std::ifstream lines(folder_ / file);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells(1);
      for (const char c : line) c == ',' ? cells.emplace_back() : cells.back() += std::string(1, c);
      if (cells[0] == sweep)
        totals[cells[2] + " " + cells[3] + " " + cells[1]] += *ScaledDecimal(cells[9], 6);
    }
    return totals;
  }

  static std::int64_t Total(const Profile& profile, const std::string& unit, const std::string& variant,
                            const std::string& model) {
    Nanos total{0};
    for (const CostEntry& entry : profile.entries) {
      const bool counts = entry.unit == unit && entry.variant.name == variant && entry.model == model;
      if (counts) total += entry.time.median;
    }
    return total.count();
  }

  const fs::path folder_ = fs::path(TANDEM_SHARED_DATA) / "latencies";
  const std::map<std::string, std::string> models_ = {{"bvlc-alexnet", "alexnet_caffe"},
                                                      {"bvlc-googlenet", "googlenet"},
                                                      {"deepscale-squeezenet-1.0", "squeezenet_1_0"},
                                                      {"deepscale-squeezenet-1.1", "squeezenet_1_1"}};

  // `library`: "library threads" of the table.
  void ExpectAllRowsCounted(const std::string& file, const std::string& sweep, const std::string& library,
                            const std::string& board, const std::string& unit, const std::string& variant) {
    const auto totals = Totals(file, sweep);
    const Profile profile = Shipped(board);
    int found = 0;
    for (const auto& [name, zoo_name] : models_) {
      const auto total = totals.find(library + " " + name);
      if (total == totals.end()) continue;
      ++found;
      EXPECT_EQ(Total(profile, unit, variant, zoo_name), total->second) << library << " " << name;
    }
    EXPECT_GE(found, 3) << library;
  }
};

TEST_F(PublishedTimes, EveryRowOfTheJetsonIsAccountedFor) {
  const std::string file = "jetson_tx1_perlayer.csv";
  ExpectAllRowsCounted(file, "libs", "cpu ", "jetson-tx1", "cpu", "");
  ExpectAllRowsCounted(file, "libs", "nvidia-cuda ", "jetson-tx1", "gpu", "cuda");
  ExpectAllRowsCounted(file, "libs", "nvidia-cudnn ", "jetson-tx1", "gpu", "cudnn");
  ExpectAllRowsCounted(file, "libs", "tensorrt-1.0.0-fp32 ", "jetson-tx1", "gpu", "tensorrt");
}

TEST_F(PublishedTimes, EveryRowOfTheRk3399IsAccountedFor) {
  const std::string file = "rk3399_perlayer.csv";
  for (const char* threads : {"2", "4", "6"}) {
    ExpectAllRowsCounted(file, "threads", std::string("cpu ") + threads, "rk3399", "cpu",
                         std::string("threads") + threads);
  }
  ExpectAllRowsCounted(file, "libs", "opencl-clblast-tune ", "rk3399", "gpu", "opencl-clblast-tune");
}

TEST_F(PublishedTimes, EveryRowOfTheExynosIsAccountedFor) {
  for (const char* threads : {"1", "2", "3", "4"}) {
    ExpectAllRowsCounted("exynos5_cortexA15_perlayer.csv", "threads", std::string("cpu ") + threads,
                         "exynos5-a15", "cpu", std::string("threads") + threads);
  }
}

}  // namespace
}  // namespace tandem
