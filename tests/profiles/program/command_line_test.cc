// Does a command that stands outside both programs join the command line with its one registration?
#include "profiles/program/command_line.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "tests/support/command_answer.h"

namespace tandem {
namespace {

struct SkipArguments {
  std::string pond, stone, name;
  std::int64_t times = 3;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> angle;
  double speed = 1.5, patience = 1;
  std::vector<std::string> friends;
  std::vector<std::int64_t> bounces;
  bool json = false;
};

SkipArguments skipped;  // what the last run got

void DeclareSkip(Command& command, SkipArguments& arguments) {
  command.Add("POND", &arguments.pond, "where to").Required();
  const Command::Option stone = command.Add("--stone", &arguments.stone, "what").OneOf({"flat", "round"});
  command.Add("-n,--times", &arguments.times, "how often").Shown("N").Range(1, 20).Excludes({stone});
  command.Add("--seed", &arguments.seed, "of the waves");
  command.Add("--angle", &arguments.angle, "of the hand");
  command.Add("--speed", &arguments.speed, "of the stone").RealRange(0.5, 2.5);
  command.Add("--patience", &arguments.patience, "seconds").Positive(1e6);
  command.Add("--friend", &arguments.friends, "who looks on");
  command.Add("--name", &arguments.name, "of the stone").Shown("NAME[:COLOUR]");
  command.Add("--bounces", &arguments.bounces, "of each").Separated(',').OneWord();
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer("Examples:\n  pond stones skip lake");
}

int Skip(const SkipArguments& arguments) {
  skipped = arguments;
  const std::string guest = arguments.friends.empty() ? "" : " for " + arguments.friends[0];
  if (arguments.pond == "desert") throw InputError("desert: no water" + guest);
  WriteOutput(arguments.pond == "lake" ? "plop\n" : "plop " + arguments.pond + "\n");
  return kExitNo;
}

int Nothing(const SkipArguments&) { return kExitDone; }
void DeclareNothing(Command&, SkipArguments&) {}

const CommandRegistration kLast{{.name = "zen", .summary = "sits"}, DeclareNothing, Nothing};
const CommandRegistration kLate{{.name = "fish", .summary = "waits"}, DeclareNothing, Nothing};
const CommandRegistration kSkip{
    {.name = "stones skip", .summary = "over the water", .order = 2}, DeclareSkip, Skip};
const CommandRegistration kThrow{
    {.name = "stones lift", .summary = "from the ground", .order = 1}, DeclareNothing, Nothing};
const CommandRegistration kStones{{.name = "stones", .summary = "lie about", .order = 5}, "Heavy."};

CommandAnswer RunLine(const std::vector<std::string>& words) {
  return AnswerOf({.name = "pond", .summary = "Still water.", .version = "1.2"}, words);
}

TEST(ARegisteredCommand, RunsAndSaysTheExitStatus) {
  const CommandAnswer answer = RunLine({"stones", "skip", "lake"});
  EXPECT_EQ(answer.status, kExitNo);
  EXPECT_EQ(answer.output, "plop\n");
  EXPECT_EQ(answer.errors, "");
  EXPECT_EQ(skipped.pond, "lake");
  EXPECT_EQ(skipped.times, 3);
  EXPECT_EQ(skipped.angle, std::nullopt);
}

TEST(ARegisteredCommand, GetsEveryKindOfValue) {
  EXPECT_EQ(RunLine({"stones", "skip", "--seed", "18446744073709551615", "--angle=7", "--speed", "2.25",
                     "--friend", "ann", "--friend", "bob", "--bounces", "4,-2", "lake", "--json", "-n", "20"})
                .errors,
            "");
  EXPECT_EQ(skipped.pond, "lake");
  EXPECT_EQ(skipped.times, 20);
  EXPECT_EQ(skipped.seed, 18446744073709551615U);
  EXPECT_EQ(skipped.angle, 7U);
  EXPECT_EQ(skipped.speed, 2.25);
  EXPECT_EQ(skipped.friends, (std::vector<std::string>{"ann", "bob"}));
  EXPECT_EQ(skipped.bounces, (std::vector<std::int64_t>{4, -2}));
  EXPECT_TRUE(skipped.json);
}

TEST(ARegisteredCommand, StandsInTheHelpInItsOrder) {
  const std::string help = RunLine({"--help"}).output;
  const auto at = [&](const char* line) {
    const std::size_t position = help.find(line);
    EXPECT_NE(position, std::string::npos) << line << " in\n" << help;
    return position;
  };
  EXPECT_LT(at("Still water."), at("stones "));
  EXPECT_LT(at("stones "), at("fish "));  // without an order: at the end, by name
  EXPECT_LT(at("fish "), at("zen "));
  EXPECT_LT(at("zen "), at("`pond COMMAND --help`"));
  const std::string group = RunLine({"stones", "--help"}).output;
  EXPECT_LT(group.find("lift "), group.find("skip "));
  EXPECT_NE(group.find("Heavy."), std::string::npos) << group;
}

TEST(ARegisteredCommand, ExplainsWhatItTakes) {
  const CommandAnswer answer = RunLine({"stones", "skip", "--help"});
  EXPECT_EQ(answer.status, kExitDone);
  for (const char* part :
       {"POND TEXT REQUIRED", "--stone {flat,round}", "-n,--times N in [1 - 20]", "--name NAME[:COLOUR] ",
        "not with --stone", "--json", "--quiet", "Examples:\n  pond stones skip lake"}) {
    EXPECT_NE(answer.output.find(part), std::string::npos) << part << " in\n" << answer.output;
  }
}

TEST(ARegisteredCommand, IsJudgedAsAllCommandsAre) {
  const auto error = [](const std::vector<std::string>& words) {
    const CommandAnswer answer = RunLine(words);
    EXPECT_EQ(answer.status, kExitBadInput);
    EXPECT_EQ(answer.output, "");
    return answer.errors;
  };
  const std::string usage = "\nRun `pond stones skip --help` for its usage.\n";
  EXPECT_EQ(error({"stones", "skip", "lake", "--jsno"}),
            "pond stones skip: unknown option \"--jsno\"; did you mean \"--json\"?" + usage);
  EXPECT_EQ(error({"stones", "skip", "lake", "sea"}),
            "pond stones skip: unexpected argument \"sea\"" + usage);
  EXPECT_EQ(error({"stones", "skip"}), "pond stones skip: POND is required" + usage);
  EXPECT_EQ(error({"stones", "skip", "lake", "--times", "21"}),
            "pond stones skip: --times: Value 21 not in range 1 to 20" + usage);
  EXPECT_EQ(error({"stones", "skip", "lake", "--stone", "flat", "--times", "2"}),
            "pond stones skip: --stone excludes --times" + usage);
  EXPECT_EQ(error({"stnoes"}),
            "pond: unknown command \"stnoes\"; did you mean \"stones\"?\nRun `pond --help` for its usage.\n");
  EXPECT_EQ(error({"stones", "skip", "desert"}), "desert: no water\n");
  EXPECT_NE(error({"stones"}).find("Usage: pond stones"), std::string::npos);
}

TEST(ARegisteredCommand, TakesNoNumberForAnother) {
  const auto error = [](const std::string& option, const std::string& word) {
    const CommandAnswer answer = RunLine({"stones", "skip", "lake", option, word});
    EXPECT_EQ(answer.status, kExitBadInput);
    return answer.errors.substr(0, answer.errors.find('\n'));
  };
  for (const std::string option : {"--seed", "--angle"}) {
    for (const std::string word : {"-1", "18446744073709551616", "1.5", "one"}) {
      EXPECT_EQ(error(option, word), "pond stones skip: " + option + ": Value " + word +
                                         " is not an integer from 0 to 18446744073709551615");
    }
  }
  for (const std::string word : {"0", "-1", "nan", "inf", "1e300"}) {
    EXPECT_EQ(error("--patience", word),
              "pond stones skip: --patience: Value " + word + " is not a number above 0 and at most 1000000");
  }
  EXPECT_EQ(error("--speed", "nan"), "pond stones skip: --speed: Value nan not in range 0.5 to 2.5");
}

TEST(ARegisteredCommand, TakesNoEmptyText) {
  const auto error = [](const std::vector<std::string>& words) {
    const CommandAnswer answer = RunLine(words);
    EXPECT_EQ(answer.status, kExitBadInput);
    return answer.errors.substr(0, answer.errors.find('\n'));
  };
  EXPECT_EQ(error({"stones", "skip", "lake", "--friend", ""}), "pond stones skip: --friend: Value is empty");
  EXPECT_EQ(error({"stones", "skip", "lake", "--name=", "--json"}),
            "pond stones skip: --name: Value is empty");
  EXPECT_EQ(error({"stones", "skip", "lake", "--name", ""}), "pond stones skip: --name: Value is empty");
  EXPECT_EQ(error({"stones", "skip", ""}), "pond stones skip: POND: Value is empty");
}

TEST(WhatAProgramWrites, LeavesTheTerminalAlone) {
  const CommandAnswer answer = RunLine({"stones", "skip", "\x1b]0;title\a"});
  EXPECT_EQ(answer.output, "plop \\u001b]0;title\\u0007\n");
  EXPECT_EQ(RunLine({"stones", "skip", "desert", "--friend", "\xe2\x80\xae\x1b[2J"}).errors,
            "desert: no water for \\u202e\\u001b[2J\n");
}

TEST(ARegisteredCommand, LeavesTheVersionToTheProgram) {
  EXPECT_EQ(RunLine({"--version"}).output, "pond 1.2\n");
}

}  // namespace
}  // namespace tandem
