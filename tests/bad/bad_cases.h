// The mistakes that users make, one case each, as tests/bad keeps them: KIND.cases.json has the JSON patch
// (RFC 6902) that makes the mistake in KIND.base.json, which is right, and the message, word for word. What a
// patch cannot make (broken text, a key given twice, numbers that no parser keeps) stands in whole/, with its
// messages in whole.cases.json.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace tandem {

struct BadCase {
  std::string name;  // the file's, without ".json"
  std::string text;  // all of the file
  std::string message;
};

void PrintTo(const BadCase& bad, std::ostream* out);

std::vector<BadCase> BadCases();

// The bases: files without a mistake, so their messages are empty.
std::vector<BadCase> BadBases();

// All of these files and the parts that they refer to, in a folder of their own, which is the current one:
// messages name files as a user there would.
class BadFolder {
 public:
  BadFolder();
  ~BadFolder();
  BadFolder(const BadFolder&) = delete;
  BadFolder& operator=(const BadFolder&) = delete;

 private:
  std::filesystem::path root_;
};

}  // namespace tandem
