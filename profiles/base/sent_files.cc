#include "profiles/base/sent_files.h"

#include <functional>
#include <map>

namespace tandem {
namespace {

std::map<std::string, SentFile, std::less<>>& SentByName() {
  static std::map<std::string, SentFile, std::less<>> files;
  return files;
}

}  // namespace

void UseSentFiles(const std::vector<SentFile>& files) {
  SentByName().clear();
  for (const SentFile& file : files) {
    SentByName()[file.key] = file;
    for (const std::string& name : file.names) SentByName()[name] = file;
  }
}

const SentFile* FindSentFile(std::string_view name) {
  const auto found = SentByName().find(name);
  return found == SentByName().end() ? nullptr : &found->second;
}

}  // namespace tandem
