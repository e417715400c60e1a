// Does the program explain itself, and every slip of the fingers?
#include <gtest/gtest.h>

#include "tests/support/program.h"

namespace tandem {
namespace {

TEST(CommandLine, VersionAndHelpGoToStandardOutput) {
  const ProgramResult version = RunTandem("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.output.rfind("tandem ", 0), 0u) << version.output;
  const ProgramResult help = RunTandem("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("models"), std::string::npos);
  EXPECT_EQ(version.errors + help.errors, "");
}

TEST(CommandLine, NothingAskedShowsTheHelpAsAnError) {
  for (const char* arguments : {"", "models"}) {
    const ProgramResult result = RunTandem(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_NE(result.errors.find("Usage: "), std::string::npos) << arguments;
  }
}

TEST(CommandLine, MisspeltWordsGetASuggestion) {
  const ProgramResult command = RunTandem("modles list");
  EXPECT_EQ(command.status, 2);
  EXPECT_EQ(command.errors,
            "tandem: unknown command \"modles\"; did you mean \"models\"?\n"
            "Run `tandem --help` for its usage.\n");
  const ProgramResult option = RunTandem("models show --jsno");
  EXPECT_EQ(option.status, 2);
  EXPECT_EQ(option.errors,
            "tandem models show: unknown option \"--jsno\"; did you mean \"--json\"?\n"
            "Run `tandem models show --help` for its usage.\n");
}

TEST(CommandLine, AResultThatCannotBeWrittenIsAFailure) {
  const ProgramResult full = RunTandem("--help >/dev/full");
  EXPECT_EQ(full.status, 3);
  EXPECT_EQ(full.errors, "tandem: standard output cannot be written: No space left on device\n");
}

TEST(CommandLine, AReaderThatClosedItsEndIsNoFailure) {
  // It is gone before the program writes.
  const ProgramResult closed = RunShell("{ sleep 0.1; " TANDEM_PROGRAM " models list; echo $? >&2; } | true");
  EXPECT_EQ(closed.errors, "0\n");
}

TEST(CommandLine, WhatACommandTakesMayBeCalledAsAnotherCommand) {
  const ProgramResult schema = RunTandem("schema plan");
  EXPECT_EQ(schema.status, 0) << schema.errors;
  EXPECT_NE(schema.output.find("\"$id\": \"plan.schema.json\""), std::string::npos) << schema.output;
}

}  // namespace
}  // namespace tandem
