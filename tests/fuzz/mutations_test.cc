// Does what is changed by what it means stay what its reader reads deeply?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

constexpr int kChanges = 200;

// Of the first seed, changed that often.
std::vector<std::string> ChangesOf(const char* name) {
  std::mt19937_64 chance(1);
  std::vector<std::string> changes;
  const FuzzReader* const reader = FindFuzzReader(name);
  if (reader == nullptr || !reader->change) return changes;
  for (int number = 0; number < kChanges; ++number) {
    changes.push_back(reader->change(reader->seeds.front(), chance));
  }
  return changes;
}

// Of all texts with an end behind each, how many are JSON still.
double ShareOfJson(const std::vector<std::string>& streams, char end) {
  double json = 0, all = 0;
  for (const std::string& stream : streams) {
    std::istringstream texts(stream);
    for (std::string text; std::getline(texts, text, end); ++all) json += nlohmann::json::accept(text);
  }
  return all == 0 ? 0 : json / all;
}

TEST(ChangedByMeaning, RowsAndRecordsAreJsonMostly) {
  EXPECT_GT(ShareOfJson(ChangesOf("sweep_rows"), '\n'), 0.8);
  EXPECT_GT(ShareOfJson(ChangesOf("run_records"), '\x1e'), 0.8);
}

TEST(ChangedByMeaning, SafetensorsHaveAHeaderOfTheLengthThatTheySay) {
  const std::vector<std::string> changes = ChangesOf("safetensors");
  ASSERT_EQ(changes.size(), static_cast<std::size_t>(kChanges));
  int read = 0;
  for (const std::string& file : changes) {
    std::uint64_t length = 0;
    ASSERT_GE(file.size(), sizeof length);
    std::memcpy(&length, file.data(), sizeof length);
    ASSERT_LE(length, file.size() - sizeof length);
    EXPECT_TRUE(nlohmann::json::accept(file.substr(sizeof length, length)));
    try {
      FindFuzzReader("safetensors")->read(file);
      ++read;
    } catch (const std::exception&) {
    }
  }
  EXPECT_GT(read, kChanges / 5) << "other shapes with the numbers that they ask for";
}

TEST(ChangedByMeaning, MarkupKeepsItsTagsAndQuotesClosed) {
  const std::vector<std::string> changes = ChangesOf("simgrid_platform");
  ASSERT_EQ(changes.size(), static_cast<std::size_t>(kChanges));
  for (const std::string& xml : changes) {
    EXPECT_EQ(std::count(xml.begin(), xml.end(), '<'), std::count(xml.begin(), xml.end(), '>'));
    EXPECT_EQ(std::count(xml.begin(), xml.end(), '"') % 2, 0);
  }
}

}  // namespace
}  // namespace tandem
