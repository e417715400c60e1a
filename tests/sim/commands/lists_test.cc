// Does the program list what a scenario can name, and lead to the lists where a name is unknown?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

Json ListOf(const std::string& what) {
  const ProgramResult result = RunTandem(what + " list --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  return Json::parse(result.output);
}

const Json& EntryNamed(const Json& list, const std::string& name) {
  static const Json none;
  for (const Json& entry : list) {
    if (entry["name"] == name) return entry;
  }
  ADD_FAILURE() << name << " is not in the list";
  return none;
}

TEST(Lists, ScenariosHaveTheirBoardsAndWhatTheyAsk) {
  const Json study = EntryNamed(ListOf("scenarios"), "study-003");
  EXPECT_EQ(study["title"], "study 003: three models on the Tinker board");
  EXPECT_EQ(study["platform"], "tinker-edge-r");
  EXPECT_EQ(study["streams"], 3);
  EXPECT_EQ(study["policies"], 6);
  const ProgramResult table = RunTandem("scenarios list");
  EXPECT_NE(table.output.find("study-003-one-model"), std::string::npos) << table.output;
}

TEST(Lists, EveryScenarioOfTheListIsOneThatIsTaken) {
  std::string names;
  for (const Json& scenario : ListOf("scenarios")) names += " " + scenario["name"].get<std::string>();
  const ProgramResult checked = RunTandem("check" + names);
  EXPECT_EQ(checked.status, 0) << checked.errors;
}

TEST(Lists, BoardsHaveTheirUnitsAndProfiles) {
  const Json boards = ListOf("boards");
  const Json board = EntryNamed(boards, "tinker-edge-r");
  EXPECT_EQ(board["units"].size(), 4U);
  ASSERT_EQ(board["profiles"].size(), 1U);
  EXPECT_EQ(board["profiles"][0]["name"], "tinker-edge-r");
  EXPECT_EQ(board["profiles"][0]["origin"], "published");
  EXPECT_EQ(EntryNamed(boards, "agx-xavier")["profiles"][0]["origin"], "estimated");
  EXPECT_EQ(RunTandem("boards list").status, 0);
}

TEST(Lists, PoliciesAreListedEitherWay) {
  const ProgramResult list = RunTandem("policies list --json");
  EXPECT_EQ(list.status, 0) << list.errors;
  EXPECT_EQ(list.output, RunTandem("policies --json").output);
  EXPECT_EQ(RunTandem("policies list").output, RunTandem("policies").output);
}

TEST(Lists, AnUnknownNameLeadsToThem) {
  EXPECT_EQ(RunTandem("simulate something-else").errors,
            "something-else: nothing that tandem ships in scenarios is called \"something-else\"; `tandem "
            "scenarios list` shows what there is\n");
  EXPECT_EQ(RunTandem("models show something-else").errors,
            "unknown model \"something-else\"; `tandem models list` shows what there is\n");
  EXPECT_EQ(RunTandem("simulate study-003 --policy something-else").errors,
            "--policy: unknown policy \"something-else\"; `tandem policies list` shows what there is\n");
  EXPECT_EQ(RunTandem("schema something-else").errors,
            "there is no kind of file \"something-else\"; `tandem schema` shows what there is\n");
  EXPECT_EQ(RunTandem("check something-else").errors,
            "something-else: tandem ships no scenario and no board of that name; `tandem scenarios list` and "
            "`tandem boards list` show what there is\n");
  const std::string profile = RunTandem("profiles show something-else").errors;
  EXPECT_NE(profile.find("; known: agx-xavier, "), std::string::npos)
      << "few enough to be named: " << profile;
}

TEST(Lists, AProfileIsShownWithItsError) {
  const TempFolder folder;
  const std::string file = (folder / "x.profile.json").string();
  const auto shown = [&](const std::string& error, const std::string& options) {
    WriteFile(
        file,
        R"({"tandem": "profile/1", "platform": "p", "origin": {"kind": "estimated", "method": "a guess")" +
            error +
            R"(}, "entries": [{"model": "resnet50", "unit": "cpu", "layers": "*", "median_us": 9}]})");
    return RunTandem("profiles show " + file + options).output;
  };
  EXPECT_TRUE(shown(R"(, "error": 0.18)", "").starts_with("p, estimated: a guess; +-18 % that all share\n"));
  EXPECT_TRUE(shown("", "").starts_with("p, estimated: a guess\n"));
  EXPECT_EQ(Json::parse(shown(R"(, "error": 0.18)", " --json"))["error"], 0.18);
  EXPECT_TRUE(Json::parse(shown("", " --json"))["error"].is_null());
}

TEST(Lists, SeveralPoliciesFitOneWord) {
  const auto labels = [](const std::string& policies) {
    std::string text;
    const ProgramResult result = RunTandem("simulate study-003 --engine virtual --json " + policies);
    EXPECT_EQ(result.status, 0) << result.errors;
    for (const Json& report : Json::parse(result.output)) text += report["label"].get<std::string>() + " ";
    return text;
  };
  EXPECT_EQ(labels("--policy sjf,eft"), "sjf eft ");
  EXPECT_EQ(labels("--policy sjf,eft --policy fcfs"), "sjf eft fcfs ");
}

}  // namespace
}  // namespace tandem
