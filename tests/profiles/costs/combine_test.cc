// Do several profiles of one board stand side by side, and become one that says what is true of it?
#include "profiles/costs/combine.h"

#include <gtest/gtest.h>

#include <memory>

#include "profiles/base/files.h"
#include "profiles/costs/model_identity.h"
#include "profiles/model/model_source.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

Profile Measured(const std::string& name, const std::string& date, const std::string& lists,
                 const std::string& host = "h") {
  return ReadProfile(
      JsonDocument::Parse(
          R"({"tandem": "profile/1", "platform": "b", "origin": {"kind": "measured",
      "host": ")" +
              host + R"(", "clocks": {}, "libraries": {"onednn": "3"}, "threads": {"cpu": [0]}, "date": ")" +
              date + R"(", "cache_mode": "warm"}, )" + lists + "}",
          name)
          .root());
}

std::string Times(const std::string& model, int micros) {
  return R"("entries": [{"model": ")" + model + R"(", "unit": "cpu", "layers": "*", "median_us": )" +
         std::to_string(micros) + "}]";
}

std::string Dispatch(int micros) {
  return R"(, "dispatch": [{"unit": "cpu", "median_us": )" + std::to_string(micros) + "}]";
}

std::string Curve(double traffic, double slowdown) {
  return R"(, "co_running": [{"unit": "cpu", "beside": "gpu", "beside_traffic_bytes_per_s": 0, "slowdown": 1},
      {"unit": "cpu", "beside": "gpu", "beside_traffic_bytes_per_s": )" +
         std::to_string(traffic) + R"(, "slowdown": )" + std::to_string(slowdown) + "}]";
}

TEST(CombineProfiles, WhatBothSayAlikeIsThereOnce) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5) + Dispatch(2));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet18", 5) + Dispatch(2));
  const std::uint64_t hash = ProfileHash(b);
  EXPECT_TRUE(CombineProfiles({&a, &b}).empty());
  EXPECT_NO_THROW(CheckTogether({&a, &b}));
  EXPECT_EQ(a.entries.size() + a.dispatch.size(), 2U);
  EXPECT_EQ(b.entries.size() + b.dispatch.size(), 0U);
  EXPECT_EQ(ProfileHash(b), hash) << "a plan made from it stays one";
}

TEST(CombineProfiles, OfWhatEveryMeasurementBringsAlongTheNewerIsTaken) {
  Profile a = Measured("a.json", "2026-02-01", Times("resnet18", 5) + Dispatch(2));
  Profile b = Measured("b.json", "2026-01-01", Times("resnet34", 6) + Dispatch(3));
  EXPECT_EQ(
      CombineProfiles({&a, &b}),
      (std::vector<std::string>{"dispatch: 1 entry of \"b.json\" of 2026-01-01 is passed over for \"a.json\" "
                                "of 2026-02-01"}));
  EXPECT_EQ(a.dispatch.size(), 1U);
  EXPECT_TRUE(b.dispatch.empty());
  EXPECT_EQ(b.entries.size(), 1U);
}

TEST(CombineProfiles, SoAreNewerTimesOfAModel) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5) + Dispatch(2));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet18", 6) + Dispatch(2));
  EXPECT_EQ(CombineProfiles({&a, &b}),
            (std::vector<std::string>{"entries: 1 entry of \"a.json\" of 2026-01-01 is passed over for "
                                      "\"b.json\" of 2026-02-01"}));
  EXPECT_TRUE(a.entries.empty());
  EXPECT_EQ(b.entries.size(), 1U);
}

TEST(CombineProfiles, TimesOfOneDateThatDifferStayAnError) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5));
  Profile b = Measured("b.json", "2026-01-01", Times("resnet18", 6));
  EXPECT_TRUE(CombineProfiles({&a, &b}).empty());
  EXPECT_EQ(ErrorOf([&] {
              CheckTogether({&a, &b});
            }),
            "b.json:/entries/0: is the same entry as a.json:/entries/0");
}

TEST(CombineProfiles, WhatWasNotMeasuredHasNoAge) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5) + Dispatch(2));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet34", 5) + Dispatch(3));
  b.origin.kind = OriginKind::kPublished;
  CombineProfiles({&a, &b});
  EXPECT_NE(ErrorOf([&] { CheckTogether({&a, &b}); }), "no error");
}

TEST(CombineProfiles, ThePointsOfACurveStayTogether) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5) + Curve(1e9, 1.5));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet34", 5) + Curve(2e9, 2));
  EXPECT_EQ(CombineProfiles({&a, &b}).size(), 1U);
  EXPECT_TRUE(a.co_running.empty());
  EXPECT_EQ(b.co_running.size(), 2U) << "with the point that both have";
}

TEST(CombineProfiles, TheFirstOrTheLastMayBePreferred) {
  for (const Prefer prefer : {Prefer::kFirst, Prefer::kLast}) {
    Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5));
    Profile b = Measured("b.json", "2026-01-01", Times("resnet18", 6));
    CombineProfiles({&a, &b}, prefer);
    EXPECT_EQ(a.entries.size(), prefer == Prefer::kFirst ? 1U : 0U);
    EXPECT_EQ(b.entries.size(), prefer == Prefer::kFirst ? 0U : 1U);
  }
}

