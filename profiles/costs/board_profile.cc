#include "profiles/costs/board_profile.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/sha256.h"
#include "profiles/costs/entry_keys.h"
#include "profiles/costs/fields.h"
#include "profiles/costs/model_identity.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBoardProfileKind = "board-profile/1";
constexpr std::string_view kKeptProfile = ".profile.json", kKeptPlatform = ".platform.json";
constexpr std::string_view kPartsFolder = "parts";
constexpr std::string_view kHash = "0123456789abcdef";
constexpr std::size_t kDigitsOfHash = 64;
constexpr std::size_t kLongestName = 100;

CodecOf<std::string> ContentHash() {
  return as::TextReadBy(
      [](SchemaDefs&) { return SchemaNode(R"("type": "string", "pattern": "^[0-9a-f]{64}$")"); },
      [](const JsonReader& value, std::string& into, Context) {
        into = value.String();
        if (into.size() == kDigitsOfHash && into.find_first_not_of(kHash) == std::string::npos) return;
        value.Fail("a hash is 64 hexadecimal digits, not " + Quoted(into));
      });
}

const Fields<BoardProfile>& BoardProfileFields() {
  using B = BoardProfile;
  static const auto fields =
      Fields<B>("board_profile", "what was measured of a board of a lab in one state")
          .Kind(kBoardProfileKind)
          .Needed("board", &B::board, as::Name(), "As the lab's boards/1 calls it.")
          .Optional("state", &B::state, as::Name(), "Absent where the board has one alone.")
          .Part(&B::profile, ProfileHeadFields())
          .Optional("answers", &B::answers, as::ListOf(ContentHash()),
                    "Hashes of what was asked, model by model: it is not asked again.")
          .Needed("parts", &B::parts, as::ListOf(ContentHash()),
                  "SHA-256 of the files parts/HASH.json, whose entries in this order are the profile's.");
  return fields;
}

template <class Text>
std::string HashOf(const Text& text) {
  return Sha256(std::as_bytes(std::span(text)));
}

fs::path PlaceOfPart(const fs::path& folder, const std::string& hash) {
  return folder / kPartsFolder / (hash + ".json");
}

void AppendLists(const Profile& part, Profile& into) {
  ForEachList([&](const char*, auto member) {
    (into.*member).insert((into.*member).end(), (part.*member).begin(), (part.*member).end());
  });
}

void AddPart(const JsonReader& hash, const fs::path& folder, Profile& into) {
  const fs::path file = PlaceOfPart(folder, std::string(hash.String()));
  std::string text;
  try {
    ExpectRegularFile(file);
    text = ReadTextFile(file);
  } catch (const InputError& error) {
    hash.Fail(error.what());
  }
  if (HashOf(text) != hash.String()) hash.Fail(file.string() + " is damaged: it is not what its name says");
  const JsonDocument document = JsonDocument::Parse(text, file.string());
  AppendLists(ProfilePartFields().Read(document.root()), into);
}

// What is measured together: entries that follow each other and differ in their layers alone.
template <class Entry>
std::string SourceOf(const Entry& entry) {
  std::string source;
  if constexpr (requires { entry.model; }) source += entry.model + "\n";
  if constexpr (requires { entry.unit; }) source += entry.unit + "\n";
  if constexpr (requires { entry.batch; }) source += std::to_string(entry.batch) + "\n";
  if constexpr (requires { entry.variant; }) source += entry.variant.Text();
  return source;
}

std::vector<Profile> CutIntoParts(const Profile& profile) {
  std::vector<Profile> parts;
  ForEachList([&](const char*, auto member) {
    const auto& entries = profile.*member;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i == 0 || SourceOf(entries[i - 1]) != SourceOf(entries[i])) parts.emplace_back();
      (parts.back().*member).push_back(entries[i]);
    }
  });
  return parts;
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw EnvironmentError(folder.string() + ": " + error.message());
}

// A file that is there and damaged is written anew.
bool IsKept(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) != text.size()) return false;
  return ReadTextFile(file) == text;
}

std::string NameInStore(std::string_view board, std::string_view state) {
  return std::string(board) + (state.empty() ? "" : "@" + std::string(state));
}

