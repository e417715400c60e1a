// Does a command that stands outside the tree join those of `tandem` with its one registration?
#include <gtest/gtest.h>

#include "profiles/model/model_source.h"
#include "profiles/program/command_line.h"
#include "tests/support/command_answer.h"

namespace tandem {
namespace {

struct DepthArguments {
  std::string model;
};

void Declare(Command& command, DepthArguments& arguments) {
  command.Add("MODEL", &arguments.model, "a name of the zoo, or a file").Required();
  command.Footer("Example:\n  tandem depth alexnet");
}

int Depth(const DepthArguments& arguments) {
  const Model model =
      LoadModel(arguments.model, {}, {.weights = {}, .input = {}, .want_weights = false}).model;
  WriteOutput(std::to_string(model.size()) + " layers\n");
  return kExitDone;
}

const CommandRegistration kDepth{{.name = "depth", .summary = "how many layers a model has"}, Declare, Depth};

CommandAnswer Tandem(const std::vector<std::string>& words) {
  return AnswerOf({.name = "tandem", .summary = "", .version = ""}, words);
}

TEST(AnAddedCommand, Runs) {
  const CommandAnswer answer = Tandem({"depth", "alexnet"});
  EXPECT_EQ(answer.status, kExitDone) << answer.errors;
  EXPECT_EQ(answer.output, "23 layers\n");
}

TEST(AnAddedCommand, AnswersAMistakeAsTheOthersDo) {
  const CommandAnswer answer = Tandem({"depth", "alexnot"});
  EXPECT_EQ(answer.status, kExitBadInput);
  EXPECT_EQ(answer.errors, "unknown model \"alexnot\"; did you mean \"alexnet\"?\n");
}

TEST(AnAddedCommand, StandsInTheListAfterThoseOfTheTree) {
  const std::string help = Tandem({"--help"}).output;
  EXPECT_NE(help.find("simulate "), std::string::npos) << help;
  EXPECT_LT(help.find("simulate "), help.find("depth "));
}

}  // namespace
}  // namespace tandem
