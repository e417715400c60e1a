// Do the options and commands exist that messages, helps and examples name?
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/house/text_of.h"

namespace {
namespace fs = std::filesystem;

using Words = std::set<std::string>;

const fs::path kRoot = fs::path(TANDEM_TEST_DIR).parent_path();

std::vector<std::string> Found(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

std::vector<fs::path> SourcesIn(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cc" || extension == ".h") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What a command's file declares: Add("-o,--output", ...), Flag("--json", ...).
Words OptionsDeclaredIn(const std::string& text) {
  static const std::regex pattern(R"re((?:Add|Flag)\(\s*"(-[^"]*)")re");
  Words options = {"--help", "--version", "--quiet", "--color", "--wide"};
  if (text.find(".AllowCommands(") != std::string::npos) options.insert("--allow-commands");
  for (const std::string& names : Found(text, pattern)) {
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) options.insert(name);
  }
  return options;
}

// Per command, "tandem models show", the options of its file and of the headers beside it that it includes.
std::map<std::string, Words> Commands() {
  static const std::regex named(R"re(\.name = "([a-z][a-z -]*)")re"),
      beside(R"re(#include "((?:sim|device)/commands/\w+\.h)")re");
  std::map<std::string, Words> commands;
  for (const auto& [program, folder] : {std::pair<std::string, std::string>{"tandem", "sim/commands"},
                                        {"tandem-device", "device/commands"}}) {
    for (const fs::path& file : SourcesIn(folder)) {
      const std::string text = TextOf(file);
      Words options = OptionsDeclaredIn(text);
      for (const std::string& header : Found(text, beside))
        options.merge(OptionsDeclaredIn(TextOf(kRoot / header)));
      for (const std::string& name : Found(text, named)) {
        commands[program + " " + name].insert(options.begin(), options.end());
      }
    }
  }
  for (const fs::path& writer : SourcesIn("sim/writers")) {  // each is an option of `tandem simulate`
    for (const std::string& name : Found(TextOf(writer), named))
      commands["tandem simulate"].insert("--" + name);
  }
  return commands;
}

// The text literals of a file, without comments; neighbours are one, as the compiler has it.
std::vector<std::string> LiteralsOf(const std::string& text) {
  static const std::regex piece(R"re("((?:[^"\\\n]|\\.)*)")re");
  std::vector<std::string> literals;
  std::istringstream lines(text);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line.compare(begin, 2, "//") == 0 || line[begin] == '#') continue;
    for (std::sregex_iterator match(line.begin(), line.end(), piece), end; match != end; ++match) {
      const bool joins = goes_on && static_cast<std::size_t>(match->position()) == begin;
      if (joins) {
        literals.back() += (*match)[1];
      } else {
        literals.push_back((*match)[1]);
      }
      goes_on = static_cast<std::size_t>(match->position() + match->length()) == line.size();
    }
    if (line.back() != '"') goes_on = false;
  }
  return literals;
}

std::vector<std::string> OptionsNamedIn(const std::string& text) {
  static const std::regex pattern(R"re((?:^|[^\w-])(--[a-z][a-z-]+)(?![\w=]))re");
  return Found(text, pattern);
}

// Of what follows "tandem" or "tandem-device" up to the end of a line, a backtick, a pipe or "&&": the
// command of one or two words; empty where it is prose, "what tandem ships".
std::string CommandOf(const std::string& call, const std::map<std::string, Words>& commands) {
  std::istringstream words(call);
  std::string program, first, second;
  words >> program >> first >> second;
  const std::string two = program + " " + first + " " + second, one = program + " " + first;
  return commands.contains(two) ? two : commands.contains(one) ? one : "";
}

std::vector<std::string> CallsIn(const std::string& literal) {
  static const std::regex call(R"re((?:^|[^\w/-])(tandem(?:-device)? [^`|&\\]*))re");
  return Found(literal, call);
}

// Every literal of the rooms, with its file.
void ForEachLiteral(const std::vector<std::string>& folders,
                    const std::function<void(const std::string& file, const std::string& literal)>& look) {
  for (const std::string& folder : folders) {
    for (const fs::path& file : SourcesIn(folder)) {
      const std::string name = file.lexically_relative(kRoot).generic_string();
      for (const std::string& literal : LiteralsOf(TextOf(file))) look(name, literal);
    }
  }
}

const std::vector<std::string> kAll = {"profiles", "scenarios", "policies", "sim", "device"};

TEST(Hints, ACallOfACommandNamesOptionsThatItHas) {
  const auto commands = Commands();
  ASSERT_GT(commands.size(), 20U);
  ASSERT_TRUE(commands.at("tandem simulate").contains("--trace"));
  ASSERT_TRUE(commands.at("tandem plan").contains("--objective"));
  ASSERT_FALSE(commands.at("tandem plan").contains("--replications"));
  std::size_t calls = 0;
  ForEachLiteral(kAll, [&](const std::string& file, const std::string& literal) {
    for (const std::string& call : CallsIn(literal)) {
      const std::string command = CommandOf(call, commands);
      if (command.empty()) continue;
      ++calls;
      for (const std::string& option : OptionsNamedIn(call)) {
        EXPECT_TRUE(commands.at(command).contains(option)) << file << ": " << command << " has no " << option;
      }
    }
  });
  EXPECT_GT(calls, 50U);
}

TEST(Hints, AnOptionThatAProgramNamesIsOneOfItsOwn) {
  const auto commands = Commands();
  const auto all_of = [&](const std::string& program) {
    Words options;
    for (const auto& [command, has] : commands) {
      if (command.starts_with(program + " ")) options.insert(has.begin(), has.end());
    }
    return options;
  };
  std::map<std::string, Words> own = {{"sim", all_of("tandem")}, {"device", all_of("tandem-device")}};
  own["device"].insert("--all");  // of the command man, which both programs have from profiles/program
  own["sim"].insert("--sent");    // what the device client says to the other program
  own["sim"].insert("--strip");   // what tar is told on a board
  for (const auto& one : own) {
    const std::string& folder = one.first;
    const Words& options = one.second;
    ForEachLiteral({folder}, [&](const std::string& file, const std::string& literal) {
      const bool of_the_other =
          literal.find(folder == "sim" ? "tandem-device " : "tandem ") != std::string::npos;
      if (of_the_other || literal.starts_with("--log=") || literal.starts_with("--cfg="))
        return;  // SimGrid's own
      // What a target's own programs are told; what --emit itself says stands in one file.
      if (file.starts_with("sim/emit/") && file != "sim/emit/emission.cc") return;
      for (const std::string& option : OptionsNamedIn(literal)) {
        EXPECT_TRUE(options.contains(option)) << file << ": there is no " << option << " (" << literal << ")";
      }
    });
  }
}

// Nobody knows there which command will say it.
TEST(Hints, WhatBothProgramsMaySayNamesTheCommandWithTheOption) {
  // Of all commands that show what these rooms make, and of the one that alone asks profiles/dumps.
  const Words usual = {"--help",  "--version", "--json",  "--objective", "--replications",   "--wide",
                       "--force", "--quiet",   "--color", "--all",       "--allow-commands", "--output"};
  const Words of_import = Commands().at("tandem profiles import");
  ForEachLiteral({"profiles", "scenarios", "policies"}, [&](const std::string& file,
                                                            const std::string& literal) {
    if (literal.find("tandem ") != std::string::npos || literal.find("tandem-device ") != std::string::npos)
      return;
    for (const std::string& option : OptionsNamedIn(literal)) {
      const bool imports = file.starts_with("profiles/dumps/");
      EXPECT_TRUE((imports ? of_import : usual).contains(option))
          << file << ": whose option is " << option << "? (" << literal << ")";
    }
  });
}

}  // namespace
