// Does every kind of mistake in a file get exactly its message, and nothing else? A case of its own for each
// mistake.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "profiles/dumps/mapping.h"
#include "profiles/estimate/spec.h"
#include "scenarios/exchange/profile_order.h"
#include "tests/bad/bad_cases.h"
#include "tests/support/error_of.h"
#ifdef TANDEM_PROGRAM
#include "tests/support/program.h"
#endif

namespace tandem {
namespace {

const auto kName = [](const auto& info) { return info.param.name; };

// The folder is there while tests run.
class Folder : public testing::Environment {
 public:
  void SetUp() override { folder_ = std::make_unique<BadFolder>(); }
  void TearDown() override { folder_.reset(); }

 private:
  std::unique_ptr<BadFolder> folder_;
};
const testing::Environment* const kFolder = testing::AddGlobalTestEnvironment(new Folder);

TEST(BadCases, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const auto& files : {BadCases(), BadBases()}) {
    for (const BadCase& file : files) EXPECT_TRUE(names.insert(file.name).second) << file.name;
  }
  EXPECT_GT(names.size(), 400U);
}

// Readers that are one call say it without the program, too.
using Reader = void (*)(const JsonReader&);
const std::map<std::string, Reader> kReaders = {
    {"estimate", [](const JsonReader& value) { (void)ReadEstimateSpec(value); }},
    {"layer_map", [](const JsonReader& value) { (void)ReadLayerMap(value); }},
    {"platform", [](const JsonReader& value) { (void)ReadPlatform(value); }},
    {"profile", [](const JsonReader& value) { CheckProfile(ReadProfile(value)); }},
    {"request_profile", [](const JsonReader& value) { (void)ReadProfileOrder(value); }},
};

const Reader* ReaderOf(const std::string& name) {
  for (const auto& [kind, reader] : kReaders) {
    if (name == kind || name.starts_with(kind + "_")) return &reader;
  }
  return nullptr;
}

std::vector<BadCase> WithReader(std::vector<BadCase> files) {
  std::erase_if(files, [](const BadCase& file) { return ReaderOf(file.name) == nullptr; });
  return files;
}

class ReadFile : public testing::TestWithParam<BadCase> {};

TEST_P(ReadFile, HasItsMessage) {
  const std::string file = GetParam().name + ".json";
  const auto read = [&] {
    (*ReaderOf(GetParam().name))(JsonDocument::Parse(ReadTextFile(file), file).root());
  };
  EXPECT_EQ(ErrorOf(read), GetParam().message.empty() ? "no error" : GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Bad, ReadFile, testing::ValuesIn(WithReader(BadCases())), kName);
INSTANTIATE_TEST_SUITE_P(Base, ReadFile, testing::ValuesIn(WithReader(BadBases())), kName);

#ifdef TANDEM_PROGRAM
std::string NamesOf(const std::vector<BadCase>& files) {
  std::string names;
  for (const BadCase& file : files) names += " " + file.name + ".json";
  return names;
}

// What `tandem check --json` says of each file; all in one run, as a run takes longer to start than to read a
// file.
const nlohmann::json& Checked(const std::string& name) {
  static const auto checked = [] {
    const ProgramResult result = RunTandem("check --json" + NamesOf(BadCases()) + NamesOf(BadBases()));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.errors, "");
    std::map<std::string, nlohmann::json> files;
    for (const auto& file : nlohmann::json::parse(result.output)) files[file["file"]] = file;
    return files;
  }();
  return checked.at(name + ".json");
}

class CheckedFile : public testing::TestWithParam<BadCase> {};

TEST_P(CheckedFile, HasItsMessage) {
  const nlohmann::json& said = Checked(GetParam().name);
  EXPECT_EQ(said["ok"], GetParam().message.empty());
  EXPECT_EQ(said.value("message", ""), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Bad, CheckedFile, testing::ValuesIn(BadCases()), kName);
INSTANTIATE_TEST_SUITE_P(Base, CheckedFile, testing::ValuesIn(BadBases()), kName);

TEST(CheckedFiles, MessagesAreTheLinesOfStandardErrorAndNothingElseIsPrinted) {
  std::string expected;
  for (const BadCase& bad : BadCases()) expected += bad.message + "\n";
  const ProgramResult result = RunTandem("check" + NamesOf(BadCases()));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "") << "a bad file was taken for a good one";
  EXPECT_TRUE(result.errors == expected) << "a case that fails says where";
}
#endif

}  // namespace
}  // namespace tandem
