// Several profiles of one board: side by side, or made one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

// Which of two entries stays that are the same and say something else. kNewer: the one that was measured
// later; both, which CheckTogether refuses, where either was not measured or both have one date.
enum class Prefer : std::uint8_t { kNewer, kFirst, kLast };

// Settles what more than one of them has: of entries that say the same the first stays. The points of a curve
// stay or go together. Gives a sentence on what was passed over for what, by kind of entry and profile.
std::vector<std::string> CombineProfiles(const std::vector<Profile*>& profiles,
                                         Prefer prefer = Prefer::kNewer);

struct MergedProfile {
  Profile profile;
  std::vector<std::string> notes;  // CombineProfiles'
};

// All of them as one that is to stand in `file`; empty: nowhere yet. Its origin says what holds for all, and
// lists theirs. Throws InputError where they are of different boards or kinds of origin, or differ in entries
// of which neither can be preferred.
MergedProfile MergeProfiles(std::vector<Profile> profiles, const std::filesystem::path& file,
                            Prefer prefer = Prefer::kNewer);

}  // namespace tandem
