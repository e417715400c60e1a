#include "sim/board/files_to_send.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/sha256.h"
#include "profiles/model/model_source.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// What a profile says of models are names to compare, maybe a stranger's: no file goes to a board for that.
constexpr std::string_view kKeyOfProfiles = "profiles";
// Under these keys stand files, or lists and maps of them.
constexpr std::array<std::string_view, 4> kKeysOfModels = {"model", "models", "beside_model", "resident"};

void TakeStrings(const JsonReader& value, std::set<std::string>& names) {
  if (value.IsString()) {
    names.emplace(value.String());
  } else if (value.IsArray()) {
    for (const JsonReader element : value.Elements()) TakeStrings(element, names);
  }
}

void TakeNames(const JsonReader& value, std::set<std::string>& names) {
  if (value.IsArray()) {
    for (const JsonReader element : value.Elements()) TakeNames(element, names);
  }
  if (!value.IsObject()) return;
  for (const JsonReader member : value.Members()) {
    const std::string_view key = member.key();
    if (key == kKeyOfProfiles) continue;
    const bool of_models = std::find(kKeysOfModels.begin(), kKeysOfModels.end(), key) != kKeysOfModels.end();
    if (of_models) TakeStrings(member, names);
    if ((key == "resident" || key == "co_compiled") && member.IsObject()) {
      for (const JsonReader unit : member.Members()) TakeStrings(unit, names);
    } else if (key == "arrival" && member.IsObject()) {
      if (const auto file = member.Find("file")) TakeStrings(*file, names);
    } else {
      TakeNames(member, names);
    }
  }
}

OfferedFile& Offer(const fs::path& path, std::map<std::string, OfferedFile>& offered) {
  OfferedFile& file = offered[path.string()];
  if (!file.path.empty()) return file;
  file.path = path.string();
  file.bytes = static_cast<std::int64_t>(fs::file_size(path));
  if (file.bytes > kMostBytesOfFile) {
    throw InputError(file.path + ": is larger than " + std::to_string(kMostBytesOfFile >> 30) +
                     " GiB, the most that is sent to a device");
  }
  file.sha256 = Sha256OfFile(path);
  return file;
}

}  // namespace

std::vector<OfferedFile> FilesNamedIn(const std::string& order) {
  std::set<std::string> names;
  const JsonDocument document = JsonDocument::Parse(order, "order");
  TakeNames(document.root(), names);
  std::map<std::string, OfferedFile> offered;
  std::error_code error;
  for (const std::string& name : names) {
    if (!fs::path(name).is_absolute() || !fs::is_regular_file(name, error)) continue;
    const fs::path own = fs::canonical(name);
    OfferedFile& file = Offer(own, offered);
    if (name != file.path) file.names.push_back(name);
    if (!IsModelFile(own)) continue;
    for (const fs::path& beside : FilesOfModel(own)) {
      if (fs::is_regular_file(beside, error)) Offer(fs::absolute(beside).lexically_normal(), offered);
    }
  }
  std::vector<OfferedFile> files;
  for (auto& [path, file] : offered) files.push_back(std::move(file));
  return files;
}

}  // namespace tandem
