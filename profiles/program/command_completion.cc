#include "profiles/program/command_completion.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "profiles/base/files.h"
#include "profiles/base/printable.h"
#include "profiles/program/command_line.h"
#include "profiles/program/values.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kCommandWord = "COMMAND";  // an argument that is a command of the program

std::vector<ValuesDeclaration>& DeclaredValues() {
  static std::vector<ValuesDeclaration> declared;
  return declared;
}

// What a shell has not yet taken from the word: quotes and backslashes.
std::string Unquoted(const std::string& word) {
  std::string plain;
  const bool quoted = !word.empty() && (word[0] == '"' || word[0] == '\'');
  for (std::size_t i = quoted ? 1 : 0; i < word.size(); ++i) {
    if (word[i] == '\\' && i + 1 < word.size()) ++i;
    plain += word[i];
  }
  return plain;
}

fs::path WithHome(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? fs::path(home) / path.substr(2) : fs::path(path);
}

bool IsWanted(const std::string& name, bool is_folder, const std::vector<std::string>& suffixes) {
  const auto fits = [&](const std::string& suffix) { return suffix != "/" && name.ends_with(suffix); };
  return is_folder || std::any_of(suffixes.begin(), suffixes.end(), fits);
}

// Files and folders that begin as `begun`; what a terminal would obey is in no name that is offered.
void AddFiles(const std::string& begun, const std::vector<std::string>& suffixes, const std::string& before,
              std::vector<Offered>& into) {
  const std::size_t slash = begun.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : begun.substr(0, slash + 1),
                    start = begun.substr(folder.size());
  std::vector<Offered> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? fs::path(".") : WithHome(folder), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown), hidden = name[0] == '.' && !start.starts_with('.');
    if (!name.starts_with(start) || hidden || PrintableLine(name) != name) continue;
    if (!IsWanted(name, is_folder, suffixes)) continue;
    found.push_back({before + folder + name + (is_folder ? "/" : ""), is_folder ? "folder" : "file"});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.word < b.word; });
  into.insert(into.end(), found.begin(), found.end());
}

void AddWords(const std::vector<std::string>& words, const std::string& begun, const std::string& before,
              std::vector<Offered>& into) {
  for (const std::string& word : words) {
    if (word.starts_with(begun)) into.push_back({before + word, ""});
  }
}

std::string WithoutProgram(const std::string& full_name) {
  return full_name.substr(std::min(full_name.find(' '), full_name.size() - 1) + 1);
}

// Of `text` the last of several with commas between them; `before` is what stands before it in the word.
void AddValues(const CommandFacts& command, const OptionFacts& option, std::string before, std::string text,
               std::vector<Offered>& into) {
  const std::size_t comma = option.several ? text.rfind(',') : std::string::npos;
  if (comma != std::string::npos) {
    before += text.substr(0, comma + 1);
    text = text.substr(comma + 1);
  }
  if (!option.words.empty()) return AddWords(option.words, text, before, into);
  if (!option.takes_text) return;
  const ValuesDeclaration& values = ValuesOf(WithoutProgram(command.full_name), option.name());
  if (values.words != nullptr) AddWords(values.words(), text, before, into);
  if (!values.files.empty()) AddFiles(text, values.files, before, into);
}

// How far the line has come.
struct Reached {
  const CommandFacts* command = nullptr;
  const OptionFacts* option = nullptr;      // whose value comes next
  std::vector<std::string> positions = {};  // arguments by position that are there
};

const OptionFacts* FindOption(const CommandFacts& command, const std::string& name) {
  for (const OptionFacts& option : command.options) {
    const auto& names = option.names;
    if (!option.by_position && std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

void Take(const std::string& word, Reached& at) {
  if (at.option != nullptr) {
    at.option = nullptr;
  } else if (word.starts_with('-') && word.size() > 1) {
    const OptionFacts* const option = FindOption(*at.command, word);
    if (option != nullptr && !option->takes.empty()) at.option = option;
  } else if (const CommandFacts* inner = at.command->Find(word); inner != nullptr && at.positions.empty()) {
    at.command = inner;
  } else {
    at.positions.push_back(word);
  }
}

const OptionFacts* NextPosition(const Reached& at) {
  std::size_t position = 0;
  for (const OptionFacts& option : at.command->options) {
    if (!option.by_position) continue;
    if (position++ == at.positions.size() || option.several) return &option;
  }
  return nullptr;
}

void AddCommands(const CommandFacts& command, const std::string& begun, std::vector<Offered>& into) {
  for (const CommandFacts& inner : command.commands) {
    if (inner.name.starts_with(begun)) into.push_back({inner.name, inner.summary});
  }
}

// Of the command that is named by words before it: "man models s".
void AddNamedCommands(const CommandFacts& program, const std::vector<std::string>& words,
                      const std::string& begun, std::vector<Offered>& into) {
  const CommandFacts* named = &program;
  for (const std::string& word : words) {
    if (named != nullptr) named = named->Find(word);
  }
  if (named != nullptr) AddCommands(*named, begun, into);
}

void AddOptions(const CommandFacts& command, const std::string& begun, std::vector<Offered>& into) {
  for (const OptionFacts& option : command.options) {
    if (option.by_position || !option.name().starts_with(begun)) continue;
    into.push_back({option.name(), option.help});
  }
}

}  // namespace

ValuesRegistration::ValuesRegistration(ValuesDeclaration declaration) {
  DeclaredValues().push_back(std::move(declaration));
}

const ValuesDeclaration& ValuesOf(const std::string& command, const std::string& name) {
  static const ValuesDeclaration file{{}, nullptr, {""}};
  for (const std::string& called : {command + " " + name, name}) {
    for (const ValuesDeclaration& values : DeclaredValues()) {
      if (std::find(values.called.begin(), values.called.end(), called) != values.called.end()) return values;
    }
  }
  return file;
}

std::vector<Offered> WhatMayFollow(const CommandFacts& program, const std::vector<std::string>& words) {
  Reached at{&program};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) Take(words[i], at);
  const std::string begun = words.empty() ? "" : Unquoted(words.back());
  std::vector<Offered> found;
  const std::size_t equals = begun.find('=');
  if (at.option != nullptr) {
    AddValues(*at.command, *at.option, "", begun, found);
  } else if (begun.starts_with("--") && equals != std::string::npos) {
    const OptionFacts* const option = FindOption(*at.command, begun.substr(0, equals));
    if (option == nullptr) return found;
    AddValues(*at.command, *option, begun.substr(0, equals + 1), begun.substr(equals + 1), found);
  } else if (begun.starts_with('-')) {
    AddOptions(*at.command, begun, found);
  } else {
    if (at.positions.empty()) AddCommands(*at.command, begun, found);
    const OptionFacts* const position = NextPosition(at);
    if (position != nullptr && position->name() == kCommandWord) {
      AddNamedCommands(program, at.positions, begun, found);
    } else if (position != nullptr) {
      AddValues(*at.command, *position, "", begun, found);
    }
  }
  return found;
}

}  // namespace tandem
