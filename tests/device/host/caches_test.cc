// Are caches told as the system files have them, with the cores that share each?
#include "device/host/caches.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class CachesTest : public ::testing::Test {
 protected:
  void Write(int core, int index, const std::string& file, const std::string& text) {
    const fs::path folder = root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cache" /
                            ("index" + std::to_string(index));
    fs::create_directories(folder);
    std::ofstream(folder / file) << text << "\n";
  }
  void WriteCache(int core, int index, int level, const std::string& type, const std::string& size,
                  const std::string& shared) {
    Write(core, index, "level", std::to_string(level));
    Write(core, index, "type", type);
    Write(core, index, "size", size);
    Write(core, index, "shared_cpu_list", shared);
  }

  TempFolder root_;
  const std::array<std::int64_t, 2> both_ = {0, 1};
};

TEST_F(CachesTest, ThoseThatAreAlikeAreToldTogetherWithWhoSharesEach) {
  for (int core = 0; core < 2; ++core) {
    WriteCache(core, 0, 1, "Data", "32K", std::to_string(core));
    WriteCache(core, 2, 2, "Unified", "1M", "0-1");
  }
  const std::vector<Caches> caches = ReadCaches(both_, root_);
  ASSERT_EQ(caches.size(), 2u);
  EXPECT_EQ(caches[0].level, 1);
  EXPECT_EQ(caches[0].holds, "data");
  EXPECT_EQ(caches[0].bytes, 32 << 10);
  EXPECT_EQ(caches[0].shared_by, (std::vector<std::vector<std::int64_t>>{{0}, {1}}));
  EXPECT_EQ(caches[1].holds, "unified");
  EXPECT_EQ(caches[1].bytes, 1 << 20);
  EXPECT_EQ(caches[1].shared_by, (std::vector<std::vector<std::int64_t>>{{0, 1}}));
}

TEST_F(CachesTest, TheNearestComeFirstAlsoWhereCoresDiffer) {
  WriteCache(0, 0, 1, "Data", "32K", "0");
  WriteCache(0, 2, 2, "Unified", "128K", "0");
  WriteCache(1, 0, 1, "Data", "64K", "1");
  const std::vector<Caches> caches = ReadCaches(both_, root_);
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[1].bytes, 64 << 10);
  EXPECT_EQ(caches[2].level, 2);
}

TEST_F(CachesTest, WhatIsNotToldIsLeftOutAndACoreSharesAtLeastWithItself) {
  Write(0, 0, "size", "32K");
  WriteCache(0, 1, 1, "Data", "much", "0");
  WriteCache(1, 0, 1, "Data", "64K", "");
  const std::vector<Caches> caches = ReadCaches(both_, root_);
  ASSERT_EQ(caches.size(), 1u);
  EXPECT_EQ(caches[0].shared_by, (std::vector<std::vector<std::int64_t>>{{1}}));
  EXPECT_TRUE(ReadCaches(both_, root_ / "elsewhere").empty());
}

TEST_F(CachesTest, TheLargestOneCounts) {
  Write(0, 0, "size", "32K");
  Write(0, 2, "size", "1024K");
  Write(1, 3, "size", "16M");
  const std::array<std::int64_t, 1> first = {0};
  EXPECT_EQ(LargestCache(first, root_), std::int64_t{1} << 20);
  EXPECT_EQ(LargestCache(both_, root_), std::int64_t{16} << 20);
  EXPECT_EQ(LargestCache(first, root_ / "elsewhere"), std::int64_t{32} << 20) << "where nothing is told";
}

TEST_F(CachesTest, OfAGreatOneLoadsGoByAPart) {
  Write(0, 3, "size", "491520K");
  const std::array<std::int64_t, 1> cores = {0};
  EXPECT_EQ(LargestCache(cores, root_), std::int64_t{480} << 20);
  EXPECT_EQ(CacheThatCounts(cores, root_), std::int64_t{32} << 20);
}

TEST_F(CachesTest, OfOneWhoseSizeIsNotToldWhoSharesItIsStillTold) {
  for (int core = 0; core < 2; ++core) {
    Write(core, 2, "level", "2");
    Write(core, 2, "type", "Unified");
    Write(core, 2, "shared_cpu_list", "0-1");
  }
  const std::vector<Caches> caches = ReadCaches(both_, root_);
  ASSERT_EQ(caches.size(), 1u);
  EXPECT_EQ(caches[0].bytes, 0);
  EXPECT_EQ(caches[0].shared_by, (std::vector<std::vector<std::int64_t>>{{0, 1}}));
}

TEST_F(CachesTest, WhoSharesOneIsReadOfTheMaskWhereThereIsNoList) {
  for (int core = 0; core < 2; ++core) {
    WriteCache(core, 2, 2, "Unified", "1M", "");
    Write(core, 2, "shared_cpu_map", "00000001,00000003");
  }
  const std::vector<Caches> caches = ReadCaches(both_, root_);
  ASSERT_EQ(caches.size(), 1u);
  EXPECT_EQ(caches[0].shared_by, (std::vector<std::vector<std::int64_t>>{{0, 1, 32}}));
}

}  // namespace
}  // namespace tandem
