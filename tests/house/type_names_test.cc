// Has every type that a header declares a name of its own? Two of one name in one program are undefined
// behaviour that no compiler reports: their functions are merged at random.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

// Name to the headers that declare it at the left margin, i.e. in the namespace itself.
std::map<std::string, std::vector<std::string>> DeclaredTypes(const fs::path& root) {
  static const std::regex declaration(R"((struct|class|enum class) ([A-Z]\w*)( final)?( :.*)? \{.*)");
  std::map<std::string, std::vector<std::string>> types;
  for (const char* folder : {"profiles", "scenarios", "policies", "sim", "device"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream stream(entry.path());
      std::string line;
      std::smatch match;
      while (std::getline(stream, line)) {
        if (!std::regex_match(line, match, declaration)) continue;
        types[match[2]].push_back(entry.path().lexically_relative(root).generic_string());
      }
    }
  }
  return types;
}

TEST(TypeNames, EachStandsInOneHeader) {
  const auto types = DeclaredTypes(fs::path(TANDEM_TEST_DIR).parent_path());
  EXPECT_GT(types.size(), 100U);
  for (const auto& [name, headers] : types) {
    EXPECT_EQ(headers.size(), 1U) << name << ": " << headers.front() << ", " << headers.back();
  }
}

}  // namespace
