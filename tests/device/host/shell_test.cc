// Do the user's commands run here, and is it told how they end?
#include "device/host/shell.h"

#include <gtest/gtest.h>

#include <string>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

TEST(Shell, WhatACommandTellsIsOneLine) {
  EXPECT_EQ(TextFromShell("printf '  NV Power Mode: 10W \\n\\n2\\n'", ""), "NV Power Mode: 10W; 2");
  EXPECT_EQ(TextFromShell("true", ""), "");
  EXPECT_LE(TextFromShell("yes | head -c 100000 | tr -d '\\n'", "").size(), 4096U);
}

TEST(Shell, ACommandThatFailsSaysHow) {
  const auto failure = [](const auto& body) -> std::string {
    try {
      body();
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(failure([] { RunInShell("exit 3", "state: "); }), "state: \"exit 3\" ended with status 3");
  EXPECT_EQ(failure([] { (void)TextFromShell("kill -9 $$", ""); }), "\"kill -9 $$\" was ended by signal 9");
}

}  // namespace
}  // namespace tandem
