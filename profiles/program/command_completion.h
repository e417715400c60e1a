// What may stand where a command line goes on, for the shells.
#pragma once

#include <string>
#include <vector>

#include "profiles/program/command_facts.h"

namespace tandem {

struct Offered {
  std::string word;   // all of the word, what is there of it included
  std::string about;  // "file", "folder", or in words what it is
};

// `words`: those behind the program's name; the last one is begun, or empty.
std::vector<Offered> WhatMayFollow(const CommandFacts& program, const std::vector<std::string>& words);

}  // namespace tandem