TEST(MergeProfiles, TheOriginSaysWhatHoldsForAllAndListsTheirs) {
  const Profile a = Measured("a.json", "2026-02-01", Times("resnet18", 5));
  const Profile b = Measured("b.json", "2026-01-01", Times("resnet34", 6), "another");
  const Profile merged = MergeProfiles({a, b}, "").profile;
  EXPECT_EQ(merged.entries.size(), 2U);
  EXPECT_EQ(merged.origin.kind, OriginKind::kMeasured);
  EXPECT_EQ(merged.origin.date, "2026-01-01") << "nothing in it is older";
  EXPECT_EQ(merged.origin.host, "h; another");
  ASSERT_EQ(merged.origin.merged.size(), 2U);
  EXPECT_EQ(merged.origin.merged[0], a.origin);
  const std::string text = ProfileJson(merged);
  EXPECT_EQ(ProfileJson(ReadProfile(JsonDocument::Parse(text, "m.json").root())), text);
  const Profile c = Measured("c.json", "2026-03-01", Times("resnet50", 7));
  EXPECT_EQ(MergeProfiles({merged, c}, "").profile.origin.merged.size(), 3U);
}

TEST(MergeProfiles, TimesOfTwoSettingsOfTheClocksAreNotOfOneBoard) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet34", 6));
  a.origin.clocks = {{"cpu", "1800 MHz"}, {"cores set to", "performance"}, {"state", "fast"}};
  b.origin.clocks = {{"cpu", "1795 MHz"}, {"cores set to", "performance"}};
  EXPECT_NO_THROW(MergeProfiles({a, b}, "")) << "clocks move by themselves";
  b.origin.clocks["cores set to"] = "powersave";
  EXPECT_EQ(ErrorOf([&] {
              MergeProfiles({a, b}, "");
            }),
            "b.json:/origin/clocks: \"a.json\" was measured with cores set to \"performance\", this with "
            "\"powersave\"");
  b.origin.clocks = {{"state", "slow"}};
  EXPECT_NE(ErrorOf([&] {
              MergeProfiles({a, b}, "");
            }).find("state \"fast\", this with \"slow\""),
            std::string::npos);
}

TEST(MergeProfiles, OfASettingThatTheHeatLoweredForAWhileAreOfOneBoard) {
  Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet34", 6));
  a.origin.clocks = {{"cores set to", "cpu0: schedutil, 408 to 1479 MHz"}};
  b.origin.clocks = {{"cores set to", "cpu0: schedutil, 408 to 1008 MHz while held back"}};
  EXPECT_NO_THROW(MergeProfiles({a, b}, ""));
  EXPECT_NO_THROW(MergeProfiles({b, a}, ""));
  b.origin.clocks = {{"cores set to", "cpu0: schedutil, 408 to 1008 MHz"}};
  EXPECT_THROW(MergeProfiles({a, b}, ""), InputError);
}

TEST(MergeProfiles, TheRowsOfAYardstickStayWithWhatItRead) {
  const auto read = [](Profile profile, std::int64_t nanos, std::int64_t rows) {
    profile.origin.yardsticks["cpu"] = Nanos{nanos};
    if (rows > 0) profile.origin.yardstick_rows["cpu"] = rows;
    return profile;
  };
  const Profile slow = read(Measured("a.json", "2026-01-01", Times("resnet18", 5)), 4000, 16);
  const Profile usual = read(Measured("b.json", "2026-02-01", Times("resnet34", 6)), 5000, 0);
  const Origin later = MergeProfiles({slow, usual}, "").profile.origin;
  EXPECT_EQ(later.yardsticks.at("cpu"), Nanos{5000});
  EXPECT_TRUE(later.yardstick_rows.empty());
  const Profile merged = MergeProfiles({usual, slow}, "").profile;
  EXPECT_EQ(merged.origin.yardsticks.at("cpu"), Nanos{4000});
  EXPECT_EQ(merged.origin.yardstick_rows.at("cpu"), 16);
  const Profile again = ReadProfile(JsonDocument::Parse(ProfileJson(merged), "m.json").root());
  EXPECT_EQ(again.origin, merged.origin);
}

TEST(MergeProfiles, WhatDoesNotBelongTogetherIsRefused) {
  const Profile a = Measured("a.json", "2026-01-01", Times("resnet18", 5));
  Profile b = Measured("b.json", "2026-02-01", Times("resnet34", 6));
  const auto error = [&] { return ErrorOf([&] { MergeProfiles({a, b}, ""); }); };
  b.origin.threads["cpu"] = {0, 1};
  EXPECT_EQ(error(), "b.json:/origin/threads: \"a.json\" has unit \"cpu\" on other cores");
  b.origin.kind = OriginKind::kPublished;
  EXPECT_EQ(error(),
            "b.json:/origin/kind: \"a.json\" is measured: a profile has one kind of origin, a scenario may "
            "name both");
  b.platform = "c";
  EXPECT_EQ(error(), "b.json:/platform: is \"c\", \"a.json\" is a profile of \"b\"");
}

