#include "sim/sweep/named_files.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/sha256.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/file_keys.h"

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

constexpr int kMostNesting = 8;  // files of which each names the next
// Files that name each other many times would make endless lists of hashes, so that of longer ones the hash
// stands there: of what a named file names (a board has 192 bytes), of a named file, and of a scenario.
constexpr std::size_t kLongestNested = 1024;
constexpr std::size_t kLongestOfFile = std::size_t{1} << 20;
constexpr std::size_t kLongestOfScenario = std::size_t{64} << 20;

// Maps and lists of models, and policies, whose keys are their own.
bool HoldsNames(std::string_view key) {
  return key == "co_compiled" || key == "resident" || key == "policies";
}

// What names no file, whatever it looks like.
bool IsCalled(std::string_view key) { return key == "name" || key == "label"; }

bool NamesFile(std::string_view key) { return key == "model" || key == "beside_model" || key == "platform"; }

// Relative to `file` it becomes relative to the scenario that holds it now.
void MoveName(FileJson& name, const fs::path& file, const fs::path& scenario) {
  const auto& text = name.get_ref<const std::string&>();
  if (IsShippedName(text) || text.empty()) return;
  const fs::path there = ResolvePath(text, file);
  std::error_code error;
  if (!fs::is_regular_file(there, error)) return;
  name = fs::proximate(fs::absolute(there), fs::absolute(scenario).parent_path(), error).string();
}

// Those in a board's file.
void MoveNames(FileJson& value, const fs::path& file, const fs::path& scenario) {
  for (auto& [key, member] : value.items()) {
    if (member.is_structured()) MoveNames(member, file, scenario);
    if (value.is_object() && member.is_string() && NamesFile(key)) MoveName(member, file, scenario);
  }
}

// Its folder without links, from where it names others.
std::string PlaceOf(const fs::path& file) {
  std::error_code error;
  return (fs::weakly_canonical(fs::absolute(file, error).parent_path(), error) / file.filename()).string();
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

void MoveNamedFiles(FileJson& value, const fs::path& from, const fs::path& into) {
  if (value.is_string()) return MoveName(value, from, into);
  if (!value.is_structured()) return;
  for (FileJson& inside : value) MoveNamedFiles(inside, from, into);
}

std::string NamedFiles::HashOfFile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  const std::string place = PlaceOf(path);
  const auto [at, is_new] = of_files_.try_emplace(place);
  if (!is_new) return at->second;  // of a file that names itself, nothing yet
  try {
    if (nesting_ == kMostNesting) {
      throw InputError(path.string() + ": more than " + std::to_string(kMostNesting) +
                       " files of which each names the next end here");
    }
    const std::string text = ReadTextFile(path);
    std::string hashes = Sha256OfText(text);
    const std::optional<FileJson> json = JsonToFollow(text);
    ++nesting_;
    if (json && json->is_structured()) AddHashesInside(*json, place, hashes);
    --nesting_;
    return at->second = hashes;
  } catch (...) {
    of_files_.erase(at);  // nothing would be known of it, as of one that names nobody
    throw;
  }
}

const std::string& NamedFiles::HashOf(const std::string& name, const std::string& from) {
  HashesByName& known = by_name_[from];
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  std::string hashes;
  if (!IsShippedName(name)) {
    if (!name.empty()) hashes = HashOfFile(ResolvePath(name, from));
  } else {
    for (const BoardFile& board : kBoardFiles) {
      hashes += HashOfFile(ShippedDirectory() / "boards" / (name + std::string(board.suffix)));
    }
  }
  return known.emplace(name, std::move(hashes)).first->second;
}

const std::string& NamedFiles::ShortHashOf(const std::string& name, const std::string& from) {
  const std::string& hashes = HashOf(name, from);
  if (hashes.size() <= kLongestNested) return hashes;
  std::string& known = short_by_name_[from][name];
  if (known.empty()) known = Sha256OfText(hashes);
  return known;
}

void NamedFiles::AddHashesInside(const FileJson& file, const std::string& from, std::string& hashes) {
  for (const auto& [key, member] : file.items()) {
    if (member.is_structured()) AddHashesInside(member, from, hashes);
    if (file.is_object() && member.is_string() && NamesFile(key)) {
      hashes += ShortHashOf(member.get_ref<const std::string&>(), from);
      if (hashes.size() > kLongestOfFile) hashes = Sha256OfText(hashes);
    }
  }
}

void NamedFiles::AddHashes(const FileJson& value, const std::string& key, const std::string& from,
                           std::string& hashes) {
  if (value.is_array()) {
    for (const FileJson& inside : value) AddHashes(inside, key, from, hashes);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      AddHashes(member, HoldsNames(key) && !IsCalled(name) ? key : name, from, hashes);
    }
  } else if (value.is_string()) {
    const auto& name = value.get_ref<const std::string&>();
    if (!IsShippedName(name) && !KeyNamesFiles(key) && !HoldsNames(key)) return;
    hashes += hashes.size() < kLongestOfScenario ? HashOf(name, from) : ShortHashOf(name, from);
  }
}

std::string NamedFiles::HashesOf(const FileJson& value, const std::string& key, const std::string& from) {
  std::string hashes;
  nesting_ = 0;
  AddHashes(value, key, from, hashes);
  return hashes;
}

}  // namespace tandem