std::string JudgeBoardProfile(const JsonReader& root) {
  const BoardProfile kept = ReadBoardProfile(root);
  CheckProfile(kept.profile);
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return NameInStore(kept.board, kept.state) + ": " +
         Counted(count(kept.profile.entries), "entry", "entries") + " in " +
         Counted(count(kept.parts), "part");
}

std::string JudgePart(const JsonReader& root) {
  const Profile part = ProfilePartFields().Read(root);
  std::int64_t entries = 0;
  ForEachList([&](const char*, auto member) { entries += static_cast<std::int64_t>((part.*member).size()); });
  return Counted(entries, "entry", "entries");
}

const FileKindRegistration kBoardProfile{
    {kBoardProfileKind, AsAnyFields<BoardProfile, BoardProfileFields>, JudgeBoardProfile}};
const FileKindRegistration kProfilePart{
    {"profile-part/1", AsAnyFields<Profile, ProfilePartFields>, JudgePart}};

}  // namespace

bool IsNameInStore(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

bool IsBoardProfile(const JsonReader& root) {
  if (!root.IsObject()) return false;
  const auto kind = root.Find("tandem");
  const std::string_view name = kBoardProfileKind.substr(0, kBoardProfileKind.find('/') + 1);
  return kind && kind->IsString() && kind->String().starts_with(name);
}

BoardProfile ReadBoardProfile(const JsonReader& root) {
  BoardProfile kept = BoardProfileFields().Read(root);
  kept.profile.file = root.file();
  const fs::path folder = fs::path(root.file()).parent_path();
  for (const JsonReader hash : root.Get("parts").Elements()) AddPart(hash, folder, kept.profile);
  CheckTogether({&kept.profile});
  return kept;
}

fs::path ProfileStore::FileOf(std::string_view board, std::string_view state) const {
  return folder_ / (NameInStore(board, state) + std::string(kKeptProfile));
}

fs::path ProfileStore::PlatformOf(std::string_view board, std::string_view state) const {
  return folder_ / (NameInStore(board, state) + std::string(kKeptPlatform));
}

std::vector<BoardProfile> ProfileStore::All() const {
  if (!fs::is_directory(folder_)) throw InputError(folder_.string() + ": is no folder of profiles");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().string().ends_with(kKeptProfile)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<BoardProfile> all;
  for (const fs::path& file : files) {
    ExpectRegularFile(file);
    const JsonDocument document = JsonDocument::ReadFile(file);
    if (IsBoardProfile(document.root())) all.push_back(ReadBoardProfile(document.root()));
  }
  return all;
}

std::optional<BoardProfile> ProfileStore::Find(std::string_view board, std::string_view state) const {
  const fs::path file = FileOf(board, state);
  if (!fs::exists(file)) return std::nullopt;
  return ReadBoardProfile(JsonDocument::ReadFile(file).root());
}

std::int64_t ProfileStore::Put(BoardProfile kept, const Platform& platform) const {
  MakeFolder(folder_ / kPartsFolder);
  MoveProfile(kept.profile, {});  // the parts say the same wherever they are named
  kept.parts.clear();
  std::int64_t written = 0;
  for (const Profile& part : CutIntoParts(kept.profile)) {
    const std::string text = ProfilePartFields().File(part);
    kept.parts.push_back(HashOf(text));
    const fs::path file = PlaceOfPart(folder_, kept.parts.back());
    if (IsKept(file, text)) continue;
    WriteFile(file, text);
    ++written;
  }
  WriteFile(PlatformOf(kept.board, kept.state), PlatformJson(platform));
  WriteFile(FileOf(kept.board, kept.state), BoardProfileFields().File(kept));
  return written;
}

ProfileStore::Added ProfileStore::Add(BoardProfile more, const Platform& platform, Prefer prefer) const {
  Added added;
  if (std::optional<BoardProfile> kept = Find(more.board, more.state)) {
    MergedProfile merged = MergeProfiles({std::move(kept->profile), std::move(more.profile)}, {}, prefer);
    more.profile = std::move(merged.profile);
    added.notes = std::move(merged.notes);
    for (const std::string& hash : kept->answers) {
      const bool known = std::find(more.answers.begin(), more.answers.end(), hash) != more.answers.end();
      if (!known) more.answers.push_back(hash);
    }
  }
  AddStructures(more.profile);
  added.entries = static_cast<std::int64_t>(more.profile.entries.size());
  added.new_parts = Put(std::move(more), platform);
  return added;
}

}  // namespace tandem