TEST(MergeProfiles, FilesAreNamedFromWhereItWillStand) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "x");
  const Profile a = Measured((folder / "x/a.json").string(), "2026-01-01", Times("./net.onnx", 5));
  const Profile b = Measured((folder / "b.json").string(), "2026-01-01", Times("x/net.onnx", 5));
  const Profile merged = MergeProfiles({a, b}, folder / "m.json").profile;
  ASSERT_EQ(merged.entries.size(), 1U) << "both are of one file";
  EXPECT_EQ(merged.entries[0].model, "x/net.onnx");
}

constexpr const char* kNet = R"({"tandem": "model/1", "name": "net", "layers": [
    {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
    {"name": "%relu", "op": "relu", "inputs": ["data"]},
    {"name": "%fc", "op": "fc", "inputs": ["%relu"], "out_features": 3}]})";

class AlikeModels : public testing::Test {
 protected:
  // With this before the names of its layers.
  std::filesystem::path Net(const std::string& name, const std::string& prefix) {
    std::string text = kNet;
    for (auto at = text.find('%'); at != std::string::npos; at = text.find('%')) text.replace(at, 1, prefix);
    WriteFile(folder_ / name, text);
    return folder_ / name;
  }
  WantedModel Wanted(const std::filesystem::path& file) {
    ImportOptions graph_alone;
    graph_alone.want_weights = false;
    models_.push_back(std::make_unique<Model>(LoadModel(file.string(), {}, graph_alone).model));
    return {file.filename().string(), ModelKey(file.string(), {}), models_.back().get()};
  }
  Profile OfGroup(const std::string& model, const std::string& prefix) {
    return Measured((folder_ / "p.json").string(), "2026-01-01",
                    R"("entries": [{"model": ")" + model + R"(", "unit": "cpu", "layers": [")" + prefix +
                        R"(relu", ")" + prefix + R"(fc"], "median_us": 7}])");
  }

  TempFolder folder_;
  std::vector<std::unique_ptr<Model>> models_;
};

TEST_F(AlikeModels, AFileThatWasMovedIsKnownByItsStructure) {
  Net("old.json", "");
  Profile profile = OfGroup("./old.json", "");
  AddStructures(profile);
  std::filesystem::rename(folder_ / "old.json", folder_ / "new.json");
  const WantedModel wanted = Wanted(folder_ / "new.json");
  EXPECT_EQ(TakeAlikeModels({&profile}, {wanted}),
            (std::vector<std::string>{"model \"new.json\": taken as \"./old.json\" of profile \"" +
                                      profile.file + "\": the same structure"}));
  ASSERT_EQ(profile.entries.size(), 2U);
  EXPECT_EQ(profile.entries[1].model, wanted.key);
  EXPECT_EQ(profile.entries[1].layers, (std::vector<std::string>{"relu", "fc"}));
}

TEST_F(AlikeModels, LayersOfOtherNamesAreFoundByTheirPositions) {
  Net("old.json", "a_");
  Profile profile = OfGroup("./old.json", "a_");
  TakeAlikeModels({&profile}, {Wanted(Net("new.json", "b_"))});
  ASSERT_EQ(profile.entries.size(), 2U);
  EXPECT_EQ(profile.entries[1].layers, (std::vector<std::string>{"b_relu", "b_fc"}));
}

TEST_F(AlikeModels, AnotherNetworkUnderTheSameNameIsRefused) {
  Net("net.json", "");
  Profile profile = OfGroup("./net.json", "");
  AddStructures(profile);
  std::string other = ReadTextFile(folder_ / "net.json");
  other.replace(other.find("3}]}"), 1, "4");
  WriteFile(folder_ / "net.json", other);
  EXPECT_EQ(ErrorOf([&] { TakeAlikeModels({&profile}, {Wanted(folder_ / "net.json")}); }),
            profile.file +
                ":/models/0/structure: the model \"net.json\" is another network now than the one that was "
                "measured; measure it again");
}

TEST_F(AlikeModels, WithoutOneTheMessageSaysWhatThereIs) {
  const WantedModel wanted = Wanted(Net("net.json", ""));
  const std::vector<Profile> elsewhere = {OfGroup("/elsewhere/net.json", "")};
  EXPECT_NE(WhatProfilesHave(elsewhere, wanted).find("nearest in the profiles is \"/elsewhere/net.json\""),
            std::string::npos);
  EXPECT_EQ(WhatProfilesHave({OfGroup("resnet18", "")}, wanted), "; the profiles have times for resnet18");
}

TEST_F(AlikeModels, AProfileOfFilesThatAreElsewhereIsStillARightOne) {
  Net("net.json", "");
  Profile profile = OfGroup("./net.json", "");
  AddStructures(profile);
  std::filesystem::remove(folder_ / "net.json");
  EXPECT_NO_THROW(CheckModels(profile));
  profile.models.clear();
  EXPECT_NE(ErrorOf([&] { CheckModels(profile); }), "no error");
}

}  // namespace
}  // namespace tandem
