// Has every type and function that a header declares a name of its own? Two of one name in one program are
// undefined behaviour that no compiler reports: their code is merged at random.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {
namespace fs = std::filesystem;

// What a line declares at the left margin, i.e. in the namespace itself: a type's name, or that of a function
// with its parameters, which may be another function where only these differ. Empty: neither.
std::string Declared(const std::string& line) {
  static const std::regex type(R"((struct|class|enum class) ([A-Z]\w*)( final)?( :.*)? \{.*)");
  static const std::regex function(R"([a-z:A-Z][\w:<>,&* ]* [&*]?([A-Z]\w*\([^()]*\)) ?(\{|;).*)");
  std::smatch match;
  if (std::regex_match(line, match, type)) return match[2];
  return std::regex_match(line, match, function) ? match[1].str() : "";
}

// Each with its namespaces to the headers that declare it.
std::map<std::string, std::set<std::string>> DeclaredNames(const fs::path& root) {
  static const std::regex opened(R"(namespace ([\w:]+) \{)");
  std::map<std::string, std::set<std::string>> names;
  for (const char* folder : {"profiles", "scenarios", "policies", "sim", "device"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream stream(entry.path());
      std::string line, space;
      std::smatch match;
      while (std::getline(stream, line)) {
        if (std::regex_match(line, match, opened)) space += match[1].str() + "::";
        const std::string name = Declared(line);
        if (!name.empty()) names[space + name].insert(entry.path().lexically_relative(root).generic_string());
      }
    }
  }
  return names;
}

TEST(Names, EachStandsInOneHeader) {
  const auto names = DeclaredNames(fs::path(TANDEM_TEST_DIR).parent_path());
  EXPECT_GT(names.size(), 1000U);
  for (const auto& [name, headers] : names) {
    EXPECT_EQ(headers.size(), 1U) << name << ": " << *headers.begin() << ", " << *headers.rbegin();
  }
}

}  // namespace
