// Is what may follow on a command line told as its commands declare it?
#include <gtest/gtest.h>

#include "profiles/program/command_completion.h"
#include "profiles/program/values.h"

namespace tandem {
namespace {

std::vector<std::string> Ponds() { return {"lake", "lagoon", "sea"}; }
const ValuesRegistration kPonds{{.called = {"stones skip POND"}, .words = Ponds}};
const ValuesRegistration kNothing{{.called = {"--note"}}};

CommandFacts Pond() {
  OptionFacts pond, stone, note, json, more;
  pond.names = {"POND"};
  pond.by_position = pond.takes_text = true;
  pond.takes = "TEXT";
  stone.names = {"-s", "--stone"};
  stone.takes = "{flat,round}";
  stone.words = {"flat", "round"};
  stone.several = true;
  note.names = {"--note"};
  note.takes = "TEXT";
  note.takes_text = true;
  json.names = {"--json"};
  json.help = "print JSON";
  CommandFacts skip{.name = "skip",
                    .full_name = "pond stones skip",
                    .summary = "over the water",
                    .notes = {},
                    .examples = {},
                    .options = {pond, stone, note, json},
                    .commands = {}};
  CommandFacts stones{.name = "stones",
                      .full_name = "pond stones",
                      .summary = "lie about",
                      .notes = {},
                      .examples = {},
                      .options = {json},
                      .commands = {skip}};
  return {.name = "pond",
          .full_name = "pond",
          .summary = "Still water.",
          .notes = {},
          .examples = {},
          .options = {},
          .commands = {stones}};
}

std::vector<std::string> AfterWords(const std::vector<std::string>& words) {
  std::vector<std::string> offered;
  for (const tandem::Offered& one : WhatMayFollow(Pond(), words)) offered.push_back(one.word);
  return offered;
}

using Words = std::vector<std::string>;

TEST(Completion, OffersCommandsOptionsAndValues) {
  EXPECT_EQ(AfterWords({"st"}), Words{"stones"});
  EXPECT_EQ(AfterWords({"stones", ""}), Words{"skip"});
  EXPECT_EQ(AfterWords({"stones", "skip", "la"}), (Words{"lake", "lagoon"}));
  EXPECT_EQ(AfterWords({"stones", "skip", "lake", "--"}), (Words{"--stone", "--note", "--json"}));
  EXPECT_EQ(AfterWords({"stones", "skip", "--stone", ""}), (Words{"flat", "round"}));
  EXPECT_EQ(AfterWords({"stones", "skip", "-s", "fl"}), Words{"flat"});
  EXPECT_EQ(AfterWords({"stones", "skip", "--stone=r"}), Words{"--stone=round"});
  EXPECT_EQ(AfterWords({"stones", "skip", "--stone", "flat,r"}), Words{"flat,round"});
}

TEST(Completion, KnowsWhatIsThereAlready) {
  EXPECT_EQ(AfterWords({"stones", "skip", "lake", ""}), Words{}) << "one pond is enough";
  EXPECT_EQ(AfterWords({"stones", "skip", "--stone", "flat", "l"}), (Words{"lake", "lagoon"}));
  EXPECT_EQ(AfterWords({"stones", "skip", "--json", "s"}), Words{"sea"});
}

TEST(Completion, HasNothingForWordsOfOnesOwn) {
  EXPECT_EQ(AfterWords({"stones", "skip", "--note", ""}), Words{});
  EXPECT_EQ(AfterWords({"nowhere", ""}), Words{});
  EXPECT_EQ(AfterWords({}), Words{"stones"});
}

TEST(Help, GoesOnBelowAndKeepsExamplesAsAShellTakesThem) {
  CommandFacts command = Pond().commands[0].commands[0];
  TakeFooter(
      "Stones that are\nflat go far.\nOthers sink.\nExamples:\n  pond stones skip lake --stone 'a b c' "
      "--note here\n"
      "  pond stones skip sea",
      command);
  EXPECT_EQ(command.notes, (Words{"Stones that are flat go far.", "Others sink."}));
  EXPECT_EQ(HelpText(command, 44),
            "over the water\n"
            "Usage: pond stones skip [OPTIONS] [POND]\n"
            "\nPositionals:\n"
            "  POND TEXT\n"
            "\nOptions:\n"
            "  -s,--stone {flat,round} ...\n"
            "  --note TEXT\n"
            "  --json\n"
            "      print JSON\n"
            "\nStones that are flat go far.\n"
            "Others sink.\n"
            "Examples:\n"
            "  pond stones skip lake --stone 'a b c' \\\n"
            "      --note here\n"
            "  pond stones skip sea\n");
}

}  // namespace
}  // namespace tandem
