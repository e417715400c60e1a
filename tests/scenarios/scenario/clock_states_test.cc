// Are clock states of a platform that no profile knows told, and is nothing said of those that one does?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/scenario.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;
using Sentences = std::vector<std::string>;

Json ClockStates() {
  return Json::parse(ReadTextFile(FindFile("clock-states", "", "scenarios", ".scenario.json")));
}

Sentences TakenIn(const Json& json) {
  const JsonDocument document = JsonDocument::Parse(json.dump(), "s.json");
  return ReadScenario(document.root()).taken;
}

TEST(ClockStates, OneThatNoProfileKnowsIsToldWithTheNearestThatOneDoes) {
  Json json = ClockStates();
  EXPECT_EQ(TakenIn(json), Sentences{}) << "as it is shipped";
  json["platform"]["units"][1]["states"][0]["name"] = "200MHz";
  EXPECT_EQ(
      TakenIn(json),
      Sentences{"s.json:/platform/units/1/states/0/name: what unit \"cpu\" draws in state \"200MHz\" is "
                "never taken, since no profile has such a variant of it; did you mean \"2000MHz\"?"});
}

TEST(ClockStates, EachIsToldOfAUnitThatIsKnownInNone) {
  Json json = ClockStates();
  json.erase("variants");
  Json& entries = json["profiles"][0]["entries"];
  entries = Json::array({entries[0], entries[3]});
  for (Json& entry : entries) entry.erase("variant");
  const Sentences taken = TakenIn(json);
  ASSERT_EQ(taken.size(), 2U) << "of the CPU, which runs nothing, there is nothing to tell";
  EXPECT_EQ(
      taken[1],
      "s.json:/platform/units/0/states/1/name: what unit \"gpu\" draws in state \"450MHz\" is never taken, "
      "since no profile has such a variant of it");
}

TEST(ClockStates, OfAPlatformInAFileThatFileIsNamed) {
  const TempFolder folder;
  const std::string file = (folder / "b.platform.json").string();
  Json json = ClockStates();
  json["platform"]["tandem"] = "platform/1";
  json["platform"]["units"][0]["states"][1]["name"] = "45MHz";
  WriteFile(file, json["platform"].dump());
  json["platform"] = file;
  const Sentences taken = TakenIn(json);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(taken[0].starts_with(file + ":/units/0/states/1/name: ")) << taken[0];
}

}  // namespace
}  // namespace tandem
