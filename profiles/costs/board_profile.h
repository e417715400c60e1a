// Profiles as the store of a lab keeps them: a file for each board and state says what it is of, and its
// entries lie beside in parts that are called by their content, so that what was measured once is there once.
// File kinds "board-profile/1" and "profile-part/1".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/costs/combine.h"
#include "profiles/costs/profile.h"

namespace tandem {

struct BoardProfile {
  std::string board;
  std::string state;                 // empty: the board has one alone
  std::vector<std::string> answers;  // hashes of what was asked and need not be asked again
  Profile profile;
  std::vector<std::string> parts;  // hashes: of what the profile's lists are made of, in this order
};

// A board's or a state's name is part of a file's: letters, digits, '.', '_' and '-', and no '.' in front.
bool IsNameInStore(std::string_view name);

bool IsBoardProfile(const JsonReader& root);
// With the entries out of the parts beside it. Throws InputError where one is missing or is not what its name
// says.
BoardProfile ReadBoardProfile(const JsonReader& root);

class ProfileStore {
 public:
  explicit ProfileStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path FileOf(std::string_view board, std::string_view state) const;
  std::filesystem::path PlatformOf(std::string_view board, std::string_view state) const;
  std::vector<BoardProfile> All() const;  // by name; throws InputError where there is no such folder
  std::optional<BoardProfile> Find(std::string_view board, std::string_view state) const;
  // Writes the parts that are not there yet, then the file, which names them all, with the platform beside
  // it. How many parts that were.
  std::int64_t Put(BoardProfile kept, const Platform& platform) const;

  struct Added {
    std::int64_t new_parts = 0, entries = 0;  // written; that the board now has in this state
    std::vector<std::string> notes;           // CombineProfiles'
  };
  // The same, beside what is there of this board in this state. Throws InputError as MergeProfiles.
  Added Add(BoardProfile more, const Platform& platform, Prefer prefer) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tandem
