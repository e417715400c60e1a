#include "sim/sweep/named_files.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "profiles/base/files.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/sha256.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using FileJson = nlohmann::json;

struct BoardFile {
  std::string_view step, suffix, kind;
};
constexpr std::array<BoardFile, 2> kBoardFiles = {
    {{"platform", ".platform.json", "platform/1"}, {"profiles", ".profile.json", "profile/1"}}};

// "/platform" and "/profiles/0".
const BoardFile* BoardFileAt(const std::vector<std::string>& way) {
  for (const BoardFile& file : kBoardFiles) {
    const std::size_t depth = file.step == "platform" ? 1 : 2;
    if (way.size() == depth && way[0] == file.step) return &file;
  }
  return nullptr;
}

bool NamesFile(std::string_view key) { return key == "model" || key == "beside_model" || key == "platform"; }

// Names of files that are relative to `file` become relative to the scenario that holds them now.
void MoveNames(FileJson& value, const fs::path& file, const fs::path& scenario) {
  for (auto& [key, member] : value.items()) {
    if (member.is_structured()) MoveNames(member, file, scenario);
    if (!value.is_object() || !member.is_string() || !NamesFile(key)) continue;
    const fs::path there = ResolvePath(member.get<std::string>(), file);
    std::error_code error;
    if (IsShippedName(member.get<std::string>()) || !fs::is_regular_file(there, error)) continue;
    member = fs::proximate(there, fs::absolute(scenario).parent_path(), error).string();
  }
}

}  // namespace

NamedFiles::NamedFiles() = default;
NamedFiles::~NamedFiles() = default;

std::string Sha256OfText(std::string_view text) { return Sha256(std::as_bytes(std::span(text))); }

const FileJson& NamedFiles::Read(const fs::path& path, std::string_view kind) {
  const auto known = read_.find(path.string());
  if (known != read_.end()) return known->second;
  const std::string text = ReadTextFile(path);
  ExpectFileKind(JsonDocument::Parse(text, path.string()).root(), kind);
  return read_.emplace(path.string(), FileJson::parse(text)).first->second;
}

void NamedFiles::PutInPlace(FileJson& text, const std::vector<std::string>& way, const std::string& from) {
  const BoardFile* const board = BoardFileAt(way);
  if (board == nullptr || text == "device") return;
  const fs::path path = FindFile(text.get<std::string>(), from, "boards", board->suffix);
  text = Read(path, board->kind);
  MoveNames(text, path, from);
}

const std::string& NamedFiles::HashOf(const std::string& name, const std::string& from) {
  const auto [at, is_new] = hashes_.try_emplace({fs::path(from).parent_path().string(), name});
  const fs::path path = ResolvePath(name, from);
  std::error_code error;
  if (is_new && fs::is_regular_file(path, error)) at->second = Sha256OfText(ReadTextFile(path));
  return at->second;
}

std::string NamedFiles::HashesOf(const FileJson& value, const std::string& from) {
  if (value.is_structured()) {
    std::string hashes;
    for (const FileJson& inside : value) hashes += HashesOf(inside, from);
    return hashes;
  }
  if (!value.is_string()) return "";
  const auto& name = value.get_ref<const std::string&>();
  if (!IsShippedName(name)) return HashOf(name, from);
  std::string hashes;
  for (const BoardFile& board : kBoardFiles) {
    const fs::path path = ShippedDirectory() / "boards" / (name + std::string(board.suffix));
    hashes += HashOf(path.string(), from);
  }
  return hashes;
}

}  // namespace tandem
