// Does a profile come out of the store as it went in, its entries each in one part whoever names them?
#include "profiles/costs/board_profile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "profiles/base/files.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProfileText = R"({
  "tandem": "profile/1", "platform": "b", "note": "a note",
  "origin": {"kind": "measured", "host": "h", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {},
             "cache_mode": "warm"},
  "entries": [
    {"model": "resnet18", "unit": "cpu", "layers": "*", "samples_us": [3, 1, 2]},
    {"model": "resnet18", "unit": "cpu", "layers": ["conv1"], "median_us": 1},
    {"model": "resnet18", "unit": "npu", "layers": "*", "median_us": 7},
    {"model": "resnet18", "unit": "npu", "layers": "*", "batch": 4, "median_us": 20},
    {"model": "vgg16", "unit": "npu", "layers": "*", "median_us": 9},
    {"model": "resnet18", "unit": "npu", "layers": ["conv1"], "median_us": 2}],
  "dispatch": [{"unit": "cpu", "median_us": 3}, {"unit": "npu", "median_us": 4}],
  "transfers": [{"from": "a", "to": "b", "bytes": 1, "median_us": 1}, {"from": "b", "to": "a", "bytes": 1, "median_us": 2}]})";

class BoardProfileStore : public testing::Test {
 protected:
  BoardProfileStore() {
    platform_.name = "b";
    platform_.memories.push_back({"dram", {}, {}});
    Unit unit;
    unit.name = "cpu";
    unit.memory = MemoryId(0);
    platform_.units.push_back(unit);
  }

  static BoardProfile Kept(const std::string& board, const std::string& state) {
    return {
        board, state, {std::string(64, 'a')}, ReadProfile(JsonDocument::Parse(kProfileText, "p").root()), {}};
  }
  std::ptrdiff_t Parts() const {
    return std::distance(fs::directory_iterator(folder_ / "parts"), fs::directory_iterator());
  }

  TempFolder folder_;
  ProfileStore store_{folder_};
  Platform platform_;
};

TEST_F(BoardProfileStore, GivesBackWhatWasPut) {
  const BoardProfile put = Kept("nano", "maxn");
  EXPECT_EQ(store_.Put(put, platform_), 8) << "five sources, two units, copies";
  const auto found = store_.Find("nano", "maxn");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->board, "nano");
  EXPECT_EQ(found->state, "maxn");
  EXPECT_EQ(found->answers, put.answers);
  EXPECT_EQ(ProfileJson(found->profile), ProfileJson(put.profile));
  EXPECT_EQ(ProfileJson(ReadProfileFile(store_.FileOf("nano", "maxn"))), ProfileJson(put.profile));
  EXPECT_EQ(ReadPlatformFile(store_.PlatformOf("nano", "maxn")).name, "b");
  EXPECT_FALSE(store_.Find("nano", ""));
}

TEST_F(BoardProfileStore, HasEachPartOnce) {
  store_.Put(Kept("nano", ""), platform_);
  const std::string file = ReadTextFile(store_.FileOf("nano", ""));
  const auto parts = Parts();
  EXPECT_EQ(store_.Put(Kept("nano", ""), platform_), 0);
  EXPECT_EQ(ReadTextFile(store_.FileOf("nano", "")), file) << "byte for byte";
  EXPECT_EQ(store_.Put(Kept("tx2", ""), platform_), 0);
  BoardProfile changed = Kept("tx2", "");
  changed.profile.entries[4].time.median = Nanos{1};
  EXPECT_EQ(store_.Put(changed, platform_), 1);
  EXPECT_EQ(Parts(), parts + 1);
  EXPECT_EQ(store_.All().size(), 2U);
}

TEST_F(BoardProfileStore, RefusesPartsThatAreNotWhatTheirNameSays) {
  store_.Put(Kept("nano", ""), platform_);
  const std::string first = store_.Find("nano", "")->parts.front();
  const fs::path part = folder_ / "parts" / (first + ".json");
  WriteFile(part, ReadTextFile(part) + "\n");
  EXPECT_EQ(ErrorOf([&] { (void)store_.Find("nano", ""); }), store_.FileOf("nano", "").string() +
                                                                 ":/parts/0: " + part.string() +
                                                                 " is damaged: it is not what its name says");
  fs::remove(part);
  EXPECT_EQ(ErrorOf([&] { (void)store_.Find("nano", ""); }),
            store_.FileOf("nano", "").string() + ":/parts/0: " + part.string() + ": no such file");
}

TEST(NamesInStore, ArePartsOfFileNames) {
  for (const char* good : {"nano", "tx2-1", "MAXN_15W", "a.b"}) EXPECT_TRUE(IsNameInStore(good)) << good;
  for (const char* bad : {"", ".hidden", "../up", "a/b", "a@b", "a b"})
    EXPECT_FALSE(IsNameInStore(bad)) << bad;
}

}  // namespace
}  // namespace tandem
