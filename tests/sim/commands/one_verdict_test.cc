// Do all commands say the same of a file: is what `check` finds right what `simulate`, `plan` and `explain`
// take, and the other way round?
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "profiles/base/files.h"
#include "profiles/program/command_line.h"
#include "tests/support/command_answer.h"
#include "tests/support/random_scenario.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using OrderedJson = nlohmann::ordered_json;

CommandAnswer Say(const std::vector<std::string>& words) {
  return AnswerOf({.name = "tandem", .summary = "", .version = ""}, words);
}

OrderedJson ReadJson(const std::filesystem::path& path) { return OrderedJson::parse(ReadTextFile(path)); }

// A file of its own each time: no command overwrites what this process has read.
class OneVerdict : public testing::Test {
 protected:
  // What each of the commands ends with.
  void ExpectAgreement(const OrderedJson& scenario, const std::string& what) {
    const std::string number = std::to_string(++files_);
    const std::string file = (folder_ / "files" / (number + ".scenario.json")).string();
    WriteFile(file, scenario.dump());
    const CommandAnswer check = Say({"check", file});
    EXPECT_TRUE(check.status == kExitDone || check.status == kExitBadInput) << what << check.errors;
    ++(check.status == kExitDone ? right_ : wrong_);
    const std::string plan = (folder_ / "files" / (number + ".plan.json")).string();
    for (const auto& [name, words] : std::map<std::string, std::vector<std::string>>{
             {"simulate", {"simulate", file, "--engine", "virtual"}},
             {"plan", {"plan", file, "--engine", "virtual", "-o", plan}},
             {"explain", {"explain", file, "--engine", "virtual"}}}) {
      const CommandAnswer answer = Say(words);
      if (IsLeftOpen(check, answer)) continue;
      EXPECT_EQ(answer.status == kExitBadInput, check.status == kExitBadInput)
          << name << ", " << what << ": " << answer.status << " " << answer.errors
          << "\ncheck: " << check.errors << scenario.dump();
    }
  }

  // Does `check` say that it did not judge what the command stumbles over?
  static bool IsLeftOpen(const CommandAnswer& check, const CommandAnswer& answer) {
    const auto says = [](const std::string& text, const char* what) {
      return text.find(what) != std::string::npos;
    };
    if (check.status != kExitDone || answer.status != kExitBadInput) return false;
    return says(check.output, "is not judged") || says(check.output, "nothing of a run can be judged") ||
           says(answer.errors, "longer than 104 days") || says(answer.errors, "stay away");
  }

  // The scenario with its platform and its profiles in place, which need not say their kinds.
  OrderedJson InPlace(const std::filesystem::path& path, bool kinds) {
    OrderedJson scenario = ReadJson(path);
    scenario["platform"] = ReadJson(path.parent_path() / "board.platform.json");
    scenario["profiles"] = OrderedJson::array({ReadJson(path.parent_path() / "board.profile.json")});
    if (!kinds) scenario["platform"].erase("tandem");
    if (!kinds) scenario["profiles"][0].erase("tandem");
    scenario["policies"] = {"fcfs", "eft"};
    return scenario;
  }

  TempFolder folder_;
  int files_ = 0, right_ = 0, wrong_ = 0;
};

// One value somewhere is another, or is gone.
std::string Mutate(OrderedJson& root, std::mt19937_64& bits) {
  OrderedJson* at = &root;
  OrderedJson* inside = nullptr;
  std::string key, path;
  while (at->is_structured() && !at->empty() && (inside == nullptr || bits() % 5 != 0)) {
    auto member = at->begin();
    std::advance(member, static_cast<std::ptrdiff_t>(bits() % at->size()));
    key = at->is_object() ? member.key() : std::to_string(member - at->begin());
    inside = at;
    at = &*member;
    path += "/" + key;
  }
  const OrderedJson others[] = {
      nullptr, 0, -1, 1, 2.5, "", "fcfs", OrderedJson::array(), OrderedJson::object(), 1000000000000};
  if (inside->is_object() && bits() % 3 == 0) {
    inside->erase(key);
    return path + " is gone";
  }
  *at = others[bits() % std::size(others)];
  return path + " is " + at->dump();
}

