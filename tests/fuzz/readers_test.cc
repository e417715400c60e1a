// Is every file that is damaged a little read, or refused as files are: with a message, and with nothing
// worse?
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const FuzzReader& reader : FuzzReaders()) names.push_back(reader.name);
  return names;
}

class DamagedFiles : public testing::TestWithParam<std::string> {
 protected:
  const FuzzReader& reader() const { return *FindFuzzReader(GetParam()); }
};

// Else what is damaged would be refused for something else.
TEST_P(DamagedFiles, AreOfSeedsThatAreRight) {
  int right = 0;
  for (const std::string& seed : reader().seeds) {
    try {
      reader().read(seed);
      ++right;
    } catch (const InputError& error) {
      std::cout << "seed: " << error.what() << "\n";
    } catch (const EnvironmentError& error) {
      std::cout << "seed: " << error.what() << "\n";
    }
  }
  EXPECT_GE(right, 1) << "of " << reader().seeds.size();
}

TEST_P(DamagedFiles, AreReadOrRefusedWithAMessage) {
  std::mt19937_64 chance(1);
  for (const std::string& seed : reader().seeds) {
    for (int number = 0; number < reader().damaged; ++number) {
      const bool deeply = reader().change && number % 3 != 0;
      const std::string damaged = deeply ? reader().change(seed, chance) : WithBytesChanged(seed, chance);
      EXPECT_EQ(Misbehaviour(reader(), damaged), "") << damaged.substr(0, 4000);
    }
  }
}

// What scripts/fuzz found once.
TEST_P(DamagedFiles, ThatWereFoundStayRefused) {
  const std::filesystem::path folder = std::filesystem::path(TANDEM_TEST_DIR) / "fuzz" / "found" / GetParam();
  if (!std::filesystem::exists(folder)) return;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(Misbehaviour(reader(), ReadTextFile(file.path())), "") << file.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, DamagedFiles, testing::ValuesIn(Names()), [](const auto& reader) {
  std::string name = reader.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tandem
