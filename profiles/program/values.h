// What the values of options are, for completion: options and arguments that are called alike take the same.
// Whoever knows the words declares them, at namespace scope:
//   const ValuesRegistration kScenarios{{.called = {"SCENARIO"}, .words = Names, .files =
//   {".scenario.json"}}};
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct ValuesDeclaration {
  std::vector<std::string> called;  // positionals and options; of one command alone "profiles show NAME"
  std::vector<std::string> (*words)() = nullptr;  // those that are known; null: files alone
  std::vector<std::string> files = {};  // suffixes of files that hold one; "": any file, "/": folders
};

struct ValuesRegistration {
  explicit ValuesRegistration(ValuesDeclaration declaration);
};

// Of `name` in a command, "profiles show"; what nobody has declared takes any file, as most texts are one.
const ValuesDeclaration& ValuesOf(const std::string& command, const std::string& name);

}  // namespace tandem