TEST_F(OneVerdict, OnProfilesAndPlatformsInPlaceWithAndWithoutTheirKinds) {
  for (const bool kinds : {true, false}) {
    ExpectAgreement(InPlace(WriteRandomScenario(3, folder_ / "files"), kinds), kinds ? "kinds" : "no kinds");
  }
  EXPECT_EQ(right_, 2);
}

TEST_F(OneVerdict, OnGoodAndMutatedFiles) {
  std::mt19937_64 bits(11);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const OrderedJson good = InPlace(WriteRandomScenario(seed, folder_ / "files"), seed % 2 == 0);
    ExpectAgreement(good, "seed " + std::to_string(seed));
    for (int i = 0; i < 9; ++i) {
      OrderedJson mutated = good;
      const std::string what = Mutate(mutated, bits);
      ExpectAgreement(mutated, "seed " + std::to_string(seed) + ", " + what);
    }
  }
  EXPECT_GT(right_, 20);
  EXPECT_GT(wrong_, 20);
}

// Room that no request finds is told before any run.
TEST_F(OneVerdict, OnBoardsWithoutRoom) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    OrderedJson scenario = InPlace(WriteRandomScenario(seed, folder_ / "files"), true);
    for (OrderedJson& memory : scenario["platform"]["memories"])
      memory["capacity_bytes"] = 1024 * (1 + seed % 4);
    ExpectAgreement(scenario, "seed " + std::to_string(seed));
  }
  EXPECT_GT(wrong_, 0);
}

// Energy takes idle watts of every unit, whatever runs where.
TEST_F(OneVerdict, OnEnergyThatNobodyKnows) {
  for (const auto& [key, value] :
       {std::pair("objective", OrderedJson("energy")), std::pair("then", OrderedJson::array({"energy"})),
        std::pair("limits", OrderedJson::array({"energy <= 1000000 J"}))}) {
    for (const bool known : {true, false}) {
      OrderedJson scenario = InPlace(WriteRandomScenario(3, folder_ / "files"), true);
      for (OrderedJson& unit : scenario["platform"]["units"]) {
        unit["idle_w"] = 1;
        unit["busy_w"] = 2;
      }
      if (!known) scenario["platform"]["units"][0].erase("idle_w");
      scenario["objective"] = "makespan";
      scenario[key] = value;
      ExpectAgreement(scenario, std::string(key) + (known ? ", known" : ", not known"));
    }
  }
  EXPECT_EQ(right_, 3);
  EXPECT_EQ(wrong_, 3);
}

// A search asks for the busy watts of every unit that may run what has no energy of its own.
TEST_F(OneVerdict, OnBusyWattsThatASearchAsksFor) {
  OrderedJson scenario = InPlace(WriteRandomScenario(3, folder_ / "files"), true);
  for (OrderedJson& unit : scenario["platform"]["units"]) {
    unit["idle_w"] = 1;
    unit.erase("busy_w");
  }
  for (OrderedJson& entry : scenario["profiles"][0]["entries"]) entry.erase("energy_j");
  scenario["objective"] = "energy";
  scenario.erase("then");
  scenario["policies"] = {"best"};
  ExpectAgreement(scenario, "a search");
  EXPECT_EQ(wrong_, 1);
}

TEST_F(OneVerdict, SaysWhatIsNotJudgedBeforeARun) {
  OrderedJson scenario = InPlace(WriteRandomScenario(3, folder_ / "files"), true);
  scenario["policies"] = {"fcfs", "best"};
  const std::string file = (folder_ / "files/s.scenario.json").string();
  WriteFile(file, scenario.dump());
  const CommandAnswer check = Say({"check", file});
  EXPECT_NE(check.output.find("not judged before a run: how long it takes, and what \"best\" finds\n"),
            std::string::npos)
      << check.output;
  const OrderedJson json = OrderedJson::parse(Say({"check", "--json", file}).output);
  EXPECT_EQ(json[0]["not_judged"].size(), 1U);
}

}  // namespace
}  // namespace tandem
